"""Many groups that share a process and have one each of their own, for a block of B words; see `track_parts`.

Both processes have state size S = 1, with or without a constant added. Every inner loop runs over the words.
"""

from __future__ import annotations

import numpy as np

from chronotope._typing import Array
from chronotope.gp.kalman_gains import gains_of, mean_of, response_of, variances_of
from chronotope.gp.kalman_scalar import compiled

STEPS = 8  # of the conjugate gradients
TINY = 1e-300


@compiled
def _said(a: Array, level: float, b: Array, known: Array, x: Array, out: Array, work: Array, scratch: Array) -> None:
    """out += M_s x = b x − b E[d_s | sites b x, b] of one group.   work : (2, J, B);  scratch : (2, B)"""
    (J, B), h, m = b.shape, work[0], work[1]
    for j in range(J):
        for v in range(B):
            h[j, v] = b[j, v] * x[j, v]
    mean_of(a, level, h, b, known, m, scratch)
    for j in range(J):
        for v in range(B):
            out[j, v] += h[j, v] - b[j, v] * m[j, v]


@compiled
def _sum_products(x: Array, y: Array, out: Array) -> None:
    """Σ_j x y, (B,), filled.   x, y : (J, B)."""
    for v in range(len(out)):
        out[v] = 0.0
    for j in range(len(x)):
        for v in range(len(out)):
            out[v] += x[j, v] * y[j, v]


@compiled
def _quotients(x: Array, y: Array, out: Array) -> None:
    """out = x / y, 0 where y is 0.   (B,) each; out may be one of them"""
    for v in range(len(out)):
        out[v] = x[v] / y[v] if y[v] > TINY else 0.0


@compiled
def _add(size: Array, x: Array, out: Array) -> None:
    """out += size x, of each word.   size : (B,);  x, out : (J, B)"""
    for j in range(len(x)):
        for v in range(len(size)):
            out[j, v] += size[v] * x[j, v]


@compiled
def _pull(h: Array, b: Array, x: Array, out: Array) -> None:
    """out = h − b x, (J, B)."""
    for j in range(len(x)):
        for v in range(x.shape[1]):
            out[j, v] = h[j, v] - b[j, v] * x[j, v]


@compiled
def _lump(own: Array, S: int, sites: Array, known: Array, lump: Array, r: Array, beta: Array, log_det: Array) -> None:
    """What every group says of e: M_s lumped, (S · J, B), filled; their sum β, and r = Σ g'_s, (J, B), added to.

    known : σ, c, R (S · J, B) and P (S, B), filled
    """
    ((chain, level), (g, b), (sig, c, R, P)), (J, B) = (own, sites, known), beta.shape
    one, scratch = np.empty((J, B)), np.empty((2, B))
    for i in range(S):
        rows = slice(i * J, (i + 1) * J)
        of_group = sig[rows], c[rows], R[rows], P[i]
        gains_of(chain, b[rows], sig[rows], c[rows], log_det)
        response_of(chain[0], level, b[rows], of_group, log_det, scratch[0])
        mean_of(chain[0], level, b[rows], b[rows], of_group, one, scratch)
        for j in range(J):
            for v in range(B):
                lump[i * J + j, v] = b[i * J + j, v] * min(max(1.0 - one[j, v], 0.0), 1.0)
                beta[j, v] += lump[i * J + j, v]
        mean_of(chain[0], level, g[rows], b[rows], of_group, one, scratch)
        for j in range(J):
            for v in range(B):
                r[j, v] += g[i * J + j, v] - b[i * J + j, v] * one[j, v]


@compiled
def _conjugate(
    own: Array, shared: Array, S: int, b: Array, known: Array, known_e: Array, r: Array, beta: Array, total: Array
) -> None:
    """Sites on e, with the precisions β, under which its mean is that of the exact posterior: total, (J, B), filled.

    (K_e⁻¹ + Σ_s M_s) e = r, by conjugate gradients with K_e⁻¹ + β as preconditioner; K_e⁻¹ z = r − β z where z solves
    (K_e⁻¹ + β) z = r.   known, known_e : gains of the groups and of e;  r : overwritten
    """
    ((chain, level), (chain_e, level_e), (sig, c, R, P)), (J, B) = (own, shared, known), beta.shape
    z, p, Kp, Ap, Kz = np.empty((J, B)), np.zeros((J, B)), np.zeros((J, B)), np.empty((J, B)), np.empty((J, B))
    work, scratch, rz, before, size = np.empty((2, J, B)), np.empty((2, B)), np.empty(B), np.zeros(B), np.empty(B)
    for step in range(STEPS + 1):
        mean_of(chain_e[0], level_e, r, beta, known_e, z, scratch)
        _pull(r, beta, z, Kz)
        _sum_products(r, z, rz)
        _quotients(rz, before, size)  # 0 in the first step
        for j in range(J):
            for v in range(B):
                p[j, v] = z[j, v] + size[v] * p[j, v]
                Kp[j, v] = Kz[j, v] + size[v] * Kp[j, v]
        if step == STEPS:
            break
        for j in range(J):
            for v in range(B):
                Ap[j, v] = Kp[j, v]
        for i in range(S):
            rows = slice(i * J, (i + 1) * J)
            _said(chain[0], level, b[rows], (sig[rows], c[rows], R[rows], P[i]), p, Ap, work, scratch)
        _sum_products(p, Ap, size)
        _quotients(rz, size, size)
        for j in range(J):
            for v in range(B):
                total[j, v] += size[v] * (Kp[j, v] + beta[j, v] * p[j, v])
                r[j, v] -= size[v] * Ap[j, v]
        for v in range(B):
            before[v] = rz[v]


