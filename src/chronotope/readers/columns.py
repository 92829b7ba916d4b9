"""Which columns hold the text, the time (one column, or year, month and day) and the id of a document."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from chronotope.dates.columns import are_serial, is_missing
from chronotope.dates.instants import read_time
from chronotope.dates.months import month_number
from chronotope.dates.parse import CENTURY_START
from chronotope.dates.rough import UNKNOWN
from chronotope.dates.rough_text import read_rough
from chronotope.readers.rows import Notes

Sample = Sequence[Mapping[str, Any]]

# likeliest first
_TEXT = """
text full_text fulltext paper_text body content contents article speech statement transcript message selftext
abstract narrative inscription document letter post tweet comment review description summary lyrics story
headline title
"""
_TIME = """
date datetime time published published_at publication_date pub_date pubdate date_published created_at created
created_utc timestamp posted posted_at submitted sent sent_at issued decision_date when dated written
day month year yr
"""
_ID = "id doc_id docid document_id identifier uid uuid guid filename file_name file doi url commit"
_NAMES = {"text": _TEXT.split(), "time": _TIME.split(), "id": _ID.split()}
_LIKELY_YEARS = (1000, 2999)


def choose_columns(
    sample: Sample,
    wanted: Mapping[str, str | None],
    roles: Mapping[str, str],
    name: str,
    notes: Notes,
    needed: Sequence[str] = ("time", "text"),
) -> dict[str, str | None]:
    """The columns of text, time and id: as given, as the format defines, or guessed, with a note.

    needed : roles for which there must be a column
    """
    values = _values(sample)
    columns = list(values)
    chosen = {role: wanted.get(role) or roles.get(role) for role in ("time", "text", "id")}
    for role, column in chosen.items():
        if column is not None:
            check_column(column, columns, name, role)
            continue
        column, reason = _guess(role, {other: cells for other, cells in values.items() if other not in chosen.values()})
        if column is not None:
            chosen[role] = column
            notes.say(f"the {role} is in the column {column!r}, guessed from its {reason}")
        elif role in needed:
            raise ValueError(
                f"no column of {name} looks like the {role}; say which with {role}=. It has {_listed(columns)}."
            )
    return {role: chosen[role] for role in ("text", "time", "id")}


def check_column(column: str, columns: Sequence[str], name: str, role: str) -> None:
    """Refuse a column that does not exist."""
    if column not in columns:
        raise ValueError(f"{name} has no column {column!r} for {role}=; it has {_listed(columns)}.")


def _guess(role: str, values: Mapping[str, Sequence[Any]]) -> tuple[str | None, str]:
    """The likeliest column and what the guess is based on: its name, a word of its name, or its content."""
    fitting = [column for column in values if _fits(role, values[column])]
    likely = [column for column in fitting if _likely(role, values[column]) or _is_serial(role, column, values[column])]
    for candidates in (likely, fitting) if role == "time" else (fitting,):  # a day from 1 to 31 is not a date
        if column := _named(role, candidates, lambda name: [name]):
            return column, "name"
    if column := _named(role, likely, lambda name: name.split("_")):
        return column, "name"
    if column := _named(role, [column for column in values if not values[column]], lambda name: [name]):
        return column, "name"  # it is empty in the sample
    unnamed = {column: values[column] for column in likely if plain_name(column) not in _NAMES["id"]}
    return _by_content(role, unnamed), "content"


def _named(role: str, columns: Sequence[str], parts: Callable[[str], list[str]]) -> str | None:
    """The first column that has, in part of its name, the likeliest name of the role."""
    ranks = {name: rank for rank, name in enumerate(_NAMES[role])}
    unknown = len(ranks)
    ranked = {column: min(ranks.get(part, unknown) for part in parts(plain_name(column))) for column in columns}
    found = min(ranked, key=ranked.__getitem__, default=None)
    return None if found is None or ranked[found] == unknown else found


def plain_name(column: str) -> str:
    """A column's name in lower case, words separated by underscores: "publishedAt" is published_at."""
    separated = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", column.strip())
    return re.sub(r"[\W_]+", "_", separated).strip("_").lower()


def _fits(role: str, values: Sequence[Any]) -> bool:
    """Whether the values of a column can have the role: texts are strings, half of the times can be read."""
    if role == "text":
        return any(isinstance(value, str) for value in values)
    if role == "time":
        return 2 * sum(map(_readable, values)) >= max(len(values), 1)
    return bool(values)


def _likely(role: str, values: Sequence[Any]) -> bool:
    """Whether the content suggests the role: more than two words on average, or half of it dates or Unix times."""
    if role == "text":
        return _mean_words(values) > 2
    if role == "time":
        return 2 * sum(_is_date(value) or _is_large(value) for value in values) >= max(len(values), 1)
    return False


