"""The paper's local step: mean-field topic shares of documents, given the topics at the nodes of the time grid."""

from __future__ import annotations

import math

import numpy as np
from numba import njit, prange

from chronotope._typing import Array
from chronotope.inference.documents import Documents, Statistics, cut, gather

HIGHEST = 50.0  # exponent beyond which only rounding can lead, far outside the corpus


@njit(cache=True)
def digamma(x: float) -> float:
    """ψ(x) for x > 0: recurrence to x ≥ 6, then the asymptotic series."""
    result = 0.0
    while x < 6.0:
        result -= 1.0 / x
        x += 1.0
    f = 1.0 / (x * x)
    tail = f * (1 / 12.0 - f * (1 / 120.0 - f * (1 / 252.0 - f * (1 / 240.0 - f * (1 / 132.0)))))
    return result + math.log(x) - 0.5 / x - tail


@njit(cache=True)
def word_likelihoods(words: Array, left: int, weight: Array, m: Array, log_zeta: Array, E: Array) -> None:
    """E_kw = exp(m_kw(τ) − log ζ_k(τ)) of one document's words, (K, n), filled, and finite whatever rounding does."""
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


@njit(cache=True)
def _mix(E: Array, lam: Array, e: Array, z: Array) -> None:
    """e_k = exp ψ(λ_k),  z_w = Σ_k e_k E_kw.   E : (K, n);  e : (K,) and z : (n,), filled."""
    z[:] = 1e-300
    for k in range(len(lam)):
        e[k] = math.exp(digamma(lam[k]))
        for i in range(len(z)):
            z[i] += e[k] * E[k, i]


@njit(cache=True, fastmath={"reassoc", "contract"})
def _shares(counts: Array, E: Array, alpha: Array, lam: Array, e: Array, z: Array, limits: Array) -> float:
    """Mean-field topic shares of one document, by coordinate ascent from the given lam.

        λ_k ← α_k + e_k Σ_w n_w E_kw / z_w      until λ changes by less than a tolerance

    E : (K, n);  lam : (K,), updated;  e and z : left at exp ψ(λ) and n_w / z_w of the final lam.
    limits : (most rounds, mean change of λ to stop at).  Returns Σ_w n_w log z_w.
    """
    K, n = E.shape
    for _ in range(int(limits[0])):
        _mix(E, lam, e, z)
        for i in range(n):
            z[i] = counts[i] / z[i]
        change = 0.0
        for k in range(K):
            total = 0.0
            for i in range(n):
                total += E[k, i] * z[i]
            new = alpha[k] + e[k] * total
            change += abs(new - lam[k])
            lam[k] = new
        if change < limits[1] * K:
            break
    _mix(E, lam, e, z)
    log_likelihood = 0.0
    for i in range(n):
        log_likelihood += counts[i] * math.log(z[i])
        z[i] = counts[i] / z[i]
    return log_likelihood


@njit(cache=True)
def _document_bound(log_likelihood: float, n: float, alpha: Array, lam: Array) -> float:
    """The document's part of the ELBO, with φ at its optimum for lam.

    Σ_w n_w log z_w − n ψ(λ_0) + log Γ(α_0) − log Γ(λ_0) + Σ_k [(α_k − λ_k)(ψ(λ_k) − ψ(λ_0)) + log Γ(λ_k) − log Γ(α_k)]
    """
    lam0, alpha0 = lam.sum(), alpha.sum()
    psi0 = digamma(lam0)
    bound = log_likelihood - n * psi0 + math.lgamma(alpha0) - math.lgamma(lam0)
    for k in range(len(lam)):
        bound += (alpha[k] - lam[k]) * (digamma(lam[k]) - psi0) + math.lgamma(lam[k]) - math.lgamma(alpha[k])
    return bound


@njit(cache=True, parallel=True)
def _infer(
    docs: Array, tasks: Array, m: Array, log_zeta: Array, alpha: Array, limits: Array, lam: Array, out: Array
) -> None:
    """All documents of a batch; every task owns its rows of the outputs.

    tasks : (first document of each task and the end, first row of each task in the statistics and the end)
    out : (bound (D,), n (rows, K, V), N (rows, K)), filled;  n of no rows: no statistics
    """
    indptr, indices, data, left, weight = docs
    starts, rows = tasks
    bound, n, N = out
    K = m.shape[1]
    for task in prange(len(starts) - 1):
        longest = 1
        for d in range(starts[task], starts[task + 1]):
            longest = max(longest, indptr[d + 1] - indptr[d])
        scratch, ez, e = np.empty(K * longest, m.dtype), np.empty(longest), np.empty(K)
        for d in range(starts[task], starts[task + 1]):
            first, size = indptr[d], indptr[d + 1] - indptr[d]
            words, counts = indices[first : first + size], data[first : first + size]
            E, z = scratch[: K * size].reshape(K, size), ez[:size]
            word_likelihoods(words, left[d], weight[d], m, log_zeta, E)
            ll = _shares(counts, E, alpha, lam[d], e, z, limits)
            bound[d] = _document_bound(ll, counts.sum(), alpha, lam[d])
            if len(n) == 0:
                continue
            row = rows[task] + left[d] - left[starts[task]]
            for side in range(2):
                if weight[d, side] == 0.0:
                    continue
                for k in range(K):
                    scale, total = e[k] * weight[d, side], 0.0
                    for i in range(size):
                        nk = scale * E[k, i] * z[i]
                        n[row + side, k, words[i]] += nk
                        total += nk
                    N[row + side, k] += total


def infer_shares(
    docs: Documents,
    m: np.ndarray,
    log_zeta: np.ndarray,
    alpha: np.ndarray,
    lam: np.ndarray,
    limits: tuple[int, float] = (100, 1e-3),
) -> np.ndarray:
    """Topic shares only: lam (D, K) is updated in place from where it stands.  Returns each document's bound, (D,)."""
    K, V = m.shape[1:]
    bound = np.zeros(len(docs.left))
    none = np.empty((0, K, V), m.dtype), np.empty((0, K))
    _infer(docs.loops, cut(docs), m, log_zeta, alpha, (float(limits[0]), limits[1]), lam, (bound, *none))
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
    """Topic shares and the statistics the global step needs.

        n_kv(z_j) = Σ_d w_j(τ_d) n_dv φ_dvk,   N_k(z_j) = Σ_v n_kv(z_j)

    m : (J, K, V);  log_zeta : (J, K);  alpha : (K,);  lam : (D, K), updated in place from where it stands.
    """
    J, K, V = m.shape
    starts, rows = cut(docs)
    bound = np.zeros(len(docs.left))
    n_rows, N_rows = np.zeros((rows[-1], K, V), m.dtype), np.zeros((rows[-1], K))
    _infer(docs.loops, (starts, rows), m, log_zeta, alpha, (float(limits[0]), limits[1]), lam, (bound, n_rows, N_rows))
    return gather(docs, (starts, rows), n_rows, N_rows, bound, J)
