"""Many groups whose shared and own processes have state size S = 1: the approximation of `track_parts`, in one loop."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chronotope._typing import Array, Floats, Ints, Values
from chronotope.gp.base import Marginals
from chronotope.gp.kalman_parts import condition_parts
from chronotope.gp.markov import MarkovStructure, gather
from chronotope.gp.track_parts import TrackParts
from chronotope.gp.tracks import track_of
from chronotope.kernels import Kernel
from chronotope.loops import outer, run_loop

WORDS = 32  # words of a task


class Process(NamedTuple):
    """A process with state size 1 along times.   chain : a, q (T,), p0;  level : variance of a constant added to it."""

    chain: tuple[Floats, Floats, float]
    level: float


def process(kernel: Kernel, times: Floats) -> Process | None:
    """The process of a kernel; None if its state is larger.   times : (T,), sorted"""
    if kernel.state_space() is None:
        return None
    H, A, Q, P0, level = MarkovStructure(kernel, times).chain
    if len(H) != 1 or H[0] != 1.0:
        return None
    return Process((A[:, 0, 0].copy(), Q[:, 0, 0].copy(), float(P0[0, 0])), float(level))


@outer()
def _group_blocks(first: int, last: int, both: Array, S: int, rows: Array, given: Array, out: Array) -> None:
    """Blocks of words from first to last.   rows : of the sites, (S · T,), and of the output, ((S + 1) · T,), or −1."""
    own, shared = both
    g, V, blocks, (m, s, kl) = given[0], given[0].shape[2], out[2].shape[1], out
    for task in range(first, last):
        k, v0 = task // blocks, task % blocks * WORDS
        B, n = min(WORDS, V - v0), len(rows[0])
        sites, moments = (np.zeros((n, B), g.dtype), np.zeros((n, B), g.dtype)), np.empty((2, len(rows[1]), B))
        gather(rows[0], given, k, v0, sites)
        own_kl = np.empty(B)
        condition_parts(own, shared, S, sites[0], sites[1], moments[0], moments[1], own_kl)
        total = 0.0
        for v in range(B):
            total += own_kl[v]
        kl[k, task % blocks] = total
        for i in range(len(rows[1])):
            if rows[1][i] >= 0:
                for v in range(B):
                    m[rows[1][i], k, v0 + v] = moments[0, i, v]
                    s[rows[1][i], k, v0 + v] = moments[1, i, v]


class GroupChains(TrackParts):
    """Groups by the structured approximation, where every process has state size 1; parameters as of `TrackParts`."""

    def condition(self, g: Values, b: Values) -> Marginals:
        """Posterior marginals at the nodes of all tracks, and the KL to the prior."""
        n, J = len(self.nodes), self._J
        row = np.concatenate([np.arange(n), np.full(J, -1)])
        return self._condition(self.nodes[:J, 0], np.arange(n), row, n, g, b)

    def predict(self, points: Floats, g: Values, b: Values) -> tuple[Values, Values]:
        """Posterior mean and variance at any points (n, 2), (n, K, V) each."""
        nodes, S = self.nodes[: self._J, 0], self.tracks.size
        times, track = np.unique(np.concatenate([nodes, points[:, 0]])), track_of(points)
        T, at = len(times), np.searchsorted(times, nodes)
        site = np.full((S, T), -1)
        site[:, at] = np.arange(S * self._J).reshape(S, self._J)
        asked = np.where(track < 0, S, track) * T + np.searchsorted(times, points[:, 0])
        different, place = np.unique(asked, return_inverse=True)
        row = np.full((S + 1) * T, -1)
        row[different] = np.arange(len(different))
        m, s, _ = self._condition(times, site.reshape(-1), row, len(different), g, b)
        return m[place], s[place]

    def _condition(self, times: Floats, site: Ints, row: Ints, n: int, g: Values, b: Values) -> Marginals:
        """Posterior at the times of all groups.   site : row of the sites, −1 for none;  row : of the output, n rows"""
        K, V = g.shape[1:]
        own, shared = (process(kernel, times) for kernel in self.kernels)
        m, s, kl = np.empty((n, K, V), g.dtype), np.empty((n, K, V), g.dtype), np.empty((K, -(-V // WORDS)))
        run_loop(_group_blocks, kl.size, (own, shared), self.tracks.size, (site, row), (g, b), (m, s, kl))
        return Marginals(m, s, kl.sum(axis=1))
