"""Counts of the words of one part of a collection, in memory or in a folder, without its short documents."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

import numpy as np
import scipy.sparse as sp

from chronotope._typing import Ints, Mask
from chronotope.corpus.arrays import mapped_counts, spill
from chronotope.corpus.counts import blocks
from chronotope.text.lexicon import Columns, as_counts
from chronotope.text.phrases import Joined
from chronotope.text.store import Numbers, TokenFile

PIECE = 500_000  # stored entries that are read at a time


class CountedPart(NamedTuple):
    """Counts of the documents of a part that have enough words.

    counts : list of (n, V) csr_array, or the folder they are in
    lengths : (D,) tokens of each document, short ones too;  totals : (V,) tokens of each word, without short documents
    n_entries : different words of all documents, summed
    """

    counts: list[sp.csr_array] | str
    lengths: Numbers
    totals: Ints
    n_entries: int


def count_part(
    tokens: TokenFile,
    keep: Mask,
    meaning: Numbers,
    joined: Joined,
    columns: Columns,
    least: int,
    folder: Path | None,
) -> CountedPart:
    """Count the words of one part.

    meaning : (words,) the index of each word;  columns : where these are counted
    least : tokens that a document must have;  folder : where a folder for the counts is made, None for memory
    """
    column = columns.by_number()
    words = (joined.apply(block) for block in tokens.blocks(meaning, keep))
    counted = (as_counts(block._replace(word=column[block.word]), columns.V) for block in words)
    kept = _Kept(counted, columns.V, least)
    counts = list(kept) if folder is None else _written(kept, columns.V, folder)
    lengths = np.concatenate([np.empty(0, np.int32), *kept.lengths])
    return CountedPart(counts, lengths, kept.totals, kept.n_entries)


class _Kept:
    """The documents of at least `least` tokens, some at a time, and what is summed on the way."""

    def __init__(self, counted: Iterable[sp.csr_array], V: int, least: int) -> None:
        self.counted, self.least = counted, least
        self.lengths, self.totals, self.n_entries = list[Numbers](), np.zeros(V, np.int64), 0

    def __iter__(self) -> Iterator[sp.csr_array]:
        for counts in self.counted:
            lengths = np.asarray(counts.sum(axis=1))
            self.lengths.append(lengths.astype(np.int32))
            enough = lengths >= self.least
            kept = counts if enough.all() else counts[np.flatnonzero(enough)]
            self.totals += np.asarray(kept.sum(axis=0))
            self.n_entries += int(kept.nnz)
            yield kept


def _written(counts: Iterable[sp.csr_array], V: int, folder: Path) -> str:
    """A new folder with the counts, which appears when it is complete."""
    path = os.path.join(folder, f"{uuid4().hex}.counts")
    unfinished = Path(f"{path}.unfinished")
    unfinished.mkdir()
    spill(counts, V, unfinished)
    unfinished.rename(path)
    return path


class SpilledCounts(NamedTuple):
    """Counts in one folder for each part, (D, V).

    folders : of the parts, in order;  used : mask of the words of the folders, V of which are used
    """

    folders: list[str]
    used: Mask

    def pieces(self) -> Iterator[tuple[slice, sp.csr_array]]:
        """Some documents at a time, in order, each time with their rows."""
        first = 0
        for folder in self.folders:
            counts = mapped_counts(Path(folder), len(self.used)).with_words(self.used)
            for rows, piece in blocks(counts, PIECE):
                yield slice(first + rows.start, first + rows.stop), piece
            first += counts.shape[0]
