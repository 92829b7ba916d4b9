"""The times of a report: an even grid with labels, and ticks for the axes."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from chronotope._typing import Floats, Ints
from chronotope.dates.decimal import decimal_years, format_time, has_dates

YEAR, MONTH = 1.0, 1 / 12
MARKS = 9  # ticks on an axis, about
MONTHS = (1, 2, 3, 6, 12)


def report_times(span: tuple[float, float], calendar: bool, most: int) -> Floats:
    """Evenly spaced times over the span, at most so many; in a span of many years at most one per year."""
    first, last = span
    if last <= first:
        return np.array([first])
    years = last - first
    return np.linspace(first, last, min(most, round(years) + 1) if calendar and years >= 60 else most)


def some_of(places: Ints, most: int) -> Ints:
    """At most so many of these numbers, evenly spaced, the first and the last among them.   most : at least 1"""
    n = min(len(places), max(most, 2))
    found: Ints = places[np.unique(np.linspace(0, len(places) - 1, n).round().astype(int))]
    return found


def time_namer(times: Floats, calendar: bool) -> Callable[[float], str]:
    """A function that labels times to the precision of the grid: year, month or day; numbers without a calendar."""
    step = (times[-1] - times[0]) / max(len(times) - 1, 1)
    if not (calendar and has_dates(times)):
        digits = 6 if step <= 0 else max(1, 2 + math.ceil(math.log10(max(abs(times[0]), abs(times[-1])) / step)))
        return lambda time: f"{time:.{digits}g}"
    drop = 6 if step >= 0.9 * YEAR else 3 if step >= 0.9 * MONTH else 0
    return lambda time: format_time(time, True)[: -drop or None]


def period_name(start: float, end: float, name: Callable[[float], str]) -> str:
    """The label of a period, from start to end."""
    return name(start) if name(start) == name(end) else f"{name(start)} to {name(end)}"


def time_marks(span: tuple[float, float], calendar: bool) -> list[tuple[float, str]]:
    """Round times for the ticks of an axis, with their labels."""
    first, last = span
    if last <= first:
        return [(first, format_time(first, calendar))]
    if not (calendar and has_dates(span)) or last - first >= 6 * YEAR:
        return [(time, f"{time:.10g}") for time in even_marks(first, last, whole=calendar)]
    months = (last - first) / MONTH
    if months >= 3:
        step = next((step for step in MONTHS if months / step <= MARKS), 12)
        return _dates(span, "M", step, 7)
    return _dates(span, "D", max(1, math.ceil(months * 30.4 / MARKS)), 10)


def even_marks(first: float, last: float, whole: bool = False) -> list[float]:
    """Round numbers from the first to the last, 1, 2 or 5 times a power of ten apart."""
    rough = (last - first) / MARKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(n * power for n in (1, 2, 5, 10) if n * power >= rough * 0.999)
    step = max(step, 1.0) if whole else step
    return [float(f"{i * step:.12g}") for i in range(math.ceil(first / step), math.floor(last / step) + 1)]


def _dates(span: tuple[float, float], unit: str, step: int, cut: int) -> list[tuple[float, str]]:
    """Every so many months or days, as decimal years with their ISO dates."""
    start, end = (np.datetime64(format_time(time, True)).astype(f"datetime64[{unit}]") for time in span)
    dates = np.arange(start, end + 1)
    if unit == "M":
        dates = dates[dates.astype(np.int64) % step == 0]
    else:
        dates = dates[::step]
    years = decimal_years(dates)
    inside = (years >= span[0]) & (years <= span[1])
    return [(float(time), str(date)[:cut]) for time, date in zip(years[inside], dates[inside], strict=True)]
