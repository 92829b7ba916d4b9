"""Numbers of sliding windows in which words occur, alone and together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chronotope._typing import Ints, Mask
from chronotope.corpus.build import check_texts
from chronotope.corpus.corpus import Corpus
from chronotope.loops import outer
from chronotope.text.options import Preprocessing
from chronotope.text.replay import token_reader


class WindowCounts(NamedTuple):
    """Counts of windows.   words : W words;  together : (W, W) windows with both words;  windows : their number."""

    words: tuple[str, ...]
    together: Ints
    windows: int


class Places(NamedTuple):
    """Occurrences of W words.

    document, word, position : of every occurrence, of equal length;  lengths : (D,) tokens of the documents
    """

    words: tuple[str, ...]
    document: Ints
    word: Ints
    position: Ints
    lengths: Ints

    def select(self, documents: Mask, words: Iterable[str]) -> Places:
        """Occurrences of some of the words in some of the documents.   documents : (D,) mask."""
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
    """Numbers of sliding windows that contain a word, and that contain two, as gensim counts them.

        together_ij = Σ_s 1[word i in window s] 1[word j in window s]

    A document of L tokens has max(1, L − window + 1) windows, also an empty one.

    documents : lists of tokens
    words : list of W str, the words to count
    window : int, length in tokens
    exact : bool, default False; gensim removes a word from the window when its first occurrence leaves, even if another
        one is still inside; True keeps it until the last one leaves

    Returns a named tuple: words (W str), together (W, W) with the counts of single words on the diagonal, and windows,
    their total number.
    """
    return count_places(find_words(documents, words), window, exact)


def count_places(places: Places, window: int, exact: bool = False) -> WindowCounts:
    """Counts of windows from the occurrences of words; see `count_windows`."""
    if window < 1:
        raise ValueError(f"window is {window}; expected at least 1 token.")
    W = len(places.words)
    together = np.zeros((W, W), dtype=np.int64)
    _add_overlaps(*_spells(places, window, exact), together)
    return WindowCounts(places.words, together, int(_window_numbers(places.lengths, window)[-1]))


def find_words(documents: Iterable[Sequence[str]], words: Iterable[str]) -> Places:
    """Occurrences of words in lists of tokens."""
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
    """Occurrences of words in the texts of a corpus; stop words and rare words count as tokens.

    Without texts the order of the words is unknown: a document is then one window, with all words at position 0.
    preprocessing : defines tokens; None for the defaults
    """
    if corpus.texts is None:
        return _find_in_counts(corpus.counts, corpus.vocabulary, words)
    split = token_reader(preprocessing or Preprocessing(), corpus.vocabulary)
    return find_words((split(text) for text in check_texts(corpus.texts)), words)


def _find_in_counts(counts: sp.csr_array, vocabulary: NDArray[np.str_], words: Iterable[str]) -> Places:
    """Occurrences with every word of a document at position 0; documents with words have length 1."""
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
    """Index of the first window of every document in the sequence of all windows, and their total; (D + 1,)."""
    return np.concatenate([[0], np.cumsum(np.maximum(1, lengths - window + 1))])


def _spells(places: Places, window: int, exact: bool) -> tuple[Ints, Ints, Ints]:
    """Word, first window and end of every run of consecutive windows that contain it, sorted by the first window.

    With windows of L = min(window, n) tokens in a document of n tokens, a word at position p whose next position is q
    is in window s = 0 … n − L if

        p − L < s ≤ min(p, q − L)      exact: p is the word's last position in the window
        p − L < s ≤ min(r, q − L)      gensim: and no occurrence has left, r the word's first position after p − L

    The runs do not overlap, and every window with the word is in one of them.
    """
    order = np.lexsort((places.position, places.word, places.document))
    document, word, p = places.document[order], places.word[order], places.position[order]
    n = places.lengths[document]
    L = np.minimum(window, n)
    first = np.ones(len(p), dtype=bool)  # occurrence of a word in its document
    first[1:] = (np.diff(document) != 0) | (np.diff(word) != 0)
    far = 2 * int(n.max(initial=0)) + 1
    q = np.where(np.append(first[1:], True), far, np.append(p[1:], far))
    key = np.cumsum(first) * far + p  # p − L never reaches the positions of another word
    r = p if exact else p[np.searchsorted(key, key - L, side="right")]
    start = np.maximum(p - L + 1, 0)
    stop = np.minimum(np.minimum(r, q - L), n - L) + 1
    offset = _window_numbers(places.lengths, window)[document]
    kept = np.flatnonzero(stop > start)
    kept = kept[np.argsort((offset + start)[kept], kind="stable")]
    return word[kept], (offset + start)[kept], (offset + stop)[kept]


@outer()
def _add_overlaps(word: Ints, start: Ints, stop: Ints, together: Ints) -> None:
    """together = Bᵀ B,  B : (windows, W), 1 where window s contains word i.   start : increasing."""
    for a in range(len(word)):
        together[word[a], word[a]] += stop[a] - start[a]
        for b in range(a + 1, len(word)):
            if start[b] >= stop[a]:
                break
            shared = min(stop[a], stop[b]) - start[b]
            together[word[a], word[b]] += shared
            together[word[b], word[a]] += shared
