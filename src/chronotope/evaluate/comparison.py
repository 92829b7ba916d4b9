"""Comparison of kernels and numbers of topics: each fitted with several seeds, scored on held-out time stamps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from operator import index
from typing import Any

import numpy as np
import pandas as pd

from chronotope._typing import Floats, PathLike
from chronotope.cluster.workers import check_client
from chronotope.corpus.corpus import Corpus
from chronotope.display.progress import counting_bar
from chronotope.display.tables import markdown_table, number, text_table
from chronotope.evaluate.runner import Outcome, Split, run_tasks
from chronotope.evaluate.runs import SKLEARN, Failure, Results, Run, Task
from chronotope.kernels import Constant, Kernel, Preset, Recipe, Wiener, as_kernel
from chronotope.model.completion import check_seen
from chronotope.storage.atomic import replacing, writable_folder

STATIC = "static"  # our own model with a constant kernel
SET = ("origin", "nu")  # parameters that are never learned, and not shown


@dataclass(frozen=True)
class Comparison:
    """Result of `compare`: runs of several kernels on one corpus and one split.

    names : tuple of str, the kernels in the order given
    baseline : str, the kernel that ratios refer to
    runs : tuple of Run, those that finished
    failures : tuple of Failure, those that failed, with the error message
    about : str, the corpus and the split in words
    """

    names: tuple[str, ...]
    baseline: str
    runs: tuple[Run, ...]
    failures: tuple[Failure, ...]
    about: str

    @property
    def best(self) -> str:
        """Name of the kernel with the lowest mean perplexity."""
        if not self.runs:
            raise ValueError(f"none of the runs finished, so no kernel is best; the first: {self.failures[0].sentence}")
        return min((name for name in self.names if self.of(name)), key=lambda name: self.perplexities(name).mean())

    def of(self, name: str) -> list[Run]:
        """The finished runs of a kernel, in the order of the seeds.   name : str, one of `names`."""
        return [run for run in self.runs if run.name == name]

    def perplexities(self, name: str) -> Floats:
        """Held-out perplexities of a kernel, one per finished seed.   name : str, one of `names`."""
        return np.array([run.perplexity for run in self.of(name)])

    def bounds(self) -> dict[str, tuple[list[float], list[float]]]:
        """Documents seen and bounds of the first finished run of each kernel, by name; for `plot_bounds`."""
        first = {name: self.of(name)[0] for name in self.names if self.of(name)}
        return {name: (run.documents_seen, run.bounds) for name, run in first.items() if run.bounds}

    def table(self) -> pd.DataFrame:
        """The results as a table with one row per kernel.

        kernel : its name
        perplexity, sd : mean and standard deviation over seeds
        standard_error : over documents, mean of the runs
        ratio : of the mean perplexity to that of the baseline, over the seeds that both finished
        seconds : mean of the runs;  runs : number of finished runs
        hyperparameters : as fitted;  failed : error messages of the runs that failed
        """
        return pd.DataFrame([self._row(name) for name in self.names])

    def to_text(self) -> str:
        """The table as plain text, with a description and a legend."""
        return "\n".join([self.about, "", text_table(self._shown()), "", *self._notes()])

    def to_markdown(self) -> str:
        """The table in Markdown, with a description and a legend."""
        notes = "\n".join(f"- {note}" for note in self._notes())
        return "\n".join([self.about, "", markdown_table(self._shown()), "", notes])

    def to_csv(self, path: PathLike) -> None:
        """Write the table to a CSV file.   path : str or path."""
        with replacing(path) as temporary:
            self.table().to_csv(temporary, index=False)

    def _row(self, name: str) -> dict[str, object]:
        runs, values = self.of(name), self.perplexities(name)
        return {
            "kernel": name,
            "perplexity": _mean(values),
            "sd": float(values.std(ddof=1)) if len(values) > 1 else float("nan"),
            "standard_error": _mean(run.standard_error for run in runs),
            "ratio": self._ratio(name),
            "seconds": _mean(run.seconds for run in runs),
            "runs": len(runs),
            "hyperparameters": _hyperparameters(runs),
            "failed": "; ".join(f"seed {fail.seed}: {fail.sentence}" for fail in self.failures if fail.name == name),
        }

    def _ratio(self, name: str) -> float:
        own, base = ({run.seed: run.perplexity for run in self.of(each)} for each in (name, self.baseline))
        shared = own.keys() & base.keys()
        return _mean(own[seed] for seed in shared) / _mean(base[seed] for seed in shared)

    def _shown(self) -> pd.DataFrame:
        """The table with formatted values."""
        table = self.table()
        shown = {
            "kernel": table["kernel"],
            "perplexity": table["perplexity"].map(lambda value: number(value, 5)).replace("", "failed"),
            "sd": table["sd"].map(lambda value: number(value, 2)),
            "standard error": table["standard_error"].map(lambda value: number(value, 2)),
            "ratio": table["ratio"].map("{:.3f}".format).replace("nan", ""),
            "seconds": table["seconds"].map(lambda value: number(value, 2)),
            "hyperparameters": table["hyperparameters"],
        }
        return pd.DataFrame(shown)

    def _notes(self) -> list[str]:
        legend = "perplexity: mean over seeds, lower is better; sd: over seeds; standard error: over held-out documents"
        failed = [f"failed: {fail.name}, seed {fail.seed}: {fail.sentence}" for fail in self.failures]
        return [legend, f"ratio: to {self.baseline}", *failed]


def _mean(values: Iterable[float]) -> float:
    """The mean; NaN if there are no values."""
    known = list(values)
    return float(np.mean(known)) if known else float("nan")


def _hyperparameters(runs: list[Run]) -> str:
    """Parameters as fitted, a range if they differ between seeds; α of scikit-learn's LDA."""
    names = [name for name in (runs[0].parameters if runs else ()) if name.rpartition(".")[2] not in SET]
    found = {name: [run.parameters[name] for run in runs] for name in names}
    if runs and not runs[0].parameters:
        found = {"alpha": [run.alpha["mean"] for run in runs]}
    return ", ".join(f"{name} {_range(values)}" for name, values in found.items())


