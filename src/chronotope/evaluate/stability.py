"""Do other seeds find the same topics?  Topics of several models, matched one to one."""

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
    """Matched topics of two models, first and second : (m,), and the similarity of all pairs, (K, L)."""

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    similarity: Floats


class Stability(NamedTuple):
    """Two tables: pairs of matched topics, and a summary for each two models."""

    pairs: pd.DataFrame
    summary: pd.DataFrame


def match_topics(p: Floats, q: Floats) -> Match:
    """One-to-one matching of greatest total similarity, the Hellinger affinity averaged over times.

        similarity_kl = mean_τ Σ_v √(p_kv(τ) q_lv(τ))

    p : (n, K, V), q : (n, L, V);  m = min(K, L) pairs, the topics left over have no partner.
    """
    similarity = affinity(p, q).mean(axis=0)
    first, second = linear_sum_assignment(similarity, maximize=True)
    return Match(first, second, similarity)


def seed_stability(models: Iterable[Any] | Mapping[Any, Any], times: Any = None, n_words: int = 10) -> Stability:
    """How alike the topics of several models are, each two of them matched by `match_topics`.

    models : two or more models, topics_ or arrays (n, K, V), or a dict of them with their names; one vocabulary
    times : left out, 20 evenly spaced ones of the span all models share
    pairs : first, second, topic_first, topic_second, similarity, jaccard (of the top words, averaged over times)
    summary : first, second, matched, and of their pairs similarity (mean), lowest (the smallest), jaccard (mean)
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
    """The matched topics of two models, a row each."""
    p, q = samples[a].probabilities, samples[b].probabilities
    if len(p) != len(q) or p.shape[2] != q.shape[2]:
        raise ValueError(
            f"model {a!r} has topics of shape {p.shape} and model {b!r} of {q.shape}; "
            "pass models with the same words, read at the same times."
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
    """Evenly spaced times within the spans of all models; None if there are only arrays."""
    spans = [topics.span for given in named.values() if (topics := fitted_topics(given)) is not None]
    if not spans:
        return None
    first, last = max(span[0] for span in spans), min(span[1] for span in spans)
    if first > last:
        raise ValueError(
            f"no time is in the span of all models: one starts at {first:g}, one ends at {last:g}; pass times."
        )
    return even_times(first, last)
