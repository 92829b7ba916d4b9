"""A topic's words in a report: which of them have curves, and in which topics each word is used."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chronotope._typing import Floats, Ints
from chronotope.analysis.keywords import peaking_words
from chronotope.analysis.usual import topic_rates
from chronotope.report.encode import quantise, to_base64
from chronotope.topics import Topics

CURVES = 100  # maximum number of words of a topic with a curve
RANKED = 15  # top words that are in the right order at every time, at most
TELLING = 6  # curves drawn when the page opens
LISTED = 20_000  # maximum number of words that can be searched for
TOPICS_OF_WORD = 8


class TopicWords(NamedTuple):
    """Words of one topic.

    words : (W,), those with curves;  telling : of these, the ones drawn when the page opens
    exact : number of top words that are in the right order at every time
    uses : (V,), expected uses of all words;  peaks : (V,), the time of most uses
    """

    words: Ints
    telling: list[int]
    exact: int
    uses: Floats
    peaks: Ints


def topic_words(topics: Topics, k: int, times: Floats, tokens: Floats, prevalence: Floats) -> TopicWords:
    """The words of topic k.   times : (T,);  tokens, prevalence : (T,), of the topic around each time, 0 in gaps."""
    share = topic_rates(topics, k, times)
    written = prevalence > 0.0
    words, exact = words_to_keep(share[written])
    frequency = prevalence[:, None] * share  # of the word in this topic, in the whole text
    telling = peaking_words(frequency[written][:, words], times[written], TELLING)
    return TopicWords(words, telling, exact, tokens @ share, np.argmax(frequency, axis=0))


def words_to_keep(share: Floats, most: int = CURVES, ranked: int = RANKED) -> tuple[Ints, int]:
    """The words that are among the top n at any time, for the largest n that the limit on words allows; and n.

    share : (T, V).  With them the top n words at every time are in the right order. Remaining places are filled with
    the words of highest average.
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


def encoded_curves(topics: Topics, k: int, words: Ints, times: Floats, level: float) -> str:
    """Mean, low and high of words at times, (3, W, T), encoded for the page."""
    table = topics.trajectories(k, words, times, level)
    return to_base64(quantise(table[["mean", "low", "high"]].to_numpy().T))


def encoded_uses(uses: Floats, peaks: Ints, listed: Ints) -> dict[str, object]:
    """For every listed word its topics, most uses first: topic, share of its uses, probability, time of most uses.

    uses : (K, V);  peaks : (K, V), time of most uses;  listed : columns of the listed words
    """
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
    return {"each": each, "table": to_base64(table.swapaxes(0, 1))}


def listed_words(frequency: Ints, kept: Ints) -> Ints:
    """Columns of the report's words, frequent ones first: as many as can be listed, and all that have curves.

    frequency : (V,), counts in the corpus;  kept : columns of the words with curves
    """
    order = np.argsort(-frequency, kind="stable")
    rank = np.arange(len(order))
    return order[(rank < LISTED) | np.isin(order, kept)]
