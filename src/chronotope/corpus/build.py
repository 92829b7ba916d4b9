"""From texts to word counts: in memory, or in a folder with memory that does not grow with the texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from chronotope._typing import Floats, Mask, PathLike
from chronotope.corpus.counting import Origin, count_store
from chronotope.corpus.counts import HeldCounts
from chronotope.corpus.disk import CorpusWriter
from chronotope.corpus.parts import SpilledCounts
from chronotope.corpus.validation import check_length
from chronotope.dates.rough import RoughDates
from chronotope.display.progress import counting_bar
from chronotope.storage.atomic import refuse_existing, writable_folder
from chronotope.storage.leftovers import own_folder
from chronotope.text.options import Preprocessing
from chronotope.text.report import PreprocessingReport, Removed
from chronotope.text.store import TokenStore

C = TypeVar("C", sp.csr_array, HeldCounts)
T = TypeVar("T")


class CountedWords(NamedTuple, Generic[C]):
    """Word counts of texts.

    counts : (kept documents, V) int32;  vocabulary : (V,);  keep : (D,) mask of the documents given
    report : what was removed
    """

    counts: C
    vocabulary: NDArray[np.str_]
    keep: Mask
    report: PreprocessingReport


def count_words(
    texts: Iterable[str], preprocessing: Preprocessing | None = None, origin: Origin = None
) -> CountedWords[sp.csr_array]:
    """Tokenise once, then filter words, then documents; texts are taken one at a time and not kept.

    origin : called when all texts have been taken, default None for rows in order of time; what they were given with
    """
    counted = count_texts(texts, preprocessing, origin)
    return CountedWords(counted.counts.whole(), *counted[1:])


def count_texts(
    texts: Iterable[str], preprocessing: Preprocessing | None = None, origin: Origin = None
) -> CountedWords[HeldCounts]:
    """The same, with counts of which some documents or words can be selected."""
    options = preprocessing or Preprocessing()
    with TokenStore(TextStream(texts), options.splitter()) as store:
        counted = count_store(store, options, origin=origin)
    counts = HeldCounts.stacked(block for part in counted.counts if isinstance(part, list) for block in part)
    counts = counts if counted.used.all() else counts.with_words(counted.used)
    return CountedWords(counts, counted.vocabulary, counted.keep, counted.report)


class TextStream:
    """Texts one at a time, each checked to be a string;  taken : how many there were so far."""

    def __init__(self, texts: Any) -> None:
        if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
            raise ValueError(f"texts is {_short(texts)}; pass a list with one string per document.")
        self.texts: Iterable[Any] = texts
        self.taken = 0

    def __iter__(self) -> Iterator[str]:
        for text in self.texts:
            if not isinstance(text, str):
                raise ValueError(
                    f"texts[{self.taken}] is {_short(text)}; expected a string. Drop the row or pass its text."
                )
            self.taken += 1
            yield text
        if not self.taken:
            raise ValueError("texts is empty; pass at least one document.")


def check_texts(texts: Any) -> list[str]:
    """The texts as a list of strings, or an error that names the first that is not one."""
    return list(TextStream(texts))


def dated_texts(texts: TextStream, dated: Mask) -> Iterator[str]:
    """The texts that have a time, one at a time; refused at the end if there are not as many texts as times.

    dated : (D,) mask of the texts whose time could be read
    """
    for row, text in enumerate(texts):
        if row < len(dated) and dated[row]:
            yield text
    check_length("times", len(dated), "texts", texts.taken)


class Labels(NamedTuple):
    """What documents have beside their words: times and ids, (D,) each, and whether the times are decimal years.

    left_out, notes : documents that were dropped before their words were counted, and what was decided on the way
    metadata : D rows, or None;  rough : the dates that are known only roughly, or None
    """

    times: Floats
    ids: NDArray[Any]
    calendar: bool
    left_out: tuple[Removed, ...] = ()
    notes: tuple[str, ...] = ()
    metadata: pd.DataFrame | None = None
    rough: RoughDates | None = None


Take = Callable[[Preprocessing, Path], TokenStore]  # given how words are found, and a folder for what is large


def build_folder(
    take: Take,
    preprocessing: Preprocessing | None,
    folder: PathLike,
    label: Callable[[Mask], Labels],
    origin: Origin = None,
) -> None:
    """Count words into a new folder, in memory that does not grow with the texts; `open_corpus` reads it.

    take : gives the tokens of the texts
    label : called with the mask of the kept documents when all texts have been taken; gives their labels
    origin : called when all texts have been taken, as in `count_words`
    """
    target = Path(folder).absolute()
    refuse_existing(target)
    writable_folder(target.parent)
    options = preprocessing or Preprocessing()
    with own_folder(target) as scratch:
        with take(options, scratch) as store:
            counted = count_store(store, options, scratch, origin)
        labels = label(counted.keep)
        counts = SpilledCounts([part for part in counted.counts if isinstance(part, str)], counted.used)
        with CorpusWriter(target, counted.vocabulary.tolist(), calendar=labels.calendar) as writer:
            writer.report = counted.report.after(*labels.left_out, notes=labels.notes)
            writer.metadata, writer.rough = labels.metadata, labels.rough
            times = labels.times if labels.rough is None else labels.rough.placed(labels.times)
            for rows, piece in counts.pieces():
                writer.add_rows(piece, times[rows], labels.ids[rows])


def taken_texts(texts: Iterable[str], n_texts: int) -> Take:
    """What `build_folder` takes of texts, one at a time;  n_texts : their number, for the progress bar."""

    def take(options: Preprocessing, scratch: Path) -> TokenStore:
        return TokenStore(TextStream(with_bar(texts, n_texts)), options.splitter(), str(scratch))

    return take


def with_bar(items: Iterable[T], n_items: int | None) -> Iterator[T]:
    """Texts, or whatever has them, with a progress bar if stderr is a terminal."""
    with counting_bar(n_items, 0, None, "reading texts") as advance:
        for item in items:
            yield item
            advance()


def _short(value: Any) -> str:
    """A value and its type, cut to a readable length."""
    text = repr(value)
    return f"{text if len(text) <= 60 else text[:57] + '...'} ({type(value).__name__})"
