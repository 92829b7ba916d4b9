"""Tables as text: for the screen, for a pipe, and in Markdown."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from typing import Literal

import pandas as pd

GAP = "  "  # between columns
NARROWEST = 10  # characters of a folded column, at least
MOST_FOLDED = 1_000  # rows: rich takes a quarter of a millisecond for a cell


def number(value: float, digits: int = 4) -> str:
    """A number with so many significant digits, at least its whole part, and thousands separators; empty for NaN."""
    if math.isnan(value):
        return ""
    if not 0.1 <= abs(value) < math.inf:
        return f"{value:.{digits}g}"
    whole = len(str(int(abs(value)))) if abs(value) >= 1 else 0
    return f"{value:,.{max(0, digits - whole)}f}"


def known(value: float, width: float) -> str:
    """A number as finely as it is known, in decimal steps of at most a quarter of its interval.

    width : of the interval; without one, four significant digits
    """
    if not 0.0 < width < math.inf:
        return number(value)
    decimals = max(0, math.ceil(-math.log10(width / 4.0)))
    return f"{round(value, decimals) + 0.0:,.{decimals}f}"  # a sum, so that −0 has no sign


def text_table(table: pd.DataFrame, width: int | None = None) -> str:
    """Columns of strings side by side: the first and those of words to the left, those of numbers to the right.

    table : DataFrame of strings
    width : int or None, columns of a terminal to fold words to; None, as for a pipe or a file, folds nothing
    """
    from rich.cells import cell_len  # Chinese and Japanese letters are two columns wide

    columns = [[str(name), *table[name].astype(str)] for name in table.columns]
    numeric = [_numeric(column[1:]) for column in columns]
    widths = [max(map(cell_len, column)) for column in columns]
    if width is not None and len(table) <= MOST_FOLDED and _must_fold(widths, numeric, width):
        return _folded(columns, numeric, width)
    padded = []
    for i, (column, widest) in enumerate(zip(columns, widths, strict=True)):
        spaces = [" " * (widest - cell_len(cell)) for cell in column]
        to_right = numeric[i] and i > 0
        padded.append([s + c if to_right else c + s for c, s in zip(column, spaces, strict=True)])
    return "\n".join(GAP.join(row).rstrip() for row in zip(*padded, strict=True))


def _must_fold(widths: Sequence[int], numeric: Sequence[bool], width: int) -> bool:
    """Whether the table is too wide, and there is room beside its numbers, which are never folded."""
    gaps = len(GAP) * (len(widths) - 1)
    least = sum(widest if fixed else min(widest, NARROWEST) for widest, fixed in zip(widths, numeric, strict=True))
    return least + gaps <= width < sum(widths) + gaps


def _folded(columns: Sequence[Sequence[str]], numeric: Sequence[bool], width: int) -> str:
    """The table with its words folded to the width."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=None, pad_edge=False, padding=(0, len(GAP), 0, 0), header_style="")
    for i, (title, *_) in enumerate(columns):
        justify: Literal["left", "right"] = "right" if numeric[i] and i > 0 else "left"
        grid.add_column(Text(title), justify=justify, overflow="fold", no_wrap=numeric[i])
    for row in list(zip(*columns, strict=True))[1:]:
        grid.add_row(*map(Text, row))
    file = io.StringIO()
    Console(file=file, width=width, color_system=None, force_jupyter=False, legacy_windows=False).print(grid)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines())


def markdown_table(table: pd.DataFrame) -> str:
    """The same in Markdown; numbers to the right."""
    columns = [table[name].astype(str).tolist() for name in table.columns]
    rule = ["---" if i == 0 or not _numeric(column) else "---:" for i, column in enumerate(columns)]
    rows = [map(str, table.columns), rule, *zip(*columns, strict=True)]
    return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in rows)


def _numeric(cells: Sequence[str]) -> bool:
    """Whether this is a column of numbers; words such as "failed" may be among them."""
    return any(cell[:1] in "-0123456789" and cell[-1:].isdigit() for cell in cells if cell)
