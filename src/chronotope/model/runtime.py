"""What holds while a model is at work, and no longer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numba


@contextmanager
def all_or_nothing(state: dict[str, Any]) -> Iterator[None]:
    """Whatever goes wrong, the entries of `state` are what they were before."""
    before = dict(state)
    try:
        yield
    except BaseException:
        state.clear()
        state.update(before)
        raise


@contextmanager
def threads(n: int | None) -> Iterator[None]:
    """Run compiled loops on n threads, or on all there are."""
    before, most = numba.get_num_threads(), int(numba.config.NUMBA_NUM_THREADS)  # type: ignore[attr-defined]
    numba.set_num_threads(min(n or most, most))
    try:
        yield
    finally:
        numba.set_num_threads(before)
