"""The sampled local step: statistics of documents whose tokens' topics are drawn by Gibbs sampling, θ integrated out.

The letters are those of `gibbs`. Tables of topics and statistics have the topics innermost here, (J, V, K), padded.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from chronotope._typing import Array
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
from chronotope.inference.lanes import LANES, add_scaled, mix, padded
from chronotope.inference.simd import entropies, exponentials, sum_between
from chronotope.inference.tables import TopicTables, sum_tasks
from chronotope.loops import FAST, inlined, outer, run_loop

FRESH = 4  # least number of burn-in sweeps of chains that start


@compiled
def _likelihoods(words: Array, left: int, weight: Array, table: Array, E: Array, flat: Array) -> None:
    """E_vk = exp(m_kv + s_kv/2 − log ζ_k) of the document's words, between two nodes:

        E_vk = exp(w₀ table_jvk + w₁ table_{j+1,vk})

    words : (W,) columns;  left : j;  weight : (2,) w;  table : (J, V, K) m + s/2 − log ζ
    E : (W, K), filled;  flat : the same numbers in one row
    """
    w0, w1 = np.float32(weight[0]), np.float32(weight[1])
    after = left + 1 if w1 > 0.0 else left
    for i in range(len(words)):
        for j in range(0, E.shape[1], LANES):
            mix(E[i], table[left, words[i]], table[after, words[i]], w0, w1, j)
    exponentials(flat[: len(words) * E.shape[1]])


@compiled
def _document_bound(counts: Array, flat: Array, alpha: Array, lam: Array) -> float:
    """The document's part of the ELBO for given φ and λ, without the term Σ_v n_v Σ_k φ_vk (m_kv − log ζ_k).

        log Γ(α_0) − log Γ(λ_0) + Σ_k [log Γ(λ_k) − log Γ(α_k)] − Σ_v n_v Σ_k φ_vk log φ_vk

    counts : (W,) n;  flat : (W · K,) φ, padded, overwritten;  alpha, lam : (K,)
    """
    bound, alpha_0, lam_0 = 0.0, 0.0, 0.0
    for k in range(len(alpha)):
        alpha_0, lam_0 = alpha_0 + alpha[k], lam_0 + lam[k]
        bound += math.lgamma(lam[k]) - math.lgamma(alpha[k])
    bound += math.lgamma(alpha_0) - math.lgamma(lam_0)
    entropies(flat)
    K = len(flat) // max(len(counts), 1)
    for i in range(len(counts)):
        bound += counts[i] * sum_between(flat, i * K, (i + 1) * K)
    return bound


@compiled
def _add_counts(words: Array, counts: Array, phi: Array, weight: Array, n: Array) -> None:
    """n_kv(z_j) += w_j n_dv φ_dvk at both nodes around document d.   phi : (W, K);  weight : w (2,);  n : (2, V, K)."""
    for side in range(len(n)):
        if weight[side] != 0.0:
            for i in range(len(words)):
                size = np.float32(weight[side]) * counts[i]
                for j in range(0, phi.shape[1], LANES):
                    add_scaled(n[side, words[i]], phi[i], size, j)


@inlined
def _allocate(docs: Array, first: int, last: int, K: int) -> Any:
    """Scratch arrays for the longest document from first to last; K is padded.

    Returns those of words: counts, tokens, rows;  of words and topics: E and φ, and the same in one row each;
    of topics: held, and the scratch arrays of `gibbs`.
    """
    indptr, n = docs[0], 1
    for d in range(first, last):
        n = max(n, indptr[d + 1] - indptr[d])
    E, phi = np.empty(n * K, np.float32), np.empty(n * K, np.float32)
    words = np.empty(n, np.float32), np.empty(n, np.int64), np.empty(n, np.int64)
    topics = np.empty(K, np.float32), np.empty(K, np.float32), np.empty(K // LANES, np.float32)
    return words, (E.reshape(n, K), phi.reshape(n, K), E, phi), np.empty(K, np.float32), topics


@inlined
def _sample_document(
    docs: Array, d: int, tables: Array, alpha: Array, chains: Array, sampling: Array, scratch: Array
) -> float:
    """φ_vk of document d by Gibbs sampling, and the tokens of each topic in the last sample, left in `scratch`.

        φ_vk = mean of p(k_i = k | the other tokens) over the tokens i of word v and the kept sweeps

    Returns Σ_i log p(v_i | all other tokens), the mean over the kept sweeps.

    tables, sampling : see `_infer`;  chains : topic, first, started
    """
    indptr, indices, data, left, weight = docs
    (counts, tokens, rows), (E, phi, flat_E, flat_phi), held, room = scratch
    table, spread, at_nodes = tables
    start, size = indptr[d], indptr[d + 1] - indptr[d]
    words, counts, tokens, rows = indices[start : start + size], counts[:size], tokens[:size], rows[:size]
    for i in range(size):
        counts[i], rows[i] = data[start + i], words[i] if at_nodes else i
    flat_phi[: size * len(held)] = 0.0
    if at_nodes:
        E = table[left[d]]
    else:
        _likelihoods(words, left[d], weight[d], table, E, flat_E)
    topic, first, started = chains
    own = topic[first[d] : first[d] + count_tokens(counts, tokens)]
    doc, chain, x = (words, counts, tokens, E, rows), (own, held), next_state(stream(sampling[0], d))
    fresh = not started[d] or unit(x) < sampling[3]
    if fresh:
        x = start_chain(doc, chain, len(alpha), room, x)
    hold_tokens(doc, own, held)
    for k in range(len(alpha)):
        held[k] += alpha[k]
    known = np.float32(0.0 if fresh else 1.0)  # topics that are drawn anew have no part in the statistics yet
    at = left[d], known * np.float32(weight[d, 0]), known * np.float32(weight[d, 1])
    burn_in, predicted = max(sampling[1], FRESH) if fresh else sampling[1], 0.0
    for s in range(burn_in + sampling[2]):
        part = ONE / np.float32(sampling[2]) if s >= burn_in else np.float32(0.0)
        x, logs = sweep(doc, at, spread, chain, alpha, phi, part, room, x)
        predicted += logs * float(part)
    started[d] = True
    hold_tokens(doc, own, held)
    return predicted - _log_others(counts, tokens, alpha)


@compiled
def _log_others(counts: Array, tokens: Array, alpha: Array) -> float:
    """Σ_i log(α_0 + tokens but i), each token with its weight.   counts, tokens : (W,);  alpha : (K,)."""
    total, size, log, sums = 0.0, -1.0, 0.0, alpha.sum() + counts.sum()
    for i in range(len(counts)):
        own = counts[i] / max(tokens[i], 1)
        if own != size:
            size, log = own, math.log(max(sums - own, 1e-12))
        total += counts[i] * log
    return total


@inlined
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
    scratch = _allocate(docs, span[0], span[1], n.shape[2])
    counts, phi, flat, held = scratch[0][0], scratch[1][1], scratch[1][3], scratch[2]
    own = np.empty(n.shape[2], np.float32)
    for d in range(span[0], span[1]):
        predicted[d] = _sample_document(docs, d, tables, alpha, chains, sampling, scratch)
        size, row = indptr[d + 1] - indptr[d], span[2] + left[d] - left[span[0]]
        words = indices[indptr[d] : indptr[d + 1]]
        _add_counts(words, counts[:size], phi, weight[d], n[row : row + 2])
        own[:] = 0.0
        for i in range(size):
            for j in range(0, len(own), LANES):
                add_scaled(own, phi[i], counts[i], j)
        for side in range(2):
            if weight[d, side] != 0.0:
                for k in range(K):
                    N[row + side, k] += weight[d, side] * own[k]
        for k in range(K):
            lam[d, k] = alpha[k] + held[k]
            own[k] += alpha[k]
        if len(bound):
            bound[d] = _document_bound(counts[:size], flat[: size * len(own)], alpha, own)


@outer(fastmath=FAST)
def _infer(
    first: int,
    last: int,
    docs: Array,
    tasks: Array,
    tables: Array,
    alpha: Array,
    chains: Array,
    sampling: Array,
    lam: Array,
    out: Array,
) -> None:
    """Documents of the tasks from first to last; every task owns its rows of the outputs.

        n_kv(z_j) += w_j n_dv φ_dvk,        N_k(z_j) += w_j Σ_v n_dv φ_dvk        at the two nodes j around document d

    docs : see `Documents.loops`;  tasks : see `cut_tasks`;  alpha : (K,);  lam : (D, K), filled
    tables : (J, V, K) m + s/2 − log ζ, or its exponential if all documents are at nodes; s; whether they are
    chains : topic, first, started, updated
    sampling : (seed, burn-in sweeps, kept sweeps, probability that a chain starts anew)
    out : (bound (D,), predicted (D,), n (rows, V, K), N (rows, K)), filled; no bound where it has no rows
    """
    starts, rows = tasks
    for task in range(first, last):
        _infer_task(docs, (starts[task], starts[task + 1], rows[task]), tables, alpha, chains, sampling, lam, out)


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
    at_nodes = bool(np.all(docs.weight == (1.0, 0.0)))
    bound, predicted = np.zeros(len(docs.left) if measured else 0), np.zeros(len(docs.left))
    n, N = np.zeros((rows[-1], V, padded(K)), np.float32), np.zeros((rows[-1], K))
    tables, sampling = (*topics.by_word(at_nodes), at_nodes), (int(seed), *sweeps, float(restart))
    given = docs.loops, (starts, rows), tables, alpha, tuple(chains), sampling, lam, (bound, predicted, n, N)
    run_loop(_infer, len(starts) - 1, *given)
    counts = np.zeros((J, K, V), topics.logits.dtype)
    sum_tasks(docs.left[starts[:-1]], rows, n, counts)
    totals = sum_at_nodes(docs, (starts, rows), N, J)
    paid = docs.slack * docs.lengths
    ELBO = float((bound - paid).sum()) if measured else np.nan
    return Statistics(counts, totals, ELBO, float((predicted - paid).sum()))
