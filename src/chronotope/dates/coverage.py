"""Where there is text: the times of documents, the stretches of time that they fill, and the gaps between them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chronotope._typing import Floats, Mask
from chronotope.dates.outlying import main_part

MOST = 8_192  # times that are kept; of more, evenly many are passed over
USUAL = 3.0  # a gap is more than so many usual distances between documents
LEAST = 0.01  # and more than this part of the main span


class Coverage(NamedTuple):
    """The distinct times of documents.

    times : (n,), increasing;  documents : (n,), number at each;  main_span : first and last time, outlying ones apart
    """

    times: Floats
    documents: Floats
    main_span: tuple[float, float]

    @classmethod
    def of(cls, times: Floats, documents: Floats | None = None) -> Coverage:
        """The coverage of documents.   times : (D,), one at least;  documents : (D,), default one at each time."""
        weight = np.ones(len(times)) if documents is None else documents
        stamps, place = np.unique(times, return_inverse=True)
        number = np.bincount(place, weight)
        main = stamps[main_part(times, documents)[np.unique(place, return_index=True)[1]]]
        first = np.unique(np.linspace(0, len(stamps) - 1, MOST).round().astype(np.int64))
        first = np.arange(len(stamps)) if len(stamps) <= MOST else first
        return cls(stamps[first], np.add.reduceat(number, first), (float(main[0]), float(main[-1])))

    def joined(self, times: Floats) -> Coverage:
        """The coverage with more documents.   times : (D,)."""
        documents = np.concatenate([self.documents, np.ones(len(times))])
        return Coverage.of(np.concatenate([self.times, times]), documents)

    @property
    def longest_pause(self) -> float:
        """The longest time without documents that is no gap.

        It is three times the usual distance, with which half of the main span is spent, or a hundredth of that span.
        """
        first, last = self.main_span
        distance = np.sort(np.diff(self.times[self.in_main(self.times)]))
        if not len(distance):
            return 0.0
        spent = np.cumsum(distance)
        usual = float(distance[np.searchsorted(spent, 0.5 * spent[-1])])
        return max(USUAL * usual, LEAST * (last - first))

    def stretches(self) -> tuple[Floats, Floats]:
        """Starts and ends of the stretches of time without gaps, (n,) each."""
        gap = np.diff(self.times) > self.longest_pause
        return self.times[np.concatenate([[True], gap])], self.times[np.concatenate([gap, [True]])]

    def holds(self, at: Floats, reach: float = 0.0) -> Mask:
        """Whether there is text at times, (n,): whether a stretch is no further away than `reach`."""
        starts, ends = self.stretches()
        place = np.searchsorted(starts, at + reach, side="right") - 1
        inside: Mask = (place >= 0) & (at - reach <= ends[np.maximum(place, 0)])
        return inside

    def in_main(self, at: Floats) -> Mask:
        """Whether times are in the main span, (n,)."""
        first, last = self.main_span
        inside: Mask = (at >= first) & (at <= last)
        return inside

    def resolution(self, nodes: Floats) -> float:
        """The usual distance between nodes of a time grid around documents; 0 if all times but outlying ones are nodes.

        Half of the documents are between nodes that are closer.   nodes : (J,), increasing
        """
        main = self.in_main(self.times)
        if len(nodes) < 2 or np.isin(self.times[main], nodes).all():
            return 0.0
        right = np.clip(np.searchsorted(nodes, self.times[main], side="right"), 1, len(nodes) - 1)
        distance = nodes[right] - nodes[right - 1]
        order = np.argsort(distance, kind="stable")
        seen = np.cumsum(self.documents[main][order])
        return float(distance[order][np.searchsorted(seen, 0.5 * seen[-1])])

    def around(self, at: Floats) -> Floats:
        """Documents that are nearest to each of some times, (n,).   at : (n,), increasing;  others are left out."""
        half = 0.5 * (at[1] - at[0]) if len(at) > 1 else np.inf
        near = (self.times >= at[0] - half) & (self.times <= at[-1] + half)
        nearest = np.searchsorted(0.5 * (at[1:] + at[:-1]), self.times[near])
        number: Floats = np.bincount(nearest, self.documents[near], len(at)).astype(np.float64)
        return number
