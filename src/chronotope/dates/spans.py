"""Spans of time that are named roughly, and the densities that they become."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from typing import NamedTuple

from chronotope.dates.rough import Corners

UNSURE, CIRCA = 1, 2  # "1850?" and "circa 1850"; "circa 1850?" is both
REACH = 10.0  # "circa" falls to 0 so many days, months or years before and after what is named,
LONG = 20.0  # or half its length, of spans of more years than this
FULL = 0.2  # and stays full for this part of it; "?" reaches half as far, "circa ...?" half as far again
FIRST_YEAR, LAST_YEAR = 1, 9999
# seasons as EDTF numbers them, with their first and last months; those that go on into the next year have more than 12
SEASONS = {21: (3, 5), 22: (6, 8), 23: (9, 11), 24: (12, 14)}
SEASONS |= {25: (3, 5), 26: (6, 8), 27: (9, 11), 28: (12, 14), 29: (9, 11), 30: (12, 14), 31: (3, 5), 32: (6, 8)}
SEASONS |= {
    33: (1, 3),
    34: (4, 6),
    35: (7, 9),
    36: (10, 12),
    37: (1, 4),
    38: (5, 8),
    39: (9, 12),
    40: (1, 6),
    41: (7, 12),
}


class End(NamedTuple):
    """One end of a span: its decimal year, how many years "circa" reaches beyond it, and how doubtful it is."""

    time: float
    reach: float = 0.0
    doubt: int = 0

    def doubted(self, doubt: int) -> End:
        """The same end with more doubt.   doubt : UNSURE, CIRCA, both or 0."""
        return self._replace(doubt=self.doubt | doubt)

    @property
    def taper(self) -> float:
        """Years beyond the end after which the density is 0."""
        return self.reach * self.doubt / CIRCA


class Span(NamedTuple):
    """A span of time, from a start to an end that is not in it; infinite if it is open."""

    start: End
    end: End

    def doubted(self, doubt: int) -> Span:
        """The same span with doubt at both ends.   doubt : UNSURE, CIRCA, both or 0."""
        return Span(self.start.doubted(doubt), self.end.doubted(doubt))

    @property
    def corners(self) -> Corners:
        """Where the density rises, is full, falls and ends."""
        start, end = self
        before, after = start.taper, end.taper
        return start.time - before, start.time - FULL * before, end.time + FULL * after, end.time + after

    def part(self, number: int, of: int) -> Span:
        """One of some equal parts.   number : from 0;  of : how many there are."""
        length = self.end.time - self.start.time
        first, last = (self.start.time + length * (number + one) / of for one in (0, 1))
        return span(first, last)


OPEN_START, OPEN_END = End(-math.inf), End(math.inf)
UNKNOWN_SPAN = Span(OPEN_START, OPEN_END)


def span(start: float, end: float) -> Span:
    """The span between two decimal years."""
    length = end - start
    reach = REACH * length if length < 1.0 else max(REACH, 0.5 * length) if length > LONG else REACH
    return Span(End(start, reach), End(end, reach))


def years(first: int, number: int = 1) -> Span | None:
    """The span of some years; None before the year 1 and after 9999."""
    return span(first, first + number) if first >= FIRST_YEAR and first + number - 1 <= LAST_YEAR else None


def date_span(year: int, month: int | None = None, day: int | None = None) -> Span | None:
    """The span of a year, a month or a day; None if there is no such day."""
    if month is None:
        return years(year)
    if day is None:
        return months(year, month, month) if 1 <= month <= 12 else None
    try:
        return span(_decimal(dt.date(year, month, day)), _decimal(dt.date(year, month, day), after=1))
    except ValueError:
        return None


def months(year: int, first: int, last: int) -> Span | None:
    """The span from a month to another one, that of the next year if it is above 12."""
    if years(year) is None or (last > 12 and years(year + 1) is None):
        return None
    start = year + (first - 1) // 12, (first - 1) % 12 + 1
    end = year + last // 12, last % 12 + 1
    return span(_decimal(dt.date(*start, 1)), float(end[0]) if end[1] == 1 else _decimal(dt.date(*end, 1)))


def season(year: int, number: int) -> list[Span] | None:
    """The spans of a season of a year;  number : that of EDTF, 21 to 41.

    A winter goes on into the next year, or is what was left of it in January and February: either may be meant.
    """
    first, last = SEASONS[number]
    found = [months(year, first, last)]
    if last > 12:
        found.insert(0, months(year, 1, last - 12))
    return every(found)


def joined_spans(first: Sequence[Span], last: Sequence[Span]) -> list[Span] | None:
    """The span from one to another, each of one piece or several; None if the second is before the first."""
    start, end = first[-1], last[-1]
    if start.start.time <= end.start.time and start.end.time <= end.end.time:
        return [Span(start.start, end.end)]
    return None


def every(found: Sequence[Span | None]) -> list[Span] | None:
    """The spans, None if any could not be read, or there are none."""
    spans = [each for each in found if each is not None]
    return spans if spans and len(spans) == len(found) else None


def _decimal(day: dt.date, after: int = 0) -> float:
    """The decimal year of the start of a day, or of some days after it."""
    first = day.replace(month=1, day=1)
    length = 366 if (day.year % 4 == 0 and day.year % 100 != 0) or day.year % 400 == 0 else 365
    return day.year + ((day - first).days + after) / length
