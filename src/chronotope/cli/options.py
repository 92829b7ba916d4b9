"""Options and arguments: those that several commands share, where the documents are, which words to keep, the model."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chronotope.cli.output import verbosity
from chronotope.cli.values import comma_separated, number_or_text

if TYPE_CHECKING:
    from chronotope.model.estimator import DynamicTopicModel
    from chronotope.text.options import Preprocessing

SOTU, STDIN = "sotu", "-"
WINDOW = ("start", "end")
READING, WORDS, MODEL = "Reading", "Words", "Model"  # panels of the help
LONG_NAMES = {"slow drift": "constant + ou", "long memory": "constant + cauchy"}  # presets that no sum can name

ModelPath = Annotated[Path, typer.Argument(help="A model file, as chronotope fit writes it.")]
TableOut = Annotated[Path | None, typer.Option(help="Write the table to this file, .csv or .parquet.")]
NumberOfTopics = Annotated[int, typer.Option(min=1, help="Number of topics.")]
KernelText = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=MODEL,
        help='How topics change: "slow drift" (the default), "events", "long memory", "seasonal", or a formula such as '
        '"constant + ou(1, 5 years)"; chronotope info --kernels lists them.',
    ),
]
SeedList = Annotated[str, typer.Option(help="Comma-separated random seeds; one fit each.")]
TestSize = Annotated[float, typer.Option(help="Share of the time stamps that is held out.")]
SplitSeed = Annotated[int, typer.Option(min=0, help="Random seed that draws the held-out time stamps.")]
Epochs = Annotated[int | None, typer.Option(min=1, help="Maximum number of passes over the documents.")]
LEARNING = (
    "Learn how quickly words change, by predicting left-out times, also where the kernel has numbers for that; or "
    "learn none of it. By default, what the kernel has no numbers for is learned."
)
KernelLearning = Annotated[
    bool | None, typer.Option("--learn-kernel/--no-learn-kernel", " /--fixed-kernel", help=LEARNING)
]
GroupsOption = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=MODEL,
        help="Column of the corpus whose groups differ in prevalence, as party; also in words, if the kernel has by.",
    ),
]
PlaceOption = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=MODEL,
        help='Columns of latitude and longitude, as "lat,lon", if the kernel has space(...); found by their names.',
    ),
]
CellsOption = Annotated[
    int | None,
    typer.Option(
        "--cells",
        min=1,
        rich_help_panel=MODEL,
        help="Number of cells that places are gathered in; by default, as many as there is text for.",
    ),
]
At = Annotated[str | None, typer.Option(help="Comma-separated times or dates.")]
Level = Annotated[float, typer.Option(help="Posterior probability of the bands.")]
GroupColumn = Annotated[str | None, typer.Option(help="Column of the corpus to group documents by, for shares.")]
PeriodLength = Annotated[str | None, typer.Option(help='Length of periods: decade, "5 years", month, or a number.')]
SourceLink = Annotated[
    str | None,
    typer.Option(
        help="For the report: column of the addresses of the documents' sources, or a template such as "
        '"https://archive.example/{id}"; a column of addresses is found by itself.'
    ),
]
SearchDocuments = Annotated[
    int | None,
    typer.Option(
        min=0,
        help="For the report: number of documents that can be searched in it, at most; their texts are in the file. "
        "10,000 by default, 0 for none.",
    ),
]
DatingPage = Annotated[
    bool,
    typer.Option(
        "--dating-page",
        help="For the report: add a page that dates texts which its readers paste; up to 0.25 MB for every 1,000 words "
        "of the vocabulary. The model has to have learned it, by fit --dating.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress, no notes: results only.")]
NoCache = Annotated[
    bool,
    typer.Option("--no-cache", help="Neither use nor write what is kept beside the model, in model.ct.cache."),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        help="A Dask cluster to work on: tcp://host:8786, a scheduler file, or local:4 for four workers on this "
        "machine.",
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Replace files that already exist.")]


@dataclass(frozen=True)
class CorpusOptions:
    """Where the documents are, and how to read them."""

    corpus: Annotated[
        str,
        typer.Argument(
            help="A file or folder of dated texts, a quoted pattern such as 'docs-*.parquet' for several tables, - for "
            "standard input, a folder of counts written by --on-disk, or "
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
    id: Annotated[str | None, typer.Option(rich_help_panel=READING, help="Column of the documents' names.")] = None
    day_first: Annotated[
        bool | None,
        typer.Option("--day-first/--month-first", rich_help_panel=READING, help="Whether 03/04/1861 is in April."),
    ] = None
    century_start: Annotated[
        int | None, typer.Option(rich_help_panel=READING, help="First year of two-digit years; 1930 by default.")
    ] = None
    start: Annotated[
        str | None,
        typer.Option("--from", rich_help_panel=READING, help="Only documents from this date on, such as 1861."),
    ] = None
    end: Annotated[
        str | None,
        typer.Option("--to", rich_help_panel=READING, help="Only documents up to this date, all of it included."),
    ] = None
    rough_dates: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=READING,
            help='Dates such as "circa 1850" or "19th century": use them as spans of time (the default), or drop them.',
        ),
    ] = None
    allow_loss: Annotated[
        bool,
        typer.Option("--allow-loss", rich_help_panel=READING, help="Go on if more than half of the rows are lost."),
    ] = False
    limit: Annotated[
        int | None,
        typer.Option(min=1, rich_help_panel=READING, help="Number of documents to draw at random, if there are more."),
    ] = None
    format: Annotated[
        str | None,
        typer.Option(rich_help_panel=READING, help="csv, jsonl, parquet, excel, mbox, folder, zip or git."),
    ] = None
    encoding: Annotated[
        str | None, typer.Option(rich_help_panel=READING, help="Encoding of text files, such as utf-8.")
    ] = None
    delimiter: Annotated[
        str | None, typer.Option(rich_help_panel=READING, help="Delimiter of a table, one character.")
    ] = None
    table: Annotated[
        Path | None, typer.Option(rich_help_panel=READING, help="For a folder: the table of file names and dates.")
    ] = None
    sheet: Annotated[
        str | None,
        typer.Option(rich_help_panel=READING, help="Sheet of a spreadsheet; the first with rows by default."),
    ] = None
    follow_links: Annotated[
        bool | None,
        typer.Option("--follow-links", rich_help_panel=READING, help="For a folder: also follow links out of it."),
    ] = None
    max_ratio: Annotated[
        float | None,
        typer.Option(rich_help_panel=READING, help="How many times its size a file may decompress to; 200 by default."),
    ] = None

    @property
    def reading(self) -> dict[str, Any]:
        """The options of reading a file that were given, by the names that the readers have for them."""
        others = ("corpus", "allow_loss", *WINDOW)
        given = {name: value for name, value in vars(self).items() if name not in others and value not in (None, [])}
        return {
            name: value[0] if isinstance(value, list) and len(value) == 1 else value for name, value in given.items()
        }

    @property
    def window(self) -> dict[str, str]:
        """The first and the last date asked for, as far as they were given."""
        return {name: value for name in WINDOW if (value := getattr(self, name)) is not None}

    @property
    def files(self) -> dict[str, Path | None]:
        """What is read, by what it is called in messages."""
        read = None if self.corpus in (SOTU, STDIN, "") else Path(self.corpus).expanduser()
        return {"the corpus": read, "--table": self.table}

    @property
    def title(self) -> str:
        """A heading for a report."""
        named = {SOTU: "the State of the Union", STDIN: "standard input"}
        name = named.get(self.corpus) or Path(self.corpus).resolve().name
        return f"Topics of {name} over time"

    @property
    def command_line(self) -> str:
        """The corpus and its options as they are typed."""
        return " ".join(shlex.quote(part) for part in [self.corpus, *self._flags()])

    def _flags(self) -> Iterator[str]:
        for name, value in (self.reading | self.window).items():
            if name == "day_first":
                yield "--day-first" if value else "--month-first"
            elif name == "follow_links":
                yield flag(name)
            else:
                for each in value if isinstance(value, list) else [value]:
                    yield from (flag(name), str(each))


@dataclass(frozen=True)
class OptionalCorpusOptions(CorpusOptions):
    """The same if documents may not be needed; "" for none."""

    corpus: Annotated[
        str, typer.Argument(help="A file or folder of dated texts, if the question is about documents.")
    ] = ""


@dataclass(frozen=True)
class NamedCorpusOptions(CorpusOptions):
    """The same if the arguments are something else, such as several models; "" for no documents."""

    corpus: Annotated[
        str,
        typer.Option(
            "--corpus",
            rich_help_panel=READING,
            help=f"A file or folder of dated texts, or {SOTU!r}, if the figure is about documents.",
        ),
    ] = ""


@dataclass(frozen=True)
class WordOptions:
    """Which words and documents to keep; unset options have the defaults of `Preprocessing`."""

    stop_words: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=WORDS,
            help='One or several languages ("de, fr"), auto, none, or a file with one word per line; english by '
            "default.",
        ),
    ] = None
    tokenizer: Annotated[
        str | None, typer.Option(rich_help_panel=WORDS, help="words, or pairs of characters for Chinese and Japanese.")
    ] = None
    token_pattern: Annotated[str | None, typer.Option(rich_help_panel=WORDS, help="Regular expression of a word.")] = (
        None
    )
    lowercase: Annotated[
        bool | None, typer.Option("--lowercase/--keep-case", rich_help_panel=WORDS, help="Whether War is war.")
    ] = None
    lemmatize: Annotated[
        str | None, typer.Option(rich_help_panel=WORDS, help="Language to lemmatize in: wars becomes war.")
    ] = None
    phrases: Annotated[
        bool | None, typer.Option("--phrases", rich_help_panel=WORDS, help="Join words that form a phrase.")
    ] = None
    min_count: Annotated[
        int | None, typer.Option(min=1, rich_help_panel=WORDS, help="Minimum number of occurrences of a word.")
    ] = None
    min_documents: Annotated[
        int | None, typer.Option(min=1, rich_help_panel=WORDS, help="Minimum number of documents with a word.")
    ] = None
    max_document_share: Annotated[
        float | None, typer.Option(rich_help_panel=WORDS, help="Maximum share of the documents with a word.")
    ] = None
    max_vocabulary: Annotated[
        int | None,
        typer.Option(min=1, rich_help_panel=WORDS, help="Maximum size of the vocabulary; 10,000 by default."),
    ] = None
    min_document_words: Annotated[
        int | None, typer.Option(min=0, rich_help_panel=WORDS, help="Minimum number of words in a document.")
    ] = None
    duplicates: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=WORDS,
            help="Documents that repeat an earlier one, exactly or nearly: keep and count them (the default), drop "
            "them, or none to look for none.",
        ),
    ] = None

    def preprocessing(self) -> Preprocessing | None:
        """As the library has it; None if no option was given."""
        from chronotope.text.options import Preprocessing

        given: dict[str, Any] = {name: value for name, value in vars(self).items() if value is not None}
        if self.stop_words is not None:
            given["stop_words"] = _stop_words(self.stop_words)
        if self.duplicates == "none":
            given["duplicates"] = None
        return Preprocessing(**given) if given else None


def _stop_words(given: str) -> str | list[str] | None:
    """The words of a file, or what the library takes."""
    path = Path(given)
    if path.is_file():
        return [word for line in path.read_text(encoding="utf-8").splitlines() if (word := line.strip())]
    return None if given == "none" else given


@dataclass(frozen=True)
class ModelOptions:
    """The model and how it is fitted; unset options have the defaults of `DynamicTopicModel`."""

    n_topics: Annotated[int, typer.Option("--topics", min=1, rich_help_panel=MODEL, help="Number of topics.")] = 20
    kernel: KernelText = None
    learn_kernel: Annotated[
        bool | None, typer.Option("--learn-kernel/--no-learn-kernel", rich_help_panel=MODEL, help=LEARNING)
    ] = None
    alpha: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=MODEL,
            help='Dirichlet prior of a document\'s topics: few topics (0.01) or many (1), or "learn".',
        ),
    ] = None
    prevalence: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=MODEL,
            help='What the topic shares of documents follow: "constant + ou" over time, also "... + by(party)" or '
            '"... + linear(age)", columns of the corpus. Nothing by default.',
        ),
    ] = None
    groups: GroupsOption = None
    words_by: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=MODEL,
            help="Column of the corpus whose groups use words of their own: short for + by(ou, column) in the kernel.",
        ),
    ] = None
    place: PlaceOption = None
    n_cells: CellsOption = None
    shared: Annotated[
        float | None,
        typer.Option(
            rich_help_panel=MODEL,
            help="Part of the change that all topics share, from 0 (none) to below 1; a half by default, none with a "
            "kernel that is given in full and has no constant. With 0.75, "
            "topics keep more of their identity.",
        ),
    ] = None
    seed_words: Annotated[
        list[str] | None,
        typer.Option(
            rich_help_panel=MODEL,
            help='Words for a topic to start from, as "war, army"; may be given several times, once for each topic.',
        ),
    ] = None
    max_epochs: Annotated[
        int | None,
        typer.Option("--epochs", min=1, rich_help_panel=MODEL, help="Maximum number of passes over the documents."),
    ] = None
    batch_size: Annotated[int | None, typer.Option(min=1, rich_help_panel=MODEL, help="Documents in a minibatch.")] = (
        None
    )
    n_inducing: Annotated[
        int | None, typer.Option("--nodes", min=1, rich_help_panel=MODEL, help="Nodes of the time grid.")
    ] = None
    seed: Annotated[
        int, typer.Option(min=0, rich_help_panel=MODEL, help="Random seed; the same seed gives the same model.")
    ] = 0
    n_threads: Annotated[
        int | None, typer.Option("--threads", min=1, rich_help_panel=MODEL, help="Threads; all cores by default.")
    ] = None

    def model(self, quiet: bool) -> DynamicTopicModel:
        """The model, not fitted yet."""
        from chronotope.kernels import as_kernel
        from chronotope.model.estimator import DynamicTopicModel
        from chronotope.model.params import check_parameters

        given = {field.name: getattr(self, field.name) for field in fields(self)} | {"verbose": verbosity(quiet)}
        if (column := given.pop("words_by")) is not None:
            given["kernel"] = kernel_by(self.kernel, column)
        if self.alpha is not None and self.alpha != "learn":
            given["alpha"] = number_or_text(self.alpha)
        given["seed_words"] = [comma_separated(text) for text in self.seed_words or []] or None
        model = DynamicTopicModel(**{name: value for name, value in given.items() if value is not None})
        as_kernel(model.kernel)  # invalid parameters are refused before anything is read
        check_parameters(model.get_params(deep=False))
        return model


def kernel_by(kernel: str | None, column: str) -> str:
    """A kernel, the default if None, with what every group of a column has of its own."""
    from chronotope.kernels import By, OrnsteinUhlenbeck, as_kernel

    written = LONG_NAMES.get((kernel or "slow drift").lower(), kernel)
    return as_kernel(f"{written} + {By(OrnsteinUhlenbeck(), column).text}").text


def flag(name: str) -> str:
    """The option that sets a parameter."""
    return "--" + {"start": "from", "end": "to"}.get(name, name.replace("_", "-"))


def fit_options(
    topics: int | list[int], epochs: int | None, learn_kernel: bool | None, quiet: bool, **others: Any
) -> dict[str, Any]:
    """Parameters of models by name, without unset ones."""
    given = {"max_epochs": epochs, "learn_kernel": learn_kernel, "verbose": verbosity(quiet)} | others
    return {"n_topics": topics} | {key: value for key, value in given.items() if value is not None}