def _range(values: list[float]) -> str:
    low, high = f"{min(values):.4g}", f"{max(values):.4g}"
    return low if low == high else f"{low} to {high}"


Kernels = Iterable[Recipe | str] | Mapping[str, Recipe | str]


def compare(
    corpus: Corpus,
    kernels: Kernels,
    seeds: Iterable[int] = (0, 1, 2),
    *,
    n_topics: int | Iterable[int] = 20,
    test_size: float = 0.15,
    split_seed: int = 0,
    seen: int | None = None,
    out: PathLike | None = None,
    jobs: int | None = None,
    verbose: bool | None = None,
    engine: Any = None,
    **model_options: Any,
) -> Comparison:
    """Fit every kernel with every seed on some of the time stamps, and score it on the others.

    corpus : Corpus
    kernels : list of Kernel or str, or dict of them by name; "static" is this model with a constant kernel,
        whose topics do not change, and "scikit-learn" its LDA, whose topics do not either; all are scored alike
    seeds : list of int, default (0, 1, 2)
    n_topics : int or list of int, default 20; of several, every kernel is fitted with each
    test_size : float, default 0.15; fraction of the time stamps that is held out
    split_seed : int, default 0; of the choice of the held-out time stamps
    seen : int, default None for half; number of tokens of each held-out document that predict its others, such as 8,
        or 0 for none
    out : str or path, default None; folder in which finished runs are stored; a second call computes only missing ones
    jobs : int, default None; number of processes, which does not change the results; None chooses it by cores and work
    verbose : bool, default None; whether progress is shown; None shows it if stderr is a terminal or in a notebook
    engine : distributed.Client, default None for this machine; a Dask cluster, of which each run has one worker
    model_options : other parameters of DynamicTopicModel, the same for all

    A run that fails is reported in the table, and the others continue. The baseline is the first Wiener process, as in
    the paper, or else the first kernel, with the first number of topics.   [table 2]
    Returns a Comparison.
    """
    if engine is not None:
        check_client(engine)
    chosen, sizes = name_kernels(kernels), _sizes(n_topics)
    tasks = _tasks(chosen, [index(seed) for seed in seeds], sizes, model_options)
    split = Split(test_size, split_seed, check_seen(seen))
    about = _about(corpus, split, sizes)
    results = _results(corpus, split, out)
    stored = [] if results is None else [run for task in tasks if (run := results.read(task)) is not None]
    outcomes: dict[tuple[str, int], Outcome] = {(run.name, run.seed): run for run in stored}
    left = [task for task in tasks if (task.name, task.seed) not in outcomes]
    with counting_bar(len(tasks), len(outcomes), verbose, "comparing kernels") as advance:
        for outcome in run_tasks(left, corpus, split, results, jobs, engine):
            outcomes[outcome.name, outcome.seed] = outcome
            advance()
    ordered = [outcomes[task.name, task.seed] for task in tasks]
    return Comparison(
        names=tuple(dict.fromkeys(task.name for task in tasks)),
        baseline=_name(_baseline(chosen), sizes[0], sizes),
        runs=tuple(outcome for outcome in ordered if isinstance(outcome, Run)),
        failures=tuple(outcome for outcome in ordered if isinstance(outcome, Failure)),
        about=about,
    )


