"""The global step: natural gradients of the bound as Gaussian sites on the topics' values at the nodes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit, prange

Array = Any  # arrays of compiled code: shapes in the docstrings


@njit(cache=True, parallel=True)
def _log_zeta(m: Array, s: Array, out: Array) -> None:
    J, K, V = m.shape
    for task in prange(J * K):
        j, k = task // K, task % K
        top = -np.inf
        for v in range(V):
            top = max(top, m[j, k, v] + 0.5 * s[j, k, v])
        total = 0.0
        for v in range(V):
            total += math.exp(m[j, k, v] + 0.5 * s[j, k, v] - top)
        out[j, k] = top + math.log(total)


def log_normaliser(m: np.ndarray, s: np.ndarray) -> np.ndarray:
    """log ζ_k(τ) = log Σ_v exp(m_kv(τ) + s_kv(τ)/2).   m, s : (J, K, V).  Returns (J, K)."""
    out = np.empty(m.shape[:2])
    _log_zeta(m, s, out)
    return out


@njit(cache=True, parallel=True)
def _blend(stats: Array, post: Array, mean: Array, caution: float, rho: Array, g: Array, b: Array) -> None:
    n, N = stats
    m, s, log_zeta = post
    J, K, V = m.shape
    for task in prange(J * K):
        j, k = task // K, task % K
        r = rho[k]
        if r == 0.0:
            continue
        for v in range(V):
            mass = N[j, k] * math.exp(m[j, k, v] + 0.5 * s[j, k, v] - log_zeta[j, k])
            curvature = mass + caution * max(0.0, n[j, k, v] - mass)
            g[j, k, v] += r * (n[j, k, v] - mass + curvature * (m[j, k, v] - mean[v]) - g[j, k, v])
            b[j, k, v] += r * (curvature - b[j, k, v])


def step_sites(
    n: np.ndarray,
    N: np.ndarray,
    posterior: tuple[np.ndarray, np.ndarray, np.ndarray],
    mean: np.ndarray,
    caution: float,
    rho: np.ndarray,
    g: np.ndarray,
    b: np.ndarray,
) -> None:
    """Natural-gradient step on the sites, in place.

        b* = N exp(m + s/2 − log ζ),   c = b* + caution · max(0, n − b*)
        g ← (1−ρ) g + ρ (n − b* + c (m − m₀)),   b ← (1−ρ) b + ρ c     [appendix, global variables]

    The sites are on deviations from the prior's mean m₀. With m₀ = 0 and caution 0 the target is the paper's,
    n + b*(m − 1) with precision b*. A positive caution widens the curvature where a word's counts exceed its expected
    mass: the same fixed point for the mean, no overshooting on the way.
    n, g, b : (J, K, V);  N : (J, K);  posterior : m, s (J, K, V) and log ζ (J, K);  mean : (V,);  rho : (K,).
    """
    _blend((n, N), posterior, mean, caution, rho, g, b)


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


def centre_sites(g: np.ndarray, b: np.ndarray, m: np.ndarray) -> np.ndarray:
    """Take out the shift that all words of a topic share, in place; returns what it takes off each topic's KL, (K,).

        c = mean_v m,   d = K⁻¹c = mean_v (g − b m),   m ← m − c,   g ← g − d − b c,   KL ← KL − V/2 Σ_j c d

    The likelihood does not see the shift, so the prior alone decides, and for it no shift is best. Left to the global
    steps it would fade only slowly.   g, b, m : (J, K, V), m the mean deviation under the sites g, b.
    """
    gain = np.empty(m.shape[:2])
    _centre(g, b, m, gain)
    total: np.ndarray = gain.sum(axis=0)
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


def topic_bounds(n: np.ndarray, N: np.ndarray, m: np.ndarray, log_zeta: np.ndarray, kl: np.ndarray) -> np.ndarray:
    """What each topic adds to the bound while the documents' φ stay as they are.

    F_k = Σ_j [Σ_v n_kv m_kv − N_k log ζ_k] − KL_k        n, m : (J, K, V);  N, log_zeta : (J, K);  kl : (K,)
    """
    likelihood = np.empty(m.shape[1])
    _expected_counts(n, m, likelihood)
    bounds: np.ndarray = likelihood - (N * log_zeta).sum(axis=0) - kl
    return bounds
