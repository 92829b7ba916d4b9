"""One forward and one backward sweep over the nodes of a Markov process, for many words at once.

Sites exp(g f − b f²/2) on the value f = H x of the state x turn the prior chain into a posterior chain. The filter is
in covariance form and the smoother in adjoint form: nothing is inverted, so constant components (no process noise),
equal times and rank-deficient states need no special care.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit, prange

WORDS = 64  # words that share one task: their scratch stays in the second-level cache
Array = Any  # arrays of compiled code: shapes in the docstrings


@njit(cache=True)
def _filter_values(a: Array, q: Array, p0: float, g: Array, b: Array, y: Array, sig: Array, log_z: Array) -> None:
    """Kalman filter for a state of size one (Wiener, Ornstein-Uhlenbeck): predictions y, sig and log Z.

        σ ← a² σ_f + q,  y ← a y_f,  c = 1 + b σ,  y_f = y + σ (g − b y)/c,  σ_f = σ/c

    a, q : (J,);  g, b : (J, B);  y, sig : (J, B), filled;  log_z : (B,), filled.
    """
    J, B = g.shape
    yf, sf, prod = np.zeros(B), np.full(B, p0), np.ones(B)
    log_z[:] = 0.0
    for j in range(J):
        aj = a[j] if j > 0 else 1.0
        qj = q[j] if j > 0 else 0.0
        for v in range(B):
            yv, sv, gv, bv = aj * yf[v], aj * aj * sf[v] + qj, g[j, v], b[j, v]
            r = 1.0 / (1.0 + bv * sv)
            y[j, v] = yv
            sig[j, v] = sv
            yf[v] = (yv + sv * gv) * r
            sf[v] = sv * r
            log_z[v] += 0.5 * (2.0 * yv * gv + sv * gv * gv - bv * yv * yv) * r
            prod[v] *= r
        if j % 16 == 15 or j == J - 1:  # a product of sixteen stays in range, and logarithms are dear
            for v in range(B):
                log_z[v] += 0.5 * math.log(prod[v])
                prod[v] = 1.0


@njit(cache=True)
def _smooth_values(a: Array, g: Array, b: Array, y: Array, sig: Array) -> None:
    """Adjoint smoother for a state of size one: y, sig from predictions to posterior marginals.

    λ̃ = (λ̂ − (g − b y)) / c,   Λ̃ = Λ̂/c² + b/c,   m = y − σ λ̃,   s = σ (1 − σ Λ̃),   λ̂ ← a λ̃,  Λ̂ ← a² Λ̃
    """
    J, B = g.shape
    lam, Lam = np.zeros(B), np.zeros(B)
    for j in range(J - 1, -1, -1):
        aj = a[j]
        for v in range(B):
            yv, sv, bv = y[j, v], sig[j, v], b[j, v]
            r = 1.0 / (1.0 + bv * sv)
            lv = (lam[v] - g[j, v] + bv * yv) * r
            Lv = (Lam[v] * r + bv) * r
            y[j, v] = yv - sv * lv
            sig[j, v] = sv * (1.0 - sv * Lv)
            lam[v] = aj * lv
            Lam[v] = aj * aj * Lv


@njit(cache=True)
def _respond(a: Array, b: Array, sig: Array, R: Array) -> None:
    """How the posterior mean at each node follows the level of the whole process, for a state of size one.

        f = μ + x:   E[f | μ] = m₀ + R μ,   R = 1 − E[x | sites b, b]

    b : (J, B);  sig : (J, B), predictions of the filter;  R : (J, B), filled.
    """
    J, B = b.shape
    held, lam = np.zeros(B), np.zeros(B)
    for j in range(J):
        aj = a[j] if j > 0 else 1.0
        for v in range(B):
            R[j, v] = aj * held[v]
            held[v] = (R[j, v] + sig[j, v] * b[j, v]) / (1.0 + b[j, v] * sig[j, v])
    for j in range(J - 1, -1, -1):
        for v in range(B):
            back = (lam[v] - b[j, v] + b[j, v] * R[j, v]) / (1.0 + b[j, v] * sig[j, v])
            R[j, v] = 1.0 - R[j, v] + sig[j, v] * back
            lam[v] = a[j] * back


@njit(cache=True)
def _lift(level: float, g: Array, b: Array, R: Array, y: Array, sig: Array, log_z: Array) -> None:
    """Add a constant of variance `level`, from the posterior y, sig and log Z without it.

    μ | sites ~ N(G/P, 1/P),   G = Σ_j (g − b m₀),   P = 1/level + Σ_j b R
    m = m₀ + R G/P,   s = s₀ + R²/P,   log Z += G²/2P − ½ log(level P)
    """
    J, B = g.shape
    for v in range(B):
        G, P = 0.0, 1.0 / level
        for j in range(J):
            G += g[j, v] - b[j, v] * y[j, v]
            P += b[j, v] * R[j, v]
        for j in range(J):
            y[j, v] += R[j, v] * G / P
            sig[j, v] += R[j, v] * R[j, v] / P
        log_z[v] += 0.5 * G * G / P - 0.5 * math.log(level * P)


@njit(cache=True)
def _carry(A: Array, x: Array, P: Array, tmp: Array) -> None:
    """x ← A x,  P ← A P Aᵀ.   A : (S, S);  x : (S, B);  P, tmp : (S, S, B)."""
    S, B = x.shape
    for p in range(S):
        for v in range(B):
            tmp[0, p, v] = 0.0
        for r in range(S):
            if A[p, r] != 0.0:
                for v in range(B):
                    tmp[0, p, v] += A[p, r] * x[r, v]
    for p in range(S):
        for v in range(B):
            x[p, v] = tmp[0, p, v]
    for p in range(S):
        for q in range(S):
            for v in range(B):
                tmp[p, q, v] = 0.0
            for r in range(S):
                if A[p, r] != 0.0:
                    for v in range(B):
                        tmp[p, q, v] += A[p, r] * P[r, q, v]
    for p in range(S):
        for q in range(S):
            for v in range(B):
                P[p, q, v] = 0.0
            for r in range(S):
                if A[q, r] != 0.0:
                    for v in range(B):
                        P[p, q, v] += tmp[p, r, v] * A[q, r]


@njit(cache=True)
def _filter_states(model: Array, g: Array, b: Array, y: Array, sig: Array, pH: Array, log_z: Array) -> None:
    """Kalman filter for a state of any size; keeps what the way back needs.

        y = H x_p,  p = P_p Hᵀ,  σ = H p,  c = 1 + b σ
        x_f = x_p + p (g − b y)/c,   P_f = P_p − p pᵀ b/c
        log Z += (2 y g + σ g² − b y²)/(2c) − ½ log c

    g, b : (J, B);  y, sig : (J, B) and pH : (J, S, B), filled;  log_z : (B,), filled.
    """
    H, A, Q, P0, _ = model
    J, S, B = pH.shape
    x, P, tmp, prod = np.zeros((S, B)), np.empty((S, S, B)), np.empty((S, S, B)), np.ones(B)
    log_z[:] = 0.0
    for j in range(J):
        if j > 0:
            _carry(A[j], x, P, tmp)
        for p in range(S):
            for q in range(S):
                for v in range(B):
                    P[p, q, v] = P[p, q, v] + Q[j, p, q] if j > 0 else P0[p, q]
        for v in range(B):
            yv, sv = 0.0, 0.0
            for p in range(S):
                pv = 0.0
                for q in range(S):
                    pv += P[p, q, v] * H[q]
                pH[j, p, v] = pv
                yv += H[p] * x[p, v]
                sv += H[p] * pv
            gv, bv = g[j, v], b[j, v]
            r = 1.0 / (1.0 + bv * sv)
            y[j, v] = yv
            sig[j, v] = sv
            log_z[v] += 0.5 * (2.0 * yv * gv + sv * gv * gv - bv * yv * yv) * r
            prod[v] *= r
            for p in range(S):
                x[p, v] += pH[j, p, v] * (gv - bv * yv) * r
                for q in range(S):
                    P[p, q, v] -= pH[j, p, v] * pH[j, q, v] * bv * r
        if j % 16 == 15 or j == J - 1:
            for v in range(B):
                log_z[v] += 0.5 * math.log(prod[v])
                prod[v] = 1.0


@njit(cache=True)
def _smooth_states(model: Array, g: Array, b: Array, y: Array, sig: Array, pH: Array) -> None:
    """Adjoint smoother for a state of any size: y, sig from predictions to posterior marginals.

    κ = p b/c,  e = (g − b y)/c,  λ̃ = λ̂ − Hᵀ(κᵀλ̂ + e)
    Λ̃ = Λ̂ − Hᵀ(Λ̂κ)ᵀ − (Λ̂κ)H + HᵀH(κᵀΛ̂κ + b/c)
    m = y − pᵀλ̃,   s = σ − pᵀΛ̃p,   λ̂ ← Aᵀλ̃,  Λ̂ ← AᵀΛ̃A
    """
    H, A = model[0], model[1]
    J, S, B = pH.shape
    lam, Lam, tmp, u = np.zeros((S, B)), np.zeros((S, S, B)), np.empty((S, S, B)), np.empty(S)
    for j in range(J - 1, -1, -1):
        for v in range(B):
            r = 1.0 / (1.0 + b[j, v] * sig[j, v])
            shrink = b[j, v] * r
            e, t = (g[j, v] - b[j, v] * y[j, v]) * r, shrink
            for p in range(S):
                up = 0.0
                for q in range(S):
                    up += Lam[p, q, v] * pH[j, q, v]
                u[p] = shrink * up
                t += shrink * pH[j, p, v] * u[p]
                e += shrink * pH[j, p, v] * lam[p, v]
            for p in range(S):
                lam[p, v] -= H[p] * e
                y[j, v] -= pH[j, p, v] * lam[p, v]
                for q in range(S):
                    Lam[p, q, v] += H[p] * H[q] * t - H[p] * u[q] - u[p] * H[q]
                    sig[j, v] -= pH[j, p, v] * Lam[p, q, v] * pH[j, q, v]
        if j > 0:
            _carry(A[j].T, lam, Lam, tmp)


@njit(cache=True, parallel=True)
def sweep(model: Array, site: Array, row: Array, g: Array, b: Array, m: Array, s: Array, kl: Array) -> None:
    """Posterior marginals of every word's value at the nodes of a chain, and its KL to the prior.

        KL = Σ_j [g m − b (m² + s)/2] − log Z

    model : (H, A, Q, P0, level) with H (S,), A and Q (J, S, S), P0 (S, S); level : variance of a constant added to a
        state of size one, 0 for none
    site  : (J,) which row of the sites holds at a node, −1 for none;  row : (J,) where its answer goes, −1 for nowhere
    g, b  : (R, K, V) sites;  m, s : (rows, K, V), filled;  kl : (K, blocks of words), filled
    """
    H, A, Q, P0, level = model
    J, S, K, V = A.shape[0], H.shape[0], g.shape[1], g.shape[2]
    blocks = (V + WORDS - 1) // WORDS
    for task in prange(K * blocks):
        k, v0 = task // blocks, (task % blocks) * WORDS
        B = min(WORDS, V - v0)
        gj, bj, y, sig, log_z = np.zeros((J, B)), np.zeros((J, B)), np.empty((J, B)), np.empty((J, B)), np.empty(B)
        for j in range(J):
            if site[j] >= 0:
                for v in range(B):
                    gj[j, v] = g[site[j], k, v0 + v]
                    bj[j, v] = b[site[j], k, v0 + v]
        if S == 1 and H[0] == 1.0:
            _filter_values(A[:, 0, 0], Q[:, 0, 0], P0[0, 0], gj, bj, y, sig, log_z)
            if level > 0.0:
                R = np.empty((J, B))
                _respond(A[:, 0, 0], bj, sig, R)
            _smooth_values(A[:, 0, 0], gj, bj, y, sig)
            if level > 0.0:
                _lift(level, gj, bj, R, y, sig, log_z)
        else:
            pH = np.empty((J, S, B))
            _filter_states(model, gj, bj, y, sig, pH, log_z)
            _smooth_states(model, gj, bj, y, sig, pH)
        total = 0.0
        for j in range(J):
            for v in range(B):
                total += gj[j, v] * y[j, v] - 0.5 * bj[j, v] * (y[j, v] * y[j, v] + sig[j, v])
            if row[j] >= 0:
                for v in range(B):
                    m[row[j], k, v0 + v] = y[j, v]
                    s[row[j], k, v0 + v] = sig[j, v]
        for v in range(B):
            total -= log_z[v]
        kl[k, task % blocks] = total
