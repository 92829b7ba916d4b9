"""What fit, transform and the others take: a Corpus, counts with times, or raw texts with times."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from sklearn.utils.validation import validate_data

from chronotope._typing import Floats
from chronotope.corpus import Corpus
from chronotope.corpus.align import NewWords, preparation, with_new_words, with_vocabulary
from chronotope.corpus.settling import settled
from chronotope.dates.decimal import format_time
from chronotope.text import Preprocessing
from chronotope.topics import Topics

NO_TIMES = "no times were given: all documents share one time, and the topics will not change; pass times=..."
ROUTING = """
In a scikit-learn pipeline, search or cross-validation, times need metadata routing:
    sklearn.set_config(enable_metadata_routing=True)
    model.set_fit_request(times=True).set_transform_request(times=True).set_score_request(times=True)
and then times=... in its fit, transform, predict and score, or params={"times": ...} in cross_validate.
Or call the model directly, with a Corpus or with times=..."""
WITH_CORPUS = "times was given along with a Corpus, which has its own; pass one of them."


class KnowsWords(Protocol):
    """What is asked of a fitted model here."""

    topics_: Topics
    preprocessing_: Preprocessing | None
    n_features_in_: int


def training_corpus(model: Any, X: Any, times: Any, columns: Any = None) -> Corpus:
    """The documents to fit; the model's number and names of features are set from them.   columns : their metadata."""
    if not (isinstance(X, Corpus) or holds_texts(X)):
        counts = validate_data(model, X, reset=True, accept_sparse="csr", dtype="numeric")
        times = _one_time(model, counts.shape[0]) if times is None else times
        return Corpus(counts, times, getattr(model, "feature_names_in_", None), metadata=columns)
    if isinstance(X, Corpus):
        corpus = _given_corpus(X, times, columns)
    else:
        corpus = Corpus.from_texts(X, _needed(times), metadata=columns)
    set_features(model, corpus)
    return settled(corpus)


def known_corpus(model: Any, X: Any, times: Any, columns: Any = None) -> Corpus:
    """Documents counted with the words of a fitted model, one row for each document given.   columns : metadata."""
    if isinstance(X, Corpus):
        return _same_words(_given_corpus(X, times, columns), model)
    if holds_texts(X):
        return with_vocabulary(_prepared(model, X, times, columns), model.topics_.vocabulary)
    counts = validate_data(model, X, reset=False, accept_sparse="csr", dtype="numeric")
    times = _same_time(model, counts.shape[0]) if times is None else times
    return Corpus(counts, times, model.topics_.vocabulary, metadata=columns)


def further_corpus(model: Any, X: Any, times: Any, new_words: NewWords, columns: Any = None) -> Corpus:
    """Documents that came later, with the model's words as their first columns; a Corpus or texts may have others.

    columns : their metadata
    """
    if not (isinstance(X, Corpus) or holds_texts(X)):
        return known_corpus(model, X, times, columns)
    found = _given_corpus(X, times, columns) if isinstance(X, Corpus) else _prepared(model, X, times, columns)
    named = hasattr(model, "feature_names_in_")
    corpus = with_new_words(found, model.topics_.vocabulary, new_words)
    set_features(model, corpus)
    if named:
        model.feature_names_in_ = corpus.vocabulary.astype(object)
    return corpus


def holds_texts(X: Any) -> bool:
    """Whether this is raw texts: a list, tuple, array or Series (pandas, polars) of strings."""
    if isinstance(X, str):
        raise ValueError(f"X is one string, {X[:40]!r}; pass a list with one text per document.")
    if isinstance(X, Sequence):
        return len(X) > 0 and isinstance(X[0], str)
    one_dimensional = getattr(X, "ndim", len(getattr(X, "shape", ()))) == 1
    return one_dimensional and len(X) > 0 and isinstance(next(iter(X)), str)


def set_features(model: Any, corpus: Corpus) -> None:
    """The model's features are the words of a corpus, and have no names that scikit-learn checks."""
    model.n_features_in_ = corpus.n_words
    model.__dict__.pop("feature_names_in_", None)


def _prepared(model: KnowsWords, texts: Any, times: Any, columns: Any = None) -> Corpus:
    """Texts prepared as the model's own documents were; none of them is dropped."""
    options = preparation(model.preprocessing_, model.topics_.vocabulary)
    times = _same_time(model, len(texts)) if times is None else times
    return Corpus.from_texts(texts, times, preprocessing=options, metadata=columns)


def _one_time(model: Any, n: int) -> Floats:
    """Time 0 for n documents to fit that have no times, with a warning; refused if the model requests times."""
    if model.get_metadata_routing().fit.requests.get("times"):
        raise ValueError(f"no times were given, but set_fit_request(times=True) asks for them; pass times=...{ROUTING}")
    warnings.warn(NO_TIMES + ROUTING, UserWarning, stacklevel=4)
    return np.zeros(n)


def _same_time(model: KnowsWords, n: int) -> Floats:
    """Time 0 for n documents of a model that was fitted without times; refused if it was fitted with times."""
    topics = model.topics_
    if topics.calendar or topics.coverage.times.tolist() != [0.0]:
        ends = (format_time(time, topics.calendar) for time in topics.coverage.times[[0, -1]])
        raise ValueError(
            f"no times were given, but the model was fitted with times, {' to '.join(dict.fromkeys(ends))}; "
            f"pass times=..., one time per document.{ROUTING}"
        )
    warnings.warn(NO_TIMES, UserWarning, stacklevel=4)
    return np.zeros(n)


def _given_corpus(corpus: Corpus, times: Any, columns: Any = None) -> Corpus:
    if times is not None:
        raise ValueError(WITH_CORPUS)
    if columns is not None:
        raise ValueError("groups were given along with a Corpus, which has its metadata; pass one of them.")
    return corpus


def _same_words(corpus: Corpus, model: KnowsWords) -> Corpus:
    if corpus.n_words != model.n_features_in_:
        raise ValueError(
            f"the corpus has {corpus.n_words:,} words but the model was fitted on {model.n_features_in_:,}; "
            "count its words with the model's vocabulary."
        )
    if not np.array_equal(corpus.vocabulary, model.topics_.vocabulary):
        raise ValueError("the corpus has other words than the model; count its words with the model's vocabulary.")
    return corpus


def _needed(times: Any) -> Any:
    if times is None:
        raise ValueError(f"texts were given without times; pass times=..., one time per text.{ROUTING}")
    return times
