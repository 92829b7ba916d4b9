"""Tracks of a Markov kernel, exactly: one chain over time whose state holds what is shared and what is each track's."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from chronotope._typing import Array, Floats, Ints, Values
from chronotope.gp.base import Marginals, combine, normal, root
from chronotope.gp.kalman_tracks import condition_tracks
from chronotope.gp.markov import gather, scatter
from chronotope.gp.tracks import TrackCovariance, Tracks, track_of
from chronotope.kernels import Kernel, StateSpace, terms_of
from chronotope.kernels.statespace import SumSpace
from chronotope.loops import outer, run_loop

WORDS = 64  # words of a task
LEAST = 1e-4  # part of the mean correlation of places that the basis may leave out


class Seen(NamedTuple):
    """What is seen along the chain, O observations at T distinct times.

    times : (T,);  first : (T + 1,) first observation of each, then O;  H : (O, states)
    site : (O,) row of the sites, −1 for none;  row : (O,) row of the output, −1 for none
    """

    times: Floats
    first: Ints
    H: Floats
    site: Ints
    row: Ints


@outer()
def _track_blocks(first: int, last: int, chain: Array, rows: Array, given: Array, out: Array) -> None:
    """Blocks of words from first to last.   chain : see `condition_tracks`;  others : see `condition_chain`."""
    g, O, V, blocks = given[0], len(rows[0]), given[0].shape[2], out[2].shape[1]
    for task in range(first, last):
        k, v0 = task // blocks, task % blocks * WORDS
        B = min(WORDS, V - v0)
        sites, moments = (np.zeros((O, B), g.dtype), np.zeros((O, B), g.dtype)), (np.empty((O, B)), np.empty((O, B)))
        pH, log_z = np.empty((O, chain[0].shape[1], B)), np.empty(B)
        gather(rows[0], given, k, v0, sites)
        condition_tracks(chain, sites, moments, log_z, pH)
        scatter(rows[1], sites, moments, log_z, out, k, v0)


class Components(NamedTuple):
    """The state of all tracks together.   space : its components;  loadings : (S + 1, states) H of each track.

    The last row is that of a track that is not known, which has what all share.
    """

    space: StateSpace
    loadings: Floats


def components(kernel: Kernel, tracks: Tracks) -> Components | None:
    """The state of tracks under a kernel; None if it is not Markov."""
    spaces, columns, distances = list[StateSpace](), list[Floats](), tracks.distances()
    for term in terms_of(kernel):
        space = term.time.state_space()
        if space is None:
            return None
        shared = not term.own and not term.spaces
        loading = np.ones((tracks.size, 1)) if shared else square_root(term.correlation(distances, tracks.size))
        unknown = np.full((1, loading.shape[1]), 1.0 if shared else 0.0)
        for column in np.concatenate([loading, unknown]).T:
            spaces.append(space)
            columns.append(np.outer(column, space.H))
    return Components(SumSpace(spaces), np.concatenate(columns, axis=1))


def square_root(C: Floats) -> Floats:
    """Φ with Φ Φᵀ = C, with as few columns as leave out no more than `LEAST` of its trace; C itself if it is 1."""
    if np.array_equal(C, np.eye(len(C))):
        return C
    values, vectors = np.linalg.eigh(C)
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    r = int(np.searchsorted(np.cumsum(values), (1.0 - LEAST) * values.sum())) + 1
    found: Floats = vectors[:, :r] * np.sqrt(values[:r])
    return found


class TrackChain:
    """A Gauss-Markov chain over time that all tracks observe; exact.

    covariance : of the tracks, Markov and resolved;  nodes : (rows, 2) points with sites
    state : of all tracks together

    The state at a time has what all tracks share, and what each of them has of its own. At every time the tracks are
    observed one after the other. Other points are added to the chain without sites.
    """

    def __init__(self, covariance: TrackCovariance, nodes: Floats, state: Components) -> None:
        self.kernel, self.nodes, self._state = covariance, nodes, state
        self._seen = self._observed(np.zeros((0, 2)))

    def condition(self, g: Values, b: Values) -> Marginals:
        """Posterior marginals at the nodes of all tracks, and the KL to the prior."""
        return self._condition(self._seen._replace(row=self._seen.site), g, b)

    def predict(self, points: Floats, g: Values, b: Values) -> tuple[Values, Values]:
        """Posterior mean and variance at any points (n, 2), (n, K, V) each."""
        marginals = self._condition(self._observed(points), g, b)
        return marginals.m, marginals.s

    def draw(self, points: Floats, g: Values, b: Values, rng: np.random.Generator) -> Values:
        """One joint draw from the posterior at any points (n, 2), by Matheron's rule: (n, K, V)."""
        seen = self._observed(points)
        path = self._prior_draw(seen, g.shape[1:], g.dtype, rng)  # (O, K, V)
        residual = np.empty_like(g)
        for i in np.flatnonzero(seen.site >= 0):  # one node, then one topic at a time, to take little memory
            j = seen.site[i]
            residual[j] = g[j] - b[j] * path[i] + np.sqrt(b[j]) * normal(g.shape[1:], g.dtype, rng)
        filled = np.flatnonzero(seen.row >= 0)
        for k in range(g.shape[1]):
            sites = (np.ascontiguousarray(x[:, k : k + 1]) for x in (residual, b))
            path[filled, k] += self._condition(seen, *sites).m[seen.row[filled], 0]
        return path[filled[np.argsort(seen.row[filled])]]

    def _observed(self, points: Floats) -> Seen:
        """The nodes, and other points, along the chain."""
        joined, rows = np.concatenate([self.nodes, points]), len(self.nodes)
        order = np.argsort(joined[:, 0], kind="stable")
        times, first = np.unique(joined[order, 0], return_index=True)
        number = np.arange(len(joined))
        site, row = np.where(number < rows, number, -1)[order], np.where(number < rows, -1, number - rows)[order]
        H = np.ascontiguousarray(self._state.loadings[track_of(joined[order])])
        return Seen(times, np.append(first, len(order)), H, site, row)

    def _chain(self, seen: Seen) -> tuple[Any, ...]:
        """A, Q and P0 of the steps between the times, and whether all of them are diagonal."""
        before, space = np.concatenate([seen.times[:1], seen.times[:-1]]), self._state.space
        arrays = space.transition(before, seen.times), space.noise(before, seen.times), space.covariance(seen.times[0])
        off = ~np.eye(space.size, dtype=bool)
        A, Q, P0 = (np.ascontiguousarray(x, dtype=np.float64) for x in arrays)
        return A, Q, P0, not (A[:, off].any() or Q[:, off].any())

    def _condition(self, seen: Seen, g: Values, b: Values) -> Marginals:
        """Posterior at what is seen, as far as it fills a row of the output."""
        (K, V), n = g.shape[1:], int(seen.row.max()) + 1
        A, Q, P0, diagonal = self._chain(seen)
        m, s, kl = np.empty((n, K, V), g.dtype), np.empty((n, K, V), g.dtype), np.empty((K, -(-V // WORDS)))
        chain = seen.H, A, Q, P0, seen.first, diagonal
        run_loop(_track_blocks, kl.size, chain, (seen.site, seen.row), (g, b), (m, s, kl))
        return Marginals(m, s, kl.sum(axis=1))

    def _prior_draw(self, seen: Seen, shape: tuple[int, ...], dtype: Any, rng: np.random.Generator) -> Values:
        """A joint draw from the prior at what is seen, (O, *shape)."""
        A, Q, P0, _ = self._chain(seen)
        path = np.empty((len(seen.H), *shape), dtype)
        x = combine(root(P0), normal((len(P0), *shape), dtype, rng))
        for t in range(len(seen.times)):
            if t > 0:
                R = root(Q[t])
                R = R[:, R.any(axis=0)]
                x = combine(A[t], x) + combine(R, normal((R.shape[1], *shape), dtype, rng))
            here = slice(seen.first[t], seen.first[t + 1])
            path[here] = combine(seen.H[here], x)
        return path
