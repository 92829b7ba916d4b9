"""A reading: dated texts of any source, one at a time, with what was decided and what was dropped."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from itertools import starmap
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from chronotope._typing import Ints, Mask, PathLike
from chronotope.cluster.workers import Workers, check_client
from chronotope.corpus.build import Labels, build_folder, count_words, with_bar
from chronotope.corpus.corpus import Corpus, open_corpus
from chronotope.corpus.counting import Given
from chronotope.corpus.dated import rows_of
from chronotope.dates.columns import NUMBERS, choose_time_format, write_time
from chronotope.dates.decimal import UseRough
from chronotope.dates.gathered import TimeList
from chronotope.dates.rough import RoughDates
from chronotope.dates.rough_text import date_notes
from chronotope.dates.window import time_window
from chronotope.display.progress import counting_bar
from chronotope.readers.columns import check_column, choose_columns, may_be_serial, other_parts
from chronotope.readers.documents import Chosen, Document, documents_of, written_time
from chronotope.readers.draw import NOT_DRAWN, drawn_records
from chronotope.readers.labels import kept_ids, outlying_note
from chronotope.readers.rows import SPREADSHEET, Bad, Dropped, Row, Source, check_shards
from chronotope.readers.taken import TakenDocuments, TakenPart, read_shard, take_documents
from chronotope.text.options import Preprocessing
from chronotope.text.report import Removed
from chronotope.text.store import TokenStore

NOT_KEPT = "the corpus is on disk, without texts{and_metadata}; ids say which record a document was"
_SAMPLE = 1000  # rows by which columns are guessed
_SAMPLE_CELLS = 200_000  # and values, if the rows are wide
_COLUMNS = 1000  # maximum number of columns kept as metadata, unless they are named
_SAMPLE_LENGTH = 2000  # characters of a value that are enough to guess by


class Record(NamedTuple):
    """A dated text.

    text : str;  time : str or float, an ISO date or a number, or a rough date as it is written
    id : its name, or the number of its row
    metadata : dict, values of the other columns by name
    """

    text: str
    time: str | float
    id: Any
    metadata: dict[str, Any]


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
    rough_dates : "use" or "drop", default "use"; whether dates such as "circa 1850" are densities or unreadable

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
        rough_dates: UseRough = "use",
    ) -> None:
        if limit is not None and limit < 1:
            raise ValueError(f"limit is {limit}; expected at least 1 record.")
        self.source, self.limit, window = source, limit, time_window(start, end)
        self.notes = source.notes
        self._drawn: Mask | None = None
        self.n_records, self.dropped = 0, Dropped()
        sample = self._sample()
        texts = [text] if isinstance(text, str) else list(text or [])
        times = [time] if isinstance(time, str) else list(time or [])
        wanted = {"text": texts[0] if texts else None, "time": times[0] if times else None, "id": id}
        self.columns = choose_columns(sample, wanted, source.roles, source.name, self.notes)
        texts = texts or [str(self.columns["text"])]
        times = times or self._time_columns(sample)
        self.columns |= {"text": " + ".join(texts), "time": " + ".join(times)}
        others, self._named = self._other_columns(sample, texts, times, metadata), metadata is not None
        with closing(source.rows()) as rows:
            written = (written_time(row.fields, times) for row in rows if isinstance(row, Row))
            serial = may_be_serial(times, source.kind == SPREADSHEET)
            time_format = choose_time_format(written, day_first, century_start, serial, rough_dates)
        for note in time_format.notes:
            self.notes.say(f"the column {self.columns['time']!r} holds {note}")
        self._chosen = Chosen(texts, times, self.columns["id"], others, time_format, window)

    def __iter__(self) -> Iterator[Record]:
        with closing(self._documents()) as documents:
            for text, time, name, metadata, _ in documents:
                yield Record(text, write_time(time), name, metadata)

    def _documents(self) -> Generator[Document, None, None]:
        """The records with their times as they were read, counted; of more than the limit, those that are drawn."""
        drawn = self._draw()
        self.n_records, self.dropped = 0, Dropped()
        with closing(self._usable()) as usable:
            for number, document in enumerate(usable):
                if drawn is None or (number < len(drawn) and drawn[number]):
                    self.n_records += 1
                    yield document

    def _usable(self) -> Generator[Document, None, None]:
        """All records of the source; rows that are none are counted."""
        return documents_of(self.source.rows(), self._chosen, self.dropped)

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
        engine: Any = None,
    ) -> Corpus:
        """Count the words of all records; `corpus.report` says what was dropped.

        preprocessing : Preprocessing, default None for `Preprocessing()`; which words and documents are kept
        keep_texts : bool, default True; False saves memory
        folder : str or path, default None; a new folder for a corpus on disk, without texts, and with those metadata
            alone that were named; see `chronotope.open_corpus`
        engine : dask.distributed.Client, default None; with a folder, its workers read the files of the source, each a
            whole one. Files and folder must be on a file system that they share. The folder is the same without them
        """
        if engine is not None:
            check_client(engine)
            check_shards(self.source, self.limit, folder)
        if folder is not None:
            self._to_folder(preprocessing, folder, None if engine is None else Workers(engine))
            return open_corpus(folder)
        taken = _Taken(self, keep_texts)
        counts, vocabulary, keep, report = count_words(taken.texts(), preprocessing, taken.given)
        rows = np.flatnonzero(keep)
        rough = taken.rough_of(rows)
        corpus = Corpus(
            counts,
            taken.times.values()[rows],
            vocabulary,
            ids=[taken.ids[row] for row in rows],
            texts=[taken.kept[row] for row in rows] if keep_texts else None,
            metadata=pd.DataFrame(taken.metadata).iloc[rows] if taken.metadata else None,
            calendar=self._calendar,
            rough=rough,
        )
        outlying = outlying_note(corpus.times, rows, self._calendar, taken.places)
        dates = date_notes(len(rows), rough, taken.times.examples)
        corpus.report = report.after(*self._removed(), notes=(*self._all_notes(), *dates, *outlying))
        return corpus

    @property
    def _calendar(self) -> bool:
        """Whether times are dates."""
        return self._chosen.time_format.kind != NUMBERS

    def _to_folder(self, preprocessing: Preprocessing | None, folder: PathLike, workers: Workers | None) -> None:
        taken = TakenDocuments(numbered=self._chosen.id is None)

        def take(options: Preprocessing, scratch: Path) -> TokenStore:
            parts = self._parts(options, scratch, workers)
            store = TokenStore.of_parts(taken.take(parts), starmap if workers is None else workers.map)
            self._after(taken, workers)
            return store

        def label(keep: Mask) -> Labels:
            rows, ids = np.flatnonzero(keep), kept_ids(taken.ids, keep)
            rough = rows_of(taken.rough, rows)
            times = taken.times[rows] if rough is None else rough.placed(taken.times[rows])
            dates = date_notes(len(rows), rough, taken.examples)
            metadata = taken.metadata_of(keep)
            not_kept = NOT_KEPT.format(and_metadata=" and metadata" if metadata is None else "")
            outlying = outlying_note(times, rows, self._calendar, taken.places)
            notes = (*self._all_notes(), *dates, *outlying, not_kept)
            return Labels(times, ids, self._calendar, self._removed(), notes, metadata, rough)

        def origin() -> Given:
            times = taken.times if taken.rough is None else taken.rough.placed(taken.times)
            return Given(times, taken.ids, taken.places.__getitem__)

        build_folder(take, preprocessing, folder, label, origin)

    def _parts(self, options: Preprocessing, scratch: Path, workers: Workers | None) -> Iterator[TakenPart]:
        """The documents of the source: as one part, or as those that workers have read."""
        chosen = self._chosen if self._named else self._chosen._replace(metadata=[])
        if workers is None:
            with closing(self._documents()) as documents:
                yield take_documents(with_bar(documents, None), chosen, options, scratch)
            return
        calls = ((shard, chosen, options, scratch) for shard in self.source.shards)
        with counting_bar(None, 0, None, "reading texts") as advance:
            for part in workers.map(read_shard, calls):
                yield part
                advance(len(part.times))

    def _after(self, taken: TakenDocuments, workers: Workers | None) -> None:
        """What workers have dropped and decided is said here; no documents are an error."""
        if workers is not None:
            self.n_records, self.dropped = len(taken), taken.dropped
            for note in taken.notes:
                self.notes.say(note)
        if not len(taken):
            raise self._no_records()

    def _no_records(self) -> ValueError:
        return ValueError(
            f"no row of {self.source.name} can be used: {self.dropped}. Are these the right columns? {self}"
        )

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

    def _other_columns(
        self, sample: list[dict[str, Any]], texts: list[str], times: list[str], wanted: Sequence[str] | None
    ) -> list[str]:
        """The columns kept as metadata: those wanted, or all that have no other role."""
        columns = list(dict.fromkeys(column for row in sample for column in row))
        for role, given in (("text", texts), ("time", times)):
            for column in given:
                check_column(column, columns, self.source.name, role)
        if wanted is None:
            taken = {*texts, *times, self.columns["id"]}
            others = [column for column in columns if column not in taken]
            if len(others) > _COLUMNS:
                kept = f"{_COLUMNS:,} of the {len(others):,} other columns are kept as metadata"
                self.notes.say(f"{kept}; name others with metadata=")
            return others[:_COLUMNS]
        for column in wanted:
            check_column(column, columns, self.source.name, "metadata")
        return list(wanted)


class _Taken:
    """Times, ids and metadata of the records, collected while the texts are counted in memory."""

    def __init__(self, reading: Reading, keep_texts: bool) -> None:
        self.reading, self.keep_texts = reading, keep_texts
        self.times = TimeList(reading._chosen.time_format)
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
                for column, value in metadata.items():
                    self.metadata[column].append(value)
                if self.keep_texts:
                    self.kept.append(text)
                yield text
        if not len(self.times):
            raise self.reading._no_records()

    def rough_of(self, rows: Ints) -> RoughDates | None:
        """The rough dates of some of the records, None if there are none."""
        return rows_of(self.times.rough(), rows)

    def given(self) -> Given:
        """Times, ids and places of all records."""
        values, rough = self.times.values(), self.times.rough()
        return Given(values if rough is None else rough.placed(values), self.ids, self.places.__getitem__)


def _brief(value: Any) -> Any:
    """A value truncated to what a guess needs."""
    return value[:_SAMPLE_LENGTH] if isinstance(value, str) else value
