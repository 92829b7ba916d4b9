"""Dates over several columns: a year, a month and a day, each in its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from chronotope.months import month_number
from chronotope.readers.columns import plain_name
from chronotope.readers.rows import is_missing

_YEAR = frozenset({"year", "yr", "yyyy", "jahr", "annee", "année", "ano", "año", "anno", "jaar", "rok", "год"})
_MONTH = frozenset({"month", "mon", "mm", "monat", "mois", "mes", "mês", "mese", "maand", "miesiac", "месяц"})
_DAY = frozenset({"day", "dd", "day_of_month", "tag", "jour", "dia", "día", "giorno", "dag", "dzien", "день"})


def other_parts(year: str, columns: Sequence[str], sample: Sequence[Mapping[str, Any]]) -> list[str]:
    """The columns of the month and of the day beside one of the year, as far as there are any."""
    if plain_name(year) not in _YEAR:
        return []
    found: list[str] = []
    for names, most in ((_MONTH, 12), (_DAY, 31)):
        fitting = [column for column in columns if plain_name(column) in names and _fits(sample, column, most)]
        if not fitting:
            break
        found.append(fitting[0])
    return found


def put_together(values: Sequence[Any]) -> str | None:
    """The date of a year, a month and a day, as far as they are given: "1861-03-04", "1861 March", "1861"."""
    parts: list[str] = []
    for value in values:
        if is_missing(value):
            break
        parts.append(_plain(value))
    if all(part.isdigit() for part in parts):
        return "-".join(part.zfill(2) for part in parts) or None
    return " ".join(parts)


def _plain(value: Any) -> str:
    """A number without a decimal point, as tables with gaps have them; anything else as it is written."""
    text = str(value).strip()
    return text.removesuffix(".0")


def _fits(sample: Sequence[Mapping[str, Any]], column: str, most: int) -> bool:
    """Whether a column holds numbers from 1 to so many, or names of months where they are twelve."""
    values = [_plain(value) for row in sample if not is_missing(value := row.get(column))]
    return bool(values) and all(
        1 <= int(value) <= most if value.isdigit() else most == 12 and month_number(value) is not None
        for value in values
    )
