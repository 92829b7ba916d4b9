"""From the rows of a source to its documents, once it is decided which columns they are in."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from typing import Any, NamedTuple

from chronotope.dates.columns import Time, TimeFormat, is_missing
from chronotope.dates.window import Window
from chronotope.readers.columns import join_parts
from chronotope.readers.encodings import storable
from chronotope.readers.rows import Bad, Dropped, Row, Rows

OUTSIDE = "outside the time asked for"
_LONGEST_ID = 1000  # characters; a longer one would take as much memory for every document


class Document(NamedTuple):
    """A record whose time is not written out."""

    text: str
    time: Time
    id: Any
    metadata: dict[str, Any]
    place: str


class Chosen(NamedTuple):
    """The columns of texts, times (one, or year, month and day), id and metadata, and how times are written.

    id : None if documents are called by the numbers of their rows;  window : documents outside of it are left out
    """

    texts: Sequence[str]
    times: Sequence[str]
    id: str | None
    metadata: Sequence[str]
    time_format: TimeFormat
    window: Window | None

    def document(self, row: Row | Bad, number: int) -> Document | Bad:
        """The document of a row, or why there is none."""
        if isinstance(row, Bad):
            return row
        text = text_of(row, self.texts)
        if isinstance(text, Bad):
            return text
        written = written_time(row.fields, self.times)
        if is_missing(written):
            return Bad(row.place, "no time")
        time = self.time_format.read(written)
        if time is None:
            return Bad(row.place, "unreadable time", str(written))
        if self.window is not None and not self.window.holds(time):
            return Bad(row.place, OUTSIDE, str(written))
        name = name_of(row, number, self.id)
        if isinstance(name, Bad):
            return name
        metadata = {column: storable(row.fields.get(column)) for column in self.metadata}
        return Document(text, time, name, metadata, storable(row.place))


def text_of(row: Row, columns: Sequence[str]) -> str | Bad:
    """The text of a row, joined if it is in several columns, or why there is none."""
    present = [value for column in columns if not is_missing(value := row.fields.get(column))]
    texts = [value for value in present if isinstance(value, str)]
    if len(texts) < max(len(present), 1):
        return Bad(row.place, "text is not a string" if present else "no text", str(present or ""))
    joined: str = storable("\n\n".join(texts))
    return joined


def name_of(row: Row, number: int, column: str | None) -> int | str | Bad:
    """What the document of a row is called: its entry in a column, its place without one, or its number."""
    name = number if column is None else row.fields.get(column)
    if isinstance(name, int):
        return name
    text = row.place if is_missing(name) else str(storable(str(name)))
    return Bad(row.place, f"id of more than {_LONGEST_ID:,} characters", text) if len(text) > _LONGEST_ID else text


def written_time(fields: Mapping[str, Any], columns: Sequence[str]) -> Any:
    """The time as it is written in a row, joined if it is in several columns."""
    values = [fields.get(column) for column in columns]
    return values[0] if len(values) == 1 else join_parts(values)


def documents_of(rows: Rows, chosen: Chosen, dropped: Dropped) -> Generator[Document, None, None]:
    """The documents of rows; rows that are none are counted."""
    with closing(rows):
        for number, row in enumerate(rows):
            document = chosen.document(row, number)
            if isinstance(document, Bad):
                dropped.add(document)
            else:
                yield document
