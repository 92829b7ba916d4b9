"""Dates in the Extended Date/Time Format (EDTF, ISO 8601-2), levels 0 to 2: 1851~, 185X, 1914/.., [1851,1853]."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

from chronotope.dates.spans import (
    CIRCA,
    LAST_YEAR,
    OPEN_END,
    OPEN_START,
    REACH,
    SEASONS,
    UNKNOWN_SPAN,
    UNSURE,
    Span,
    date_span,
    every,
    joined_spans,
    season,
    span,
    years,
)

_DATE = r"(?:[?~%]?[0-9X]{4}[?~%]?(?:-[?~%]?[0-9X]{2}[?~%]?){0,2}|[0-9]{4}S[0-9][?~%]?)"
_PIECE = rf"(?:(?:\.\.)?{_DATE}|{_DATE}\.\.(?:{_DATE})?)"
_LONG_YEAR = r"Y(?P<base>-?[0-9]{1,12})(?:E(?P<power>[0-9]{1,12}))?(?:S[0-9]{1,2})?"
_INTERVAL = rf"{_DATE}/(?:{_DATE}|\.\.)?|(?:\.\.)?/{_DATE}|\.\./\.\."
_FORM = re.compile(rf"{_LONG_YEAR}|{_DATE}|{_INTERVAL}|[\[{{](?=.*(?:,|\.\.)){_PIECE}(?:,\s?{_PIECE})*[\]}}]")
_UNSPECIFIED = re.compile(r"(?P<year>[0-9X]{4})(?:-(?P<month>[0-9X]{2}))?(?:-(?P<day>[0-9X]{2}))?(?P<doubt>[?~%]?)")
_PARTLY = re.compile(r"-(?:[0-9]X|X[0-9])")  # a month or a day of which one digit is unspecified
_DOUBT = {"?": UNSURE, "~": CIRCA, "%": UNSURE | CIRCA}
_QUALIFIED = {1.0: ("year_ua", "year_ua_b", "year_month_ua"), 1 / 12: ("month_ua",), 1 / 365: ("day_ua",)}
_QUALIFIED = {1.0: ("year_ua", "year_ua_b", "year_month_ua"), 1 / 12: ("month_ua",), 1 / 365: ("day_ua",)}
_MOST = 400  # different dates of one with unspecified digits; of more, all the time between them


def edtf_spans(text: str) -> list[Span] | None:
    """The spans that a text in the Extended Date/Time Format means; None if it is in no such form, or nonsense.

    text : at most as long as any date, see `rough_date`
    """
    form = _FORM.fullmatch(text)
    if form is None or _is_too_long(form):
        return None
    if unspecified := _UNSPECIFIED.fullmatch(text):
        return _unspecified(unspecified) if "X" in text else _qualified(unspecified)
    if "/" in text:
        first, last = (_end(part) for part in text.split("/"))
        return _interval(first, last)
    return None if _PARTLY.search(text) else _parsed(text)


def is_out_of_range(text: str) -> bool:
    """Whether a text is a date before the year 1 or after 9999, such as Y-12000, Y17E8 or -0043~."""
    form = _FORM.fullmatch(text.removeprefix("-"))
    return form is not None and (_is_too_long(form) or text.startswith(("Y-", "-", "0000")))


def _is_too_long(form: re.Match[str]) -> bool:
    """Whether a year in the long form has too many digits to be one at all."""
    if form["base"] is None:
        return False
    digits = len(form["base"].lstrip("-0")) + min(int(form["power"] or 0), LAST_YEAR)
    return digits > len(str(LAST_YEAR))


def _parsed(text: str) -> list[Span] | None:
    """The spans of what the package reads; it is loaded here, as its grammar takes a tenth of a second to be made."""
    from edtf import parse_edtf

    try:
        return _spans(parse_edtf(text, fail_silently=True))
    except (TypeError, ValueError, AttributeError, KeyError):  # some nonsense that passes its grammar
        return None


def _qualified(match: re.Match[str]) -> list[Span] | None:
    """A whole date, such as 1851, 1851-21 or 1851-06-04, with what qualifies it."""
    year, month, day = (None if part is None else int(part) for part in match.group("year", "month", "day"))
    return _doubted(_dated(year or 0, month, day), _DOUBT.get(match["doubt"], 0))


def _dated(year: int, month: int | None = None, day: int | None = None) -> list[Span] | None:
    """The spans of a year, month, season (21 to 41 in place of a month) or day."""
    if month in SEASONS and day is None:
        return season(year, month)
    return every([date_span(year, month, day)])


def _doubted(found: list[Span] | None, doubt: int) -> list[Span] | None:
    return None if found is None else [each.doubted(doubt) for each in found]


def _unspecified(match: re.Match[str]) -> list[Span] | None:
    """A date with unspecified digits: all dates that it can be, those that follow each other as one span."""
    year, month, day = match.group("year", "month", "day")
    day = None if day == "XX" else day
    month = None if month == "XX" and day is None else month
    if year == "XXXX":
        return [UNKNOWN_SPAN]
    n_open = 0 if month else len(year) - len(year.rstrip("X"))
    firsts = _numbers(year[: len(year) - n_open] + "0" * n_open)
    if month is None:
        found = [years(max(first, 1), 10**n_open - (first == 0)) for first in firsts]
    else:
        parts = product(firsts, _numbers(month, 12), [None] if day is None else _numbers(day, 31))
        found = [each for part in parts if (each := date_span(*part)) is not None]
    return _doubted(_merged(every(found)), _DOUBT.get(match["doubt"], 0))


def _numbers(digits: str, last: int = LAST_YEAR) -> list[int]:
    """The numbers that some digits can be, X being any; up to a last one."""
    choices = ("0123456789" if digit == "X" else digit for digit in digits)
    return [number for chosen in product(*choices) if (number := int("".join(chosen))) <= last]


def _merged(found: list[Span] | None) -> list[Span] | None:
    """Spans in order, those that follow each other without a gap as one; one for all if they are too many."""
    if not found:
        return None
    merged = found[:1]
    for each in found[1:]:
        if each.start.time <= merged[-1].end.time:
            merged[-1] = span(merged[-1].start.time, each.end.time)
        else:
            merged.append(each)
    return merged if len(merged) <= _MOST else [span(merged[0].start.time, merged[-1].end.time)]


def _spans(parsed: Any) -> list[Span] | None:
    """The spans of what the package found; None for None."""
    if parsed is None:
        return None
    if hasattr(parsed, "objects"):  # a set: one of its dates, or all of them
        found = [_spans(each) for each in parsed.objects]
        return [each for spans in found for each in spans or ()] if all(found) else None
    if hasattr(parsed, "lower"):
        return _interval(*(_end(str(end or "")) for end in (parsed.lower, parsed.upper)))
    if hasattr(parsed, "date"):
        return _doubted(_spans(parsed.date), _DOUBT.get(str(parsed.ua or ""), 0))
    unspecified = _UNSPECIFIED.fullmatch(str(parsed))
    return _unspecified(unspecified) if unspecified and "X" in str(parsed) else _single(parsed)


def _end(text: str) -> list[Span] | None:
    """The spans of one end of an interval, which may be open."""
    return [UNKNOWN_SPAN] if text in ("", "..") else edtf_spans(text)


def _interval(first: list[Span] | None, last: list[Span] | None) -> list[Span] | None:
    """The span from one date to another; None if the second is before the first."""
    if not first or not last:
        return None
    if first[0] == UNKNOWN_SPAN:
        return [Span(OPEN_START, last[-1].end)]
    return [Span(first[-1].start, OPEN_END)] if last[0] == UNKNOWN_SPAN else joined_spans(first, last)


def _single(parsed: Any) -> list[Span] | None:
    """A year, month, season or day, of which parts may be doubtful, or a year with some significant digits."""
    if getattr(parsed, "significant_digits", None):
        return _significant(str(parsed.estimated()), parsed.significant_digits)
    if "_month" not in vars(parsed) and "season" not in vars(parsed):  # a year in the long form
        return every([years(parsed.estimated())])
    month = getattr(parsed, "season", None) or parsed.month
    found = _dated(int(parsed.year), month and int(month), parsed.day and int(parsed.day))
    return None if found is None else [_partly_doubted(each, parsed) for each in found]


def _partly_doubted(found: Span, parsed: Any) -> Span:
    """A span with the doubt about its year, month or day, which reaches as many years, months or days."""
    for unit, names in _QUALIFIED.items():
        doubt = 0
        for name in names:
            doubt |= _DOUBT.get(str(getattr(parsed, name, None) or ""), 0)
        if doubt:
            start, end = (end._replace(reach=max(end.reach, REACH * unit)) for end in found)
            return Span(start, end).doubted(doubt)
    return found


def _significant(year: str, digits: int) -> list[Span] | None:
    """The years with the same first digits."""
    size = 10 ** max(len(year) - digits, 0)
    first = int(year) // size * size
    return every([years(max(first, 1), size - (first == 0))])
