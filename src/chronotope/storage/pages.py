"""Arrays in files, and the memory that reading them takes."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from typing import Any

import numpy as np

PIECE = 1 << 22  # bytes read at a time


def leave_pages(array: np.ndarray) -> None:
    """Let what was read of an array in a file leave the memory of this process; it stays in that of the system."""
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    base = base.obj if isinstance(base, memoryview) else base
    if isinstance(base, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):  # not on Windows
        base.madvise(mmap.MADV_DONTNEED)


def byte_pieces(array: np.ndarray) -> Iterator[bytes]:
    """The numbers of an array as bytes, row by row, a few megabytes at a time: one in a file takes no more memory."""
    values = array.reshape(-1)
    step = max(1, PIECE // max(array.itemsize, 1))
    for start in range(0, len(values), step):
        yield np.ascontiguousarray(values[start : start + step]).tobytes()
        leave_pages(array)
