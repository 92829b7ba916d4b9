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

from chronotope.structure.markov_values import compiled, filter_values, lift, respond, smooth_values

WORDS = 64  # words that share one task: their scratch stays in the second-level cache
Array = Any  # arrays of compiled code: shapes in the docstrings


@compiled
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


@compiled
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


@compiled
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


@njit(cache=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _misfit(g: Array, b: Array, m: Array, s: Array) -> float:
    """Σ_v [g m − b (m² + s)/2] at one node."""
    total = 0.0
    for v in range(len(g)):
        total += g[v] * m[v] - 0.5 * b[v] * (m[v] * m[v] + s[v])
    return total


@njit(cache=True, parallel=True, error_model="numpy")
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
        gj, bj = np.zeros((J, B), g.dtype), np.zeros((J, B), g.dtype)
        y, sig, r, log_z = np.empty((J, B)), np.empty((J, B)), np.empty((J, B)), np.empty(B)
        for j in range(J):
            if site[j] >= 0:
                gj[j] = g[site[j], k, v0 : v0 + B]
                bj[j] = b[site[j], k, v0 : v0 + B]
        if S == 1 and H[0] == 1.0:
            filter_values(A[:, 0, 0], Q[:, 0, 0], P0[0, 0], (gj, bj), (y, sig, r), log_z)
            R = np.empty((J if level > 0.0 else 0, B))
            if level > 0.0:
                respond(A[:, 0, 0], bj, (y, sig, r), R)
            smooth_values(A[:, 0, 0], (gj, bj), (y, sig, r))
            if level > 0.0:
                lift(level, (gj, bj), R, (y, sig, r), log_z)
        else:
            pH = np.empty((J, S, B))
            _filter_states(model, gj, bj, y, sig, pH, log_z)
            _smooth_states(model, gj, bj, y, sig, pH)
        total = 0.0
        for j in range(J):
            total += _misfit(gj[j], bj[j], y[j], sig[j])
            if row[j] >= 0:
                m[row[j], k, v0 : v0 + B] = y[j]
                s[row[j], k, v0 : v0 + B] = sig[j]
        for v in range(B):
            total -= log_z[v]
        kl[k, task % blocks] = total
