"""Sweeps over the nodes of a process whose state is its value (Wiener, Ornstein-Uhlenbeck), and a constant beside it.

Every loop over words fills one row of numbers, so that the compiler runs it on several words at once.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from chronotope._typing import Array

compiled = njit(cache=True, error_model="numpy")  # a division by zero is no branch: loops stay vectors


@compiled
def _filter(a: Array, q: Array, p0: float, sites: Array, kept: Array, log_z: Array) -> None:
    """Kalman filter for a state of size one (Wiener, Ornstein-Uhlenbeck): predictions y, sig and log Z.

        σ ← a² σ_f + q,  y ← a y_f,  r = 1/(1 + b σ),  y_f = (y + σ g) r,  σ_f = σ r

    a, q : (J,);  sites : g, b (J, B);  kept : y, sig, r (J, B), filled;  log_z : (B,), filled.
    """
    g, b = sites
    J, B = g.shape
    yf, sf, prod = np.zeros(B), np.full(B, p0), np.ones(B)
    for v in range(B):
        log_z[v] = 0.0
    for j in range(J):
        y, sig, r, gj, bj = kept[0][j], kept[1][j], kept[2][j], g[j], b[j]
        aj = a[j] if j > 0 else 1.0
        aa = aj * aj
        qj = q[j] if j > 0 else 0.0
        for v in range(B):
            sig[v] = aa * sf[v] + qj
        for v in range(B):
            r[v] = 1.0 / (1.0 + bj[v] * sig[v])
        for v in range(B):
            y[v] = aj * yf[v]
        for v in range(B):
            yf[v] = (y[v] + sig[v] * gj[v]) * r[v]
        for v in range(B):
            sf[v] = sig[v] * r[v]
        for v in range(B):
            prod[v] *= r[v]
        for v in range(B):
            log_z[v] += 0.5 * (gj[v] * (2.0 * y[v] + sig[v] * gj[v]) - bj[v] * y[v] * y[v]) * r[v]
        if j % 16 == 15 or j == J - 1:  # a product of sixteen stays in range, and logarithms are dear
            for v in range(B):
                log_z[v] += 0.5 * math.log(prod[v])
                prod[v] = 1.0


@compiled
def _smooth(a: Array, sites: Array, kept: Array) -> None:
    """Adjoint smoother for a state of size one: y, sig from predictions to posterior marginals.

    λ̃ = (λ̂ − (g − b y)) r,   Λ̃ = (Λ̂ r + b) r,   m = y − σ λ̃,   s = σ (1 − σ Λ̃),   λ̂ ← a λ̃,  Λ̂ ← a² Λ̃
    """
    g, b = sites
    J, B = g.shape
    lam, Lam = np.zeros(B), np.zeros(B)
    for j in range(J - 1, -1, -1):
        y, sig, r, gj, bj = kept[0][j], kept[1][j], kept[2][j], g[j], b[j]
        aj = a[j + 1] if j < J - 1 else 0.0
        aa = aj * aj
        for v in range(B):
            lam[v] = (aj * lam[v] - gj[v] + bj[v] * y[v]) * r[v]
        for v in range(B):
            Lam[v] = (aa * Lam[v] * r[v] + bj[v]) * r[v]
        for v in range(B):
            y[v] -= sig[v] * lam[v]
        for v in range(B):
            sig[v] *= 1.0 - sig[v] * Lam[v]


@compiled
def _respond(a: Array, b: Array, kept: Array, R: Array) -> None:
    """How the posterior mean at each node follows the level of the whole process, for a state of size one.

        f = μ + x:   E[f | μ] = m₀ + R μ,   R = 1 − E[x | sites b, b]

    b : (J, B);  kept : of the filter;  R : (J, B), filled.
    """
    J, B = b.shape
    held, lam = np.zeros(B), np.zeros(B)
    for j in range(J):
        sig, r, bj, Rj = kept[1][j], kept[2][j], b[j], R[j]
        aj = a[j] if j > 0 else 1.0
        for v in range(B):
            Rj[v] = aj * held[v]
        for v in range(B):
            held[v] = (Rj[v] + sig[v] * bj[v]) * r[v]
    for j in range(J - 1, -1, -1):
        sig, r, bj, Rj = kept[1][j], kept[2][j], b[j], R[j]
        aj = a[j + 1] if j < J - 1 else 0.0
        for v in range(B):
            lam[v] = (aj * lam[v] - bj[v] + bj[v] * Rj[v]) * r[v]
        for v in range(B):
            Rj[v] = 1.0 - Rj[v] + sig[v] * lam[v]


@compiled
def _lift(level: float, sites: Array, R: Array, kept: Array, log_z: Array) -> None:
    """Add a constant of variance `level`, from the posterior y, sig and log Z without it.

    μ | sites ~ N(G/P, 1/P),   G = Σ_j (g − b m₀),   P = 1/level + Σ_j b R
    m = m₀ + R G/P,   s = s₀ + R²/P,   log Z += G²/2P − ½ log(level P)
    """
    g, b = sites
    J, B = g.shape
    G, P = np.zeros(B), np.full(B, 1.0 / level)
    for j in range(J):
        y, gj, bj, Rj = kept[0][j], g[j], b[j], R[j]
        for v in range(B):
            G[v] += gj[v] - bj[v] * y[v]
        for v in range(B):
            P[v] += bj[v] * Rj[v]
    for v in range(B):
        log_z[v] += 0.5 * G[v] * G[v] / P[v] - 0.5 * math.log(level * P[v])
        P[v] = 1.0 / P[v]
        G[v] *= P[v]
    for j in range(J):
        y, sig, Rj = kept[0][j], kept[1][j], R[j]
        for v in range(B):
            y[v] += Rj[v] * G[v]
        for v in range(B):
            sig[v] += Rj[v] * Rj[v] * P[v]


@compiled
def condition_values(a: Array, q: Array, p0: float, level: float, sites: Array, kept: Array, log_z: Array) -> None:
    """Posterior marginals y, sig of a block of words, and log Z, for a state of size one and a constant beside it.

    a, q : (J,);  level : the constant's variance, 0 for none;  sites : g, b (J, B)
    kept : y, sig (J, B), filled, and r (J, B), scratch;  log_z : (B,), filled
    """
    _filter(a, q, p0, sites, kept, log_z)
    R = np.empty(sites[0].shape if level > 0.0 else (0, 0))
    if level > 0.0:
        _respond(a, sites[1], kept, R)
    _smooth(a, sites, kept)
    if level > 0.0:
        _lift(level, sites, R, kept, log_z)
