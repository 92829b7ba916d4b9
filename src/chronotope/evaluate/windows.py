"""In how many windows of a text words occur, alone and together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numba import njit
from numpy.typing import NDArray

from chronotope._typing import Ints, Mask
from chronotope.corpus.build import check_texts
from chronotope.corpus.corpus import Corpus
from chronotope.text.options import Preprocessing
from chronotope.text.replay import token_reader


class WindowCounts(NamedTuple):
    """Windows with both of two words, together : (W, W), on its diagonal those with one; windows : their number."""

    words: tuple[str, ...]
    together: Ints
    windows: int


class Places(NamedTuple):
    """Where W words stand: document, word and position of every occurrence, (n,) each; lengths : (D,) in tokens."""

    words: tuple[str, ...]
    document: Ints
    word: Ints
    position: Ints
    lengths: Ints

    def select(self, documents: Mask, words: Iterable[str]) -> Places:
        """The places of some of the words in some of the documents; documents : (D,) mask."""
        chosen = _distinct(words)
        column = {word: i for i, word in enumerate(chosen)}
        new_word = np.array([column.get(word, -1) for word in self.words], dtype=np.int64)[self.word]
        new_document = np.cumsum(documents) - 1
        keep = documents[self.document] & (new_word >= 0)
        document = new_document[self.document[keep]]
        return Places(chosen, document, new_word[keep], self.position[keep], self.lengths[documents])


def count_windows(
    documents: Iterable[Sequence[str]], words: Iterable[str], window: int, exact: bool = False
) -> WindowCounts:
    """Sliding windows of so many tokens that hold a word, and that hold two, as gensim counts them.

        together_ij = Σ_s 1[w_i in window s] 1[w_j in window s]

    A document of n tokens has max(1, n − window + 1) windows, also an empty one. gensim takes a word out of the window
    with the first of its occurrences that leaves, even if another is still inside; exact=True keeps it until the last.
    documents : lists of tokens.
    """
    return count_places(find_words(documents, words), window, exact)


def count_places(places: Places, window: int, exact: bool = False) -> WindowCounts:
    """The windows of `count_windows`, from the places of the words."""
    if window < 1:
        raise ValueError(f"window is {window}; expected at least 1 token.")
    W = len(places.words)
    together = np.zeros((W, W), dtype=np.int64)
    _add_overlaps(*_spells(places, window, exact), together)
    return WindowCounts(places.words, together, int(_window_numbers(places.lengths, window)[-1]))


def find_words(documents: Iterable[Sequence[str]], words: Iterable[str]) -> Places:
    """The places of words in lists of tokens."""
    chosen = _distinct(words)
    column = {word: i for i, word in enumerate(chosen)}
    lengths, found = [], [np.empty((0, 3), dtype=np.int64)]
    for d, tokens in enumerate(documents):
        lengths.append(len(tokens))
        here = [(d, column[token], i) for i, token in enumerate(tokens) if token in column]
        if here:
            found.append(np.array(here, dtype=np.int64))
    document, word, position = np.concatenate(found).T
    return Places(chosen, document, word, position, np.array(lengths, dtype=np.int64))


def find_in_corpus(corpus: Corpus, words: Iterable[str], preprocessing: Preprocessing | None = None) -> Places:
    """The places of words in the texts of a corpus, stop words and rare words counted as tokens.

    Without texts the order of the words is not known: a document is then one window, its words all at one place.
    preprocessing : what a token is; the default's, if left out.
    """
    if corpus.texts is None:
        return _find_in_counts(corpus.counts, corpus.vocabulary, words)
    split = token_reader(preprocessing or Preprocessing(), corpus.vocabulary)
    return find_words((split(text) for text in check_texts(corpus.texts)), words)


def _find_in_counts(counts: sp.csr_array, vocabulary: NDArray[np.str_], words: Iterable[str]) -> Places:
    """Every word of a document at position 0; a document with words has the length 1."""
    chosen = _distinct(words)
    column = {word: i for i, word in enumerate(chosen)}
    new_word = np.array([column.get(str(word), -1) for word in vocabulary], dtype=np.int64)[counts.indices]
    document = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    keep = new_word >= 0
    position = np.zeros(int(keep.sum()), dtype=np.int64)
    lengths = (np.diff(counts.indptr) > 0).astype(np.int64)
    return Places(chosen, document[keep], new_word[keep], position, lengths)


def _distinct(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))


def _window_numbers(lengths: Ints, window: int) -> Ints:
    """Windows are numbered through: that of every document's first one, and their total.  Returns (D + 1,)."""
    return np.concatenate([[0], np.cumsum(np.maximum(1, lengths - window + 1))])


def _spells(places: Places, window: int, exact: bool) -> tuple[Ints, Ints, Ints]:
    """Word, first and past-the-last window of every run of windows that hold it, in order of the first.

    With windows of L = min(window, n) tokens, and the word at p and not again before q, window s = 0 … n − L holds it

        p − L < s ≤ min(p, q − L)      exact: p is the word's last place in the window
        p − L < s ≤ min(r, q − L)      gensim: and none has left, r being the first place after p − L

    These runs do not overlap, and every window with the word is in one of them.
    """
    order = np.lexsort((places.position, places.word, places.document))
    document, word, p = places.document[order], places.word[order], places.position[order]
    n = places.lengths[document]
    L = np.minimum(window, n)
    first = np.ones(len(p), dtype=bool)  # of a word in a document
    first[1:] = (np.diff(document) != 0) | (np.diff(word) != 0)
    far = 2 * int(n.max(initial=0)) + 1
    q = np.where(np.append(first[1:], True), far, np.append(p[1:], far))
    key = np.cumsum(first) * far + p  # so far apart that p − L stays with its word
    r = p if exact else p[np.searchsorted(key, key - L, side="right")]
    start = np.maximum(p - L + 1, 0)
    stop = np.minimum(np.minimum(r, q - L), n - L) + 1
    offset = _window_numbers(places.lengths, window)[document]
    kept = np.flatnonzero(stop > start)
    kept = kept[np.argsort((offset + start)[kept], kind="stable")]
    return word[kept], (offset + start)[kept], (offset + stop)[kept]


@njit(cache=True)
def _add_overlaps(word: Ints, start: Ints, stop: Ints, together: Ints) -> None:
    """Windows that two runs share; starts increase.   NumPy: B.T @ B, B : (windows, W), whether a word is in it."""
    for a in range(len(word)):
        together[word[a], word[a]] += stop[a] - start[a]
        for b in range(a + 1, len(word)):
            if start[b] >= stop[a]:
                break
            shared = min(stop[a], stop[b]) - start[b]
            together[word[a], word[b]] += shared
            together[word[b], word[a]] += shared
