"""The program: what all commands share."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from chronotope._version import __version__
from chronotope.cli.output import shown

HELP = """Dynamic topic models with Gaussian process priors: how did what people write about change over time?

From a table of dated texts to a report that opens in a browser, in one command:

```
chronotope fit texts.csv --topics 20 --out model.ct --report report.html
```

With --dry-run it only says what would be done, and how much memory and time that takes. Then ask the model:

```
chronotope topics model.ct              words of every topic, then and now
chronotope events model.ct texts.csv    when something happened
chronotope forecast model.ct            what comes next, and how sure
chronotope infer model.ct new.csv       topics of new documents
```

Every command explains itself with --help, prints one JSON document with --json, and nothing but its result with
--quiet. Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.
"""
OPTIONS = {  # how sentences of the library name parameters, and what they are called here
    "day_first=True or day_first=False": "--day-first or --month-first",
    r"(text|time|id|format|encoding|delimiter|table)=": r"--\1",
    r"stop_words=": "--stop-words ",
    r"century_start=": "--century-start",
    r"fit\(\.\.\., resume=True\)": "--resume",
    r"n_inducing=(\d+)": r"--nodes \1",
}
USAGE, FAILED, INTERRUPTED = 2, 1, 130

app = typer.Typer(
    help=HELP,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
    rich_markup_mode="markdown",
)


def main() -> None:
    """Entry point of the command `chronotope`."""
    app()


@contextmanager
def sentences() -> Iterator[None]:
    """Errors a user can mend, as a sentence on stderr and an exit code; warnings of ours as sentences too."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = lambda message, *place: _say(message)
        try:
            yield
        except BrokenPipeError:
            raise
        except KeyboardInterrupt as stopped:
            _say(str(stopped) or "stopped.")
            raise typer.Exit(INTERRUPTED) from None
        except (ValueError, FileNotFoundError, ImportError) as error:
            _say(error)
            raise typer.Exit(USAGE) from None
        except (OSError, MemoryError) as error:
            _say(str(error) or "the memory does not suffice; see what is needed with --dry-run.")
            raise typer.Exit(FAILED) from None


def _say(what: object) -> None:
    sentence = str(what)
    for written, option in OPTIONS.items():
        sentence = re.sub(rf"(?<![\w(]){written}", option, sentence)
    typer.echo(shown(f"chronotope: {sentence}"), err=True)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"chronotope {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Options of all commands."""
