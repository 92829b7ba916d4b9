"""Posterior of the basis weights, for blocks of words: matrix products by BLAS, Cholesky factors across words.

Symmetric matrices are in packed storage: their lower triangle, row by row, r(r+1)/2 numbers.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit, prange

from chronotope._typing import Array

WORDS = 32  # words of a task


@njit(cache=True)
def _factorise(P: Array, log_det: Array) -> None:
    """P ← its Cholesky factor L, P = L Lᵀ, in the lower triangle; log|P|.   P : (r, r, B);  log_det : (B,), filled."""
    r, _, B = P.shape
    log_det[:] = 0.0
    for i in range(r):
        for j in range(i + 1):
            for t in range(j):
                for v in range(B):
                    P[i, j, v] -= P[i, t, v] * P[j, t, v]
            for v in range(B):
                if i == j:
                    log_det[v] += math.log(P[i, i, v])
                    P[i, i, v] = math.sqrt(P[i, i, v])
                else:
                    P[i, j, v] /= P[j, j, v]


@njit(cache=True)
def _solve(L: Array, h: Array) -> None:
    """h ← (L Lᵀ)⁻¹ h.   L : (r, r, B) lower triangle;  h : (r, B)."""
    r, B = h.shape
    for i in range(r):
        for t in range(i):
            for v in range(B):
                h[i, v] -= L[i, t, v] * h[t, v]
        for v in range(B):
            h[i, v] /= L[i, i, v]
    for i in range(r - 1, -1, -1):
        for t in range(i + 1, r):
            for v in range(B):
                h[i, v] -= L[t, i, v] * h[t, v]
        for v in range(B):
            h[i, v] /= L[i, i, v]


@njit(cache=True)
def _invert(L: Array, cov: Array) -> None:
    """cov ← (L Lᵀ)⁻¹, packed; L ← L⁻¹.   L : (r, r, B) lower triangle;  cov : (r(r+1)/2, B), filled."""
    r, _, B = L.shape
    for i in range(r):
        for v in range(B):
            L[i, i, v] = 1.0 / L[i, i, v]
        for j in range(i):
            for v in range(B):
                L[i, j, v] *= L[j, j, v]
            for t in range(j + 1, i):
                for v in range(B):
                    L[i, j, v] += L[i, t, v] * L[t, j, v]
            for v in range(B):
                L[i, j, v] *= -L[i, i, v]
    row = 0
    for i in range(r):
        for j in range(i + 1):
            for v in range(B):
                cov[row, v] = 0.0
            for t in range(i, r):
                for v in range(B):
                    cov[row, v] += L[t, i, v] * L[t, j, v]
            row += 1


@njit(cache=True, parallel=True)
def solve_weights(basis: Array, outer: Array, g: Array, b: Array, mu: Array, cov: Array, kl: Array) -> None:
    """Posterior N(μ, P⁻¹) of the weights y ~ N(0, I_r) given sites on f = a·y at the nodes, and its KL to the prior.

        P = I + Σ_j b_j a_j a_jᵀ,   μ = P⁻¹ Σ_j a_j g_j,   KL = ½ (tr P⁻¹ + μᵀμ − r + log|P|)

    basis : (J, r), rows a_j;  outer : (J, r(r+1)/2), packed a aᵀ;  g, b : (J, K, V)
    mu : (r, K, V), cov : (r(r+1)/2, K, V), packed P⁻¹, and kl : (K, blocks of words), filled
    """
    J, r = basis.shape
    R, K, V = outer.shape[1], g.shape[1], g.shape[2]
    blocks = (V + WORDS - 1) // WORDS
    basis_t, outer_t = np.ascontiguousarray(basis.T), np.ascontiguousarray(outer.T)
    for task in prange(K * blocks):
        k, v0 = task // blocks, (task % blocks) * WORDS
        B = min(WORDS, V - v0)
        gj, bj = np.empty((J, B)), np.empty((J, B))
        for j in range(J):
            for v in range(B):
                gj[j, v] = g[j, k, v0 + v]
                bj[j, v] = b[j, k, v0 + v]
        h, packed = np.dot(basis_t, gj), np.dot(outer_t, bj)
        P, log_det = np.empty((r, r, B)), np.empty(B)
        row = 0
        for i in range(r):
            for j in range(i + 1):
                for v in range(B):
                    P[i, j, v] = packed[row, v]
                    if i == j:
                        P[i, j, v] += 1.0
                row += 1
        _factorise(P, log_det)
        _solve(P, h)
        _invert(P, packed)
        total, row = 0.0, 0
        for i in range(r):
            for v in range(B):
                mu[i, k, v0 + v] = h[i, v]
                total += 0.5 * (packed[row + i, v] + h[i, v] * h[i, v] - 1.0)
            row += i + 1
        for i in range(R):
            for v in range(B):
                cov[i, k, v0 + v] = packed[i, v]
        for v in range(B):
            total += 0.5 * log_det[v]
        kl[k, task % blocks] = total


@njit(cache=True, parallel=True)
def project_weights(basis: Array, doubled: Array, kt: Array, mu: Array, cov: Array, m: Array, s: Array) -> None:
    """Marginals of the values at n times from the posterior of the weights:  m = a·μ,  s = aᵀ P⁻¹ a + κ̃.

    basis : (n, r), rows a;  doubled : (n, r(r+1)/2), packed a aᵀ, off-diagonal doubled;  kt : (n,) residual variance κ̃
    mu : (r, K, V);  cov : (r(r+1)/2, K, V), packed P⁻¹;  m, s : (n, K, V), filled
    """
    n, r = basis.shape
    R, K, V = cov.shape
    blocks = (V + WORDS - 1) // WORDS
    for task in prange(K * blocks):
        k, v0 = task // blocks, (task % blocks) * WORDS
        B = min(WORDS, V - v0)
        u, c = np.empty((r, B)), np.empty((R, B))
        for i in range(r):
            for v in range(B):
                u[i, v] = mu[i, k, v0 + v]
        for i in range(R):
            for v in range(B):
                c[i, v] = cov[i, k, v0 + v]
        mean, var = np.dot(basis, u), np.dot(doubled, c)
        for j in range(n):
            for v in range(B):
                m[j, k, v0 + v] = mean[j, v]
                s[j, k, v0 + v] = var[j, v] + kt[j]
