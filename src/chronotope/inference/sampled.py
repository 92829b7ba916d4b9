"""The sampled local step: statistics of documents whose tokens' topics are drawn, their topic shares integrated out."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit, prange

from chronotope.inference.arithmetic import entropies, exponentials
from chronotope.inference.documents import Documents, Statistics, at_nodes, cut
from chronotope.inference.gibbs import TOKENS, compiled, sample, stream

Array = Any  # arrays of compiled code: shapes in the docstrings
BLOCK = 64  # words turned around at a time: they stay in the cache


@compiled
def _read(words: Array, left: int, weight: Array, table: Array, E: Array, bits: Array) -> None:
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
    exponentials(E.reshape(E.size), bits)


@compiled
def _document_bound(counts: Array, phi: Array, alpha: Array, lam: Array, bits: Array) -> float:
    """The document's part of the ELBO with these φ, but for Σ_w n_w Σ_k φ_wk (m_kw − log ζ_k);  phi is used up.

    log Γ(α_0) − log Γ(λ_0) + Σ_k [log Γ(λ_k) − log Γ(α_k)] − Σ_w n_w Σ_k φ_wk log φ_wk
    """
    bound = math.lgamma(alpha.sum()) - math.lgamma(lam.sum())
    for k in range(len(lam)):
        bound += math.lgamma(lam[k]) - math.lgamma(alpha[k])
    entropies(phi.reshape(phi.size), bits)
    for i in range(len(counts)):
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
    """Scratch for the longest of some documents: counts, tokens, E, rest; z; φ, beside; bits."""
    indptr, data = docs[0], docs[2]
    n, most = 1, 1
    for d in range(first, last):
        tokens = 0
        for i in range(indptr[d], indptr[d + 1]):
            tokens += min(math.ceil(data[i]), TOKENS)
        n, most = max(n, indptr[d + 1] - indptr[d]), max(most, tokens)
    doc = np.empty(n, np.float32), np.empty(n, np.int64), np.empty((n, K), np.float32), np.empty(n, np.float32)
    return (
        doc,
        np.empty(most, np.int64),
        (np.empty((n, K), np.float32), np.empty(n, np.float32)),
        np.empty(n * K, np.int32),
    )


@njit(cache=True, parallel=True, error_model="numpy")
def _infer(docs: Array, tasks: Array, table: Array, alpha: Array, chance: Array, lam: Array, out: Array) -> None:
    """All documents of a batch; every task owns its rows of the outputs.

    tasks : (first document of each task and the end, first row of each task in the statistics and the end)
    chance : (seed, sweeps to forget, sweeps to keep);  out : (bound (D,), n (rows, V, K), N (rows, K)), filled
    """
    indptr, indices, data, left, weight = docs
    starts, rows = tasks
    bound, n, N = out
    K = len(alpha)
    prior = alpha.astype(np.float32)
    for task in prange(len(starts) - 1):
        (count, token, likelihood, beside), z, (share, spread), bits = _make_room(
            docs, starts[task], starts[task + 1], K
        )
        held, own = np.empty(K, np.float32), np.empty(K)
        chain = z, np.empty(K, np.int64), np.empty(K, np.int64), np.empty(K, np.int64)
        for d in range(starts[task], starts[task + 1]):
            words, size = indices[indptr[d] : indptr[d + 1]], indptr[d + 1] - indptr[d]
            counts, E, phi = count[:size], likelihood[:size], share[:size]
            counts[:] = data[indptr[d] : indptr[d + 1]]
            held[:] = lam[d]
            _read(words, left[d], weight[d], table, E, bits[: E.size])
            doc = counts, token[:size], E, beside[:size]
            sample(doc, chain, (phi, spread[:size]), prior, held, chance[1:], stream(chance[0], d))
            own[:] = alpha
            for i in range(size):
                for k in range(K):
                    own[k] += counts[i] * phi[i, k]
            lam[d] = alpha + held
            row = rows[task] + left[d] - left[starts[task]]
            _add_counts(words, counts, phi, weight[d], n[row : row + 2])
            for side in range(2):
                N[row + side] += weight[d, side] * (own - alpha)
            bound[d] = _document_bound(counts, phi, alpha, own, bits[: E.size])


@njit(cache=True, parallel=True)
def _turn(logits: Array, log_zeta: Array, table: Array) -> None:
    """table[j, v, k] = logits[j, k, v] − log ζ[j, k]."""
    J, K, V = logits.shape
    blocks = -(-V // BLOCK)
    for task in prange(J * blocks):
        j, first = task // blocks, (task % blocks) * BLOCK
        for k in range(K):
            for v in range(first, min(first + BLOCK, V)):
                table[j, v, k] = logits[j, k, v] - log_zeta[j, k]


@njit(cache=True, parallel=True)
def _gather(first: Array, rows: Array, n: Array, out: Array) -> None:
    """out[j, k, v] = Σ_tasks n[row of node j, v, k], in order: the sums are the same on any machine."""
    J, K, V = out.shape
    blocks = -(-V // BLOCK)
    for task in prange(J * blocks):
        j, start = task // blocks, (task % blocks) * BLOCK
        end = min(start + BLOCK, V)
        out[j, :, start:end] = 0.0
        for i in range(len(first)):
            if first[i] <= j < first[i] + rows[i + 1] - rows[i]:
                source = n[rows[i] + j - first[i]]
                for k in range(K):
                    for v in range(start, end):
                        out[j, k, v] += source[v, k]


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
    counts = np.empty((J, K, V), logits.dtype)
    _gather(docs.left[starts[:-1]], rows, n, counts)
    totals = at_nodes(docs, (starts, rows), N, J)
    return Statistics(counts, totals, float((bound - docs.slack * docs.lengths).sum()))
