"""Posterior of the basis weights, for blocks of words: matrix products by BLAS, Cholesky factors across words.

Symmetric matrices are in packed storage: their lower triangle, row by row, r(r+1)/2 numbers.
"""

from __future__ import annotations

import math

import numpy as np

from chronotope._typing import Array, Floats, Values
from chronotope.loops import inner, outer, run_loop

WORDS = 32  # words of a task


@inner()
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


@inner()
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


@inner()
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


def solve_weights(basis: Floats, outer: Floats, g: Values, b: Values, mu: Values, cov: Values, kl: Floats) -> None:
    """Posterior N(μ, P⁻¹) of the weights y ~ N(0, I_r) given sites on f = a·y at the nodes, and its KL to the prior.

        P = I + Σ_j b_j a_j a_jᵀ,   μ = P⁻¹ Σ_j a_j g_j,   KL = ½ (tr P⁻¹ + μᵀμ − r + log|P|)

    basis : (J, r), rows a_j;  outer : (J, r(r+1)/2), packed a aᵀ;  g, b : (J, K, V)
    mu : (r, K, V), cov : (r(r+1)/2, K, V), packed P⁻¹, and kl : (K, blocks of words), filled
    """
    transposed = np.ascontiguousarray(basis.T), np.ascontiguousarray(outer.T)
    run_loop(_solve_blocks, kl.size, transposed, (g, b), (mu, cov, kl))


@outer()
def _solve_blocks(first: int, last: int, transposed: Array, sites: Array, out: Array) -> None:
    """Blocks of words from first to last; see `solve_weights`.   transposed : basis (r, J), outer (r(r+1)/2, J)."""
    (basis_t, outer_t), (g, b), (mu, cov, kl) = transposed, sites, out
    (r, J), R, V, blocks = basis_t.shape, len(outer_t), g.shape[2], kl.shape[1]
    for task in range(first, last):
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


def project_weights(basis: Floats, doubled: Floats, kt: Floats, mu: Values, cov: Values, m: Values, s: Values) -> None:
    """Marginals of the values at n times from the posterior of the weights:  m = a·μ,  s = aᵀ P⁻¹ a + κ̃.

    basis : (n, r), rows a;  doubled : (n, r(r+1)/2), packed a aᵀ, off-diagonal doubled;  kt : (n,) residual variance κ̃
    mu : (r, K, V);  cov : (r(r+1)/2, K, V), packed P⁻¹;  m, s : (n, K, V), filled
    """
    blocks = -(-mu.shape[2] // WORDS)
    run_loop(_project_blocks, mu.shape[1] * blocks, blocks, (basis, doubled, kt), (mu, cov), (m, s))


@outer()
def _project_blocks(first: int, last: int, blocks: int, at: Array, weights: Array, out: Array) -> None:
    """Blocks of words from first to last; see `project_weights`.   at : basis, doubled, kt;  blocks : of each topic."""
    (basis, doubled, kt), (mu, cov), (m, s) = at, weights, out
    (n, r), R, V = basis.shape, len(cov), mu.shape[2]
    for task in range(first, last):
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
