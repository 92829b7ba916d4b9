"""Spreadsheets: .xlsx, .xls and .ods; one sheet is a table, whose first row that is not empty names the columns."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from chronotope.dates.columns import is_missing
from chronotope.readers.open import ZIPPED, SizeLimit, decompressed
from chronotope.readers.rows import SPREADSHEET, Notes, Row, Rows, Source
from chronotope.readers.tables import column_names

Cells = list[Any]


def sheet_source(path: Path, sheet: str | None = None, max_ratio: float | None = None) -> Source:
    """The rows of one sheet, which is kept in memory; by default the first visible one that has rows."""
    with _refusing(path):
        sheets = _sheets(path, max_ratio)
    notes = Notes()
    chosen = _named(sheets, sheet, path.name) if sheet is not None else _first(sheets, path.name, notes)
    with _refusing(path):
        columns, header = _columns(chosen)
    return Source(path.name, SPREADSHEET, partial(_rows, chosen, columns, header), notes=notes)


def _sheets(path: Path, max_ratio: float | None) -> list[Any]:
    """The worksheets as python-calamine has them, visible ones first."""
    try:
        from python_calamine import CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum
    except ImportError as error:
        raise ImportError('spreadsheets need python-calamine; pip install "chronotope[excel]".') from error
    book = CalamineWorkbook.from_filelike(io.BytesIO(_content(path, max_ratio)))
    worksheets = [entry for entry in book.sheets_metadata if entry.typ == SheetTypeEnum.WorkSheet]
    worksheets.sort(key=lambda entry: entry.visible != SheetVisibleEnum.Visible)
    return [book.get_sheet_by_name(entry.name) for entry in worksheets]


def _content(path: Path, max_ratio: float | None) -> bytes:
    """The bytes of the file; .xlsx and .ods are zip archives themselves, refused if they hold too much."""
    data = path.read_bytes()
    if not data.startswith(ZIPPED):
        with decompressed(path, max_ratio) as file:
            data = file.read()
    if data.startswith(ZIPPED):
        with ZipFile(io.BytesIO(data)) as archive:
            SizeLimit.of(path, max_ratio).check(sum(entry.file_size for entry in archive.infolist()))
    return data


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    """Turn what python-calamine raises, its panics included, into one sentence."""
    try:
        yield
    except (OSError, ValueError, ImportError):
        raise
    except BaseException as error:
        if not _is_about_the_file(error):
            raise
        locked = type(error).__name__ == "PasswordError"
        what = "is protected by a password" if locked else "is not a spreadsheet or is damaged"
        raise ValueError(f"{path.name} {what} ({error}); save it again, or export it as CSV.") from None


def _is_about_the_file(error: BaseException) -> bool:
    """Whether the file is to blame; a panic of python-calamine is not an `Exception`, and has no name to import."""
    kind = type(error)
    is_zip_error = isinstance(error, BadZipFile | NotImplementedError)
    return is_zip_error or kind.__module__ == "python_calamine" or kind.__name__ == "PanicException"


def _named(sheets: list[Any], name: str, file: str) -> Any:
    """The sheet of that name, which must have rows."""
    found = next((sheet for sheet in sheets if sheet.name == name), None)
    if found is None:
        names = ", ".join(repr(sheet.name) for sheet in sheets)
        raise ValueError(f"{file} has no sheet {name!r}; it has {names}.")
    if not found.height:
        raise ValueError(f"the sheet {name!r} of {file} is empty; expected a table with a header.")
    return found


def _first(sheets: list[Any], file: str, notes: Notes) -> Any:
    """The first sheet that has rows; a note says which if others have rows too."""
    filled = [sheet for sheet in sheets if sheet.height]
    if not filled:
        raise ValueError(f"{file} is empty; expected a sheet with a header and one row per document.")
    if len(filled) > 1:
        others = ", ".join(repr(sheet.name) for sheet in filled[1:4]) + ", ..." * (len(filled) > 4)
        notes.say(f"the sheet {filled[0].name!r} was read, not {others}; choose another with sheet=")
    return filled[0]


def _columns(sheet: Any) -> tuple[dict[int, str], int]:
    """Names of the columns that hold anything, by their positions, and the number of the row that names them."""
    header: Cells = []
    at, used = 0, set[int]()
    for number, cells in _filled_rows(sheet):
        if not header:
            header, at = cells, number
        used.update(position for position, cell in enumerate(cells) if cell is not None)
    names = column_names(["" if cell is None else str(cell) for cell in header])
    return {position: name for position, name in enumerate(names) if position in used}, at


def _rows(sheet: Any, columns: dict[int, str], header: int) -> Rows:
    for number, cells in _filled_rows(sheet):
        if number > header:
            yield Row(f"row {number}", {name: cells[position] for position, name in columns.items()})


def _filled_rows(sheet: Any) -> Iterator[tuple[int, Cells]]:
    """The rows that are not empty, numbered as the spreadsheet numbers them."""
    for number, values in enumerate(sheet.iter_rows(), start=1):
        cells = [_plain(value) for value in values]
        if any(cell is not None for cell in cells):
            yield number, cells


def _plain(value: Any) -> Any:
    """The value of a cell: None if it is blank, a whole number without a fraction."""
    if is_missing(value):
        return None
    return int(value) if isinstance(value, float) and value.is_integer() else value
