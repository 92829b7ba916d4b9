"""Collapsed Gibbs sampling of the topics of one document's tokens, θ integrated out; v = v_i is the word of token i.

    p(k_i = k | the other tokens) ∝ (α_k + Σ_{i'≠i} 1[k_i' = k]) E_vk,        E_vk ∝ exp(m_kv + s_kv/2 − log ζ_k)

The topics were learned from the tokens that they now classify. A token adds its weight to n_kv of its topic k, which
raises the logit m_kv by s_kv, since ∂m/∂n = s. So E_vk of the topic that the token was in is multiplied by 1 − s_kv:
each token is classified by the topics that the others give. Without this, tokens stay where they are.

In this module W is the number of distinct words of the document. Arrays come in tuples:
doc : words (W,) columns, counts n_v (W,), tokens (W,) sampled of each word, E (W, K)
at : left, w₀, w₁, the document's node and its weights
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from chronotope._typing import Array
from chronotope.inference.simd import sum_between

TOKENS = 16  # maximum number of sampled tokens per word of a document; of more, each has a larger weight
CHUNK = 16  # topics whose probabilities are added together
LEAST = np.float32(0.02)  # least part of E that is left without the token's own count
NOTHING = np.float32(0.0)
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
def next_state(x: Any) -> Any:
    """Next state of the stream (xorshift):  x ← x ⊕ x≪13,  x ← x ⊕ x≫7,  x ← x ⊕ x≪17."""
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    return x


@compiled
def unit(x: Any) -> Any:
    """The state as a number in [0, 1):  ⌊x / 2⁴⁰⌋ / 2²⁴."""
    return np.float32(x >> np.uint64(40)) * UNIT


@compiled
def _search(p: Array, u: Any) -> int:
    """The smallest k with Σ_{k'≤k} p_k' > u, or the last one."""
    K, k = len(p), 0
    while k + CHUNK < K:
        part = sum_between(p, k, k + CHUNK)
        if u < part:
            break
        u -= part
        k += CHUNK
    while k < K - 1:
        u -= p[k]
        if u < NOTHING:
            break
        k += 1
    return k


@compiled
def start_chain(doc: Array, topic: Array, p: Array, x: Any) -> Any:
    """First topics of all tokens, from uniform shares:  p(k_i = k) ∝ E_vk.   topic : (tokens,), filled.  Returns x."""
    _, _, tokens, E = doc
    t = 0
    for i in range(len(E)):
        total = sum_between(E[i], 0, len(p))
        for _ in range(tokens[i]):
            x = next_state(x)
            topic[t] = _search(E[i], unit(x) * total)
            t += 1
    return x


@compiled
def _own_part(spread: Array, at: Array, word: int, k: Any, size: Any) -> Any:
    """The part of E_vk that is left without a token of topic k:  1 − s_kv · size, with s at the document's time."""
    left, w0, w1 = at
    s = w0 * spread[left, word, k]
    if w1 > NOTHING:
        s += w1 * spread[left + 1, word, k]
    return max(ONE - s * size, LEAST)


@compiled
def sweep(
    doc: Array, at: Array, spread: Array, chain: Array, prior: Array, phi: Array, part: Any, x: Any
) -> tuple[Any, float]:
    """One sweep: draw the topic of every token, and add the probabilities that it was drawn from to φ.

        k_i ~ p(k_i = k | the other tokens),        φ_vk += part · mean over the tokens i of word v

    spread : (J, V, K) s;  prior : (K,) α;  phi : (W, K), updated;  part : 1 / kept sweeps, 0 during burn-in
    chain : topic (tokens,) k_i, held (K,) Σ_i 1[k_i = k] with weights, p (K,) scratch;  x : stream
    Returns x, and Σ_i log Σ_k p(k_i = k | the other tokens) before it is normalised, with the weights of the tokens.
    """
    words, counts, tokens, E = doc
    topic, held, p = chain
    K, t, logs = len(prior), 0, 0.0
    for i in range(len(E)):
        row, mean = E[i], phi[i]
        size = counts[i] / np.float32(max(tokens[i], 1))
        for _ in range(tokens[i]):
            old = np.int64(topic[t])
            held[old] -= size
            for k in range(K):
                p[k] = (prior[k] + held[k]) * row[k]
            p[old] *= _own_part(spread, at, words[i], old, size)
            total = sum_between(p, 0, K)
            if part > NOTHING:
                logs += size * math.log(total)
                share = part / (total * np.float32(tokens[i]))
                for k in range(K):
                    mean[k] += p[k] * share
            x = next_state(x)
            new = _search(p, unit(x) * total)
            topic[t] = new
            held[new] += size
            t += 1
    return x, logs


@compiled
def count_tokens(counts: Array, tokens: Array) -> int:
    """How many tokens of each word are sampled, filled; returns their sum.   counts : (W,);  tokens : (W,)."""
    total = 0
    for i in range(len(counts)):
        tokens[i] = min(math.ceil(counts[i]), TOKENS)
        total += tokens[i]
    return total


@compiled
def hold_tokens(doc: Array, topic: Array, held: Array) -> None:
    """held_k += Σ_i 1[k_i = k], each token with its weight.   topic : (tokens,);  held : (K,), updated."""
    _, counts, tokens, _ = doc
    t = 0
    for i in range(len(counts)):
        for _ in range(tokens[i]):
            held[topic[t]] += counts[i] / np.float32(tokens[i])
            t += 1
