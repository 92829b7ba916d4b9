"""Periods of time: decades, months, or any edges of the user's own, with their names as people write them."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from chronotope._typing import Floats, Ints
from chronotope.dates.decimal import cut_date, decimal_years, format_time, has_dates, parse_duration, parse_times

MOST = 40  # periods if their length is not given
LENGTHS = ("day", "week", "month", "quarter", "year", "5 years", "decade", "25 years", "50 years", "century")
ROUND = (1.0, 2.0, 5.0)  # lengths of periods of plain numbers, times a power of ten
_CALENDAR = re.compile(r"(?P<amount>\d+)?\s*(?P<unit>day|week|month|quarter)s?", re.IGNORECASE | re.ASCII)
_UNITS = {"day": ("D", 1), "week": ("D", 7), "month": ("M", 1), "quarter": ("M", 3)}
MONDAY = -3  # 29 December 1969, in days from 1970: weeks are counted from here


class Periods(NamedTuple):
    """P consecutive intervals of time, from edge to edge;  edges : (P + 1,), increasing;  names : (P,)."""

    edges: Floats
    names: list[str]

    @property
    def times(self) -> Floats:
        """The middle of each period, (P,)."""
        middle: Floats = 0.5 * (self.edges[:-1] + self.edges[1:])
        return middle

    def place(self, times: Floats) -> Ints:
        """The period each time lies in, (n,), −1 if in none; the last period holds its own end."""
        row = np.searchsorted(self.edges, times, side="right") - 1
        row[times == self.edges[-1]] = len(self.names) - 1
        outside = (times < self.edges[0]) | (times > self.edges[-1])
        row[outside] = -1
        return row.astype(np.int64)

    def columns(self, calendar: bool) -> pd.DataFrame:
        """A row for each period: period, start, end, time, and the dates if there is a calendar."""
        table = pd.DataFrame(
            {"period": self.names, "start": self.edges[:-1], "end": self.edges[1:], "time": self.times}
        )
        return with_dates(table, calendar)


def choose_periods(given: Any, span: tuple[float, float], calendar: bool) -> Periods:
    """Periods that cover a span of time.

    given : str, number or array_like; a length such as "decade", "10 years", "month" or a number in the corpus' own
        unit; or edges, as times or dates; None for a round length that makes at most 40 periods
    span : first and last time;  calendar : whether times are decimal years

    Periods of a length begin at round times: decades at 1790, 1800; quarters in January, April; weeks on Mondays.
    """
    if given is None:
        given = round_length(span, calendar)
    if isinstance(given, str | int | float | np.integer | np.floating) and not isinstance(given, bool):
        edges = _edges_of_length(given, span, calendar)
    else:
        edges = np.unique(parse_times(given).values)
        if len(edges) < 2:
            found = "one edge" if len(edges) else "no edges"
            raise ValueError(f"periods has {found}; pass at least 2, or a length such as '10 years'.")
    return Periods(edges, [_name(a, b, calendar) for a, b in pairwise(edges)])


def with_dates(table: pd.DataFrame, calendar: bool, resolution: float = 0.0) -> pd.DataFrame:
    """The table with the date of every time in ISO form beside it: date for time, start_date for start, and so on.

    Times stay numbers, so tables can be computed with; a corpus without a calendar has no dates.
    resolution : in years, default 0.0; dates are written to the month or the year if it is coarser than that
    """
    if not calendar:
        return table
    for name in ("time", "start", "peak", "end", "origin", "low_time", "high_time"):
        if name in table.columns:
            values, row = np.unique(table[name], return_inverse=True)
            written = [cut_date(format_time(value, True), resolution) for value in values]
            dates = np.array(written, dtype=object)[row]
            head = name.removesuffix("time").rstrip("_")
            place = int(np.flatnonzero(table.columns == name)[0]) + 1
            table.insert(place, f"{head}_date" if head else "date", dates)
    return table


def round_length(span: tuple[float, float], calendar: bool) -> float | str:
    """The shortest round length that makes at most 40 periods of a span.   span, calendar : see `choose_periods`."""
    length = span[1] - span[0]
    if calendar:
        fitting = (name for name in LENGTHS if _in_years(name) * (MOST - 1) >= length)
        return next(fitting, length / (MOST - 1))
    if length <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(length / MOST))
    return next(step * power for step in (*ROUND, 10.0) if step * power * (MOST - 1) >= length)


def _in_years(length: str) -> float:
    return parse_duration(length if length[0].isdigit() else f"1 {length}")


def _edges_of_length(given: Any, span: tuple[float, float], calendar: bool) -> Floats:
    """Edges at round times that cover the span, its end included."""
    text = given.strip() if isinstance(given, str) else ""
    match = _CALENDAR.fullmatch(text)
    if match and calendar:
        return _calendar_edges(int(match["amount"] or 1), match["unit"].lower(), span)
    length = (_in_years(text) if text else math.nan) if isinstance(given, str) else float(given)
    if not (length > 0 and math.isfinite(length)):
        raise ValueError(f'periods is {given!r}; expected a length such as "10 years", a positive number, or edges.')
    first, last = math.floor(span[0] / length), math.floor(span[1] / length) + 1
    _check_number(last - first, given)
    return np.arange(first, last + 1, dtype=np.float64) * length


def _calendar_edges(amount: int, unit: str, span: tuple[float, float]) -> Floats:
    """Edges at days, Mondays or the first of months."""
    code, size = _UNITS[unit]
    step = amount * size
    if step < 1:
        raise ValueError(f'periods is "{amount} {unit}"; expected a length above 0.')
    if not has_dates(span):
        raise ValueError(f'periods is "{amount} {unit}", but times up to {span[1]:.4g} have no dates; pass edges.')
    kind = f"datetime64[{code}]"
    days = np.array([format_time(time, True) for time in span], dtype="datetime64[D]")
    origin = MONDAY if unit == "week" else 0
    first, last = (days.astype(kind).astype(np.int64) - origin) // step
    _check_number(last + 1 - first, f"{amount} {unit}")
    return decimal_years((origin + np.arange(first, last + 2) * step).astype(kind))


def _check_number(n: int, given: Any) -> None:
    if n > 1_000_000:
        raise ValueError(f"periods of {given!r} would be {n:,}; choose a longer one.")


def _name(start: float, end: float, calendar: bool) -> str:
    """What people call a period: 1861, 1860 to 1869, 1861-03, 1861-03-04; for numbers, its edges."""
    if not calendar:
        return f"{start:.10g} to {end:.10g}"
    if start == round(start) and end == round(end):
        first, last = f"{start:.0f}", f"{end - 1:.0f}"
    else:
        days = [np.datetime64(format_time(start, True)), np.datetime64(format_time(end, True)) - 1]
        whole = str(days[0]).endswith("-01") and str(days[1] + 1).endswith("-01")
        first, last = (str(day)[: 7 if whole else 10] for day in days)
    return first if first == last else f"{first} to {last}"
