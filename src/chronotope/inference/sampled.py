"""The sampled local step: statistics of documents whose tokens' topics are drawn by Gibbs sampling, θ integrated out.

The letters are those of `gibbs`. Tables of topics and statistics have the topics innermost here, (J, V, K).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit, prange

from chronotope._typing import Array, Floats, Values
from chronotope.inference.chains import Chains
from chronotope.inference.documents import Documents, Statistics, cut_tasks, sum_at_nodes
from chronotope.inference.gibbs import (
    ONE,
    compiled,
    count_tokens,
    hold_tokens,
    next_state,
    start_chain,
    stream,
    sweep,
    unit,
)
from chronotope.inference.simd import entropies, exponentials

FRESH = 4  # least number of burn-in sweeps of chains that start
BLOCK = 64  # words transposed at a time: they fit in the cache


class TopicTables(NamedTuple):
    """Topics at the nodes.   logits, s : (J, K, V) m + s/2, and variances;  log_zeta : (J, K)."""

    logits: Values
    s: Values
    log_zeta: Floats


@compiled
def _likelihoods(words: Array, counts: Array, left: int, weight: Array, table: Array, E: Array) -> float:
    """E_vk ∝ exp(m_kv + s_kv/2 − log ζ_k) at the document's time, with max_k E_vk = 1.

        E_vk = exp(x_vk − max_k' x_vk'),        x_vk = w₀ table_jvk + w₁ table_{j+1,vk}

    words : (W,) columns;  counts : (W,) n;  left : j;  weight : (2,) w;  table : (J, V, K) m + s/2 − log ζ
    E : (W, K), filled.  Returns Σ_v n_v max_k x_vk.
    """
    n, K = E.shape
    tops = 0.0
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
        tops += counts[i] * top
    return tops


@compiled
def _document_bound(counts: Array, phi: Array, alpha: Array, lam: Array) -> float:
    """The document's part of the ELBO for given φ and λ, without the term Σ_v n_v Σ_k φ_vk (m_kv − log ζ_k).

        log Γ(α_0) − log Γ(λ_0) + Σ_k [log Γ(λ_k) − log Γ(α_k)] − Σ_v n_v Σ_k φ_vk log φ_vk

    counts : (W,) n;  phi : (W, K), overwritten;  alpha, lam : (K,)
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
    """n_kv(z_j) += w_j n_dv φ_dvk at both nodes around document d.   phi : (W, K);  weight : w (2,);  n : (2, V, K)."""
    for side in range(len(n)):
        if weight[side] == 0.0:
            continue
        for i in range(len(words)):
            target, source, size = n[side, words[i]], phi[i], np.float32(weight[side]) * counts[i]
            for k in range(len(source)):
                target[k] += size * source[k]


@compiled
def _allocate(docs: Array, first: int, last: int, K: int) -> Any:
    """Scratch arrays for the longest document from first to last: counts, tokens, E, φ; then held, p and α, (K,)."""
    indptr, n = docs[0], 1
    for d in range(first, last):
        n = max(n, indptr[d + 1] - indptr[d])
    words = np.empty(n, np.float32), np.empty(n, np.int64), np.empty((n, K), np.float32), np.empty((n, K), np.float32)
    return words, (np.empty(K, np.float32), np.empty(K, np.float32), np.empty(K, np.float32))


@compiled
def _sample_document(
    docs: Array, d: int, tables: Array, alpha: Array, chains: Array, sampling: Array, scratch: Array
) -> float:
    """φ_vk of document d by Gibbs sampling, and the tokens of each topic in the last sample, left in `scratch`.

        φ_vk = mean of p(k_i = k | the other tokens) over the tokens i of word v and the kept sweeps

    Returns Σ_i log p(v_i | all other tokens), the mean over the kept sweeps.

    tables : see `_infer`;  chains : topic, first, started;  sampling : see `_infer`
    """
    indptr, indices, data, left, weight = docs
    (counts, tokens, E, phi), (held, p, prior) = scratch
    topic, first, started = chains
    start, size = indptr[d], indptr[d + 1] - indptr[d]
    words, counts, tokens, E = indices[start : start + size], counts[:size], tokens[:size], E[:size]
    for i in range(size):
        counts[i] = data[start + i]
        for k in range(len(alpha)):
            phi[i, k] = 0.0
    total = count_tokens(counts, tokens)
    own = topic[first[d] : first[d] + total]
    tops = _likelihoods(words, counts, left[d], weight[d], tables[0], E)
    doc, x = (words, counts, tokens, E), next_state(stream(sampling[0], d))
    fresh = not started[d] or unit(x) < sampling[3]
    if fresh:
        x = start_chain(doc, own, p, x)
    for k in range(len(alpha)):
        prior[k], held[k] = alpha[k], 0.0
    hold_tokens(doc, own, held)
    predicted = 0.0
    known = np.float32(0.0 if fresh else 1.0)  # topics that are drawn anew have no part in the statistics yet
    at, spread = (left[d], known * np.float32(weight[d, 0]), known * np.float32(weight[d, 1])), tables[1]
    burn_in = max(sampling[1], FRESH) if fresh else sampling[1]
    for s in range(burn_in + sampling[2]):
        part = ONE / np.float32(sampling[2]) if s >= burn_in else np.float32(0.0)
        x, logs = sweep(doc, at, spread, (own, held, p), prior, phi[:size], part, x)
        predicted += logs * float(part)
    started[d] = True
    length, alpha_0 = counts.sum(), alpha.sum()
    for i in range(size):
        predicted -= counts[i] * math.log(max(alpha_0 + length - counts[i] / max(tokens[i], 1), 1e-12))
    return predicted + tops


