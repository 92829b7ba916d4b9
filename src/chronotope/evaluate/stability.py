"""Stability: do other seeds find the same topics?  Topics of several models, matched one to one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from chronotope._typing import Floats
from chronotope.evaluate.change import Sample, affinity, even_times, fitted_topics, jaccard, sample_topics


class Match(NamedTuple):
    """Matched topics of two models.   first, second : (P,) topics of each;  similarity : (K, L), of all pairs."""

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    similarity: Floats


class Stability(NamedTuple):
    """Two tables.   pairs : the matched topics;  summary : one row per two models; see `seed_stability`."""

    pairs: pd.DataFrame
    summary: pd.DataFrame


def match_topics(p: Floats, q: Floats) -> Match:
    """One-to-one matching of topics with the greatest total similarity, the Hellinger affinity averaged over times.

        similarity_kl = mean_τ Σ_v √(p_kv(τ) q_lv(τ))

    p : (T, K, V) word probabilities of the first model
    q : (T, L, V) word probabilities of the second model

    Returns a named tuple: first, second (P,), the topics of the P = min(K, L) pairs; similarity (K, L), of all pairs.
    """
    similarity = affinity(p, q).mean(axis=0)
    first, second = linear_sum_assignment(similarity, maximize=True)
    return Match(first, second, similarity)


def seed_stability(models: Iterable[Any] | Mapping[Any, Any], times: Any = None, n_words: int = 10) -> Stability:
    """Similarity of the topics of several models, every two of them matched by `match_topics`.

    models : list of DynamicTopicModel, Topics or arrays (T, K, V), or dict of them by name; at least two, with the same
        vocabulary
    times : list of numbers or dates, default None; None for 20 evenly spaced times of the span that all models share
    n_words : int, default 10; number of top words per topic

    Returns a named tuple of two tables.
    pairs, one row per pair of matched topics:
    first, second : names of the two models;  topic_first, topic_second : their topics
    similarity, jaccard : Hellinger affinity, and Jaccard index of the top words, averaged over times
    summary, one row per two models:
    first, second : their names;  matched : number of pairs
    similarity, lowest, jaccard : mean and lowest similarity, and mean Jaccard index, of the pairs
    """
    named = dict(models) if isinstance(models, Mapping) else dict(enumerate(models))
    if len(named) < 2:
        raise ValueError(f"there are {len(named)} models; pass at least two, such as fits with different seeds.")
    _check_vocabularies(named)
    at = _shared_times(named) if times is None else times
    samples = {name: sample_topics(given, at) for name, given in named.items()}
    pairs = pd.concat([_pairs(a, b, samples, n_words) for a, b in combinations(named, 2)], ignore_index=True)
    summary = pairs.groupby(["first", "second"], as_index=False, sort=False).agg(
        matched=("similarity", "size"),
        similarity=("similarity", "mean"),
        lowest=("similarity", "min"),
        jaccard=("jaccard", "mean"),
    )
    return Stability(pairs, summary)


def _pairs(a: Any, b: Any, samples: Mapping[Any, Sample], n_words: int) -> pd.DataFrame:
    """Matched topics of two models, one row per pair."""
    p, q = samples[a].probabilities, samples[b].probabilities
    if len(p) != len(q) or p.shape[2] != q.shape[2]:
        raise ValueError(
            f"model {a!r} has topics of shape {p.shape} and model {b!r} of {q.shape}; "
            "pass models with the same words, at the same times."
        )
    first, second, similarity = match_topics(p, q)
    overlap = jaccard(p, q, n_words).mean(axis=0)
    return pd.DataFrame(
        {
            "first": a,
            "second": b,
            "topic_first": first,
            "topic_second": second,
            "similarity": similarity[first, second],
            "jaccard": overlap[first, second],
        }
    )


def _check_vocabularies(named: Mapping[Any, Any]) -> None:
    """All models have the same words in the same order."""
    words = {name: topics.vocabulary for name, given in named.items() if (topics := fitted_topics(given)) is not None}
    for a, b in combinations(words, 2):
        if not np.array_equal(words[a], words[b]):
            raise ValueError(
                f"models {a!r} and {b!r} have {len(words[a]):,} and {len(words[b]):,} words that are not the same "
                "in the same order; fit both on corpora with one vocabulary."
            )


def _shared_times(named: Mapping[Any, Any]) -> Floats | None:
    """Evenly spaced times within the spans of all models; None if all are arrays."""
    spans = [topics.main_span for given in named.values() if (topics := fitted_topics(given)) is not None]
    if not spans:
        return None
    first, last = max(span[0] for span in spans), min(span[1] for span in spans)
    if first > last:
        raise ValueError(
            f"no time is in the span of all models: one starts at {first:g}, one ends at {last:g}; pass times."
        )
    return even_times(first, last)
