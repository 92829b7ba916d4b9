"""From tokens to word counts: what is kept of words and documents, and what is reported; part by part."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chronotope._typing import Floats, Ints, Mask
from chronotope.corpus.parts import count_part
from chronotope.display.progress import counting_bar
from chronotope.text.build import filter_words, widespread_note
from chronotope.text.duplicates import DUPLICATES, duplicates_note, repeated_documents
from chronotope.text.lexicon import Columns, Lexicon
from chronotope.text.options import Preprocessing
from chronotope.text.report import PreprocessingReport, Removed, Repeat
from chronotope.text.store import TokenStore

logger = logging.getLogger(__name__)


class Names(Protocol):
    """Ids of documents, by their rows."""

    def __getitem__(self, row: int, /) -> Any: ...


class Given(NamedTuple):
    """What texts were given with: times (D,), ids (D,), and the place of each in its source, such as "row 12"."""

    times: Floats
    ids: Names
    place: Callable[[int], str] = "row {}".format


Origin = Callable[[], Given] | None  # called when all texts have been taken


class CountedTokens(NamedTuple):
    """Word counts of the documents of a store.

    counts : of each part, (n, V) csr_arrays or the folder they are in;  used : (V,) mask of the words that are kept
    vocabulary : (kept words,);  keep : (D,) mask of the documents that are kept;  report : what was removed
    """

    counts: list[list[sp.csr_array] | str]
    used: Mask
    vocabulary: NDArray[np.str_]
    keep: Mask
    report: PreprocessingReport


def count_store(
    store: TokenStore, options: Preprocessing, folder: Path | None = None, origin: Origin = None
) -> CountedTokens:
    """Filter words, then documents, and count what is left.

    folder : for the counts and whatever else is large, None for memory
    origin : as in `count_words`
    """
    repeated, said = _look_for_duplicates(store, options, folder, origin)
    lexicon = Lexicon(store, options)
    table = lexicon.word_table()
    kept, removed = filter_words(table, lexicon.stop_words, options)
    words = sorted(kept.words) if options.vocabulary is None else list(options.vocabulary)
    counted = _count_parts(lexicon, lexicon.columns(kept, words), options.min_document_words, folder)
    keep = _kept_documents(counted.lengths, options.min_document_words, store.keep, removed)
    used = _used_words(counted.totals, options, removed)
    read = (int(store.keep.sum()), len(table.words), int(table.occurrences.sum()))
    notes = (*lexicon.notes, *said, *widespread_note(kept, options))
    report = PreprocessingReport(*read, tuple(removed), notes, options, repeated)
    if options.duplicates == "drop":
        report = report.after(Removed(DUPLICATES, documents=int(np.sum(~store.keep))))
    logger.info("texts counted: %s", "; ".join(str(report).splitlines()))
    if not (counted.n_entries and keep.any()):
        raise ValueError(_nothing_left_message(report, options))
    return CountedTokens(counted.counts, used, np.array(words, dtype=object)[used].astype(np.str_), keep, report)


class _Counted(NamedTuple):
    """Counts of all parts: see `CountedPart`."""

    counts: list[list[sp.csr_array] | str]
    lengths: Ints
    totals: Ints
    n_entries: int


def _count_parts(lexicon: Lexicon, columns: Columns, least: int, folder: Path | None) -> _Counted:
    """The counts of every part, and the sums over them."""
    counts: list[list[sp.csr_array] | str] = []
    lengths, totals, n_entries = [np.empty(0, np.int32)], np.zeros(columns.V, np.int64), 0
    given = (lexicon.joined, columns, least, folder)
    for part in lexicon.store.each(count_part, (lexicon.meaning,), *given):
        counts.append(part.counts)
        lengths.append(part.lengths)
        totals += part.totals
        n_entries += part.n_entries
    return _Counted(counts, np.concatenate(lengths), totals, n_entries)


def _look_for_duplicates(
    store: TokenStore, options: Preprocessing, folder: Path | None, origin: Origin
) -> tuple[tuple[Repeat, ...], list[str]]:
    """The documents that repeat another one, and a note on them; dropped from the store if the options say so."""
    if options.duplicates is None:
        return (), []
    D = len(store.keep)
    given = Given(np.arange(D, dtype=np.float64), range(D)) if origin is None else origin()
    with counting_bar(D, 0, False if folder is None else None, "looking for duplicates") as advance:
        found = repeated_documents(store, given.times, advance, folder)
    if options.duplicates == "drop":
        store.drop(found.row)
    columns = (column.tolist() for column in found)
    repeated = (Repeat(given.ids[row], given.ids[first], *how) for row, first, *how in zip(*columns, strict=True))
    return tuple(repeated), duplicates_note(found, D, given.place, dropped=options.duplicates == "drop")


def _kept_documents(lengths: Ints, least: int, counted: Mask, removed: list[Removed]) -> Mask:
    """The documents of at least `least` tokens, (D,); the others are reported.

    lengths : (n,) tokens of the documents that were counted;  counted : (D,) mask of these
    """
    short = lengths < least
    removed.append(Removed("empty documents", documents=int(np.sum(short & (lengths == 0)))))
    short_tokens = int(lengths[short].sum())
    removed.append(Removed("short documents", tokens=short_tokens, documents=int(np.sum(short & (lengths > 0)))))
    keep = counted.copy()
    keep[counted] = ~short
    return keep


def _used_words(totals: Ints, options: Preprocessing, removed: list[Removed]) -> Mask:
    """The words that occur in the kept documents, (V,), or all that were given; the others are reported."""
    if options.vocabulary is not None:
        return np.ones(len(totals), dtype=bool)
    used: Mask = totals > 0
    removed.append(Removed("words of dropped documents", words=int(np.sum(~used))))
    return used


def _nothing_left_message(report: PreprocessingReport, options: Preprocessing) -> str:
    """Which step removed what, and what to relax."""
    if not report.words:
        return f"no words were found in {report.documents:,} texts; {options.what_is_a_word}. Pass another tokenizer."
    steps = "; ".join(str(entry) for entry in report.removed if entry.removed_any)
    return (
        f"nothing is left of {report.documents:,} documents and {report.tokens:,} tokens. Removed {steps}. "
        "Relax stop_words, min_count, min_documents, max_document_share, min_score or min_document_words."
    )
