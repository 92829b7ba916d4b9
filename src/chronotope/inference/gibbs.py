"""Gibbs sampling of the topics of one document's tokens, its topic shares integrated out.

A document holds few topics, so the probabilities of a token's topic are taken apart: what the document's other tokens
say, over the topics they are of, and what the prior says, which stays the same for a visit. [Yao, Mimno, McCallum 2009]

In what follows doc is (counts (n,), tokens (n,), E (n, K), rest (n,)) of its n distinct words, and chain is
(z (tokens,), tally (K,), listed (K,), place (K,)): topics of the tokens, tokens of the topics, the list of those held.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from chronotope._typing import Array

TOKENS = 16  # of a word in a document that are sampled apart; where there are more, each stands for several
ONE = np.float32(1.0)
UNIT = np.float32(2.0**-24)

compiled = njit(cache=True, error_model="numpy", fastmath={"reassoc", "contract"})


@compiled
def stream(seed: int, number: int) -> Any:
    """Where the random numbers of a document start, from the step's seed and the document's number (splitmix)."""
    x = np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(number + 1) * np.uint64(0xD1342543DE82EF95)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (x ^ (x >> np.uint64(31))) | np.uint64(1)


@compiled
def _next(x: Any) -> Any:
    """The stream one number further (xorshift)."""
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    return x


@compiled
def _unit(x: Any) -> Any:
    """The stream's number as one in [0, 1)."""
    return np.float32(x >> np.uint64(40)) * UNIT


@compiled
def _begin(doc: Array, chain: Array, prior: Array, held: Array, x: Any) -> Any:
    """First topics of all tokens, from the document's λ alone, and `rest`, what the prior says of each word.

    held : (K,) λ to start with, then tokens of each topic.  Returns the stream.
    """
    counts, tokens, E, rest = doc
    z, tally, _, _ = chain
    K, t = len(prior), 0
    lam = np.empty(K, np.float32)
    for k in range(K):
        lam[k], held[k], tally[k] = held[k], 0.0, 0
    for i in range(len(E)):
        row = E[i]
        tokens[i] = min(math.ceil(counts[i]), TOKENS)
        total, beside = np.float32(0.0), np.float32(0.0)
        for k in range(K):
            total += lam[k] * row[k]
            beside += prior[k] * row[k]
        rest[i] = beside
        for _ in range(tokens[i]):
            x = _next(x)
            u, k = _unit(x) * total - lam[0] * row[0], 0
            while u >= 0.0 and k < K - 1:
                k += 1
                u -= lam[k] * row[k]
            z[t] = k
            tally[k] += 1
            held[k] += counts[i] / tokens[i]
            t += 1
    return x


@compiled
def _list_topics(chain: Array) -> int:
    """List the topics the document holds;  returns how many.   place : (K,) where each stands there, −1 for nowhere."""
    _, tally, listed, place = chain
    m = 0
    for k in range(len(tally)):
        place[k] = -1
        if tally[k] > 0:
            listed[m], place[k] = k, m
            m += 1
    return m


@compiled
def _draw_prior(prior: Array, likelihood: Array, u: Any) -> int:
    """The topic at which Σ α_k E_k passes u."""
    last = len(prior) - 1
    for k in range(last):
        u -= prior[k] * likelihood[k]
        if u < 0.0:
            return k
    return last


@compiled
def _sweep(
    doc: Array, chain: Array, mean: Array, prior: Array, held: Array, part: Any, x: Any, m: int
) -> tuple[Any, int]:
    """Draw every token's topic anew, and add a share `part` of its responsibilities to the mean ones.

        z_i ~ φ_ik ∝ (α_k + Σ_{j≠i} 1[z_j = k]) E_wk

    mean : φ (n, K) from the document's own tokens, and how much of the prior's goes in, (n,);  held : (K,)
    x : the stream;  m : topics listed.   Returns both as they stand after.
    """
    counts, tokens, E, rest = doc
    z, tally, listed, place = chain
    phi, beside = mean
    up_to = np.empty(len(prior), np.float32)
    t = 0
    for i in range(len(E)):
        row = E[i]
        size = counts[i] / np.float32(max(tokens[i], 1))
        for _ in range(tokens[i]):
            k = z[t]
            held[k] -= size
            tally[k] -= 1
            if tally[k] == 0:  # off the list: the last one takes its place
                m -= 1
                held[k] = 0.0
                listed[place[k]] = listed[m]
                place[listed[m]] = place[k]
                place[k] = -1
            known = np.float32(0.0)
            for j in range(m):
                known += held[listed[j]] * row[listed[j]]
                up_to[j] = known
            total = known + rest[i]
            if part > 0.0:
                share = part / (total * np.float32(tokens[i]))
                beside[i] += share
                for j in range(m):
                    phi[i, listed[j]] += held[listed[j]] * row[listed[j]] * share
            x = _next(x)
            u = _unit(x) * total
            if u < known:
                j = 0
                while u >= up_to[j]:
                    j += 1
                k = listed[j]
            else:
                k = _draw_prior(prior, row, u - known)
                if place[k] < 0:
                    listed[m], place[k] = k, m
                    m += 1
            z[t] = k
            tally[k] += 1
            held[k] += size
            t += 1
    return x, m


@compiled
def sample(doc: Array, chain: Array, mean: Array, prior: Array, held: Array, sweeps: Array, x: Any) -> None:
    """Mean responsibilities φ of one document's words over sweeps of Gibbs sampling, and where these end.

    sweeps : those to forget, those to keep;  held : (K,), λ to start with, then tokens of each topic in the last sample
    """
    E, (phi, beside) = doc[2], mean
    x = _begin(doc, chain, prior, held, x)
    m = _list_topics(chain)
    for i in range(len(E)):
        beside[i] = 0.0
        for k in range(len(prior)):
            phi[i, k] = 0.0
    for sweep in range(sweeps[0] + sweeps[1]):
        part = ONE / np.float32(sweeps[1]) if sweep >= sweeps[0] else np.float32(0.0)
        x, m = _sweep(doc, chain, mean, prior, held, part, x, m)
    for i in range(len(E)):
        for k in range(len(prior)):
            phi[i, k] += beside[i] * prior[k] * E[i, k]
