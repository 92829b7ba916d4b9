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

from chronotope._typing import Array, Floats, Values
from chronotope.inference.simd import exponentials
from chronotope.loops import FAST, inner, outer, run_loop


@outer()
def _step_sites(
    first: int, last: int, statistics: Array, posterior: Array, m0: Array, size: Array, g: Array, b: Array
) -> None:
    """Pairs of a node and a topic from first to last; see `natural_gradient_step`.   size : caution, ρ (K,)."""
    (n, N), (m, s, log_zeta) = statistics, posterior
    _, K, V = g.shape
    caution, zero, b_star = m.dtype.type(size[0]), m.dtype.type(0.0), np.empty(V, m.dtype)
    for task in range(first, last):
        j, k = task // K, task % K
        rho, total = m.dtype.type(size[1][k]), m.dtype.type(N[j, k])
        if rho == zero:
            continue
        _probabilities(m[j, k], s[j, k], log_zeta[j, k], b_star)
        for v in range(V):
            b_star[v] *= total
        for v in range(V):
            c = b_star[v] + caution * max(zero, n[j, k, v] - b_star[v])
            g_star = n[j, k, v] - b_star[v] + c * (m[j, k, v] - m0[j, v])
            g[j, k, v] += rho * (g_star - g[j, k, v])
            b[j, k, v] += rho * (c - b[j, k, v])