def name_kernels(kernels: Kernels) -> dict[str, Recipe | None]:
    """Kernels by name, None for scikit-learn's LDA; the default name is the text as given."""
    if isinstance(kernels, str | Kernel | Preset):
        raise ValueError(f'kernels is {str(kernels)!r}; pass several, such as ["wiener", "ou", "cauchy"].')
    given = list(kernels.items()) if isinstance(kernels, Mapping) else [(str(kernel), kernel) for kernel in kernels]
    if not given:
        raise ValueError('no kernels were given; pass at least one, such as ["wiener", "ou"].')
    chosen: dict[str, Recipe | None] = {}
    for name, kernel in ((str(name).strip(), kernel) for name, kernel in given):
        if name in chosen:
            raise ValueError(f"the kernel {name!r} is given twice; pass it once, or pass a dict with different names.")
        word = kernel.strip().lower() if isinstance(kernel, str) else ""
        chosen[name] = None if word == SKLEARN else Constant() if word == STATIC else as_kernel(kernel)
    return chosen


def _sizes(n_topics: int | Iterable[int]) -> list[int]:
    """The numbers of topics, at least one, without duplicates."""
    sizes = list(n_topics) if isinstance(n_topics, Iterable) else [n_topics]
    if not sizes or len(set(sizes)) < len(sizes):
        raise ValueError(f"n_topics is {sizes}; pass at least one number of topics, each once.")
    return sizes


def _name(kernel: str, n_topics: int, sizes: Sequence[int]) -> str:
    """Name of a row of the table."""
    return kernel if len(sizes) == 1 else f"{kernel}, {n_topics} topics"


def _tasks(
    kernels: Mapping[str, Recipe | None], seeds: Sequence[int], sizes: Sequence[int], options: Mapping[str, Any]
) -> list[Task]:
    """Every kernel with every number of topics and every seed; raises an error if the options are invalid."""
    if not seeds or len(set(seeds)) < len(seeds):
        raise ValueError(f"seeds is {seeds}; pass at least one, each once.")
    for name, instead in (("seed", "seeds"), ("kernel", "kernels")):
        if name in options:
            raise ValueError(f"{name}={options[name]!r} was given; pass {instead}=[...] instead.")
    tasks = [
        Task(_name(name, n, sizes), kernel, seed, n, dict(options))
        for (name, kernel), n, seed in product(kernels.items(), sizes, seeds)
    ]
    for task in tasks:
        task.model().check_parameters()
    return tasks


def _results(corpus: Corpus, split: Split, out: PathLike | None) -> Results | None:
    if out is None:
        return None
    return Results(writable_folder(out), corpus.digest(), corpus.main_span, *split)


def _about(corpus: Corpus, split: Split, sizes: Sequence[int]) -> str:
    """The corpus and its parts in words."""
    train, test = split.part(corpus)
    return (
        f"{' or '.join(map(str, sizes))} topics, {corpus.n_words:,} words; fitted on {len(train):,} documents with "
        f"{train.n_times:,} different times, scored on {len(test):,} with {test.n_times:,} others"
        f"{'' if split.seen is None else f', {split.seen:,} tokens seen of each'}."
    )


def _baseline(kernels: Mapping[str, Recipe | None]) -> str:
    """The first Wiener process, or else the first kernel."""
    return next((name for name, kernel in kernels.items() if isinstance(kernel, Wiener)), next(iter(kernels)))
