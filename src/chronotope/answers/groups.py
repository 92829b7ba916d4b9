"""Groups of documents, by a label each of them has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chronotope.corpus import Corpus
from chronotope.readers.rows import is_missing

UNLABELLED = "(none)"
MOST = 1_000


def groups_of(corpus: Corpus, by: str | Sequence[Any]) -> tuple[list[str], NDArray[np.int64]]:
    """Names of the groups in their order, and the group of each document, (D,)."""
    if isinstance(by, str):
        columns = [] if corpus.metadata is None else [str(column) for column in corpus.metadata.columns]
        if by not in columns:
            found = f"it has {', '.join(map(repr, columns))}" if columns else "it has none"
            raise ValueError(f"by is {by!r}, which is no column of the corpus' metadata; {found}.")
        labels = pd.Series(corpus.metadata.iloc[:, columns.index(by)].to_numpy())  # type: ignore[union-attr]
    else:
        labels = pd.Series(list(by), dtype=object)
    if len(labels) != len(corpus):
        raise ValueError(f"by has {len(labels):,} labels for {len(corpus):,} documents; pass one for each.")
    named = labels.map(lambda label: UNLABELLED if is_missing(label) else str(label))
    names, group = np.unique(named.to_numpy(dtype=str), return_inverse=True)
    if len(names) > MOST:
        raise ValueError(f"by has {len(names):,} different labels, at most {MOST} are groups; put some together.")
    return names.tolist(), group.astype(np.int64)
