"""Dates as people write them, brought to ISO form: March 4, 1861; 4 Mar 1861; 04/03/1861; 2004Q2."""

from __future__ import annotations

import re
from collections.abc import Mapping

_LONGEST = 80  # characters of a date; longer texts are not searched
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ZONES = {"utc": "Z", "gmt": "Z", "ut": "Z", "z": "Z"}
_ZONES |= {"est": "-0500", "edt": "-0400", "cst": "-0600", "cdt": "-0500"}
_ZONES |= {"mst": "-0700", "mdt": "-0600", "pst": "-0800", "pdt": "-0700"}

_WEEKDAY = r"(?:(?:mon|tue(?:s)?|wed(?:nes)?|thu(?:r|rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s+)?"
_MONTH = (
    r"(?P<name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4})"
_CLOCK = r"(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d(?:\.\d+)?))?(?:\s*(?P<half>[ap])\.?m\.?)?"
_ZONE = r"(?P<zone>[+-]\d\d:?\d\d|[a-z]{1,3})?(?:\s*\([^()]*\))?"
_TIME = rf"(?:[,\s]\s*(?:at\s+)?{_CLOCK}\s*{_ZONE})?"

_FORMS = tuple(
    re.compile(form, re.IGNORECASE | re.ASCII)
    for form in (
        rf"{_WEEKDAY}(?:the\s+)?{_DAY}(?:\s+of\s+|[\s-]*){_MONTH}[\s,-]*{_YEAR}{_TIME}",  # Mon, 4 Mar 1861 10:00 GMT
        rf"{_WEEKDAY}{_MONTH}\s+{_DAY}(?:,\s*|\s+){_YEAR}{_TIME}",  # Monday, March 4th, 1861
        rf"{_WEEKDAY}{_MONTH}\s+{_DAY}\s+{_CLOCK}\s+{_ZONE}\s*{_YEAR}",  # Mon Mar  4 10:00:00 UTC 1861
        rf"{_WEEKDAY}{_MONTH}\s+{_DAY}\s+{_CLOCK}\s+{_YEAR}\s+{_ZONE}",  # Mon Mar  4 10:00:00 1861 +0100
        rf"{_MONTH}[\s,-]*{_YEAR}",  # March 1861
        rf"{_YEAR}[\s,-]+{_MONTH}(?:[\s-]+{_DAY})?",  # 1861 March 4
        rf"(?P<day>\d{{1,2}})\.\s?(?P<month>\d{{1,2}})\.\s?{_YEAR}{_TIME}",  # 4.3.1861: with dots the day is first
        rf"{_YEAR}(?P<sep>[-/.])(?P<month>\d{{1,2}})(?P=sep)(?P<day>\d{{1,2}}){_TIME}",  # 1861/3/4
        rf"{_YEAR}[\s-]?Q(?P<quarter>[1-4])",  # 2004Q2
    )
)
_TWO_NUMBERS = re.compile(
    rf"(?P<one>\d{{1,2}})(?P<sep>[-/])(?P<two>\d{{1,2}})(?P=sep){_YEAR}{_TIME}", re.IGNORECASE | re.ASCII
)


def iso_date(text: str, day_first: bool | None = None) -> str | None:
    """The date in ISO form, None where it is in none of the known forms. Months have English names.

    03/04/1861 is read by `day_first`, and is unreadable without it; see `DateOrder`.
    """
    if len(text) > _LONGEST:
        return None
    for form in _FORMS:
        if match := form.fullmatch(text):
            return _iso(match.groupdict())
    match = _TWO_NUMBERS.fullmatch(text)
    if match is None or (day_first is None and int(match["one"]) != int(match["two"])):
        return None
    day, month = ("one", "two") if day_first else ("two", "one")
    return _iso(match.groupdict() | {"day": match[day], "month": match[month]})


class DateOrder:
    """Whether dates such as 03/04/1861 have their day first, as a column tells: one number above 12 is enough."""

    def __init__(self) -> None:
        self.day = self.month = self.unclear = ""  # the first date that has its day first, its month first, or either

    def see(self, text: str) -> None:
        """Take one more date into account."""
        match = _TWO_NUMBERS.fullmatch(text) if len(text) <= _LONGEST else None
        if match is None:
            return
        one, two = int(match["one"]), int(match["two"])
        if two <= 12 < one:
            self.day = self.day or text
        elif one <= 12 < two:
            self.month = self.month or text
        elif one != two and one <= 12:
            self.unclear = self.unclear or text

    @property
    def open(self) -> bool:
        """Whether there are such dates and none has told yet."""
        return bool(self.unclear and not (self.day or self.month))

    def day_first(self, advice: str = "write them as 1861-03-04") -> bool | None:
        """What the dates tell, None if there are none such; refused if they contradict each other or do not tell."""
        if self.day and self.month:
            raise ValueError(f"{self.day!r} has its day first but {self.month!r} its month; {advice}.")
        if self.open:
            raise ValueError(f"{self.unclear!r} can be read day first or month first, and no date tells; {advice}.")
        return bool(self.day) if self.day or self.month else None


def _iso(parts: Mapping[str, str | None]) -> str | None:
    """ISO text of the named parts; what is left out is not written."""
    month = _month(parts)
    text = f"{parts['year']}-{month:02d}"
    if day := parts.get("day"):
        text += f"-{int(day):02d}"
    if not parts.get("hour"):
        return text
    zone = parts.get("zone") or ""
    if zone[:1].isalpha():
        if zone.lower() not in _ZONES:
            return None
        zone = _ZONES[zone.lower()]
    hour = _hour(int(parts["hour"] or 0), parts.get("half"))
    return f"{text}T{hour:02d}:{parts['minute']}:{parts.get('second') or '00'}{zone}"


def _month(parts: Mapping[str, str | None]) -> int:
    """The number of the month, from its name, its number or its quarter."""
    if name := parts.get("name"):
        return _MONTHS.index(name[:3].lower()) + 1
    if quarter := parts.get("quarter"):
        return 3 * int(quarter) - 2
    return int(parts["month"] or 0)


def _hour(hour: int, half: str | None) -> int:
    """The hour of 24; 12 am is midnight, and 13 pm does not exist."""
    if half is None:
        return hour
    if not 1 <= hour <= 12:
        return 99
    return hour % 12 + (12 if half.lower() == "p" else 0)
