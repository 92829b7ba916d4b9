"""Dates as people write them, brought to ISO form: March 4, 1861; 4. März 1861; 04/03/1861; 1861年3月4日; 2004Q2."""

from __future__ import annotations

import re
from collections.abc import Mapping

from chronotope.dates.months import is_weekday, month_number

CENTURY_START = 1930  # two-digit years are from 1930 to 2029, as in spreadsheets
LONGEST = 80  # characters of a date; longer texts are not searched
_ZONES = {"utc": "Z", "gmt": "Z", "ut": "Z", "z": "Z"}
_ZONES |= {"est": "-0500", "edt": "-0400", "cst": "-0600", "cdt": "-0500"}
_ZONES |= {"mst": "-0700", "mdt": "-0600", "pst": "-0800", "pdt": "-0700"}

_WEEKDAY = r"(?:(?P<weekday>[^\W\d_]+(?:-feira)?)\.?,?\s+)??(?:(?:the|on|le|el|il|den|der|am)\s+)?"
_MONTH = r"(?P<name>[^\W\d_]{3,})\.?"
_DAY = r"(?P<day>[0-9]{1,2})(?:(?:st|nd|rd|th|er|ère|e)(?![^\W\d_])|[.º°ª])?"
_YEAR = r"(?P<year>[0-9]{4})"
_ANY_YEAR = r"(?P<year>[0-9]{4}|['’]?[0-9]{2})(?:\s*(?:г|р|года|року|roku)\.?)?"
_OF = r"(?:\s+(?:of|de|di)\s+|\s+d['’]|[\s-]*)"
_OF_YEAR = r"(?:\s+(?:de|del|do)\s+|[\s,-]*)"
_CLOCK = (
    r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2}(?:\.[0-9]+)?))?(?:\s*(?P<half>[ap])\.?m\.?)?"
)
_ZONE = r"(?P<zone>[+-][0-9]{2}:?[0-9]{2}|[a-z]{1,3})?(?:\s*\([^()]*\))?"
_TIME = rf"(?:[,\s]\s*(?:at\s+)?{_CLOCK}\s*{_ZONE})?"
_NUMBERS = r"(?P<month>[0-9]{1,2})(?P=sep)(?P<day>[0-9]{1,2})"

_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_WEEKDAY}{_DAY}{_OF}{_MONTH}{_OF_YEAR}{_ANY_YEAR}{_TIME}",  # Mon, 4 Mar 1861 10:00 GMT; 4 de marzo de 1861
        rf"{_WEEKDAY}{_MONTH}\s+{_DAY}(?:,\s*|\s+){_ANY_YEAR}{_TIME}",  # Monday, March 4th, 1861
        rf"{_WEEKDAY}{_MONTH}\s+{_DAY}\s+{_CLOCK}\s+{_ZONE}\s*{_YEAR}",  # Mon Mar  4 10:00:00 UTC 1861
        rf"{_WEEKDAY}{_MONTH}\s+{_DAY}\s+{_CLOCK}\s+{_YEAR}\s+{_ZONE}",  # Mon Mar  4 10:00:00 1861 +0100
        rf"{_MONTH}{_OF_YEAR}{_YEAR}",  # March 1861
        rf"{_YEAR}[\s,.-]+{_MONTH}(?:[\s-]+{_DAY})?",  # 1861 March 4; 1861. március 4.
        rf"(?P<day>[0-9]{{1,2}})\.\s?(?P<month>[0-9]{{1,2}})\.\s?{_ANY_YEAR}{_TIME}",  # 4.3.1861
        rf"{_YEAR}(?P<sep>[-/.]){_NUMBERS}{_TIME}",  # 1861/3/4
        rf"{_YEAR}\s*[年년]\s*(?P<month>[0-9]{{1,2}})\s*[月월](?:\s*(?P<day>[0-9]{{1,2}})\s*[日일])?",  # 1861年3月4日
        rf"{_YEAR}[\s-]?Q(?P<quarter>[1-4])",  # 2004Q2
    )
)
_TWO_NUMBERS = re.compile(
    rf"(?P<one>[0-9]{{1,2}})(?P<sep>[-/])(?P<two>[0-9]{{1,2}})(?P=sep)(?P<year>[0-9]{{4}}|[0-9]{{2}}){_TIME}",
    re.IGNORECASE,
)


