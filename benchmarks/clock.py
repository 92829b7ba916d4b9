"""A clock that can be stopped while results are looked at."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Clock:
    """Seconds of work; what happens between `running` and inside `paused` is not counted."""

    def __init__(self) -> None:
        self._total = 0.0
        self._since: float | None = None

    @property
    def seconds(self) -> float:
        """Work so far."""
        return self._total + (0.0 if self._since is None else time.perf_counter() - self._since)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Count what happens in here."""
        self._since = time.perf_counter()
        try:
            yield
        finally:
            self._total, self._since = self.seconds, None

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Do not count what happens in here, while running."""
        self._total, self._since = self.seconds, None
        try:
            yield
        finally:
            self._since = time.perf_counter()
