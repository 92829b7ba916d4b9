"""Markov kernels: Kalman filter and smoother over the nodes, for all topics and words in parallel.

Sites exp(g f − b f²/2) on the value f = H x of the state x turn the prior chain into a posterior chain. The filter is
in covariance form and the smoother in adjoint form: no matrix is inverted, so constant components (Q = 0), equal times
and singular state covariances are no special cases.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chronotope._typing import Array, Floats, Values
from chronotope.gp.base import Marginals, combine, normal, root
from chronotope.gp.kalman_scalar import condition_values
from chronotope.gp.kalman_state import condition_states
from chronotope.kernels import Kernel, StateSpace
from chronotope.loops import FAST, inlined, inner, outer, run_loop

WORDS = 64  # words of a task: their scratch arrays fit in the second-level cache


@inner(fastmath=FAST)
def _expected_log_sites(g: Array, b: Array, m: Array, s: Array) -> float:
    """Expected log sites at one node, Σ_v [g m − b (m² + s)/2].   g, b, m, s : (B,)."""
    total = 0.0
    for v in range(len(g)):
        total += g[v] * m[v] - 0.5 * b[v] * (m[v] * m[v] + s[v])
    return total


@inlined
def gather(rows: Array, given: Array, k: int, v0: int, sites: Array) -> None:
    """Sites of words v0 … v0 + B of topic k.   given : g, b (rows, K, V);  sites : the same along the chain, (J, B)."""
    (g, b), (gj, bj) = given, sites
    for j in range(len(rows)):
        if rows[j] >= 0:
            for v in range(gj.shape[1]):
                gj[j, v] = g[rows[j], k, v0 + v]
                bj[j, v] = b[rows[j], k, v0 + v]


@inlined
def scatter(rows: Array, sites: Array, moments: Array, log_z: Array, out: Array, k: int, v0: int) -> None:
    """Write a block's marginals and KL to the output.   log_z : (B,);  out : m, s, kl."""
    (g, b), (y, sig), (m, s, kl) = sites, moments, out
    total = 0.0
    for j in range(len(rows)):
        total += _expected_log_sites(g[j], b[j], y[j], sig[j])
        if rows[j] >= 0:
            for v in range(len(log_z)):
                m[rows[j], k, v0 + v] = y[j, v]
                s[rows[j], k, v0 + v] = sig[j, v]
    for v in range(len(log_z)):
        total -= log_z[v]
    kl[k, v0 // WORDS] = total


@outer()
def _scalar_blocks(first: int, last: int, chain: Array, level: float, rows: Array, given: Array, out: Array) -> None:
    """Blocks of words of a process with S = 1; see `condition_chain`.   chain : a, q, p0;  level : variance."""
    g, J, V, blocks = given[0], len(rows[0]), given[0].shape[2], out[2].shape[1]
    for task in range(first, last):
        k, v0 = task // blocks, task % blocks * WORDS
        B = min(WORDS, V - v0)
        sites, scratch = (np.zeros((J, B), g.dtype), np.zeros((J, B), g.dtype)), np.empty((4, B))
        moments, R = (np.empty((J, B)), np.empty((J, B)), np.empty((J, B))), np.empty((J, B))
        gather(rows[0], given, k, v0, sites)
        condition_values(chain, level, sites, moments, R, scratch[3], scratch)
        scatter(rows[1], sites, moments[:2], scratch[3], out, k, v0)


@outer()
def _state_blocks(first: int, last: int, chain: Array, rows: Array, given: Array, out: Array) -> None:
    """Blocks of words of a process with any S; see `condition_chain`.   chain : H, A, Q, P0."""
    g, J, V, blocks = given[0], len(rows[0]), given[0].shape[2], out[2].shape[1]
    for task in range(first, last):
        k, v0 = task // blocks, task % blocks * WORDS
        B = min(WORDS, V - v0)
        sites, moments = (np.zeros((J, B), g.dtype), np.zeros((J, B), g.dtype)), (np.empty((J, B)), np.empty((J, B)))
        pH, log_z = np.empty((J, len(chain[0]), B)), np.empty(B)
        gather(rows[0], given, k, v0, sites)
        condition_states(chain, sites, moments, log_z, pH)
        scatter(rows[1], sites, moments, log_z, out, k, v0)


def condition_chain(chain: Array, rows: Array, sites: Array, out: Array) -> None:
    """Posterior marginals of every topic and word at the nodes of a chain, and the KL to the prior.

        KL = Σ_j [g m − b (m² + s)/2] − log Z

    chain : (H, A, Q, P0, level) with H (S,), A and Q (J, S, S), P0 (S, S); level : variance of a constant added to a
        process with S = 1, 0 for none
    rows : (J,) row of the sites that a node of the chain has, −1 for none; (J,) row of the output it fills, −1 for none
    sites : g, b (rows, K, V);  out : m, s (rows, K, V), and kl (K, blocks of words), filled
    """
    H, A, Q, P0, level = chain
    if len(H) == 1 and H[0] == 1.0:
        values = A[:, 0, 0].copy(), Q[:, 0, 0].copy(), float(P0[0, 0])
        run_loop(_scalar_blocks, out[2].size, values, level, rows, sites, out)
    else:
        run_loop(_state_blocks, out[2].size, (H, A, Q, P0), rows, sites, out)


class MarkovStructure:
    """A Gauss-Markov chain over the nodes, conditioned in O(J); K_ZZ⁻¹ is block tridiagonal and never formed.

    kernel : Kernel, Markov and resolved;  nodes : (J,) sorted times

    Other times are added to the chain as nodes without sites, so predictions between nodes are exact.
    """

    def __init__(self, kernel: Kernel, nodes: Floats) -> None:
        space = kernel.state_space()
        if space is None:
            raise ValueError(f"kernel {kernel} is not Markov; use the dense structure.")
        self.kernel, self.nodes = kernel, nodes
        self._space: StateSpace = space
        self._chain = _chain(space, nodes)

    @property
    def chain(self) -> tuple[Any, ...]:
        """H, A, Q, P0 of the chain over the nodes, and the variance of a constant apart; see `condition_chain`."""
        return _split_constant(self._chain)

    def condition(self, g: Values, b: Values) -> Marginals:
        """Posterior marginals at the nodes, and the KL to the prior."""
        each = np.arange(len(self.nodes))
        return _condition(self._chain, each, each, g, b)

    def predict(self, times: Floats, g: Values, b: Values) -> tuple[Values, Values]:
        """Posterior mean and variance at any times (n,), (n, K, V) each."""
        chain, site, row = self._extended(times)
        marginals = _condition(chain, site, row, g, b)
        return marginals.m, marginals.s

    def draw(self, times: Floats, g: Values, b: Values, rng: np.random.Generator) -> Values:
        """One joint draw from the posterior at any times (n,), by Matheron's rule: (n, K, V).

        f = f₀ + E[f | sites g − b f₀ + √b ε, b],   f₀ ~ prior,  ε ~ N(0, 1)
        """
        chain, site, row = self._extended(times)
        path = _prior_draw(chain, g.shape[1:], g.dtype, rng)  # (J + n, K, V)
        residual = np.empty_like(g)
        for i in np.flatnonzero(site >= 0):  # one node, then one topic at a time, to take little memory
            j = site[i]
            residual[j] = g[j] - b[j] * path[i] + np.sqrt(b[j]) * normal(g.shape[1:], g.dtype, rng)
        filled = np.flatnonzero(row >= 0)
        for k in range(g.shape[1]):
            sites = (np.ascontiguousarray(x[:, k : k + 1]) for x in (residual, b))
            path[filled, k] += _condition(chain, site, row, *sites).m[row[filled], 0]
        in_place = len(filled) == len(path) and bool(np.all(np.diff(row) > 0))
        return path if in_place else path[filled[np.argsort(row[filled])]]

    def _extended(self, times: Floats) -> tuple[tuple[Floats, Floats, Floats, Floats], np.ndarray, np.ndarray]:
        """The chain over nodes and other times; for each of its nodes the row of the sites, and of the times.

        A time equal to a node shares it; if it is given again, it is a node of its own.
        """
        J, (distinct, first) = len(self.nodes), np.unique(times, return_index=True)
        shared = first[np.isin(distinct, self.nodes)]
        extra = np.setdiff1d(np.arange(len(times)), shared)
        joined = np.concatenate([self.nodes, times[extra]])
        site = np.concatenate([np.arange(J), np.full(len(extra), -1)])
        row = np.concatenate([np.full(J, -1), extra])
        row[np.searchsorted(self.nodes, times[shared])] = shared
        order = np.argsort(joined, kind="stable")
        return _chain(self._space, joined[order]), site[order], row[order]


def _chain(space: StateSpace, times: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """H, A, Q, P0 of the chain over sorted times; A[j], Q[j] are those of the step from time j − 1 to time j."""
    before = np.concatenate([times[:1], times[:-1]])
    arrays = space.H, space.transition(before, times), space.noise(before, times), space.covariance(times[0])
    H, A, Q, P0 = (np.ascontiguousarray(x, dtype=np.float64) for x in arrays)
    return H, A, Q, P0


def _condition(chain: tuple[Floats, ...], site: np.ndarray, row: np.ndarray, g: Values, b: Values) -> Marginals:
    """Posterior at the nodes of a chain that fill a row of the output;  site, row : `rows` of `condition_chain`."""
    K, V = g.shape[1:]
    n = int(row.max()) + 1
    m, s, kl = np.empty((n, K, V), g.dtype), np.empty((n, K, V), g.dtype), np.empty((K, -(-V // WORDS)))
    condition_chain(_split_constant(chain), (site, row), (g, b), (m, s, kl))
    return Marginals(m, s, kl.sum(axis=1))


def _split_constant(chain: tuple[Floats, ...]) -> tuple[Any, ...]:
    """A chain that is the sum of a process with S = 1 and a constant as that process and the constant's variance.

    The variance is 0 if there is no constant. The sum then costs little more than the process alone.
    """
    H, A, Q, P0 = chain
    if len(H) == 2 and np.all(H == 1.0) and P0[0, 1] == 0.0 and not A[:, [0, 1], [1, 0]].any():
        for constant, other in ((0, 1), (1, 0)):
            if np.all(A[:, constant, constant] == 1.0) and not Q[:, constant].any():
                one = slice(other, other + 1)
                parts = H[one], A[:, one, one], Q[:, one, one], P0[one, one]
                return *(np.ascontiguousarray(part) for part in parts), float(P0[constant, constant])
    return H, A, Q, P0, 0.0


def _prior_draw(chain: tuple[Floats, ...], shape: tuple[int, ...], dtype: Any, rng: np.random.Generator) -> Values:
    """A joint draw of f from the prior at the chain's nodes, for arrays of `shape` words: (J, *shape)."""
    H, A, Q, P0 = chain
    path = np.empty((len(A), *shape), dtype)
    x = combine(root(P0), normal((len(H), *shape), dtype, rng))
    for j in range(len(A)):
        if j > 0:
            R = root(Q[j])
            R = R[:, R.any(axis=0)]  # components without process noise, such as a constant, need no draws
            x = combine(A[j], x) + combine(R, normal((R.shape[1], *shape), dtype, rng))
        path[j] = combine(H, x)
    return path
