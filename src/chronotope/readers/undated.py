"""Texts that need no dates: those that are to be dated."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from itertools import islice
from typing import Any, NamedTuple

from chronotope.dates.rough import Corners, RoughDates
from chronotope.dates.rough_text import read_rough
from chronotope.readers.columns import choose_columns
from chronotope.readers.dispatch import open_source
from chronotope.readers.documents import name_of, text_of
from chronotope.readers.rows import Bad, Dropped, Notes, Row

_SAMPLE = 1000  # rows by which columns are guessed


class Undated(NamedTuple):
    """Texts, their names and rows, what is known roughly of their dates, or None; rows that are none, and notes."""

    texts: list[str]
    ids: list[Any]
    rough: RoughDates | None
    dropped: Dropped
    notes: Notes


def read_undated(
    source: Any,
    *,
    text: str | Sequence[str] | None = None,
    time: str | None = None,
    id: str | None = None,
    format: str | None = None,
    **options: Any,
) -> Undated:
    """Texts of a source, with or without dates. Exact dates are not looked at.

    source : as in `read`
    text, id : as in `read`
    time : str, default None to guess it; a column of dates, of which rough ones limit when a text can be from
    format, options : as in `read`, of the file
    """
    opened = open_source(source, format, {name: value for name, value in options.items() if value is not None})
    with closing(opened.rows()) as rows:
        sample = [row.fields for row in islice((row for row in rows if isinstance(row, Row)), _SAMPLE)]
    if not sample:
        raise ValueError(f"no row of {opened.name} was found; expected one row per text.")
    texts = [text] if isinstance(text, str) else list(text or [])
    wanted = {"text": texts[0] if texts else None, "time": time, "id": id}
    columns = choose_columns(sample, wanted, opened.roles, opened.name, opened.notes, needed=("text",))
    found = Undated([], [], None, Dropped(), opened.notes)
    dates = list[tuple[int, Sequence[Corners]]]()
    with closing(opened.rows()) as rows:
        for number, row in enumerate(rows):
            text_and_name = _document(row, number, texts or [str(columns["text"])], columns["id"])
            if isinstance(text_and_name, Bad):
                found.dropped.add(text_and_name)
                continue
            rough = read_rough(row.fields.get(columns["time"])) if columns["time"] and isinstance(row, Row) else None
            dates += [] if rough is None else [(len(found.texts), rough.pieces)]
            found.texts.append(text_and_name[0])
            found.ids.append(text_and_name[1])
    if not found.texts:
        raise ValueError(f"no row of {opened.name} can be used: {found.dropped}.")
    return found._replace(rough=RoughDates.of(dates) if dates else None)


def _document(row: Row | Bad, number: int, texts: Sequence[str], id: str | None) -> tuple[str, Any] | Bad:
    """Text and name of a row, or why there are none."""
    if isinstance(row, Bad):
        return row
    text, name = text_of(row, texts), name_of(row, number, id)
    return text if isinstance(text, Bad) else name if isinstance(name, Bad) else (text, name)
