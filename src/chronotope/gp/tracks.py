"""Tracks: the groups or places of documents. Topics have nodes at every time of the grid on every track.

Rows are in the order of the tracks, and of each in the order of time: row s·J + j is node j of track s. A point is a
time, or with tracks a pair (τ, s), in which −1 is a track that is not known: there is what all tracks share.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chronotope._typing import Floats, Ints
from chronotope.kernels import Kernel, straight_distances, terms_of


class Tracks(NamedTuple):
    """The tracks of documents.

    names : (S,) of groups or cells;  places : (S, 2) latitude and longitude of the cells, NaN for a track that has no
        place; None for groups
    """

    names: tuple[str, ...]
    places: Floats | None = None

    @property
    def size(self) -> int:
        """S, their number."""
        return len(self.names)

    def distances(self) -> Floats | None:
        """Lengths of straight lines between places in kilometres, (S, S), infinite to one without a place."""
        if self.places is None:
            return None
        found = straight_distances(np.nan_to_num(self.places))
        nowhere = np.isnan(self.places.sum(axis=1))
        found[nowhere] = found[:, nowhere] = np.inf
        np.fill_diagonal(found, 0.0)
        return found

    def points(self, times: Floats) -> Floats:
        """The points of all tracks at these times, (S · T, 2)."""
        track = np.repeat(np.arange(self.size, dtype=np.float64), len(times))
        return np.column_stack([np.tile(times, self.size), track])


class TrackCovariance:
    """The covariance of points, as a kernel is that of times.

    κ((τ, s), (τ', s')) = Σ_i κ_i(τ, τ') C_i(s, s')
    """

    def __init__(self, kernel: Kernel, tracks: Tracks) -> None:
        self.kernel, self.tracks = kernel, tracks
        distances = tracks.distances()
        self.terms = [
            (term.time, self._with_unknown(term.correlation(distances, tracks.size))) for term in terms_of(kernel)
        ]

    def __call__(self, x: Floats, y: Floats | None = None) -> Floats:
        """Covariance matrix;  x : (n, 2);  y : (m, 2), default None for x.  Returns (n, m)."""
        y = x if y is None else y
        a, b = x[:, 1].astype(int), y[:, 1].astype(int)
        total = np.zeros((len(x), len(y)))
        for time, C in self.terms:
            total += time(x[:, 0], y[:, 0]) * C[a[:, None], b]
        return total

    def diag(self, x: Floats) -> Floats:
        """Variances of points, (n,)."""
        track = x[:, 1].astype(int)
        found: Floats = np.sum([time.diag(x[:, 0]) * C[track, track] for time, C in self.terms], axis=0)
        return found

    @staticmethod
    def _with_unknown(C: Floats) -> Floats:
        """C with a last row and column, which −1 means: 1 where all tracks share a term, else 0."""
        shared = bool((C == 1.0).all()) and len(C) > 0
        return np.pad(C, (0, 1), constant_values=1.0 if shared else 0.0)


def track_of(points: Floats) -> Ints:
    """Track of each point, (n,)."""
    return points[:, 1].astype(np.int64)
