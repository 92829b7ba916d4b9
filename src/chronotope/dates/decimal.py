"""Times as people have them: plain numbers in any unit, or dates, which become decimal years."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope._typing import Floats, Mask
from chronotope.dates.instants import read_time
from chronotope.dates.parse import DateOrder
from chronotope.dates.rough import RoughDate, RoughDates
from chronotope.dates.rough_text import Examples, has_decades, read_rough
from chronotope.dates.standard import is_out_of_range

OnBadTime = Literal["raise", "drop"]
UseRough = Literal["use", "drop"]

DAYS_PER_YEAR = 365.2425  # the Gregorian mean
LAST_YEAR = 1e13  # in either direction; days of later years are lost in double precision

_DURATION = re.compile(r"(?P<amount>[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*(?P<unit>[a-z]+)", re.IGNORECASE)

_YEARS_PER_UNIT = {
    "hour": 1 / 24 / DAYS_PER_YEAR,
    "day": 1 / DAYS_PER_YEAR,
    "week": 7 / DAYS_PER_YEAR,
    "month": 1 / 12,
    "quarter": 1 / 4,
    "year": 1.0,
    "decade": 10.0,
    "century": 100.0,
}
_SHORT_UNITS = {"h": "hour", "hr": "hour", "d": "day", "w": "week", "wk": "week", "mo": "month", "q": "quarter"}
_SHORT_UNITS |= {"y": "year", "yr": "year", "centuries": "century"}


class ParsedTimes(NamedTuple):
    """Times as numbers; values : (D,) with NaN where keep : (D,) is False.

    rough : the dates that are known only roughly, whose values are their middles; None if there are none
    examples : how some of these were written and understood
    """

    values: Floats
    keep: Mask
    calendar: bool
    rough: RoughDates | None = None
    examples: Examples = Examples()


def parse_times(values: Any, on_bad: OnBadTime = "raise", rough_dates: UseRough = "drop") -> ParsedTimes:
    """Times as numbers, one per document.

        decimal year = year + (day of the year − 1 + fraction of the day) / days in that year

    Numbers, also in strings ("12.5"), stay as they are. Dates are ISO strings, other usual forms ("March 4, 1861"),
    datetime, datetime64 or pandas; they are proleptic Gregorian, moved to UTC where they carry an offset, and mean the
    start of what is written: "2004-05" is 1 May 2004, "1790" is 1790.0. In a column of dates a whole number of four
    digits is a year, any other number is unreadable. "03/04/1861" is read in the order that the other dates show, or
    refused.

    values : array_like, (D,), numbers, strings, dates or instants
    on_bad : "raise" or "drop", default "raise"; whether an unreadable time is an error, or NaN with keep False
    rough_dates : "use" or "drop", default "drop"; whether texts such as "circa 1850" are read, see `rough_date`
    """
    parsed = parse_unplaced(values, on_bad, rough_dates)
    return parsed if parsed.rough is None else parsed._replace(values=parsed.rough.placed(parsed.values))


def parse_unplaced(values: Any, on_bad: OnBadTime = "raise", rough_dates: UseRough = "drop") -> ParsedTimes:
    """The same with NaN for the rough dates, whose middles may depend on dates that are read later."""
    if on_bad not in ("raise", "drop"):
        raise ValueError(f'on_bad_time is {on_bad!r}; expected "raise" or "drop".')
    check_rough_dates(rough_dates)
    column, found = _as_column(values), dict[int, RoughDate]()
    if column.dtype.kind in "iuf":
        times, calendar = column.astype(np.float64), False
    elif column.dtype.kind == "M":
        times, calendar = decimal_years(column), True
    else:
        times, calendar, found = _read_items(column, rough_dates == "use")
    keep = np.isfinite(times)
    keep[list(found)] = True
    if on_bad == "raise" and not keep.all():
        raise ValueError(_bad_times_message(column, keep, calendar))
    times = np.where(keep, times, np.nan)
    if not found:
        return ParsedTimes(times, keep, calendar)
    rough = RoughDates.of((row, date.pieces) for row, date in found.items())
    return ParsedTimes(times, keep, calendar, rough, Examples.of(found.values()))


def check_rough_dates(given: str) -> None:
    """Refuse anything but "use" and "drop"."""
    if given not in ("use", "drop"):
        raise ValueError(f'rough_dates is {given!r}; expected "use" or "drop".')


def decimal_years(instants: NDArray[np.datetime64]) -> Floats:
    """Decimal years of datetime64 instants, NaN for NaT.

        year + (t − start of the year) / (start of the next year − start of the year)

    instants : any shape, any unit.
    """
    instants = instants.astype("datetime64[us]")  # nanoseconds cannot hold the start of 1677
    years = instants.astype("datetime64[Y]")
    start, end = years.astype("datetime64[us]"), (years + 1).astype("datetime64[us]")
    result: Floats = years.astype(np.int64) + 1970 + (instants - start) / (end - start)
    return result


def parse_duration(value: float | str) -> float:
    """A length of time as a number: "30 days" in years, a plain number unchanged in the user's own unit.

    Units: hours, days, weeks, months, quarters, years, decades, centuries, and h, d, w, mo, q, y, yr.
    """
    try:
        amount, unit = _read_duration(value.strip()) if isinstance(value, str) else (float(value), 1.0)
    except TypeError:
        raise ValueError(f'the duration is {value!r}; expected a number or a string such as "30 days".') from None
    if not math.isfinite(amount):
        raise ValueError(f"the duration is {value!r}; expected a finite number.")
    return amount * unit


def duration_text(length: float, calendar: bool) -> str:
    """A length of time in words, to two digits: "4.1 years", "7 months", "12 days"; a number without a calendar."""
    if not calendar:
        return f"{length:.2g}"
    amounts = {unit: length / _YEARS_PER_UNIT[unit] for unit in ("year", "month", "day", "hour")}
    unit = next((unit for unit, amount in amounts.items() if amount >= 1.5), "hour")
    return f"{amounts[unit]:.2g} {unit}s"


def cut_date(date: str, resolution: float) -> str:
    """An ISO date to the year or the month, if days, or months too, are finer than the resolution, in years.

    A number, as `format_time` gives for years beyond all dates, stays as it is.
    """
    if date[-3:-2] != "-":
        return date
    if resolution >= 0.5:
        return date[:-6]
    return date[:-3] if resolution >= 0.5 * _YEARS_PER_UNIT["month"] else date


def has_dates(times: Iterable[float]) -> bool:
    """Whether these decimal years are near enough to have dates; NaN has none."""
    return all(abs(time) <= LAST_YEAR for time in times)


def format_time(value: float, calendar: bool) -> str:
    """The nearest ISO date of a decimal year if calendar is true, else the number, as of years beyond all dates."""
    if not (calendar and has_dates([value])):
        return f"{value:.10g}"
    year = math.floor(value)
    start = np.datetime64(year - 1970, "Y").astype("datetime64[D]")
    end = np.datetime64(year - 1969, "Y").astype("datetime64[D]")
    days = round((value - year) * int((end - start).astype(np.int64)))
    day = start + np.timedelta64(days, "D")
    year = day.astype("datetime64[Y]").astype(int) + 1970
    return f"{'-' if year < 0 else ''}{abs(year):04d}{str(day)[-6:]}"


def _as_column(values: Any) -> NDArray[Any]:
    """The values as a one-dimensional array, without guessing a common type."""
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise ValueError(f"times is {values!r}; pass a list with one time per document.")
    column = values if isinstance(values, np.ndarray) else np.fromiter(values, dtype=object)
    if column.ndim != 1:
        raise ValueError(f"times has shape {column.shape}; pass one time per document.")
    return column


def _read_items(column: NDArray[Any], use_rough: bool) -> tuple[Floats, bool, dict[int, RoughDate]]:
    """Times of a column of mixed objects, whether they are dates, and the rough ones by row, in order."""
    numbers = np.full(len(column), np.nan)
    instants = np.full(len(column), np.datetime64("NaT"), dtype="datetime64[us]")
    order = DateOrder()
    for item in column:
        if isinstance(item, str):
            order.see(item.strip())
    day_first = order.day_first()
    for row, item in enumerate(column):
        numbers[row], instants[row] = read_time(item, day_first)
    only_number = np.isfinite(numbers) & np.isnat(instants)
    only_date = np.isnan(numbers) & ~np.isnat(instants)
    bare_year = only_number & (numbers == np.round(numbers)) & (numbers >= 1000) & (numbers <= 9999)
    found = dict[int, RoughDate]()
    if use_rough and (only_date.any() or (bare_year == only_number).all()):
        unread = np.flatnonzero(np.isnan(numbers) & np.isnat(instants)).tolist()
        decades = has_decades(column[unread])
        read = ((row, read_rough(column[row], day_first, decades=decades)) for row in unread)
        found = {row: date for row, date in read if date is not None}
    if only_number.any() and not only_date.any() and not found:
        return numbers, False, found
    return np.where(bare_year, numbers, decimal_years(instants)), True, found


def _read_duration(text: str) -> tuple[float, float]:
    """Amount and years per unit of a duration string; the unit of a number alone is 1."""
    try:
        return float(text), 1.0
    except ValueError:
        match = _DURATION.fullmatch(text)
    if match is None:
        raise ValueError(f'the duration is {text!r}; expected a number and a unit, such as "30 days".')
    unit = match["unit"].lower()
    name = _SHORT_UNITS.get(unit) or _SHORT_UNITS.get(unit.removesuffix("s")) or unit.removesuffix("s")
    if name not in _YEARS_PER_UNIT:
        raise ValueError(f"the duration {text!r} has the unit {unit!r}; use one of {', '.join(_YEARS_PER_UNIT)}.")
    return float(match["amount"]), _YEARS_PER_UNIT[name]


def _bad_times_message(column: NDArray[Any], keep: Mask, calendar: bool) -> str:
    """How many times are unreadable, and the first of them."""
    row = int(np.argmin(keep))
    item = column[row]
    shown = repr(item) if isinstance(item, str) else str(item)
    if isinstance(item, str) and is_out_of_range(item.strip()):
        shown += ", which is not between the years 1 and 9999"
    what = "dates" if calendar else "times"
    return (
        f"{np.sum(~keep):,} of {len(column):,} {what} could not be read (first: row {row}, {shown}); "
        'drop them with on_bad_time="drop".'
    )
