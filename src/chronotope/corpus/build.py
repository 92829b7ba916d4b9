"""From texts to word counts: in memory, or in a folder with memory that does not grow with the texts."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chronotope._typing import Floats, Mask, PathLike
from chronotope.corpus.arrays import spill
from chronotope.corpus.counts import Counts, HeldCounts, blocks
from chronotope.corpus.disk import CorpusWriter
from chronotope.corpus.validation import check_length
from chronotope.display.progress import counting_bar
from chronotope.storage.atomic import refuse_existing, writable_folder
from chronotope.storage.leftovers import own_folder
from chronotope.text.build import Lexicon, filter_words, widespread_note
from chronotope.text.duplicates import DUPLICATES, duplicates_note, repeated_documents
from chronotope.text.options import Preprocessing
from chronotope.text.report import PreprocessingReport, Removed, Repeat
from chronotope.text.store import TokenStore

C = TypeVar("C", sp.csr_array, Counts)

logger = logging.getLogger(__name__)


class CountedWords(NamedTuple, Generic[C]):
    """Word counts of texts.

    counts : (kept documents, V) int32;  vocabulary : (V,);  keep : (D,) mask of the documents given
    report : what was removed
    """

    counts: C
    vocabulary: NDArray[np.str_]
    keep: Mask
    report: PreprocessingReport


class Given(NamedTuple):
    """What texts were given with: times (D,), ids (D,), and the place of each in its source, such as "row 12"."""

    times: Floats
    ids: Sequence[Any]
    place: Callable[[int], str] = "row {}".format


Origin = Callable[[], Given] | None  # called when all texts have been taken


def count_words(
    texts: Iterable[str], preprocessing: Preprocessing | None = None, origin: Origin = None
) -> CountedWords[sp.csr_array]:
    """Tokenise once, then filter words, then documents; texts are taken one at a time and not kept.

    origin : called when all texts have been taken, default None for rows in order of time; what they were given with
    """
    counted = count_texts(texts, preprocessing, origin=origin)
    return CountedWords(counted.counts.whole(), *counted[1:])


def count_texts(
    texts: Iterable[str],
    preprocessing: Preprocessing | None = None,
    folder: Path | None = None,
    origin: Origin = None,
) -> CountedWords[Counts]:
    """The same; with a folder for tokens and counts, in memory that does not grow with the texts."""
    options = preprocessing or Preprocessing()
    with TokenStore(TextStream(texts), options.splitter(), None if folder is None else str(folder)) as store:
        repeated, said = _look_for_duplicates(store, options, folder is not None, origin)
        lexicon = Lexicon(store, options)
        table = lexicon.word_table()
        kept, removed = filter_words(table, lexicon.stop_words, options)
        vocabulary = sorted(kept.words) if options.vocabulary is None else list(options.vocabulary)
        parts = lexicon.count(dict(zip(kept.words, kept.number, strict=True)), vocabulary)
        counts: Counts = HeldCounts.stacked(parts) if folder is None else spill(parts, len(vocabulary), folder)
    counts, keep = _drop_documents(counts, options.min_document_words, store.keep, removed)
    words = np.array(vocabulary, dtype=object)
    if options.vocabulary is None:
        counts, words = _drop_unused(counts, words, removed)
    read = (int(store.keep.sum()), len(table.words), int(table.occurrences.sum()))
    notes = (*lexicon.notes, *said, *widespread_note(kept, options))
    report = PreprocessingReport(*read, tuple(removed), notes, options, repeated)
    if options.duplicates == "drop":
        report = report.after(Removed(DUPLICATES, documents=int(np.sum(~store.keep))))
    logger.info("texts counted: %s", "; ".join(str(report).splitlines()))
    if not (counts.sizes.sum() and keep.any()):
        raise ValueError(_nothing_left_message(report, options))
    return CountedWords(counts, words.astype(np.str_), keep, report)


def _look_for_duplicates(
    store: TokenStore, options: Preprocessing, shown: bool, origin: Origin
) -> tuple[tuple[Repeat, ...], list[str]]:
    """The documents that repeat another one, and a note on them; dropped from the store if the options say so."""
    if options.duplicates is None:
        return (), []
    D = len(store.lengths)
    given = Given(np.arange(D, dtype=np.float64), range(D)) if origin is None else origin()
    with counting_bar(D, 0, None if shown else False, "looking for duplicates") as advance:
        found = repeated_documents(store, given.times, advance)
    if options.duplicates == "drop":
        store.drop(found.row)
    columns = (column.tolist() for column in found)
    repeated = (Repeat(given.ids[row], given.ids[first], *how) for row, first, *how in zip(*columns, strict=True))
    return tuple(repeated), duplicates_note(found, D, given.place, dropped=options.duplicates == "drop")


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
    """

    times: Floats
    ids: NDArray[Any]
    calendar: bool
    left_out: tuple[Removed, ...] = ()
    notes: tuple[str, ...] = ()


