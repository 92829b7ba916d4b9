"""The paper's local step: mean-field inference of documents, given the topics at the nodes of the time grid.

    φ_dvk ∝ e_dk E_dkv,        e_dk = exp ψ(λ_dk),   E_dkv = exp(m_kv − log ζ_k) at the document's time,
    λ_dk = α_k + Σ_v n_dv φ_dvk

Thus φ_dvk = e_dk E_dkv / p_dv with p_dv = Σ_k e_dk E_dkv. Below, the index d is omitted for one document; W is the
number of its distinct words.
"""

from __future__ import annotations

import math

import numpy as np

from chronotope._typing import Array
from chronotope.inference.documents import Documents, Tasks, cut_tasks
from chronotope.inference.statistics import Statistics, collect_statistics
from chronotope.loops import FAST, inner, outer, run_loop

HIGHEST = 50.0  # upper limit of the exponent; only rounding errors far outside the corpus exceed it
TINY = math.exp(-60.0)  # of E_kv in all topics, below which single precision would soon lose the word


@inner()
def digamma(x: float) -> float:
    """ψ(x) for x > 0: recurrence to x ≥ 6, then the asymptotic series."""
    result = 0.0
    while x < 6.0:
        result -= 1.0 / x
        x += 1.0
    f = 1.0 / (x * x)
    tail = f * (1 / 12.0 - f * (1 / 120.0 - f * (1 / 252.0 - f * (1 / 240.0 - f * (1 / 132.0)))))
    return result + math.log(x) - 0.5 / x - tail


@inner()
def word_likelihoods(words: Array, left: int, weight: Array, m: Array, log_zeta: Array, E: Array) -> None:
    """E_kv = exp(m_kv(τ) − log ζ_k(τ)) of one document's words, m and log ζ interpolated as w₀ (·)_j + w₁ (·)_{j+1}.

    words : (W,) columns;  left : j;  weight : (2,) w;  m : (J, K, V);  log_zeta : (J, K);  E : (K, W), filled, finite
    """
    for k in range(E.shape[0]):
        row = m[left, k]
        shift = weight[0] * log_zeta[left, k]
        if weight[1] == 0.0:
            for i in range(len(words)):
                E[k, i] = math.exp(min(weight[0] * row[words[i]] - shift, HIGHEST))
        else:
            after = m[left + 1, k]
            shift += weight[1] * log_zeta[left + 1, k]
            for i in range(len(words)):
                E[k, i] = math.exp(min(weight[0] * row[words[i]] + weight[1] * after[words[i]] - shift, HIGHEST))


@inner()
def _lift(
    words: Array, counts: Array, left: int, weight: Array, m: Array, log_zeta: Array, E: Array, most: Array
) -> float:
    """Divide E_v by its largest value where that is tiny; returns Σ_v n_v log of these values.   most : (W,), filled.

    Neither φ nor λ depend on a factor per word, log p_v does. With a large prior variance, log ζ ≫ m.
    """
    total = 0.0
    most[:] = 0.0
    for k in range(E.shape[0]):
        for i in range(len(words)):
            most[i] = max(most[i], E[k, i])
    for i in range(len(words)):
        if most[i] < TINY:
            total += counts[i] * _lift_word(words[i], left, weight, m, log_zeta, E[:, i])
    return total


@inner()
def _lift_word(v: int, left: int, weight: Array, m: Array, log_zeta: Array, E: Array) -> float:
    """E_k = exp(l_k − max l) of one word, l_k = m_kv − log ζ_k; returns max l.   E : (K,), filled."""
    after = left + 1 if weight[1] > 0.0 else left
    logs = weight[0] * (m[left, :, v] - log_zeta[left]) + weight[1] * (m[after, :, v] - log_zeta[after])
    top: float = logs.max()
    for k in range(len(E)):
        E[k] = math.exp(logs[k] - top)
    return top


