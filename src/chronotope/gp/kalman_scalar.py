"""Kalman filter and smoother of processes with state size S = 1 (Wiener, Ornstein-Uhlenbeck), for a block of B words.

The process may have a constant added to it, without a larger state.

Each inner loop runs over the words and fills one row, so that the compiler vectorises it.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from chronotope._typing import Array

compiled = njit(cache=True, error_model="numpy")  # no branch for a division by zero, so that loops vectorise


@compiled
def _filter(a: Array, q: Array, p0: float, sites: Array, moments: Array, log_z: Array) -> None:
    """Kalman filter, S = 1: predictive means y and variances σ at the nodes, and the log normaliser log Z.

        y ← a y_f,  σ ← a² σ_f + q,  c = 1/(1 + b σ),  y_f = (y + σ g) c,  σ_f = σ c
        log Z += (g (2 y + σ g) − b y²) c/2 + ½ log c

    a, q : (J,) transition and process noise to each node;  p0 : prior variance at the first;  sites : g, b (J, B)
    moments : y, sig, c (J, B), filled;  log_z : (B,), filled
    """
    g, b = sites
    J, B = g.shape
    yf, sf, prod = np.zeros(B), np.full(B, p0), np.ones(B)
    for v in range(B):
        log_z[v] = 0.0
    for j in range(J):
        y, sig, c, gj, bj = moments[0][j], moments[1][j], moments[2][j], g[j], b[j]
        aj = a[j] if j > 0 else 1.0
        aa = aj * aj
        qj = q[j] if j > 0 else 0.0
        for v in range(B):
            sig[v] = aa * sf[v] + qj
        for v in range(B):
            c[v] = 1.0 / (1.0 + bj[v] * sig[v])
        for v in range(B):
            y[v] = aj * yf[v]
        for v in range(B):
            yf[v] = (y[v] + sig[v] * gj[v]) * c[v]
        for v in range(B):
            sf[v] = sig[v] * c[v]
        for v in range(B):
            prod[v] *= c[v]
        for v in range(B):
            log_z[v] += 0.5 * (gj[v] * (2.0 * y[v] + sig[v] * gj[v]) - bj[v] * y[v] * y[v]) * c[v]
        if j % 16 == 15 or j == J - 1:  # one logarithm for 16 nodes: a product of 16 does not underflow
            for v in range(B):
                log_z[v] += 0.5 * math.log(prod[v])
                prod[v] = 1.0


@compiled
def _smooth(a: Array, sites: Array, moments: Array) -> None:
    """Adjoint (Bryson-Frazier) smoother, S = 1: marginals m, s from the predictive moments y, σ, which they overwrite.

        λ̃ = (λ̂ − (g − b y)) c,   Λ̃ = (Λ̂ c + b) c,   m = y − σ λ̃,   s = σ (1 − σ Λ̃),   λ̂ ← a λ̃,  Λ̂ ← a² Λ̃

    a : (J,);  sites : g, b (J, B);  moments : y, sig, c (J, B); y, sig become m, s
    """
    g, b = sites
    J, B = g.shape
    lam, Lam = np.zeros(B), np.zeros(B)
    for j in range(J - 1, -1, -1):
        y, sig, c, gj, bj = moments[0][j], moments[1][j], moments[2][j], g[j], b[j]
        aj = a[j + 1] if j < J - 1 else 0.0
        aa = aj * aj
        for v in range(B):
            lam[v] = (aj * lam[v] - gj[v] + bj[v] * y[v]) * c[v]
        for v in range(B):
            Lam[v] = (aa * Lam[v] * c[v] + bj[v]) * c[v]
        for v in range(B):
            y[v] -= sig[v] * lam[v]
        for v in range(B):
            sig[v] *= 1.0 - sig[v] * Lam[v]


@compiled
def _level_response(a: Array, b: Array, moments: Array, R: Array) -> None:
    """Response R of the posterior mean at each node to a level μ added to the process x, S = 1.

        f = μ + x:   E[f | μ] = m₀ + R μ,   R = 1 − E[x | sites b, b]

    a : (J,);  b : (J, B);  moments : y, sig, c (J, B) of the filter;  R : (J, B), filled
    """
    J, B = b.shape
    filtered, lam = np.zeros(B), np.zeros(B)
    for j in range(J):
        sig, c, bj, Rj = moments[1][j], moments[2][j], b[j], R[j]
        aj = a[j] if j > 0 else 1.0
        for v in range(B):
            Rj[v] = aj * filtered[v]
        for v in range(B):
            filtered[v] = (Rj[v] + sig[v] * bj[v]) * c[v]
    for j in range(J - 1, -1, -1):
        sig, c, bj, Rj = moments[1][j], moments[2][j], b[j], R[j]
        aj = a[j + 1] if j < J - 1 else 0.0
        for v in range(B):
            lam[v] = (aj * lam[v] - bj[v] + bj[v] * Rj[v]) * c[v]
        for v in range(B):
            Rj[v] = 1.0 - Rj[v] + sig[v] * lam[v]


@compiled
def _add_level(level: float, sites: Array, R: Array, moments: Array, log_z: Array) -> None:
    """Posterior of the process plus a constant μ ~ N(0, level), from m₀, s₀ and log Z of the process alone.

        μ | sites ~ N(G/P, 1/P),   G = Σ_j (g − b m₀),   P = 1/level + Σ_j b R
        m = m₀ + R G/P,   s = s₀ + R²/P,   log Z += G²/2P − ½ log(level P)

    level : variance of the constant;  sites : g, b (J, B);  R : (J, B)
    moments : m₀, s₀ (J, B) and log_z : (B,), overwritten by those of the sum
    """
    g, b = sites
    J, B = g.shape
    G, P = np.zeros(B), np.full(B, 1.0 / level)
    for j in range(J):
        y, gj, bj, Rj = moments[0][j], g[j], b[j], R[j]
        for v in range(B):
            G[v] += gj[v] - bj[v] * y[v]
        for v in range(B):
            P[v] += bj[v] * Rj[v]
    for v in range(B):
        log_z[v] += 0.5 * G[v] * G[v] / P[v] - 0.5 * math.log(level * P[v])
        P[v] = 1.0 / P[v]
        G[v] *= P[v]
    for j in range(J):
        y, sig, Rj = moments[0][j], moments[1][j], R[j]
        for v in range(B):
            y[v] += Rj[v] * G[v]
        for v in range(B):
            sig[v] += Rj[v] * Rj[v] * P[v]


@compiled
def condition_values(a: Array, q: Array, p0: float, level: float, sites: Array, moments: Array, log_z: Array) -> None:
    """Posterior marginals and log Z of a block of words, S = 1, with or without a constant added to the process.

    a, q : (J,) transition and process noise;  p0 : prior variance at the first node
    level : variance of the constant, 0 for none;  sites : g, b (J, B)
    moments : (J, B) each; m, s, filled, and scratch;  log_z : (B,), filled
    """
    _filter(a, q, p0, sites, moments, log_z)
    R = np.empty(sites[0].shape if level > 0.0 else (0, 0))
    if level > 0.0:
        _level_response(a, sites[1], moments, R)
    _smooth(a, sites, moments)
    if level > 0.0:
        _add_level(level, sites, R, moments, log_z)