def build_folder(
    texts: Iterable[str],
    n_texts: int | None,
    preprocessing: Preprocessing | None,
    folder: PathLike,
    label: Callable[[Mask], Labels],
    origin: Origin = None,
) -> None:
    """Count the words of texts, taken one at a time, into a new folder; `open_corpus` reads it.

    n_texts : their number for the progress bar, None if it is not known
    label : called with the mask of the kept documents when all texts have been taken; gives their labels
    origin : called when all texts have been taken, as in `count_words`
    """
    target = Path(folder).absolute()
    refuse_existing(target)
    writable_folder(target.parent)
    with own_folder(target) as spilled:
        counts, vocabulary, keep, report = count_texts(_shown(texts, n_texts), preprocessing, spilled, origin)
        labels = label(keep)
        with CorpusWriter(target, vocabulary.tolist(), calendar=labels.calendar) as writer:
            writer.report = report.after(*labels.left_out, notes=labels.notes)
            for rows, part in blocks(counts):
                writer.add_rows(part, labels.times[rows], labels.ids[rows])


def _shown(texts: Iterable[str], n_texts: int | None) -> Iterator[str]:
    """The texts, with a progress bar if stderr is a terminal."""
    with counting_bar(n_texts, 0, None, "reading texts") as advance:
        for text in texts:
            yield text
            advance()


def _drop_documents(counts: Counts, least: int, counted: Mask, removed: list[Removed]) -> tuple[Counts, Mask]:
    """Keep the documents of at least `least` tokens, and report the others.

    counted : (D,) mask of the documents that have counts.  Returns also the mask of those that are kept, (D,).
    """
    lengths = np.asarray(counts.sum(axis=1))
    short = lengths < least
    removed.append(Removed("empty documents", documents=int(np.sum(short & (lengths == 0)))))
    short_tokens = int(lengths[short].sum())
    removed.append(Removed("short documents", tokens=short_tokens, documents=int(np.sum(short & (lengths > 0)))))
    keep = counted.copy()
    keep[counted] = ~short
    return counts.select(np.flatnonzero(~short)) if short.any() else counts, keep


def _drop_unused(
    counts: Counts, words: NDArray[np.object_], removed: list[Removed]
) -> tuple[Counts, NDArray[np.object_]]:
    """Keep the words that occur in the kept documents, and report the others."""
    used: Mask = np.asarray(counts.sum(axis=0)) > 0
    removed.append(Removed("words of dropped documents", words=int(np.sum(~used))))
    return (counts, words) if used.all() else (counts.with_words(used), words[used])


def _nothing_left_message(report: PreprocessingReport, options: Preprocessing) -> str:
    """Which step removed what, and what to relax."""
    if not report.words:
        return f"no words were found in {report.documents:,} texts; {options.what_is_a_word}. Pass another tokenizer."
    steps = "; ".join(str(entry) for entry in report.removed if entry.removed_any)
    return (
        f"nothing is left of {report.documents:,} documents and {report.tokens:,} tokens. Removed {steps}. "
        "Relax stop_words, min_count, min_documents, max_document_share, min_score or min_document_words."
    )


def _short(value: Any) -> str:
    """A value and its type, cut to a readable length."""
    text = repr(value)
    return f"{text if len(text) <= 60 else text[:57] + '...'} ({type(value).__name__})"
