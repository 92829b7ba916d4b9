"""Arrays and counts that grow in files, of any length, with the smallest integer type that holds them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from tokenize import TokenError
from types import TracebackType
from typing import Any, BinaryIO

import numpy as np
import scipy.sparse as sp
from numpy.lib import format as npy

from chronotope.corpus.counts import Arrays, MappedCounts

PIECE = 4_000_000  # values copied at a time when they are widened
COUNTS = {"indptr": np.int64, "indices": np.int32, "data": np.uint8}  # data is widened if need be
WIDER = (np.uint8, np.uint16, np.int32, np.int64)


class GrowingArray:
    """A one-dimensional .npy file, written by appending; valid once it is closed.

    dtype : of the values; integers are widened if a value does not fit
    """

    def __init__(self, path: Path, dtype: Any) -> None:
        self.path, self.dtype, self.size = path, np.dtype(dtype), 0
        self._file = self._begin(path)

    def append(self, values: np.ndarray) -> None:
        """Write values after those written before."""
        values = np.asarray(values)
        if len(values) and self.dtype.kind in "ui" and not self._holds(values):
            self._widen(values)
        values.astype(self.dtype, copy=False).tofile(self._file)
        self.size += len(values)

    def close(self) -> None:
        """Write the number of values into the header."""
        if not self._file.closed:
            end = self._file.tell()
            self._file.seek(0)
            self._write_header(self._file)
            self._file.seek(end)
            self._file.close()

    def __enter__(self) -> GrowingArray:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _begin(self, path: Path) -> BinaryIO:
        file = path.open("wb")
        self._write_header(file)
        return file

    def _write_header(self, file: BinaryIO) -> None:
        """A header of the same length whatever the size: the format pads it."""
        description = {"descr": npy.dtype_to_descr(self.dtype), "fortran_order": False, "shape": (self.size,)}
        npy.write_array_header_1_0(file, description)

    def _holds(self, values: np.ndarray) -> bool:
        limits = np.iinfo(self.dtype)
        return bool(limits.min <= values.min() and values.max() <= limits.max)

    def _widen(self, values: np.ndarray) -> None:
        """Copy what is written to the next type that holds these values too."""
        self.close()
        old = np.load(self.path, mmap_mode="r")
        self.dtype = next(
            np.dtype(wider) for wider in WIDER if np.can_cast(self.dtype, wider) and np.iinfo(wider).max >= values.max()
        )
        wide = self.path.with_suffix(".wide")
        with self._begin(wide) as file:
            for start in range(0, self.size, PIECE):
                old[start : start + PIECE].astype(self.dtype).tofile(file)
        del old
        wide.replace(self.path)
        self._file = self.path.open("r+b")
        self._file.seek(0, os.SEEK_END)


class GrowingCounts:
    """Counts in three growing arrays, some documents at a time: indptr.npy, indices.npy and data.npy of a folder."""

    def __init__(self, folder: Path) -> None:
        with ExitStack() as begun:
            arrays = (begun.enter_context(GrowingArray(folder / f"{name}.npy", COUNTS[name])) for name in COUNTS)
            self._indptr, self._indices, self._data = arrays
            self._indptr.append(np.zeros(1, np.int64))
            self._end = begun.pop_all()

    @property
    def n_entries(self) -> int:
        """Stored entries: different words of all documents."""
        return self._indices.size

    def add(self, counts: sp.csr_array) -> None:
        """Write canonical counts after those written before."""
        self._indptr.append(counts.indptr[1:].astype(np.int64) + self._indices.size)
        self._indices.append(counts.indices)
        self._data.append(counts.data)

    def close(self) -> None:
        """Write the number of values into the headers."""
        self._end.close()

    def __enter__(self) -> GrowingCounts:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def mapped_array(folder: Path, name: str) -> np.ndarray:
    """An array of a folder, memory-mapped: its values are read when they are used.

    A file that cannot be read is a ValueError without NumPy's own words, some of which advise to trust it.
    """
    try:
        return np.asarray(npy.open_memmap(folder / f"{name}.npy", mode="r"))
    except (ValueError, SyntaxError, TokenError, TypeError, OverflowError, RecursionError, EOFError):
        raise ValueError(f"{name}.npy is not an array of numbers or texts") from None


def mapped_counts(folder: Path, V: int) -> MappedCounts:
    """The counts (D, V) of a folder, memory-mapped."""
    return MappedCounts(Arrays(*(mapped_array(folder, name) for name in COUNTS)), V, folder)


def spill(parts: Iterable[sp.csr_array], V: int, folder: Path) -> MappedCounts:
    """Counts (D, V) written to a folder one part at a time."""
    with GrowingCounts(folder) as growing:
        for part in parts:
            growing.add(part)
    return mapped_counts(folder, V)
