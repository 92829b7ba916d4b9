"""All documents of a fit, sorted by time, whose counts stay where they are until a step needs them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from chronotope._typing import Floats, Ints
from chronotope.cluster.workers import Workers
from chronotope.corpus.counts import Counts, Reordered, blocks, index_type
from chronotope.corpus.placed import CountsPlace
from chronotope.dates.candidates import Candidates
from chronotope.dates.outlying import main_part
from chronotope.inference.documents import Batch, Documents, Placement, placed_columns, sum_rows
from chronotope.inference.share_tables import Covariates
from chronotope.kernels import Kernel

ENOUGH = 0.2  # least part of the documents with exact dates, by which others are left aside


class SpreadDocuments(NamedTuple):
    """Documents sorted by time whose counts are read by the workers of a cluster.

    workers : of the cluster;  place : of the counts;  row : (D,) row of each document there
    sizes, lengths : (D,) different words, tokens;  others : as in `Documents`
    """

    workers: Workers
    place: CountsPlace
    row: Ints
    sizes: Ints
    lengths: np.ndarray
    left: np.ndarray
    weight: np.ndarray
    slack: np.ndarray
    times: np.ndarray
    surprise: np.ndarray
    number: np.ndarray
    track: np.ndarray

    def at_times(self, left: np.ndarray, weight: np.ndarray, slack: np.ndarray, times: Floats) -> SpreadDocuments:
        """The same documents at other times."""
        return self._replace(left=left, weight=weight, slack=slack, times=times)

    def placed(self, kernel: Kernel, nodes: Floats) -> SpreadDocuments:
        """The same documents on other nodes, or under another kernel; see `arrange_documents`."""
        left, weight, slack = placed_columns(self.times, self.surprise, self.track, kernel, nodes)
        return self._replace(left=left, weight=weight, slack=slack)


class Spread(NamedTuple):
    """How the workers of a cluster read the documents of a store.   lengths : (D,) tokens of each."""

    workers: Workers
    place: CountsPlace
    lengths: np.ndarray


@dataclass(frozen=True)
class DocumentStore:
    """Documents sorted by track, and by time on each, whose counts stay in memory or on disk until they are taken.

    Those whose place in time is drawn are the last ones.

    counts : (D, V);  stamp : (D,) which of the distinct times;  surprise, number : as in `Documents`
    track : (D,) group or place of each, None without
    at : where the distinct times are on the nodes;  spread : how workers read the counts, None if there are none
    covariates : what prevalence follows, None if it does not
    where : candidate times of the documents whose dates are rough, by row; None without any
    """

    counts: Reordered
    stamp: np.ndarray
    surprise: NDArray[np.float32]
    number: np.ndarray
    track: np.ndarray | None
    at: Placement
    spread: Spread | None = None
    covariates: Covariates | None = None
    where: Candidates | None = None

    @property
    def main(self) -> np.ndarray:
        """Rows of the documents that are not at outlying times."""
        return np.flatnonzero(self.number >= 0).astype(index_type(len(self.number)))

    @property
    def left(self) -> np.ndarray:
        """Node of each document, (D,)."""
        left: np.ndarray = self.at.left[self.stamp]
        return left if self.track is None else left + self.at.J * self.track

    @property
    def weight(self) -> np.ndarray:
        """Interpolation weights of each document, (D, 2)."""
        weight: np.ndarray = self.at.weight[self.stamp]
        return weight

    @property
    def times(self) -> Floats:
        """Times of the documents, (D,)."""
        times: Floats = self.at.times[self.stamp]
        return times

    @property
    def settled(self) -> np.ndarray:
        """Rows of the documents that are not at outlying times, and whose dates are exact if that is so for enough."""
        main = self.main
        if self.where is None:
            return main
        exact: np.ndarray = np.setdiff1d(main, self.where.document, assume_unique=True)
        return exact if len(exact) >= ENOUGH * len(main) else main

    def take(self, rows: np.ndarray) -> Documents:
        """The documents of some rows.   rows : increasing."""
        counts = self.counts[rows]
        return Documents(counts.indptr, counts.indices, counts.data.astype(np.float64), *self._columns(rows))

    def batch(self, rows: np.ndarray | None = None) -> Batch:
        """The documents of some rows, for a local step; None for all. Without their counts if workers read these."""
        rows = np.arange(len(self.stamp)) if rows is None else rows
        if self.spread is None:
            return self.take(rows)
        workers, place, lengths = self.spread
        own = place.rows[self.counts.order[rows]], self.counts.sizes(rows), lengths[rows].astype(np.float64)
        return SpreadDocuments(workers, place.without_rows(), *own, *self._columns(rows))

    def _columns(self, rows: np.ndarray) -> tuple[np.ndarray, ...]:
        """left, weight, slack, times, surprise, number and track of some documents."""
        stamp, surprise, track = self.stamp[rows], self.surprise[rows].astype(np.float64), self.track_of(rows)
        return *self.at.columns(stamp, surprise, track), self.at.times[stamp], surprise, self.number[rows], track

    def track_of(self, rows: np.ndarray) -> Ints:
        """Group or place of some documents, 0 without."""
        return np.zeros(len(rows), np.int32) if self.track is None else self.track[rows]

    def on(self, workers: Workers, place: CountsPlace) -> DocumentStore:
        """The same documents, for local steps on the workers of a cluster, which read the counts at a place."""
        lengths = self.per_document(lambda counts: counts).astype(np.int32)
        return replace(self, spread=Spread(workers, place, lengths))

    def per_document(self, of_counts: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """Sum of a function of the counts over the words of each document, (D,)."""
        sums = np.empty(len(self.stamp))
        for rows, counts in blocks(self.counts.base):
            sums[rows] = sum_rows(of_counts(counts.data), counts.indptr)
        return sums[self.counts.order]

    def matrix(self, V: int) -> Any:
        """Counts (D, V); rows can be selected, and sums over either axis are available."""
        return self.counts

    def moved(self, rows: Ints, times: Floats) -> DocumentStore:
        """The same documents, those of some rows at other times, which are among the candidates."""
        stamp = self.stamp.copy()
        stamp[rows] = np.searchsorted(self.at.times, times)
        follows = self.covariates and self.covariates._replace(times=self.at.times[stamp])
        return replace(self, stamp=stamp, covariates=follows)

    def again(self, batch: Batch) -> Batch:
        """A batch of all documents, where they are now."""
        if self.where is None:
            return batch
        left, weight, slack, times, *_ = self._columns(np.arange(len(self.stamp)))
        return batch.at_times(left, weight, slack, times)

    def placed(self, kernel: Kernel, nodes: Floats) -> DocumentStore:
        """The same documents on other nodes, or under another kernel; see `arrange_documents`."""
        return replace(self, at=Placement.of(self.at.times, kernel, nodes))


def arrange_documents(
    counts: Counts,
    times: Floats,
    kernel: Kernel,
    nodes: Floats,
    mean: Floats,
    covariates: Covariates | None = None,
    where: Candidates | None = None,
    track: Ints | None = None,
) -> DocumentStore:
    """Documents sorted by track and time, placed on the nodes of the time grid.

    Between two nodes logits and log ζ are interpolated with the same weights w:

        m(τ) = w₀ m(z_j) + w₁ m(z_{j+1}) + (1 − w₀ − w₁) m₀
        log ζ(τ) ≤ w₀ log ζ(z_j) + w₁ log ζ(z_{j+1}) + (1 − w₀ − w₁) log Σ_v exp m₀_v + κ̃/2

    log ζ is convex in the logits, so where w₀, w₁ ≥ 0 and w₀ + w₁ ≤ 1 the bound stays a bound. The terms without nodes
    are the same for all topics and do not change φ: they are the `slack` of a document.

    counts : (D, V);  times : (D,);  nodes : (J,) z;  mean : (V,) m₀
    covariates : what prevalence follows, of the documents in their order; None if it does not
    where : candidate times of documents whose dates are rough; None without any
    track : (D,) group or place of each; None without
    """
    rough = np.zeros(len(times), np.bool_)
    rough[[] if where is None else where.document] = True
    order = np.lexsort((times, rough)).astype(index_type(len(times)))
    number = _number(times[order])
    if track is not None:
        in_time, number = order, number[np.argsort(order)]  # of the documents as they are given
        order = in_time[np.argsort(track[in_time], kind="stable")]
        order = order[np.argsort(rough[order], kind="stable")]
        number, track = number[order], track[order].astype(np.int32)
    surprise = np.empty(len(order), np.float32)
    for rows, part in blocks(counts):
        lengths = np.maximum(np.asarray(part.sum(axis=1), dtype=np.float64), 1.0)
        surprise[rows] = logsumexp(mean) - (part @ mean) / lengths
    sorted_times = times[order]
    stamps = np.unique(times if where is None else np.concatenate([times, where.times]))
    stamp = np.searchsorted(stamps, sorted_times)
    at = Placement.of(stamps, kernel, nodes)
    follows = None if covariates is None else covariates.take(order)
    columns = stamp.astype(np.int32), surprise[order], number, track
    if where is not None:  # the rows of its documents, which are the last ones
        last = np.arange(len(order) - len(where.date), len(order))
        where = where.take(np.searchsorted(where.document, order[last]), last)
    return DocumentStore(Reordered(counts, order), *columns, at, covariates=follows, where=where)


def _number(times: Floats) -> np.ndarray:
    """Numbers of documents; see `Documents`.   times : (D,), increasing, but for rough dates, which are the last."""
    main = main_part(times) if len(times) else np.ones(0, np.bool_)
    number = np.cumsum(main, dtype=np.int32) - np.int32(1)
    number[~main] = -np.arange(1, len(times) - main.sum() + 1)
    return number
