"""Files that commands write: refused before the work if they cannot be written or would replace something."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chronotope.cli.screen import note

if TYPE_CHECKING:
    import pandas as pd

TABLES = (".csv", ".parquet")

TableOut = Annotated[Path | None, typer.Option(help="Write the table to this file, .csv or .parquet.")]


def check_output(path: Path | None, force: bool) -> None:
    """Refuse a file that cannot be written, or that is there already and must not be replaced."""
    if path is None:
        return
    folder = path.parent
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder {str(folder)!r} to write in; make it first.")
    if path.is_dir():
        raise ValueError(f"{str(path)!r} is a folder; give the name of a file in it.")
    if path.exists() and not force:
        raise ValueError(f"{str(path)!r} is there already; pass --force to replace it, or another name.")
    if not os.access(folder, os.W_OK):
        raise PermissionError(f"cannot write in the folder {str(folder)!r}; choose another.")


def check_table(path: Path | None, force: bool) -> None:
    """The same for a table, whose ending says what kind it is."""
    if path is not None and path.suffix.lower() not in TABLES:
        raise ValueError(f"{str(path)!r} does not end in {' or '.join(TABLES)}, the tables that can be written.")
    check_output(path, force)


def write(table: pd.DataFrame, path: Path | None, quiet: bool) -> list[str]:
    """Write a table if there is a file for it, and say so; returns the names of the files written."""
    if path is None:
        return []
    from chronotope.answers import write_table

    write_table(table, path)
    note(f"Written: {path}, {len(table):,} rows", quiet)
    return [str(path)]
