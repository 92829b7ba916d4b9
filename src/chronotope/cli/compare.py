"""chronotope compare"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chronotope.cli import options
from chronotope.cli.app import sentences
from chronotope.cli.io import engine_of, read_documents
from chronotope.cli.output import answer, note
from chronotope.cli.values import grid_values, named_kernels, whole_numbers

if TYPE_CHECKING:
    from chronotope.evaluate import Comparison

RUNS = "runs"  # folder of the finished runs


def command(
    source: options.CorpusOptions,
    kernels: Annotated[str, typer.Option(help="Semicolon-separated kernels; each may have a name.")] = (
        "wiener; ou; cauchy; se"
    ),
    seeds: options.SeedList = "0,1,2",
    topics: Annotated[
        str,
        typer.Option(help="Number of topics; if several, comma-separated, every kernel is fitted with each of them."),
    ] = "20",
    out: Annotated[Path, typer.Option(help="Folder for tables, pictures and finished runs.")] = Path("comparison"),
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes; as many as are useful by default.")] = None,
    learn_kernel: options.KernelLearning = None,
    grid: Annotated[
        list[str] | None,
        typer.Option(help='Grid to search first, as "length_scale=x0.3,x1,x3"; may be given several times.'),
    ] = None,
    test_size: options.TestSize = 0.15,
    split_seed: options.SplitSeed = 0,
    seen: Annotated[
        int | None,
        typer.Option(min=0, help="Tokens of a held-out document that predict its others; half of them by default."),
    ] = None,
    epochs: options.Epochs = None,
    cluster: options.Cluster = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Fit several kernels with several random seeds, and score them on held-out time stamps.

    ```
    chronotope compare texts.csv --kernels "slow drift; events; long memory; static; scikit-learn" --out comparison
    ```

    To choose the number of topics, give several:

    ```
    chronotope compare texts.csv --kernels "slow drift" --topics 10,20,40
    ```

    Every finished run is kept in the folder. Called again, the command does only the missing runs. The kernel "static"
    is the same model with topics that do not change, and "scikit-learn" is its LDA. A grid is searched within the time
    stamps that are not held out. With --cluster every run has one worker of a Dask cluster.
    """
    with sentences(), engine_of(cluster, quiet) as engine:
        from chronotope import evaluate
        from chronotope.evaluate.comparison import name_kernels
        from chronotope.storage.atomic import writable_folder

        wanted: Any = named_kernels(kernels)
        name_kernels(wanted)  # invalid kernels are refused before anything is read
        sizes, numbers = whole_numbers(topics, "--topics"), whole_numbers(seeds, "--seeds")
        values = _grid(grid or [], sizes, learn_kernel)
        folder = writable_folder(out)
        documents = read_documents(source, keep_texts=False, quiet=quiet)
        chosen = options.fit_options(sizes, epochs, learn_kernel, quiet) | {"jobs": jobs, "out": folder / RUNS}
        chosen |= {"engine": engine}
        if values:
            note("Searching the grid", quiet)
            train, _ = documents.split_times(test_size, split_seed)
            wanted = evaluate.tune(train, wanted, values, numbers[:1], test_size=test_size, **chosen)
        note(f"Comparing {', '.join(wanted)}", quiet)
        parts: dict[str, Any] = {"test_size": test_size, "split_seed": split_seed, "seen": seen}
        found = evaluate.compare(documents, wanted, numbers, **parts, **chosen)
        written = _write(found, folder)
    failed = [fail._asdict() for fail in found.failures]
    facts = {"about": found.about, "baseline": found.baseline, "kernels": found.table(), "failed": failed}
    answer(found.to_text(), facts | {"written": [str(folder / name) for name in written]}, json)
    note(f"Written to {folder}: {', '.join(written)}", quiet)
    if not found.runs:
        raise typer.Exit(1)


def _grid(given: list[str], sizes: list[int], learn_kernel: bool | None) -> dict[str, list[float | str]]:
    """The grid to search; refused with options that contradict it."""
    values = grid_values(given)
    if values and len(sizes) > 1:
        raise ValueError("--grid searches with one number of topics; choose that first, without a grid.")
    if values and learn_kernel:
        raise ValueError("--grid and --learn-kernel both choose the kernels' parameters; pass one of them.")
    return values


def _write(found: Comparison, folder: Path) -> list[str]:
    """Write tables, and pictures of the finished runs; returns the names of the files."""
    from chronotope.plots import plot_bounds, plot_comparison
    from chronotope.storage.atomic import replacing

    for name, content in (("table.txt", found.to_text()), ("table.md", found.to_markdown())):
        with replacing(folder / name) as path:
            path.write_text(content + "\n", encoding="utf-8")
    found.to_csv(folder / "table.csv")
    pictures: dict[str, Any] = {"comparison.png": plot_comparison(found)} if found.runs else {}
    if found.bounds():
        pictures["bounds.png"] = plot_bounds(found.bounds())
    for name, axes in pictures.items():
        with replacing(folder / name) as path:
            axes.figure.savefig(path)
    return ["table.txt", "table.md", "table.csv", *pictures]