def natural_gradient_step(
    statistics: Array, posterior: Array, m0: Values, caution: float, rho: Floats, g: Values, b: Values
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
    mean, sizes = (np.require(x, requirements="W") for x in (m0, rho))  # one type of arrays: the loop is compiled once
    run_loop(_step_sites, statistics[1].size, statistics, posterior, mean, (float(caution), sizes), g, b)


@outer()
def _step_common(
    first: int, last: int, statistics: Array, posterior: Array, common: Array, size: Array, g: Array, b: Array
) -> None:
    """Nodes from first to last; see `common_gradient_step`.   size : caution, ρ."""
    (n, N), (m, s, log_zeta) = statistics, posterior
    _, K, V = m.shape
    caution, rho, zero = m.dtype.type(size[0]), m.dtype.type(size[1]), m.dtype.type(0.0)
    left, curvature, b_star = np.empty(V, m.dtype), np.empty(V, m.dtype), np.empty(V, m.dtype)
    for j in range(first, last):
        for v in range(V):
            left[v], curvature[v] = zero, zero
        for k in range(K):
            _probabilities(m[j, k], s[j, k], log_zeta[j, k], b_star)
            total = m.dtype.type(N[j, k])
            for v in range(V):
                expected = total * b_star[v]
                left[v] += n[j, k, v] - expected
                curvature[v] += expected + caution * max(zero, n[j, k, v] - expected)
        for v in range(V):
            g[j, v] += rho * (left[v] + curvature[v] * common[j, v] - g[j, v])
            b[j, v] += rho * (curvature[v] - b[j, v])


def common_gradient_step(
    statistics: Array, posterior: Array, common: Values, caution: float, rho: float, g: Values, b: Values
) -> None:
    """Move the sites of the part u that all topics share towards the optimum of the bound, in place.

        c = Σ_k c_k,   g* = Σ_k (n_k − b*_k) + c u        as for a single topic, with the sums over all topics

    statistics, posterior, caution : as in `natural_gradient_step`, m and s those of the whole logits
    common : (J, V) mean of u;  rho : step size;  g, b : (J, V) sites of u, updated
    """
    run_loop(_step_common, len(g), statistics, posterior, common, (float(caution), float(rho)), g, b)


@inner(fastmath=FAST)
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


@inner(fastmath={"reassoc"})
def _highest(m: Array, s: Array) -> Any:
    """The largest m + s/2, about."""
    half, top = m.dtype.type(0.5), m[0]
    for v in range(len(m)):
        top = max(top, m[v] + half * s[v])
    return top


@outer()
def _log_zeta(first: int, last: int, m: Array, s: Array, out: Array) -> None:
    """Pairs of a node and a topic from first to last; see `log_normaliser`."""
    _, K, V = m.shape
    x = np.empty(V, m.dtype)
    for task in range(first, last):
        j, k = task // K, task % K
        top = _highest(m[j, k], s[j, k])
        out[j, k] = top + math.log(_probabilities(m[j, k], s[j, k], np.float64(top), x))


def log_normaliser(m: Values, s: Values) -> Floats:
    """log ζ_k(τ) = log Σ_v exp(m_kv(τ) + s_kv(τ)/2).   m, s : (J, K, V).  Returns (J, K)."""
    out = np.empty(m.shape[:2])
    run_loop(_log_zeta, out.size, m, s, out)
    return out


@outer()
def _centre(first: int, last: int, g: Array, b: Array, m: Array, gain: Array) -> None:
    """Pairs of a node and a topic from first to last; see `centre_sites`.   gain : (J, K), filled."""
    _, K, V = m.shape
    for task in range(first, last):
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
    run_loop(_centre, gain.size, g, b, m, gain)
    total: Floats = gain.sum(axis=0)
    return total


@outer()
def _balance(first: int, last: int, own: Array, mean: Array, common: Array, share: float, gain: Array) -> None:
    """Nodes from first to last; see `balance_sites`.   gain : (J, K + 1), updated."""
    (g, b, m), (common_g, common_b, u) = own, common
    _, K, V = m.shape
    weight, shift, slope = share / (1.0 - share + share * K), np.empty(V), np.empty(V)
    for j in range(first, last):
        for v in range(V):
            shift[v], slope[v] = 0.0, 0.0
        for k in range(K):
            for v in range(V):
                e = m[j, k, v] - mean[j, v]
                shift[v] += e
                slope[v] += (1.0 - share) * (g[j, k, v] - b[j, k, v] * e)
        for v in range(V):
            pull = common_g[j, v] - common_b[j, v] * u[j, v]
            shift[v] = u[j, v] - weight * (shift[v] + K * u[j, v])
            slope[v] = share * pull - weight * (slope[v] + K * share * pull)
            gain[j, K] += shift[v] * (0.5 * slope[v] / share - pull)
            common_g[j, v] -= slope[v] / share + common_b[j, v] * shift[v]
            u[j, v] -= shift[v]
        for k in range(K):
            for v in range(V):
                pull, change = g[j, k, v] - b[j, k, v] * (m[j, k, v] - mean[j, v]), slope[v] / (1.0 - share)
                gain[j, k] += shift[v] * (0.5 * change + pull)
                g[j, k, v] += change + b[j, k, v] * shift[v]


def balance_sites(own: Array, mean: Values, common: Array, share: float) -> Floats:
    """Move the mean of the common part u to its optimum while the logits stay, in place; returns the change of the KLs.

        u* = η Σ_k (e_k + u) / (1 − η + η K),   δ = u − u*,   d = κ⁻¹δ
        e_k ← e_k + δ,   g_k ← g_k + d/(1−η) + b_k δ,   u ← u − δ,   g_u ← g_u − d/η − b_u δ

    The likelihood depends on the logits e_k + u alone, so the prior decides what of them is common: its kernels are
    (1 − η) κ for e_k and η κ for u. d follows from K⁻¹m = g − b m of each part. Left to the global steps, what is
    common would leave the topics' own parts only slowly.

    own : g, b, m (J, K, V), m the mean of the logits;  mean : (J, V) m₀ + u;  common : g, b, u (J, V);  share : η
    Returns (K + 1,), of each topic and of the common part.
    """
    gain = np.zeros((len(mean), own[0].shape[1] + 1))
    run_loop(_balance, len(mean), own, mean, common, share, gain)
    total: Floats = gain.sum(axis=0)
    return total


@outer()
def _expected_counts(first: int, last: int, n: Array, m: Array, out: Array) -> None:
    """Topics from first to last; see `topic_bounds`.   out : (K,), filled."""
    J, _, V = m.shape
    for k in range(first, last):
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
    run_loop(_expected_counts, m.shape[1], n, m, likelihood)
    with np.errstate(over="ignore", invalid="ignore"):  # numbers that are not finite end a fit, see `Guard`
        bounds: Floats = likelihood - (N * log_zeta).sum(axis=0) - kl
    return bounds
