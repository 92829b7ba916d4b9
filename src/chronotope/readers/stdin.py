"""Standard input as a source: sources are read several times, so it is copied to a file first."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from chronotope.readers.temporary import temporary_folder

STDIN = "-"  # the source that means standard input


def copy_of_stdin() -> Path:
    """A temporary file with the content of standard input, removed at exit; refused if there is nothing to read."""
    if sys.stdin is None or sys.stdin.isatty():
        raise ValueError(
            "the source is '-', standard input, but nothing is piped into it; pass a path, or pipe a table: "
            "chronotope fit - < texts.csv."
        )
    path = temporary_folder() / "standard input"
    with path.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    if not path.stat().st_size:
        raise ValueError(
            "standard input is empty; expected a table (CSV) or JSON, with one row or object per document."
        )
    return path
