"""What one core of this machine can do: bytes moved to and from memory, and multiply-adds, per second."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

REPEATS = 7
TERMS, VALUES, ROUNDS = 32, 1_024, 2_000  # multiply-adds of a number in a row, numbers (4 KB), rounds over them
HALF = np.float32(0.5)


@njit(fastmath={"contract"})
def _triad(a: Any, b: Any, c: Any, size: Any) -> None:
    """a = b + size · c.   a, b, c : (n,)."""
    for i in range(len(a)):
        a[i] = b[i] + size * c[i]


@njit(fastmath={"contract"})
def _multiply_add(x: Any, size: Any, rounds: int) -> None:
    """x ← size · x + size, TERMS times in each round: the numbers are independent, and stay in registers meanwhile."""
    for _ in range(rounds):
        for i in range(len(x)):
            y = x[i]
            for _ in range(TERMS):
                y = y * size + size
            x[i] = y


def measure_bandwidth(n: int) -> float:
    """GB per second of a triad over three arrays of n numbers in single precision: two are read, one is written.

    As in the STREAM benchmark, the reads of lines of the cache that are about to be written do not count.
    """
    a, b, c = (np.full(n, i, np.float32) for i in range(3))
    return 3 * a.nbytes / _least_seconds(lambda: _triad(a, b, c, HALF)) / 1e9


def measure_multiply_adds(rounds: int = ROUNDS) -> float:
    """10⁹ multiply-adds per second in single precision, without memory."""
    x = np.ones(VALUES, np.float32)
    return rounds * VALUES * TERMS / _least_seconds(lambda: _multiply_add(x, HALF, rounds)) / 1e9


def _least_seconds(work: Callable[[], None]) -> float:
    """The least of a few, after one that compiles: a limit is what is possible."""
    seconds = []
    for _ in range(REPEATS + 1):
        began = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - began)
    return min(seconds[1:])
