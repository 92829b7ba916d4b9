"""Joint posterior draws of a few words of a topic, for questions across times."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from chronotope.topics import Topics, expected_share

Floats = NDArray[np.float64]

CELLS = 8_000_000  # values drawn at a time
HEAVY = 24  # most words drawn besides those asked for
LARGEST = 50.0  # variance of a logit, so that its exponential stays finite
LEFT = 0.01  # share of the variance of a topic's normaliser that may be held at its mean


def draw_words(topics: Topics, topic: int, words: Sequence[int], times: Floats, n: int, seed: int = 0) -> Floats:
    """Joint draws of the log probabilities of a few words.  Returns (n, times, words).

        log π_v(τ) = β_v(τ) − log [Σ_{u drawn} exp β_u(τ) + E Σ_{u not} exp β_u(τ)]

    Drawn are the words asked for and those that make the normaliser uncertain; all others, whose sum hardly varies, are
    held at their expected total. All draws are made at once, as if each were a word of its own.
    """
    k, asked = topics._topic(topic), list(dict.fromkeys(int(v) for v in words))
    drawn, log_rest = _normaliser(topics, k, asked, times)
    g, b = (np.ascontiguousarray(x[:, k : k + 1, drawn]) for x in (topics.g, topics.b))
    size = max(1, CELLS // ((len(times) + len(topics.structure.nodes)) * len(drawn)))
    column = [drawn.index(int(v)) for v in words]
    rng = np.random.default_rng(seed)
    result = np.empty((n, len(times), len(column)))
    for start in range(0, n, size):
        many = min(size, n - start)
        logits = topics.structure.draw(times, np.tile(g, (1, 1, many)), np.tile(b, (1, 1, many)), rng)
        logits = logits.reshape(len(times), many, len(drawn)).swapaxes(0, 1) + topics.mean[drawn]
        top = np.maximum(logits.max(axis=2), log_rest)
        total = np.exp(logits - top[:, :, None]).sum(axis=2) + np.exp(log_rest - top)
        result[start : start + many] = logits[:, :, column] - (top + np.log(total))[:, :, None]
    return result


def _normaliser(topics: Topics, k: int, asked: list[int], times: Floats) -> tuple[list[int], Floats]:
    """The words to draw, and the log of the expected total of all others, (times,).

    Var Σ_u exp β_u = Σ_u (E exp β_u)² (exp s_u − 1)      the words with most of it are drawn, up to a limit
    """
    share, part = (np.empty((len(times), len(topics.vocabulary))) for _ in range(2))
    log_zeta = np.empty((len(times), 1))
    for rows, (m, s, log_zeta_here) in topics.logits(times, k):
        share[rows], log_zeta[rows] = expected_share(m[:, 0], s[:, 0], log_zeta_here), log_zeta_here
        part[rows] = share[rows] ** 2 * np.expm1(np.minimum(s[:, 0].astype(np.float64), LARGEST))
    part /= np.maximum(part.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    order = np.argsort(-part.max(axis=0), kind="stable")[:HEAVY]
    left = 1.0 - np.cumsum(part[:, order], axis=1).min(axis=0)
    enough = int(np.sum(left > LEFT)) + 1
    drawn = list(dict.fromkeys([*asked, *order[:enough].tolist()]))
    share[:, drawn] = 0.0
    rest = np.maximum(share.sum(axis=1), np.finfo(float).tiny)
    return drawn, log_zeta[:, 0] + np.log(rest)