@compiled
def condition_parts(own: Array, shared: Array, S: int, g: Array, b: Array, m: Array, s: Array, kl: Array) -> None:
    """Posterior of a block of words; see `track_parts` for the approximation.

    own, shared : (a, q, p0) of a process, and the variance of the constant added, 0 for none
    g, b : (S · J, B) sites of the groups;  m, s : ((S + 1) · J, B), filled, the last J of what is shared
    kl : (B,), filled
    """
    chain_e, level_e = shared
    rows, B = b.shape
    J = rows // S
    known = np.empty((rows, B)), np.empty((rows, B)), np.zeros((rows, B)), np.empty((S, B))
    lump, r, beta, total, log_det = (
        np.empty((rows, B)),
        np.zeros((J, B)),
        np.zeros((J, B)),
        np.zeros((J, B)),
        np.zeros(B),
    )
    _lump(own, S, (g, b), known, lump, r, beta, log_det)
    known_e, scratch = (np.empty((J, B)), np.empty((J, B)), np.zeros((J, B)), np.empty(B)), np.empty((2, B))
    gains_of(chain_e, beta, known_e[0], known_e[1], log_det)
    response_of(chain_e[0], level_e, beta, known_e, log_det, scratch[0])
    _conjugate(own, shared, S, b, known, known_e, r, beta, total)
    e, v_e = m[rows:], s[rows:]
    mean_of(chain_e[0], level_e, total, beta, known_e, e, scratch)
    variances_of(chain_e[0], level_e, beta, known_e, v_e, beta[:0], scratch[0])
    for v in range(B):
        kl[v] = 0.5 * log_det[v]
    for j in range(J):
        for v in range(B):
            kl[v] += 0.5 * (e[j, v] * (total[j, v] - beta[j, v] * e[j, v]) - beta[j, v] * v_e[j, v])
    prior = np.empty(J)
    for j in range(J):
        prior[j] = own[0][2] if j == 0 else own[0][0][j] ** 2 * prior[j - 1] + own[0][1][j]
    for i in range(S):
        one = slice(i * J, (i + 1) * J)
        of_group = known[0][one], known[1][one], known[2][one], known[3][i]
        _group(own, (g[one], b[one]), of_group, (e, v_e), lump[one], m[one], s[one], kl)
        _widen(own, shared, b[one], lump[one], beta, prior, s[one])


@compiled
def _group(own: Array, sites: Array, known: Array, shared: Array, lump: Array, m: Array, s: Array, kl: Array) -> None:
    """Means of f_s, and variances of d_s, of one group, (J, B), filled; its part of the KL, (B,), added.

    shared : mean and variance of e;  lump : (J, B)
    """
    (chain, level), (g, b), (e, v_e) = own, sites, shared
    (J, B), h, scratch = b.shape, np.empty(b.shape), np.empty((2, b.shape[1]))
    _pull(g, b, e, h)
    mean_of(chain[0], level, h, b, known, m, scratch)
    variances_of(chain[0], level, b, known, s, h[:0], scratch[0])
    for j in range(J):
        for v in range(B):
            kl[v] += 0.5 * (h[j, v] * m[j, v] - b[j, v] * (m[j, v] * m[j, v] + s[j, v]))
            if b[j, v] > 0.0:
                kl[v] += 0.5 * lump[j, v] * (1.0 - lump[j, v] / b[j, v]) * v_e[j, v]
            m[j, v] += e[j, v]


@compiled
def _widen(own: Array, shared: Array, b: Array, lump: Array, beta: Array, prior: Array, s: Array) -> None:
    """Variances of f_s of one group, (J, B), in place of those of d_s.

    They follow from its prior given the other groups, that of d_s and of e given these, as a Markov process with the
    same variances and covariances of neighbouring nodes [Chow, Liu 1968].   prior : (J,) variances of d_s but its level
    """
    ((chain, level), (chain_e, level_e)), (J, B) = (own, shared), b.shape
    others, free, lag, step = np.empty((J, B)), np.empty((J, B)), np.zeros((J, B)), np.zeros((J, B))
    sig, c, R, P, scratch = np.empty((J, B)), np.empty((J, B)), np.zeros((J, B)), np.empty(B), np.zeros(B)
    for j in range(J):
        for v in range(B):
            others[j, v] = max(beta[j, v] - lump[j, v], 0.0)
    gains_of(chain_e, others, sig, c, scratch)
    response_of(chain_e[0], level_e, others, (sig, c, R, P), scratch, scratch)
    variances_of(chain_e[0], level_e, others, (sig, c, R, P), free, lag, scratch)
    for j in range(J):
        for v in range(B):
            free[j, v] += prior[j] + level
            sig[j, v] = free[j, v]
            if j > 0:
                both = lag[j, v] + chain[0][j] * prior[j - 1] + level
                step[j, v] = both / max(free[j - 1, v], TINY)
                noise = max(free[j, v] - step[j, v] * both, 0.0)
                sig[j, v] = step[j, v] * step[j, v] * sig[j - 1, v] * c[j - 1, v] + noise
            c[j, v] = 1.0 / (1.0 + b[j, v] * sig[j, v])
    for v in range(B):
        scratch[v] = 0.0
    for j in range(J - 1, -1, -1):
        for v in range(B):
            after = step[j + 1, v] * step[j + 1, v] if j < J - 1 else 0.0
            scratch[v] = (after * scratch[v] * c[j, v] + b[j, v]) * c[j, v]
            s[j, v] = max(s[j, v], sig[j, v] * (1.0 - sig[j, v] * scratch[v]))
