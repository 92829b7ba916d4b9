"""Counts in a folder that the workers of a cluster read: where they are, and a folder for those that are in memory."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from chronotope._typing import Ints
from chronotope.cluster.workers import Workers
from chronotope.corpus.arrays import mapped_counts, spill
from chronotope.corpus.counts import Columns, Counts, MappedCounts, blocks
from chronotope.storage.leftovers import own_folder

OPEN = 4  # folders that a worker keeps open


class CountsPlace(NamedTuple):
    """Where counts (D, V) are, for a worker that reads some rows of them.

    folder : with arrays of counts, on a file system that the workers share
    column : the column of each word there;  V : number of columns;  rows : (D,) row of each document there
    """

    folder: str
    column: Columns
    V: int
    rows: Ints

    def without_rows(self) -> CountsPlace:
        """The same place, for calls that say which rows they mean."""
        return self._replace(rows=np.empty(0, np.int64))

    def read(self, rows: Ints) -> sp.csr_array:
        """Counts of some rows of the folder, in memory."""
        return _opened(self.folder, len(self.column)).with_columns(self.column, self.V)[rows]


@lru_cache(maxsize=OPEN)
def _opened(folder: str, words: int) -> MappedCounts:
    """The counts of a folder; a sentence if this machine does not see it."""
    try:
        return mapped_counts(Path(folder), words)
    except OSError as error:
        raise FileNotFoundError(
            f"a worker does not see the counts in {folder!r} ({error.strerror or error}); save the corpus to a folder "
            "on a file system that driver and workers share, by corpus.save(folder), and pass open_corpus(folder)."
        ) from None


def look_for(folder: str, words: int) -> None:
    """Refuse a folder that this machine does not see."""
    _opened(folder, words)


@contextmanager
def counts_for_workers(counts: Counts, workers: Workers) -> Iterator[CountsPlace]:
    """The place of counts for the workers: that of a corpus on disk, or a temporary folder for counts in memory.

    The temporary folder is where Python has its own (TMPDIR). Refused if a worker does not see the place.
    """
    if isinstance(counts, MappedCounts):
        yield _checked(counts, workers)
        return
    with own_folder(Path(tempfile.gettempdir()) / "chronotope-counts") as own:
        yield _checked(spill((part for _, part in blocks(counts)), counts.shape[1], own), workers)


def _checked(counts: MappedCounts, workers: Workers) -> CountsPlace:
    place = CountsPlace(os.path.abspath(counts.folder), counts.column, counts.shape[1], counts.rows)
    workers.run_on_all(look_for, place.folder, len(place.column))
    return place
