"""Which words of a collection are kept: stop words, rare, widespread and uninformative words."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chronotope._typing import Floats, Ints, Mask
from chronotope.text.options import Preprocessing
from chronotope.text.report import LISTED, Removed


class WordTable(NamedTuple):
    """Words, their numbers, occurrences and the documents they are in, (V,) each; n_documents : D."""

    words: NDArray[np.object_]
    number: Ints
    occurrences: Ints
    containing: Ints
    n_documents: int

    def select(self, keep: Mask) -> WordTable:
        """The masked words."""
        words, number, occurrences, containing, D = self
        return WordTable(words[keep], number[keep], occurrences[keep], containing[keep], D)

    def as_removed(self, step: str) -> Removed:
        """All of these words as removed by a step."""
        shown = np.lexsort((self.words, -self.occurrences))[:LISTED]
        listed = zip(
            *(column[shown].tolist() for column in (self.words, self.occurrences, self.containing)), strict=True
        )
        return Removed(step, words=len(self.words), tokens=int(self.occurrences.sum()), listed=tuple(listed))


_WIDESPREAD = 0.5  # share of the documents above which a word is named
_ENOUGH_DOCUMENTS = 20
_SHOWN = 5  # words that are named


def filter_words(table: WordTable, stop: frozenset[str], options: Preprocessing) -> tuple[WordTable, list[Removed]]:
    """The words that every step keeps, and what each removed; a given vocabulary is the only step."""
    removed: list[Removed] = []
    for step, keeps in _steps(stop, options):
        keep = keeps(table)
        removed.append(table.select(~keep).as_removed(step))
        table = table.select(keep)
    return table, removed


def widespread_note(kept: WordTable, options: Preprocessing) -> list[str]:
    """A sentence on the kept words that are in more than half of the documents; none without such words.

    Fewer than 20 documents tell nothing, and a given vocabulary is as it was meant.
    """
    found = kept.select(kept.containing > _WIDESPREAD * kept.n_documents)
    n = len(found.words)
    if not n or kept.n_documents < _ENOUGH_DOCUMENTS or options.vocabulary is not None:
        return []
    shown = ", ".join(found.words[np.lexsort((found.words, -found.containing))[:_SHOWN]])
    words, them = ("word is", "it") if n == 1 else ("words are", "them")
    return [
        f"{n:,} {words} in more than half of all documents ({shown}{', ...' * (n > _SHOWN)}): remove {them} with "
        f"max_document_share={_WIDESPREAD}"
    ]


def global_score(counts: sp.csr_array) -> Floats:
    """Global tf-idf: how characteristic each word is in the whole corpus.

        score(w) = n_w / M · ln(D / n_dw)

    n_w occurrences of w, M tokens, D documents, n_dw documents containing w.
    counts : (D, V).  Returns (V,).   [appendix, global tf-idf score; its text misprints n_dw]
    """
    containing = np.bincount(counts.indices, minlength=counts.shape[1])
    return _score(np.asarray(counts.sum(axis=0)), containing, counts.shape[0])


def _score(occurrences: Ints, containing: Ints, n_documents: int) -> Floats:
    share = occurrences / max(float(occurrences.sum()), 1.0)
    score: Floats = share * np.log(n_documents / np.maximum(containing, 1))
    return score


def _steps(stop: frozenset[str], options: Preprocessing) -> list[tuple[str, Callable[[WordTable], Mask]]]:
    given = options.vocabulary
    if given is not None:
        listed = frozenset(given)
        return [("words not in the vocabulary", lambda table: np.array([word in listed for word in table.words]))]
    return [
        ("stop words", lambda table: _no_stop_word(table, stop)),
        ("rare words", lambda table: _frequent(table, options)),
        ("widespread words", lambda table: table.containing <= options.max_document_share * table.n_documents),
        ("low-score words" if options.rank == "score" else "less frequent words", lambda table: _best(table, options)),
    ]


def _no_stop_word(table: WordTable, stop: frozenset[str]) -> Mask:
    return np.array([word.lower() not in stop for word in table.words], dtype=bool)


def _frequent(table: WordTable, options: Preprocessing) -> Mask:
    least = options.min_count or np.clip(round(np.sqrt(table.occurrences.sum()) / 40), 1, 25)
    frequent: Mask = (table.occurrences >= least) & (table.containing >= options.min_documents)
    return frequent


def _best(table: WordTable, options: Preprocessing) -> Mask:
    """The words of sufficient score, and of them those of highest score or count; ties by count, then by name."""
    score = _score(table.occurrences, table.containing, table.n_documents)
    best = score >= (-np.inf if options.min_score is None else options.min_score)
    if options.max_vocabulary is not None:
        first = -score if options.rank == "score" else np.zeros(len(score))
        best[np.lexsort((table.words, -table.occurrences, first))[options.max_vocabulary :]] = False
    return best
