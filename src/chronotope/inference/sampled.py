"""The sampled local step: statistics of documents whose tokens' topics are drawn, their topic shares integrated out."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit, prange

from chronotope._typing import Array
from chronotope.inference.documents import Documents, Statistics, at_nodes, cut
from chronotope.inference.gibbs import TOKENS, compiled, sample, stream
from chronotope.inference.simd import entropies, exponentials

BLOCK = 64  # words turned around at a time: they stay in the cache


@compiled
def _read(words: Array, left: int, weight: Array, table: Array, E: Array) -> None:
    """E_wk ∝ π_kw(τ) of one document's words, the largest of each word 1, (n, K), filled.   table : (J, V, K) log π."""
    n, K = E.shape
    w0, w1 = np.float32(weight[0]), np.float32(weight[1])
    for i in range(n):
        row, before = E[i], table[left, words[i]]
        if w1 == 0.0:
            for k in range(K):
                row[k] = w0 * before[k]
        else:
            after = table[left + 1, words[i]]
            for k in range(K):
                row[k] = w0 * before[k] + w1 * after[k]
        top = row[0]
        for k in range(1, K):
            top = max(top, row[k])
        for k in range(K):
            row[k] -= top
        exponentials(row)


@compiled
def _document_bound(counts: Array, phi: Array, alpha: Array, lam: Array) -> float:
    """The document's part of the ELBO with these φ, but for Σ_w n_w Σ_k φ_wk (m_kw − log ζ_k);  phi is used up.

    log Γ(α_0) − log Γ(λ_0) + Σ_k [log Γ(λ_k) − log Γ(α_k)] − Σ_w n_w Σ_k φ_wk log φ_wk
    """
    bound, alpha_0, lam_0 = 0.0, 0.0, 0.0
    for k in range(len(lam)):
        alpha_0, lam_0 = alpha_0 + alpha[k], lam_0 + lam[k]
        bound += math.lgamma(lam[k]) - math.lgamma(alpha[k])
    bound += math.lgamma(alpha_0) - math.lgamma(lam_0)
    for i in range(len(counts)):
        entropies(phi[i])
        entropy = np.float32(0.0)
        for k in range(len(lam)):
            entropy += phi[i, k]
        bound += counts[i] * entropy
    return bound


@compiled
def _add_counts(words: Array, counts: Array, phi: Array, weight: Array, n: Array) -> None:
    """The document's expected counts at the nodes on both of its sides.   n : (2, V, K)."""
    for side in range(len(n)):
        if weight[side] == 0.0:
            continue
        for i in range(len(words)):
            target, source, size = n[side, words[i]], phi[i], np.float32(weight[side]) * counts[i]
            for k in range(len(source)):
                target[k] += size * source[k]


@compiled
def _make_room(docs: Array, first: int, last: int, K: int) -> Any:
    """Scratch for the longest of some documents: a document, a chain (see `gibbs`), φ and beside, α."""
    indptr, data = docs[0], docs[2]
    n, most = 1, 1
    for d in range(first, last):
        tokens = 0
        for i in range(indptr[d], indptr[d + 1]):
            tokens += min(math.ceil(data[i]), TOKENS)
        n, most = max(n, indptr[d + 1] - indptr[d]), max(most, tokens)
    doc = np.empty(n, np.float32), np.empty(n, np.int64), np.empty((n, K), np.float32), np.empty(n, np.float32)
    chain = np.empty(most, np.int64), np.empty(K, np.int64), np.empty(K, np.int64), np.empty(K, np.int64)
    mean = np.empty((n, K), np.float32), np.empty(n, np.float32)
    return doc, chain, mean, np.empty(K, np.float32)


@compiled
def _visit(docs: Array, d: int, table: Array, alpha: Array, chance: Array, held: Array, room: Array) -> None:
    """Mean responsibilities of document d, left in the room, and λ − α of its last sample in held, (K,), from λ."""
    indptr, indices, data, left, weight = docs
    (counts, tokens, E, rest), chain, mean, prior = room
    first, size = indptr[d], indptr[d + 1] - indptr[d]
    for i in range(size):
        counts[i] = data[first + i]
    for k in range(len(alpha)):
        prior[k] = alpha[k]
    _read(indices[first : first + size], left[d], weight[d], table, E[:size])
    doc = counts[:size], tokens[:size], E[:size], rest[:size]
    sample(doc, chain, (mean[0][:size], mean[1][:size]), prior, held, chance[1:], stream(chance[0], d))


