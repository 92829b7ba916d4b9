"""A table beside text files that names them and gives their dates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from chronotope.readers.columns import choose_columns, plain_name
from chronotope.readers.delimited import delimited
from chronotope.readers.json_lines import json_lines
from chronotope.readers.rows import Notes, Row

_FILE_COLUMNS = ("filename", "file_name", "file", "path", "name", "document", "doc", "id")
_ENDINGS = (".csv", ".tsv", ".jsonl")


class FileTable:
    """What a table says of files, found by path, by name, or by name without the ending."""

    def __init__(self, path: Path) -> None:
        self.path = path
        source = json_lines(path) if path.suffix == ".jsonl" else delimited(path)
        rows = [row.fields for row in source.rows() if isinstance(row, Row)]
        columns = {plain_name(column): column for row in rows for column in row}
        file = next((columns[key] for key in _FILE_COLUMNS if key in columns), None)
        if file is None:
            raise ValueError(f"{path.name} has no column of file names; call it 'filename'.")
        time = choose_columns(rows, {}, {"text": file, "id": file}, path.name, Notes())["time"]
        self.rows = {
            str(row[file]).removeprefix("./"): {
                "time" if column == time else column: value for column, value in row.items()
            }
            for row in rows
        }
        for fields in self.rows.values():
            del fields[file]

    def fields_of(self, name: str) -> Mapping[str, Any]:
        """The row of a file, its date under `time`; empty if the table does not name it."""
        return next((self.rows[key] for key in _keys(name) if key in self.rows), {})

    def count_missing(self, names: Iterable[str]) -> int:
        """How many rows belong to none of the files."""
        known = {key for name in names for key in _keys(name)}
        return sum(key not in known for key in self.rows)


def find_table(folder: Path, given: Path | None, names: list[str], notes: Notes) -> FileTable | None:
    """The table given, or metadata.csv (.tsv, .jsonl) in or beside the folder if it names any of the files."""
    if given is not None:
        return _checked(FileTable(given), names, notes)
    here = folder.absolute()
    stems = (here / "metadata", here.parent / "metadata", here)
    for path in (stem.with_name(stem.name + ending) for stem in stems for ending in _ENDINGS):
        if path.is_file():
            try:
                return _checked(FileTable(path), names, notes)
            except ValueError as error:
                notes.say(f"{path.name} was not used for the dates: {error}")
    return None


def _checked(table: FileTable, names: list[str], notes: Notes) -> FileTable:
    """The table, if it names any of the files; what it names in vain is said."""
    missing = table.count_missing(names)
    if missing == len(table.rows):
        raise ValueError(f"it names none of the {len(names):,} files.")
    notes.say(f"dates are taken from {table.path.name} where it names the file")
    if missing:
        notes.say(f"{missing:,} of the {len(table.rows):,} files named in {table.path.name} are not in the folder")
    return table


def _keys(name: str) -> tuple[str, ...]:
    """What a table may call a file: letters/a.txt, a.txt, letters/a or a."""
    path = PurePosixPath(name)
    return name, path.name, str(path.with_suffix("")), path.stem
