"""The command line. Heavy modules are imported inside the commands, so that --help is quick."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
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
    """Errors a user can mend, as a sentence on stderr and exit code 2."""
    try:
        yield
    except BrokenPipeError:
        raise
    except (ValueError, OSError, ImportError) as error:
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


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Folder for the results; made if need be.")] = Path("demo"),
    topics: Annotated[int, typer.Option(min=1, help="Number of topics.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same results.")] = 0,
    quick: Annotated[bool, typer.Option("--quick", help="A rough fit in seconds, for a first look.")] = False,
) -> None:
    """Fit the State of the Union addresses since 1790 under three priors, and draw how the words of war changed."""
    with sentences():
        from chronotope.demo import run

        run(out, topics, seed, quick)


@app.command()
def info(model: Annotated[Path, typer.Argument(help="A model file, as model.save() writes it.")]) -> None:
    """Say what a saved model is."""
    with sentences():
        from chronotope.describe import describe_model, file_version
        from chronotope.io import load

        facts = describe_model(load(model)) | {"written by": f"Chronotope {file_version(model)}"}
    for name, fact in facts.items():
        typer.echo(f"{name:<12}{fact}")
