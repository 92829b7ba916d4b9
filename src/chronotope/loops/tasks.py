"""Tasks of compiled loops on several threads: these loops do not hold Python's lock (GIL).

Threads of Python, since loops that numba runs in parallel take more than twice as long to compile.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from itertools import pairwise
from typing import Any

import numba
import numpy as np

MOST: int = numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]
LEAST = 20_000  # values of the largest array from which on other threads are worth their waking
_chosen = ContextVar("threads", default=MOST)


def available_threads() -> int:
    """Number of threads that compiled loops run on."""
    return _chosen.get()


@contextmanager
def threads(n: int | None) -> Iterator[None]:
    """Run compiled loops on n threads; None for all cores."""
    before = _chosen.set(min(n or MOST, MOST))
    try:
        yield
    finally:
        _chosen.reset(before)


def run_loop(loop: Callable[..., None], n: int, *given: Any) -> None:
    """Call loop(first, last, *given) for the tasks 0 … n − 1, a range of them on each thread.

    Every task owns its outputs, so the result is the same for any number of threads. Small arrays are left to the
    thread that calls: another would take longer to wake than they take.
    """
    width = max(1, min(available_threads(), n)) if max(_sizes(given), default=LEAST) >= LEAST else 1
    (_, end), *others = pairwise(i * n // width for i in range(width + 1))
    running = [_workers().submit(loop, *span, *given) for span in others]
    try:
        loop(0, end, *given)
    finally:
        wait(running)  # also after an interruption: nothing writes to the arrays any more
    for each in running:
        each.result()


def _sizes(given: Any) -> Iterator[int]:
    """Numbers of values of the arrays among some arguments, and in tuples of them."""
    for x in given:
        if isinstance(x, np.ndarray):
            yield x.size
        elif isinstance(x, tuple):
            yield from _sizes(x)


@cache
def _workers() -> ThreadPoolExecutor:
    """Threads beside the one that calls; they start when they are needed."""
    return ThreadPoolExecutor(max(1, MOST - 1), thread_name_prefix="chronotope")


if hasattr(os, "register_at_fork"):  # a process that was forked has none of these threads
    os.register_at_fork(after_in_child=_workers.cache_clear)
