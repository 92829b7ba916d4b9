"""Topic shares of documents shown to learned topics, integrated out: without chance, and sharper than a mean field."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from chronotope._typing import Array
from chronotope.inference.documents import Documents, cut
from chronotope.inference.meanfield import word_likelihoods

LEAST = 1e-30  # keeps words impossible under all topics from dividing by zero


@njit(cache=True)
def _open(docs: Array, d: int, logits: Array, log_zeta: Array, lam: Array) -> tuple[Array, Array, Array, Array, Array]:
    """A document's words and counts (n,), their E_wk (n, K), room for φ (n, K), and λ to start with (K,)."""
    indptr, indices, data, left, weight = docs
    words, counts = indices[indptr[d] : indptr[d + 1]], data[indptr[d] : indptr[d + 1]].astype(logits.dtype)
    E = np.empty((len(words), logits.shape[1]), logits.dtype)
    word_likelihoods(words, left[d], weight[d], logits, log_zeta, E.T)
    return words, counts, E, np.empty_like(E), lam[d].astype(logits.dtype)


@njit(cache=True, fastmath={"reassoc", "contract"})
def _responsibilities(counts: Array, E: Array, prior: Array, lam: Array, phi: Array, limits: Array) -> None:
    """Responsibilities of one document's words, in turn until they settle, and λ = α + Σ_w n_w φ_w.

        φ_wk ∝ (λ_k − φ_wk) E_wk

    E, phi : (n, K), phi filled;  prior, lam : (K,) α, and where to start, updated.
    limits : (most rounds, mean change of λ in a round to stop at).
    """
    n, K = E.shape
    one = E.dtype.type(1.0)
    p, start = np.empty(K, E.dtype), np.empty(K, E.dtype)
    for i in range(n):
        for k in range(K):
            phi[i, k] = lam[k] * E[i, k]
        share = one / (phi[i].sum() + E.dtype.type(LEAST))
        for k in range(K):
            phi[i, k] *= share
    _shares(counts, phi, prior, lam)
    for _ in range(int(limits[0])):
        start[:] = lam
        for i in range(n):
            total = E.dtype.type(LEAST)
            for k in range(K):
                p[k] = max(lam[k] - phi[i, k], prior[k]) * E[i, k]
                total += p[k]
            share = one / total
            for k in range(K):
                new = p[k] * share
                lam[k] += counts[i] * (new - phi[i, k])
                phi[i, k] = new
        change = 0.0
        for k in range(K):
            change += abs(lam[k] - start[k])
        if change < limits[1] * K:
            break
    _shares(counts, phi, prior, lam)


@njit(cache=True)
def _shares(counts: Array, phi: Array, prior: Array, lam: Array) -> None:
    """λ = α + Σ_w n_w φ_w, summed anew: the running updates gather rounding errors."""
    lam[:] = prior
    for i in range(len(counts)):
        for k in range(len(lam)):
            lam[k] += counts[i] * phi[i, k]


@njit(cache=True)
def _infer_one(docs: Array, d: int, logits: Array, log_zeta: Array, alpha: Array, limits: Array, lam: Array) -> None:
    """Shares of document d;  lam : (D, K), its row updated."""
    prior = alpha.astype(logits.dtype)
    _, counts, E, phi, held = _open(docs, d, logits, log_zeta, lam)
    _responsibilities(counts, E, prior, held, phi, limits)
    _shares(counts, phi, alpha, lam[d])


@njit(cache=True, parallel=True)
def _infer(docs: Array, starts: Array, logits: Array, log_zeta: Array, alpha: Array, limits: Array, lam: Array) -> None:
    """Shares of all documents, without chance; every task owns its rows of lam."""
    for task in prange(len(starts) - 1):
        for d in range(starts[task], starts[task + 1]):
            _infer_one(docs, d, logits, log_zeta, alpha, limits, lam)


def collapsed_shares(
    docs: Documents,
    logits: np.ndarray,
    log_zeta: np.ndarray,
    alpha: np.ndarray,
    lam: np.ndarray,
    limits: tuple[int, float] = (100, 1e-3),
) -> None:
    """Topic shares of documents under learned topics: lam (D, K) is updated in place from where it stands.

        φ_wk ∝ (λ_k − φ_wk) E[π_kw(τ)],   λ_k = α_k + Σ_w n_w φ_wk      [Asuncion, Welling, Smyth, Teh 2009]

    logits : (J, K, V), m + s/2;  log_zeta : (J, K)
    """
    _infer(docs.loops, cut(docs)[0], logits, log_zeta, alpha, (float(limits[0]), limits[1]), lam)
