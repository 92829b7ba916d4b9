"""Tables as text: for the screen, and in Markdown."""

from __future__ import annotations

import math

import pandas as pd


def number(value: float, digits: int = 4) -> str:
    """A number as people write it, with so many digits and all of its whole part; empty for NaN."""
    if math.isnan(value):
        return ""
    if not 0.1 <= abs(value) < math.inf:
        return f"{value:.{digits}g}"
    whole = len(str(int(abs(value)))) if abs(value) >= 1 else 0
    return f"{value:,.{max(0, digits - whole)}f}"


def text_table(table: pd.DataFrame) -> str:
    """Columns of strings side by side, the first one and those that hold no number to the left."""
    columns = [[str(name), *table[name].astype(str)] for name in table.columns]
    widths = [max(map(len, column)) for column in columns]
    left = [i == 0 or not _numeric(column[1:]) for i, column in enumerate(columns)]
    padded = [
        [cell.ljust(width) if to_left else cell.rjust(width) for cell in column]
        for column, width, to_left in zip(columns, widths, left, strict=True)
    ]
    return "\n".join("  ".join(row).rstrip() for row in zip(*padded, strict=True))


def markdown_table(table: pd.DataFrame) -> str:
    """The same in Markdown; numbers to the right."""
    columns = [table[name].astype(str).tolist() for name in table.columns]
    rule = ["---" if i == 0 or not _numeric(column) else "---:" for i, column in enumerate(columns)]
    rows = [map(str, table.columns), rule, *zip(*columns, strict=True)]
    return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in rows)


def _numeric(cells: list[str]) -> bool:
    """Whether this is a column of numbers; words such as "failed" may be among them."""
    return any(cell[:1] in "-0123456789" and cell[-1:].isdigit() for cell in cells if cell)
