"""Topic shares of new documents under learned topics, by the collapsed update CVB0: deterministic, θ integrated out.

    φ_dvk ∝ (λ_dk − φ_dvk) E_dvk,        E_dvk = exp(m_kv + s_kv/2 − log ζ_k) at the document's time,
    λ_dk = α_k + Σ_v n_dv φ_dvk                                     [Asuncion, Welling, Smyth, Teh 2009]

Below, the index d is omitted for one document; W is the number of its distinct words.
"""

from __future__ import annotations

import numpy as np

from chronotope._typing import Array
from chronotope.inference.documents import Documents, cut_tasks
from chronotope.inference.meanfield import word_likelihoods
from chronotope.inference.simd import sum_between
from chronotope.loops import inner, outer, run_loop

LEAST = 1e-30  # added to normalisers: a word may be impossible under all topics


@inner()
def _read_document(
    docs: Array, d: int, logits: Array, log_zeta: Array, lam: Array
) -> tuple[Array, Array, Array, Array, Array]:
    """Words and counts n_v (W,) of document d, E_vk = exp(m_kv + s_kv/2 − log ζ_k) and an array for φ (W, K), λ (K,).

    logits : (J, K, V) m + s/2;  log_zeta : (J, K);  lam : (D, K)
    """
    indptr, indices, data, left, weight = docs
    words, counts = indices[indptr[d] : indptr[d + 1]], data[indptr[d] : indptr[d + 1]].astype(logits.dtype)
    E = np.empty((len(words), logits.shape[1]), logits.dtype)
    word_likelihoods(words, left[d], weight[d], logits, log_zeta, E.T)
    return words, counts, E, np.empty_like(E), lam[d].astype(logits.dtype)


@inner(fastmath={"contract"})
def _responsibilities(counts: Array, E: Array, prior: Array, lam: Array, phi: Array, limits: Array) -> None:
    """Responsibilities of one document's words, updated one after the other until λ converges.

        φ_vk ∝ (λ_k − φ_vk) E_vk,        λ_k = α_k + Σ_v n_v φ_vk

    counts : (W,) n;  E : (W, K);  prior : (K,) α;  lam : (K,), the start, updated;  phi : (W, K), filled
    limits : (maximum iterations, tolerance: mean change of λ in an iteration).
    """
    n, K = E.shape
    one, least = E.dtype.type(1.0), E.dtype.type(LEAST)
    p, start = np.empty(K, E.dtype), np.empty(K, E.dtype)
    for i in range(n):
        for k in range(K):
            phi[i, k] = lam[k] * E[i, k]
        share = one / (sum_between(phi[i], 0, K) + least)
        for k in range(K):
            phi[i, k] *= share
    _sum_lambda(counts, phi, prior, lam)
    for _ in range(int(limits[0])):
        start[:] = lam
        for i in range(n):
            for k in range(K):
                p[k] = max(lam[k] - phi[i, k], prior[k]) * E[i, k]
            share = one / (sum_between(p, 0, K) + least)
            for k in range(K):
                new = p[k] * share
                lam[k] += counts[i] * (new - phi[i, k])
                phi[i, k] = new
        change = 0.0
        for k in range(K):
            change += abs(lam[k] - start[k])
        if change < limits[1] * K:
            break
    _sum_lambda(counts, phi, prior, lam)


@inner()
def _sum_lambda(counts: Array, phi: Array, prior: Array, lam: Array) -> None:
    """λ_k = α_k + Σ_v n_v φ_vk, without the rounding errors of running updates.   phi : (W, K);  lam : (K,), filled."""
    lam[:] = prior
    for i in range(len(counts)):
        for k in range(len(lam)):
            lam[k] += counts[i] * phi[i, k]


@inner()
def _infer_document(
    docs: Array, d: int, logits: Array, log_zeta: Array, alpha: Array, limits: Array, lam: Array
) -> None:
    """λ_dk = α_k + Σ_v n_dv φ_dvk of document d at the fixed point of φ.   lam : (D, K), row d updated."""
    prior = alpha.astype(logits.dtype)
    _, counts, E, phi, held = _read_document(docs, d, logits, log_zeta, lam)
    _responsibilities(counts, E, prior, held, phi, limits)
    _sum_lambda(counts, phi, alpha, lam[d])


@outer()
def _infer(
    first: int, last: int, docs: Array, starts: Array, topics: Array, alpha: Array, limits: Array, lam: Array
) -> None:
    """λ_dk = α_k + Σ_v n_dv φ_dvk of the documents of the tasks from first to last.

    starts : see `cut_tasks`;  topics : logits (J, K, V), log_zeta (J, K);  lam : (D, K); every task owns its rows
    alpha : α of all documents, (1, K), or of each, (D, K)
    """
    for d in range(starts[first], starts[last]):
        _infer_document(docs, d, topics[0], topics[1], alpha[d if len(alpha) > 1 else 0], limits, lam)


def collapsed_shares(
    docs: Documents,
    logits: np.ndarray,
    log_zeta: np.ndarray,
    alpha: np.ndarray,
    lam: np.ndarray,
    limits: tuple[int, float] = (100, 1e-3),
) -> None:
    """λ of documents under learned topics by CVB0, deterministic.

        φ_dvk ∝ (λ_dk − φ_dvk) exp(m_kv + s_kv/2 − log ζ_k),        λ_dk = α_k + Σ_v n_dv φ_dvk

    logits : (J, K, V) m + s/2;  log_zeta : (J, K);  alpha : (K,) or (D, K);  lam : (D, K), the start, updated in place
    limits : (maximum iterations, tolerance: mean change of λ in an iteration)
    """
    starts, bounds = cut_tasks(docs).starts, (float(limits[0]), float(limits[1]))
    run_loop(_infer, len(starts) - 1, docs.loops, starts, (logits, log_zeta), np.atleast_2d(alpha), bounds, lam)
