"""Documents counted with the words of a model, preprocessed as the model's own documents were."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import replace
from typing import Literal, NamedTuple, get_args

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chronotope._typing import Ints
from chronotope.corpus.corpus import Corpus
from chronotope.text.options import Preprocessing
from chronotope.text.phrases import JOINER

NewWords = Literal["add", "ignore"]

KNOWN_BEFORE = "was known before; are they in the same language as the model, and written alike?"


def with_vocabulary(corpus: Corpus, vocabulary: Iterable[str]) -> Corpus:
    """The same documents with the given words as columns; all other words are dropped.

    corpus : Corpus;  vocabulary : iterable of str, (V,), the columns in order

    Words that the corpus does not have are columns of zeros, and documents without any of the words are kept.
    """
    words = [str(word) for word in vocabulary]
    place = {word: v for v, word in enumerate(words)}
    column = np.array([place.get(str(word), -1) for word in corpus.vocabulary], dtype=np.int64)
    if not np.any(column >= 0):
        raise ValueError(
            f"none of the corpus' {corpus.n_words:,} words is among the {len(words):,} given; "
            "is it in the same language, and are its words written alike?"
        )
    counts = corpus.counts.tocoo()
    known = column[counts.col] >= 0
    kept = counts.data[known], (counts.row[known], column[counts.col[known]])
    aligned = Corpus(
        sp.csr_array(kept, shape=(len(corpus), len(words))),
        corpus.times,
        words,
        ids=corpus.ids,
        texts=corpus.texts,
        metadata=corpus.metadata,
        calendar=corpus.calendar,
    )
    aligned.rough = corpus.rough
    return aligned


def every_word(vocabulary: Iterable[str]) -> Preprocessing:
    """Preprocessing that drops nothing, so that the words of a vocabulary can be selected; in their case."""
    words = [str(word) for word in vocabulary]
    return Preprocessing(
        stop_words=None,
        lowercase=all(word == word.lower() for word in words),
        phrases=[word for word in words if JOINER in word],
        min_count=1,
        max_vocabulary=None,
        min_document_words=0,
        duplicates=None,
    )


def check_new_words(given: str) -> None:
    """Refuse anything but "add" and "ignore"."""
    if given not in get_args(NewWords):
        raise ValueError(f"new_words is {given!r}; expected one of {', '.join(get_args(NewWords))}.")


def with_new_words(corpus: Corpus, vocabulary: NDArray[np.str_], new_words: NewWords = "add") -> Corpus:
    """The documents with the words of a model as their first columns.

    vocabulary : (V,) words of the model; those that the corpus does not have are columns of zeros
    new_words : "add" or "ignore", default "add"; whether words that the model does not have are further columns, or
        dropped with a warning that counts them
    """
    if np.array_equal(corpus.vocabulary, vocabulary):
        return corpus
    new = corpus.vocabulary[~np.isin(corpus.vocabulary, vocabulary)]
    if new_words == "add":
        if len(new) == corpus.n_words:
            warnings.warn(f"none of the corpus' {len(new):,} words {KNOWN_BEFORE}", UserWarning, stacklevel=4)
        return with_vocabulary(corpus, [*vocabulary, *new])
    known = with_vocabulary(corpus, vocabulary)
    if len(new):
        dropped = f"{len(new):,} words, {corpus.n_tokens - known.n_tokens:,} of {corpus.n_tokens:,} tokens,"
        warnings.warn(f"{dropped} are not in the model and were dropped", UserWarning, stacklevel=4)
    return known


def preparation(preprocessing: Preprocessing | None, vocabulary: Iterable[str]) -> Preprocessing:
    """Options that count new texts as those of a model were counted, and drop nothing but stop words.

    preprocessing : how the model's texts were counted; None, of a model of ready counts, takes words for runs of three
        or more letters
    vocabulary : the model's words, (V,)
    """
    words = [str(word) for word in vocabulary]
    if preprocessing is None:
        return every_word(words)
    return replace(
        preprocessing,
        phrases=[word for word in words if JOINER in word] if preprocessing.phrases else False,
        min_count=1,
        min_documents=1,
        max_document_share=1.0,
        min_score=None,
        max_vocabulary=None,
        vocabulary=None,
        min_document_words=0,
        duplicates=None,
    )


class Prepared(NamedTuple):
    """Documents counted with a model's words, and how many of each one's tokens the model does not know, (D,)."""

    corpus: Corpus
    unknown: Ints

    @property
    def known_share(self) -> float:
        """Share of the tokens that are words of the model."""
        known = self.corpus.n_tokens
        return known / max(1, known + int(self.unknown.sum()))


def prepare(found: Corpus, vocabulary: NDArray[np.str_]) -> Prepared:
    """Documents with the words of a model, (V,), as columns."""
    if np.array_equal(found.vocabulary, vocabulary):
        return Prepared(found, np.zeros(len(found), dtype=np.int64))
    corpus = with_vocabulary(found, vocabulary)
    corpus.report = found.report
    tokens = [np.asarray(counts.sum(axis=1), dtype=np.int64) for counts in (found.counts, corpus.counts)]
    return Prepared(corpus, tokens[0] - tokens[1])
