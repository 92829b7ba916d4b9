"""How a column writes its times: as dates, years, days in eight digits, Unix time, or plain numbers."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from chronotope.dates.decimal import read_time
from chronotope.dates.parse import CENTURY_START, DateOrder, has_short_year

_EIGHT_DIGITS = re.compile(r"(?P<year>[12]\d{3})(?P<month>\d\d)(?P<day>\d\d)", re.ASCII)
_ENOUGH = 1000  # values that decide, unless 03/04/1861 is still open
_ADVICE = "say which with day_first=True or day_first=False"
_KINDS = {
    "years": "whole numbers, read as years",
    "days": "eight digits, read as year, month and day",
    "seconds": "large numbers, read as seconds since 1970",
    "milliseconds": "large numbers, read as milliseconds since 1970",
}


def is_missing(value: Any) -> bool:
    """Whether a cell holds nothing: None, NaN, NaT, NA or blank text."""
    if isinstance(value, str):
        return not value.strip()
    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and value != value)


class TimeFormat(NamedTuple):
    """How to read the times of one column."""

    kind: str
    day_first: bool | None
    shown_by: str = ""  # the date that told day_first, where it was not given
    century_start: int | None = None  # of years of two digits, None if there are none
    short_year: str = ""  # the first such date

    def read(self, value: Any) -> str | float | None:
        """The time as an ISO date or a number; None where it cannot be read."""
        number, instant = read_time(value, self.day_first, self.century_start)
        if self.shown_by and math.isnan(number) and np.isnat(instant):
            self._check_order(value)
        if self.kind == "numbers":
            return number if math.isfinite(number) else None
        if self.kind == "days" and math.isfinite(number):
            return _eight_digits(number)
        if self.kind in ("seconds", "milliseconds") and math.isfinite(number):
            return _since_1970(number / (1000 if self.kind == "milliseconds" else 1))
        if math.isfinite(number):
            return f"{number:.0f}" if number == round(number) and 1000 <= number <= 9999 else None
        return None if np.isnat(instant) else _iso(instant)

    def _check_order(self, value: Any) -> None:
        """Refuse a date that shows the order of the others to be guessed wrongly."""
        if not np.isnat(read_time(value, not self.day_first, self.century_start)[1]):
            here, there = ("month", "day") if self.day_first else ("day", "month")
            raise ValueError(f"{value!r} has its {here} first but earlier dates have their {there} first; {_ADVICE}.")

    @property
    def notes(self) -> list[str]:
        """What was decided about the column."""
        notes = [_KINDS[self.kind]] if self.kind in _KINDS else []
        if self.shown_by:
            notes.append(f"dates with the {'day' if self.day_first else 'month'} first, as {self.shown_by!r} shows")
        if self.century_start is not None and self.short_year:
            last = self.century_start + 99
            notes.append(
                f"years of two digits, such as {self.short_year!r}, read as {self.century_start} to {last}; "
                "say otherwise with century_start="
            )
        return notes


def choose_time_format(
    values: Iterable[Any], day_first: bool | None = None, century_start: int | None = None
) -> TimeFormat:
    """How a column writes its times, from its first values, and from all where days and months are hard to tell."""
    if century_start is not None and not 1 <= century_start <= 9900:
        raise ValueError(f"century_start is {century_start}; expected a year such as {CENTURY_START}.")
    present = (value for value in values if not is_missing(value))
    sample = list(islice(present, _ENOUGH))
    short = next((text for value in sample if has_short_year(text := str(value).strip())), "")
    if short and century_start is None:
        century_start = CENTURY_START
    order = DateOrder(short_years=century_start is not None)
    for value in sample:
        order.see(str(value).strip())
    while day_first is None and (order.open or (order.day and order.month)):
        if (value := next(present, None)) is None:
            break
        order.see(str(value).strip())
    told = order.day_first(_ADVICE) if day_first is None else None
    shown_by = "" if told is None else order.day or order.month
    kind = _kind(sample, century_start)
    return TimeFormat(kind, day_first if told is None else told, shown_by, century_start, short)


def _kind(sample: Sequence[Any], century_start: int | None) -> str:
    """What the values are; one date makes a column of dates."""
    read = [read_time(value, True, century_start) for value in sample]
    numbers = np.array([number for number, _ in read if math.isfinite(number)])
    if not len(numbers) or any(not np.isnat(instant) and math.isnan(number) for number, instant in read):
        return "dates"
    if all(_eight_digits(number) for number in numbers):
        return "days"
    if np.all((numbers == np.round(numbers)) & (numbers >= 1000) & (numbers <= 2999)):
        return "years"
    if np.all((numbers >= 1e8) & (numbers < 1e14)):
        return "seconds" if np.median(numbers) < 1e11 else "milliseconds"
    return "numbers"


def _iso(instant: np.datetime64) -> str:
    """ISO text, without a clock at midnight and with four digits in years before 0."""
    text = str(instant).removesuffix(".000000").removesuffix("T00:00:00")
    return "-" + text[1:].zfill(len("0044-03-15")) if text.startswith("-") and "T" not in text else text


def _eight_digits(number: float) -> str | None:
    """18610304 as an ISO date; None if there is no such day."""
    match = _EIGHT_DIGITS.fullmatch(f"{number:.0f}") if number == round(number) else None
    try:
        return dt.date(*map(int, match.groups())).isoformat() if match else None
    except ValueError:
        return None


def _since_1970(seconds: float) -> str | None:
    """The ISO date of Unix time, None beyond the year 9999."""
    try:
        return dt.datetime.fromtimestamp(seconds, dt.UTC).replace(tzinfo=None).isoformat()
    except (OverflowError, ValueError, OSError):
        return None
