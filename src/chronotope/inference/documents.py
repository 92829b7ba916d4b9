"""Documents on the nodes of the time grid, divided into tasks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.sparse as sp

from chronotope._typing import Floats, Ints
from chronotope.gp import node_weights
from chronotope.kernels import Kernel

TASKS, LEAST_WORK = 16, 4_096  # maximum number of tasks per batch, and the least work of one
MOST_WORK = 500_000  # work of a task from which on there are more of them


class Batch(Protocol):
    """The documents of a local step, here or on the workers of a cluster; see `Documents`."""

    @property
    def left(self) -> np.ndarray:
        """Node of each document, (D,)."""

    @property
    def weight(self) -> np.ndarray:
        """Interpolation weights, (D, 2)."""

    @property
    def slack(self) -> np.ndarray:
        """Term of log ζ, (D,)."""

    @property
    def number(self) -> np.ndarray:
        """Numbers of the documents, (D,)."""

    @property
    def lengths(self) -> np.ndarray:
        """Tokens of each document, (D,)."""

    @property
    def sizes(self) -> Ints:
        """Different words of each document, (D,)."""

    def placed(self, kernel: Kernel, nodes: Floats) -> Batch:
        """The same documents on other nodes, or under another kernel."""

    def at_times(self, left: np.ndarray, weight: np.ndarray, slack: np.ndarray, times: Floats) -> Batch:
        """The same documents at other times."""


class Documents(NamedTuple):
    """Documents sorted by time, each between two neighbouring nodes.

    indptr (D+1,), indices (nnz,), data (nnz,) : their counts n_dv, CSR
    left (D,), weight (D, 2) : node j and interpolation weights w; logits are w₀ m(z_j) + w₁ m(z_{j+1})
    slack (D,) : term of log ζ that interpolation adds, the same for all topics; see `arrange_documents`
    times (D,) : their times;  surprise (D,) : mean of −log p of their words under softmax m₀
    number (D,) : 0, 1, … in order of time, and −1, −2, … at outlying times; a document's random numbers follow from it
    track (D,) : group or place, 0 without; node j of track s is the row s · J + j, which is what `left` says
    """

    indptr: np.ndarray
    indices: np.ndarray
    data: np.ndarray
    left: np.ndarray
    weight: np.ndarray
    slack: np.ndarray
    times: np.ndarray
    surprise: np.ndarray
    number: np.ndarray
    track: np.ndarray

    @property
    def loops(self) -> tuple[np.ndarray, ...]:
        """The arrays of compiled loops: indptr, indices, data, left, weight."""
        return self[:5]

    @property
    def lengths(self) -> np.ndarray:
        """Tokens of each document, (D,)."""
        return sum_rows(self.data, self.indptr)

    @property
    def sizes(self) -> Ints:
        """Different words of each document, (D,)."""
        return np.diff(self.indptr)

    @property
    def main(self) -> np.ndarray:
        """Rows of the documents that are not at outlying times."""
        return np.flatnonzero(self.number >= 0)

    @property
    def settled(self) -> np.ndarray:
        """Rows of the documents by which kernels are tried."""
        return self.main

    @property
    def covariates(self) -> None:
        """What prevalence follows: nothing, but in a store."""
        return None

    def per_document(self, of_counts: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """Sum of a function of the counts over the words of each document, (D,)."""
        return sum_rows(of_counts(self.data), self.indptr)

    def take(self, rows: np.ndarray) -> Documents:
        """The documents of some rows.   rows : increasing."""
        V = int(self.indices.max(initial=0)) + 1  # there may be no words at all
        counts = sp.csr_matrix((self.data, self.indices, self.indptr), shape=(len(self.left), V), copy=False)[rows]
        return Documents(counts.indptr, counts.indices, counts.data, *(column[rows] for column in self[3:]))

    def batch(self, rows: np.ndarray | None = None) -> Documents:
        """The documents of some rows, for a local step; None for all."""
        return self if rows is None else self.take(rows)

    def at_times(self, left: np.ndarray, weight: np.ndarray, slack: np.ndarray, times: Floats) -> Documents:
        """The same documents at other times."""
        return self._replace(left=left, weight=weight, slack=slack, times=times)

    def matrix(self, V: int) -> Any:
        """Counts (D, V); rows can be selected, and sums over either axis are available."""
        return sp.csr_array((self.data, self.indices, self.indptr), shape=(len(self.left), V))

    def again(self, batch: Batch) -> Batch:
        """A batch of all documents, where they are now."""
        return batch

    def placed(self, kernel: Kernel, nodes: Floats) -> Documents:
        """The same documents on other nodes, or under another kernel; see `arrange_documents`."""
        left, weight, slack = placed_columns(self.times, self.surprise, self.track, kernel, nodes)
        return self._replace(left=left, weight=weight, slack=slack)


def sum_rows(values: np.ndarray, indptr: np.ndarray) -> np.ndarray:
    """Sum of the values of each row of a sparse matrix, (D,)."""
    totals = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
    sums: np.ndarray = totals[indptr[1:]] - totals[indptr[:-1]]
    return sums


class Placement(NamedTuple):
    """Distinct times on J nodes of a time grid: times (T,), nodes left (T,), weights w (T, 2), residual κ̃ (T,)."""

    times: Floats
    left: Ints
    weight: Floats
    residual: Floats
    J: int

    @classmethod
    def of(cls, times: Floats, kernel: Kernel, nodes: Floats) -> Placement:
        """The placement of distinct times under a kernel."""
        return cls(times, *node_weights(kernel, nodes, times), len(nodes))

    def columns(
        self, stamp: Ints, surprise: Floats, track: Ints | int = 0
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """left, weight and slack of documents;  slack = (1 − w₀ − w₁) surprise + κ̃/2.   stamp : (D,) which time."""
        slack = (1.0 - self.weight.sum(axis=1))[stamp] * surprise + 0.5 * self.residual[stamp]
        return self.left[stamp] + self.J * track, self.weight[stamp], slack


def placed_columns(
    times: Floats, surprise: Floats, track: Ints, kernel: Kernel, nodes: Floats
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """left, weight and slack of documents at these times, (D,), under a kernel; see `Placement`."""
    distinct, stamp = np.unique(times, return_inverse=True)
    return Placement.of(distinct, kernel, nodes).columns(stamp, surprise, track)


def documents_at_nodes(counts: sp.csr_array, node: np.ndarray) -> Documents:
    """Documents whose times are nodes.   node : (D,) node of each, increasing."""
    D = counts.shape[0]
    alone = np.tile([1.0, 0.0], (D, 1))
    nothing = np.zeros(D)
    return Documents(
        counts.indptr,
        counts.indices,
        counts.data.astype(np.float64),
        node,
        alone,
        nothing,
        nothing,
        nothing,
        np.arange(D, dtype=np.int32),
        np.zeros(D, np.int32),
    )


def uniform_lambda(docs: Batch, alpha: Floats) -> Floats:
    """λ_dk = α_k + Σ_v n_dv / K, the λ of documents before inference.   alpha : (K,) or (D, K).  Returns (D, K)."""
    start: Floats = alpha + docs.lengths[:, None] / alpha.shape[-1]
    return start


class Tasks(NamedTuple):
    """Tasks of a batch: each has some of its documents, and a row of statistics per node that they touch.

    starts : (tasks + 1,) first document of every task, then D;  rows : (tasks + 1,) its first row, then their number
    lowest : (tasks,) first node of each task
    """

    starts: np.ndarray
    rows: np.ndarray
    lowest: np.ndarray


def cut_tasks(docs: Batch) -> Tasks:
    """Divide documents into tasks of about equal work, by the documents alone: results do not depend on the threads.

    On a cluster, tasks are the calls of its workers.
    """
    D = len(docs.left)
    work = np.cumsum(docs.sizes, dtype=np.int64) + np.arange(1, D + 1)  # cost of a document: its distinct words, and 1
    tasks = number_of_tasks(int(work[-1]), D)
    starts = np.unique(np.searchsorted(work, np.linspace(0, work[-1], tasks + 1)[1:-1], side="right"))
    starts = np.concatenate([[0], starts[(starts > 0) & (starts < D)], [D]])
    lowest = np.minimum.reduceat(docs.left, starts[:-1])
    highest = np.maximum.reduceat(docs.left + (docs.weight[:, 1] != 0.0), starts[:-1])
    return Tasks(starts, np.concatenate([[0], np.cumsum(highest - lowest + 1)]), lowest)


def number_of_tasks(work: int, D: int) -> int:
    """Tasks of D documents with so many different words, and one more each, in all."""
    return int(np.clip(work // LEAST_WORK, 1, min(max(TASKS, work // MOST_WORK), D)))
