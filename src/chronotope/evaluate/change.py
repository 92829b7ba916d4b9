"""How much topics change: how different they are from each other, from one time to the next, and after long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from chronotope.evaluate.sample import Sample, affinity, among_best, jaccard, sample_topics
from chronotope.topics import Topics

if TYPE_CHECKING:
    from chronotope.model import DynamicTopicModel

Floats = NDArray[np.float64]

DIGITS = 9  # to which two lags are the same, of the longest


def diversity(given: DynamicTopicModel | Topics | ArrayLike, times: Any = None, n_words: int = 10) -> pd.DataFrame:
    """Share of distinct words among the top words of all K topics, at each time.  Columns: time, diversity.

        diversity(τ) = |A_1(τ) ∪ … ∪ A_K(τ)| / (K n)       A_k(τ) the n most probable words of topic k at time τ

    1 if no two topics share a top word, 1/K if all have the same.   given, times : see `sample_topics`
    """
    at, pi = sample_topics(given, times)
    distinct = among_best(pi, n_words).any(axis=1).sum(axis=1)
    return pd.DataFrame({"time": at, "diversity": distinct / (pi.shape[1] * n_words)})


def smoothness(given: DynamicTopicModel | Topics | ArrayLike, times: Any = None, n_words: int = 10) -> pd.DataFrame:
    """How far each topic moves from one time to the next.  Columns: topic, start, end, distance, jaccard.

        distance = √(½ Σ_v (√π_kv(τ) − √π_kv(τ'))²)      Hellinger, 0 if nothing changes, 1 if no word stays
        jaccard = |A_k(τ) ∩ A_k(τ')| / |A_k(τ) ∪ A_k(τ')|      of the n most probable words

    The longer the step, the further a topic moves: compare models at the same times.
    given, times : see `sample_topics`
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
    """How like itself a topic still is after a lag.  Columns: topic, lag, pairs, similarity, jaccard.

        similarity(ℓ) = mean over pairs τ' − τ = ℓ of Σ_v √(π_kv(τ) π_kv(τ'))      Hellinger affinity, 1 if the same
        jaccard(ℓ)    = mean over pairs τ' − τ = ℓ of |A_k(τ) ∩ A_k(τ')| / |A_k(τ) ∪ A_k(τ')|

    All pairs of the given times are compared; evenly spaced times give several pairs a lag.
    given, times : see `sample_topics`
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
    """The three in a few numbers, for tables of models.  Columns: measure, value.

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
