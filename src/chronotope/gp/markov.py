"""One forward and one backward sweep over the nodes of a Markov process, for many words at once.

Sites exp(g f − b f²/2) on the value f = H x of the state x turn the prior chain into a posterior chain. The filter is
in covariance form and the smoother in adjoint form: nothing is inverted, so constant components (no process noise),
equal times and rank-deficient states need no special care.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, prange

from chronotope._typing import Array, Floats, Values
from chronotope.gp.base import Marginals, root
from chronotope.gp.kalman_scalar import compiled, condition_values
from chronotope.gp.kalman_state import condition_states
from chronotope.kernels import Kernel, StateSpace

WORDS = 64  # words that share one task: their scratch stays in the second-level cache


@njit(cache=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _misfit(g: Array, b: Array, m: Array, s: Array) -> float:
    """Σ_v [g m − b (m² + s)/2] at one node."""
    total = 0.0
    for v in range(len(g)):
        total += g[v] * m[v] - 0.5 * b[v] * (m[v] * m[v] + s[v])
    return total


@compiled
def _open(places: Array, sites: Array, k: int, v0: int, B: int) -> Any:
    """Sites of words v0 … v0 + B of topic k along the chain, (J, B) each, and room for y, sig, r (J, B) and log Z."""
    (site, _), (g, b) = places, sites
    J = len(site)
    gj, bj = np.zeros((J, B), g.dtype), np.zeros((J, B), g.dtype)
    for j in range(J):
        if site[j] >= 0:
            for v in range(B):
                gj[j, v] = g[site[j], k, v0 + v]
                bj[j, v] = b[site[j], k, v0 + v]
    return (gj, bj), (np.empty((J, B)), np.empty((J, B)), np.empty((J, B))), np.empty(B)


@compiled
def _close(places: Array, sites: Array, kept: Array, log_z: Array, out: Array, k: int, v0: int) -> None:
    """Write the block's marginals and KL where they belong."""
    row, (gj, bj), y, sig = places[1], sites, kept[0], kept[1]
    m, s, kl = out
    total = 0.0
    for j in range(len(row)):
        total += _misfit(gj[j], bj[j], y[j], sig[j])
        if row[j] >= 0:
            for v in range(len(log_z)):
                m[row[j], k, v0 + v] = y[j, v]
                s[row[j], k, v0 + v] = sig[j, v]
    for v in range(len(log_z)):
        total -= log_z[v]
    kl[k, v0 // WORDS] = total


@compiled
def _block_of_values(model: Array, places: Array, sites: Array, out: Array, task: Any) -> None:
    _, A, Q, P0, level = model
    k, v0 = task // out[2].shape[1], (task % out[2].shape[1]) * WORDS
    here, kept, log_z = _open(places, sites, k, v0, min(WORDS, sites[0].shape[2] - v0))
    condition_values(A[:, 0, 0], Q[:, 0, 0], P0[0, 0], level, here, kept, log_z)
    _close(places, here, kept, log_z, out, k, v0)


@compiled
def _block_of_states(model: Array, places: Array, sites: Array, out: Array, task: Any) -> None:
    k, v0 = task // out[2].shape[1], (task % out[2].shape[1]) * WORDS
    here, kept, log_z = _open(places, sites, k, v0, min(WORDS, sites[0].shape[2] - v0))
    condition_states(model, here, kept, log_z)
    _close(places, here, kept, log_z, out, k, v0)


@njit(cache=True, parallel=True)
def _sweep_values(model: Array, places: Array, sites: Array, out: Array) -> None:
    for task in prange(out[2].size):
        _block_of_values(model, places, sites, out, np.int64(task))


@njit(cache=True, parallel=True)
def _sweep_states(model: Array, places: Array, sites: Array, out: Array) -> None:
    for task in prange(out[2].size):
        _block_of_states(model, places, sites, out, np.int64(task))


def sweep(model: Array, places: Array, sites: Array, out: Array) -> None:
    """Posterior marginals of every word's value at the nodes of a chain, and its KL to the prior.

        KL = Σ_j [g m − b (m² + s)/2] − log Z

    model  : (H, A, Q, P0, level) with H (S,), A and Q (J, S, S), P0 (S, S); level : variance of a constant added to a
        state of size one, 0 for none
    places : (J,) which row of the sites holds at a node, −1 for none, and (J,) where its answer goes, −1 for nowhere
    sites  : g, b (R, K, V);  out : m, s (rows, K, V), and kl (K, blocks of words), filled
    """
    H = model[0]
    values = len(H) == 1 and H[0] == 1.0
    (_sweep_values if values else _sweep_states)(model, places, sites, out)


class MarkovStructure:
    """A Gauss-Markov chain through the nodes; K_ZZ⁻¹ is block tridiagonal and never formed.

    At other times the chain is asked by adding nodes without data, so every answer is exact.
    """

    def __init__(self, kernel: Kernel, nodes: Floats) -> None:
        space = kernel.state_space()
        if space is None:
            raise ValueError(f"kernel {kernel} is not Markov; use the dense structure.")
        self.kernel, self.nodes = kernel, nodes
        self._space: StateSpace = space
        self._chain = _chain(space, nodes)

    def condition(self, g: Values, b: Values) -> Marginals:
        """The posterior at the nodes."""
        each = np.arange(len(self.nodes))
        return _run(self._chain, each, each, g, b)

    def predict(self, times: Floats, g: Values, b: Values) -> tuple[Values, Values]:
        """Posterior mean and variance at any times, (n, K, V) each."""
        chain, site, row = self._joined(times)
        marginals = _run(chain, site, row, g, b)
        return marginals.m, marginals.s

    def draw(self, times: Floats, g: Values, b: Values, rng: np.random.Generator) -> Values:
        """One joint draw at any times: a prior path, moved by what the posterior makes of its misfit.

        f = f₀ + E[f | sites g − b f₀ + √b ε, b],   f₀ ~ prior,  ε ~ N(0, 1)
        """
        chain, site, row = self._joined(times)
        path = _prior_path(chain, g.shape[1:], rng)  # (J + n, K, V)
        prior = np.empty((len(self.nodes), *g.shape[1:]))
        prior[site[site >= 0]] = path[site >= 0]
        misfit = g - b * prior + np.sqrt(b) * rng.standard_normal(g.shape)
        shift = _run(chain, site, row, misfit, b.astype(np.float64)).m
        shift[row[row >= 0]] += path[row >= 0]
        return shift

    def _joined(self, times: Floats) -> tuple[tuple[Floats, Floats, Floats, Floats], np.ndarray, np.ndarray]:
        """The chain through nodes and times: which site holds at each place, and which time it answers.

        A time that is a node is answered there; if it is asked again, it gets a place of its own.
        """
        J, (asked, first) = len(self.nodes), np.unique(times, return_index=True)
        shared = first[np.isin(asked, self.nodes)]
        extra = np.setdiff1d(np.arange(len(times)), shared)
        joined = np.concatenate([self.nodes, times[extra]])
        site = np.concatenate([np.arange(J), np.full(len(extra), -1)])
        row = np.concatenate([np.full(J, -1), extra])
        row[np.searchsorted(self.nodes, times[shared])] = shared
        order = np.argsort(joined, kind="stable")
        return _chain(self._space, joined[order]), site[order], row[order]


def _chain(space: StateSpace, times: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """H, A, Q, P0 of the chain through sorted times; A[j], Q[j] lead from time j − 1 to time j."""
    before = np.concatenate([times[:1], times[:-1]])
    arrays = space.H, space.transition(before, times), space.noise(before, times), space.covariance(times[0])
    H, A, Q, P0 = (np.ascontiguousarray(x, dtype=np.float64) for x in arrays)
    return H, A, Q, P0


def _run(chain: tuple[Floats, ...], site: np.ndarray, row: np.ndarray, g: Values, b: Values) -> Marginals:
    K, V = g.shape[1:]
    n = int(row.max()) + 1
    m, s, kl = np.empty((n, K, V), g.dtype), np.empty((n, K, V), g.dtype), np.empty((K, -(-V // WORDS)))
    sweep(_level_apart(chain), (site, row), (g, b), (m, s, kl))
    return Marginals(m, s, kl.sum(axis=1))


def _level_apart(chain: tuple[Floats, ...]) -> tuple[Any, ...]:
    """The chain with a constant beside a state of size one told apart, and the constant's variance, 0 if there is none.

    The sum of a constant and, say, an Ornstein-Uhlenbeck process then costs little more than the latter alone.
    """
    H, A, Q, P0 = chain
    if len(H) == 2 and np.all(H == 1.0) and P0[0, 1] == 0.0 and not A[:, [0, 1], [1, 0]].any():
        for constant, other in ((0, 1), (1, 0)):
            if np.all(A[:, constant, constant] == 1.0) and not Q[:, constant].any():
                one = slice(other, other + 1)
                parts = H[one], A[:, one, one], Q[:, one, one], P0[one, one]
                return *(np.ascontiguousarray(part) for part in parts), float(P0[constant, constant])
    return H, A, Q, P0, 0.0


def _prior_path(chain: tuple[Floats, ...], shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    """A draw of f at the chain's times for each of `shape` words: (J, *shape)."""
    H, A, Q, P0 = chain
    path = np.empty((len(A), *shape))
    x = np.tensordot(root(P0), rng.standard_normal((len(H), *shape)), axes=1)
    for j in range(len(A)):
        if j > 0:
            x = np.tensordot(A[j], x, axes=1)
            R = root(Q[j])
            R = R[:, R.any(axis=0)]  # what does not move, as a constant, needs no noise
            x += np.tensordot(R, rng.standard_normal((R.shape[1], *shape)), axes=1)
        path[j] = np.tensordot(H, x, axes=1)
    return path
