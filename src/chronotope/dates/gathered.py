"""Times of many documents, gathered one by one in little memory."""

from __future__ import annotations

from array import array

import numpy as np

from chronotope._typing import Floats
from chronotope.dates.columns import Time, TimeFormat
from chronotope.dates.decimal import parse_times
from chronotope.dates.rough import RoughDate, RoughDates
from chronotope.dates.rough_text import Examples

_CHUNK = 10_000  # times that are converted at a time


class TimeList:
    """Times of documents as numbers, and those that are rough as densities; it grows by one time after another.

    examples : how some of the rough dates were written and understood
    """

    def __init__(self, time_format: TimeFormat) -> None:
        self._format = time_format
        self._read: list[Time] = []
        self._times = [np.empty(0)]
        self._document, self._corners = array("q"), array("d")
        self._n = 0
        self.examples = Examples()

    def append(self, time: Time) -> None:
        """Add the time of the next document, as the format has read it."""
        if isinstance(time, RoughDate):
            for corners in time.pieces:
                self._document.append(self._n)
                self._corners.extend(corners)
            self.examples.see(time)
            time = np.datetime64("NaT", "us")
        self._read.append(time)
        self._n += 1
        if len(self._read) == _CHUNK:
            self._convert()

    def __len__(self) -> int:
        return self._n

    def values(self) -> Floats:
        """Times as numbers, (D,), NaN for those that are rough."""
        self._convert()
        self._times = [np.concatenate(self._times)]
        return self._times[0]

    def rough(self) -> RoughDates | None:
        """The dates that are known roughly, None if there are none."""
        if not self._document:
            return None
        return RoughDates(np.array(self._document, dtype=np.int64), np.array(self._corners).reshape(-1, 4))

    def _convert(self) -> None:
        self._times.append(parse_times(self._format.column(self._read), "drop").values)
        self._read = []
