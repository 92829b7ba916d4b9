"""Around the work of a model: its state after an error, the number of threads, and what is said while loops compile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from chronotope.display.progress import compiling_shown
from chronotope.loops import threads


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
def compiled_loops(n_threads: int | None, verbose: bool | None) -> Iterator[None]:
    """Run compiled loops on n threads, None for all cores, and say so if they have to be compiled first."""
    with threads(n_threads), compiling_shown(verbose):
        yield
