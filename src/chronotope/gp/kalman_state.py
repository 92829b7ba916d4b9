"""Kalman filter and smoother of processes with any state size S (Matérn, sums, products), for a block of B words."""

from __future__ import annotations

import math

import numpy as np

from chronotope._typing import Array
from chronotope.gp.kalman_scalar import compiled
from chronotope.loops import inlined


@compiled
def propagate_mean(A: Array, x: Array, tmp: Array) -> None:
    """x ← A x.   A : (S, S);  x, tmp (scratch) : (S, B)."""
    S, B = x.shape
    for p in range(S):
        for v in range(B):
            tmp[p, v] = 0.0
        for i in range(S):
            if A[p, i] != 0.0:
                for v in range(B):
                    tmp[p, v] += A[p, i] * x[i, v]
    for p in range(S):
        for v in range(B):
            x[p, v] = tmp[p, v]


@compiled
def _propagate(A: Array, x: Array, P: Array, tmp: Array) -> None:
    """Propagate moments, x ← A x,  P ← A P Aᵀ.   A : (S, S);  x : (S, B);  P, tmp (scratch) : (S, S, B)."""
    S, B = x.shape
    propagate_mean(A, x, tmp[0])
    for p in range(S):
        for q in range(S):
            for v in range(B):
                tmp[p, q, v] = 0.0
            for i in range(S):
                if A[p, i] != 0.0:
                    for v in range(B):
                        tmp[p, q, v] += A[p, i] * P[i, q, v]
    for p in range(S):
        for q in range(S):
            for v in range(B):
                P[p, q, v] = 0.0
            for i in range(S):
                if A[q, i] != 0.0:
                    for v in range(B):
                        P[p, q, v] += tmp[p, i, v] * A[q, i]


@compiled
def _filter(chain: Array, g: Array, b: Array, y: Array, sig: Array, pH: Array, log_z: Array) -> None:
    """Kalman filter: predictive means y and variances σ of f = H x at the nodes, and the log normaliser log Z.

        y = H x_p,  p = P_p Hᵀ,  σ = H p,  c = 1/(1 + b σ)
        x_f = x_p + p (g − b y) c,   P_f = P_p − p pᵀ b c
        log Z += (2 y g + σ g² − b y²) c/2 + ½ log c

    chain : (H, A, Q, P0);  g, b : (J, B)
    y, sig : (J, B), pH : (J, S, B), the p of each node, and log_z : (B,), filled
    """
    H, A, Q, P0 = chain
    J, S, B = pH.shape
    x, P, tmp, prod = np.zeros((S, B)), np.empty((S, S, B)), np.empty((S, S, B)), np.ones(B)
    for v in range(B):
        log_z[v] = 0.0
    for j in range(J):
        if j > 0:
            _propagate(A[j], x, P, tmp)
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
            c = 1.0 / (1.0 + bv * sv)
            y[j, v] = yv
            sig[j, v] = sv
            log_z[v] += 0.5 * (2.0 * yv * gv + sv * gv * gv - bv * yv * yv) * c
            prod[v] *= c
            for p in range(S):
                x[p, v] += pH[j, p, v] * (gv - bv * yv) * c
                for q in range(S):
                    P[p, q, v] -= pH[j, p, v] * pH[j, q, v] * bv * c
        if j % 16 == 15 or j == J - 1:
            for v in range(B):
                log_z[v] += 0.5 * math.log(prod[v])
                prod[v] = 1.0


@compiled
def _smooth(chain: Array, g: Array, b: Array, y: Array, sig: Array, pH: Array) -> None:
    """Adjoint (Bryson-Frazier) smoother: marginals m, s from the predictive moments y, σ, which they overwrite.

        gain = p b c,  e = (g − b y) c,  λ̃ = λ̂ − Hᵀ(gainᵀλ̂ + e)
        Λ̃ = Λ̂ − Hᵀ(Λ̂ gain)ᵀ − (Λ̂ gain)H + HᵀH(gainᵀΛ̂ gain + b c)
        m = y − pᵀλ̃,   s = σ − pᵀΛ̃p,   λ̂ ← Aᵀλ̃,  Λ̂ ← AᵀΛ̃A

    chain : (H, A, …);  g, b : (J, B);  y, sig : (J, B), become m, s;  pH : (J, S, B) of the filter
    """
    H, A = chain[0], chain[1]
    J, S, B = pH.shape
    lam, Lam, tmp, u = np.zeros((S, B)), np.zeros((S, S, B)), np.empty((S, S, B)), np.empty(S)
    for j in range(J - 1, -1, -1):
        for v in range(B):
            c = 1.0 / (1.0 + b[j, v] * sig[j, v])
            bc = b[j, v] * c
            e, t = (g[j, v] - b[j, v] * y[j, v]) * c, bc
            for p in range(S):
                up = 0.0
                for q in range(S):
                    up += Lam[p, q, v] * pH[j, q, v]
                u[p] = bc * up
                t += bc * pH[j, p, v] * u[p]
                e += bc * pH[j, p, v] * lam[p, v]
            for p in range(S):
                lam[p, v] -= H[p] * e
                y[j, v] -= pH[j, p, v] * lam[p, v]
                for q in range(S):
                    Lam[p, q, v] += H[p] * H[q] * t - H[p] * u[q] - u[p] * H[q]
                    sig[j, v] -= pH[j, p, v] * Lam[p, q, v] * pH[j, q, v]
        if j > 0:
            _propagate(A[j].T, lam, Lam, tmp)


@inlined
def condition_states(chain: Array, sites: Array, moments: Array, log_z: Array, pH: Array) -> None:
    """Posterior marginals and log Z of a block of words.

    chain : (H, A, Q, P0);  sites : g, b (J, B)
    moments : m, s (J, B), filled;  log_z : (B,), filled;  pH : (J, S, B), scratch
    """
    _filter(chain, sites[0], sites[1], moments[0], moments[1], pH, log_z)
    _smooth(chain, sites[0], sites[1], moments[0], moments[1], pH)
