"""Arguments that several commands take: corpora, kernels, seeds, lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from chronotope.cli.screen import note, working

if TYPE_CHECKING:
    from chronotope.corpus import Corpus
    from chronotope.text import Preprocessing

SOTU = "sotu"

CorpusPath = Annotated[
    str, typer.Argument(help=f"A file or folder of dated texts, or {SOTU!r} for the State of the Union addresses.")
]
TextColumn = Annotated[str | None, typer.Option("--text", help="Column of the texts, where it is not guessed right.")]
TimeColumn = Annotated[str | None, typer.Option("--time", help="Column of the times, where it is not guessed right.")]
Topics = Annotated[int, typer.Option(min=1, help="Number of topics.")]
Seeds = Annotated[str, typer.Option(help="Seeds, with commas between; every one is a fit.")]
TestSize = Annotated[float, typer.Option(help="Share of the time stamps that is held out.")]
SplitSeed = Annotated[int, typer.Option(min=0, help="Seed that the held-out time stamps are drawn with.")]
Epochs = Annotated[int | None, typer.Option(min=1, help="Most passes over the documents.")]
LearnKernel = Annotated[
    bool | None,
    typer.Option(
        "--learn-kernel/--fixed-kernel",
        help="Learn all parameters of a kernel in the fit, or none; if left out, those that its text leaves out.",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress, no notes: results only.")]


def read(
    source: str,
    text: str | None = None,
    time: str | None = None,
    *,
    preprocessing: Preprocessing | None = None,
    keep_texts: bool = True,
    quiet: bool = False,
) -> Corpus:
    """The corpus of a path, or the State of the Union; what was decided while reading is noted."""
    from chronotope import datasets
    from chronotope.readers import read_corpus

    columns: dict[str, Any] = {key: value for key, value in {"text": text, "time": time}.items() if value is not None}
    if source == SOTU and columns:
        raise ValueError(f"{' and '.join(f'--{key}' for key in columns)} names a column of a file; {SOTU} is none.")
    with working(f"Reading {source}", quiet):
        if source == SOTU:
            corpus = datasets.state_of_the_union(preprocessing)
        else:
            corpus = read_corpus(source, preprocessing, keep_texts=keep_texts, **columns)
    for decision in corpus.report.notes if corpus.report else ():
        note(f"  {decision}", quiet)
    note(f"  {corpus!r}", quiet)
    return corpus


def fit_options(topics: int, epochs: int | None, learn_kernel: bool | None, quiet: bool) -> dict[str, Any]:
    """Options of a model; what was left out is left to the model."""
    given = {"max_epochs": epochs, "learn_kernel": learn_kernel, "verbose": False if quiet else None}
    return {"n_topics": topics} | {key: value for key, value in given.items() if value is not None}


def whole_numbers(text: str, what: str) -> list[int]:
    """Numbers of 0 or more with commas between."""
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        numbers = [-1]
    if min(numbers) < 0:
        raise ValueError(f"{what} is {text!r}; expected whole numbers with commas between, such as 0,1,2.")
    return numbers


def words(text: str) -> list[str]:
    """What stands between commas."""
    return [part.strip() for part in text.split(",") if part.strip()]


def kernels(text: str) -> dict[str, str]:
    """Kernels with semicolons between, each with a name if it has one: "wiener; slow = ou(6, 200)"."""
    found: dict[str, str] = {}
    for part in filter(str.strip, text.split(";")):
        head, equals, rest = part.partition("=")
        name, kernel = (head, rest) if equals and "(" not in head else (part, part)
        if name.strip() in found:
            raise ValueError(f"the kernel {name.strip()!r} is given twice; give it once, or another name.")
        found[name.strip()] = kernel.strip()
    return found


def grid(texts: list[str]) -> dict[str, list[float | str]]:
    """Values of parameters, each text one parameter: "length_scale = 5, 20 years, x2"."""
    found: dict[str, list[float | str]] = {}
    for text in texts:
        name, equals, values = text.partition("=")
        if not equals or not words(values):
            raise ValueError(f'the grid has {text!r}; expected a parameter and its values, as "length_scale=5,20,80".')
        found[name.strip()] = [_number(value) for value in words(values)]
    return found


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
