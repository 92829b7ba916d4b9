"""One time as people have it: the number or the instant that it means."""

from __future__ import annotations

import datetime as dt
import math
import re
from decimal import Decimal
from typing import Any, Literal

import numpy as np
import pandas as pd

from chronotope.dates.parse import iso_date

_YEAR = re.compile(r"\d{4}", re.ASCII)
_DATE = re.compile(
    r"(?P<year>[+-]?\d{4})(?P<sep>[-/])(?P<month>\d\d)(?:(?P=sep)(?P<day>\d\d)"
    r"(?:[T ](?P<clock>\d\d(?::\d\d(?::\d\d(?:\.\d+)?)?)?)\s*(?P<zone>Z|[+-]\d\d(?::?\d\d)?)?)?)?",
    re.ASCII,
)


def read_time(
    item: Any, day_first: bool | None = None, century_start: int | None = None
) -> tuple[float, np.datetime64]:
    """The number and the instant one item can mean; a year string means both, an unreadable item neither.

    day_first, century_start : see `iso_date`
    """
    nothing = np.datetime64("NaT", "us")
    if isinstance(item, int | float | np.integer | np.floating | Decimal) and not isinstance(
        item, bool | np.timedelta64
    ):
        return _as_float(item), nothing
    text = _iso_text(item)
    if _YEAR.fullmatch(text):
        return float(text), np.datetime64(text, "us")
    if match := _DATE.fullmatch(text):
        return math.nan, _read_date(match)
    try:
        return float(text), nothing
    except ValueError:
        match = _DATE.fullmatch(iso_date(text, day_first, century_start) or "")
    return math.nan, _read_date(match) if match else nothing


def _as_float(number: Any) -> float:
    """A number as a float; NaN if it is larger than any."""
    try:
        return float(number)
    except OverflowError:
        return math.nan


def precision_of(
    item: Any, day_first: bool | None = None, century_start: int | None = None
) -> Literal["Y", "M", "D", "us"]:
    """The unit to which a date is written: year, month, day, or an instant.

    day_first, century_start : see `iso_date`
    """
    text = _iso_text(item) or f"{item}"
    match = _DATE.fullmatch(text) or _DATE.fullmatch(iso_date(text, day_first, century_start) or "")
    if match is None:
        return "Y"
    return "us" if match["clock"] else "D" if match["day"] else "M"


def _iso_text(item: Any) -> str:
    """ISO text of a string, date, datetime, datetime64, Timestamp or Period; empty for anything else."""
    if isinstance(item, pd.Period):
        return str(item.asfreq("s", how="start"))
    if isinstance(item, dt.date):  # datetime, Timestamp and NaT are dates too
        return item.isoformat()
    return str(item).strip() if isinstance(item, str | np.datetime64) else ""


def _read_date(match: re.Match[str]) -> np.datetime64:
    """The UTC instant of a matched ISO date, NaT where no such day or hour exists."""
    year, month, day, clock, zone = match.group("year", "month", "day", "clock", "zone")
    try:  # microseconds hold every year; finer digits are cut
        instant = np.datetime64(f"{year}-{month}-{day or '01'}" + (f"T{clock[:15]}" if clock else ""), "us")
    except ValueError:
        return np.datetime64("NaT", "us")
    if zone and zone != "Z":
        minutes = int(zone[1:3]) * 60 + int(zone[3:].lstrip(":") or 0)
        instant -= np.timedelta64(minutes if zone[0] == "+" else -minutes, "m")
    return instant
