"""Metadata in little memory, and in a folder: each column as codes of its different values, or as numbers."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import union_categoricals

from chronotope._typing import Mask
from chronotope.corpus.arrays import mapped_array
from chronotope.dates.columns import is_missing
from chronotope.storage.digest import parse_json

MOST = 65_536  # different values of a column that are kept as such; beyond it they must be numbers
COLUMNS = "columns.json"
PLAIN = (str, int, float, bool)
CODES = ("int8", "int16", "int32")


class ColumnCoder:
    """A column of metadata that grows value by value."""

    def __init__(self) -> None:
        self._codes, self._known = array("i"), dict[Any, int]()

    def append(self, value: Any) -> None:
        """Add the value of the next document; one that is neither text nor a number is kept as text."""
        if is_missing(value):
            self._codes.append(-1)
            return
        plain = value.item() if isinstance(value, np.generic) else value
        if type(plain) not in PLAIN:
            plain = str(plain)
        self._codes.append(self._known.setdefault(plain, len(self._known)))

    def column(self) -> pd.Series[Any]:
        """All values, as categories in the order in which they came."""
        return pd.Series(_categorical(np.array(self._codes), self._known))


def _categorical(codes: NDArray[Any], values: Iterable[Any]) -> pd.Categorical:
    """Codes of any values, which pandas must not take for text or numbers alone."""
    return pd.Categorical.from_codes(codes, pd.Index(list(values), dtype=object))


def coded(table: pd.DataFrame) -> pd.DataFrame:
    """The same table in little memory: columns of categories, or of numbers.

    Columns of categories and of floating-point numbers stay as they are.
    """
    return pd.DataFrame({str(name): _coded(table.iloc[:, i]) for i, name in enumerate(table.columns)})


def _coded(column: pd.Series[Any]) -> pd.Series[Any]:
    categories = column.cat.categories if isinstance(column.dtype, pd.CategoricalDtype) else None
    if column.dtype == np.float64 or (categories is not None and all(type(value) in PLAIN for value in categories)):
        return column.reset_index(drop=True)
    coder = ColumnCoder()
    for value in column:
        coder.append(value)
    return coder.column()


def joined(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Tables of categories as one, categories in the order in which they came.   parts : with the same columns."""
    unions = {name: union_categoricals([part[name] for part in parts]) for name in parts[0].columns}
    return pd.DataFrame({name: _categorical(union.codes, union.categories) for name, union in unions.items()})


def chosen_rows(table: pd.DataFrame, keep: Mask) -> pd.DataFrame:
    """Some rows of a table of categories, without the values that are in none of them.   keep : (D,)."""
    rows = table[keep].reset_index(drop=True)
    return pd.DataFrame({name: rows[name].cat.remove_unused_categories() for name in rows.columns})


def write_metadata(table: pd.DataFrame, folder: Path) -> None:
    """Write coded metadata to a folder: an array for each column, and a list of their names and values.

    A column of more than 65,536 different values is refused, unless they are numbers.
    """
    about = []
    for i, name in enumerate(table.columns):
        values, different = _stored(table[name], name)
        about.append({"name": name, "values": different})
        np.save(folder / f"column{i}.npy", values, allow_pickle=False)
    (folder / COLUMNS).write_text(json.dumps(about, ensure_ascii=False), encoding="utf-8")


def _stored(column: pd.Series[Any], name: str) -> tuple[NDArray[Any], list[Any] | None]:
    """Codes and the values they stand for; or numbers, and None."""
    if column.dtype == np.float64:
        return column.to_numpy(), None
    different = column.cat.categories.tolist()
    if len(different) > MOST:
        numbers = pd.to_numeric(pd.Series(different, dtype=object), errors="coerce").to_numpy(dtype=np.float64)
        if np.isnan(numbers).any():
            raise ValueError(
                f"metadata: {name!r} has {len(different):,} different values, the maximum on disk is {MOST:,} unless "
                "they are numbers; leave the column out."
            )
        return np.append(numbers, np.nan)[column.cat.codes.to_numpy()], None
    kind = next(kind for kind in CODES if len(different) <= np.iinfo(kind).max)
    return column.cat.codes.to_numpy().astype(kind), different


def read_metadata(folder: Path, D: int) -> pd.DataFrame:
    """The metadata of a folder, checked; ValueError if they are damaged."""
    about = parse_json((folder / COLUMNS).read_bytes())
    if not isinstance(about, list) or len({entry["name"] for entry in about}) != len(about):
        raise ValueError("the columns of the metadata are not a list of different names")
    columns = {_name(entry): _read_column(folder, i, entry["values"], D) for i, entry in enumerate(about)}
    return pd.DataFrame(columns, index=pd.RangeIndex(D))


def _name(entry: Mapping[str, Any]) -> str:
    if not isinstance(entry["name"], str):
        raise ValueError("a column of the metadata has no name")
    return entry["name"]


def _read_column(folder: Path, i: int, different: Iterable[Any] | None, D: int) -> Any:
    values = np.array(mapped_array(folder, f"column{i}"))
    if different is None:
        if values.shape != (D,) or values.dtype != np.float64:
            raise ValueError(f"column{i}.npy holds {values.dtype} of shape {values.shape}, not {D:,} numbers")
        return values
    known = list(different)
    if any(type(value) not in PLAIN for value in known):
        raise ValueError(f"the values of column {i} are not text or numbers")
    if values.shape != (D,) or values.dtype.name not in CODES:
        raise ValueError(f"column{i}.npy holds {values.dtype} of shape {values.shape}, not {D:,} codes")
    return _categorical(values, known)