def _is_serial(role: str, column: str, values: Sequence[Any]) -> bool:
    """Whether a column is called a date and holds dates as spreadsheets count them."""
    return role == "time" and may_be_serial([column], False) and are_serial(values)


def may_be_serial(columns: Sequence[str], in_spreadsheet: bool) -> bool:
    """Whether numbers in the columns of the time may be days as spreadsheets count them: one column, not of years."""
    name = plain_name(columns[0])
    return len(columns) == 1 and not _YEAR & set(name.split("_")) and (in_spreadsheet or "date" in name)


def _by_content(role: str, values: Mapping[str, Sequence[Any]]) -> str | None:
    """The column of the longest texts, or of most dates, at least half; dates are preferred to years."""
    if role == "text":
        return max(values, key=lambda column: _mean_words(values[column]), default=None)
    shares = {column: sum(map(_is_date, cells)) / len(cells) for column, cells in values.items()}
    numbers = {column: sum(map(_is_number, cells)) for column, cells in values.items()}
    dated = [column for column in values if shares[column] >= 0.5]
    return max(dated, key=lambda column: (shares[column], -numbers[column]), default=None)


def _mean_words(values: Sequence[Any]) -> float:
    return float(np.mean([len(str(value).split()) for value in values])) if values else 0.0


def _values(sample: Sample) -> dict[str, list[Any]]:
    """The values of every column in the sample, without missing ones."""
    values: defaultdict[str, list[Any]] = defaultdict(list)
    for row in sample:
        for column, value in row.items():
            values[column] += [] if is_missing(value) else [value]
    return values


def _readable(value: Any) -> bool:
    """Whether a value can be a time at all, in either order of day and month, exact or rough, but not unknown."""
    orders = (read_time(value, day_first, CENTURY_START) for day_first in (True, False))
    if any(math.isfinite(number) or not np.isnat(instant) for number, instant in orders):
        return True
    rough = read_rough(value, True, CENTURY_START)
    return rough is not None and rough.pieces != (UNKNOWN,)


def _is_number(value: Any) -> bool:
    return math.isfinite(read_time(value)[0])


def _is_large(value: Any) -> bool:
    return 1e7 <= read_time(value)[0] < 1e14  # days in eight digits, seconds or milliseconds since 1970


def _is_date(value: Any) -> bool:
    """Whether a value is a date or a likely year; other numbers may be anything."""
    if _is_number(value):
        number = read_time(value)[0]
        return number == round(number) and _LIKELY_YEARS[0] <= number <= _LIKELY_YEARS[1]
    return _readable(value)


def _listed(columns: Iterable[str]) -> str:
    names = list(columns)
    shown = ", ".join(repr(name) for name in names[:20])
    return f"the columns {shown}" + (" and more" if len(names) > 20 else "") if names else "no columns"


_YEAR = frozenset({"year", "yr", "yyyy", "jahr", "annee", "année", "ano", "año", "anno", "jaar", "rok", "год"})
_MONTH = frozenset({"month", "mon", "mm", "monat", "mois", "mes", "mês", "mese", "maand", "miesiac", "месяц"})
_DAY = frozenset({"day", "dd", "day_of_month", "tag", "jour", "dia", "día", "giorno", "dag", "dzien", "день"})


def other_parts(year: str, columns: Sequence[str], sample: Sequence[Mapping[str, Any]]) -> list[str]:
    """The columns of month and day that go with a column of the year, if there are any."""
    if plain_name(year) not in _YEAR:
        return []
    found: list[str] = []
    for names, most in ((_MONTH, 12), (_DAY, 31)):
        fitting = [column for column in columns if plain_name(column) in names and _part_fits(sample, column, most)]
        if not fitting:
            break
        found.append(fitting[0])
    return found


def join_parts(values: Sequence[Any]) -> str | None:
    """The date of a year, a month and a day, up to the first missing one: "1861-03-04", "1861 March", "1861"."""
    parts: list[str] = []
    for value in values:
        if is_missing(value):
            break
        parts.append(_plain(value))
    if all(part.isdigit() for part in parts):
        return "-".join(part.zfill(2) for part in parts) or None
    return " ".join(parts)


def _plain(value: Any) -> str:
    """A whole number without ".0", which tables with missing values add; anything else as it is written."""
    text = str(value).strip()
    return text.removesuffix(".0")


def _part_fits(sample: Sequence[Mapping[str, Any]], column: str, most: int) -> bool:
    """Whether a column holds numbers from 1 to `most`, or names of months if that is 12."""
    values = [_plain(value) for row in sample if not is_missing(value := row.get(column))]
    return bool(values) and all(
        _is_among(value, most) if value.isdecimal() else most == 12 and month_number(value) is not None
        for value in values
    )


def _is_among(digits: str, most: int) -> bool:
    """Whether a number is from 1 to `most`; one of thousands of digits is not even read."""
    return len(digits) <= len(str(most)) + 2 and 1 <= int(digits) <= most
