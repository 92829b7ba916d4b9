"""Word counts of documents, in memory or in files larger than memory, of which only the rows asked for are read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from copy import copy
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chronotope._typing import Ints, Mask, PathLike
from chronotope.storage.pages import leave_pages

Rows = Ints
Columns = NDArray[np.int32]

SCATTERED = 250  # rows that are not neighbours and are read at a time: each brings some pages of its file with it
BLOCK = 4_000_000  # stored entries, one per word of a document, that are processed at a time


class Counts(Protocol):
    """Counts (D, V) whose rows can be read without reading the others."""

    @property
    def shape(self) -> tuple[int, int]:
        """D documents, V words."""

    @property
    def sizes(self) -> Rows:
        """Different words of each document, (D,)."""

    def __getitem__(self, rows: Any) -> sp.csr_array:
        """These rows, in memory."""

    def select(self, rows: Rows) -> Counts:
        """Counts of these documents alone."""

    def with_words(self, used: Mask) -> Counts:
        """The masked columns; the others must be empty."""

    def whole(self) -> sp.csr_array:
        """All rows, in memory."""

    def sum(self, axis: int | None = None) -> Any:
        """Tokens of each word (V,) for axis 0, of each document (D,) for axis 1, of all documents for None."""


class HeldCounts:
    """Counts in memory."""

    def __init__(self, counts: sp.csr_array) -> None:
        self._counts = small_indices(counts)

    @classmethod
    def stacked(cls, parts: Iterable[sp.csr_array]) -> HeldCounts:
        """Counts of the documents of all parts, one part after the other."""
        listed = list(parts)
        return cls(sp.vstack(listed, format="csr") if len(listed) > 1 else listed[0])

    @property
    def shape(self) -> tuple[int, int]:
        """D documents, V words."""
        D, V = self._counts.shape
        return int(D), int(V)

    @property
    def sizes(self) -> Rows:
        """Different words of each document, (D,)."""
        return np.diff(self._counts.indptr).astype(np.int64)

    def __getitem__(self, rows: Any) -> sp.csr_array:
        """These rows, in memory."""
        return small_indices(self._counts[rows])

    def select(self, rows: Rows) -> HeldCounts:
        """Counts of these documents alone."""
        return HeldCounts(self[rows])

    def with_words(self, used: Mask) -> HeldCounts:
        """The masked columns; the others must be empty."""
        return HeldCounts(self._counts[:, used])

    def whole(self) -> sp.csr_array:
        """All rows: the matrix itself."""
        return self._counts

    def sum(self, axis: int | None = None) -> Any:
        """Tokens of each word (V,) for axis 0, of each document (D,) for axis 1, of all documents for None."""
        return self._counts.sum(axis=axis)


class Arrays(NamedTuple):
    """The three arrays of a CSR matrix: indptr (D+1,), indices (nnz,), data (nnz,), mapped or not."""

    indptr: np.ndarray
    indices: np.ndarray
    data: np.ndarray


class MappedCounts:
    """Counts in memory-mapped files; a selection is a list of rows, and values are checked when they are read.

    folder : for errors;  rows : (D,) which documents of the files, in which order
    column : (V,) the new column of each word of the files
    """

    def __init__(self, arrays: Arrays, V: int, folder: PathLike) -> None:
        self.arrays, self.folder = arrays, os.fspath(folder)
        self.rows: Rows = np.arange(len(arrays.indptr) - 1, dtype=index_type(len(arrays.indptr)))
        self.column: Columns = np.arange(V, dtype=np.int32)
        self._V = V

    @property
    def shape(self) -> tuple[int, int]:
        """D documents, V words."""
        return len(self.rows), self._V

    @property
    def sizes(self) -> Rows:
        """Different words of each document, (D,)."""
        first, end = self._ranges(self.rows)
        return end - first

    def _ranges(self, at: Rows) -> tuple[Rows, Rows]:
        """Where the entries of some rows of the files begin and end, (n,) each."""
        indptr = self.arrays.indptr
        first, end = indptr[at], indptr[at + 1]
        leave_pages(indptr)
        return first, end

    def __getitem__(self, rows: Any) -> sp.csr_array:
        """These rows, in memory."""
        at = np.atleast_1d(self.rows[rows])
        first, end = self._ranges(at)
        starts = np.concatenate([[0], np.cumsum(end - first)])
        words, n = self._entries(first, end, starts)
        if len(words) and not (words.min() >= 0 and words.max() < len(self.column) and n.min() > 0):
            raise ValueError(
                f"the counts in {self.folder!r} are damaged: a word or a count is out of range; build it anew."
            )
        return small_indices(sp.csr_array((n, self.column[words], starts), shape=(len(at), self._V)))

    def _entries(self, first: Rows, end: Rows, starts: Rows) -> tuple[np.ndarray, np.ndarray]:
        """Words and counts of some rows, whose entries are from first to end in the files, (n,) each.

        starts : (n + 1,) where they begin in what is returned.  What was read leaves the memory on the way.
        """
        _, indices, data = self.arrays
        words, n = np.empty(starts[-1], indices.dtype), np.empty(starts[-1], np.int32)
        step = len(first) if np.array_equal(first[1:], end[:-1]) else SCATTERED
        for i in range(0, len(first), max(step, 1)):
            last = min(i + step, len(first))
            into, place = slice(starts[i], starts[last]), range_places(first[i:last], end[i:last])
            words[into], n[into] = indices[place], data[place]
            leave_pages(indices)
            leave_pages(data)
        return words, n

    def select(self, rows: Rows) -> MappedCounts:
        """Counts of these documents alone."""
        part = copy(self)
        part.rows = self.rows[rows]
        return part

    def with_words(self, used: Mask) -> MappedCounts:
        """The masked columns; the others must be empty."""
        return self.with_columns((np.cumsum(used, dtype=np.int32) - 1)[self.column], int(used.sum()))

    def with_columns(self, column: Columns, V: int) -> MappedCounts:
        """The same counts with other columns.   column : the new one of each word of the files;  V : of the words."""
        part = copy(self)
        part.column, part._V = column, V
        return part

    def whole(self) -> sp.csr_array:
        """All rows, in memory."""
        return self[:]

    def sum(self, axis: int | None = None) -> Any:
        """Tokens of each word (V,) for axis 0, of each document (D,) for axis 1, of all documents for None."""
        if axis == 0:
            return sum((counts.sum(axis=0) for _, counts in blocks(self)), np.zeros(self._V, np.int64))
        lengths = np.concatenate([np.empty(0, np.int64), *(counts.sum(axis=1) for _, counts in blocks(self))])
        return lengths if axis == 1 else int(lengths.sum())


class Reordered:
    """The rows of counts in another order, (D,), without a copy."""

    def __init__(self, counts: Counts, order: Rows) -> None:
        self.base, self.order = counts, order

    @property
    def shape(self) -> tuple[int, int]:
        """D documents, V words."""
        return self.base.shape

    def sizes(self, rows: Any) -> Rows:
        """Different words of these rows."""
        return self.base.select(self.order[rows]).sizes

    def __getitem__(self, rows: Any) -> sp.csr_array:
        """These rows, in memory."""
        return self.base[self.order[rows]]

    def sum(self, axis: int | None = None) -> Any:
        """Tokens of each word (V,) for axis 0, of each document (D,) for axis 1, of all documents for None."""
        total = self.base.sum(axis)
        return total[self.order] if axis == 1 else total


def index_type(n: int) -> type[np.integer[Any]]:
    """The type of numbers below n: in four bytes where they suffice."""
    return np.int32 if n <= np.iinfo(np.int32).max else np.int64


def range_places(first: Rows, end: Rows) -> Rows | slice:
    """The numbers from first to end of several ranges, one after another; a slice if each begins where one ends."""
    if np.array_equal(first[1:], end[:-1]):
        return slice(int(first[0]), int(end[-1])) if len(first) else slice(0)
    size = end - first
    places: Rows = np.repeat(first - (np.cumsum(size) - size), size) + np.arange(size.sum())
    return places


def blocks(counts: Counts, size: int = BLOCK) -> Iterator[tuple[slice, sp.csr_array]]:
    """The counts in pieces of whole documents and about `size` entries, in order, each with its rows."""
    return ((rows, counts[rows]) for rows in block_rows(counts, size))


def block_rows(counts: Counts, size: int = BLOCK) -> Iterator[slice]:
    """The rows of such pieces."""
    ends = np.cumsum(counts.sizes + 1)  # an empty document counts too
    start, D = 0, counts.shape[0]
    while start < D:
        before = ends[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, before + size, side="right")))
        yield slice(start, stop)
        start = stop


def small_indices(counts: sp.csr_array) -> sp.csr_array:
    """The same matrix with 32-bit indices where they suffice, so compiled loops see one type."""
    if counts.nnz <= np.iinfo(np.int32).max:
        counts.indices = counts.indices.astype(np.int32, copy=False)
        counts.indptr = counts.indptr.astype(np.int32, copy=False)
    return counts