def iso_date(text: str, day_first: bool | None = None, century_start: int | None = None) -> str | None:
    """The date in ISO form, None if it is in none of the known forms. Months are named in any of 22 languages.

    day_first : bool, default None; whether 03/04/1861 is 3 April, which is unreadable without it; see `DateOrder`
    century_start : int, default None; the first of the hundred years of two-digit years, unreadable without it
    """
    parts = _parts(text, day_first)
    if parts is None or not (year := _four_digits(str(parts["year"]), century_start)):
        return None
    return _iso({**parts, "year": year})


def has_short_year(text: str) -> bool:
    """Whether a text is a date with a two-digit year."""
    parts = _parts(text, day_first=True)
    return parts is not None and len(str(parts["year"])) < 4 and _iso(parts) is not None


def _parts(text: str, day_first: bool | None) -> Mapping[str, str | None] | None:
    """The named parts of a date, by the first form that fits."""
    if len(text) > LONGEST:
        return None
    for form in _FORMS:
        if match := form.fullmatch(text):
            return match.groupdict()
    match = _TWO_NUMBERS.fullmatch(text)
    if match is None or (day_first is None and int(match["one"]) != int(match["two"])):
        return None
    day, month = ("one", "two") if day_first else ("two", "one")
    return match.groupdict() | {"day": match[day], "month": match[month]}


def _four_digits(year: str, century_start: int | None) -> str:
    """The year in four digits; empty if it has two and their century is not known."""
    if len(year) == 4 and year.isdigit():
        return year
    if century_start is None:
        return ""
    return f"{century_start + (int(year[-2:]) - century_start) % 100:04d}"


class DateOrder:
    """Whether dates such as 03/04/1861 have their day first, found from a column: one number above 12 decides.

    short_years : whether dates such as 03/04/61 count too
    """

    def __init__(self, short_years: bool = False) -> None:
        self.short_years = short_years
        self.day = self.month = self.unclear = ""  # the first date that has its day first, its month first, or either
        self.n_day = self.n_month = 0

    def see(self, text: str) -> None:
        """Count one more date."""
        match = _TWO_NUMBERS.fullmatch(text) if len(text) <= LONGEST else None
        if match is None or (len(match["year"]) == 2 and not self.short_years):
            return
        one, two = int(match["one"]), int(match["two"])
        if two <= 12 < one <= 31:
            self.day = self.day or text
            self.n_day += 1
        elif one <= 12 < two <= 31:
            self.month = self.month or text
            self.n_month += 1
        elif one != two and one <= 12 and two <= 12:
            self.unclear = self.unclear or text

    @property
    def open(self) -> bool:
        """Whether there are such dates and all are ambiguous so far."""
        return bool(self.unclear and not (self.day or self.month))

    def day_first(self, advice: str = "write them as 1861-03-04") -> bool | None:
        """The order found, None if there are no such dates; refused if they contradict each other or none decides."""
        if self.day and self.month:
            raise ValueError(
                f"the dates are in both orders: day first × {self.n_day:,} ({self.day!r}), month first × "
                f"{self.n_month:,} ({self.month!r}); {advice}."
            )
        if self.open:
            raise ValueError(f"{self.unclear!r} can be read day first or month first, and no date decides; {advice}.")
        return bool(self.day) if self.day or self.month else None


def _iso(parts: Mapping[str, str | None]) -> str | None:
    """ISO text of the named parts that are present."""
    month, weekday = _month(parts), parts.get("weekday")
    if month is None or (weekday and not is_weekday(weekday)):
        return None
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


def _month(parts: Mapping[str, str | None]) -> int | None:
    """The number of the month, from its name, its number or its quarter."""
    if name := parts.get("name"):
        return month_number(name)
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
