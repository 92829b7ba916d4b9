"""Many groups that share a process and have one each of their own, for a block of B words; see `track_parts`.

Both processes have state size S = 1, with or without a constant added. Gains are computed once for each process, and
means of any sites then cost a few operations per node. Every inner loop runs over the words.
"""

from __future__ import annotations

import math

import numpy as np

from chronotope._typing import Array
from chronotope.gp.kalman_scalar import compiled

STEPS = 4  # of the conjugate gradients
TINY = 1e-300


@compiled
def _gains(chain: Array, b: Array, sig: Array, c: Array, log_det: Array) -> None:
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
def _response(
    a: Array, level: float, b: Array, sig: Array, c: Array, R: Array, P: Array, log_det: Array, s: Array
) -> None:
    """Response R of the mean to a level, its posterior variance P, 0 without one, and log|I + K B| of it.

    R = 1 − E[x | sites b, b],   P = 1 / (1/level + Σ_j b R)        b, R : (J, B);  P : (B,);  s : (B,), scratch
    """
    J, B = b.shape
    for v in range(B):
        P[v] = 0.0
    if level == 0.0:
        return
    _smoothed(a, b, b, sig, c, R, s)
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
def _mean(a: Array, level: float, h: Array, b: Array, known: Array, m: Array, scratch: Array) -> None:
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
def _variances(a: Array, level: float, b: Array, known: Array, s: Array, lag: Array, scratch: Array) -> None:
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


@compiled
def _said(a: Array, level: float, b: Array, known: Array, x: Array, out: Array, work: Array, scratch: Array) -> None:
    """out += M_s x = b x − b E[d_s | sites b x, b] of one group.   work : (2, J, B);  scratch : (2, B)"""
    J, B = b.shape
    h, m = work[0], work[1]
    for j in range(J):
        for v in range(B):
            h[j, v] = b[j, v] * x[j, v]
    _mean(a, level, h, b, known, m, scratch)
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
def condition_parts(own: Array, shared: Array, S: int, g: Array, b: Array, m: Array, s: Array, kl: Array) -> None:
    """Posterior of a block of words; see `track_parts` for the approximation.

    own, shared : (a, q, p0) of a process, and the variance of the constant added, 0 for none
    g, b : (S · J, B) sites of the groups;  m, s : ((S + 1) · J, B), filled, the last J of what is shared
    kl : (B,), filled
    """
    (chain, level), (chain_e, level_e) = own, shared
    a, a_e = chain[0], chain_e[0]
    R, B = b.shape
    J = R // S
    sig, c, resp, P, lump = np.empty((R, B)), np.empty((R, B)), np.zeros((R, B)), np.empty((S, B)), np.empty((R, B))
    work, scratch, log_det = np.empty((2, J, B)), np.empty((2, B)), np.zeros(B)
    r, total, x, p, Kp, Ap, z, beta = (
        np.zeros((J, B)),
        np.zeros((J, B)),
        np.zeros((J, B)),
        np.empty((J, B)),
        np.empty((J, B)),
        np.empty((J, B)),
        np.empty((J, B)),
        np.zeros((J, B)),
    )
    for i in range(S):
        rows = slice(i * J, (i + 1) * J)
        bi, gi, one = b[rows], g[rows], work[1]
        _gains(chain, bi, sig[rows], c[rows], log_det)
        _response(a, level, bi, sig[rows], c[rows], resp[rows], P[i], log_det, scratch[0])
        known = sig[rows], c[rows], resp[rows], P[i]
        _mean(a, level, bi, bi, known, one, scratch)
        for j in range(J):
            for v in range(B):
                lump[i * J + j, v] = bi[j, v] * min(max(1.0 - one[j, v], 0.0), 1.0)
                beta[j, v] += lump[i * J + j, v]
        _mean(a, level, gi, bi, known, one, scratch)
        for j in range(J):
            for v in range(B):
                r[j, v] += gi[j, v] - bi[j, v] * one[j, v]
    sig_e, c_e, resp_e, P_e, log_e = np.empty((J, B)), np.empty((J, B)), np.zeros((J, B)), np.empty(B), np.zeros(B)
    _gains(chain_e, beta, sig_e, c_e, log_e)
    _response(a_e, level_e, beta, sig_e, c_e, resp_e, P_e, log_e, scratch[0])
    known_e = sig_e, c_e, resp_e, P_e
    rz, before, size = np.empty(B), np.empty(B), np.empty(B)
    _mean(a_e, level_e, r, beta, known_e, z, scratch)
    _sum_products(r, z, rz)
    for j in range(J):
        for v in range(B):
            p[j, v] = z[j, v]
            Kp[j, v] = r[j, v] - beta[j, v] * z[j, v]
    for _ in range(STEPS):
        for j in range(J):
            for v in range(B):
                Ap[j, v] = Kp[j, v]
        for i in range(S):
            rows = slice(i * J, (i + 1) * J)
            known = sig[rows], c[rows], resp[rows], P[i]
            _said(a, level, b[rows], known, p, Ap, work, scratch)
        _sum_products(p, Ap, size)
        for v in range(B):
            size[v] = rz[v] / size[v] if size[v] > TINY else 0.0
            before[v] = rz[v]
        for j in range(J):
            for v in range(B):
                x[j, v] += size[v] * p[j, v]
                total[j, v] += size[v] * (Kp[j, v] + beta[j, v] * p[j, v])
                r[j, v] -= size[v] * Ap[j, v]
        _mean(a_e, level_e, r, beta, known_e, z, scratch)
        _sum_products(r, z, rz)
        for v in range(B):
            before[v] = rz[v] / before[v] if before[v] > TINY else 0.0
        for j in range(J):
            for v in range(B):
                p[j, v] = z[j, v] + before[v] * p[j, v]
                Kp[j, v] = r[j, v] - beta[j, v] * z[j, v] + before[v] * Kp[j, v]
    e, v_e = m[S * J :], s[S * J :]
    _mean(a_e, level_e, total, beta, known_e, e, scratch)
    _variances(a_e, level_e, beta, known_e, v_e, work[0][:0], scratch[0])
    for v in range(B):
        kl[v] = 0.5 * (log_det[v] + log_e[v])
    for j in range(J):
        for v in range(B):
            kl[v] += 0.5 * (e[j, v] * (total[j, v] - beta[j, v] * e[j, v]) - beta[j, v] * v_e[j, v])
    _groups(own, shared, S, (g, b, sig, c, resp, P, lump, beta), m, s, kl)


