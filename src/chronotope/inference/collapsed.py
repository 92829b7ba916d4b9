"""The collapsed local step: topic shares are integrated out, and the topic of a token depends on the other tokens.

While topics are learned, the tokens' topics are sampled; documents shown to learned topics get a deterministic answer.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit, prange

from chronotope.inference.documents import Documents, Statistics, cut, gather
from chronotope.inference.local import word_likelihoods

Array = Any  # arrays of compiled code: shapes in the docstrings
LEAST = 1e-30  # responsibility below which φ log φ counts as 0
TOKENS = 16  # of a word in a document that are sampled apart; where there are more, each stands for several


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
def _document_bound(counts: Array, phi: Array, alpha: Array, lam: Array) -> float:
    """The document's part of the ELBO with these φ, but for Σ_w n_w Σ_k φ_wk (m_kw − log ζ_k).

    log Γ(α_0) − log Γ(λ_0) + Σ_k [log Γ(λ_k) − log Γ(α_k)] − Σ_w n_w Σ_k φ_wk log φ_wk
    """
    bound = math.lgamma(alpha.sum()) - math.lgamma(lam.sum())
    for k in range(len(lam)):
        bound += math.lgamma(lam[k]) - math.lgamma(alpha[k])
    for i in range(len(counts)):
        entropy = 0.0
        for k in range(len(lam)):
            if phi[i, k] > LEAST:
                entropy -= phi[i, k] * math.log(phi[i, k])
        bound += counts[i] * entropy
    return bound


@njit(cache=True)
def _add_counts(words: Array, counts: Array, phi: Array, weight: Array, n: Array, N: Array) -> None:
    """The document's expected counts at the nodes on both of its sides.   n : (2, K, V);  N : (2, K)."""
    for side in range(len(n)):
        if weight[side] == 0.0:
            continue
        for k in range(phi.shape[1]):
            total = 0.0
            for i in range(len(words)):
                nk = weight[side] * counts[i] * phi[i, k]
                n[side, k, words[i]] += nk
                total += nk
            N[side, k] += total


