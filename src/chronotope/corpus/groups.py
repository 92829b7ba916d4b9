"""Groups of documents by a column of their metadata, and numbers of such a column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from chronotope._typing import Floats, Ints
from chronotope.corpus.corpus import Corpus
from chronotope.dates.columns import is_missing

UNLABELLED = "(none)"  # name of the group of documents without a label
MOST = 1_000  # maximum number of groups
FEWEST = 2  # documents of a group to fit, on average


def columns_of(corpus: Corpus) -> list[str]:
    """Names of the columns of the metadata of a corpus, none without any."""
    return [] if corpus.metadata is None else [str(column) for column in corpus.metadata.columns]


def column_of(corpus: Corpus, name: str, option: str = "by") -> pd.Series:
    """A column of the metadata of a corpus, D entries.   option : that named it, for the message."""
    columns = columns_of(corpus)
    if name not in columns:
        found = f"it has {', '.join(map(repr, columns))}" if columns else "it has none"
        raise ValueError(f"{option} is {name!r}, which is not a column of the corpus' metadata; {found}.")
    return corpus.metadata.iloc[:, columns.index(name)].reset_index(drop=True)  # type: ignore[union-attr]


def groups_of(corpus: Corpus, by: str | Sequence[Any], option: str = "by") -> tuple[list[str], Ints]:
    """Names of the groups, sorted, and the group of each document, (D,); "(none)" is that of documents without a label.

    by : a column, or D labels
    """
    labels = column_of(corpus, by, option) if isinstance(by, str) else pd.Series(list(by), dtype=object)
    if len(labels) != len(corpus):
        raise ValueError(f"{option} has {len(labels):,} labels for {len(corpus):,} documents; pass one for each.")
    code, values = _different(labels)
    named = [UNLABELLED if is_missing(value) else str(value) for value in values]
    names, group_of_value = np.unique(np.array(named, dtype=str), return_inverse=True)
    if len(names) > MOST:
        raise ValueError(f"{option} has {len(names):,} different labels, the maximum is {MOST:,}; merge some groups.")
    return names.tolist(), group_of_value[code].astype(np.int64)


def groups_to_fit(corpus: Corpus, by: str) -> tuple[list[str], Ints]:
    """The groups of documents to fit; a column of nearly as many labels as documents is refused.   by : a column"""
    names, group = groups_of(corpus, by, "groups")
    if len(corpus) < FEWEST * len(names) and len(names) > 1:
        raise ValueError(
            f"groups is {by!r}, which has {len(names):,} different labels for {len(corpus):,} documents; pass a column "
            "with fewer, such as party or journal."
        )
    return names, group


def numbers_of(corpus: Corpus, column: str, option: str = "linear") -> Floats:
    """The numbers of a column, (D,), NaN where there is none; refused if others than numbers are there."""
    code, values = _different(column_of(corpus, column, option))
    given = pd.Series(values, dtype=object)
    numbers: Floats = pd.to_numeric(given, errors="coerce").to_numpy(dtype=np.float64)
    bad = ~np.isfinite(numbers) & ~given.map(is_missing).to_numpy(dtype=bool)
    if bad.any():
        n, first = int(bad[code].sum()), given[np.flatnonzero(bad)[0]]
        raise ValueError(f"{option} is {column!r}, where {n:,} entries are not numbers, as {first!r:.40}.")
    return numbers[code]


def _different(column: pd.Series[Any]) -> tuple[Ints, list[Any]]:
    """The different values of a column, and which of them each document has, (D,)."""
    try:
        code, values = pd.factorize(column, use_na_sentinel=False)
    except TypeError:  # lists and the like
        texts = column.map(lambda value: None if is_missing(value) else str(value))
        code, values = pd.factorize(texts, use_na_sentinel=False)
    return code.astype(np.int64), list(values)
