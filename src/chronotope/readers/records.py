"""A reading: dated texts of any source, one at a time, with what was decided and what was dropped."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chronotope._typing import Ints, Mask, PathLike
from chronotope.corpus.build import Given, Labels, build_folder, count_words
from chronotope.corpus.corpus import Corpus, open_corpus
from chronotope.dates.columns import Time, choose_time_format, is_missing, write_time
from chronotope.dates.decimal import format_time, parse_times
from chronotope.dates.outlying import main_part
from chronotope.dates.window import time_window
from chronotope.readers.columns import check_column, choose_columns, join_parts, may_be_serial, other_parts
from chronotope.readers.draw import NOT_DRAWN, drawn_records
from chronotope.readers.encodings import storable
from chronotope.readers.rows import SPREADSHEET, Bad, Dropped, Row, Source
from chronotope.text.options import Preprocessing
from chronotope.text.report import Removed

OUTSIDE = "outside the time asked for"
NOT_KEPT = "the corpus is on disk, without texts and metadata; ids say which record a document was"
OUTLYING = (
    "{n:,} document{s} far from the others in time ({named}): nothing for the others, neither pictures nor kernel nor "
    "time grid, depends on them; correct the dates, or leave them out with start= and end="
)
_NAMED = 10  # outlying documents that are named
_SAMPLE = 1000  # rows by which columns are guessed
_SAMPLE_CELLS = 200_000  # and values, if the rows are wide
_COLUMNS = 1000  # maximum number of columns kept as metadata, unless they are named
_LONGEST_ID = 1000  # characters; a longer one would take as much memory for every document
_SAMPLE_LENGTH = 2000  # characters of a value that are enough to guess by


class Record(NamedTuple):
    """A dated text.

    text : str;  time : str or float, an ISO date or a number;  id : its name, or the number of its row
    metadata : dict, values of the other columns by name
    """

    text: str
    time: str | float
    id: Any
    metadata: dict[str, Any]


class _Document(NamedTuple):
    """A record whose time is not written out."""

    text: str
    time: Time
    id: Any
    metadata: dict[str, Any]
    place: str


class Reading:
    """The records of a source. Every loop reads it again, one record at a time, and counts what is dropped.

    source : Source, the rows of a file, a folder, a repository or a table; `read` makes it
    text : str or list of str, default None to guess it; the column of the texts; several columns are joined
    time : str or list of str, default None to guess it; the column of the times, or those of year, month and day
    id : str, default None to guess it; the column of the documents' names
    metadata : list of str, default None for all others; columns to keep with the documents
    day_first : bool, default None to find it in the column; whether 03/04/1861 is 3 April
    century_start : int, default None for 1930; the first of the hundred years that two-digit years mean
    limit : int, default None; maximum number of records, drawn at random from the whole source, in its order
    start, end : number or date, default None; records outside of this window of time are left out, see `time_window`

    columns : dict, the columns of text, time and id;  notes : list of str, what was decided, one sentence each
    n_records, dropped : records given and rows dropped in the latest loop
    """

    def __init__(
        self,
        source: Source,
        *,
        text: str | Sequence[str] | None = None,
        time: str | Sequence[str] | None = None,
        id: str | None = None,
        metadata: Sequence[str] | None = None,
        day_first: bool | None = None,
        century_start: int | None = None,
        limit: int | None = None,
        start: Any = None,
        end: Any = None,
    ) -> None:
        if limit is not None and limit < 1:
            raise ValueError(f"limit is {limit}; expected at least 1 record.")
        self.source, self.limit, self._window = source, limit, time_window(start, end)
        self.notes = source.notes
        self._drawn: Mask | None = None
        self.n_records, self.dropped = 0, Dropped()
        sample = self._sample()
        texts = [text] if isinstance(text, str) else list(text or [])
        times = [time] if isinstance(time, str) else list(time or [])
        wanted = {"text": texts[0] if texts else None, "time": times[0] if times else None, "id": id}
        self.columns = choose_columns(sample, wanted, source.roles, source.name, self.notes)
        self._texts = texts or [str(self.columns["text"])]
        self._times = times or self._time_columns(sample)
        self.columns |= {"text": " + ".join(self._texts), "time": " + ".join(self._times)}
        self._metadata = self._other_columns(sample, metadata)
        with closing(source.rows()) as rows:
            written = (self._written(row.fields) for row in rows if isinstance(row, Row))
            serial = may_be_serial(self._times, source.kind == SPREADSHEET)
            self._time_format = choose_time_format(written, day_first, century_start, serial)
        for note in self._time_format.notes:
            self.notes.say(f"the column {self.columns['time']!r} holds {note}")

    def __iter__(self) -> Iterator[Record]:
        with closing(self._documents()) as documents:
            for text, time, name, metadata, _ in documents:
                yield Record(text, write_time(time), name, metadata)

    def _documents(self) -> Generator[_Document, None, None]:
        """The records with their times as they were read, counted; of more than the limit, those that are drawn."""
        drawn = self._draw()
        self.n_records, self.dropped = 0, Dropped()
        with closing(self._usable()) as usable:
            for number, document in enumerate(usable):
                if drawn is None or (number < len(drawn) and drawn[number]):
                    self.n_records += 1
                    yield document

    def _usable(self) -> Generator[_Document, None, None]:
        """All records of the source; rows that are none are counted."""
        with closing(self.source.rows()) as rows:
            for number, row in enumerate(rows):
                document = self._document(row, number)
                if isinstance(document, Bad):
                    self.dropped.add(document)
                else:
                    yield document

    def _draw(self) -> Mask | None:
        """Which records are drawn, decided once, when the source has been read to its end; None for all."""
        if self.limit is not None and self._drawn is None:
            with closing(self._usable()) as usable:
                n = sum(1 for _ in usable)
            self._drawn = drawn_records(n, self.limit)
            if n > self.limit:
                self.notes.say(
                    f"{self.limit:,} of {n:,} records were drawn at random from the whole source, the same ones every "
                    f"time, because of limit={self.limit}"
                )
        return self._drawn

    def __str__(self) -> str:
        found = [f"{role} from {column!r}" for role, column in self.columns.items() if column]
        lines = [f"{self.source.name}: {self.source.kind}; {', '.join(found)}", *(f"  {note}" for note in self.notes)]
        if self.n_records or self.dropped.total:
            lines.append(f"  {self.n_records:,} records read")
        if self.dropped.total:
            lines.append(f"  {self.dropped.total:,} rows dropped: {self.dropped}")
        return "\n".join(lines)

    def to_corpus(
        self,
        preprocessing: Preprocessing | None = None,
        *,
        keep_texts: bool = True,
        folder: PathLike | None = None,
    ) -> Corpus:
        """Count the words of all records; `corpus.report` says what was dropped.

        preprocessing : Preprocessing, default None for `Preprocessing()`; which words and documents are kept
        keep_texts : bool, default True; False saves memory
        folder : str or path, default None; a new folder for a corpus on disk, without texts and metadata; see
            `chronotope.open_corpus`
        """
        if folder is not None:
            return self._to_folder(preprocessing, folder)
        taken = _Taken(self, keep_texts)
        counts, vocabulary, keep, report = count_words(taken.texts(), preprocessing, taken.given)
        rows = np.flatnonzero(keep)
        corpus = Corpus(
            counts,
            taken.times_of(rows),
            vocabulary,
            ids=[taken.ids[row] for row in rows],
            texts=[taken.kept[row] for row in rows] if keep_texts else None,
            metadata=pd.DataFrame(taken.metadata).iloc[rows] if taken.metadata else None,
        )
        corpus.report = report.after(*self._removed(), notes=(*self._all_notes(), *taken.outlying(rows)))
        return corpus

    def _to_folder(self, preprocessing: Preprocessing | None, folder: PathLike) -> Corpus:
        taken = _Taken(self, keep_texts=False, keep_metadata=False)

        def label(keep: Mask) -> Labels:
            rows = np.flatnonzero(keep)
            values, _, calendar = parse_times(taken.times_of(rows))
            ids = np.array([taken.ids[row] for row in rows])
            notes = (*self._all_notes(), *taken.outlying(rows), NOT_KEPT)
            return Labels(values, ids, calendar, self._removed(), notes)

        build_folder(taken.texts(), None, preprocessing, folder, label, taken.given)
        return open_corpus(folder)

    def _removed(self) -> tuple[Removed, ...]:
        dropped = [Removed(reason, documents=n) for reason, n in self.dropped.counts.most_common()]
        n_others = 0 if self._drawn is None else int(np.sum(~self._drawn))
        return (*dropped, Removed(NOT_DRAWN, documents=n_others)) if n_others else tuple(dropped)

    def _all_notes(self) -> tuple[str, ...]:
        dropped = [f"dropped from {self.source.name}: {self.dropped}"] if self.dropped.total else []
        return (*self.notes, *dropped)

    def _sample(self) -> list[dict[str, Any]]:
        """The first rows, long texts truncated."""
        sample: list[dict[str, Any]] = []
        dropped, cells = Dropped(), 0
        with closing(self.source.rows()) as rows:
            for row in rows:
                if isinstance(row, Bad):
                    dropped.add(row)
                else:
                    sample.append({name: _brief(value) for name, value in row.fields.items()})
                    cells += len(row.fields)
                if len(sample) == _SAMPLE or cells >= _SAMPLE_CELLS:
                    break
        if not sample:
            found = f"can be used: {dropped}" if dropped.total else "was found; expected one row per document"
            raise ValueError(f"no row of {self.source.name} {found}.")
        return sample

    def _time_columns(self, sample: list[dict[str, Any]]) -> list[str]:
        """The column of the time, with those of its month and day if it is a year."""
        time = str(self.columns["time"])
        columns = list(dict.fromkeys(column for row in sample for column in row))
        others = other_parts(time, columns, sample)
        if others:
            self.notes.say(f"the time is joined from the columns {', '.join(map(repr, [time, *others]))}")
        return [time, *others]

    def _written(self, fields: Mapping[str, Any]) -> Any:
        """The time as it is written in a row, joined if it is in several columns."""
        values = [fields.get(column) for column in self._times]
        return values[0] if len(values) == 1 else join_parts(values)

    def _other_columns(self, sample: list[dict[str, Any]], wanted: Sequence[str] | None) -> list[str]:
        """The columns kept as metadata: those wanted, or all that have no other role."""
        columns = list(dict.fromkeys(column for row in sample for column in row))
        for role, given in (("text", self._texts), ("time", self._times)):
            for column in given:
                check_column(column, columns, self.source.name, role)
        if wanted is None:
            taken = {*self._texts, *self._times, self.columns["id"]}
            others = [column for column in columns if column not in taken]
            if len(others) > _COLUMNS:
                kept = f"{_COLUMNS:,} of the {len(others):,} other columns are kept as metadata"
                self.notes.say(f"{kept}; name others with metadata=")
            return others[:_COLUMNS]
        for column in wanted:
            check_column(column, columns, self.source.name, "metadata")
        return list(wanted)

    def _document(self, row: Row | Bad, number: int) -> _Document | Bad:
        """The document of a row, or why there is none."""
        if isinstance(row, Bad):
            return row
        present = [value for column in self._texts if not is_missing(value := row.fields.get(column))]
        texts = [value for value in present if isinstance(value, str)]
        if len(texts) < max(len(present), 1):
            return Bad(row.place, "text is not a string" if present else "no text", str(present or ""))
        written = self._written(row.fields)
        if is_missing(written):
            return Bad(row.place, "no time")
        time = self._time_format.read(written)
        if time is None:
            return Bad(row.place, "unreadable time", str(written))
        if self._window is not None and not self._window.holds(time):
            return Bad(row.place, OUTSIDE, str(written))
        id_column = self.columns["id"]
        name = number if id_column is None else row.fields.get(id_column)
        if not isinstance(name, int):
            name = row.place if is_missing(name) else str(storable(str(name)))
            if len(name) > _LONGEST_ID:
                return Bad(row.place, f"id of more than {_LONGEST_ID:,} characters", name)
        metadata = {column: storable(row.fields.get(column)) for column in self._metadata}
        return _Document(storable("\n\n".join(texts)), time, name, metadata, storable(row.place))


class _Taken:
    """Times, ids and metadata of the records, collected while the texts are counted."""

    def __init__(self, reading: Reading, keep_texts: bool, keep_metadata: bool = True) -> None:
        self.reading, self.keep_texts, self.keep_metadata = reading, keep_texts, keep_metadata
        self.times: list[Time] = []
        self.ids: list[Any] = []
        self.places: list[str] = []
        self.kept: list[str] = []
        self.metadata: defaultdict[str, list[Any]] = defaultdict(list)

    def texts(self) -> Iterator[str]:
        """The texts, one at a time."""
        with closing(self.reading._documents()) as documents:
            for text, time, name, metadata, place in documents:
                self.times.append(time)
                self.ids.append(name)
                self.places.append(place)
                for column, value in metadata.items() if self.keep_metadata else ():
                    self.metadata[column].append(value)
                if self.keep_texts:
                    self.kept.append(text)
                yield text
        if not self.times:
            name, dropped = self.reading.source.name, self.reading.dropped
            raise ValueError(f"no row of {name} can be used: {dropped}. Are these the right columns? {self.reading}")

    def times_of(self, rows: Ints) -> NDArray[Any]:
        """Numbers or instants of some of the records, (n,)."""
        return self.reading._time_format.column([self.times[row] for row in rows])

    def given(self) -> Given:
        """Times, ids and places of all records."""
        values, _, _ = parse_times(self.times_of(np.arange(len(self.times))))
        return Given(values, self.ids, self.places.__getitem__)

    def outlying(self, rows: Ints) -> list[str]:
        """A note on documents whose times are far from the others, with their places; none if there are none."""
        values, _, calendar = parse_times(self.times_of(rows))
        found = rows[~main_part(values)]
        if not len(found):
            return []
        years = dict(zip(rows.tolist(), values, strict=True))
        named = [f"{self.places[row]}, {format_time(years[row], calendar)}" for row in found[:_NAMED]]
        more = "; ..." if len(found) > _NAMED else ""
        return [OUTLYING.format(n=len(found), s="s are" if len(found) > 1 else " is", named="; ".join(named) + more)]


def _brief(value: Any) -> Any:
    """A value truncated to what a guess needs."""
    return value[:_SAMPLE_LENGTH] if isinstance(value, str) else value
