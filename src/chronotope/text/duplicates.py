"""Documents that repeat an earlier one, exactly or nearly: reprints, syndicated articles, mail that was sent again.

Exact duplicates have the same words in the same order, near ones have nearly all sequences of three words in common.
Pairs to compare are found by locality-sensitive hashing: documents that agree in one of 16 bands of their sketches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from chronotope._typing import Floats, Ints, Mask
from chronotope.text.sketches import BANDS, Digests, Rows, Sketches, sketch_documents
from chronotope.text.store import Numbers, TokenStore

DUPLICATES = "duplicates"  # the step of the report
NEAR = 0.8  # Jaccard similarity of the shingles of near duplicates, at least
LEAST = 20  # words of a document that can be a duplicate: shorter ones are alike by chance
_PAIRS = 2**13  # compared at a time
_KEYS = 2**20  # documents whose keys are sorted at a time


class Duplicates(NamedTuple):
    """Documents that repeat another one, in order of their rows; the other is the first in time and repeats none.

    row, original : (n,) documents, and those they repeat;  exact : (n,) whether all their words are the same
    similarity : (n,) Jaccard similarity of their shingles, estimated; 1 if exact
    """

    row: Ints
    original: Ints
    exact: Mask
    similarity: Floats


def repeated_documents(
    store: TokenStore, times: Floats, advance: Callable[[], object] = lambda: None, folder: Path | None = None
) -> Duplicates:
    """The duplicates among the documents of a store.

    The parts of the store are sketched where its other passes run, and the sketches are compared here: with a folder
    for them in some tens of bytes per document.
    times : (D,); the first of equal documents is the original, at equal times the first in the store
    advance : called once for every document;  folder : for the sketches, if they shall not be in memory
    """
    found = sketch_documents(store, advance, folder)
    order = np.argsort(times, kind="stable").astype(np.int32)  # rows in four bytes, as all below
    order = order[found.lengths[order] >= LEAST]
    original = _first_equal(found.digests[order])  # in places of the order, as all below
    firsts = np.flatnonzero(original == np.arange(len(order))).astype(np.int32)
    original[firsts] = firsts[_first_similar(found, order[firsts])]
    original = original[original]
    later = np.flatnonzero(original != np.arange(len(order)))
    row, other = order[later].astype(np.int64), order[original[later]].astype(np.int64)
    exact = found.digests[row] == found.digests[other]
    similarity = np.where(exact, 1.0, _similarity(found, row, other))
    by_row = np.argsort(row)
    return Duplicates(row[by_row], other[by_row], exact[by_row], similarity[by_row])


def duplicates_note(found: Duplicates, n_documents: int, place: Callable[[int], str], *, dropped: bool) -> list[str]:
    """A sentence on the duplicates; none if there are none.

    n_documents : D, of all;  place : of a document, by its row;  dropped : whether they are no longer there
    """
    n = len(found.row)
    if not n:
        return []
    exact = int(found.exact.sum())
    s = "s" if (exact or n) == 1 else ""
    how = f"repeat{s} another one exactly" if exact else f"nearly repeat{s} another one"
    more = f", {n - exact:,} more nearly so" if 0 < exact < n else ""
    first = f"(first: {place(int(found.row[0]))} repeats {place(int(found.original[0]))})"
    were, them = ("was", "it") if n == 1 else ("were", "them")
    done = f", and {were} dropped" if dropped else f': drop {them} with duplicates="drop"'
    return [f"{exact or n:,} of {n_documents:,} documents {how}{more} {first}{done}"]


class _Equal(NamedTuple):
    """Places of equal values, of each that is not the first: its own, that of the one before it, and of the first."""

    place: Ints
    before: Ints
    first: Ints


def _equal(values: Digests) -> _Equal:
    """The places of values that are equal to one before them, (n,) each."""
    at = np.argsort(values, kind="stable")
    values = values[at]
    same = np.flatnonzero(values[1:] == values[:-1])
    begins = np.diff(same, prepend=-2) > 1  # a run of equal values
    first = same[begins][np.cumsum(begins) - 1]
    return _Equal(at[same + 1], at[same], at[first])


def _first_equal(digests: Digests) -> Numbers:
    """The place of the first equal digest, (n,)."""
    found, equal = np.arange(len(digests), dtype=np.int32), _equal(digests)
    found[equal.place] = equal.first
    return found


def _first_similar(found: Sketches, rows: Numbers) -> Numbers:
    """For each of the documents in their order, the place of an earlier similar one that has none itself, else its own.

    So no chain of small changes joins documents that are not similar.
    """
    first = np.arange(len(rows), dtype=np.int32)
    earlier, later = np.divmod(_similar_pairs(found, rows), max(len(rows), 1))
    by_later = np.lexsort((earlier, later))
    for a, b in zip(earlier[by_later].tolist(), later[by_later].tolist(), strict=True):
        start = first[a]
        if first[b] == b and (start == a or found.similarity(rows[[start]], rows[[b]])[0] >= NEAR):
            first[b] = start
    return first


def _similar_pairs(found: Sketches, rows: Numbers) -> Ints:
    """Pairs of similar documents among those that agree in a band, as earlier · n + later, ascending."""
    n = len(rows)
    similar = [np.empty(0, dtype=np.int64)]
    for band in range(BANDS):
        for earlier, later in _candidates(found.band(band)[rows]):
            near = _similarity(found, rows[earlier], rows[later]) >= NEAR
            similar.append(earlier[near] * n + later[near])
    return np.unique(np.concatenate(similar))


def _candidates(keys: Digests) -> Iterator[tuple[Ints, Ints]]:
    """Pairs of documents with the same key: each with the one before it, and with the first; some keys at a time.

    keys : (n,) the bins of a band; 0 if it is empty
    """
    shares = 1 + len(keys) // _KEYS
    share = (keys % np.uint64(1_000_003) % np.uint64(shares)).astype(np.uint16)
    for i in range(shares):
        at = np.flatnonzero((share == i) & (keys != 0))
        later, before, first = (at[places] for places in _equal(keys[at]))
        yield before, later
        other = first != before
        yield first[other], later[other]


def _similarity(found: Sketches, one: Rows, other: Rows) -> Floats:
    """The same as `Sketches.similarity`, some pairs at a time."""
    spans = [slice(i, i + _PAIRS) for i in range(0, len(one), _PAIRS)]
    return np.concatenate([np.empty(0), *(found.similarity(one[span], other[span]) for span in spans)])
