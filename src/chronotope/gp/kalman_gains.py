"""A process with state size S = 1, with or without a constant added, whose gains are computed once.

Means under other sites with the same precisions then cost a few operations per node. Every inner loop runs over the
words of a block.
"""

from __future__ import annotations

import math

import numpy as np

from chronotope._typing import Array
from chronotope.gp.kalman_scalar import compiled


@compiled
def gains_of(chain: Array, b: Array, sig: Array, c: Array, log_det: Array) -> None:
    """Predictive variances σ and c = 1/(1 + b σ) of the filter, (J, B), and log|I + K B| = −Σ log c, added to.

    chain : a, q (J,) transition and process noise, p0 variance at the first node;  b : (J, B);  log_det : (B,)
    """
    a, q, p0 = chain
    J, B = b.shape
    prod = np.ones(B)
    for j in range(J):
        if j == 0:
            for v in range(B):
                sig[j, v] = p0
        else:
            aa, qj = a[j] * a[j], q[j]
            for v in range(B):
                sig[j, v] = aa * sig[j - 1, v] * c[j - 1, v] + qj
        for v in range(B):
            c[j, v] = 1.0 / (1.0 + b[j, v] * sig[j, v])
        for v in range(B):
            prod[v] *= c[j, v]
        if j % 16 == 15 or j == J - 1:
            for v in range(B):
                log_det[v] -= math.log(prod[v])
                prod[v] = 1.0


@compiled
def _smoothed(a: Array, h: Array, b: Array, sig: Array, c: Array, m: Array, scratch: Array) -> None:
    """Posterior mean of the process alone under sites with h and b, (J, B), filled.   scratch : (B,)"""
    J, B = b.shape
    for v in range(B):
        m[0, v] = 0.0
    for j in range(1, J):
        for v in range(B):
            m[j, v] = a[j] * (m[j - 1, v] + sig[j - 1, v] * h[j - 1, v]) * c[j - 1, v]
    for v in range(B):
        scratch[v] = 0.0
    for j in range(J - 1, -1, -1):
        after = a[j + 1] if j < J - 1 else 0.0
        for v in range(B):
            scratch[v] = (after * scratch[v] - h[j, v] + b[j, v] * m[j, v]) * c[j, v]
        for v in range(B):
            m[j, v] -= sig[j, v] * scratch[v]


@compiled
def response_of(a: Array, level: float, b: Array, known: Array, log_det: Array, scratch: Array) -> None:
    """Response R of the mean to a level, and its posterior variance P, filled, 0 without one; its log|I + K B|, added.

        R = 1 − E[x | sites b, b],   P = 1 / (1/level + Σ_j b R)

    known : σ, c, R (J, B), P (B,);  scratch : (B,)
    """
    (J, B), (sig, c, R, P) = b.shape, known
    for v in range(B):
        P[v] = 0.0
    if level == 0.0:
        return
    _smoothed(a, b, b, sig, c, R, scratch)
    for v in range(B):
        P[v] = 1.0 / level
    for j in range(J):
        for v in range(B):
            R[j, v] = 1.0 - R[j, v]
        for v in range(B):
            P[v] += b[j, v] * R[j, v]
    for v in range(B):
        log_det[v] += math.log(level * P[v])
        P[v] = 1.0 / P[v]


@compiled
def mean_of(a: Array, level: float, h: Array, b: Array, known: Array, m: Array, scratch: Array) -> None:
    """Posterior mean under sites with h and b, with the level.   known : σ, c, R, P;  m : (J, B);  scratch : (2, B)"""
    (J, B), (sig, c, R, P), G = b.shape, known, scratch[1]
    _smoothed(a, h, b, sig, c, m, scratch[0])
    if level == 0.0:
        return
    for v in range(B):
        G[v] = 0.0
    for j in range(J):
        for v in range(B):
            G[v] += h[j, v] - b[j, v] * m[j, v]
    for v in range(B):
        G[v] *= P[v]
    for j in range(J):
        for v in range(B):
            m[j, v] += R[j, v] * G[v]


@compiled
def variances_of(a: Array, level: float, b: Array, known: Array, s: Array, lag: Array, scratch: Array) -> None:
    """Posterior variances, and covariances with the node before, (J, B), filled, these if `lag` has rows.

    s = σ (1 − σ Λ̃),   cov(x_{j−1}, x_j) = a σ_{j−1} c_{j−1} (1 − σ_j Λ̃_j)        known : σ, c, R, P;  scratch : (B,)
    """
    (J, B), (sig, c, R, P) = b.shape, known
    for v in range(B):
        scratch[v] = 0.0
    for j in range(J - 1, -1, -1):
        after = a[j + 1] * a[j + 1] if j < J - 1 else 0.0
        for v in range(B):
            scratch[v] = (after * scratch[v] * c[j, v] + b[j, v]) * c[j, v]
        for v in range(B):
            s[j, v] = sig[j, v] * (1.0 - sig[j, v] * scratch[v])
        if j > 0 and len(lag):
            for v in range(B):
                lag[j, v] = a[j] * sig[j - 1, v] * c[j - 1, v] * (1.0 - sig[j, v] * scratch[v])
        if level > 0.0:
            for v in range(B):
                s[j, v] += R[j, v] * R[j, v] * P[v]
            if j > 0 and len(lag):
                for v in range(B):
                    lag[j, v] += R[j - 1, v] * R[j, v] * P[v]
