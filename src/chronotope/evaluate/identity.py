"""Identity of topics: whether a topic is about the same at all times, or turns into another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from chronotope._typing import Floats
from chronotope.dates.periods import with_dates
from chronotope.evaluate.change import fitted_topics
from chronotope.topics import Topics

if TYPE_CHECKING:
    from chronotope.model import DynamicTopicModel

TIMES = 40  # maximum number of times that are compared
BROKEN = 0.25  # identity between two parts of a topic's time below which it is broken
PART = 0.1  # least part of a topic's text before and after a break


class Compared(NamedTuple):
    """What is compared.   times : (T,);  weight : (T, K), tokens of the topics around them;  known : (K, T, T).

    known_kst is how much of what the words of topic k say at time t is said by its words at time s, from 0 to 1.
    """

    times: Floats
    weight: Floats
    known: Floats


def topic_identity(model: DynamicTopicModel | Topics) -> pd.DataFrame:
    """How far each topic is about the same at all times.

        I_k(s, t) = G_k(s, t) / G_k(t, t),   at least 0,       G_k(s, t) = Σ_v π_kv(t) log(π̂_kv(t) / p_v(t))
        π̂_kv(t) ∝ p_v(t) max(π_kv(s) / p_v(s), 1)

    p are the word probabilities of the whole text. The words that a topic has more often than the rest at time s
    predict its words at time t: fully if I is 1, not at all if it is 0. Words that rise or fall in the whole text make
    no difference. The identity of a topic is the mean over pairs of times, weighted by its tokens there.

    A topic is broken if there is a date such that its words before and after say little of each other: a mean I
    below 0.25, each side with a tenth of its text at least.

    model : DynamicTopicModel or Topics, fitted

    Returns a table with one row per topic:
    topic : its number;  share : its share of the whole text;  identity : from 0 to 1
    broken : whether it is;  break : time of the deepest break, NaN without one;  across : mean I across that date
    """
    topics = fitted_topics(model)
    if topics is None:
        raise ValueError(f"the model is a {type(model).__name__}; expected a fitted DynamicTopicModel or its topics_.")
    compared = compare_times(topics)
    overall = topics.mass.sum(axis=0) / max(float(topics.mass.sum()), np.finfo(float).tiny)
    rows = []
    for k, (known, weight) in enumerate(zip(compared.known, compared.weight.T, strict=True)):
        at, across = deepest_break(known, weight)
        broken = across < BROKEN
        when = 0.5 * (compared.times[at - 1] + compared.times[at]) if broken else np.nan
        rows.append((k, overall[k], _mean(known, weight, weight), broken, when, across))
    table = pd.DataFrame(rows, columns=["topic", "share", "identity", "broken", "break", "across"])
    return with_dates(table, topics.calendar, topics.resolution)


def summarise_identity(model: DynamicTopicModel | Topics) -> dict[str, float]:
    """Identity, the mean over topics weighted by their text, and the share of the text in broken topics."""
    table = topic_identity(model)
    share, identity, broken = table[["share", "identity", "broken"]].to_numpy(dtype=np.float64).T
    return {"identity": float(share @ identity), "broken_share": float(share @ broken)}


def compare_times(topics: Topics) -> Compared:
    """Topics at some of the nodes, weighted by the tokens around each."""
    J = len(topics.times)
    tokens = topics.mass.sum(axis=1)
    edges = np.unique(np.searchsorted(np.cumsum(tokens), np.linspace(0.0, tokens.sum(), min(TIMES, J) + 1)[1:-1]))
    starts = np.unique(np.concatenate([[0], edges[(edges > 0) & (edges < J)]]))
    moments = np.add.reduceat((tokens + 1e-9) * topics.times, starts)
    times = moments / np.add.reduceat(tokens + 1e-9, starts)
    weight = np.add.reduceat(topics.mass, starts, axis=0)
    pi = topics.probabilities(times)
    share = weight / np.maximum(weight.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    whole = np.einsum("tk,tkv->tv", share, pi)
    lift = np.maximum(np.log(np.maximum(pi, 1e-300)) - np.log(np.maximum(whole, 1e-300))[:, None], 0.0)
    return Compared(times, weight, np.stack([_known(pi[:, k], whole, lift[:, k]) for k in range(pi.shape[1])]))


def _known(pi: Floats, whole: Floats, lift: Floats) -> Floats:
    """I(s, t) of one topic, (T, T).   pi, whole : (T, V) probabilities;  lift : (T, V) max(log(pi / whole), 0)."""
    said = lift @ pi.T - np.log(np.exp(lift) @ whole.T)  # (s, t)
    own = np.maximum(np.diagonal(said), 1e-9)
    known: Floats = np.clip(said / own, 0.0, 1.0)
    return known


def deepest_break(known: Floats, weight: Floats) -> tuple[int, float]:
    """Where the two sides of a topic's time say least of each other: the first time after it, and the mean I across.

    known : (T, T);  weight : (T,).  Without a date that leaves enough text on both sides, 0 and 1.
    """
    total = max(float(weight.sum()), np.finfo(float).tiny)
    before = np.cumsum(weight)[:-1] / total
    found = [(1.0, 0)]
    for at in (np.flatnonzero((before >= PART) & (before <= 1.0 - PART)) + 1).tolist():
        left, right = (np.where((np.arange(len(weight)) < at) == side, weight, 0.0) for side in (True, False))
        found.append((0.5 * (_mean(known, left, right) + _mean(known, right, left)), at))
    across, first = min(found)
    return first, across


def _mean(known: Floats, first: Floats, second: Floats) -> float:
    """Mean of I over pairs of times, with weights of the first and of the second time."""
    return float(first @ known @ second / max(float(first.sum() * second.sum()), np.finfo(float).tiny))
