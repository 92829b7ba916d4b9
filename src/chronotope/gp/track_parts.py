"""Many groups: what they share and what each has of its own, one after the other, in time linear in their number.

    f_s = e + d_s,   e ~ GP(0, κ_e),   d_s ~ GP(0, κ_d)

With d_s integrated out, the documents of a group say of e what sites with g'_s and the precision matrix M_s say:

    M_s = B_s − B_s Σ_s B_s,   g'_s = g_s − B_s Σ_s g_s       Σ_s : posterior covariance of d_s without e

The structured approximation is in M_s: its rows are summed up into its diagonal ("lumped"), which is exact where e is
constant in time,

    M_s ≈ diag(b_s R_s),   R_s = 1 − Σ_s b_s                  the response of E f_s to a shift of e

So what other groups say of e becomes sites on it, and variances follow from these and a group's own sites. Means are
those of the exact posterior, found by conjugate gradients: (K_e⁻¹ + Σ_s M_s) e = Σ_s g'_s, with the lumped matrix as
preconditioner, and d_s = E[d_s | e].
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chronotope._typing import Floats, Values
from chronotope.gp.base import Marginals, Structure
from chronotope.gp.kalman_parts import STEPS
from chronotope.gp.tracks import TrackCovariance, Tracks, track_of
from chronotope.kernels import Kernel, own_kernel, shared_kernel


class Shared(NamedTuple):
    """What is known of e.

    sites : g, b (J, K, V) on e;  mean, s : (J, K, V) of e;  kl : (K,)
    own : (S · J, K, V), what each group adds to b
    """

    sites: tuple[Values, Values]
    mean: Values
    s: Values
    kl: Floats
    own: Values


class TrackParts:
    """Groups by a structured approximation.

    kernel : Kernel over time and track, resolved, with a shared and an own part;  nodes : (J,) sorted times
    tracks : S of them;  shared, own : structures of e and of each d_s on the nodes
    group : structure of f_s of a single group, with sites on it and, after them, on e
    """

    def __init__(
        self, kernel: Kernel, nodes: Floats, tracks: Tracks, shared: Structure, own: Structure, group: Structure
    ) -> None:
        self.kernel, self.tracks, self.nodes = TrackCovariance(kernel, tracks), tracks, tracks.points(nodes)
        self.kernels = own_kernel(kernel) or kernel, shared_kernel(kernel) or kernel
        self.shared, self.own, self.group, self._J = shared, own, group, len(nodes)

    def condition(self, g: Values, b: Values) -> Marginals:
        """Posterior marginals at the nodes of all tracks, and the KL to the prior."""
        found, m = self._solve(g, b), np.empty_like(g)
        s, kl = found.own, found.kl  # its memory is used again
        for rows in self._rows():
            sites, others = (g[rows] - b[rows] * found.mean, b[rows]), self._beside(found, b[rows], rows)
            kl = kl + 0.5 * _product(s[rows] * (1 - _part(s[rows], b[rows])), found.s)
            d = self.own.condition(*sites)
            kl, m[rows] = kl + d.kl, found.mean + d.m
            s[rows] = self.group.condition(np.zeros_like(others), others).s[: self._J]
        return Marginals(m, s, kl)

    def predict(self, points: Floats, g: Values, b: Values) -> tuple[Values, Values]:
        """Posterior mean and variance at any points (n, 2), (n, K, V) each."""
        found, times, track = self._solve(g, b), points[:, 0], track_of(points)
        m, s = self.shared.predict(times, *found.sites)
        for i in np.unique(track[track >= 0]):
            at, rows = np.flatnonzero(track == i), self._of(int(i))
            m[at] += self.own.predict(times[at], g[rows] - b[rows] * found.mean, b[rows])[0]
            here, others = np.column_stack([times[at], np.zeros(len(at))]), self._beside(found, b[rows], rows)
            s[at] = self.group.predict(here, np.zeros_like(others), others)[1]
        return m, s

    def draw(self, points: Floats, g: Values, b: Values, rng: np.random.Generator) -> Values:
        """One joint draw from the posterior at any points (n, 2): (n, K, V)."""
        found, times, track = self._solve(g, b), points[:, 0], track_of(points)
        both, place = np.unique(np.concatenate([self.nodes[: self._J, 0], times]), return_inverse=True)
        e = self.shared.draw(both, *found.sites, rng)[place]
        drawn: Values = e[self._J :].copy()
        for i in np.unique(track[track >= 0]):
            at, rows = np.flatnonzero(track == i), self._of(int(i))
            drawn[at] += self.own.draw(times[at], g[rows] - b[rows] * e[: self._J], b[rows], rng)
        return drawn

    def _solve(self, g: Values, b: Values) -> Shared:
        """What the sites of all tracks say of e, by preconditioned conjugate gradients, of each topic and word alone.

        K_e⁻¹ z is known without a matrix of all nodes: (K_e⁻¹ + B) z = r, so K_e⁻¹ z = r − B z.
        """
        own = np.empty_like(b)
        r, B = np.zeros_like(g[: self._J]), np.zeros_like(g[: self._J])
        for rows in self._rows():
            own[rows] = b[rows] * np.clip(1 - self.own.condition(b[rows], b[rows]).m, 0, 1)
            B += own[rows]
            r += g[rows] - b[rows] * self.own.condition(g[rows], b[rows]).m
        total = np.zeros_like(r)  # (K_e⁻¹ + B) e, the sites that have the solution e as their mean
        z = self.shared.condition(r, B).m
        p, Kp, rz = z, r - B * z, (r * z).sum(axis=0)
        for _ in range(STEPS):
            Ap = Kp + self._said_of(p, b)
            a = _part(rz, (p * Ap).sum(axis=0))
            total += a * (Kp + B * p)
            r = r - a * Ap
            z = self.shared.condition(r, B).m
            before, rz = rz, (r * z).sum(axis=0)
            ratio = _part(rz, before)
            p, Kp = z + ratio * p, r - B * z + ratio * Kp
        m, s, kl = self.shared.condition(total, B)
        return Shared((total, B), m, s, kl, own)

    def _said_of(self, z: Values, b: Values) -> Values:
        """Σ_s M_s z, (J, K, V)."""
        found = np.zeros_like(z)
        for rows in self._rows():
            pulled = b[rows] * z
            found += pulled - b[rows] * self.own.condition(pulled, b[rows]).m
        return found

    def _beside(self, found: Shared, b: Values, rows: slice) -> Values:
        """Precisions of the sites on f_s, b, and of those on e by what the other groups say of it, (2 J, K, V)."""
        return np.concatenate([b, np.maximum(found.sites[1] - found.own[rows], 0)])

    def _rows(self) -> list[slice]:
        return [self._of(i) for i in range(self.tracks.size)]

    def _of(self, track: int) -> slice:
        """Rows of a track."""
        return slice(track * self._J, (track + 1) * self._J)


def _product(x: Values, y: Values) -> Floats:
    """Sums of products over nodes and words, (K,)."""
    found: Floats = (x * y).sum(axis=(0, 2), dtype=np.float64)
    return found


def _part(x: Values, of: Values) -> Values:
    """x / of, 0 where that is 0."""
    found: Values = np.divide(x, of, out=np.zeros_like(x), where=of > 0)
    return found
