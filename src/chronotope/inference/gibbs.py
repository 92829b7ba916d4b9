"""Collapsed Gibbs sampling of the topics of one document's tokens, θ integrated out; v = v_i is the word of token i.

    p(k_i = k | the other tokens) ∝ (α_k + Σ_{i'≠i} 1[k_i' = k]) E_vk,        E_vk = exp(m_kv + s_kv/2 − log ζ_k)

The topics were learned from the documents whose tokens they now classify. A document with n_k tokens in topic k, c of
them of word v, raises the logit m_kv by about (c − n_k E_vk) s_kv, since ∂m/∂n = s. So E_vk is multiplied by
(1 − c s_kv) (1 + n_k E_vk s_kv): each document is classified by the topics that the others give. Without this, tokens
stay where they are, and words that a single document repeats make topics of their own.

In this module W is the number of distinct words of the document. Arrays over topics are padded, see `lanes`; they come
in tuples:
doc : words (W,) columns, counts n_v (W,), tokens (W,) sampled of each word, E and rows (W,) with E_v in row rows_i
at : left, w₀, w₁, the document's node and its weights
chain : topic (tokens,) k_i;  held (K,) α_k + Σ_i 1[k_i = k] with the weights of the tokens
scratch : row, mine (K,), and sums, one for each eight topics
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from chronotope._typing import Array
from chronotope.inference.lanes import LANES, add_product, dot, mix
from chronotope.loops import FAST, inlined, inner

TOKENS = 256  # maximum number of sampled tokens per word of a document; of more, each has a larger weight
LEAST = np.float32(0.02)  # least part of E that is left without the document's own counts
NOTHING = np.float32(0.0)
ONE = np.float32(1.0)
UNIT = np.float32(2.0**-24)

compiled = inner(fastmath=FAST)


@inlined
def stream(seed: int, number: int) -> Any:
    """State x of a document's stream of random numbers, from seed and number of the document (splitmix)."""
    x = np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(number + 1) * np.uint64(0xD1342543DE82EF95)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (x ^ (x >> np.uint64(31))) | np.uint64(1)


@inlined
def next_state(x: Any) -> Any:
    """Next state of the stream (xorshift):  x ← x ⊕ x≪13,  x ← x ⊕ x≫7,  x ← x ⊕ x≪17."""
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    return x


@inlined
def unit(x: Any) -> Any:
    """The state as a number in [0, 1):  ⌊x / 2⁴⁰⌋ / 2²⁴."""
    return np.float32(x >> np.uint64(40)) * UNIT


@compiled
def _weigh(weights: Array, row: Array, sums: Array) -> Any:
    """Σ_k weights_k row_k, and its parts of eight topics each.   weights, row : (K,);  sums : filled."""
    total = NOTHING
    for c in range(len(sums)):
        sums[c] = dot(weights, row, c * LANES)
        total += sums[c]
    return total


@compiled
def _search(weights: Array, row: Array, sums: Array, skip: Any, u: Any) -> int:
    """The smallest k with Σ_{k'≤k, k'≠skip} weights_k' row_k' > u, or the last one.   sums : without that of `skip`."""
    below, before, chunk = NOTHING, NOTHING, 0
    for c in range(len(sums) - 1):
        below += sums[c]
        if below <= u:
            before, chunk = below, c + 1
    below, first, passed = before, chunk * LANES, 0
    for k in range(first, first + LANES - 1):  # without branches: which topic is drawn cannot be predicted
        below += NOTHING if k == skip else weights[k] * row[k]
        passed += below <= u
    return first + passed


@compiled
def start_chain(doc: Array, chain: Array, K: int, scratch: Array, x: Any) -> Any:
    """First topics of all tokens, from uniform shares:  p(k_i = k) ∝ E_vk.   Fills the chain's topics; returns x."""
    _, _, tokens, E, rows = doc
    topic, (ones, _, sums), t = chain[0], scratch, 0
    for k in range(len(ones)):
        ones[k] = ONE
    for i in range(len(rows)):
        row = E[rows[i]]
        total = _weigh(ones, row, sums)
        for _ in range(tokens[i]):
            x = next_state(x)
            topic[t] = min(_search(ones, row, sums, -1, unit(x) * total), K - 1)
            t += 1
    return x


@compiled
def _left(spread: Array, at: Array, word: int, k: Any, size: Any) -> Any:
    """The part of E_vk that is left without so many tokens of topic k:  1 − s_kv · size, s at the document's time."""
    left, w0, w1 = at
    s = w0 * spread[left, word, k]
    if w1 > NOTHING:
        s += w1 * spread[left + 1, word, k]
    return max(ONE - s * size, LEAST)


