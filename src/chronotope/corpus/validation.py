"""Checks of what a corpus is made of: counts, vocabulary, and one entry per document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from chronotope._typing import Mask


def check_length(name: str, n: int, other: str, D: int) -> None:
    """Refuse n entries for D documents.

    name, other : str, what has the entries and what has the documents, for the error
    """
    if n != D:
        one = name.removesuffix("s") if name in ("times", "ids", "texts") else "entry"
        raise ValueError(f"{name} has {n:,} entries but {other} has {D:,} rows; pass one {one} per document.")


def check_some_dated(keep: Mask) -> None:
    """Refuse documents none of which has a readable time;  keep : (D,) mask of those that have one."""
    if not keep.any():
        raise ValueError(f"none of the {len(keep):,} times could be read; pass numbers or ISO dates.")


def canonical_counts(given: Any) -> sp.csr_array:
    """A copy of the counts as int32 CSR: indices sorted, duplicates summed, no stored zeros.

    given : array_like or sparse, (D, V)
    """
    values: Any = given if sp.issparse(given) else np.asarray(given)
    if values.ndim != 2:
        raise ValueError(f"counts has shape {values.shape}; expected 2 dimensions, documents × words.")
    if 0 in values.shape:
        D, V = values.shape
        raise ValueError(f"counts has {D:,} documents and {V:,} words; pass at least one of each.")
    if values.dtype.kind not in "biuf":
        raise ValueError(f"counts has dtype {values.dtype}; expected whole numbers.")
    ready = values.dtype == np.int32 and getattr(values, "format", "") == "csr" and values.has_canonical_format
    exact = values.copy() if ready else values.astype(np.float64)  # up to 2⁵³, so no sum of duplicates overflows
    counts: sp.csr_array = sp.csr_array(exact)
    counts.sum_duplicates()
    _check_values(counts)
    counts.eliminate_zeros()
    return counts.astype(np.int32, copy=False)


def _check_values(counts: sp.csr_array) -> None:
    """Every count is a finite whole number ≥ 0 that fits 32 bits."""
    n = counts.data
    for bad, expected in (
        (~np.isfinite(n), "a finite number; replace it by 0 or drop the document"),
        (n < 0, "at least 0; pass raw word counts"),
        (n != np.round(n), "a whole number; round them or pass raw counts"),
        (n > np.iinfo(np.int32).max, "at most 2,147,483,647"),
    ):
        if bad.any():
            at = int(np.argmax(bad))
            row = int(np.searchsorted(counts.indptr, at, side="right")) - 1
            raise ValueError(f"counts[{row}, {counts.indices[at]}] is {n[at]:g}; expected {expected}.")


def checked_vocabulary(given: Iterable[str] | None, V: int) -> NDArray[np.str_]:
    """The words of V columns, all different; None names them word0, word1, ...

    given : iterable of str, a word per column; or a mapping from words to columns, as CountVectorizer.vocabulary_
    """
    if given is None:
        return np.array([f"word{v}" for v in range(V)])
    if isinstance(given, str | set | frozenset):
        raise ValueError(f"vocabulary is a {type(given).__name__}; pass a list with one word per column, in order.")
    words = sorted(given, key=given.__getitem__) if isinstance(given, Mapping) else list(given)
    if len(words) != V:
        raise ValueError(f"vocabulary has {len(words):,} words but counts has {V:,} columns; pass one word per column.")
    seen: dict[str, int] = {}
    for column, word in enumerate(words):
        if not isinstance(word, str):
            raise ValueError(f"vocabulary[{column}] is {word!r}; expected a string.")
        if seen.setdefault(word, column) != column:
            raise ValueError(f"vocabulary has {word!r} in columns {seen[word]} and {column}; add up the two columns.")
    return np.array(words, dtype=np.str_)


def checked_column(name: str, given: Any, other: str, D: int) -> NDArray[Any]:
    """A copy of one value per document; texts stay objects, since an array of strings pads all to the longest."""
    values = np.array(given if hasattr(given, "__array__") else list(given), dtype=object if name == "texts" else None)
    if values.ndim != 1:
        raise ValueError(f"{name} has shape {values.shape}; pass a list with one entry per document.")
    check_length(name, len(values), other, D)
    return values


def checked_table(given: Any, other: str, D: int) -> pd.DataFrame:
    """A copy of the metadata, one row per document, rows by position.

    given : DataFrame of pandas, a table with a method to_pandas, or a dict of columns
    """
    if isinstance(given, Mapping):
        columns = {name: pd.Series(values).reset_index(drop=True) for name, values in given.items()}
        for name, values in columns.items():
            check_length(f"metadata[{name!r}]", len(values), other, D)
        return pd.DataFrame(columns)
    table = given.to_pandas() if hasattr(given, "to_pandas") else given
    if not isinstance(table, pd.DataFrame):
        raise ValueError(f"metadata is a {type(given).__name__}; expected a table or a dict of columns.")
    check_length("metadata", len(table), other, D)
    return table.reset_index(drop=True)
