"""A window of time: documents from one date to another."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from chronotope._typing import Floats, Mask
from chronotope.dates.decimal import decimal_years
from chronotope.dates.instants import precision_of, read_time
from chronotope.dates.rough import RoughDate

FIRST, LAST = -math.inf, math.inf
EARLIEST, LATEST = np.datetime64("-290000", "us"), np.datetime64("290000", "us")


class Window(NamedTuple):
    """Times from a start to an end, both included: all of the last year, month or day, if that is the end.

    low, high : numbers, for times without a calendar;  start, end : instants, the end not included
    """

    low: float
    high: float
    start: np.datetime64
    end: np.datetime64

    def holds(self, time: float | np.datetime64 | RoughDate) -> bool:
        """Whether a time is in the window: a number, an instant, or a rough date, if its middle is.

        The middle of a date that is open is not known here; it is in a window that is open on the same side.
        """
        if isinstance(time, RoughDate):
            return self._holds_middle(*time.middle)
        if isinstance(time, np.datetime64):
            return bool(self.start <= time < self.end)
        return self.low <= time <= self.high

    def chosen(self, times: Floats, calendar: bool) -> Mask:
        """Which of some times are in the window, (D,).   calendar : whether they are decimal years."""
        if not calendar:
            inside: Mask = (times >= self.low) & (times <= self.high)
            return inside
        start, end = (decimal_years(np.array([bound]))[0] for bound in (self.start, self.end))
        inside = (times >= start) & (times < end)
        return inside

    def _holds_middle(self, first: float, last: float) -> bool:
        """Whether a middle that is somewhere from one time to another is in the window for certain."""
        start, end = (float(decimal_years(np.array([bound]))[0]) for bound in (self.start, self.end))
        after = self.start == EARLIEST or start <= first
        return after and (self.end == LATEST or last < end)


def time_window(start: Any = None, end: Any = None) -> Window | None:
    """The window from a start to an end, each a number or a date; None for an open one. None if both are open."""
    if start is None and end is None:
        return None
    low, first, _ = (FIRST, EARLIEST, EARLIEST) if start is None else _bound("start", start)
    high, _, after = (LAST, LATEST, LATEST) if end is None else _bound("end", end)
    if not (low <= high or first < after):
        raise ValueError(f"start is {start!r} and end {end!r}; expected an end that is not before the start.")
    return Window(low, high, first, after)


def _bound(name: str, value: Any) -> tuple[float, np.datetime64, np.datetime64]:
    """The number of a bound, the first instant of the year, month or day that it names, and the first one after."""
    number, instant = read_time(value)
    if np.isnat(instant) and number.is_integer() and 0 <= number <= 9999:
        instant = np.datetime64(f"{number:04.0f}", "us")
    if np.isnat(instant) and not math.isfinite(number):
        raise ValueError(f"{name} is {value!r}; expected a date such as 1861, 1861-03 or 1861-03-04, or a number.")
    if np.isnat(instant):
        return number, EARLIEST, LATEST
    if math.isnan(number):
        number = float(decimal_years(np.array([instant]))[0])
    unit = precision_of(value)
    return number, instant, (instant.astype(f"datetime64[{unit}]") + 1).astype("datetime64[us]")
