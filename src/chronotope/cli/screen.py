"""What is said: results on stdout, as text or as JSON; notes and progress on stderr, nothing of them if quiet."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import typer


def note(text: str, quiet: bool) -> None:
    """Say something on the way."""
    if not quiet:
        typer.echo(shown(text), err=True)


def answer(text: str, facts: Mapping[str, Any], as_json: bool) -> None:
    """The result of a command: the text, nothing if it is empty, or the facts as one JSON document."""
    if as_json or text:
        typer.echo(json_text(facts) if as_json else shown(text))


def json_text(facts: Mapping[str, Any]) -> str:
    """Facts as JSON; null where a number is not defined, tables as a list of rows."""
    unicode = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "") == "utf8"
    return json.dumps(_plain(facts), indent=1, ensure_ascii=not unicode, allow_nan=False)


def shown(text: str) -> str:
    """Text without what would steer a terminal: whatever stood in a file, it is only shown."""
    return "".join(letter if letter.isprintable() or letter in "\n\t" else "\ufffd" for letter in text)


def progress(quiet: bool) -> bool | None:
    """What the library is told about bars: none if quiet, else where somebody is watching."""
    return False if quiet else None


@contextmanager
def working(text: str, quiet: bool) -> Iterator[None]:
    """Say what is being done, with a sign of life while it is."""
    if quiet or not sys.stderr.isatty():
        note(text, quiet)
        yield
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status(escape(shown(text))):
        yield


def _plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if hasattr(value, "to_dict"):
        return [_plain(row) for row in value.to_dict("records")]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)
