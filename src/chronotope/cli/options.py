"""Options and arguments that several commands share."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from chronotope.cli.output import note, progress, working

if TYPE_CHECKING:
    from chronotope.corpus.corpus import Corpus
    from chronotope.text.options import Preprocessing


def bundled(command: Callable[..., None]) -> Callable[..., None]:
    """The command as typer wants it: a dataclass among its arguments becomes an option for each of its fields."""
    hints = get_type_hints(command, include_extras=True)
    bundles: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        if parameter.name in bundles:
            parameters += _options(bundles[parameter.name])
        else:
            parameters.append(parameter.replace(annotation=hints[parameter.name], kind=parameter.KEYWORD_ONLY))

    def run(**given: Any) -> None:
        for name, kind in bundles.items():
            given[name] = kind(**{field.name: given.pop(field.name) for field in fields(kind)})
        command(**given)

    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {}
    return run


def _options(kind: Any) -> list[inspect.Parameter]:
    """The fields of a dataclass as parameters, with their defaults."""
    hints = get_type_hints(kind, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(kind)
    ]


SOTU = "sotu"
READING, MODEL = "Reading", "Model"  # panels of the help

ModelPath = Annotated[Path, typer.Argument(help="A model file, as chronotope fit writes it.")]
Topics = Annotated[int, typer.Option(min=1, help="Number of topics.")]
KernelText = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=MODEL,
        help='How topics change: "slow drift" (if left out), "events", "long memory", "seasonal", or a formula such as '
        '"constant + ou(1, 5 years)"; chronotope info --kernels lists them.',
    ),
]
Seeds = Annotated[str, typer.Option(help="Seeds, with commas between; every one is a fit.")]
TestSize = Annotated[float, typer.Option(help="Share of the time stamps that is held out.")]
SplitSeed = Annotated[int, typer.Option(min=0, help="Seed that the held-out time stamps are drawn with.")]
Epochs = Annotated[int | None, typer.Option(min=1, help="Most passes over the documents.")]
LearnKernel = Annotated[
    bool | None,
    typer.Option("--learn-kernel/--fixed-kernel", help="Learn the kernel's parameters in the fit, or leave them."),
]
At = Annotated[str | None, typer.Option(help="Times or dates, with commas between.")]
Periods = Annotated[str | None, typer.Option(help='Length of periods: decade, "5 years", month, or a number.')]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress, no notes: results only.")]
Force = Annotated[bool, typer.Option("--force", help="Replace files that are there already.")]


@dataclass(frozen=True)
class Source:
    """Where the documents are, and how to read them."""

    corpus: Annotated[
        str,
        typer.Argument(
            help="A file or folder of dated texts, a folder of counts written by --on-disk, or "
            f"{SOTU!r} for the State of the Union addresses."
        ),
    ]
    text: Annotated[
        list[str] | None,
        typer.Option(rich_help_panel=READING, help="Column of the texts, if not guessed right; several are joined."),
    ] = None
    time: Annotated[
        list[str] | None,
        typer.Option(
            rich_help_panel=READING, help="Column of the times, if not guessed right; or those of year, month and day."
        ),
    ] = None
    id: Annotated[str | None, typer.Option(rich_help_panel=READING, help="Column that names the documents.")] = None
    day_first: Annotated[
        bool | None,
        typer.Option("--day-first/--month-first", rich_help_panel=READING, help="Whether 03/04/1861 is in April."),
    ] = None
    century_start: Annotated[
        int | None, typer.Option(rich_help_panel=READING, help="First year that years of two digits mean; 1930.")
    ] = None
    limit: Annotated[int | None, typer.Option(min=1, rich_help_panel=READING, help="Most documents to read.")] = None
    format: Annotated[
        str | None,
        typer.Option(rich_help_panel=READING, help="csv, jsonl, parquet, mbox, folder or git, if not guessed right."),
    ] = None
    encoding: Annotated[str | None, typer.Option(rich_help_panel=READING, help="Of text files, such as utf-8.")] = None
    delimiter: Annotated[str | None, typer.Option(rich_help_panel=READING, help="Of a table, one character.")] = None
    table: Annotated[
        Path | None, typer.Option(rich_help_panel=READING, help="Of a folder: the table of file names and dates.")
    ] = None

    @property
    def options(self) -> dict[str, Any]:
        """What was said about reading, by the names of the readers' own options."""
        given = {name: value for name, value in vars(self).items() if name != "corpus" and value not in (None, [])}
        return {
            name: value[0] if isinstance(value, list) and len(value) == 1 else value for name, value in given.items()
        }

    @property
    def title(self) -> str:
        """A heading for what is made of it."""
        name = "the State of the Union" if self.corpus == SOTU else Path(self.corpus).resolve().name
        return f"Topics of {name} over time"

    @property
    def command_line(self) -> str:
        """The same again, as it is typed."""
        return " ".join(shlex.quote(part) for part in [self.corpus, *self._flags()])

    def _flags(self) -> Iterator[str]:
        for name, value in self.options.items():
            if name == "day_first":
                yield "--day-first" if value else "--month-first"
            else:
                for each in value if isinstance(value, list) else [value]:
                    yield from (flag(name), str(each))


@dataclass(frozen=True)
class MaybeSource(Source):
    """The same where documents may not be needed; "" for none."""

    corpus: Annotated[
        str, typer.Argument(help="A file or folder of dated texts, where the question is about documents.")
    ] = ""


def read(
    source: Source,
    preprocessing: Preprocessing | None = None,
    *,
    keep_texts: bool = True,
    quiet: bool = False,
    on_disk: Path | None = None,
) -> Corpus:
    """The corpus of a path, or the State of the Union; what was decided and left out is noted.

    on_disk : a new folder for the counts, if they are not to be in memory
    """
    from chronotope import datasets
    from chronotope.readers import read_corpus

    options = source.options
    if source.corpus == SOTU and options:
        raise ValueError(f"{' and '.join(map(flag, options))} is about reading a file; {SOTU} is none.")
    if source.corpus == SOTU and on_disk:
        raise ValueError(f"--on-disk is for corpora larger than memory; {SOTU} is small, leave it out.")
    with working(f"Reading {source.corpus}", quiet):
        if source.corpus == SOTU:
            corpus = datasets.state_of_the_union(preprocessing)
        else:
            corpus = read_corpus(source.corpus, preprocessing, keep_texts=keep_texts, folder=on_disk, **options)
    for line in what_was_read(corpus):
        note(f"  {line}", quiet)
    return corpus


def what_was_read(corpus: Corpus) -> list[str]:
    """Columns guessed, what was left out and why, and what there is now, a line each."""
    notes = corpus.report.notes if corpus.report else ()
    removed = [step for step in corpus.report.removed if step.removed_any] if corpus.report else []
    left_out = [f"left out: {step}" for step in removed if not any(f"× {step.step} (" in told for told in notes)]
    return [*notes, *left_out, repr(corpus)]


def flag(name: str) -> str:
    """The option that sets a parameter."""
    return "--" + name.replace("_", "-")


def fit_options(topics: int | list[int], epochs: int | None, learn_kernel: bool | None, quiet: bool) -> dict[str, Any]:
    """Options of a model; what was left out is left to the model."""
    given = {"max_epochs": epochs, "learn_kernel": learn_kernel, "verbose": progress(quiet)}
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
        found[name.strip()] = [number(value) for value in words(values)]
    return found


def number(text: str) -> float | str:
    """A number if it is one, else the text."""
    try:
        return float(text)
    except ValueError:
        return text
