"""Texts of dates that are known roughly, read as densities over time, and these in words."""

from __future__ import annotations

import calendar
import datetime as dt
import math
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from chronotope.dates.parse import LONGEST
from chronotope.dates.rough import UNKNOWN, Corners, RoughDate, RoughDates
from chronotope.dates.spoken import spoken_spans
from chronotope.dates.standard import edtf_spans

EXAMPLES = 5  # rough dates that are named
_KEPT = 65_536  # texts whose meaning is kept
_YEARS, _MONTHS = 3.0, 0.07  # years from which on spans are named by their years or months
_LITTLE, _HALF_A_DAY = 1e-6, 0.5 / 366  # years
_DIGITS = re.compile(r"[0-9]+")
_DECADE = re.compile(r"(?<![0-9])[12][0-9][1-9]0['’]?-?(?:s|tal|talet|tallet)\b", re.IGNORECASE)


@lru_cache(_KEPT)
def rough_date(
    text: str, day_first: bool | None = None, century_start: int | None = None, decades: bool = False
) -> tuple[Corners, ...] | None:
    """The pieces of the density of a date that is known roughly, None if the text cannot be read.

    Read are the Extended Date/Time Format, such as "1851~" or "185X", and what people write in ten languages:
    "circa 1850", "the 1930s", "early 19th century", "between 1914 and 1918", "before 1914", "n.d.".

    text : str;  day_first, century_start : see `iso_date`
    decades : bool, default False; whether the 1800s are ten years, as beside the 1810s, see `has_decades`
    """
    text = text.strip()
    if not 0 < len(text) <= LONGEST:
        return None
    spans = edtf_spans(text) or spoken_spans(text, day_first, century_start, decades)
    return None if spans is None else tuple(each.corners for each in spans)


def read_rough(
    item: Any, day_first: bool | None = None, century_start: int | None = None, decades: bool = False
) -> RoughDate | None:
    """The rough date that a value is or means, None if there is none; parameters as of `rough_date`."""
    if isinstance(item, RoughDate) or not isinstance(item, str):
        return item if isinstance(item, RoughDate) else None
    pieces = rough_date(item, day_first, century_start, decades)
    return None if pieces is None else RoughDate(item.strip(), pieces)


def has_decades(values: Iterable[Any]) -> bool:
    """Whether a decade such as the 1890s is among some dates: the 1900s are then one too, else a century."""
    return any(isinstance(value, str) and len(value) <= LONGEST and _DECADE.search(value) for value in values)


class Examples(dict[str, RoughDate]):
    """The first rough dates of different forms: "circa 1850" and "circa 1851" have one."""

    @classmethod
    def of(cls, dates: Iterable[RoughDate]) -> Examples:
        """Those among some dates."""
        found = cls()
        for date in dates:
            found.see(date)
        return found

    def see(self, date: RoughDate) -> None:
        """Keep a date if its form is new and there is room; dates that are not known tell nothing."""
        if len(self) < EXAMPLES and date.pieces != (UNKNOWN,):
            self.setdefault(_DIGITS.sub("0", date.written), date)

    @property
    def notes(self) -> list[str]:
        """How they were understood, one sentence; none if there are none."""
        shown = (f"{date.written!r} as {density_in_words(date.pieces)}" for date in self.values())
        return [f"rough dates were read as densities over time: {'; '.join(shown)}"] if self else []


def date_notes(n_documents: int, rough: RoughDates | None, examples: Examples) -> list[str]:
    """How many dates are exact, rough and unknown, and how rough ones were understood; nothing if all are exact."""
    return [] if rough is None else [counted_dates(n_documents, rough), *examples.notes]


def counted_dates(n_documents: int, rough: RoughDates | None) -> str:
    """How many dates are exact, rough and unknown: "dates: 6,000 exact, 3,000 rough"; "" if all are exact."""
    if rough is None:
        return ""
    n_unknown = len(rough.unknown)
    n_rough = len(rough.documents) - n_unknown
    numbers = {"exact": n_documents - n_rough - n_unknown, "rough": n_rough, "unknown": n_unknown}
    return "dates: " + ", ".join(f"{n:,} {kind}" for kind, n in numbers.items() if n)


def density_in_words(pieces: Iterable[Corners]) -> str:
    """Pieces of a density in words: "1840 to 1860, most likely 1848 to 1852"; "before 1914"; "1851 or 1853"."""
    return " or ".join(map(_piece_in_words, pieces))


def _piece_in_words(corners: Corners) -> str:
    a, b, c, d = corners
    if math.isinf(a) and math.isinf(d):
        return "any time"
    if math.isinf(a):
        return f"before {_named(d, _YEARS if _is_whole(d) else _MONTHS)}"
    if math.isinf(d):
        return f"{_named(a, _YEARS if _is_whole(a) else _MONTHS)} or later"
    whole = _from_to(a, d)
    return whole if (a, d) == (b, c) else f"{whole}, most likely {_from_to(b, c)}"


def _from_to(start: float, end: float) -> str:
    """The first and the last year of a span, its months if it is shorter than three years, or its days."""
    size = _YEARS if _is_whole(start) and _is_whole(end) else end - start
    first, last = _named(start, size), _named(max(end - _HALF_A_DAY, start), size)
    return first if first == last else f"{first} to {last}"


def _named(time: float, size: float) -> str:
    """The year, month or day that a time is in.   size : years, by which one of them is chosen."""
    year = math.floor(time + _LITTLE)
    if size >= _YEARS or not 1 <= year <= 9999:
        return f"{year}"
    length = 366 if calendar.isleap(year) else 365
    day = dt.date(year, 1, 1) + dt.timedelta(days=math.floor((time - year) * length + length * _LITTLE))
    return day.isoformat()[: 7 if size >= _MONTHS else 10]


def _is_whole(time: float) -> bool:
    return abs(time - round(time)) < _LITTLE
