"""The global step: natural gradients of the bound as Gaussian sites on the topics' values at the nodes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit, prange

from chronotope._typing import Array
from chronotope.inference.simd import exponentials


@njit(cache=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _shares(m: Array, s: Array, shift: float, x: Array) -> float:
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
    return top + math.log(_shares(m, s, top, np.empty(len(m), m.dtype)))


@njit(cache=True, parallel=True)
def _log_zeta(m: Array, s: Array, out: Array) -> None:
    for task in prange(out.size):
        j, k = task // out.shape[1], task % out.shape[1]
        out[j, k] = _log_zeta_row(m[j, k], s[j, k])


def log_normaliser(m: np.ndarray, s: np.ndarray) -> np.ndarray:
    """log ζ_k(τ) = log Σ_v exp(m_kv(τ) + s_kv(τ)/2).   m, s : (J, K, V).  Returns (J, K)."""
    out = np.empty(m.shape[:2])
    _log_zeta(m, s, out)
    return out


@njit(cache=True, error_model="numpy")
def _blend_row(n: Array, N: float, post: Array, mean: Array, how: Array, g: Array, b: Array) -> None:
    """One topic at one node: see `step_sites`.   n, mean, g, b : (V,);  post : m, s, log ζ;  how : caution, rho."""
    m, s, log_zeta = post
    caution, rho, none, total = m.dtype.type(how[0]), m.dtype.type(how[1]), m.dtype.type(0.0), m.dtype.type(N)
    mass = np.empty(len(m), m.dtype)
    _shares(m, s, log_zeta, mass)
    for v in range(len(g)):
        mass[v] *= total
    for v in range(len(g)):
        c = mass[v] + caution * max(none, n[v] - mass[v])
        g[v] += rho * (n[v] - mass[v] + c * (m[v] - mean[v]) - g[v])
        b[v] += rho * (c - b[v])


@njit(cache=True, parallel=True)
def _blend(stats: Array, post: Array, mean: Array, caution: float, rho: Array, g: Array, b: Array) -> None:
    n, N = stats
    m, s, log_zeta = post
    for task in prange(N.size):
        j, k = task // len(rho), task % len(rho)
        if rho[k] > 0.0:
            one = m[j, k], s[j, k], log_zeta[j, k]
            _blend_row(n[j, k], N[j, k], one, mean, (caution, rho[k]), g[j, k], b[j, k])


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
