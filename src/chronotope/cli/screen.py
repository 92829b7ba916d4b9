"""What is said on the way, on stderr: nothing if quiet, one line a matter if nobody is watching."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer


def note(text: str, quiet: bool) -> None:
    """Say something."""
    if not quiet:
        typer.echo(text, err=True)


@contextmanager
def working(text: str, quiet: bool) -> Iterator[None]:
    """Say what is being done, with a sign of life while it is."""
    if quiet or not sys.stderr.isatty():
        note(text, quiet)
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(text):
        yield
