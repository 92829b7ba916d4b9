"""Dates that are known roughly: each a density over time, as "circa 1850", "the 1930s" or no date at all give it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

import numpy as np

from chronotope._typing import Floats, Ints

Corners = tuple[float, float, float, float]

UNKNOWN: Corners = (-np.inf, -np.inf, np.inf, np.inf)
SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")


class RoughDate(NamedTuple):
    """One date that is known roughly: as it was written, and the pieces of its density."""

    written: str
    pieces: tuple[Corners, ...]

    @property
    def middle(self) -> tuple[float, float]:
        """The middle of the density twice; from where to where it can be if the date is open."""
        first = min(0.5 * (a + b) for a, b, _, _ in self.pieces)
        last = max(0.5 * (c + d) for _, _, c, d in self.pieces)
        middle = 0.5 * (first + last)
        return (first, last) if math.isinf(middle) or math.isnan(middle) else (middle, middle)


class RoughDates(NamedTuple):
    """Dates of R documents, each as one piece of a density over time or several, "1851 or 1853".

    A piece with the corners (a, b, c, d) is 0 until a, rises to 1 at b, stays 1 until c, and falls to 0 at d: an
    interval is (a, a, d, d), "circa 1850" a triangle. An end that is open is infinite.

    document : (P,) the document of each piece, increasing;  corners : (P, 4), increasing in a row
    """

    document: Ints
    corners: Floats

    @classmethod
    def of(cls, dates: Iterable[tuple[int, Sequence[Corners]]]) -> RoughDates:
        """Those of some documents.   dates : pairs of a document and the pieces of its date, in order."""
        pieces = [(row, corners) for row, date in dates for corners in date]
        return cls(
            np.array([row for row, _ in pieces], dtype=np.int64),
            np.array([corners for _, corners in pieces], dtype=np.float64).reshape(-1, 4),
        )

    @property
    def documents(self) -> Ints:
        """The documents that have them, (R,), increasing."""
        return np.unique(self.document)

    @property
    def unknown(self) -> Ints:
        """Those of the documents whose date is open on both sides."""
        return np.unique(self.document[np.isinf(self.corners[:, 0]) & np.isinf(self.corners[:, 3])])

    def take(self, rows: Ints) -> RoughDates:
        """The rough dates among the documents of some rows, which are then 0, 1, …"""
        first, end = (np.searchsorted(self.document, rows, side=side) for side in SIDES)
        size = end - first
        places = np.repeat(first - (np.cumsum(size) - size), size) + np.arange(size.sum())
        return RoughDates(np.repeat(np.arange(len(rows)), size), self.corners[places])

    def within(self, first: float, last: float) -> RoughDates:
        """The same with ends that are open closed at these times, or at the nearest known end beyond them."""
        low, high = self.corners[:, :2], self.corners[:, 2:]
        known = np.where(np.isfinite(self.corners), self.corners, np.nan)
        start = np.fmin(first, np.fmin.reduce(known, axis=1))[:, None]
        end = np.fmax(last, np.fmax.reduce(known, axis=1))[:, None]
        closed = [np.where(np.isinf(low), start, low), np.where(np.isinf(high), end, high)]
        return RoughDates(self.document, np.hstack(closed))

    def span(self, exact: Floats) -> tuple[float, float]:
        """First and last of the exact times, (n,), or of the ends that are known; refused if there are none of both."""
        known = exact if len(exact) else self.corners[np.isfinite(self.corners)]
        if not len(known):
            n = len(self.documents)
            raise ValueError(f"none of the {n:,} dates is known; pass at least one that is, exactly or roughly.")
        return float(known.min()), float(known.max())

    def placed(self, times: Floats) -> Floats:
        """The times, (D,), with the middles of these dates in their documents' places.

        Ends that are open are closed at the span of the other times that are finite.
        """
        placed = times.copy()
        placed[self.documents] = np.nan
        placed[self.documents] = self.within(*self.span(placed[np.isfinite(placed)])).middles()
        return placed

    def mass(self, edges: Floats) -> Floats:
        """The mass of each document's density between neighbouring edges, (R, C); rows sum to 1, or to 0 outside.

            ∫ between edges of the density = F(right) − F(left),   F piecewise quadratic

        edges : (C + 1,), increasing and finite; ends must not be open, see `within`
        """
        pieces = np.diff(_integral(self.corners, edges), axis=1)
        of = np.unique(self.document, return_inverse=True)[1]
        total = np.zeros((of.max(initial=-1) + 1, len(edges) - 1))
        np.add.at(total, of, pieces)
        sums = total.sum(axis=1, keepdims=True)
        found: Floats = np.divide(total, sums, out=np.zeros_like(total), where=sums > 0.0)
        return found

    def middles(self) -> Floats:
        """The middle of each document's density, halfway between its first and its last quarter, (R,)."""
        first = np.full(len(self.documents), np.inf)
        last, of = -first, np.unique(self.document, return_inverse=True)[1]
        np.minimum.at(first, of, self.corners[:, :2].mean(axis=1))
        np.maximum.at(last, of, self.corners[:, 2:].mean(axis=1))
        middles: Floats = 0.5 * (first + last)
        return middles


def _integral(corners: Floats, times: Floats) -> Floats:
    """∫ of each piece's density up to some times, (P, n); a piece without width is a step.

    corners : (P, 4), finite;  times : (n,), increasing
    """
    a, b, c, d = (corners[:, i, None] for i in range(4))
    up, flat, down = (np.clip(times, low, high) - low for low, high in ((a, b), (b, c), (c, d)))
    rise = np.divide(up**2, 2.0 * (b - a), out=np.zeros_like(up), where=b > a)
    fall = down - np.divide(down**2, 2.0 * (d - c), out=np.zeros_like(down), where=d > c)
    at = np.where(a == times[-1], np.nextafter(a, -np.inf), a)  # the last edge belongs to the cell before it
    total: Floats = np.where(d > a, rise + flat + fall, times > at)
    return total
