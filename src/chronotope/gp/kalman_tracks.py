"""Kalman filter and smoother of several processes that are seen together, for a block of B words.

At each time of the chain there may be several observations, each of another sum H x of the state's components: a track
sees what all tracks share and what it has of its own. Every inner loop runs over the words.
"""

from __future__ import annotations

import math

import numpy as np

from chronotope._typing import Array
from chronotope.gp.kalman_scalar import compiled
from chronotope.gp.kalman_state import propagate_mean
from chronotope.loops import inlined


@compiled
def _forward(A: Array, Q: Array, diagonal: bool, x: Array, P: Array, tmp: Array) -> None:
    """x ← A x,  P ← A P Aᵀ + Q.   A, Q : (S, S);  x : (S, B);  P, tmp : (S, S, B), P symmetric, its lower triangle."""
    S, B = x.shape
    if diagonal:
        for p in range(S):
            if A[p, p] != 1.0:
                for v in range(B):
                    x[p, v] *= A[p, p]
            for q in range(p + 1):
                both, noise = A[p, p] * A[q, q], Q[p, q]
                if both != 1.0 or noise != 0.0:
                    for v in range(B):
                        P[p, q, v] = both * P[p, q, v] + noise
        return
    propagate_mean(A, x, tmp[0])
    for p in range(S):
        for q in range(S):
            for v in range(B):
                tmp[p, q, v] = 0.0
            for i in range(S):
                if A[p, i] != 0.0:
                    for v in range(B):
                        tmp[p, q, v] += A[p, i] * P[max(i, q), min(i, q), v]
    for p in range(S):
        for q in range(p + 1):
            for v in range(B):
                P[p, q, v] = Q[p, q]
            for i in range(S):
                if A[q, i] != 0.0:
                    for v in range(B):
                        P[p, q, v] += tmp[p, i, v] * A[q, i]


@compiled
def _times_row(P: Array, h: Array, out: Array) -> None:
    """out = P hᵀ of a symmetric P, of which the lower triangle is used.   h : (S,);  out : (S, B), filled."""
    S, B = out.shape
    for p in range(S):
        for v in range(B):
            out[p, v] = 0.0
        for q in range(S):
            if h[q] != 0.0:
                a, b = max(p, q), min(p, q)
                for v in range(B):
                    out[p, v] += h[q] * P[a, b, v]


@compiled
def _filter(chain: Array, g: Array, b: Array, y: Array, sig: Array, pH: Array, log_z: Array) -> None:
    """Predictive means y and variances σ of the observations, one after the other, and the log normaliser log Z.

        p = P hᵀ,  y = h x,  σ = h p,  c = 1/(1 + b σ),  x ← x + p (g − b y) c,  P ← P − p pᵀ b c
        log Z += (2 y g + σ g² − b y²) c/2 + ½ log c

    chain : see `condition_tracks`;  g, b : (O, B)
    y, sig : (O, B), pH : (O, S, B), the p of each observation, and log_z : (B,), filled
    """
    H, A, Q, P0, first, diagonal = chain
    O, S, B = pH.shape
    x, P, tmp = np.zeros((S, B)), np.empty((S, S, B)), np.empty((S, S, B))
    prod, e, bc = np.ones(B), np.empty(B), np.empty(B)
    for v in range(B):
        log_z[v] = 0.0
    for t in range(len(first) - 1):
        if t > 0:
            _forward(A[t], Q[t], diagonal, x, P, tmp)
        else:
            for p in range(S):
                for q in range(p + 1):
                    for v in range(B):
                        P[p, q, v] = P0[p, q]
        for o in range(first[t], first[t + 1]):
            h, own = H[o], pH[o]
            _times_row(P, h, own)
            for v in range(B):
                y[o, v], sig[o, v] = 0.0, 0.0
            for p in range(S):
                if h[p] != 0.0:
                    for v in range(B):
                        y[o, v] += h[p] * x[p, v]
                    for v in range(B):
                        sig[o, v] += h[p] * own[p, v]
            for v in range(B):
                c = 1.0 / (1.0 + b[o, v] * sig[o, v])
                prod[v] *= c
                e[v] = (g[o, v] - b[o, v] * y[o, v]) * c
                bc[v] = b[o, v] * c
                log_z[v] += 0.5 * (g[o, v] * (2.0 * y[o, v] + sig[o, v] * g[o, v]) - b[o, v] * y[o, v] * y[o, v]) * c
            for p in range(S):
                for v in range(B):
                    x[p, v] += own[p, v] * e[v]
                for q in range(p + 1):
                    for v in range(B):
                        P[p, q, v] -= own[p, v] * own[q, v] * bc[v]
            if o % 16 == 15 or o == O - 1:  # one logarithm for 16 observations: a product of 16 does not underflow
                for v in range(B):
                    log_z[v] += 0.5 * math.log(prod[v])
                    prod[v] = 1.0


