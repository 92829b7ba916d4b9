"""Spreadsheets: .xlsx, .xls and .ods; one sheet is a table, whose first row that is not empty names the columns."""

from __future__ import annotations

import io
import os
import pickle
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple
from zipfile import BadZipFile, ZipFile

from chronotope.dates.columns import is_missing
from chronotope.readers import sheet_process
from chronotope.readers.open import ZIPPED, SizeLimit, decompressed
from chronotope.readers.rows import SPREADSHEET, Notes, Row, Rows, Source
from chronotope.readers.tables import column_names

Cells = list[Any]
_MEMORY = 2 * 2**30, 30  # bytes that reading any spreadsheet may take, and those for each of its own, decompressed


class Sheet(NamedTuple):
    """The name of a sheet, and its number of rows."""

    name: str
    height: int


def sheet_source(path: Path, sheet: str | None = None, max_ratio: float | None = None) -> Source:
    """The rows of one sheet, which is kept in memory; by default the first visible one that has rows."""
    sheets, filled = _read(path, sheet, max_ratio)
    notes = Notes()
    if sheet is None:
        _note_others(sheets, path.name, notes)
    else:
        _check_named(sheets, sheet, path.name)
    columns, header = _columns(filled)
    return Source(path.name, SPREADSHEET, partial(_rows, filled, columns, header), notes=notes)


def _read(path: Path, sheet: str | None, max_ratio: float | None) -> tuple[list[Sheet], list[tuple[int, Cells]]]:
    """All sheets, and the numbered rows that are not empty of the one wanted, read by a process of its own."""
    try:
        import python_calamine  # noqa: F401  # the process imports it
    except ImportError as error:
        raise ImportError('spreadsheets need python-calamine; pip install "chronotope[excel]".') from error
    try:
        data, size = _content(path, max_ratio)
    except (BadZipFile, NotImplementedError, UnicodeDecodeError) as error:
        raise _refusal(path, str(error)) from None
    most = _MEMORY[0] + _MEMORY[1] * size
    command = [sys.executable, "-P", sheet_process.__file__, str(most), *([] if sheet is None else [sheet])]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as answer:
        given.write(data)
        given.seek(0)
        ended = subprocess.run(command, stdin=given, stdout=answer, stderr=subprocess.DEVNULL, env=env, check=False)
        answer.seek(0)
        return _received(path, answer, ended.returncode)


def _received(path: Path, answer: IO[bytes], code: int) -> tuple[list[Sheet], list[tuple[int, Cells]]]:
    """What the process has answered; refused if that is an error, or not all because it ended before."""
    rows: list[tuple[int, Cells]] = []
    try:
        first = pickle.load(answer)
        part = first if isinstance(first, tuple) else pickle.load(answer)
        while isinstance(part, list):
            rows += [(number, filled) for number, cells in part if _is_filled(filled := list(map(_plain, cells)))]
            part = pickle.load(answer)
    except (EOFError, pickle.UnpicklingError):
        part = "", f"reading it needs too much memory, or ends the program that reads it, with code {code}"
    if isinstance(part, tuple):
        raise _refusal(path, part[1], part[0] == "PasswordError")
    return [Sheet(*sheet) for sheet in first], rows


def _is_filled(cells: Cells) -> bool:
    """Whether a row holds anything."""
    return any(cell is not None for cell in cells)


def _refusal(path: Path, why: str, locked: bool = False) -> ValueError:
    what = "is protected by a password" if locked else "is not a spreadsheet or is damaged"
    return ValueError(f"{path.name} {what} ({why}); save it again, or export it as CSV.")


def _content(path: Path, max_ratio: float | None) -> tuple[bytes, int]:
    """The bytes of the file, and how many it holds; .xlsx and .ods are zip archives, refused if that is too much."""
    data = path.read_bytes()
    if not data.startswith(ZIPPED):
        with decompressed(path, max_ratio) as file:
            data = file.read()
    size = len(data)
    if data.startswith(ZIPPED):
        with ZipFile(io.BytesIO(data)) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
            SizeLimit.of(path, max_ratio).check(size)
    return data, size


def _check_named(sheets: list[Sheet], name: str, file: str) -> None:
    """The sheet of that name must exist and have rows."""
    found = next((sheet for sheet in sheets if sheet.name == name), None)
    if found is None:
        names = ", ".join(repr(sheet.name) for sheet in sheets)
        raise ValueError(f"{file} has no sheet {name!r}; it has {names}.")
    if not found.height:
        raise ValueError(f"the sheet {name!r} of {file} is empty; expected a table with a header.")


def _note_others(sheets: list[Sheet], file: str, notes: Notes) -> None:
    """A note says which sheet is read, the first that has rows, if others have rows too."""
    filled = [sheet for sheet in sheets if sheet.height]
    if not filled:
        raise ValueError(f"{file} is empty; expected a sheet with a header and one row per document.")
    if len(filled) > 1:
        others = ", ".join(repr(sheet.name) for sheet in filled[1:4]) + ", ..." * (len(filled) > 4)
        notes.say(f"the sheet {filled[0].name!r} was read, not {others}; choose another with sheet=")


def _columns(rows: list[tuple[int, Cells]]) -> tuple[dict[int, str], int]:
    """Names of the columns that hold anything, by their positions, and the number of the row that names them."""
    if not rows:
        return {}, 0
    at, header = rows[0]
    used = {position for _, cells in rows for position, cell in enumerate(cells) if cell is not None}
    widest = max(used) + 1
    header = [*header, *[None] * (widest - len(header))]
    names = column_names(["" if cell is None else str(cell) for cell in header])
    return {position: name for position, name in enumerate(names) if position in used}, at


def _rows(rows: list[tuple[int, Cells]], columns: dict[int, str], header: int) -> Rows:
    for number, cells in rows:
        if number > header:
            fields = {name: cells[position] if position < len(cells) else None for position, name in columns.items()}
            yield Row(f"row {number}", fields)


def _plain(value: Any) -> Any:
    """The value of a cell: None if it is blank, a whole number without a fraction."""
    if is_missing(value):
        return None
    return int(value) if isinstance(value, float) and value.is_integer() else value
