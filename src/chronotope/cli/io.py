"""Files that commands read and write: a saved model with documents for it, tables and pictures."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chronotope.cli import options as inputs
from chronotope.cli.output import note

if TYPE_CHECKING:
    import pandas as pd

    from chronotope.corpus.align import Prepared
    from chronotope.model.estimator import DynamicTopicModel

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
    from chronotope.analysis import write_table

    write_table(table, path)
    note(f"Written: {path}, {len(table):,} rows", quiet)
    return [str(path)]


def read_for(model: DynamicTopicModel, source: inputs.Source, *, keep_texts: bool = False, quiet: bool) -> Prepared:
    """The documents of a source, prepared as the model's own were; words it does not know are counted and said."""
    from chronotope.corpus.align import preparation, prepare
    from chronotope.readers.dispatch import holds_ready_counts

    vocabulary = model.topics_.vocabulary
    ready = holds_ready_counts(Path(source.corpus))
    options = None if ready else preparation(model.preprocessing_, vocabulary)
    found = inputs.read(source, options, keep_texts=keep_texts, quiet=quiet)
    if not ready and model.preprocessing_ is None:
        note("  the model was made of ready counts; its words are taken to be runs of three or more letters", quiet)
    prepared = prepare(found, vocabulary)
    note(f"  {prepared.known_share:.0%} of the tokens are words of the model", quiet)
    return prepared
