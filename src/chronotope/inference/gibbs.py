"""Collapsed Gibbs sampling of the topics of one document's tokens, θ integrated out; v = v_i is the word of token i.

    p(k_i = k | the other tokens) ∝ (α_k + Σ_{i'≠i} 1[k_i' = k]) E_vk,        E_vk ∝ exp(m_kv + s_kv/2 − log ζ_k)

A document has few topics, so the sum over k has two parts: over the topics of the other tokens, which are few, and over
the prior, Σ_k α_k E_vk, which does not change during the sweeps.    [Yao, Mimno, McCallum 2009]

In this module W is the number of distinct words of the document. Arrays come in tuples:
doc : counts n_v (W,), tokens (W,) sampled of each word, E (W, K), rest (W,) = Σ_k α_k E_vk
chain : topic (tokens,) k_i of each token, tally (K,) tokens of each topic, listed (K,) the topics with tokens, and
    place (K,) of each topic in this list, −1 if it has no tokens
mean : φ (W, K), beside (W,) factor of the prior's part of φ
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from chronotope._typing import Array

TOKENS = 16  # maximum number of sampled tokens per word of a document; of more, each has a larger weight
ONE = np.float32(1.0)
UNIT = np.float32(2.0**-24)

compiled = njit(cache=True, error_model="numpy", fastmath={"reassoc", "contract"})


@compiled
def stream(seed: int, number: int) -> Any:
    """State x of a document's stream of random numbers, from seed and number of the document (splitmix)."""
    x = np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(number + 1) * np.uint64(0xD1342543DE82EF95)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (x ^ (x >> np.uint64(31))) | np.uint64(1)


@compiled
def _next(x: Any) -> Any:
    """Next state of the stream (xorshift):  x ← x ⊕ x≪13,  x ← x ⊕ x≫7,  x ← x ⊕ x≪17."""
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    return x


@compiled
def _unit(x: Any) -> Any:
    """The state as a number in [0, 1):  ⌊x / 2⁴⁰⌋ / 2²⁴."""
    return np.float32(x >> np.uint64(40)) * UNIT


@compiled
def _initialise(doc: Array, chain: Array, prior: Array, held: Array, x: Any) -> Any:
    """Initial topics of all tokens, and `rest`.

        p(k_i = k) ∝ λ_k E_vk,        rest_v = Σ_k α_k E_vk

    prior : (K,) α;  held : (K,) λ at the start, overwritten by the tokens of each topic;  x : stream.  Returns x.
    """
    counts, tokens, E, rest = doc
    topic, tally, _, _ = chain
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
            topic[t] = k
            tally[k] += 1
            held[k] += counts[i] / tokens[i]
            t += 1
    return x


@compiled
def _list_topics(chain: Array) -> int:
    """List the topics of the document, {k : tally_k > 0}, and their places in the list.  Returns their number."""
    _, tally, listed, place = chain
    n_listed = 0
    for k in range(len(tally)):
        place[k] = -1
        if tally[k] > 0:
            listed[n_listed], place[k] = k, n_listed
            n_listed += 1
    return n_listed


@compiled
def _draw_prior(prior: Array, likelihood: Array, u: Any) -> int:
    """The smallest k with Σ_{k'≤k} α_k' E_vk' > u.   prior : (K,) α;  likelihood : (K,) E_v."""
    last = len(prior) - 1
    for k in range(last):
        u -= prior[k] * likelihood[k]
        if u < 0.0:
            return k
    return last


@compiled
def _sweep(
    doc: Array, chain: Array, mean: Array, prior: Array, held: Array, part: Any, x: Any, n_listed: int
) -> tuple[Any, int]:
    """One sweep: draw the topic of every token, and add its probabilities, times `part`, to the mean φ.

        k_i ~ p(k_i = k | the other tokens) ∝ (α_k + Σ_{i'≠i} 1[k_i' = k]) E_vk

    held : (K,) tokens of each topic, Σ_i 1[k_i = k] with weights;  part : 1 / kept sweeps, 0 during burn-in
    x : stream;  n_listed : topics in the list.  Returns both, updated.
    """
    counts, tokens, E, rest = doc
    topic, tally, listed, place = chain
    phi, beside = mean
    up_to = np.empty(len(prior), np.float32)
    t = 0
    for i in range(len(E)):
        row = E[i]
        size = counts[i] / np.float32(max(tokens[i], 1))
        for _ in range(tokens[i]):
            k = topic[t]
            held[k] -= size
            tally[k] -= 1
            if tally[k] == 0:  # remove it from the list: the last one takes its place
                n_listed -= 1
                held[k] = 0.0
                listed[place[k]] = listed[n_listed]
                place[listed[n_listed]] = place[k]
                place[k] = -1
            known = np.float32(0.0)
            for j in range(n_listed):
                known += held[listed[j]] * row[listed[j]]
                up_to[j] = known
            total = known + rest[i]
            if part > 0.0:
                share = part / (total * np.float32(tokens[i]))
                beside[i] += share
                for j in range(n_listed):
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
                    listed[n_listed], place[k] = k, n_listed
                    n_listed += 1
            topic[t] = k
            tally[k] += 1
            held[k] += size
            t += 1
    return x, n_listed


@compiled
def sample(doc: Array, chain: Array, mean: Array, prior: Array, held: Array, sweeps: Array, x: Any) -> None:
    """Responsibilities of one document's words by Gibbs sampling.

        φ_vk = mean of p(k_i = k | the other tokens) over the tokens i of word v and the kept sweeps

    mean : φ and beside, filled;  prior : (K,) α;  held : (K,) λ at the start, then tokens of each topic at the end
    sweeps : (burn-in sweeps, kept sweeps);  x : stream
    """
    E, (phi, beside) = doc[2], mean
    x = _initialise(doc, chain, prior, held, x)
    n_listed = _list_topics(chain)
    for i in range(len(E)):
        beside[i] = 0.0
        for k in range(len(prior)):
            phi[i, k] = 0.0
    for sweep in range(sweeps[0] + sweeps[1]):
        part = ONE / np.float32(sweeps[1]) if sweep >= sweeps[0] else np.float32(0.0)
        x, n_listed = _sweep(doc, chain, mean, prior, held, part, x, n_listed)
    for i in range(len(E)):
        for k in range(len(prior)):
            phi[i, k] += beside[i] * prior[k] * E[i, k]