@njit(cache=True)
def _random(state: Array) -> float:
    """A number in [0, 1) from a stream of its own (xorshift);  state : (1,) uint64, not 0, moved on."""
    x = state[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    state[0] = x
    return float(x >> np.uint64(11)) / 9007199254740992.0


@njit(cache=True)
def _stream(seed: int, number: int) -> Array:
    """The stream of a document, from the step's seed and the document's number (splitmix)."""
    x = np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(number + 1) * np.uint64(0xD1342543DE82EF95)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.full(1, (x ^ (x >> np.uint64(31))) | np.uint64(1), np.uint64)


@njit(cache=True)
def _draw(p: Array, total: float, u: float) -> int:
    """An index with probability p / total."""
    last, below = len(p) - 1, 0.0
    for k in range(last):
        below += p[k]
        if u * total < below:
            return k
    return last


@njit(cache=True, fastmath={"reassoc", "contract"})
def _weigh(held: Array, likelihood: Array, p: Array) -> Any:
    """p_k = held_k E_k, filled; returns their sum."""
    total = p.dtype.type(LEAST)
    for k in range(len(p)):
        p[k] = held[k] * likelihood[k]
        total += p[k]
    return total


@njit(cache=True)
def _sample(counts: Array, E: Array, prior: Array, sweeps: Array, state: Array, held: Array, phi: Array) -> None:
    """Mean responsibilities of one document's words over sweeps of Gibbs sampling, and where these end.

        z_i ~ φ_ik ∝ (α_k + Σ_{j≠i} 1[z_j = k]) E_wk,      φ_wk = mean of φ_ik over the word's tokens and the sweeps

    E, phi : (n, K), phi filled;  prior : (K,) α;  sweeps : those to forget, those to keep
    held : (K,), λ to start with, then α + tokens of each topic in the last sample
    """
    n, K = E.shape
    tokens = np.minimum(np.ceil(counts), TOKENS).astype(np.int64)
    z, p = np.empty(tokens.sum(), np.int64), np.empty(K, E.dtype)
    t = 0
    for i in range(n):
        total = _weigh(held, E[i], p)
        for _ in range(tokens[i]):
            z[t] = _draw(p, total, _random(state))
            t += 1
    _recount(counts, tokens, z, prior, held)
    phi[:] = 0.0
    for sweep in range(sweeps[0] + sweeps[1]):
        t = 0
        for i in range(n):
            size = counts[i] / max(tokens[i], 1)
            for _ in range(tokens[i]):
                held[z[t]] -= size
                total = _weigh(held, E[i], p)
                if sweep >= sweeps[0]:
                    share = E.dtype.type(1.0 / (sweeps[1] * tokens[i])) / total
                    for k in range(K):
                        phi[i, k] += p[k] * share
                z[t] = _draw(p, total, _random(state))
                held[z[t]] += size
                t += 1
        _recount(counts, tokens, z, prior, held)


@njit(cache=True)
def _recount(counts: Array, tokens: Array, z: Array, prior: Array, held: Array) -> None:
    """held = α + tokens of each topic, counted anew: the running updates gather rounding errors."""
    held[:] = prior
    t = 0
    for i in range(len(counts)):
        for _ in range(tokens[i]):
            held[z[t]] += counts[i] / tokens[i]
            t += 1


@njit(cache=True, parallel=True)
def _infer(docs: Array, starts: Array, logits: Array, log_zeta: Array, alpha: Array, limits: Array, lam: Array) -> None:
    """Shares of all documents, without chance; every task owns its rows of lam."""
    prior = alpha.astype(logits.dtype)
    for task in prange(len(starts) - 1):
        for d in range(starts[task], starts[task + 1]):
            _, counts, E, phi, held = _open(docs, d, logits, log_zeta, lam)
            _responsibilities(counts, E, prior, held, phi, limits)
            _shares(counts, phi, alpha, lam[d])


@njit(cache=True, parallel=True)
def _infer_by_sampling(
    docs: Array, tasks: Array, logits: Array, log_zeta: Array, alpha: Array, chance: Array, lam: Array, out: Array
) -> None:
    """All documents of a batch; every task owns its rows of the outputs.

    tasks : (first document of each task and the end, first row of each task in the statistics and the end)
    chance : (seed, sweeps to forget, sweeps to keep);  out : (bound (D,), n (rows, K, V), N (rows, K)), filled
    """
    left, weight = docs[3], docs[4]
    starts, rows = tasks
    bound, n, N = out
    prior = alpha.astype(logits.dtype)
    for task in prange(len(starts) - 1):
        for d in range(starts[task], starts[task + 1]):
            words, counts, E, phi, held = _open(docs, d, logits, log_zeta, lam)
            _sample(counts, E, prior, chance[1:], _stream(chance[0], d), held, phi)
            lam[d] = held
            mean = np.empty(len(alpha))
            _shares(counts, phi, alpha, mean)
            bound[d] = _document_bound(counts, phi, alpha, mean)
            row = rows[task] + left[d] - left[starts[task]]
            _add_counts(words, counts, phi, weight[d], n[row : row + 2], N[row : row + 2])


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
    sweeps : those to forget the start, those that count
    seed : of this step; the answer does not depend on the number of threads
    `bound` lacks the topics' part, Σ n m − N log ζ.
    """
    J, K, V = logits.shape
    tasks = cut(docs)
    rows = tasks[1][-1]
    bound, n, N = np.zeros(len(docs.left)), np.zeros((rows, K, V), logits.dtype), np.zeros((rows, K))
    _infer_by_sampling(docs.loops, tasks, logits, log_zeta, alpha, (seed, *sweeps), lam, (bound, n, N))
    return gather(docs, tasks, n, N, bound, J)
