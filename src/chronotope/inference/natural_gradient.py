"""The global step: natural gradients of the bound, as Gaussian sites on the topics' logits at the nodes.

The paper's update of one topic at one node, word by word (docs/maths.md, "The global step", has the same lines):

    b* = N exp(m + s/2 − log ζ)              expected counts of each word
    c  = b* + caution · max(0, n − b*)       curvature
    g* = n − b* + c (m − m₀)
    g ← (1−ρ) g + ρ g*,   b ← (1−ρ) b + ρ c                       [appendix, global variables]
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit, prange

from chronotope._typing import Array, Floats, Values
from chronotope.inference.simd import exponentials


@njit(cache=True, error_model="numpy")
def _step_row(counts: Array, posterior: Array, m0: Array, size: Array, g: Array, b: Array) -> None:
    """One topic at one node.   counts : n (V,), N;  posterior : m, s (V,), log ζ;  size : caution, ρ;  g, b : (V,)."""
    n, N = counts
    m, s, log_zeta = posterior
    caution, rho, zero, total = m.dtype.type(size[0]), m.dtype.type(size[1]), m.dtype.type(0.0), m.dtype.type(N)
    b_star = np.empty(len(m), m.dtype)
    _probabilities(m, s, log_zeta, b_star)
    for v in range(len(g)):
        b_star[v] *= total
    for v in range(len(g)):
        c = b_star[v] + caution * max(zero, n[v] - b_star[v])
        g_star = n[v] - b_star[v] + c * (m[v] - m0[v])
        g[v] += rho * (g_star - g[v])
        b[v] += rho * (c - b[v])


@njit(cache=True, parallel=True)
def natural_gradient_step(
    statistics: Array, posterior: Array, m0: Array, caution: float, rho: Array, g: Array, b: Array
) -> None:
    """Move the sites of all topics at all nodes towards the optimum of the bound, in place.

    The sites are on deviations from the prior mean m₀. With m₀ = 0 and caution 0 the target is the paper's,
    n + b*(m − 1) with precision b*. A positive caution increases the curvature where a word's counts exceed their
    expectation: the fixed point of the mean is the same, and the step does not overshoot.

    statistics : expected counts n (J, K, V) and their totals N (J, K)
    posterior : marginals m, s (J, K, V) and log ζ (J, K)
    m0 : (J, V) prior mean;  caution : from 1 (safe) to 0 (the paper's);  rho : (K,) step size of each topic, 0 for none
    g, b : (J, K, V) sites, updated
    """
    n, N = statistics
    m, s, log_zeta = posterior
    for task in prange(N.size):
        j, k = task // len(rho), task % len(rho)
        if rho[k] > 0.0:
            counts, marginals = (n[j, k], N[j, k]), (m[j, k], s[j, k], log_zeta[j, k])
            _step_row(counts, marginals, m0[j], (caution, rho[k]), g[j, k], b[j, k])


@njit(cache=True, error_model="numpy")
def _common_row(n: Array, N: Array, posterior: Array, common: Array, size: Array, g: Array, b: Array) -> None:
    """The sites of the common part at one node.   n, m, s : (K, V);  N, log_zeta : (K,);  common, g, b : (V,)."""
    m, s, log_zeta = posterior
    caution, rho, zero = m.dtype.type(size[0]), m.dtype.type(size[1]), m.dtype.type(0.0)
    left, curvature, b_star = np.zeros_like(common), np.zeros_like(common), np.empty_like(common)
    for k in range(len(N)):
        _probabilities(m[k], s[k], log_zeta[k], b_star)
        total = m.dtype.type(N[k])
        for v in range(len(g)):
            expected = total * b_star[v]
            left[v] += n[k, v] - expected
            curvature[v] += expected + caution * max(zero, n[k, v] - expected)
    for v in range(len(g)):
        g[v] += rho * (left[v] + curvature[v] * common[v] - g[v])
        b[v] += rho * (curvature[v] - b[v])


@njit(cache=True, parallel=True)
def common_gradient_step(
    statistics: Array, posterior: Array, common: Array, caution: float, rho: float, g: Array, b: Array
) -> None:
    """Move the sites of the part u that all topics share towards the optimum of the bound, in place.

        c = Σ_k c_k,   g* = Σ_k (n_k − b*_k) + c u        as for a single topic, with the sums over all topics

    statistics, posterior, caution : as in `natural_gradient_step`, m and s those of the whole logits
    common : (J, V) mean of u;  rho : step size;  g, b : (J, V) sites of u, updated
    """
    n, N = statistics
    m, s, log_zeta = posterior
    for j in prange(len(N)):
        _common_row(n[j], N[j], (m[j], s[j], log_zeta[j]), common[j], (caution, rho), g[j], b[j])


@njit(cache=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _probabilities(m: Array, s: Array, shift: float, x: Array) -> float:
    """x = exp(m + s/2 − shift) of one topic at one node, (V,), filled; returns the sum."""
    half, off = m.dtype.type(0.5), m.dtype.type(shift)
    for v in range(len(m)):
        x[v] = m[v] + half * s[v] - off
    exponentials(x)
    total = 0.0
    for v in range(len(m)):
        total += x[v]
    return total


@njit(cache=True, error_model="numpy", fastmath={"reassoc"})
def _highest(m: Array, s: Array) -> Any:
    """The largest m + s/2, about."""
    half, top = m.dtype.type(0.5), m[0]
    for v in range(len(m)):
        top = max(top, m[v] + half * s[v])
    return top


@njit(cache=True)
def _log_zeta_row(m: Array, s: Array) -> Any:
    top = _highest(m, s)
    return top + math.log(_probabilities(m, s, top, np.empty(len(m), m.dtype)))


@njit(cache=True, parallel=True)
def _log_zeta(m: Array, s: Array, out: Array) -> None:
    for task in prange(out.size):
        j, k = task // out.shape[1], task % out.shape[1]
        out[j, k] = _log_zeta_row(m[j, k], s[j, k])


def log_normaliser(m: Values, s: Values) -> Floats:
    """log ζ_k(τ) = log Σ_v exp(m_kv(τ) + s_kv(τ)/2).   m, s : (J, K, V).  Returns (J, K)."""
    out = np.empty(m.shape[:2])
    _log_zeta(m, s, out)
    return out


@njit(cache=True, parallel=True)
def _centre(g: Array, b: Array, m: Array, gain: Array) -> None:
    J, K, V = m.shape
    for task in prange(J * K):
        j, k = task // K, task % K
        c, d = 0.0, 0.0
        for v in range(V):
            c += m[j, k, v]
            d += g[j, k, v] - b[j, k, v] * m[j, k, v]
        c /= V
        d /= V
        for v in range(V):
            g[j, k, v] -= d + b[j, k, v] * c
            m[j, k, v] -= c
        gain[j, k] = 0.5 * V * c * d


def centre_sites(g: Values, b: Values, m: Values) -> Floats:
    """Remove the shift that all words of a topic share, in place; returns what it takes off each topic's KL, (K,).

        c = mean_v m,   d = K⁻¹c = mean_v (g − b m),   m ← m − c,   g ← g − d − b c,   KL ← KL − V/2 Σ_j c d

    The likelihood does not depend on the shift, so the prior alone decides, and its optimum is no shift. Left to the
    global steps it would fade only slowly.   g, b, m : (J, K, V), m the mean deviation under the sites g, b.
    """
    gain = np.empty(m.shape[:2])
    _centre(g, b, m, gain)
    total: Floats = gain.sum(axis=0)
    return total


@njit(cache=True)
def _balance_row(own: Array, mean: Array, common: Array, share: float, gain: Array) -> None:
    """One node.   own : g, b, m (K, V);  mean : (V,);  common : g, b, u (V,);  gain : (K + 1,), filled."""
    g, b, m = own
    common_g, common_b, u = common
    K, V = m.shape
    weight, shift, slope = share / (1.0 - share + share * K), np.zeros(V), np.zeros(V)
    for k in range(K):
        for v in range(V):
            e = m[k, v] - mean[v]
            shift[v] += e
            slope[v] += (1.0 - share) * (g[k, v] - b[k, v] * e)
    for v in range(V):
        pull = common_g[v] - common_b[v] * u[v]
        shift[v] = u[v] - weight * (shift[v] + K * u[v])
        slope[v] = share * pull - weight * (slope[v] + K * share * pull)
        gain[K] += shift[v] * (0.5 * slope[v] / share - pull)
        common_g[v] -= slope[v] / share + common_b[v] * shift[v]
        u[v] -= shift[v]
    for k in range(K):
        for v in range(V):
            pull, change = g[k, v] - b[k, v] * (m[k, v] - mean[v]), slope[v] / (1.0 - share)
            gain[k] += shift[v] * (0.5 * change + pull)
            g[k, v] += change + b[k, v] * shift[v]


@njit(cache=True, parallel=True)
def _balance(own: Array, mean: Array, common: Array, share: float, gain: Array) -> None:
    g, b, m = own
    common_g, common_b, u = common
    for j in prange(len(m)):
        _balance_row((g[j], b[j], m[j]), mean[j], (common_g[j], common_b[j], u[j]), share, gain[j])


def balance_sites(own: Array, mean: Values, common: Array, share: float) -> Floats:
    """Move the mean of the common part u to its optimum while the logits stay, in place; returns the change of the KLs.

        u* = η Σ_k (e_k + u) / (1 − η + η K),   δ = u − u*,   d = κ⁻¹δ
        e_k ← e_k + δ,   g_k ← g_k + d/(1−η) + b_k δ,   u ← u − δ,   g_u ← g_u − d/η − b_u δ

    The likelihood depends on the logits e_k + u alone, so the prior decides what of them is common. d follows from
    K⁻¹m = g − b m of each part. Left to the global steps, what is common would leave the topics' own parts only slowly.

    own : g, b, m (J, K, V), m the mean of the logits;  mean : (J, V) m₀ + u;  common : g, b, u (J, V);  share : η
    Returns (K + 1,), of each topic and of the common part.
    """
    gain = np.zeros((len(mean), own[0].shape[1] + 1))
    _balance(own, mean, common, share, gain)
    total: Floats = gain.sum(axis=0)
    return total


@njit(cache=True, parallel=True)
def _expected_counts(n: Array, m: Array, out: Array) -> None:
    J, K, V = m.shape
    for k in prange(K):
        total = 0.0
        for j in range(J):
            for v in range(V):
                total += n[j, k, v] * m[j, k, v]
        out[k] = total


def topic_bounds(n: Values, N: Floats, m: Values, log_zeta: Floats, kl: Floats) -> Floats:
    """Each topic's part of the bound while the documents' φ are fixed, (K,).

    F_k = Σ_j [Σ_v n_kv m_kv − N_k log ζ_k] − KL_k        n, m : (J, K, V);  N, log_zeta : (J, K);  kl : (K,)
    """
    likelihood = np.empty(m.shape[1])
    _expected_counts(n, m, likelihood)
    bounds: Floats = likelihood - (N * log_zeta).sum(axis=0) - kl
    return bounds
