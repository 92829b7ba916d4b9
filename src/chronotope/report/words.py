"""A topic's words in a report: which of them get curves, and where each word of the vocabulary is used."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope._typing import Floats, Ints
from chronotope.analysis.keywords import peaking_words
from chronotope.report.encode import encode, quantise
from chronotope.topics import Topics, expected_share

CURVES = 100  # most words of a topic with a curve
RANKED = 15  # most words that are sure to be in the right order at every time
NAMED = 4  # words in a topic's name
TELLING = 6  # curves drawn at first
LISTED = 20_000  # most words that can be searched for
TOPICS_OF_WORD = 8


class TopicWords(NamedTuple):
    """One topic at the report's times: words with curves (W,), of these the ones drawn at first, how many ranks are
    exact; and of all words the expected uses (V,) and the time of most of them (V,)."""

    words: Ints
    telling: list[int]
    exact: int
    uses: Floats
    peaks: Ints


def topic_words(topics: Topics, k: int, times: Floats, tokens: Floats, part: Floats) -> TopicWords:
    """All words of a topic, looked at;  tokens : (T,) of the topic around each time;  part : (T,) of the text then."""
    share = np.empty((len(times), len(topics.vocabulary)))
    for rows, (m, s, log_zeta) in topics.logits(times, k):
        share[rows] = expected_share(m[:, 0], s[:, 0], log_zeta)
    words, exact = words_to_keep(share)
    said = part[:, None] * share
    telling = peaking_words(said[:, words], times, TELLING)
    return TopicWords(words, telling, exact, tokens @ share, np.argmax(said, axis=0))


def words_to_keep(share: Floats, most: int = CURVES, ranked: int = RANKED) -> tuple[Ints, int]:
    """The words that are among the first n at any time, n as large as the limit on words allows; and n.

    share : (T, V).  With them the first n words at every time are in their right order.  Room left is filled with the
    words of highest average.
    """
    T, V = share.shape
    n = min(ranked, V)
    first = np.argpartition(-share, n - 1, axis=1)[:, :n] if n < V else np.tile(np.arange(V), (T, 1))
    order = np.take_along_axis(first, np.argsort(-np.take_along_axis(share, first, axis=1), axis=1), axis=1)
    while n > 1 and len(np.unique(order[:, :n])) > most:
        n -= 1
    kept = np.unique(order[:, :n])
    by_mean = np.argsort(-share.mean(axis=0), kind="stable")
    extra = by_mean[~np.isin(by_mean, kept)][: max(0, min(most, V) - len(kept))]
    return np.concatenate([kept, extra]), n


def packed_curves(topics: Topics, k: int, words: Ints, times: Floats, level: float) -> str:
    """Mean, low and high of words at times, (3, W, T), for the page."""
    table = topics.trajectories(k, words, times, level)
    return encode(quantise(table[["mean", "low", "high"]].to_numpy().T))


def topic_names(uses: Floats, vocabulary: NDArray[np.str_]) -> list[list[str]]:
    """The words that set each topic apart from all others.

        score_kv = π_kv log(π_kv / π_v)      π_kv : average probability in the topic;  π_v : in all topics

    uses : (K, V).
    """
    total = np.maximum(uses.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    own = uses / total
    overall = np.maximum(uses.sum(axis=0) / max(uses.sum(), np.finfo(float).tiny), np.finfo(float).tiny)
    score = own * np.log(np.maximum(own, np.finfo(float).tiny) / overall)
    if len(uses) == 1:  # nothing to be apart from
        score = own
    return [[str(vocabulary[v]) for v in np.argsort(-row, kind="stable")[:NAMED]] for row in score]


def packed_uses(uses: Floats, peaks: Ints, listed: Ints) -> dict[str, object]:
    """For every listed word its topics, most uses first: topic, part of its uses, probability, time of most uses."""
    each = min(TOPICS_OF_WORD, len(uses))
    column = uses[:, listed]
    best = np.argsort(-column, axis=0, kind="stable")[:each]
    part = column / np.maximum(column.sum(axis=0), np.finfo(float).tiny)
    mean = column / np.maximum(uses.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    rows = (
        best,
        np.rint(65_535 * np.take_along_axis(part, best, axis=0)),
        quantise(np.take_along_axis(mean, best, axis=0)),
        np.take_along_axis(peaks[:, listed], best, axis=0),
    )
    table = np.stack(rows, axis=-1).astype(np.uint16)  # (each, words, 4)
    return {"each": each, "table": encode(table.swapaxes(0, 1))}


def listed_words(frequency: Ints, kept: Ints) -> Ints:
    """The words of the report, frequent ones first: as many as can be listed, and all that have curves."""
    order = np.argsort(-frequency, kind="stable")
    rank = np.arange(len(order))
    return order[(rank < LISTED) | np.isin(order, kept)]
