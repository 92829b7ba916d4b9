"""Tables in files: CSV for spreadsheets, Parquet for programs; written atomically."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from chronotope._typing import PathLike
from chronotope.storage.atomic import replacing

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # starts of cells a spreadsheet may run


def write_table(table: pd.DataFrame, path: PathLike) -> Path:
    """Write a table to a CSV or Parquet file, atomically.

    table : DataFrame
    path : str or path; the extension is .csv or .parquet

    In CSV a text that starts with = + - @ or a line break is prefixed with an apostrophe, because a spreadsheet might
    run it as a formula; lists are comma-separated. If a text holds a carriage return, all texts are quoted. Numbers are
    never changed. Parquet keeps every value as it is.
    Returns the path.
    """
    target = Path(path)
    kind = target.suffix.lower()
    if kind not in (".csv", ".parquet"):
        raise ValueError(f"the table's file is {target.name!r}; expected a name that ends in .csv or .parquet.")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(target.parent)!r} to write in; make it first.")
    with replacing(target) as temporary:
        if kind == ".csv":
            cells = _plain(table)
            quoting: Literal[0, 2] = csv.QUOTE_NONNUMERIC if _holds_returns(cells) else csv.QUOTE_MINIMAL
            cells.to_csv(temporary, index=False, encoding="utf-8", lineterminator="\n", quoting=quoting)
        else:
            _write_parquet(table, temporary)
    return target


def _plain(table: pd.DataFrame) -> pd.DataFrame:
    """The table with cells that a spreadsheet does not run as formulas."""
    columns = {_safe(str(name)): table[name] for name in table.columns}
    texts = {name: column.map(_cell) for name, column in columns.items() if not pd.api.types.is_numeric_dtype(column)}
    return pd.DataFrame(columns | texts)


def _holds_returns(table: pd.DataFrame) -> bool:
    """Whether a carriage return is anywhere: it is not quoted by itself, and begins a row in a spreadsheet."""
    texts = table.select_dtypes(exclude="number")
    return any("\r" in str(name) for name in table.columns) or any(
        "\r" in value for name in texts.columns for value in texts[name] if isinstance(value, str)
    )


def _cell(value: Any) -> Any:
    if isinstance(value, list | tuple):
        value = ", ".join(str(item) for item in value)
    return _safe(value) if isinstance(value, str) else value


def _safe(text: str) -> str:
    return f"'{text}" if text.startswith(FORMULA) else text


def _write_parquet(table: pd.DataFrame, path: Path) -> None:
    try:
        table.to_parquet(path, index=False)
    except ImportError as error:
        raise ImportError('Parquet needs pyarrow; pip install "chronotope[files]", or write .csv.') from error
