"""Context managers around the work of a model: its state after an error, and the number of threads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numba


@contextmanager
def all_or_nothing(state: dict[str, Any]) -> Iterator[None]:
    """Restore the entries of `state` after an error."""
    before = dict(state)
    try:
        yield
    except BaseException:
        state.clear()
        state.update(before)
        raise


@contextmanager
def threads(n: int | None) -> Iterator[None]:
    """Run compiled loops on n threads; None for all cores."""
    before, most = numba.get_num_threads(), int(numba.config.NUMBA_NUM_THREADS)  # type: ignore[attr-defined]
    numba.set_num_threads(min(n or most, most))
    try:
        yield
    finally:
        numba.set_num_threads(before)
