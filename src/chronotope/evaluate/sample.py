"""Topics read at some times, and how alike two of them are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from chronotope.times import parse_times
from chronotope.topics import Topics

if TYPE_CHECKING:
    from chronotope.model import DynamicTopicModel

Floats = NDArray[np.float64]

STEPS = 20  # times read, evenly spaced, where none are given


class Sample(NamedTuple):
    """Word probabilities (n, K, V) at the times (n,)."""

    times: Floats
    probabilities: Floats


def sample_topics(given: DynamicTopicModel | Topics | ArrayLike, times: Any = None) -> Sample:
    """Topics at increasing times: of a model, or an array (n, K, V) with one slice for each time.

    times : left out, 20 evenly spaced ones from the first to the last document; the slices of an array are numbered
    """
    topics = fitted_topics(given)
    if topics is not None:
        at = even_times(*topics.span) if times is None else parse_times(np.atleast_1d(times)).values
        return Sample(_check_times(at), topics.probabilities(at))
    probabilities = _check_probabilities(given)
    at = np.arange(len(probabilities), dtype=float) if times is None else parse_times(np.atleast_1d(times)).values
    if len(at) != len(probabilities):
        raise ValueError(
            f"there are {len(at):,} times but {len(probabilities):,} slices of topics; pass one time for each."
        )
    return Sample(_check_times(at), probabilities)


def fitted_topics(given: Any) -> Topics | None:
    """The topics of a fitted model; None of what is no model."""
    if hasattr(given, "get_params"):
        check_is_fitted(given, "topics_")
        given = given.topics_
    return given if isinstance(given, Topics) else None


def even_times(first: float, last: float) -> Floats:
    """Evenly spaced times from the first to the last; one, if they are the same."""
    return np.linspace(first, last, STEPS) if last > first else np.array([first])


def best_words(probabilities: Floats, n_words: int) -> NDArray[np.intp]:
    """The most probable words, best first, equal ones in the order of the vocabulary.  (..., V) to (..., n_words)."""
    check_n_words(n_words, probabilities.shape[-1])
    return np.argsort(-probabilities, axis=-1, kind="stable")[..., :n_words]


def check_n_words(n_words: int, V: int) -> None:
    """There are so many words."""
    if not 1 <= n_words <= V:
        raise ValueError(f"n_words is {n_words} but the topics have {V:,} words; pass a number from 1 to {V:,}.")


def among_best(probabilities: Floats, n_words: int) -> NDArray[np.float32]:
    """1 for the most probable words, 0 for the others.  (..., V) to (..., V)."""
    members = np.zeros(probabilities.shape, dtype=np.float32)
    np.put_along_axis(members, best_words(probabilities, n_words), 1.0, axis=-1)
    return members


def affinity(p: Floats, q: Floats) -> Floats:
    """Hellinger affinity of every pair, Σ_v √(p_iv q_jv), between 0 and 1.  p : (..., I, V), q : (..., J, V)."""
    shared: Floats = np.minimum(np.sqrt(p) @ np.sqrt(q).swapaxes(-1, -2), 1.0)
    return shared


def jaccard(p: Floats, q: Floats, n_words: int) -> Floats:
    """Jaccard index of the top words of every pair, |A_i ∩ A_j| / |A_i ∪ A_j|.  p : (..., I, V), q : (..., J, V)."""
    both = (among_best(p, n_words) @ among_best(q, n_words).swapaxes(-1, -2)).astype(np.float64)
    index: Floats = both / (2 * n_words - both)
    return index


def _check_probabilities(given: Any) -> Floats:
    """An array (n, K, V) whose last axis sums to 1."""
    values = np.asarray(given, dtype=np.float64)
    if values.ndim != 3 or 0 in values.shape:
        raise ValueError(
            f"the topics have shape {values.shape}; pass a fitted model, or an array (times, topics, words)."
        )
    if not (np.all(values >= 0) and np.allclose(values.sum(axis=2), 1.0, rtol=0.0, atol=1e-6)):
        raise ValueError(
            "the topics' word probabilities are not all 0 or more with the sum 1; divide them by their sum."
        )
    return values


def _check_times(times: Floats) -> Floats:
    if np.any(np.diff(times) <= 0):
        raise ValueError(
            f"times is {times.tolist()}; expected each later than the one before. Sort them, drop doubles."
        )
    return times
