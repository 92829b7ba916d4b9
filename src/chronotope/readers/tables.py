"""Tables: CSV and TSV, and data frames in memory."""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from chronotope.dates.instants import read_time
from chronotope.readers.arrow import arrow_rows
from chronotope.readers.rows import Bad, Notes, Row, Rows, Source
from chronotope.readers.textfile import TextFile

_LONGEST_FIELD = 64 * 2**20  # characters; longer fields come from a quotation mark that is not closed
_HEAD = 200, 2**21  # lines and characters by which the dialect is found


class _Dialect(NamedTuple):
    """How the fields of a row are separated."""

    delimiter: str
    quoting: Any = csv.QUOTE_MINIMAL


_DIALECTS = (_Dialect(","), _Dialect("\t"), _Dialect("\t", csv.QUOTE_NONE), _Dialect(";"), _Dialect("|"))
_NAMES = {",": "comma", "\t": "tab", ";": "semicolon", "|": "bar"}


def csv_source(
    path: Path, encoding: str | None = None, delimiter: str | None = None, max_ratio: float | None = None
) -> Source:
    """The rows of a CSV or TSV file, by column name."""
    if delimiter is not None and len(delimiter) != 1:
        raise ValueError(f"delimiter is {delimiter!r}; expected one character, such as ';' or '\\t'.")
    notes = Notes()
    lines = TextFile(path, encoding, max_ratio, notes.say)
    head, cut = _head(iter(lines))
    if not any(line.strip() for line in head):
        raise ValueError(f"{path.name} is empty; expected a table with a header and one row per document.")
    given = [] if delimiter is None else [d for d in _DIALECTS if d.delimiter == delimiter] or [_Dialect(delimiter)]
    dialect = _best_dialect(head, cut, given or _DIALECTS)
    columns, has_header = _header(next(values for _, values in _fields(iter(head), dialect, path.name) if values))
    if not has_header:
        notes.say(f"{path.name} has no header; its columns are called {columns[0]!r} to {columns[-1]!r}")
    kind = f"table, fields separated by {_NAMES.get(dialect.delimiter, repr(dialect.delimiter))}"
    return Source(path.name, kind, partial(_csv_rows, lines, dialect, columns, has_header, path.name), notes=notes)


def _csv_rows(lines: TextFile, dialect: _Dialect, columns: list[str], has_header: bool, name: str) -> Rows:
    """Rows of as many fields as the header; blank lines are skipped."""
    skip = has_header
    for line, values in _fields(iter(lines), dialect, name):
        if not values:
            continue
        while len(values) > len(columns) and not values[-1]:  # a delimiter at the end of the line
            values.pop()
        if skip:
            skip = False
        elif len(values) != len(columns):
            yield Bad(f"line {line}", "wrong number of fields", f"{len(values)} instead of {len(columns)}")
        else:
            yield Row(f"line {line}", dict(zip(columns, values, strict=True)))


def _fields(lines: Iterator[str], dialect: _Dialect, name: str) -> Iterator[tuple[int, list[str]]]:
    """The fields of each row, with the line it starts on."""
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_FIELD))
    reader = csv.reader(lines, delimiter=dialect.delimiter, quoting=dialect.quoting)
    line = 1
    try:
        for values in reader:
            yield line, values
            line = reader.line_num + 1
    except csv.Error as error:
        raise ValueError(
            f"the row of {name} that starts on line {line} cannot be read ({error}); look for a quotation mark "
            "that is not closed."
        ) from None


def _head(lines: Iterator[str]) -> tuple[list[str], bool]:
    """The first lines, and whether there may be more."""
    head: list[str] = []
    length = 0
    for line in lines:
        head.append(line)
        length += len(line)
        if len(head) >= _HEAD[0] or length >= _HEAD[1]:
            return head, True
    return head, False


def _best_dialect(head: list[str], cut: bool, dialects: Sequence[_Dialect]) -> _Dialect:
    """The dialect in which most rows have the same number of fields, more than one of them; ties go to the first."""

    def agreement(dialect: _Dialect) -> tuple[float, int, int]:
        try:
            widths = [len(values) for _, values in _fields(iter(head), dialect, "") if values]
        except ValueError:
            return 0.0, 0, 0
        if cut and len(widths) > 1:
            widths.pop()  # it may go on beyond the head
        width, n = Counter(widths).most_common(1)[0]
        return (round(n / len(widths), 2), width, n) if width > 1 else (0.0, 0, 0)

    return max(dialects, key=agreement)


def _header(first: list[str]) -> tuple[list[str], bool]:
    """Names of the columns, all different, and whether the first row holds them: it has no date, number or prose."""
    has_header = not any(_is_value(cell) for cell in first)
    return column_names([cell if has_header else "" for cell in first]), has_header


def column_names(header: Sequence[str]) -> list[str]:
    """Names of the columns, all different: blank ones are called by their position, which is added to repeated ones."""
    columns: dict[str, None] = {}
    for position, cell in enumerate(header, start=1):
        name = cell.strip() or f"column {position}"
        while name in columns:
            name = f"{name} ({position})"
        columns[name] = None
    return list(columns)


def _is_value(cell: str) -> bool:
    number, instant = read_time(cell.strip(), day_first=True)
    return math.isfinite(number) or not np.isnat(instant) or len(cell) > 100


def frame_source(table: Any) -> Source:
    """The rows of a table in memory."""
    import narwhals.stable.v1 as nw
    from narwhals.exceptions import NarwhalsError

    try:
        data = nw.from_native(table)
        columns: list[Any] = list(data.collect_schema().names())
    except (TypeError, ValueError, NarwhalsError) as error:
        raise ValueError(
            f"the source is a {type(table).__name__}, which cannot be read ({error}); "
            "pass a path, or a table of pandas, polars or Arrow."
        ) from None
    if isinstance(data, nw.LazyFrame):
        data = data.collect()
    if not (columns and len(data)):
        raise ValueError("the table is empty; expected one row per document.")
    is_arrow = isinstance(data, nw.DataFrame) and data.implementation.is_pyarrow()
    rows = partial(_arrow_rows, data.to_native()) if is_arrow else partial(_frame_rows, data)
    return Source("the table", f"{type(table).__module__.split('.')[0]} table", rows)


def _arrow_rows(table: Any) -> Rows:
    return arrow_rows(table.to_batches())


def _frame_rows(data: Any) -> Rows:
    for number, fields in enumerate(data.iter_rows(named=True)):
        yield Row(f"row {number}", {str(name): value for name, value in fields.items()})
