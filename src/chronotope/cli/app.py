"""The program: what all commands share."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from chronotope._version import __version__

app = typer.Typer(
    help="Dynamic topic models with Gaussian process priors: how did what people write about change over time?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
)


def main() -> None:
    """Entry point of the command `chronotope`."""
    app()


@contextmanager
def sentences() -> Iterator[None]:
    """Errors a user can mend, as a sentence on stderr and exit code 2; warnings of ours as sentences too."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = lambda message, *place: typer.echo(f"chronotope: {message}", err=True)
        try:
            yield
        except BrokenPipeError:
            raise
        except (ValueError, OSError, ImportError, MemoryError) as error:
            typer.echo(f"chronotope: {error}", err=True)
            raise typer.Exit(2) from None


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
