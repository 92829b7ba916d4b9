"""What is taken of documents while their texts are split: by part, on the workers of a cluster or here."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chronotope._typing import Floats, Mask
from chronotope.corpus.dated import followed_by
from chronotope.corpus.metadata import ColumnCoder, chosen_rows, joined
from chronotope.dates.columns import TimeFormat
from chronotope.dates.gathered import TimeList
from chronotope.dates.rough import RoughDates
from chronotope.dates.rough_text import Examples
from chronotope.readers.documents import Chosen, Document, documents_of
from chronotope.readers.labels import ByPart, PlaceList, id_array
from chronotope.readers.rows import Dropped, Notes, Shard
from chronotope.text.options import Preprocessing
from chronotope.text.store import SplitTexts, split_to_file


class TakenPart(NamedTuple):
    """The documents of one part: their tokens, times (D,), ids (D,) and places, and D rows of metadata.

    times : NaN for those that are in rough;  examples : how some of these were understood
    n_rows : all rows of the part;  dropped, notes : those that are no documents, and what was decided
    """

    split: SplitTexts
    times: Floats
    rough: RoughDates | None
    examples: Examples
    ids: NDArray[Any]
    places: PlaceList
    metadata: pd.DataFrame
    n_rows: int
    dropped: Dropped
    notes: Notes


def read_shard(shard: Shard, chosen: Chosen, options: Preprocessing, folder: Path) -> TakenPart:
    """Read one part of a source, on a worker.

    chosen : the columns;  options : how words are found;  folder : for the tokens, seen by all workers
    """
    dropped, notes = Dropped(), Notes()
    try:
        with closing(documents_of(shard.rows(notes), chosen, dropped)) as documents:
            part = take_documents(documents, chosen, options, folder)
    except FileNotFoundError as error:
        raise ValueError(
            f"a worker does not see {str(error.filename)!r}; the files of the corpus, and the folder that it is built "
            "in, must be on a file system that all workers share, under the same path."
        ) from None
    return part._replace(n_rows=len(part.times) + dropped.total, dropped=dropped, notes=notes)


def take_documents(documents: Iterable[Document], chosen: Chosen, options: Preprocessing, folder: Path) -> TakenPart:
    """The documents of a part, taken one at a time; their tokens are in a file of the folder."""
    taken = _Taking(chosen.time_format, chosen.metadata)
    split = split_to_file(taken.texts(documents, array("q") if chosen.id is None else []), options.splitter(), folder)
    ids, metadata = id_array(taken.ids), taken.metadata()
    times = taken.times
    dates = (times.values(), times.rough(), times.examples)
    return TakenPart(split, *dates, ids, taken.places, metadata, 0, Dropped(), Notes())


class _Taking:
    """Times, ids, places and metadata of documents, collected while their texts are split."""

    def __init__(self, time_format: TimeFormat, columns: Sequence[str]) -> None:
        self.times, self._columns = TimeList(time_format), {name: ColumnCoder() for name in columns}
        self.places = PlaceList()

    def texts(self, documents: Iterable[Document], ids: Any) -> Iterator[str]:
        """The texts, one at a time.   ids : an empty list or array to fill"""
        self.ids = ids
        for text, time, name, metadata, place in documents:
            for column, coder in self._columns.items():
                coder.append(metadata[column])
            self.times.append(time)
            self.ids.append(name)
            self.places.append(place)
            yield text

    def metadata(self) -> pd.DataFrame:
        """A row for each document, (D, columns)."""
        rows = pd.RangeIndex(len(self.places))
        return pd.DataFrame({name: coder.column() for name, coder in self._columns.items()}, index=rows)


class TakenDocuments:
    """The documents of all parts, in order: times (D,), ids, places and metadata, rows that are none, and notes.

    rough : the dates that are known only roughly, or None;  examples : how some of them were understood
    """

    def __init__(self, numbered: bool) -> None:
        """numbered : whether ids are numbers of rows, counted over all parts."""
        self._numbered, self._n_rows = numbered, 0
        self._times = [np.empty(0)]
        self.rough: RoughDates | None = None
        self.examples = Examples()
        self.ids, self.places = ByPart(), ByPart()
        self._metadata: list[pd.DataFrame] = []
        self.dropped, self.notes = Dropped(), Notes()

    def take(self, parts: Iterable[TakenPart]) -> Iterator[SplitTexts]:
        """The split texts of every part, in order; the rest is kept here."""
        for split, times, rough, examples, ids, places, metadata, n_rows, dropped, notes in parts:
            if rough is not None:
                self.rough = followed_by(self.rough, rough, len(self))
            for date in examples.values():
                self.examples.see(date)
            self._metadata.append(metadata)
            self._times.append(times)
            self.ids.append(ids + self._n_rows if self._numbered else ids)
            self.places.append(places)
            self._n_rows += n_rows
            self.dropped.add_all(dropped)
            for note in notes:
                self.notes.say(note)
            yield split

    @property
    def times(self) -> Floats:
        """Times as numbers, (D,)."""
        self._times = [np.concatenate(self._times)]
        return self._times[0]

    def metadata_of(self, keep: Mask) -> pd.DataFrame | None:
        """Metadata of the masked documents; None if no column is kept."""
        return chosen_rows(joined(self._metadata), keep) if len(self._metadata[0].columns) else None

    def __len__(self) -> int:
        return len(self.places)
