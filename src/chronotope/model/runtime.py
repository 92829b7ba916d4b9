"""Around the work of a model: its state after an error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


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