@compiled
def _infer_some(docs: Array, span: Array, table: Array, alpha: Array, chance: Array, lam: Array, out: Array) -> None:
    """The documents of one task, and their statistics.   span : documents from, to, and row;  out : see `_infer`."""
    indptr, indices, _, left, weight = docs
    bound, n, N = out
    K = len(alpha)
    room = _make_room(docs, span[0], span[1], K)
    counts, phi = room[0][0], room[2][0]
    held, own = np.empty(K, np.float32), np.empty(K)
    for d in range(span[0], span[1]):
        for k in range(K):
            held[k] = lam[d, k]
        _visit(docs, d, table, alpha, chance, held, room)
        size, row = indptr[d + 1] - indptr[d], span[2] + left[d] - left[span[0]]
        words = indices[indptr[d] : indptr[d + 1]]
        for k in range(K):
            lam[d, k], own[k] = alpha[k] + held[k], alpha[k]
        for i in range(size):
            for k in range(K):
                own[k] += counts[i] * phi[i, k]
        _add_counts(words, counts[:size], phi[:size], weight[d], n[row : row + 2])
        for side in range(2):
            for k in range(K):
                N[row + side, k] += weight[d, side] * (own[k] - alpha[k])
        bound[d] = _document_bound(counts[:size], phi[:size], alpha, own)


@njit(cache=True, parallel=True)
def _infer(docs: Array, tasks: Array, table: Array, alpha: Array, chance: Array, lam: Array, out: Array) -> None:
    """All documents of a batch; every task owns its rows of the outputs.

    tasks : (first document of each task and the end, first row of each task in the statistics and the end)
    chance : (seed, sweeps to forget, sweeps to keep);  out : (bound (D,), n (rows, V, K), N (rows, K)), filled
    """
    starts, rows = tasks
    for task in prange(len(starts) - 1):
        _infer_some(docs, (starts[task], starts[task + 1], rows[task]), table, alpha, chance, lam, out)


@compiled
def _turn_block(logits: Array, log_zeta: Array, table: Array, task: Any) -> None:
    J, K, V = logits.shape
    j, first = task % J, (task // J) * BLOCK
    for k in range(K):
        for v in range(first, min(first + BLOCK, V)):
            table[j, v, k] = logits[j, k, v] - log_zeta[j, k]


@njit(cache=True, parallel=True)
def _turn(logits: Array, log_zeta: Array, table: Array) -> None:
    """table[j, v, k] = logits[j, k, v] − log ζ[j, k]."""
    for task in prange(len(logits) * -(-logits.shape[2] // BLOCK)):
        _turn_block(logits, log_zeta, table, np.int64(task))


@compiled
def _gather_block(first: Array, rows: Array, n: Array, out: Array, task: Any) -> None:
    J, K, V = out.shape
    j, start = task % J, (task // J) * BLOCK
    end = min(start + BLOCK, V)
    for i in range(len(first)):
        if first[i] <= j < first[i] + rows[i + 1] - rows[i]:
            source = n[rows[i] + j - first[i]]
            for k in range(K):
                for v in range(start, end):
                    out[j, k, v] += source[v, k]


@njit(cache=True, parallel=True)
def _gather(first: Array, rows: Array, n: Array, out: Array) -> None:
    """out[j, k, v] += Σ_tasks n[row of node j, v, k], in order: the sums are the same on any machine."""
    for task in prange(len(out) * -(-out.shape[2] // BLOCK)):
        _gather_block(first, rows, n, out, np.int64(task))


def sampled_step(
    docs: Documents,
    logits: np.ndarray,
    log_zeta: np.ndarray,
    alpha: np.ndarray,
    lam: np.ndarray,
    seed: int,
    sweeps: tuple[int, int],
) -> Statistics:
    """Topic shares and the statistics the global step needs, by sampling the tokens' topics with θ integrated out.

        p(z_i = k | the others) ∝ (α_k + Σ_{j≠i} 1[z_j = k]) E[π_kw(τ)],   n = Σ n_w φ_w     [Mimno, Hoffman, Blei 2012]

    logits : (J, K, V), m + s/2;  log_zeta : (J, K);  lam : (D, K), from where it stands to that of the last sample
    sweeps : those to forget the start, those that count;  seed : of this step
    `bound` lacks the topics' part, Σ n m − N log ζ. The answer does not depend on the number of threads.
    """
    J, K, V = logits.shape
    starts, rows = cut(docs)
    table = np.empty((J, V, K), np.float32)
    _turn(logits, log_zeta, table)
    bound, n, N = np.zeros(len(docs.left)), np.zeros((rows[-1], V, K), np.float32), np.zeros((rows[-1], K))
    _infer(docs.loops, (starts, rows), table, alpha, (seed, *sweeps), lam, (bound, n, N))
    counts = np.zeros((J, K, V), logits.dtype)
    _gather(docs.left[starts[:-1]], rows, n, counts)
    totals = at_nodes(docs, (starts, rows), N, J)
    return Statistics(counts, totals, float((bound - docs.slack * docs.lengths).sum()))
