"""Times at which documents may be whose dates are rough."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from chronotope._typing import Floats, Ints, Mask
from chronotope.dates.outlying import main_part
from chronotope.dates.rough import RoughDates

CANDIDATES = 384  # maximum number of candidate times
WIDE = 1.5  # shortest distances between exact dates from which on a gap is filled with candidates
FILLED = 64  # maximum number of candidates in a gap
CERTAIN = 1.0 - 1e-9  # mass of a candidate that is the only one


class Candidates(NamedTuple):
    """Candidate times of R documents.

    document : (R,) the documents, increasing;  date : (R,) which of U different dates each has
    times : (C,) candidate times, increasing;  mass : (U, C) mass of each date at them, rows sum to 1
    """

    document: Ints
    date: Ints
    times: Floats
    mass: Floats

    @classmethod
    def of(cls, times: Floats, rough: RoughDates) -> Candidates:
        """Those of documents with rough dates, one at least.   times : (D,) of all documents; the others are exact."""
        exact = np.unique(np.delete(times, rough.documents))
        known = exact if len(exact) else times
        closed = rough.within(known.min(), known.max() + finest(exact))
        at, edges = candidate_times(exact, closed.corners.min(), closed.corners.max())
        different, date = _different(closed)
        return cls(rough.documents, date, at, different.mass(edges))

    @property
    def middles(self) -> Floats:
        """The candidate in the middle of each document's date, (R,)."""
        found: Floats = self.times[np.argmax(np.cumsum(self.mass, axis=1) >= 0.5, axis=1)][self.date]
        return found

    @property
    def single(self) -> Mask:
        """Whether a document has a single candidate, (R,)."""
        found: Mask = (self.mass.max(axis=1) > CERTAIN)[self.date]
        return found

    @property
    def reach(self) -> Floats:
        """The first and the last time at which any of them may be, (2,)."""
        reached: Floats = self.times[np.flatnonzero(self.mass[self.date].any(axis=0))[[0, -1]]]
        return reached

    def take(self, rows: Ints | Mask, document: Ints) -> Candidates:
        """Those of some of the R documents, which are called otherwise now."""
        return self._replace(document=document, date=self.date[rows])


def settled_dates(times: Floats, rough: RoughDates) -> tuple[Floats, RoughDates | None]:
    """Times of all documents, (D,), and the rough dates that leave more than one candidate; the others are exact.

    times : (D,) of all documents
    """
    if not len(rough.document):
        return times, None
    found, times = Candidates.of(times, rough), times.copy()
    times[found.document] = found.middles
    open_ = np.isin(rough.document, found.document[~found.single])
    return times, RoughDates(rough.document[open_], rough.corners[open_]) if open_.any() else None


def candidate_times(exact: Floats, first: float, last: float) -> tuple[Floats, Floats]:
    """Candidate times from first to last, (C,), and the edges of the time that each stands for, (C + 1,).

    Exact dates, or some of many, are candidates themselves, with others in the gaps: each stands for the time until the
    next one, as 1850 does for the whole year. Without exact dates, candidates are evenly spaced.

    exact : (n,), increasing
    """
    some = exact[np.unique(np.linspace(0, len(exact) - 1, CANDIDATES).round().astype(int))] if len(exact) else exact
    spacing = finest(some)
    if not spacing > 0.0:
        edges = np.linspace(first, np.nextafter(last, np.inf), CANDIDATES + 1)
        return 0.5 * (edges[1:] + edges[:-1]), edges
    known = np.unique(np.concatenate([some, [first, last]])) if first < some[0] or last > some[-1] + spacing else some
    times = np.unique(np.concatenate([_filled(a, b, spacing) for a, b in pairwise(known.tolist())] + [known[-1:]]))
    times = times[times < last] if times[-1] > some[-1] else times
    return times, np.append(times, max(last, times[-1] + spacing))


def _filled(start: float, end: float, spacing: float) -> Floats:
    """The start of a gap, and candidates in it if it is wide."""
    gap = end - start
    if not gap > WIDE * spacing:
        return np.array([start])
    return np.linspace(start, end, min(round(gap / spacing), FILLED) + 1)[:-1]


def finest(exact: Floats) -> float:
    """How finely exact dates are given: 1 for years, else the shortest distance between two, if that is not too short.

    exact : (n,), increasing;  returns 0 for less than two dates, unless they are years
    """
    if len(exact) and np.all(exact == np.round(exact)):
        return 1.0
    if len(exact) < 2:
        return 0.0
    main = exact[main_part(exact)]
    return max(float(np.diff(exact).min()), float(main[-1] - main[0]) / CANDIDATES)


def _different(rough: RoughDates) -> tuple[RoughDates, Ints]:
    """The different dates among rough ones, and which of them each document has, (R,)."""
    rows, places = rough.documents, dict[bytes, int]()
    ends = np.searchsorted(rough.document, rows, side="right")
    starts = np.searchsorted(rough.document, rows)
    date = np.array(
        [places.setdefault(rough.corners[i:j].tobytes(), len(places)) for i, j in zip(starts, ends, strict=True)]
    )
    first = np.unique(date, return_index=True)[1]
    return rough.take(rows[first]), date
