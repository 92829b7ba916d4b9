"""Kalman filter and smoother of processes with state size S = 1 (Wiener, Ornstein-Uhlenbeck), for a block of B words.

The process may have a constant added to it, without a larger state.

Each inner loop runs over the words and fills one row, so that the compiler vectorises it.
"""

from __future__ import annotations

import math

from chronotope._typing import Array
from chronotope.loops import inlined, inner

compiled = inner()


@compiled
def _filter(chain: Array, g: Array, b: Array, moments: Array, log_z: Array, scratch: Array) -> None:
    """Kalman filter, S = 1: predictive means y and variances σ at the nodes, and the log normaliser log Z.

        y ← a y_f,  σ ← a² σ_f + q,  c = 1/(1 + b σ),  y_f = (y + σ g) c,  σ_f = σ c
        log Z += (g (2 y + σ g) − b y²) c/2 + ½ log c

    chain : a, q (J,) transition and process noise to each node, p0 prior variance at the first;  g, b : (J, B)
    moments : y, sig, c (J, B), filled;  log_z : (B,), filled;  scratch : (3, B)
    """
    a, q, p0 = chain
    (J, B), (y, sig, c) = g.shape, moments
    yf, sf, prod = scratch[0], scratch[1], scratch[2]
    for v in range(B):
        yf[v], sf[v], prod[v], log_z[v] = 0.0, p0, 1.0, 0.0
    for j in range(J):
        aj = a[j] if j > 0 else 1.0
        aa = aj * aj
        qj = q[j] if j > 0 else 0.0
        for v in range(B):
            sig[j, v] = aa * sf[v] + qj
        for v in range(B):
            c[j, v] = 1.0 / (1.0 + b[j, v] * sig[j, v])
        for v in range(B):
            y[j, v] = aj * yf[v]
        for v in range(B):
            yf[v] = (y[j, v] + sig[j, v] * g[j, v]) * c[j, v]
        for v in range(B):
            sf[v] = sig[j, v] * c[j, v]
        for v in range(B):
            prod[v] *= c[j, v]
        for v in range(B):
            log_z[v] += 0.5 * (g[j, v] * (2.0 * y[j, v] + sig[j, v] * g[j, v]) - b[j, v] * y[j, v] * y[j, v]) * c[j, v]
        if j % 16 == 15 or j == J - 1:  # one logarithm for 16 nodes: a product of 16 does not underflow
            for v in range(B):
                log_z[v] += 0.5 * math.log(prod[v])
                prod[v] = 1.0


@compiled
def _smooth(a: Array, g: Array, b: Array, moments: Array, scratch: Array) -> None:
    """Adjoint (Bryson-Frazier) smoother, S = 1: marginals m, s from the predictive moments y, σ, which they overwrite.

        λ̃ = (λ̂ − (g − b y)) c,   Λ̃ = (Λ̂ c + b) c,   m = y − σ λ̃,   s = σ (1 − σ Λ̃),   λ̂ ← a λ̃,  Λ̂ ← a² Λ̃

    a : (J,);  g, b : (J, B);  moments : y, sig, c (J, B); y, sig become m, s;  scratch : (2, B) or more
    """
    (J, B), (y, sig, c) = g.shape, moments
    lam, Lam = scratch[0], scratch[1]
    for v in range(B):
        lam[v], Lam[v] = 0.0, 0.0
    for j in range(J - 1, -1, -1):
        aj = a[j + 1] if j < J - 1 else 0.0
        aa = aj * aj
        for v in range(B):
            lam[v] = (aj * lam[v] - g[j, v] + b[j, v] * y[j, v]) * c[j, v]
        for v in range(B):
            Lam[v] = (aa * Lam[v] * c[j, v] + b[j, v]) * c[j, v]
        for v in range(B):
            y[j, v] -= sig[j, v] * lam[v]
        for v in range(B):
            sig[j, v] *= 1.0 - sig[j, v] * Lam[v]


@compiled
def _level_response(a: Array, b: Array, moments: Array, R: Array, scratch: Array) -> None:
    """Response R of the posterior mean at each node to a level μ added to the process x, S = 1.

        f = μ + x:   E[f | μ] = m₀ + R μ,   R = 1 − E[x | sites b, b]

    a : (J,);  b : (J, B);  moments : y, sig, c (J, B) of the filter;  R : (J, B), filled
    scratch : (2, B) or more
    """
    (J, B), (_, sig, c) = b.shape, moments
    filtered, lam = scratch[0], scratch[1]
    for v in range(B):
        filtered[v], lam[v] = 0.0, 0.0
    for j in range(J):
        aj = a[j] if j > 0 else 1.0
        for v in range(B):
            R[j, v] = aj * filtered[v]
        for v in range(B):
            filtered[v] = (R[j, v] + sig[j, v] * b[j, v]) * c[j, v]
    for j in range(J - 1, -1, -1):
        aj = a[j + 1] if j < J - 1 else 0.0
        for v in range(B):
            lam[v] = (aj * lam[v] - b[j, v] + b[j, v] * R[j, v]) * c[j, v]
        for v in range(B):
            R[j, v] = 1.0 - R[j, v] + sig[j, v] * lam[v]


@compiled
def _add_level(level: float, g: Array, b: Array, moments: Array, R: Array, log_z: Array, scratch: Array) -> None:
    """Posterior of the process plus a constant μ ~ N(0, level), from m₀, s₀ and log Z of the process alone.

        μ | sites ~ N(G/P, 1/P),   G = Σ_j (g − b m₀),   P = 1/level + Σ_j b R
        m = m₀ + R G/P,   s = s₀ + R²/P,   log Z += G²/2P − ½ log(level P)

    level : variance of the constant;  g, b : (J, B);  R : (J, B);  scratch : (2, B) or more
    moments : m₀, s₀ (J, B) and log_z : (B,), overwritten by those of the sum
    """
    (J, B), (y, sig, _) = g.shape, moments
    G, P = scratch[0], scratch[1]
    for v in range(B):
        G[v], P[v] = 0.0, 1.0 / level
    for j in range(J):
        for v in range(B):
            G[v] += g[j, v] - b[j, v] * y[j, v]
        for v in range(B):
            P[v] += b[j, v] * R[j, v]
    for v in range(B):
        log_z[v] += 0.5 * G[v] * G[v] / P[v] - 0.5 * math.log(level * P[v])
        P[v] = 1.0 / P[v]
        G[v] *= P[v]
    for j in range(J):
        for v in range(B):
            y[j, v] += R[j, v] * G[v]
        for v in range(B):
            sig[j, v] += R[j, v] * R[j, v] * P[v]


@inlined
def condition_values(
    chain: Array, level: float, sites: Array, moments: Array, R: Array, log_z: Array, scratch: Array
) -> None:
    """Posterior marginals and log Z of a block of words, S = 1, with or without a constant added to the process.

    chain : a, q (J,) transition and process noise, p0 prior variance at the first node
    level : variance of the constant, 0 for none;  sites : g, b (J, B)
    moments : m, s (J, B), filled, and scratch;  log_z : (B,), filled;  R : (J, B), scratch;  scratch : (3, B) or more
    """
    (g, b), a = sites, chain[0]
    _filter(chain, g, b, moments, log_z, scratch)
    if level > 0.0:
        _level_response(a, b, moments, R, scratch)
    _smooth(a, g, b, moments, scratch)
    if level > 0.0:
        _add_level(level, g, b, moments, R, log_z, scratch)