@compiled
def _backward(A: Array, diagonal: bool, lam: Array, Lam: Array, tmp: Array) -> None:
    """λ ← Aᵀ λ,  Λ ← Aᵀ Λ A.   Λ symmetric, its lower triangle is used."""
    S, B = lam.shape
    if diagonal:
        for p in range(S):
            for v in range(B):
                lam[p, v] *= A[p, p]
            for q in range(p + 1):
                both = A[p, p] * A[q, q]
                for v in range(B):
                    Lam[p, q, v] *= both
        return
    none = np.zeros((S, S))
    _forward(A.T, none, False, lam, Lam, tmp)


@compiled
def _smooth(chain: Array, g: Array, b: Array, y: Array, sig: Array, pH: Array) -> None:
    """Adjoint (Bryson-Frazier) smoother: marginals m, s from y, σ, which they overwrite.

        e = (g − b y) c,  w = Λ p,  α = pᵀw,  π = pᵀλ
        m = y − c π + σ e,   s = σ c − c² α
        λ ← λ − hᵀ (b c π + e),   Λ ← Λ − hᵀ(b c w)ᵀ − (b c w) h + hᵀh (b c + b² c² α)

    y, sig : (O, B), become m, s;  pH : (O, S, B) of the filter;  g, b : (O, B)
    """
    H, A, _, _, first, diagonal = chain
    _, S, B = pH.shape
    lam, Lam, tmp, w = np.zeros((S, B)), np.zeros((S, S, B)), np.empty((S, S, B)), np.empty((S, B))
    pi, alpha = np.empty(B), np.empty(B)
    for t in range(len(first) - 2, -1, -1):
        for o in range(first[t + 1] - 1, first[t] - 1, -1):
            h, own = H[o], pH[o]
            for v in range(B):
                pi[v], alpha[v] = 0.0, 0.0
            for p in range(S):
                for v in range(B):
                    w[p, v] = 0.0
                for q in range(S):
                    i, j = max(p, q), min(p, q)
                    for v in range(B):
                        w[p, v] += Lam[i, j, v] * own[q, v]
                for v in range(B):
                    alpha[v] += own[p, v] * w[p, v]
                for v in range(B):
                    pi[v] += own[p, v] * lam[p, v]
            for v in range(B):
                c = 1.0 / (1.0 + b[o, v] * sig[o, v])
                e, bc = (g[o, v] - b[o, v] * y[o, v]) * c, b[o, v] * c
                y[o, v] += sig[o, v] * e - c * pi[v]
                sig[o, v] = c * (sig[o, v] - c * alpha[v])
                pi[v] = bc * pi[v] + e
                alpha[v] = bc + bc * bc * alpha[v]
                tmp[0, 0, v] = bc
            for p in range(S):
                for v in range(B):
                    w[p, v] *= tmp[0, 0, v]
            for p in range(S):
                if h[p] != 0.0:
                    for v in range(B):
                        lam[p, v] -= h[p] * pi[v]
                for q in range(p + 1):
                    if h[p] != 0.0:
                        for v in range(B):
                            Lam[p, q, v] -= h[p] * w[q, v]
                    if h[q] != 0.0:
                        for v in range(B):
                            Lam[p, q, v] -= w[p, v] * h[q]
                    if h[p] != 0.0 and h[q] != 0.0:
                        for v in range(B):
                            Lam[p, q, v] += h[p] * h[q] * alpha[v]
        if t > 0:
            _backward(A[t], diagonal, lam, Lam, tmp)


@inlined
def condition_tracks(chain: Array, sites: Array, moments: Array, log_z: Array, pH: Array) -> None:
    """Posterior marginals of the observations and log Z of a block of words.

    chain : (H, A, Q, P0, first, diagonal): H (O, S) of every observation, A and Q (T, S, S) of every time, P0 (S, S);
        first (T + 1,) first observation of every time, then O;  whether all A and Q are diagonal
    sites : g, b (O, B);  moments : m, s (O, B), filled;  log_z : (B,), filled;  pH : (O, S, B), scratch
    """
    _filter(chain, sites[0], sites[1], moments[0], moments[1], pH, log_z)
    _smooth(chain, sites[0], sites[1], moments[0], moments[1], pH)