@compiled
def _leave_out(full: Array, topic: Array, size: Any, at: Array, spread: Array, word: int, scratch: Array) -> Array:
    """E_v without the document's own tokens of a word that has several of them, and `mine`, how many each topic has.

    full : (K,) E_v;  topic : (n,) those of the word's tokens;  size : weight of a token
    """
    row, mine, sums = scratch
    for c in range(len(sums)):
        mix(row, full, full, ONE, NOTHING, c * LANES)
        mix(mine, full, full, NOTHING, NOTHING, c * LANES)
    for t in range(len(topic)):
        mine[topic[t]] += size
    for t in range(len(topic)):
        k = np.int64(topic[t])
        row[k] = full[k] * _left(spread, at, word, k, mine[k])
    return row


@compiled
def _move(full: Array, topics: Array, size: Any, at: Array, spread: Array, word: int, scratch: Array) -> None:
    """What `_leave_out` left, after a token moved from one topic to another."""
    row, mine, _ = scratch
    mine[topics[0]] -= size
    mine[topics[1]] += size
    for k in topics:
        row[k] = full[k] * _left(spread, at, word, k, mine[k])


@compiled
def sweep(
    doc: Array, at: Array, spread: Array, chain: Array, prior: Array, phi: Array, part: Any, scratch: Array, x: Any
) -> tuple[Any, float]:
    """One sweep: draw the topic of every token, and add the probabilities that it was drawn from to φ.

        k_i ~ p(k_i = k | the other tokens),        φ_vk += part · mean over the tokens i of word v

    spread : (J, V, K) s;  prior : (K,) α, not padded;  x : stream
    phi : (W, K), updated;  part : 1 / kept sweeps, 0 during burn-in
    Returns x, and Σ_i log Σ_k p(k_i = k | the other tokens) before it is normalised, with the weights of the tokens.
    """
    words, counts, tokens, E, rows = doc
    topic, held = chain
    last, t, logs, sums = len(prior) - 1, 0, 0.0, scratch[2]
    for i in range(len(rows)):
        full, mean, several = E[rows[i]], phi[i], tokens[i] > 1
        size = counts[i] / np.float32(tokens[i]) if several else counts[i]
        row = _leave_out(full, topic[t : t + tokens[i]], size, at, spread, words[i], scratch) if several else full
        for _ in range(tokens[i]):
            old = np.int64(topic[t])
            total = _weigh(held, row, sums)
            own = held[old] * row[old]
            stay = max(held[old] - size, np.float32(prior[old])) * row[old]  # the token itself is not among the others
            if not several:
                stay *= _left(spread, at, words[i], old, size)
            total -= own - stay
            if part > NOTHING:
                logs += size * math.log(total)
                share = part / (total * np.float32(tokens[i]))
                for c in range(len(sums)):
                    add_product(mean, held, row, share, c * LANES)
                mean[old] = max(mean[old] - (own - stay) * share, NOTHING)
            x = next_state(x)
            u = unit(x) * total
            if u >= stay:  # else the topic stays what it is
                sums[old // LANES] -= own
                new = min(_search(held, row, sums, old, u - stay), last)
                topic[t] = new
                held[old] -= size
                held[new] += size
                if several:
                    _move(full, (old, new), size, at, spread, words[i], scratch)
            t += 1
    return x, logs


@inlined
def count_tokens(counts: Array, tokens: Array) -> int:
    """How many tokens of each word are sampled, filled; returns their sum.   counts : (W,);  tokens : (W,)."""
    total = 0
    for i in range(len(counts)):
        tokens[i] = min(math.ceil(counts[i]), TOKENS)
        total += tokens[i]
    return total


@compiled
def hold_tokens(doc: Array, topic: Array, held: Array) -> None:
    """held_k = Σ_i 1[k_i = k], each token with its weight.   topic : (tokens,);  held : (K,), filled."""
    counts, tokens, t = doc[1], doc[2], 0
    for k in range(len(held)):
        held[k] = NOTHING
    for i in range(len(counts)):
        for _ in range(tokens[i]):
            held[topic[t]] += counts[i] / np.float32(tokens[i])
            t += 1


@compiled
def leave_totals(doc: Array, at: Array, spread: Array, chain: Array, out: Array) -> None:
    """E_vk (1 + s_kv n_k E_vk) of the document's words: E without its n_k tokens in the total of each topic.

    out : (W, K), filled; what is left out of a topic's total at most doubles E. The document's rows are then 0, 1, …
    """
    words, _, _, E, rows = doc
    left, w0, w1 = at
    topic, held = chain
    hold_tokens(doc, topic, held)
    after = left + 1 if w1 > NOTHING else left
    for i in range(len(rows)):
        row, s0, s1 = E[rows[i]], spread[left, words[i]], spread[after, words[i]]
        for k in range(len(held)):
            out[i, k] = row[k] * (ONE + min((w0 * s0[k] + w1 * s1[k]) * held[k] * row[k], ONE))
        rows[i] = i
