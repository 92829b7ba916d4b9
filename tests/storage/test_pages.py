"""Arrays in files are read in pieces, and leave memory again."""

from __future__ import annotations

import mmap
import tempfile
from pathlib import Path

import numpy as np
import pytest

from chronotope.storage.pages import PIECE, byte_pieces, leave_pages

STATUS = Path("/proc/self/status")


def mapped(size: int) -> np.ndarray:
    """An array of bytes in a file without a name, all ones."""
    with tempfile.TemporaryFile() as file:
        file.truncate(size)
        array = np.frombuffer(mmap.mmap(file.fileno(), size), np.uint8)
    array[:] = 1
    return array


def resident() -> int:
    """Bytes of memory that this process has."""
    return next(int(line.split()[1]) * 1024 for line in STATUS.read_text().splitlines() if line.startswith("VmRSS"))


@pytest.mark.parametrize(
    "array",
    [np.arange(12.0).reshape(3, 4).T, np.zeros(0, np.uint16), np.array(3.5), np.arange(PIECE // 2, dtype=np.int32)],
    ids=["transposed", "empty", "one number", "several pieces"],
)
def test_pieces_are_the_bytes_of_the_array(array: np.ndarray) -> None:
    assert b"".join(byte_pieces(array)) == array.tobytes()


def test_what_leaves_memory_stays_in_the_file() -> None:
    array = mapped(3 * PIECE)
    leave_pages(array[5:])
    assert array.sum() == 3 * PIECE


@pytest.mark.skipif(not STATUS.exists(), reason="the memory of a process is known on Linux only")
def test_reading_in_pieces_takes_the_memory_of_a_piece() -> None:
    array = mapped(32 * PIECE)
    leave_pages(array)
    before = resident()
    most = max(resident() for _ in byte_pieces(array))
    assert most - before < 8 * PIECE
