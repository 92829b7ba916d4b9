"""A corpus: word counts of documents, each with its time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sized
from copy import copy
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from chronotope._typing import Floats, Ints, Mask, PathLike
from chronotope.corpus.counts import Counts, HeldCounts
from chronotope.dates.decimal import OnBadTime, format_time, parse_times
from chronotope.display.notebook import corpus_html
from chronotope.text.options import Preprocessing, PreprocessingReport, Removed, TextStream, check_texts, count_words


class Corpus:
    """Documents as word counts, each with its time.

    counts : (D, V) csr_array of int32, canonical;  times : (D,) float64;  vocabulary : (V,) words
    ids : (D,), by default the row numbers of what was given;  texts : (D,) or None;  metadata : D rows or None
    calendar : whether the times are decimal years;  report : what was removed on the way here, or None

    Numbers in `times` stay in their own unit; with calendar=True they are decimal years. Dates are recognised.
    Documents without words are kept. All arrays are copies of what was given.
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
    ) -> None:
        self.stored: Counts = HeldCounts(_canonical_counts(counts))
        D, V = self.stored.shape
        self.times, keep, dated = parse_times(times, on_bad_time)
        _check_length("times", len(self.times), "counts", D)
        self.calendar = dated or calendar
        self.vocabulary = _vocabulary(vocabulary, V)
        self.ids = np.arange(D) if ids is None else _column("ids", ids, "counts", D)
        self.texts = None if texts is None else _column("texts", texts, "counts", D)
        self.metadata = None if metadata is None else _table(metadata, "counts", D)
        self.report: PreprocessingReport | None = None
        if not keep.all():
            self._drop_undated(keep)

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
        keep_texts: bool = True,
        folder: PathLike | None = None,
    ) -> Corpus:
        """Count the words of raw texts; `report` says what was dropped, and everything stays aligned.

        With keep_texts=False the texts are taken one at a time and none is kept, so an iterator of any length will do.
        With a folder, a new one, none is kept either, and the counts go there: see `chronotope.open_corpus`.
        """
        if folder is not None and metadata is not None:
            raise ValueError("a corpus on disk keeps no metadata; leave out metadata=, and give ids= to find it by.")
        keep_texts = keep_texts and folder is None
        stream = TextStream(check_texts(texts) if keep_texts else texts)
        values, dated, calendar = parse_times(times, on_bad_time)
        D = len(values)
        if isinstance(stream.texts, Sized):
            _check_length("times", D, "texts", len(stream.texts))
        _check_some_dated(dated)
        names = np.arange(D) if ids is None else _column("ids", ids, "texts", D)
        undated = Removed(_UNDATED, documents=int(np.sum(~dated)))
        if folder is not None:
            from chronotope.corpus.build import Labels, build_corpus

            def label(keep: Mask) -> Labels:
                rows = np.flatnonzero(dated)[keep]
                return Labels(values[rows], names[rows], calendar, (undated,))

            return build_corpus(_with_time(stream, dated), int(dated.sum()), preprocessing, folder, label)
        counts, vocabulary, keep, report = count_words(_with_time(stream, dated), preprocessing)
        rows = np.flatnonzero(dated)[keep]
        corpus = cls(
            counts,
            values[rows],
            vocabulary,
            ids=names[rows],
            texts=_column("texts", stream.texts, "texts", D)[rows] if keep_texts else None,
            metadata=None if metadata is None else _table(metadata, "texts", D).iloc[rows],
            calendar=calendar,
        )
        corpus.report = report.after(undated)
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
    ) -> Corpus:
        """A corpus of counts that may be on disk, everything else ready; see `chronotope.open_corpus`."""
        corpus = cls.__new__(cls)
        corpus.stored, corpus.times, corpus.ids, corpus.calendar = stored, times, ids, calendar
        corpus.vocabulary = np.array(list(vocabulary), dtype=np.str_)
        corpus.texts, corpus.metadata, corpus.report = None, None, report
        return corpus

    def save(self, folder: PathLike) -> None:
        """Write the corpus to a new folder, without its texts and metadata; see `chronotope.open_corpus`."""
        from chronotope.corpus.disk import save_corpus

        save_corpus(self, folder)

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
    def span(self) -> tuple[float, float]:
        """The first and the last time."""
        return float(self.times.min()), float(self.times.max())

    def split_times(self, test_size: float = 0.15, seed: int = 0) -> tuple[Corpus, Corpus]:
        """Hold out whole time stamps, max(1, ⌊test_size · T⌋) of them, drawn at random; the vocabulary is shared."""
        if not 0 < test_size < 1:
            raise ValueError(f"test_size is {test_size}; expected a share between 0 and 1.")
        stamps, stamp_of_document = np.unique(self.times, return_inverse=True)
        T = len(stamps)
        if T < 2:
            raise ValueError(
                f"all {len(self):,} documents have the same time; splitting by time needs at least 2 times."
            )
        held_out = np.random.default_rng(seed).choice(T, size=max(1, int(test_size * T)), replace=False)
        in_test = np.isin(stamp_of_document, held_out)
        return self[~in_test], self[in_test]

    def __len__(self) -> int:
        return self.n_documents

    def __getitem__(self, selection: Any) -> Corpus:
        """The selected documents (a mask, indices, a slice or one index), with the same vocabulary."""
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
        return (
            f"Corpus({self.n_documents:,} documents, {self.n_words:,} words, {self.n_tokens:,} tokens, "
            f"{self.n_times:,} times from {first} to {last})"
        )

    def _repr_html_(self) -> str:
        return corpus_html(self)

    def _select(self, rows: Ints) -> None:
        """Keep the given rows of everything that has one entry per document."""
        self.stored = self.stored.select(rows)
        self.times, self.ids = self.times[rows], self.ids[rows]
        self.texts = None if self.texts is None else self.texts[rows]
        self.metadata = None if self.metadata is None else self.metadata.iloc[rows].reset_index(drop=True)

    def _drop_undated(self, keep: Mask) -> None:
        """Remove documents whose time could not be read, and report them."""
        _check_some_dated(keep)
        D, tokens = self.n_documents, self.n_tokens
        self._select(np.flatnonzero(keep))
        undated = Removed(_UNDATED, tokens=tokens - self.n_tokens, documents=int(np.sum(~keep)))
        self.report = PreprocessingReport(D, self.n_words, tokens, (undated,))


