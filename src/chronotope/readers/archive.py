"""Zip archives of several files: texts are read as in a folder, tables with the same columns as one table."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from chronotope.readers.folder import METADATA, TEXT_ENDINGS, date_in_name, file_ending, folder_source
from chronotope.readers.json import json_source
from chronotope.readers.open import ZIPPED, SizeLimit, is_office, refuse_locked, visible_files, zip_errors
from chronotope.readers.rows import Notes, Row, Rows, Source
from chronotope.readers.tables import csv_source
from chronotope.readers.temporary import temporary_folder

_DELIMITED = frozenset({".csv", ".tsv", ".tab"})
_TABLES = _DELIMITED | {".jsonl", ".ndjson", ".json"}
_ABOUT = frozenset({"readme", "license", "licence", "copying", "changelog", "citation"})  # files about the others


def holds_many(path: Path) -> bool:
    """Whether a file is a zip archive of several files, and not a document of an Office program."""
    with path.open("rb") as file:
        if file.read(len(ZIPPED)) != ZIPPED:
            return False
    try:
        with ZipFile(path) as archive:
            return len(visible_files(archive)) > 1 and not is_office(archive)
    except (BadZipFile, NotImplementedError, UnicodeDecodeError):  # refused with a sentence when it is opened
        return False


def archive_source(
    path: Path,
    encoding: str | None = None,
    delimiter: str | None = None,
    table: Path | None = None,
    max_ratio: float | None = None,
) -> Source:
    """The texts or the tables of an archive, which is extracted to a temporary folder."""
    folder = _extracted(path, max_ratio)
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    tables = [file for file in files if file_ending(file) in _TABLES and file.stem != METADATA]
    texts = [file for file in files if file_ending(file) in TEXT_ENDINGS and file.stem.lower() not in _ABOUT]
    if tables and len(tables) >= len(texts):
        _refuse("table", table, f"the tables in {path.name}")
        return _tables_source(path.name, folder, files, tables, encoding, delimiter)
    if not texts:
        shown = ", ".join(file.name for file in files[:3]) + ", ..." * (len(files) > 3)
        raise ValueError(
            f"{path.name} holds {len(files):,} files ({shown}), neither texts (.txt, .md) nor tables (.csv, .jsonl); "
            "extract it and pass one of them."
        )
    _refuse("delimiter", delimiter, f"the texts in {path.name}")
    source = folder_source(folder, encoding, table)  # of files: extracting makes no links
    return replace(source, name=path.name, kind=f"archive of {len(texts):,} texts")


def _extracted(path: Path, max_ratio: float | None) -> Path:
    """The folder with the files of an archive; if all are in one folder without a date in its name, that."""
    folder = temporary_folder() / path.name
    with zip_errors(path.name), ZipFile(path) as archive:
        files = visible_files(archive)
        refuse_locked(files, path.name)
        SizeLimit.of(path, max_ratio).check(sum(entry.file_size for entry in files))
        try:
            for entry in files:
                archive.extract(entry, folder)
        except OSError as error:
            raise ValueError(f"{path.name} cannot be extracted ({error.strerror or error}): check its names.") from None
    while len(inside := list(folder.iterdir())) == 1 and inside[0].is_dir() and not date_in_name(inside[0].name):
        folder = inside[0]
    return folder


def _refuse(option: str, value: object, what: str) -> None:
    if value is not None:
        raise ValueError(f"{option} does not apply to {what}; do not pass it.")


def _tables_source(
    name: str, folder: Path, files: list[Path], tables: list[Path], encoding: str | None, delimiter: str | None
) -> Source:
    """The rows of all tables, one after the other; other files are named in a note."""
    notes = Notes()
    sources: dict[str, Source] = {}
    for file in tables:
        is_delimited = file_ending(file) in _DELIMITED
        source = csv_source(file, encoding, delimiter) if is_delimited else json_source(file, encoding)
        sources[file.relative_to(folder).as_posix()] = source
    _check_columns(name, {table: source for table, source in sources.items() if file_ending(Path(table)) in _DELIMITED})
    others = [file.name for file in files if file not in tables]
    if others:
        shown = ", ".join(others[:3]) + ", ..." * (len(others) > 3)
        notes.say(f"{len(others):,} other file{'s' * (len(others) > 1)} in {name} skipped ({shown})")
    kind = f"archive of {len(tables):,} table{'s' * (len(tables) > 1)}"
    return Source(name, kind, partial(_rows, sources, notes), notes=notes)


def _check_columns(name: str, sources: dict[str, Source]) -> None:
    """Refuse tables that do not have the same columns; those without rows have none."""
    known: dict[str, set[str]] = {}
    for table, source in sources.items():
        with closing(source.rows()) as rows:
            row = next((row for row in rows if isinstance(row, Row)), None)
        if row is not None:
            known[table] = set(row.fields)
    first = next(iter(known), "")
    for table, columns in known.items():
        if columns != known[first]:
            differing = ", ".join(repr(column) for column in sorted(columns ^ known[first])[:5])
            raise ValueError(
                f"the tables in {name} do not have the same columns: {first} and {table} differ in {differing}; "
                "extract it and pass one of them."
            )


def _rows(sources: dict[str, Source], notes: Notes) -> Rows:
    for table, source in sources.items():
        with closing(source.rows()) as rows:
            for row in rows:
                yield row._replace(place=f"{table}, {row.place}")
        for note in source.notes:
            notes.say(note)
