"""A corpus: word counts of documents, each with its time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sized
from copy import copy
from hashlib import sha256
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from chronotope._typing import Floats, Ints, Mask, PathLike
from chronotope.corpus.build import (
    Labels,
    TextStream,
    build_folder,
    check_texts,
    count_words,
    dated_texts,
    taken_texts,
)
from chronotope.corpus.counting import Given
from chronotope.corpus.counts import Counts, HeldCounts, blocks
from chronotope.corpus.dated import given_times, rows_of
from chronotope.corpus.disk import CorpusWriter, read_folder
from chronotope.corpus.validation import (
    canonical_counts,
    check_length,
    check_some_dated,
    checked_column,
    checked_table,
    checked_vocabulary,
)
from chronotope.dates.coverage import Coverage
from chronotope.dates.decimal import OnBadTime, UseRough, format_time, parse_times
from chronotope.dates.rough import RoughDates
from chronotope.dates.rough_text import counted_dates, date_notes
from chronotope.dates.window import time_window
from chronotope.display.notebook import corpus_html
from chronotope.text.options import Preprocessing
from chronotope.text.report import PreprocessingReport, Removed

_UNDATED = "documents without a readable time"


class Corpus:
    """Documents as word counts, each with its time. D documents, V words.

    counts : array_like or sparse, (D, V), whole numbers; kept as a canonical csr_array of int32
    times : array_like, (D,), numbers in any unit or dates; dates become decimal years
    vocabulary : iterable of str, (V,), the words of the columns, or a mapping from words to columns, as
        CountVectorizer.vocabulary_; default None for word0, word1, ...
    ids : array_like, (D,), names of the documents; default None for their row numbers
    texts : iterable of str, (D,), default None; kept to be shown
    metadata : DataFrame or dict of columns, D rows, default None; kept to group documents by
    calendar : bool, default False; whether numbers in `times` are decimal years (dates always are)
    on_bad_time : "raise" or "drop", default "raise"; what to do with a document whose time cannot be read
    rough_dates : "use" or "drop", default "use"; whether dates that are known only roughly, such as "circa 1850", are
        kept as densities over time, or count as those that cannot be read
    rough : RoughDates, default None; densities in place of the times of some documents, for other distributions

    All but on_bad_time and rough_dates are attributes; the time of a document with a rough date is the middle of its
    density, with open ends closed at the span of the exact dates. report : PreprocessingReport or None, what was
    removed on the way here. Documents without words are kept. All arrays are copies of what was given.
    """

    def __init__(
        self,
        counts: Any,
        times: Any,
        vocabulary: Iterable[str] | None = None,
        *,
        ids: Any = None,
        texts: Any = None,
        metadata: pd.DataFrame | Mapping[str, Any] | None = None,
        calendar: bool = False,
        on_bad_time: OnBadTime = "raise",
        rough_dates: UseRough = "use",
        rough: RoughDates | None = None,
    ) -> None:
        self.stored: Counts = HeldCounts(canonical_counts(counts))
        D, V = self.stored.shape
        parsed = given_times(times, on_bad_time, rough_dates, rough)
        self.times: Floats = parsed.values
        self.rough: RoughDates | None = parsed.rough
        check_length("times", len(self.times), "counts", D)
        self.calendar = parsed.calendar or calendar
        self.vocabulary = checked_vocabulary(vocabulary, V)
        self.ids = np.arange(D) if ids is None else checked_column("ids", ids, "counts", D)
        self.texts = None if texts is None else checked_column("texts", texts, "counts", D)
        self.metadata = None if metadata is None else checked_table(metadata, "counts", D)
        self.report: PreprocessingReport | None = None
        self._drop_undated(parsed.keep)
        if rough is None and self.rough is not None:
            report = self.report or PreprocessingReport(D, V, self.n_tokens, ())
            self.report = report.after(notes=date_notes(len(self), self.rough, parsed.examples))

    @classmethod
    def from_texts(
        cls,
        texts: Iterable[str],
        times: Any,
        *,
        preprocessing: Preprocessing | None = None,
        ids: Any = None,
        metadata: pd.DataFrame | Mapping[str, Any] | None = None,
        on_bad_time: OnBadTime = "raise",
        rough_dates: UseRough = "use",
        keep_texts: bool = True,
        folder: PathLike | None = None,
    ) -> Corpus:
        """Count the words of raw texts; `report` says what was dropped, and everything stays aligned.

        texts : iterable of str, (D,), a string per document
        times : array_like, (D,), numbers in any unit or dates
        preprocessing : Preprocessing, default None for `Preprocessing()`; which words and documents are kept
        ids : array_like, (D,), names of the documents; default None for their row numbers
        metadata : DataFrame or dict of columns, D rows, default None
        on_bad_time : "raise" or "drop", default "raise"; what to do with a text whose time cannot be read
        rough_dates : "use" or "drop", default "use"; whether dates such as "circa 1850" are kept as densities over time
        keep_texts : bool, default True; with False the texts are taken one at a time, so an iterator will do
        folder : str or path, default None; a new folder for the counts, for texts whose counts exceed memory.
            Texts are not kept there; see `chronotope.open_corpus`
        """
        keep_texts = keep_texts and folder is None
        stream = TextStream(check_texts(texts) if keep_texts else texts)
        values, readable, calendar, rough, examples = parse_times(times, on_bad_time, rough_dates)
        D = len(values)
        if isinstance(stream.texts, Sized):
            check_length("times", D, "texts", len(stream.texts))
        check_some_dated(readable)
        names = np.arange(D) if ids is None else checked_column("ids", ids, "texts", D)
        undated = Removed(_UNDATED, documents=int(np.sum(~readable)))
        given = np.flatnonzero(readable)
        table = None if metadata is None else checked_table(metadata, "texts", D)

        def origin() -> Given:
            return Given(values[given], names[given].tolist(), lambda row: f"row {given[row]}")

        if folder is not None:

            def label(keep: Mask) -> Labels:
                rows = given[keep]
                kept, found = None if table is None else table.iloc[rows], rows_of(rough, rows)
                notes = date_notes(len(rows), found, examples)
                return Labels(values[rows], names[rows], calendar, (undated,), tuple(notes), kept, found)

            take = taken_texts(dated_texts(stream, readable), len(given))
            build_folder(take, preprocessing, folder, label, origin)
            return open_corpus(folder)
        counts, vocabulary, keep, report = count_words(dated_texts(stream, readable), preprocessing, origin)
        rows = given[keep]
        corpus = cls(
            counts,
            values[rows],
            vocabulary,
            ids=names[rows],
            texts=checked_column("texts", stream.texts, "texts", D)[rows] if keep_texts else None,
            metadata=None if table is None else table.iloc[rows],
            calendar=calendar,
            rough=rows_of(rough, rows),
        )
        corpus.report = report.after(undated, notes=date_notes(len(rows), corpus.rough, examples))
        return corpus

    @classmethod
    def of_stored(
        cls,
        stored: Counts,
        times: Floats,
        vocabulary: Iterable[str],
        ids: NDArray[Any],
        calendar: bool,
        report: PreprocessingReport | None,
        metadata: pd.DataFrame | None,
        rough: RoughDates | None = None,
    ) -> Corpus:
        """A corpus of checked parts, whose counts may be on disk; see `chronotope.open_corpus`.

        stored : Counts, (D, V);  times : (D,) float64;  vocabulary : (V,) words;  ids : (D,)
        calendar : whether the times are decimal years;  report : what was removed before, or None
        metadata : D rows, or None;  rough : the dates that are known only roughly, or None
        """
        corpus = cls.__new__(cls)
        corpus.stored, corpus.times, corpus.ids, corpus.calendar = stored, times, ids, calendar
        corpus.vocabulary = np.array(list(vocabulary), dtype=np.str_)
        corpus.texts, corpus.metadata, corpus.report = None, metadata, report
        corpus.rough = rough
        return corpus

    def save(self, folder: PathLike) -> None:
        """Write the corpus to a folder, without its texts; see `chronotope.open_corpus`.

        folder : str or path; must not exist, or be empty

        Metadata that are neither text nor numbers become text.
        """
        with CorpusWriter(folder, self.vocabulary.tolist(), calendar=self.calendar) as writer:
            writer.report, writer.metadata, writer.rough = self.report, self.metadata, self.rough
            for rows, counts in blocks(self.stored):
                writer.add_rows(counts, self.times[rows], self.ids[rows])

    def digest(self) -> str:
        """SHA-256 of counts, times and words, in hexadecimal; two corpora have the same if no fit can differ."""
        found = sha256(np.concatenate([[0], np.cumsum(self.stored.sizes)]).astype(np.int64).tobytes())
        for name in ("indices", "data"):
            for _, counts in blocks(self.stored):
                found.update(getattr(counts, name).astype(np.int64).tobytes())
        found.update(np.asarray(self.times, dtype=np.float64).tobytes())
        if self.rough is not None:
            found.update(self.rough.document.astype(np.int64).tobytes() + self.rough.corners.tobytes())
        found.update(json.dumps([self.vocabulary.tolist(), self.calendar]).encode())
        return found.hexdigest()

    @property
    def counts(self) -> sp.csr_array:
        """(D, V) counts in memory; of a corpus on disk, all of them read."""
        return self.stored.whole()

    @property
    def n_documents(self) -> int:
        """D, the number of documents."""
        return self.stored.shape[0]

    @property
    def n_words(self) -> int:
        """V, the size of the vocabulary."""
        return self.stored.shape[1]

    @property
    def n_tokens(self) -> int:
        """Word occurrences in all documents."""
        return int(self.stored.sum())

    @property
    def n_times(self) -> int:
        """T, the number of distinct times."""
        return len(np.unique(self.times))

    @property
    def n_empty(self) -> int:
        """Documents without words."""
        return int(np.sum(self.stored.sizes == 0))

    @property
    def exact(self) -> Mask:
        """Mask of the documents whose date is exact, (D,); `corpus[corpus.exact]` has these alone."""
        exact = np.ones(len(self), np.bool_)
        exact[[] if self.rough is None else self.rough.documents] = False
        return exact

    @property
    def span(self) -> tuple[float, float]:
        """The first and the last time."""
        return float(self.times.min()), float(self.times.max())

    @property
    def main_span(self) -> tuple[float, float]:
        """The first and the last time without outlying ones, which are far from the middle 80% of the documents."""
        return self.coverage.main_span

    @property
    def coverage(self) -> Coverage:
        """Where there is text: the times of the documents, and the stretches of time that they fill."""
        return Coverage.of(self.times)

    def between(self, start: Any = None, end: Any = None) -> Corpus:
        """The documents from one time to another, both included; an end such as 1959 includes all of that year.

        A document whose date is rough is among them if the middle of its density is.

        start, end : number or date, default None for no limit
        """
        window = time_window(start, end)
        if window is None:
            return self
        inside = window.chosen(self.times, self.calendar)
        if not inside.any():
            first, last = (format_time(time, self.calendar) for time in self.span)
            raise ValueError(f"no document is from {start} to {end}; they are from {first} to {last}.")
        return self if inside.all() else self[inside]

    def split_times(self, test_size: float = 0.15, seed: int = 0) -> tuple[Corpus, Corpus]:
        """Hold out whole time stamps, max(1, ⌊test_size · T⌋) of T, drawn at random; the vocabulary is shared.

        test_size : float between 0 and 1, default 0.15; share of the time stamps, as in train_test_split
        seed : int, default 0; of the random draw, called random_state in scikit-learn

        Returns the training and the test corpus. Documents whose date is known only roughly are always in training: the
        time stamps that are held out are those of exact dates.
        """
        if not 0 < test_size < 1:
            raise ValueError(f"test_size is {test_size}; expected a share between 0 and 1.")
        exact = self.exact
        stamps, stamp_of_document = np.unique(self.times[exact], return_inverse=True)
        T = len(stamps)
        if T < 2 and exact.all():
            raise ValueError(
                f"all {len(self):,} documents have the same time; splitting by time needs at least 2 times."
            )
        if T < 2:
            raise ValueError(f"the exact dates are {T:,} different times; splitting by time needs at least 2.")
        held_out = np.random.default_rng(seed).choice(T, size=max(1, int(test_size * T)), replace=False)
        in_test = np.zeros(len(self), np.bool_)
        in_test[exact] = np.isin(stamp_of_document, held_out)
        return self[~in_test], self[in_test]

    def __len__(self) -> int:
        return self.n_documents

    def __getitem__(self, selection: Any) -> Corpus:
        """The selected documents, with the same vocabulary.

        selection : mask (D,), indices, a slice or one index
        """
        if not isinstance(selection, slice):
            selection = np.atleast_1d(np.asarray(selection))
            if selection.dtype == bool and selection.shape != (len(self),):
                raise IndexError(f"the mask has shape {selection.shape} but the corpus has {len(self):,} documents.")
        rows = np.arange(len(self))[selection] if np.size(selection) else np.empty(0, dtype=np.int64)
        if not len(rows):
            raise ValueError("the selection holds no documents; select at least one.")
        part = copy(self)
        part._select(rows)
        return part

    def __repr__(self) -> str:
        first, last = (format_time(time, self.calendar) for time in self.span)
        dates = counted_dates(len(self), self.rough)
        return (
            f"Corpus({self.n_documents:,} documents, {self.n_words:,} words, {self.n_tokens:,} tokens, "
            f"{self.n_times:,} times from {first} to {last}{'; ' * bool(dates)}{dates})"
        )

    def _repr_html_(self) -> str:
        return corpus_html(self)

    def _select(self, rows: Ints) -> None:
        """Keep the given rows of everything that has one entry per document."""
        self.stored = self.stored.select(rows)
        self.times, self.ids = self.times[rows], self.ids[rows]
        self.rough = rows_of(self.rough, rows)
        self.texts = None if self.texts is None else self.texts[rows]
        self.metadata = None if self.metadata is None else self.metadata.iloc[rows].reset_index(drop=True)

    def _drop_undated(self, keep: Mask) -> None:
        """Remove documents whose time could not be read, and report them."""
        if keep.all():
            return
        check_some_dated(keep)
        D, tokens = self.n_documents, self.n_tokens
        self._select(np.flatnonzero(keep))
        undated = Removed(_UNDATED, tokens=tokens - self.n_tokens, documents=int(np.sum(~keep)))
        self.report = PreprocessingReport(D, self.n_words, tokens, (undated,))


def open_corpus(folder: PathLike) -> Corpus:
    """The corpus in a folder written by `Corpus.save` or a `CorpusWriter`; its counts stay on disk until they are used.

    folder : str or path
    """
    return Corpus.of_stored(*read_folder(folder))