_UNDATED = "documents without a readable time"


def _with_time(texts: TextStream, dated: Mask) -> Iterator[str]:
    """The texts that have a time, one at a time; refused in the end if there are not as many texts as times."""
    for row, text in enumerate(texts):
        if row < len(dated) and dated[row]:
            yield text
    _check_length("times", len(dated), "texts", texts.taken)


def _check_some_dated(keep: Mask) -> None:
    if not keep.any():
        raise ValueError(f"none of the {len(keep):,} times could be read; pass numbers or ISO dates.")


def _check_length(name: str, n: int, other: str, D: int) -> None:
    """One entry per document."""
    if n != D:
        one = name.removesuffix("s") if name in ("times", "ids", "texts") else "entry"
        raise ValueError(f"{name} has {n:,} entries but {other} has {D:,} rows; pass one {one} per document.")


def _canonical_counts(given: Any) -> sp.csr_array:
    """A copy of the counts as int32 CSR: indices sorted, duplicates summed, no stored zeros."""
    values: Any = given if sp.issparse(given) else np.asarray(given)
    if values.ndim != 2:
        raise ValueError(f"counts has shape {values.shape}; expected 2 dimensions, documents × words.")
    if 0 in values.shape:
        D, V = values.shape
        raise ValueError(f"counts has {D:,} documents and {V:,} words; pass at least one of each.")
    if values.dtype.kind not in "biuf":
        raise ValueError(f"counts has dtype {values.dtype}; expected whole numbers.")
    ready = values.dtype == np.int32 and getattr(values, "format", "") == "csr" and values.has_canonical_format
    exact = values.copy() if ready else values.astype(np.float64)  # up to 2⁵³, so no sum of duplicates overflows
    counts: sp.csr_array = sp.csr_array(exact)
    counts.sum_duplicates()
    _check_counts(counts)
    counts.eliminate_zeros()
    return counts.astype(np.int32, copy=False)


def _check_counts(counts: sp.csr_array) -> None:
    """Every count is a finite whole number ≥ 0 that fits 32 bits."""
    n = counts.data
    for bad, expected in (
        (~np.isfinite(n), "a finite number; replace it by 0 or drop the document"),
        (n < 0, "at least 0; pass raw word counts"),
        (n != np.round(n), "a whole number; round them or pass raw counts"),
        (n > np.iinfo(np.int32).max, "at most 2,147,483,647"),
    ):
        if bad.any():
            at = int(np.argmax(bad))
            row = int(np.searchsorted(counts.indptr, at, side="right")) - 1
            raise ValueError(f"counts[{row}, {counts.indices[at]}] is {n[at]:g}; expected {expected}.")


def _vocabulary(given: Iterable[str] | None, V: int) -> NDArray[np.str_]:
    """The words of the columns; a mapping, as of a CountVectorizer, gives each word's column."""
    if given is None:
        return np.array([f"word{v}" for v in range(V)])
    if isinstance(given, str | set | frozenset):
        raise ValueError(f"vocabulary is a {type(given).__name__}; pass a list with one word per column, in order.")
    words = sorted(given, key=given.__getitem__) if isinstance(given, Mapping) else list(given)
    if len(words) != V:
        raise ValueError(f"vocabulary has {len(words):,} words but counts has {V:,} columns; pass one word per column.")
    seen: dict[str, int] = {}
    for column, word in enumerate(words):
        if not isinstance(word, str):
            raise ValueError(f"vocabulary[{column}] is {word!r}; expected a string.")
        if seen.setdefault(word, column) != column:
            raise ValueError(f"vocabulary has {word!r} in columns {seen[word]} and {column}; add up the two columns.")
    return np.array(words, dtype=np.str_)


def _column(name: str, given: Any, other: str, D: int) -> NDArray[Any]:
    """A copy of one value per document; texts stay objects, for a string array pads all to the longest."""
    values = np.array(given if hasattr(given, "__array__") else list(given), dtype=object if name == "texts" else None)
    if values.ndim != 1:
        raise ValueError(f"{name} has shape {values.shape}; pass a list with one entry per document.")
    _check_length(name, len(values), other, D)
    return values


def _table(given: Any, other: str, D: int) -> pd.DataFrame:
    """A copy of the metadata, one row per document, rows by position."""
    if isinstance(given, Mapping):
        columns = {name: pd.Series(values).reset_index(drop=True) for name, values in given.items()}
        for name, values in columns.items():
            _check_length(f"metadata[{name!r}]", len(values), other, D)
        return pd.DataFrame(columns)
    table = given.to_pandas() if hasattr(given, "to_pandas") else given
    if not isinstance(table, pd.DataFrame):
        raise ValueError(f"metadata is a {type(given).__name__}; expected a table or a dict of columns.")
    _check_length("metadata", len(table), other, D)
    return table.reset_index(drop=True)
