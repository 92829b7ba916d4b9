"""Finding a topic by what it is about, and the words that tell its story."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from chronotope._typing import Floats
from chronotope.display.smooth import shares_around
from chronotope.topics import Topics

N_TIMES = 60  # evenly spaced times a topic is looked at
CEILING = 0.02


def find_topic(topics: Topics, words: Mapping[str, float]) -> int:
    """The topic that is most about these words, through all times; words : their weights.

        score_k = Σ_τ share of topic k at τ · Σ_w weight_w min(π_kw(τ), 2%)

    The score is about how much of the text the topic accounts for with these words; none of them counts for more than a
    ceiling, so a topic of many of them wins over one that is little but a single word.
    """
    columns = [int(np.flatnonzero(topics.vocabulary == word)[0]) for word in words if word in topics.vocabulary]
    weights = [weight for word, weight in words.items() if word in topics.vocabulary]
    if not columns:
        raise ValueError(f"none of the words {', '.join(words)} is in the model's vocabulary; pass other words.")
    times = np.linspace(*topics.span, N_TIMES)
    about = np.minimum(topics.probabilities(times)[:, :, columns], CEILING) @ np.array(weights)  # (n, K)
    return int(np.argmax((shares_at(topics, times) * about).sum(axis=0)))


def shares_at(topics: Topics, times: Floats) -> Floats:
    """Share of every topic in the tokens around each time, see `shares_around`.  times : (n,).  Returns (n, K)."""
    return shares_around(times, topics.times, topics.mass)


def telling_words(
    found: Iterable[tuple[Topics, int]], n: int, first: Sequence[str] = (), among: Sequence[str] | None = None
) -> list[str]:
    """Words that come and go in a topic, each at a time of its own; `first` are taken whatever they do.

    found : the topic in one or several models with one vocabulary;  among : the words to choose from, all if left out.

        f_w(τ) = share of the topic at τ · π_w(τ),    worth_w = f̂_w log(f̂_w / f̄_w)      f̂, f̄ : highest, average

    f is how much is said with the word in this topic, so times when the topic hardly occurs do not choose its words; a
    word that peaks near one already taken counts for less.
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
    """Columns of n words that come and go, each at a time of its own; see `telling_words`.   said : (T, W)."""
    return _spread(*_worth(said, times), n, [], max((times[-1] - times[0]) / 12, np.finfo(float).tiny))


def _worth(said: Floats, times: Floats) -> tuple[Floats, Floats]:
    """How much each word stands out at its peak, and when that is;  said : (T, W).  Returns (W,), (W,)."""
    highest = said.max(axis=0)
    return highest * np.log(highest / said.mean(axis=0)), times[np.argmax(said, axis=0)]


def _spread(worth: Floats, peak: Floats, n: int, first: Sequence[int], near: float) -> list[int]:
    """Greedily the words of highest worth, those with a peak near that of a chosen word held back."""
    chosen = list(first)
    worth = worth.copy()
    worth[chosen] = -np.inf
    while len(chosen) < min(n, len(worth)):
        best = int(np.argmax(worth))
        chosen.append(best)
        worth[best] = -np.inf
        worth *= 1.0 - 0.7 * np.exp(-0.5 * ((peak - peak[best]) / near) ** 2)
    return chosen