@inner()
def _mixture(E: Array, lam: Array, e: Array, p: Array) -> None:
    """e_k = exp ψ(λ_k),   p_v = Σ_k e_k E_kv.   E : (K, W);  lam : (K,);  e : (K,) and p : (W,), filled."""
    p[:] = 1e-300
    for k in range(len(lam)):
        e[k] = math.exp(digamma(lam[k]))
        for i in range(len(p)):
            p[i] += e[k] * E[k, i]


@inner(fastmath=FAST)
def _infer_document(counts: Array, E: Array, alpha: Array, lam: Array, e: Array, p: Array, limits: Array) -> float:
    """Mean-field λ of one document, by coordinate ascent.

        λ_k ← α_k + e_k Σ_v n_v E_kv / p_v        until λ converges

    counts : (W,) n;  E : (K, W);  lam : (K,), the start, updated;  e : (K,), exp ψ(λ) at the end
    p : (W,), overwritten by n_v / p_v at the end;  limits : (maximum iterations, tolerance: mean change of λ).
    Returns Σ_v n_v log p_v.
    """
    K, n = E.shape
    for _ in range(int(limits[0])):
        _mixture(E, lam, e, p)
        for i in range(n):
            p[i] = counts[i] / p[i]
        change = 0.0
        for k in range(K):
            total = 0.0
            for i in range(n):
                total += E[k, i] * p[i]
            new = alpha[k] + e[k] * total
            change += abs(new - lam[k])
            lam[k] = new
        if change < limits[1] * K:
            break
    _mixture(E, lam, e, p)
    log_likelihood = 0.0
    for i in range(n):
        log_likelihood += counts[i] * math.log(p[i])
        p[i] = counts[i] / p[i]
    return log_likelihood


@inner()
def _document_bound(log_likelihood: float, n: float, alpha: Array, lam: Array) -> float:
    """The document's part of the ELBO, with φ at its optimum for λ.   n : Σ_v n_v;  log_likelihood : Σ_v n_v log p_v.

    Σ_v n_v log p_v − n ψ(λ_0) + log Γ(α_0) − log Γ(λ_0) + Σ_k [(α_k − λ_k)(ψ(λ_k) − ψ(λ_0)) + log Γ(λ_k) − log Γ(α_k)]
    """
    lam0, alpha0 = lam.sum(), alpha.sum()
    psi0 = digamma(lam0)
    bound = log_likelihood - n * psi0 + math.lgamma(alpha0) - math.lgamma(lam0)
    for k in range(len(lam)):
        bound += (alpha[k] - lam[k]) * (digamma(lam[k]) - psi0) + math.lgamma(lam[k]) - math.lgamma(alpha[k])
    return bound


@outer()
def _infer(
    first: int, last: int, docs: Array, tasks: Array, topics: Array, alpha: Array, limits: Array, lam: Array, out: Array
) -> None:
    """Documents of the tasks from first to last; every task owns its rows of the outputs.

        n_kv(z_j) += w_j n_dv φ_dvk,        N_k(z_j) += w_j Σ_v n_dv φ_dvk        at the two nodes j around document d

    docs : see `Documents.loops`;  tasks : see `Tasks`;  topics : m (J, K, V), log_zeta (J, K)
    alpha : α of all documents, (1, K), or of each, (D, K)
    limits : see `_infer_document`;  lam : (D, K), updated
    out : (bound (D,), n (rows, K, V), N (rows, K)), filled; no statistics if n has no rows
    """
    indptr, indices, data, left, weight = docs
    (starts, rows, lowest), (m, log_zeta) = tasks, topics
    bound, n, N = out
    K = m.shape[1]
    for task in range(first, last):
        longest = 1
        for d in range(starts[task], starts[task + 1]):
            longest = max(longest, indptr[d + 1] - indptr[d])
        scratch, totals, e = np.empty(K * longest, m.dtype), np.empty(longest), np.empty(K)
        for d in range(starts[task], starts[task + 1]):
            start, size = indptr[d], indptr[d + 1] - indptr[d]
            words, counts = indices[start : start + size], data[start : start + size]
            E, p, prior = scratch[: K * size].reshape(K, size), totals[:size], alpha[d if len(alpha) > 1 else 0]
            word_likelihoods(words, left[d], weight[d], m, log_zeta, E)
            lifted = _lift(words, counts, left[d], weight[d], m, log_zeta, E, p)
            ll = _infer_document(counts, E, prior, lam[d], e, p, limits) + lifted
            bound[d] = _document_bound(ll, counts.sum(), prior, lam[d])
            if len(n) == 0:
                continue
            row = rows[task] + left[d] - lowest[task]
            for side in range(2):
                if weight[d, side] == 0.0:
                    continue
                for k in range(K):
                    scale, total = e[k] * weight[d, side], 0.0
                    for i in range(size):
                        nk = scale * E[k, i] * p[i]
                        n[row + side, k, words[i]] += nk
                        total += nk
                    N[row + side, k] += total


