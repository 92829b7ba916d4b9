"""Many tables as one: those of a folder, of an archive, of a pattern or of a list, one after another."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from chronotope.readers.arrow import parquet_source
from chronotope.readers.folder import METADATA, TEXT_ENDINGS, file_ending, folder_source, readable_files, shown_name
from chronotope.readers.json import json_source
from chronotope.readers.rows import Notes, Row, Rows, Shard, Source
from chronotope.readers.tables import csv_source

TABLE_READERS: dict[str, tuple[Callable[..., Source], frozenset[str]]] = {
    "csv": (csv_source, frozenset({"encoding", "delimiter", "max_ratio"})),
    "jsonl": (json_source, frozenset({"encoding", "max_ratio"})),
    "parquet": (parquet_source, frozenset({"max_ratio"})),
}
TABLE_ENDINGS = {".csv": "csv", ".tsv": "csv", ".tab": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl"}
TABLE_ENDINGS |= {".parquet": "parquet", ".pq": "parquet"}
_ABOUT = frozenset({"readme", "license", "licence", "copying", "changelog", "citation"})  # files about the others


class TableFile(NamedTuple):
    """A file that holds a table: its path, its format ("csv", "jsonl" or "parquet"), and its name in messages."""

    path: Path
    kind: str
    name: str


def tables_among(files: Iterable[Path], folder: Path) -> list[TableFile]:
    """The tables among the files of a folder, in order of their paths; none if there are more texts than tables."""
    listed = sorted(files)
    tables = [file for file in listed if file_ending(file) in TABLE_ENDINGS and file.stem != METADATA]
    if len(tables) < len(texts_among(listed)):
        return []
    return [TableFile(file, TABLE_ENDINGS[file_ending(file)], shown_name(file.relative_to(folder))) for file in tables]


def texts_among(files: Iterable[Path]) -> list[Path]:
    """The texts among files, without those that are about the others, such as README."""
    return [file for file in files if file_ending(file) in TEXT_ENDINGS and file.stem.lower() not in _ABOUT]


def listed_tables(paths: Sequence[Path], kind_of: Callable[[Path], str]) -> list[TableFile]:
    """Files as tables, in their order, called by their paths below the folder that holds all of them.

    kind_of : gives the format of a file
    """
    top = os.path.commonpath([path.parent for path in paths])
    return [TableFile(path, _table_kind(path, kind_of(path)), shown_name(path.relative_to(top))) for path in paths]


def _table_kind(path: Path, kind: str) -> str:
    if kind not in TABLE_READERS:
        raise ValueError(
            f"{path.name} is read as {kind}; expected a table (CSV, JSON lines or Parquet) in a pattern or a list of "
            "several files. Pass it by itself, or texts as a folder."
        )
    return kind


def is_pattern(source: Any) -> bool:
    """Whether a source is a pattern of paths, such as "docs-*.parquet", and not the path of a file."""
    if not isinstance(source, str | os.PathLike):
        return False
    return glob.has_magic(os.fspath(source)) and not Path(source).expanduser().exists()


def are_many_tables(source: str) -> bool:
    """Whether a path is a folder or a pattern of several tables, which the workers of a cluster can read."""
    if is_pattern(source):
        return len(matching_files(source)) > 1
    path = Path(source).expanduser()
    return path.is_dir() and len(folder_tables(path)[0]) > 1


def matching_files(pattern: str | os.PathLike[str]) -> list[Path]:
    """The files that match a pattern, in order of their paths; ** means any folders."""
    names = glob.glob(os.path.expanduser(os.fspath(pattern)), recursive=True)
    found = sorted(path for name in names if (path := Path(name).absolute()).is_file())
    if not found:
        raise FileNotFoundError(
            f"no file matches the pattern {os.fspath(pattern)!r}; expected one of tables, such as 'docs-*.parquet'. "
            "Check the path."
        )
    return found


def folder_of_texts_or_tables(
    path: Path,
    encoding: str | None = None,
    delimiter: str | None = None,
    table: Path | None = None,
    follow_links: bool = False,
    max_ratio: float | None = None,
) -> Source:
    """The tables of a folder as one, or its texts if these are more, or if a table says their dates."""
    tables, notes = folder_tables(path, follow_links) if table is None else ([], Notes())
    if not tables:
        refuse_options(f"the texts in {path.name}", delimiter=delimiter, max_ratio=max_ratio)
        return folder_source(path, encoding, table, follow_links=follow_links)
    options = {"encoding": encoding, "delimiter": delimiter, "max_ratio": max_ratio}
    return tables_source(path.name, "folder of ", tables, options, notes)


def folder_tables(path: Path, follow_links: bool = False) -> tuple[list[TableFile], Notes]:
    """The tables of a folder, none if it is one of texts, and what is noted of other files."""
    notes = Notes()
    files, left_out = readable_files(path, follow_links)
    tables = tables_among(files, path)
    if tables and left_out:
        notes.say(f"{path.name}: {left_out:,} links out of it were not followed; follow them with follow_links=True")
    note_others(path.name, files, tables, notes)
    return tables, notes


def note_others(name: str, files: Iterable[Path], tables: Sequence[TableFile], notes: Notes) -> None:
    """Name the files that are not among the tables in a note."""
    read = {table.path for table in tables}
    others = [file.name for file in files if file not in read]
    if tables and others:
        shown = ", ".join(others[:3]) + ", ..." * (len(others) > 3)
        notes.say(f"{len(others):,} other file{'s' * (len(others) > 1)} in {name} skipped ({shown})")


def refuse_options(what: str, **options: object) -> None:
    """Refuse options that were given but do not apply to what is read."""
    for option, value in options.items():
        if value is not None:
            raise ValueError(f"{option} does not apply to {what}; do not pass it.")


def tables_source(
    name: str,
    held_by: str,
    files: Sequence[TableFile],
    options: Mapping[str, Any],
    notes: Notes,
    advice: str = "pass those that have, as a list or a pattern",
) -> Source:
    """The rows of tables with the same columns, one table after another; a place names its file.

    held_by : "folder of " or the like;  options : of the readers, each takes those that it knows
    advice : what to do if columns differ
    """
    shards = tuple(_shard(file, options) for file in files)
    _check_columns(name, files, shards, advice)
    kind = f"{held_by}{len(files):,} table{'s' * (len(files) > 1)}"
    return Source(name, kind, partial(_rows, shards, notes), notes=notes, shards=shards)


def _shard(file: TableFile, options: Mapping[str, Any]) -> Shard:
    reader, accepted = TABLE_READERS[file.kind]
    given = {option: value for option, value in options.items() if option in accepted and value is not None}
    return Shard(file.name, partial(reader, file.path, **given))


def _check_columns(name: str, files: Sequence[TableFile], shards: Sequence[Shard], advice: str) -> None:
    """Refuse tables that do not have the same columns; those without rows have none, JSON objects may omit some."""
    first, known = "", set[str]()
    for file, shard in zip(files, shards, strict=True):
        source = shard.open()
        columns = set[str]() if file.kind == "jsonl" else _columns(source)
        if columns and not known:
            first, known = file.name, columns
        if columns and columns != known:
            differing = ", ".join(repr(column) for column in sorted(columns ^ known)[:5])
            raise ValueError(
                f"the tables in {name} do not have the same columns: {first} and {file.name} differ in {differing}; "
                f"{advice}."
            )


def _columns(source: Source) -> set[str]:
    """The columns of a table, or of its first row."""
    if source.columns:
        return set(source.columns)
    with closing(source.rows()) as rows:
        row = next((row for row in rows if isinstance(row, Row)), None)
    return set() if row is None else set(row.fields)


def _rows(shards: Sequence[Shard], notes: Notes) -> Rows:
    for shard in shards:
        yield from shard.rows(notes)
