"""Strings and tables as arrays, and back exactly as they were; what cannot come back so is refused."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chronotope.storage.tensors import Arrays

CODING = ("utf-8", "surrogatepass")  # also halves of characters, which broken files hold
NUMBERS, TIMES = "biuf", "Mm"  # kinds of numpy


class NotPacked(ValueError):
    """A value that arrays and JSON cannot hold exactly."""


def pack_strings(strings: Iterable[str]) -> Arrays:
    """The bytes of all strings, and where each of them ends, (n,)."""
    encoded = [text.encode(*CODING) for text in strings]
    ends = np.cumsum([len(text) for text in encoded], dtype=np.int64)
    return {"bytes": np.frombuffer(b"".join(encoded), np.uint8), "ends": ends}


def unpack_strings(arrays: Arrays) -> list[str]:
    """The strings that `pack_strings` was given."""
    whole, ends = arrays["bytes"].tobytes(), arrays["ends"].tolist()
    if (ends[-1] if ends else 0) != len(whole):
        raise ValueError("the strings do not end where their bytes do")
    return [whole[start:end].decode(*CODING) for start, end in zip([0, *ends], ends, strict=False)]


def pack_json(value: Any) -> NDArray[np.uint8]:
    """A value of JSON as bytes; refused if it would come back as another."""
    if not _is_plain(value):
        raise NotPacked("a value is not one of JSON")
    return np.frombuffer(json.dumps(value, ensure_ascii=False).encode(*CODING), np.uint8)


def unpack_json(packed: NDArray[np.uint8]) -> Any:
    """The value that `pack_json` was given."""
    return json.loads(packed.tobytes().decode(*CODING))


def pack_table(table: pd.DataFrame) -> Arrays:
    """The columns of a table by number, and their names and types as JSON.

    table : rows are numbered from 0;  a column holds numbers, times, or values of JSON, such as strings and lists
    """
    if not table.index.equals(pd.RangeIndex(len(table))):
        raise NotPacked("its rows are not numbered from 0")
    about = [[name, str(table[name].dtype)] for name in table.columns]
    columns = {f"column{i}": _pack_column(table[name]) for i, name in enumerate(table.columns)}
    return {"columns": pack_json({"rows": len(table), "columns": about}), **columns}


def unpack_table(arrays: Arrays) -> pd.DataFrame:
    """The table that `pack_table` was given."""
    about = unpack_json(arrays["columns"])
    columns = {name: _unpack_column(arrays[f"column{i}"], kind) for i, (name, kind) in enumerate(about["columns"])}
    return pd.DataFrame(columns, index=pd.RangeIndex(about["rows"]))


def _pack_column(column: pd.Series[Any]) -> NDArray[Any]:
    """Numbers as they are, times as whole numbers, anything else as JSON."""
    kind = column.dtype
    if isinstance(kind, np.dtype) and kind.kind in NUMBERS + TIMES:
        values = column.to_numpy()
        return values if kind.kind in NUMBERS else values.view(np.int64)
    if str(kind) not in ("object", "str"):
        raise NotPacked(f"the column {column.name!r} holds {kind}")
    try:
        return pack_json(column.tolist())
    except NotPacked:
        found = sorted({type(value).__name__ for value in column if not _is_plain(value)})
        raise NotPacked(f"the column {column.name!r} holds values of type {', '.join(found)}") from None


def _unpack_column(packed: NDArray[Any], kind: str) -> pd.Series[Any]:
    if kind in ("object", "str"):
        return pd.Series(unpack_json(packed), dtype=kind)
    return pd.Series(packed.view(kind) if np.dtype(kind).kind in TIMES else packed)


def _is_plain(value: Any) -> bool:
    """Whether JSON holds the value exactly, types included."""
    kind = type(value)
    if kind is list:
        return all(map(_is_plain, value))
    if kind is dict:
        return all(type(key) is str for key in value) and all(map(_is_plain, value.values()))
    return kind in (str, int, float, bool) or value is None
