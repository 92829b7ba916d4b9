"""Sweeps over the nodes of a process whose state has any size (Matérn, sums, products), for a block of words."""

from __future__ import annotations

import math

import numpy as np

from chronotope._typing import Array
from chronotope.gp.kalman_scalar import compiled


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
def _filter(model: Array, g: Array, b: Array, y: Array, sig: Array, pH: Array, log_z: Array) -> None:
    """Kalman filter for a state of any size; keeps what the way back needs.

        y = H x_p,  p = P_p Hᵀ,  σ = H p,  c = 1 + b σ
        x_f = x_p + p (g − b y)/c,   P_f = P_p − p pᵀ b/c
        log Z += (2 y g + σ g² − b y²)/(2c) − ½ log c

    g, b : (J, B);  y, sig : (J, B) and pH : (J, S, B), filled;  log_z : (B,), filled.
    """
    H, A, Q, P0, _ = model
    J, S, B = pH.shape
    x, P, tmp, prod = np.zeros((S, B)), np.empty((S, S, B)), np.empty((S, S, B)), np.ones(B)
    for v in range(B):
        log_z[v] = 0.0
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
def _smooth(model: Array, g: Array, b: Array, y: Array, sig: Array, pH: Array) -> None:
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


@compiled
def condition_states(model: Array, sites: Array, kept: Array, log_z: Array) -> None:
    """Posterior marginals y, sig of a block of words, and log Z, for a state of any size.

    model : (H, A, Q, P0, …);  sites : g, b (J, B);  kept : y, sig (J, B), filled, …;  log_z : (B,), filled
    """
    g, b = sites
    pH = np.empty((len(g), len(model[0]), g.shape[1]))
    _filter(model, g, b, kept[0], kept[1], pH, log_z)
    _smooth(model, g, b, kept[0], kept[1], pH)