@compiled
def _infer_task(
    docs: Array, span: Array, tables: Array, alpha: Array, chains: Array, sampling: Array, lam: Array, out: Array
) -> None:
    """The documents of one task, and their statistics; see `_infer`.

        λ_dk = α_k + Σ_i 1[k_i = k] of the last sample,        N_k(z_j) += w_j Σ_v n_dv φ_dvk

    span : first document, end, first row of statistics
    """
    indptr, indices, _, left, weight = docs
    bound, predicted, n, N = out
    K = len(alpha)
    scratch = _allocate(docs, span[0], span[1], K)
    counts, phi, held, own = scratch[0][0], scratch[0][3], scratch[1][0], np.empty(K)
    for d in range(span[0], span[1]):
        predicted[d] = _sample_document(docs, d, tables, alpha, chains, sampling, scratch)
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
        if len(bound):
            bound[d] = _document_bound(counts[:size], phi[:size], alpha, own)


@njit(cache=True, parallel=True)
def _infer(
    docs: Array, tasks: Array, tables: Array, alpha: Array, chains: Array, sampling: Array, lam: Array, out: Array
) -> None:
    """All documents of a batch; every task owns its rows of the outputs.

        n_kv(z_j) += w_j n_dv φ_dvk,        N_k(z_j) += w_j Σ_v n_dv φ_dvk        at the two nodes j around document d

    docs : see `Documents.loops`;  tasks : see `cut_tasks`;  tables : (J, V, K) m + s/2 − log ζ, and s
    chains : topic, first, started, updated;  lam : (D, K), filled
    sampling : (seed, burn-in sweeps, kept sweeps, probability that a chain starts anew)
    out : (bound (D,), predicted (D,), n (rows, V, K), N (rows, K)), filled; no bound where it has no rows
    """
    starts, rows = tasks
    for task in prange(len(starts) - 1):
        _infer_task(docs, (starts[task], starts[task + 1], rows[task]), tables, alpha, chains, sampling, lam, out)


@compiled
def _transpose_block(logits: Array, log_zeta: Array, table: Array, task: Any) -> None:
    """table_jvk = logits_jkv − log ζ_jk at one node, for one block of words."""
    J, K, V = logits.shape
    j, first = task % J, (task // J) * BLOCK
    for k in range(K):
        for v in range(first, min(first + BLOCK, V)):
            table[j, v, k] = logits[j, k, v] - log_zeta[j, k]


@njit(cache=True, parallel=True)
def _transpose(logits: Array, log_zeta: Array, table: Array) -> None:
    """table_jvk = logits_jkv − log ζ_jk.   logits : (J, K, V) m + s/2;  log_zeta : (J, K);  table : filled."""
    for task in prange(len(logits) * -(-logits.shape[2] // BLOCK)):
        _transpose_block(logits, log_zeta, table, np.int64(task))


@compiled
def _sum_tasks_block(first: Array, rows: Array, n: Array, out: Array, task: Any) -> None:
    """n_kv(z_j) = Σ_tasks n_jvk at one node, for one block of words; see `_sum_tasks`."""
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
def _sum_tasks(first: Array, rows: Array, n: Array, out: Array) -> None:
    """n_kv(z_j) = Σ_tasks n_jvk, in a fixed order: reproducible on any machine.

    first : (tasks,) first node of each task;  rows : see `cut_tasks`;  n : (rows, V, K);  out : (J, K, V), updated
    """
    for task in prange(len(out) * -(-out.shape[2] // BLOCK)):
        _sum_tasks_block(first, rows, n, out, np.int64(task))


def sampled_step(
    docs: Documents,
    topics: TopicTables,
    alpha: np.ndarray,
    chains: Chains,
    lam: np.ndarray,
    seed: int,
    sweeps: tuple[int, int],
    restart: float = 0.0,
    measured: bool = True,
) -> Statistics:
    """The sampled local step: chains of documents, λ, and the statistics of the global step.

        p(k_i = k | the other tokens) ∝ (α_k + Σ_{i'≠i} 1[k_i' = k]) exp(m_kv + s_kv/2 − log ζ_k)        v = v_i
        φ_dvk = its mean over the kept sweeps,   n_kv(z_j) = Σ_d w_j(τ_d) n_dv φ_dvk     [Mimno, Hoffman, Blei 2012]

    topics : logits and their variances at the nodes;  alpha : (K,);  seed : of this step
    chains : topics of the tokens, updated; those that have not started do so from uniform shares
    lam : (D, K), filled by the last sample;  sweeps : (burn-in sweeps, kept sweeps)
    restart : probability that the chain of a document starts anew, from uniform shares
    measured : whether the bound is computed, without the topics' part Σ n m − N log ζ; it is NaN else

    The result is the same for any number of threads.
    """
    J, K, V = topics.logits.shape
    starts, rows = cut_tasks(docs)
    tables = np.empty((2, J, V, K), np.float32)
    _transpose(topics.logits, topics.log_zeta, tables[0])
    _transpose(topics.s, np.zeros((J, K)), tables[1])
    bound, predicted = np.zeros(len(docs.left) if measured else 0), np.zeros(len(docs.left))
    n, N = np.zeros((rows[-1], V, K), np.float32), np.zeros((rows[-1], K))
    _infer(
        docs.loops,
        (starts, rows),
        tables,
        alpha,
        tuple(chains),
        (seed, *sweeps, restart),
        lam,
        (bound, predicted, n, N),
    )
    counts = np.zeros((J, K, V), topics.logits.dtype)
    _sum_tasks(docs.left[starts[:-1]], rows, n, counts)
    totals = sum_at_nodes(docs, (starts, rows), N, J)
    paid = docs.slack * docs.lengths
    ELBO = float((bound - paid).sum()) if measured else np.nan
    return Statistics(counts, totals, ELBO, float((predicted - paid).sum()))
