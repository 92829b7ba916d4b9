"""Topics by keyword, and the words of a topic that are most telling of its change.

The prevalence of a topic is its share of the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from chronotope._typing import Floats, Mask
from chronotope.display.smooth import shares_around
from chronotope.topics import Topics, expected_share

TINY = np.finfo(float).tiny
N_TIMES = 60  # evenly spaced times at which topics are evaluated


def find_topic(topics: Topics, words: Mapping[str, float]) -> int:
    """The topic that is most about given words, over all times.

        score_k = Σ_v weight_v √(u_kv / Σ_k u_kv · π_kv / max_k π_kv)

    u_kv are the uses of a word in a topic, π_kv = u_kv / Σ_v u_kv its probability there. A word counts for a topic that
    has most of its uses, and where it is prominent; each word counts for 1 at most, so a topic with many of the words
    scores above one that has a single word often.

    topics : Topics of a fitted model
    words : dict of floats by word; their weights. Words that the model does not have are ignored

    Returns the number of the topic.
    """
    columns = [int(np.flatnonzero(topics.vocabulary == word)[0]) for word in words if word in topics.vocabulary]
    weights = [weight for word, weight in words.items() if word in topics.vocabulary]
    if not columns:
        raise ValueError(f"none of the words {', '.join(words)} is in the model's vocabulary; pass other words.")
    uses = word_uses(topics)
    rate = uses / np.maximum(uses.sum(axis=1, keepdims=True), TINY)
    part = uses[:, columns] / np.maximum(uses[:, columns].sum(axis=0), TINY)
    prominence = rate[:, columns] / np.maximum(rate[:, columns].max(axis=0), TINY)
    return int(np.argmax(np.sqrt(part * prominence) @ np.array(weights)))


def word_uses(topics: Topics, nodes: Mask | None = None, group: str | int | None = None) -> Floats:
    """Expected uses of every word in every topic, Σ_j N_kj π_kv(z_j), (K, V).

    nodes : (J,), default None for all;  group : whose, default None for what all of them share
    """
    mass = topics.mass if group is None else topics.track_mass[topics.track(group)]
    mass = mass if nodes is None else mass * nodes[:, None]
    uses = np.zeros((topics.n_topics, len(topics.vocabulary)))
    for rows, (m, s, log_zeta) in topics.logits(topics.times, None, group):
        uses += np.einsum("jk,jkv->kv", mass[rows], expected_share(m, s, log_zeta[:, :, None]))
    return uses


def distinctive_words(uses: Floats, vocabulary: NDArray[np.str_], n: int) -> list[list[str]]:
    """The n words that distinguish each topic from all others, which name it.

        score_kv = π_kv log(π_kv / π_v)      π_kv : average probability in the topic;  π_v : in all topics

    uses : (K, V), expected uses of words in topics;  vocabulary : (V,).
    """
    own = uses / np.maximum(uses.sum(axis=1, keepdims=True), TINY)
    overall = np.maximum(uses.sum(axis=0) / max(uses.sum(), TINY), TINY)
    score = own * np.log(np.maximum(own, TINY) / overall)
    if len(uses) == 1:  # no other topics to be distinguished from
        score = own
    return [[str(vocabulary[v]) for v in np.argsort(-row, kind="stable")[:n]] for row in score]


def shares_at(topics: Topics, times: Floats) -> Floats:
    """Prevalence of every topic around each time, see `shares_around`.   times : (T,).  Returns (T, K)."""
    first, last = topics.main_span
    return shares_around(times, topics.times, topics.mass, last - first)


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
    times = pairs[0][0].covered_times(N_TIMES)
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