def _run(docs: Documents, tasks: Tasks, topics: Array, alpha: Array, limits: Array, lam: Array, out: Array) -> None:
    """All documents of a batch, on several threads; see `_infer`."""
    bounds = float(limits[0]), float(limits[1])
    run_loop(_infer, len(tasks.lowest), docs.loops, tuple(tasks), topics, np.atleast_2d(alpha), bounds, lam, out)


def infer_shares(
    docs: Documents,
    m: np.ndarray,
    log_zeta: np.ndarray,
    alpha: np.ndarray,
    lam: np.ndarray,
    limits: tuple[int, float] = (100, 1e-3),
) -> np.ndarray:
    """Mean-field λ of documents, without statistics.  Returns each document's part of the bound, (D,).

    m : (J, K, V);  log_zeta : (J, K);  alpha : (K,) or (D, K);  lam : (D, K), the start, updated in place
    limits : (maximum iterations, tolerance: mean change of λ in an iteration)
    """
    K, V = m.shape[1:]
    bound = np.zeros(len(docs.left))
    none = np.empty((0, K, V), m.dtype), np.empty((0, K))
    _run(docs, cut_tasks(docs), (m, log_zeta), alpha, limits, lam, (bound, *none))
    paid: np.ndarray = bound - docs.slack * docs.lengths
    return paid


def meanfield_step(
    docs: Documents,
    m: np.ndarray,
    log_zeta: np.ndarray,
    alpha: np.ndarray,
    lam: np.ndarray,
    limits: tuple[int, float] = (100, 1e-3),
) -> Statistics:
    """The mean-field local step: λ of documents, and the statistics of the global step.

        n_kv(z_j) = Σ_d w_j(τ_d) n_dv φ_dvk,   N_k(z_j) = Σ_v n_kv(z_j)

    m : (J, K, V);  log_zeta : (J, K);  alpha : (K,) or (D, K);  lam : (D, K), the start, updated in place
    limits : (maximum iterations, tolerance: mean change of λ in an iteration)
    """
    tasks = cut_tasks(docs)
    return collect_statistics(tasks, *meanfield_tasks(docs, tasks, m, log_zeta, alpha, lam, limits), len(m))


def meanfield_tasks(
    docs: Documents,
    tasks: Tasks,
    m: np.ndarray,
    log_zeta: np.ndarray,
    alpha: np.ndarray,
    lam: np.ndarray,
    limits: tuple[int, float],
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of statistics n, N of all tasks and each document's part of the bound, (D,)."""
    K, V = m.shape[1:]
    n, N, bound = np.zeros((tasks.rows[-1], K, V), m.dtype), np.zeros((tasks.rows[-1], K)), np.zeros(len(docs.left))
    _run(docs, tasks, (m, log_zeta), alpha, limits, lam, (bound, n, N))
    return n, N, bound - docs.slack * docs.lengths
