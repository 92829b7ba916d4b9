"""Dates of text files: in their names and in their first lines."""

from __future__ import annotations

import re

from chronotope.readers.columns import plain_name
from chronotope.written import iso_date

_YEAR = r"(?P<year>1\d{3}|20\d\d)"
_MONTH, _DAY = r"(?P<month>0[1-9]|1[0-2])", r"(?P<day>0[1-9]|[12]\d|3[01])"
_NUMBERS = (
    re.compile(rf"(?<!\d){_YEAR}(?P<sep>[-_.]?){_MONTH}(?P=sep){_DAY}(?!\d)"),
    re.compile(rf"(?<!\d){_YEAR}-{_MONTH}(?!\d)"),
    re.compile(rf"(?<!\d){_YEAR}(?!\d)"),
)
_WORDS = re.compile(
    r"(?<!\d)\d{1,2}[ _.-]{0,2}[^\W\d_]{3,12}[ _-]?\d{4}(?!\d)|[^\W\d_]{3,12}[ _-]\d{1,2}[ _-]\d{4}(?!\d)"
)
_ENTRY = re.compile(r"(?P<key>[A-Za-z][\w -]{0,30}):[ \t]+(?P<value>\S.*)")
_DATE_KEYS = ("date", "published", "created", "written", "year", "time")


def date_in_name(name: str) -> str | None:
    """The one date in a name: 1862-12-01, 18621201, 1Dec1862, 1862-12 or 1862; None if there is none, or several."""
    worded = {iso for found in _WORDS.findall(name) if (iso := iso_date(re.sub("[_-]", " ", found)))}
    for found in (worded, *({_iso(match) for match in form.finditer(name)} for form in _NUMBERS)):
        if found:
            return next(iter(found)) if len(found) == 1 else None
    return None


def _iso(match: re.Match[str]) -> str:
    parts = match.groupdict()
    return "-".join(parts[key] for key in ("year", "month", "day") if parts.get(key))


def split_front_matter(text: str) -> tuple[dict[str, str], str]:
    """The entries `key: value` at the start of a text, and the text after them.

    They stand between two lines `---`, or before the first blank line if one of them is a date.
    """
    lines = text.lstrip("\ufeff").splitlines(keepends=True)
    fenced = bool(lines) and lines[0].strip() == "---"
    end = next((at for at, line in enumerate(lines[1:100], start=1) if line.strip() == ("---" if fenced else "")), None)
    if end is None:
        return {}, text
    matches = [_ENTRY.fullmatch(line.strip()) for line in lines[1 if fenced else 0 : end]]
    entries = {plain_name(match["key"]): match["value"].strip().strip("\"'") for match in matches if match}
    dated = next((key for key in _DATE_KEYS if key in entries), None)
    if not fenced and (dated is None or not all(matches)):
        return {}, text
    if dated:
        entries["date"] = entries[dated]
    return entries, "".join(lines[end + 1 :])
