"""The sampled local step: statistics of documents whose tokens' topics are drawn by Gibbs sampling, θ integrated out.

The letters are those of `gibbs`. Tables of topics and statistics have the topics innermost here, (J, V, K), padded.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from chronotope._typing import Array, Mask
from chronotope.inference.chains import Chains
from chronotope.inference.documents import Batch, Documents, Tasks, cut_tasks
from chronotope.inference.gibbs import (
    ONE,
    compiled,
    count_tokens,
    hold_tokens,
    leave_totals,
    next_state,
    start_chain,
    stream,
    sweep,
)
from chronotope.inference.lanes import LANES, add_scaled, mix, padded
from chronotope.inference.simd import entropies, exponentials, sum_between
from chronotope.inference.statistics import Statistics, sum_at_nodes, sum_by_task
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
def _sum_words(counts: Array, phi: Array, total: Array) -> None:
    """Σ_v n_v φ_vk.   counts : (W,) n;  phi : (W, K);  total : (K,), filled."""
    for k in range(len(total)):
        total[k] = 0.0
    for i in range(len(counts)):
        for k in range(0, len(total), LANES):
            add_scaled(total, phi[i], counts[i], k)


@inlined
def _longest(indptr: Array, first: int, last: int) -> int:
    """Distinct words of the longest document from first to last, at least 1."""
    n = 1
    for d in range(first, last):
        n = max(n, indptr[d + 1] - indptr[d])
    return n


@inlined
def _sample_document(
    doc: Array, at: Array, spread: Array, chain: Array, alpha: Array, phi: Array, how: Array, scratch: Array, x: Any
) -> float:
    """φ_vk of one document by Gibbs sampling, and the tokens of each topic in the last sample, left in the chain.

        φ_vk = mean of p(k_i = k | the other tokens) over the tokens i of word v and the kept sweeps

    doc, at, chain, scratch : see `gibbs`;  spread : (J, V, K) s;  phi : (W, K), filled;  x : stream
    how : burn-in sweeps, kept sweeps, whether the chain starts anew; without kept ones φ counts the last sample
    Returns Σ_i log p(v_i | all other tokens), the mean over the kept sweeps.
    """
    (own, held), (burn_in, kept, fresh), (left, w0, w1) = chain, how, at
    if fresh:
        x = start_chain(doc, chain, len(alpha), scratch, x)
        burn_in = max(burn_in, FRESH)
    hold_tokens(doc, own, held)
    for k in range(len(alpha)):
        held[k] += alpha[k]
    known = np.float32(0.0 if fresh else 1.0)  # topics that are drawn anew have no part in the statistics yet
    where, predicted = (left, known * w0, known * w1), 0.0
    for s in range(burn_in + kept):
        part = ONE / np.float32(kept) if s >= burn_in else np.float32(0.0)
        x, logs = sweep(doc, where, spread, chain, alpha, phi, part, scratch, x)
        predicted += logs * float(part)
    if kept == 0:
        _count_sample(doc[2], own, phi)
    hold_tokens(doc, own, held)
    return predicted - _log_others(doc[1], doc[2], alpha)


@compiled
def _count_sample(tokens: Array, topic: Array, phi: Array) -> None:
    """φ_vk = the part of the tokens of word v that are in topic k, filled.   tokens : (W,);  topic : (tokens,)."""
    t = 0
    for i in range(len(tokens)):
        for _ in range(tokens[i]):
            phi[i, topic[t]] += ONE / np.float32(tokens[i])
            t += 1


@compiled
def _log_others(counts: Array, tokens: Array, alpha: Array) -> float:
    """Σ_i log(α_0 + tokens but i), each token with its weight.   counts, tokens : (W,);  alpha : (K,)."""
    sums = sum_between(alpha, 0, len(alpha)) + sum_between(counts, 0, len(counts))
    total, size, log = 0.0, -1.0, 0.0
    for i in range(len(counts)):
        own = counts[i] / max(tokens[i], 1)
        if own != size:
            size, log = own, math.log(max(sums - own, 1e-12))
        total += counts[i] * log
    return total


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

        λ_dk = α_k + Σ_i 1[k_i = k] of the last sample
        n_kv(z_j) += w_j n_dv φ_dvk,        N_k(z_j) += w_j Σ_v n_dv φ_dvk        at the two nodes j around document d

    docs : see `Documents.loops`;  tasks : see `Tasks`;  alpha : α of all documents, (1, K), or of each, (D, K)
    lam : (D, K), filled
    tables : (J, V, K) m + s/2 − log ζ, or its exponential if all documents are at nodes; s; whether they are
    chains : topic, first, started, updated
    sampling : (seed, numbers of the documents (D,), burn-in sweeps, kept sweeps, which chains start anew (D,))
    out : (bound (D,), predicted (D,), n (rows, V, K), N (rows, K)), filled; no bound where it has no rows
    """
    indptr, indices, data, left, weight = docs
    (starts, first_row, lowest), (table, spread, at_nodes), (topic, first_token, started) = tasks, tables, chains
    (bound, predicted, n, N), (seed, number, burn_in, kept, anew) = out, sampling
    K, L, W = alpha.shape[1], n.shape[2], _longest(indptr, starts[first], starts[last])
    held, own = np.empty(L, np.float32), np.empty(L, np.float32)
    scratch = np.empty(L, np.float32), np.empty(L, np.float32), np.empty(L // LANES, np.float32)
    all_counts, all_tokens, all_rows = np.empty(W, np.float32), np.empty(W, np.int64), np.empty(W, np.int64)
    flat_E, flat = np.empty(W * L, np.float32), np.empty(W * L, np.float32)
    E, phi, others = flat_E.reshape(W, L), flat.reshape(W, L), np.empty((W, L), np.float32)
    for task in range(first, last):
        for d in range(starts[task], starts[task + 1]):
            start, size, j = indptr[d], indptr[d + 1] - indptr[d], left[d]
            words, counts, prior = indices[start : start + size], all_counts[:size], alpha[d if len(alpha) > 1 else 0]
            tokens, rows = all_tokens[:size], all_rows[:size]
            for i in range(size):
                counts[i], rows[i] = data[start + i], words[i] if at_nodes else i
            for i in range(size * L):
                flat[i] = 0.0
            if at_nodes:
                E = table[j]
            else:
                _likelihoods(words, j, weight[d], table, E, flat_E)
            token = first_token[d]
            chain = topic[token : token + count_tokens(counts, tokens)], held
            x = next_state(stream(seed, number[d]))
            doc, at = (words, counts, tokens, E, rows), (j, np.float32(weight[d, 0]), np.float32(weight[d, 1]))
            how = burn_in, kept, not started[d] or anew[d]
            if started[d] and not anew[d]:  # else its topics have no part in the statistics yet
                leave_totals(doc, at, spread, chain, others)
                doc = words, counts, tokens, others, rows
            predicted[d] = _sample_document(doc, at, spread, chain, prior, phi, how, scratch, x)
            started[d] = True
            row = first_row[task] + j - lowest[task]
            _add_counts(words, counts, phi, weight[d], n[row : row + 2])
            _sum_words(counts, phi, own)
            for side in range(2):
                if weight[d, side] != 0.0:
                    for k in range(K):
                        N[row + side, k] += weight[d, side] * own[k]
            for k in range(K):
                lam[d, k] = prior[k] + held[k]
                own[k] += prior[k]
            if len(bound):
                bound[d] = _document_bound(counts, flat[: size * L], prior, own)


def sampled_step(
    docs: Documents,
    topics: TopicTables,
    alpha: np.ndarray,
    chains: Chains,
    lam: np.ndarray,
    seed: int,
    sweeps: tuple[int, int],
    anew: Mask | None = None,
    measured: bool = True,
) -> Statistics:
    """The sampled local step: chains of documents, λ, and the statistics of the global step.

        p(k_i = k | the other tokens) ∝ (α_k + Σ_{i'≠i} 1[k_i' = k]) exp(m_kv + s_kv/2 − log ζ_k)        v = v_i
        φ_dvk = its mean over the kept sweeps,   n_kv(z_j) = Σ_d w_j(τ_d) n_dv φ_dvk     [Mimno, Hoffman, Blei 2012]

    topics : logits and their variances at the nodes;  alpha : (K,), or of each document, (D, K);  seed : of this step
    chains : topics of the tokens, updated; those that have not started do so from uniform shares
    lam : (D, K), filled by the last sample;  sweeps : (burn-in sweeps, kept sweeps); without kept ones φ is the last
        sample itself
    anew : (D,) documents whose chains start anew, from uniform shares; default None for none but new ones
    measured : whether the bound is computed, without the topics' part Σ n m − N log ζ; it is NaN else

    The result is the same for any number of threads.
    """
    J, K, V = topics.logits.shape
    tasks = cut_tasks(docs)
    how = Sampling(int(seed), *sweeps, measured)
    anew = np.zeros(len(docs.left), np.bool_) if anew is None else anew
    n, N, bound, predicted = sample_tasks(docs, tasks, topics, are_at_nodes(docs), alpha, chains, lam, how, anew)
    counts = np.zeros((J, K, V), topics.logits.dtype)
    sum_tasks(tasks.lowest, tasks.rows, n, counts)
    ELBO = sum_by_task(bound, tasks.starts) if measured else np.nan
    return Statistics(counts, sum_at_nodes(tasks, N, J), ELBO, sum_by_task(predicted, tasks.starts))


class Sampling(NamedTuple):
    """How documents are sampled.   seed : of this step;  burn_in, kept : sweeps;  measured : whether with the bound."""

    seed: int
    burn_in: int
    kept: int
    measured: bool


class SampledTasks(NamedTuple):
    """What tasks find: n (rows, V, K), padded, N (rows, K), and of documents, (D,), bound and predicted."""

    n: np.ndarray
    N: np.ndarray
    bound: np.ndarray
    predicted: np.ndarray


def sample_tasks(
    docs: Documents,
    tasks: Tasks,
    topics: TopicTables,
    at_nodes: bool,
    alpha: np.ndarray,
    chains: Chains,
    lam: np.ndarray,
    how: Sampling,
    anew: Mask,
) -> SampledTasks:
    """The documents of all tasks, each task with its own rows of statistics; see `sampled_step`.

    at_nodes : whether all documents of the step are, not these alone
    """
    K, V = topics.logits.shape[1:]
    bound, predicted = np.zeros(len(docs.left) if how.measured else 0), np.zeros(len(docs.left))
    rows = tasks.rows[-1]
    n, N = np.zeros((rows, V, padded(K)), np.float32), np.zeros((rows, K))
    tables = *topics.by_word(at_nodes), at_nodes
    sampling = how.seed, docs.number, how.burn_in, how.kept, anew
    given = (
        docs.loops,
        tuple(tasks),
        tables,
        np.atleast_2d(alpha),
        chains.loops,
        sampling,
        lam,
        (bound, predicted, n, N),
    )
    run_loop(_infer, len(tasks.lowest), *given)
    paid = docs.slack * docs.lengths
    return SampledTasks(n, N, bound - paid if how.measured else bound, predicted - paid)


def are_at_nodes(docs: Batch) -> bool:
    """Whether all documents are at nodes, so that no table has to be interpolated."""
    return bool(np.all(docs.weight == (1.0, 0.0)))
