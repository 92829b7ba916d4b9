"""How a column writes its times: as dates, years, days in eight digits, Unix time, serial dates, or plain numbers."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chronotope.dates.decimal import UseRough, check_rough_dates
from chronotope.dates.instants import read_time
from chronotope.dates.parse import CENTURY_START, DateOrder, has_short_year
from chronotope.dates.rough import RoughDate
from chronotope.dates.rough_text import has_decades, read_rough

# a number, an instant in UTC, of a year alone in the unit Y, or a date that is known roughly
Time = float | np.datetime64 | RoughDate

_EIGHT_DIGITS = re.compile(r"(?P<year>[12]\d{3})(?P<month>\d\d)(?P<day>\d\d)", re.ASCII)
_ENOUGH = 1000  # values that decide, unless 03/04/1861 is still ambiguous
_ADVICE = "say which with day_first=True or day_first=False"
NUMBERS = "numbers"  # the kind of a column whose times are not dates
_KINDS = {
    "years": "whole numbers, read as years",
    "days": "eight digits, read as year, month and day",
    "seconds": "large numbers, read as seconds since 1970",
    "milliseconds": "large numbers, read as milliseconds since 1970",
    "serial": "numbers from 20,000 to 60,000, read as days since 1899-12-30, which is how spreadsheets count them",
}
_FIRST_DAY = np.datetime64("1899-12-30", "s")  # day 0 of a spreadsheet
_SERIAL = 20_000, 60_000  # serial dates from 1954 to 2064, by which a column of them is known
_READ_AS_SERIAL = 3_000, 100_000  # what is read as one in such a column; years are not


def is_missing(value: Any) -> bool:
    """Whether a cell holds nothing: None, NaN, NaT, NA or blank text."""
    if isinstance(value, str):
        return not value.strip()
    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and value != value)


class TimeFormat(NamedTuple):
    """How the times of one column are written: as dates, years, days, Unix times, serial dates or numbers."""

    kind: str
    day_first: bool | None
    shown_by: str = ""  # the date that decided day_first, if it was not given
    century_start: int | None = None  # of two-digit years, None if there are none
    short_year: str = ""  # the first date with a two-digit year
    rough: bool = False  # whether dates that are known roughly are read
    decades: bool = False  # whether the 1900s are one, see `has_decades`

    def read(self, value: Any) -> Time | None:
        """The time that a value means, None if it cannot be read."""
        number, instant = read_time(value, self.day_first, self.century_start)
        if math.isfinite(number):
            return number if self.kind == NUMBERS else self._instant(number)
        if not np.isnat(instant):
            return None if self.kind == NUMBERS else instant
        if self.shown_by:
            self._check_order(value)
        if self.kind == NUMBERS or not self.rough:
            return None
        return read_rough(value, self.day_first, self.century_start, self.decades)

    def column(self, times: Sequence[Time]) -> NDArray[Any]:
        """Exact times that were read as one array, which `parse_times` takes without reading them again;  (n,)."""
        return np.array(times, dtype=np.float64 if self.kind == NUMBERS else "datetime64[us]")

    def _instant(self, number: float) -> np.datetime64 | None:
        """The instant that a number means in a column of this kind, None if there is none."""
        if self.kind == "days":
            return _eight_digits(number)
        if self.kind in ("seconds", "milliseconds"):
            return _since_1970(number / (1000 if self.kind == "milliseconds" else 1))
        if self.kind == "serial":
            return _serial_date(number)
        is_year = number == round(number) and 1000 <= number <= 9999
        return np.datetime64(f"{number:.0f}", "Y") if is_year else None

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
                f"two-digit years, such as {self.short_year!r}, read as {self.century_start} to {last}; "
                "say otherwise with century_start="
            )
        return notes


def choose_time_format(
    values: Iterable[Any],
    day_first: bool | None = None,
    century_start: int | None = None,
    may_be_serial: bool = False,
    rough_dates: UseRough = "drop",
) -> TimeFormat:
    """The format of a column of times, from its first values; from all if 03/04/1861 is ambiguous.

    values : iterable of any; read no further than needed
    day_first : bool, default None to find it out; whether 03/04/1861 is 3 April
    century_start : int, default None for 1930; the first of the hundred years that two-digit years mean
    may_be_serial : bool, default False; whether numbers from 20,000 to 60,000 are days as spreadsheets count them
    rough_dates : "use" or "drop", default "drop"; whether dates such as "circa 1850" are read
    """
    check_rough_dates(rough_dates)
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
    if kind == NUMBERS and may_be_serial and are_serial(sample):
        kind = "serial"
    day_first = day_first if told is None else told
    use = rough_dates == "use"
    return TimeFormat(kind, day_first, shown_by, century_start, short, use, use and has_decades(sample))


def _kind(sample: Sequence[Any], century_start: int | None) -> str:
    """What the values are; one date makes a column of dates."""
    read = [read_time(value, True, century_start) for value in sample]
    numbers = np.array([number for number, _ in read if math.isfinite(number)])
    if not len(numbers) or any(not np.isnat(instant) and math.isnan(number) for number, instant in read):
        return "dates"
    if all(_eight_digits(number) is not None for number in numbers):
        return "days"
    if np.all((numbers == np.round(numbers)) & (numbers >= 1000) & (numbers <= 2999)):
        return "years"
    if np.all((numbers >= 1e8) & (numbers < 1e14)):
        return "seconds" if np.median(numbers) < 1e11 else "milliseconds"
    return NUMBERS


def are_serial(values: Sequence[Any]) -> bool:
    """Whether the numbers among the values, at least one, can all be serial dates: they are from 20,000 to 60,000."""
    numbers = [number for value in values if math.isfinite(number := read_time(value)[0])]
    return bool(numbers) and _SERIAL[0] <= min(numbers) and max(numbers) <= _SERIAL[1]


def write_time(time: Time) -> str | float:
    """A number as it is, an instant as ISO text, a rough date as it was written.

    The text of a year alone is 1861, that of midnight has no clock time.
    """
    if isinstance(time, float | RoughDate):
        return time if isinstance(time, float) else time.written
    text = str(time).removesuffix("T00:00:00.000000").removesuffix(".000000")
    if not text.startswith("-"):
        return text
    year, _, rest = text[1:].partition("-")
    return f"-{year.zfill(4)}-{rest}"


def _eight_digits(number: float) -> np.datetime64 | None:
    """The day of 18610304; None if there is no such day."""
    match = _EIGHT_DIGITS.fullmatch(f"{number:.0f}") if number == round(number) else None
    try:
        return np.datetime64(dt.date(*map(int, match.groups())), "D") if match else None
    except ValueError:
        return None


def _since_1970(seconds: float) -> np.datetime64 | None:
    """The instant of a Unix time, None beyond the year 9999."""
    try:
        moment = dt.datetime.fromtimestamp(seconds, dt.UTC).replace(tzinfo=None)
    except (OverflowError, ValueError, OSError):
        return None
    return np.datetime64(moment, "us" if moment.microsecond else "s")


def _serial_date(number: float) -> np.datetime64 | None:
    """The instant that a spreadsheet has as a number of days since 1899-12-30, to the second."""
    if not _READ_AS_SERIAL[0] <= number <= _READ_AS_SERIAL[1]:
        return None
    moment = _FIRST_DAY + np.timedelta64(round(number * 86_400), "s")
    return moment.astype("datetime64[D]") if number == round(number) else moment
