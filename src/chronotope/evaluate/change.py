"""Change of topics: how different they are from each other, from one time to the next, and after a lag."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from chronotope._typing import Floats
from chronotope.dates.decimal import parse_times
from chronotope.topics import Topics

if TYPE_CHECKING:
    from chronotope.model import DynamicTopicModel


STEPS = 20  # default number of evenly spaced times


class Sample(NamedTuple):
    """Topics at several times.   times : (T,), increasing;  probabilities : (T, K, V), of the words."""

    times: Floats
    probabilities: Floats


def sample_topics(given: DynamicTopicModel | Topics | ArrayLike, times: Any = None) -> Sample:
    """Topics at increasing times.

    given : DynamicTopicModel or Topics, fitted, or array (T, K, V) of word probabilities
    times : list of numbers or dates, default None; None for 20 evenly spaced times of the main span,
        or for an array the numbers 0 to T − 1

    Returns a named tuple: times (T,), probabilities (T, K, V).
    """
    topics = fitted_topics(given)
    if topics is not None:
        at = even_times(*topics.main_span) if times is None else parse_times(np.atleast_1d(times)).values
        return Sample(_check_times(at), topics.probabilities(at))
    probabilities = _check_probabilities(given)
    at = np.arange(len(probabilities), dtype=float) if times is None else parse_times(np.atleast_1d(times)).values
    if len(at) != len(probabilities):
        raise ValueError(
            f"there are {len(at):,} times but {len(probabilities):,} slices of topics; pass one time for each."
        )
    return Sample(_check_times(at), probabilities)


def fitted_topics(given: Any) -> Topics | None:
    """The topics of a fitted model; None if `given` is not a model."""
    if hasattr(given, "get_params"):
        check_is_fitted(given, "topics_")
        given = given.topics_
    return given if isinstance(given, Topics) else None


def even_times(first: float, last: float) -> Floats:
    """Evenly spaced times from the first to the last; a single one if they are equal."""
    return np.linspace(first, last, STEPS) if last > first else np.array([first])


def best_words(probabilities: Floats, n_words: int) -> NDArray[np.intp]:
    """The most probable words, decreasing, ties in the order of the vocabulary.  (..., V) to (..., n_words)."""
    check_n_words(n_words, probabilities.shape[-1])
    return np.argsort(-probabilities, axis=-1, kind="stable")[..., :n_words]


def check_n_words(n_words: int, V: int) -> None:
    """Raise an error unless n_words is from 1 to V."""
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
        raise ValueError("the topics' word probabilities are negative or do not sum to 1; divide them by their sum.")
    return values


def _check_times(times: Floats) -> Floats:
    if np.any(np.diff(times) <= 0):
        raise ValueError(
            f"times is {times.tolist()}; expected each later than the one before; sort them and drop duplicates."
        )
    return times


DIGITS = 9  # lags are rounded to so many significant digits of the longest


def diversity(given: DynamicTopicModel | Topics | ArrayLike, times: Any = None, n_words: int = 10) -> pd.DataFrame:
    """Fraction of distinct words among the top words of all K topics, at each time.

        diversity(τ) = |A_1(τ) ∪ … ∪ A_K(τ)| / (K n)       A_k(τ) the n most probable words of topic k at time τ

    It is 1 if no two topics share a top word, 1/K if all have the same.

    given : DynamicTopicModel or Topics, fitted, or array (T, K, V) of word probabilities
    times : list of numbers or dates, default None; see `sample_topics`
    n_words : int, default 10; n, the number of top words per topic

    Returns a table with one row per time:
    time : the time;  diversity : the fraction
    """
    at, pi = sample_topics(given, times)
    distinct = among_best(pi, n_words).any(axis=1).sum(axis=1)
    return pd.DataFrame({"time": at, "diversity": distinct / (pi.shape[1] * n_words)})


def smoothness(given: DynamicTopicModel | Topics | ArrayLike, times: Any = None, n_words: int = 10) -> pd.DataFrame:
    """How far each topic moves from one time to the next.

        distance = √(½ Σ_v (√π_kv(τ) − √π_kv(τ'))²)      Hellinger distance, 0 if nothing changes, 1 if no word stays
        jaccard = |A_k(τ) ∩ A_k(τ')| / |A_k(τ) ∪ A_k(τ')|      of the n most probable words

    The longer the step, the further a topic moves: compare models at the same times.

    given : DynamicTopicModel or Topics, fitted, or array (T, K, V) of word probabilities
    times : list of numbers or dates, default None; see `sample_topics`
    n_words : int, default 10; n, the number of top words per topic

    Returns a table with one row per topic and pair of consecutive times:
    topic : its number;  start, end : the two times, τ and τ'
    distance, jaccard : Hellinger distance, and Jaccard index of the top words
    """
    at, pi = _several_times(sample_topics(given, times), "smoothness")
    root = np.sqrt(pi)
    distance = np.sqrt(0.5 * ((root[1:] - root[:-1]) ** 2).sum(axis=2))  # (n − 1, K)
    overlap = jaccard(pi[:-1, :, None], pi[1:, :, None], n_words)[..., 0, 0]
    n, K = distance.shape
    return pd.DataFrame(
        {
            "topic": np.repeat(np.arange(K), n),
            "start": np.tile(at[:-1], K),
            "end": np.tile(at[1:], K),
            "distance": distance.T.ravel(),
            "jaccard": overlap.T.ravel(),
        }
    )


def persistence(given: DynamicTopicModel | Topics | ArrayLike, times: Any = None, n_words: int = 10) -> pd.DataFrame:
    """Similarity of each topic to itself after a lag ℓ.

        similarity(ℓ) = mean over pairs τ' − τ = ℓ of Σ_v √(π_kv(τ) π_kv(τ'))      Hellinger affinity, 1 if the same
        jaccard(ℓ)    = mean over pairs τ' − τ = ℓ of |A_k(τ) ∩ A_k(τ')| / |A_k(τ) ∪ A_k(τ')|

    All pairs of times are compared; evenly spaced times give several pairs per lag.

    given : DynamicTopicModel or Topics, fitted, or array (T, K, V) of word probabilities
    times : list of numbers or dates, default None; see `sample_topics`
    n_words : int, default 10; n, the number of top words per topic

    Returns a table with one row per topic and lag:
    topic : its number;  lag : the difference of the two times;  pairs : number of pairs with this lag
    similarity, jaccard : means over these pairs
    """
    at, pi = _several_times(sample_topics(given, times), "persistence")
    by_topic = pi.swapaxes(0, 1)  # (K, n, V)
    i, j = np.triu_indices(len(at), 1)
    decimals = DIGITS - 1 - int(np.floor(np.log10(at[-1] - at[0])))
    K = len(by_topic)
    pairs = pd.DataFrame(
        {
            "topic": np.repeat(np.arange(K), len(i)),
            "lag": np.tile(np.round(at[j] - at[i], decimals), K),
            "similarity": affinity(by_topic, by_topic)[:, i, j].ravel(),
            "jaccard": jaccard(by_topic, by_topic, n_words)[:, i, j].ravel(),
        }
    )
    grouped = pairs.groupby(["topic", "lag"], as_index=False)
    return grouped.agg(pairs=("lag", "size"), similarity=("similarity", "mean"), jaccard=("jaccard", "mean"))


def summarise_change(
    given: DynamicTopicModel | Topics | ArrayLike, times: Any = None, n_words: int = 10
) -> pd.DataFrame:
    """Summary of `diversity`, `smoothness` and `persistence`, for tables of models.

    given : DynamicTopicModel or Topics, fitted, or array (T, K, V) of word probabilities
    times : list of numbers or dates, default None; see `sample_topics`
    n_words : int, default 10; n, the number of top words per topic

    Returns a table with one row per measure, columns measure and value. The measures:
    diversity : mean over times
    step_distance, step_jaccard : mean over topics and consecutive times
    end_similarity, end_jaccard : mean over topics, first time against last
    """
    sample = sample_topics(given, times)
    steps = smoothness(sample.probabilities, sample.times, n_words)
    lags = persistence(sample.probabilities, sample.times, n_words)
    longest = lags[lags["lag"] == lags["lag"].max()]
    values = {
        "diversity": diversity(sample.probabilities, sample.times, n_words)["diversity"].mean(),
        "step_distance": steps["distance"].mean(),
        "step_jaccard": steps["jaccard"].mean(),
        "end_similarity": longest["similarity"].mean(),
        "end_jaccard": longest["jaccard"].mean(),
    }
    return pd.DataFrame({"measure": list(values), "value": list(values.values())})


def _several_times(sample: Sample, what: str) -> Sample:
    if len(sample.times) < 2:
        raise ValueError(f"{what} compares times, but there is only {sample.times[0]:g}; pass at least two times.")
    return sample
