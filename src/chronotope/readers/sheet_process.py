"""The process that reads spreadsheets: python-calamine ends its process on some damaged files. Imports nothing of ours.

standard input : the file;  arguments : bytes of memory it may use, and the name of the sheet, if one is wanted
standard output : pickled, names and heights of the sheets, lists of numbered rows, and None; or what went wrong
"""

from __future__ import annotations

import io
import pickle
import sys
from collections.abc import Iterator
from typing import Any

_ROWS = 1000  # sent at once


def _send(value: Any) -> None:
    pickle.dump(value, sys.stdout.buffer)


def _limit_memory(most: int) -> None:
    """Limit the memory of this process, where that is possible: a cell far away makes a sheet of billions of cells."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    except (ImportError, ValueError, OSError):
        pass


def _sheets(data: bytes) -> list[Any]:
    """The worksheets as python-calamine has them, visible ones first."""
    from python_calamine import CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

    book = CalamineWorkbook.from_filelike(io.BytesIO(data))
    worksheets = [entry for entry in book.sheets_metadata if entry.typ == SheetTypeEnum.WorkSheet]
    worksheets.sort(key=lambda entry: entry.visible != SheetVisibleEnum.Visible)
    return [book.get_sheet_by_name(entry.name) for entry in worksheets]


def _filled_rows(sheet: Any) -> Iterator[tuple[int, list[Any]]]:
    """The rows that are not empty, up to their last cell that is not, numbered as the spreadsheet numbers them."""
    for number, cells in enumerate(sheet.iter_rows(), start=1):
        while cells and cells[-1] == "":
            cells.pop()
        if cells:
            yield number, cells


def _answer(wanted: str | None) -> None:
    sheets = _sheets(sys.stdin.buffer.read())
    _send([(sheet.name, sheet.height) for sheet in sheets])
    chosen = next((sheet for sheet in sheets if (sheet.height if wanted is None else sheet.name == wanted)), None)
    rows: list[tuple[int, list[Any]]] = []
    for row in _filled_rows(chosen) if chosen is not None and chosen.height else ():
        rows.append(row)
        if len(rows) == _ROWS:
            _send(rows)
            rows = []
    _send(rows)
    _send(None)


def serve() -> None:
    """Answer; an error of python-calamine, its panics included, is sent as its kind and its message."""
    _limit_memory(int(sys.argv[1]))
    try:
        _answer(sys.argv[2] if len(sys.argv) > 2 else None)
    except BaseException as error:
        _send((type(error).__name__, str(error)))


if __name__ == "__main__":
    serve()