@compiled
def _groups(own: Array, shared: Array, S: int, given: Array, m: Array, s: Array, kl: Array) -> None:
    """Means and variances of all groups, given e and its variance, which are in the last J rows.

    The variance of f_s follows from its prior given the other groups, that of d_s and of e given these, as a Markov
    process with the same variances and covariances of neighbouring nodes [Chow, Liu 1968].
    given : g, b, and σ, c, R, P, lumped precisions of all groups, and their sum;  m, s, kl : see `condition_parts`
    """
    (chain, level), (chain_e, level_e) = own, shared
    (a, q, p0), (g, b, sig, c, resp, P, lump, beta) = chain, given
    J, B = beta.shape
    e, v_e = m[S * J :], s[S * J :]
    h, others, wide, free = np.empty((J, B)), np.empty((J, B)), np.empty((J, B)), np.empty((J, B))
    lag, step, scratch, unused = np.zeros((J, B)), np.zeros((J, B)), np.empty((2, B)), np.zeros(B)
    sig_o, c_o, resp_o, P_o = np.empty((J, B)), np.empty((J, B)), np.zeros((J, B)), np.empty(B)
    prior = np.empty(J)
    for j in range(J):
        prior[j] = p0 if j == 0 else a[j] * a[j] * prior[j - 1] + q[j]
    for i in range(S):
        rows = slice(i * J, (i + 1) * J)
        bi, mi, si = b[rows], m[rows], s[rows]
        known = sig[rows], c[rows], resp[rows], P[i]
        for j in range(J):
            for v in range(B):
                h[j, v] = g[i * J + j, v] - bi[j, v] * e[j, v]
        _mean(chain[0], level, h, bi, known, mi, scratch)
        _variances(chain[0], level, bi, known, si, h[:0], scratch[0])
        for j in range(J):
            for v in range(B):
                d, part = mi[j, v], lump[i * J + j, v]
                kl[v] += 0.5 * (h[j, v] * d - bi[j, v] * (d * d + si[j, v]))
                if bi[j, v] > 0.0:
                    kl[v] += 0.5 * part * (1.0 - part / bi[j, v]) * v_e[j, v]
                mi[j, v] = e[j, v] + d
                others[j, v] = max(beta[j, v] - part, 0.0)
        _gains(chain_e, others, sig_o, c_o, unused)
        _response(chain_e[0], level_e, others, sig_o, c_o, resp_o, P_o, unused, scratch[0])
        _variances(chain_e[0], level_e, others, (sig_o, c_o, resp_o, P_o), free, lag, scratch[0])
        for j in range(J):
            for v in range(B):
                free[j, v] += prior[j] + level
                if j == 0:
                    sig_o[j, v] = free[j, v]
                else:
                    both = lag[j, v] + a[j] * prior[j - 1] + level
                    step[j, v] = both / max(free[j - 1, v], TINY)
                    noise = max(free[j, v] - step[j, v] * both, 0.0)
                    sig_o[j, v] = step[j, v] * step[j, v] * sig_o[j - 1, v] * c_o[j - 1, v] + noise
                c_o[j, v] = 1.0 / (1.0 + bi[j, v] * sig_o[j, v])
        for v in range(B):
            scratch[0, v] = 0.0
        for j in range(J - 1, -1, -1):
            for v in range(B):
                after = step[j + 1, v] * step[j + 1, v] if j < J - 1 else 0.0
                scratch[0, v] = (after * scratch[0, v] * c_o[j, v] + bi[j, v]) * c_o[j, v]
                wide[j, v] = sig_o[j, v] * (1.0 - sig_o[j, v] * scratch[0, v])
        for j in range(J):
            for v in range(B):
                si[j, v] = max(si[j, v], wide[j, v])
