"""The program: its help, its error messages and exit codes, and how a command's options are declared."""

from __future__ import annotations

import inspect
import io
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import MISSING, fields, is_dataclass
from typing import Annotated, Any, get_type_hints

import typer

from chronotope._version import __version__
from chronotope.cli.output import in_options, shown

HELP = """Dynamic topic models with Gaussian process priors: how did what people write about change over time?

From a table of dated texts to a report that opens in a browser, in one command:

```
chronotope fit texts.csv --topics 20 --out model.ct --report report.html
```

With --dry-run it only prints what a fit would do, and the memory and time it would take. Then ask the model:

```
chronotope topics model.ct              words of every topic, at the start and at the end
chronotope events model.ct texts.csv    when something happened
chronotope forecast model.ct            what comes next, and how sure
chronotope infer model.ct new.csv       topics of new documents
chronotope date model.ct undated.csv    when texts were written
```

Every command explains itself with --help, prints one JSON document with --json, and nothing but its result with
--quiet. Exit codes: 0 success, 1 failure, 2 wrong usage, 130 interrupted.
"""
LONGEST = 200  # characters of a path in a message
USAGE, FAILED, INTERRUPTED = 2, 1, 130  # exit codes

app = typer.Typer(
    help=HELP,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
    rich_markup_mode="markdown",
)


def main() -> None:
    """Entry point of the command `chronotope`; what the encoding of a stream does not have is replaced."""
    if None in (sys.stdout, sys.stderr):  # closed
        nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # until the process ends
        sys.stdout, sys.stderr = (stream or nowhere for stream in (sys.stdout, sys.stderr))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        with printing():
            app()
    except typer.Exit as ended:
        sys.exit(ended.exit_code)


@contextmanager
def printing() -> Iterator[None]:
    """Turn what printing on a full disk or into a closed pipe raises into a sentence and an exit code."""
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        _print_nowhere()
        closed = isinstance(error, BrokenPipeError)
        why = "the program that reads it has ended" if closed else error.strerror or error
        _say(f"the output could not be written to the end: {why}.")
        raise typer.Exit(FAILED) from None


def _print_nowhere() -> None:
    """Discard what is still to be printed, which Python would try again at its end."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def sentences() -> Iterator[None]:
    """Turn expected errors into a sentence on stderr and an exit code, and warnings into sentences."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = lambda message, *place: _say(message)
        try:
            yield
        except BrokenPipeError:
            raise
        except KeyboardInterrupt as stopped:
            _say(str(stopped) or "interrupted.")
            raise typer.Exit(INTERRUPTED) from None
        except (ValueError, FileNotFoundError, ImportError) as error:
            _say(_sentence(error))
            raise typer.Exit(USAGE) from None
        except (OSError, MemoryError) as error:
            _say(_sentence(error) or "there is not enough memory; --dry-run prints how much is needed.")
            raise typer.Exit(FAILED) from None


def _sentence(error: Exception) -> str:
    """What an error says, of one of the operating system without its number."""
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{str(error.filename)[:LONGEST]}: {error.strerror.lower()}."
    return str(error)


def _say(message: object) -> None:
    with suppress(OSError):  # stderr may be full or closed too
        typer.echo(shown(f"chronotope: {in_options(str(message))}"), err=True)


def bundled(command: Callable[..., None]) -> Callable[..., None]:
    """The command for typer: an argument that is a dataclass becomes one option for each of its fields."""
    hints = get_type_hints(command, include_extras=True)
    bundles: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        if parameter.name in bundles:
            parameters += _parameters(bundles[parameter.name])
        else:
            parameters.append(parameter.replace(annotation=hints[parameter.name], kind=parameter.KEYWORD_ONLY))

    def run(**given: Any) -> None:
        for name, kind in bundles.items():
            given[name] = kind(**{field.name: given.pop(field.name) for field in fields(kind)})
        with printing():
            command(**given)

    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {}
    return run


def _parameters(kind: Any) -> list[inspect.Parameter]:
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


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"chronotope {__version__}")
        raise typer.Exit


@app.callback()
def program(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Options of the program itself."""
