"""Topics by keyword, and the words of a topic that are most telling of its change.

The prevalence of a topic is its share of the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from chronotope._typing import Floats
from chronotope.display.smooth import shares_around
from chronotope.topics import Topics

N_TIMES = 60  # evenly spaced times at which topics are evaluated
CEILING = 0.02  # a word counts for no more than this probability


def find_topic(topics: Topics, words: Mapping[str, float]) -> int:
    """The topic that is most about given words, over all times.

        score_k = Σ_τ prevalence_k(τ) · Σ_v weight_v min(π_kv(τ), 2%)

    The score is roughly how much of the text consists of these words in topic k. Each word counts up to a ceiling, so a
    topic with many of the words scores above one that has a single word often.

    topics : Topics of a fitted model
    words : dict of floats by word; their weights. Words that the model does not have are ignored

    Returns the number of the topic.
    """
    columns = [int(np.flatnonzero(topics.vocabulary == word)[0]) for word in words if word in topics.vocabulary]
    weights = [weight for word, weight in words.items() if word in topics.vocabulary]
    if not columns:
        raise ValueError(f"none of the words {', '.join(words)} is in the model's vocabulary; pass other words.")
    times = np.linspace(*topics.span, N_TIMES)
    about = np.minimum(topics.probabilities(times)[:, :, columns], CEILING) @ np.array(weights)  # (n, K)
    return int(np.argmax((shares_at(topics, times) * about).sum(axis=0)))


def shares_at(topics: Topics, times: Floats) -> Floats:
    """Prevalence of every topic around each time, see `shares_around`.   times : (T,).  Returns (T, K)."""
    return shares_around(times, topics.times, topics.mass)


def telling_words(
    found: Iterable[tuple[Topics, int]], n: int, first: Sequence[str] = (), among: Sequence[str] | None = None
) -> list[str]:
    """Words that are frequent in a topic for a limited time, with peaks at different times.

        f_v(τ) = prevalence(τ) · π_v(τ),    worth_v = f̂_v log(f̂_v / f̄_v)      f̂, f̄ : highest, average

    f is the share of the text that is this word in this topic, so times when the topic is rare hardly matter. Words are
    chosen in decreasing order of worth; a peak close to that of a chosen word lowers the worth.

    found : pairs (Topics, int); the topic, in one model or in several with the same vocabulary
    n : int, number of words
    first : list of str, default (); words that are always chosen, before the others
    among : list of str, default None; the words to choose from; None for the whole vocabulary

    Returns a list of words.
    """
    pairs = list(found)
    vocabulary = pairs[0][0].vocabulary
    times = np.linspace(*pairs[0][0].span, N_TIMES)
    worth, peak = np.zeros(len(vocabulary)), np.zeros((len(pairs), len(vocabulary)))
    for i, (topics, k) in enumerate(pairs):
        said = shares_at(topics, times)[:, k, None] * topics.probabilities(times)[:, k]
        gain, peak[i] = _worth(said, times)
        worth += gain
    if among is not None:
        worth[~np.isin(vocabulary, list(among))] = -np.inf
        n = min(n, int(np.sum(np.isfinite(worth))))
    given = [int(np.flatnonzero(vocabulary == word)[0]) for word in first if word in vocabulary]
    return [str(vocabulary[v]) for v in _spread(worth, np.median(peak, axis=0), n, given, (times[-1] - times[0]) / 12)]


def peaking_words(said: Floats, times: Floats, n: int) -> list[int]:
    """Columns of n words with high peaks at different times; see `telling_words`.   said : (T, W) f;  times : (T,)."""
    return _spread(*_worth(said, times), n, [], max((times[-1] - times[0]) / 12, np.finfo(float).tiny))


def _worth(said: Floats, times: Floats) -> tuple[Floats, Floats]:
    """Worth of each word, and the time of its peak, (W,) each; see `telling_words`.   said : (T, W) f."""
    highest = said.max(axis=0)
    return highest * np.log(highest / said.mean(axis=0)), times[np.argmax(said, axis=0)]


def _spread(worth: Floats, peak: Floats, n: int, first: Sequence[int], near: float) -> list[int]:
    """Greedy choice of n words of highest worth; a peak within about `near` of a chosen word lowers the worth."""
    chosen = list(first)
    worth = worth.copy()
    worth[chosen] = -np.inf
    while len(chosen) < min(n, len(worth)):
        best = int(np.argmax(worth))
        chosen.append(best)
        worth[best] = -np.inf
        worth *= 1.0 - 0.7 * np.exp(-0.5 * ((peak - peak[best]) / near) ** 2)
    return chosen
