"""Documents on the nodes of the time grid, divided into tasks, and the statistics that the tasks return."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import logsumexp

from chronotope._typing import Floats, Ints
from chronotope.cluster.workers import Workers
from chronotope.corpus.counts import Counts, HeldCounts, Reordered, blocks
from chronotope.corpus.placed import CountsPlace
from chronotope.dates.outlying import main_part
from chronotope.gp import node_weights
from chronotope.kernels import Kernel

AT_ONCE = 4_000  # documents read at once
TASKS, LEAST_WORK = 16, 4_096  # maximum number of tasks per batch, and the least work of one
MOST_WORK = 500_000  # work of a task from which on there are more of them


class Documents(NamedTuple):
    """Documents sorted by time, each between two neighbouring nodes.

    indptr (D+1,), indices (nnz,), data (nnz,) : their counts n_dv, CSR
    left (D,), weight (D, 2) : node j and interpolation weights w; logits are w₀ m(z_j) + w₁ m(z_{j+1})
    slack (D,) : term of log ζ that interpolation adds, the same for all topics; see `arrange_documents`
    times (D,) : their times;  surprise (D,) : mean of −log p of their words under softmax m₀
    number (D,) : 0, 1, … in order of time, and −1, −2, … at outlying times; a document's random numbers follow from it
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

    @property
    def loops(self) -> tuple[np.ndarray, ...]:
        """The arrays of compiled loops: indptr, indices, data, left, weight."""
        return self[:5]

    @property
    def lengths(self) -> np.ndarray:
        """Tokens of each document, (D,)."""
        return _sum_rows(self.data, self.indptr)

    @property
    def sizes(self) -> Ints:
        """Different words of each document, (D,)."""
        return np.diff(self.indptr)

    @property
    def main(self) -> np.ndarray:
        """Rows of the documents that are not at outlying times."""
        return np.flatnonzero(self.number >= 0)

    def per_document(self, of_counts: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """Sum of a function of the counts over the words of each document, (D,)."""
        return _sum_rows(of_counts(self.data), self.indptr)

    def take(self, rows: np.ndarray) -> Documents:
        """The documents of some rows.   rows : increasing."""
        counts = sp.csr_matrix((self.data, self.indices, self.indptr), copy=False)[rows]
        return Documents(counts.indptr, counts.indices, counts.data, *(column[rows] for column in self[3:]))

    def batch(self, rows: np.ndarray | None = None) -> Documents:
        """The documents of some rows, for a local step; None for all."""
        return self if rows is None else self.take(rows)

    def matrix(self, V: int) -> Any:
        """Counts (D, V); rows can be selected, and sums over either axis are available."""
        return sp.csr_array((self.data, self.indices, self.indptr), shape=(len(self.left), V))

    def placed(self, kernel: Kernel, nodes: Floats) -> Documents:
        """The same documents on other nodes, or under another kernel; see `arrange_documents`."""
        left, weight, slack = _place(self.times, self.surprise, kernel, nodes)
        return self._replace(left=left, weight=weight, slack=slack)


class Spread(NamedTuple):
    """How the workers of a cluster read documents.

    place : of the counts;  row : (D,) row of each document there;  sizes, lengths : (D,) different words, tokens
    """

    workers: Workers
    place: CountsPlace
    row: Ints
    sizes: Ints
    lengths: np.ndarray

    def take(self, rows: np.ndarray) -> Spread:
        """The documents of some rows."""
        return self._replace(row=self.row[rows], sizes=self.sizes[rows], lengths=self.lengths[rows])


class SpreadDocuments(NamedTuple):
    """Documents sorted by time whose counts are read by the workers of a cluster; columns as in `Documents`."""

    spread: Spread
    left: np.ndarray
    weight: np.ndarray
    slack: np.ndarray
    times: np.ndarray
    surprise: np.ndarray
    number: np.ndarray

    @property
    def lengths(self) -> np.ndarray:
        """Tokens of each document, (D,)."""
        return self.spread.lengths.astype(np.float64)

    @property
    def sizes(self) -> Ints:
        """Different words of each document, (D,)."""
        return self.spread.sizes

    def placed(self, kernel: Kernel, nodes: Floats) -> SpreadDocuments:
        """The same documents on other nodes, or under another kernel; see `arrange_documents`."""
        left, weight, slack = _place(self.times, self.surprise, kernel, nodes)
        return self._replace(left=left, weight=weight, slack=slack)


Batch = Documents | SpreadDocuments  # the documents of a local step


class DocumentStore(NamedTuple):
    """Documents sorted by time whose counts stay in memory or on disk until they are taken.

    counts : (D, V);  spread : how workers read them, None if there are none;  others : as in `Documents`
    """

    counts: Reordered
    left: np.ndarray
    weight: np.ndarray
    slack: np.ndarray
    times: np.ndarray
    surprise: np.ndarray
    number: np.ndarray
    spread: Spread | None = None

    @property
    def main(self) -> np.ndarray:
        """Rows of the documents that are not at outlying times."""
        return np.flatnonzero(self.number >= 0)

    def take(self, rows: np.ndarray) -> Documents:
        """The documents of some rows.   rows : increasing."""
        counts = self.counts[rows]
        data = counts.data.astype(np.float64)
        return Documents(counts.indptr, counts.indices, data, *(column[rows] for column in self[1:-1]))

    def batch(self, rows: np.ndarray | None = None) -> Batch:
        """The documents of some rows, for a local step; None for all. Without their counts if workers read these."""
        rows = np.arange(len(self.left)) if rows is None else rows
        if self.spread is None:
            return self.take(rows)
        return SpreadDocuments(self.spread.take(rows), *(column[rows] for column in self[1:-1]))

    def on(self, workers: Workers, place: CountsPlace) -> DocumentStore:
        """The same documents, for local steps on the workers of a cluster, which read the counts at a place."""
        lengths = self.per_document(lambda counts: counts).astype(np.int64)
        row, sizes = place.rows[self.counts.order], self.counts.sizes
        return self._replace(spread=Spread(workers, place.without_rows(), row, sizes, lengths))

    def per_document(self, of_counts: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """Sum of a function of the counts over the words of each document, (D,)."""
        sums = np.empty(len(self.left))
        for start in range(0, len(sums), AT_ONCE):
            rows = np.arange(start, min(start + AT_ONCE, len(sums)))
            counts = self.counts[rows]
            sums[rows] = _sum_rows(of_counts(counts.data), counts.indptr)
        return sums

    def matrix(self, V: int) -> Any:
        """Counts (D, V); rows can be selected, and sums over either axis are available."""
        return self.counts

    def placed(self, kernel: Kernel, nodes: Floats) -> DocumentStore:
        """The same documents on other nodes, or under another kernel; see `arrange_documents`."""
        left, weight, slack = _place(self.times, self.surprise, kernel, nodes)
        return self._replace(left=left, weight=weight, slack=slack)


def _sum_rows(values: np.ndarray, indptr: np.ndarray) -> np.ndarray:
    """Sum of the values of each row of a sparse matrix, (D,)."""
    totals = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
    sums: np.ndarray = totals[indptr[1:]] - totals[indptr[:-1]]
    return sums


def arrange_documents(counts: Counts, times: Floats, kernel: Kernel, nodes: Floats, mean: Floats) -> DocumentStore:
    """Documents sorted by time, placed on the nodes of the time grid.

    Between two nodes logits and log ζ are interpolated with the same weights w:

        m(τ) = w₀ m(z_j) + w₁ m(z_{j+1}) + (1 − w₀ − w₁) m₀
        log ζ(τ) ≤ w₀ log ζ(z_j) + w₁ log ζ(z_{j+1}) + (1 − w₀ − w₁) log Σ_v exp m₀_v + κ̃/2

    log ζ is convex in the logits, so where w₀, w₁ ≥ 0 and w₀ + w₁ ≤ 1 the bound stays a bound. The terms without nodes
    are the same for all topics and do not change φ: they are the `slack` of a document.

    counts : (D, V);  times : (D,);  nodes : (J,) z;  mean : (V,) m₀
    """
    order = np.argsort(times, kind="stable")
    surprise = np.empty(len(order))
    for rows, part in blocks(counts):
        lengths = np.maximum(np.asarray(part.sum(axis=1), dtype=np.float64), 1.0)
        surprise[rows] = logsumexp(mean) - (part @ mean) / lengths
    times, surprise = times[order], surprise[order]
    placed = _place(times, surprise, kernel, nodes)
    return DocumentStore(Reordered(counts, order), *placed, times, surprise, _number(times))


def place_documents(counts: sp.csr_array, times: Floats, kernel: Kernel, nodes: Floats, mean: Floats) -> Documents:
    """All documents in memory, sorted by time, placed on the nodes; see `arrange_documents`."""
    return arrange_documents(HeldCounts(counts), times, kernel, nodes, mean).take(np.arange(len(times)))


def _place(times: Floats, surprise: Floats, kernel: Kernel, nodes: Floats) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """left (D,), weight (D, 2) and slack (D,) of documents;  slack = (1 − w₀ − w₁) surprise + κ̃/2."""
    stamps, stamp = np.unique(times, return_inverse=True)
    left, weight, residual = node_weights(kernel, nodes, stamps)
    slack = (1.0 - weight.sum(axis=1))[stamp] * surprise + 0.5 * residual[stamp]
    return left[stamp], weight[stamp], slack


def _number(times: Floats) -> np.ndarray:
    """Numbers of documents; see `Documents`.   times : (D,), increasing."""
    main = main_part(times) if len(times) else np.ones(0, np.bool_)
    number = np.cumsum(main, dtype=np.int32) - np.int32(1)
    number[~main] = -np.arange(1, len(times) - main.sum() + 1)
    return number


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
    )


def uniform_lambda(docs: Batch, alpha: Floats) -> Floats:
    """λ_dk = α_k + Σ_v n_dv / K, the λ of documents before inference.   alpha : (K,).  Returns (D, K)."""
    return np.tile(alpha, (len(docs.left), 1)) + docs.lengths[:, None] / len(alpha)


def cut_tasks(docs: Batch) -> tuple[np.ndarray, np.ndarray]:
    """Divide documents into tasks of about equal work, by the documents alone: results do not depend on the threads.

    On a cluster, tasks are the calls of its workers.

    Returns two arrays (tasks + 1,): first document of every task, then D; first row of statistics of every task, then
    the number of rows. A task has one row of statistics per node that its documents touch.
    """
    D = len(docs.left)
    work = np.cumsum(docs.sizes, dtype=np.int64) + np.arange(1, D + 1)  # cost of a document: its distinct words, and 1
    tasks = number_of_tasks(int(work[-1]), D)
    starts = np.unique(np.searchsorted(work, np.linspace(0, work[-1], tasks + 1)[1:-1], side="right"))
    starts = np.concatenate([[0], starts[(starts > 0) & (starts < D)], [D]])
    right = np.maximum.accumulate(docs.left + (docs.weight[:, 1] != 0.0))
    spans = right[starts[1:] - 1] - docs.left[starts[:-1]] + 1
    return starts, np.concatenate([[0], np.cumsum(spans)])


def number_of_tasks(work: int, D: int) -> int:
    """Tasks of D documents with so many different words, and one more each, in all."""
    return int(np.clip(work // LEAST_WORK, 1, min(max(TASKS, work // MOST_WORK), D)))


class Statistics(NamedTuple):
    """Statistics of documents.

    n : (J, K, V) expected counts;  N : (J, K) totals;  bound : documents' part of the ELBO
    predicted : Σ_i log p(v_i | all other tokens), NaN if it was not computed
    """

    n: np.ndarray
    N: np.ndarray
    bound: float
    predicted: float = np.nan


def sum_statistics(parts: Iterable[Statistics], scale: float) -> Statistics:
    """Statistics of several sets of documents together, times `scale`, without their bound."""
    each = list(parts)
    n, N = sum(part.n for part in each[1:]) + each[0].n, sum(part.N for part in each[1:]) + each[0].N
    return Statistics(n * n.dtype.type(scale), N * scale, np.nan)


def collect_statistics(
    docs: Documents, tasks: tuple[np.ndarray, np.ndarray], n: np.ndarray, N: np.ndarray, bound: np.ndarray, J: int
) -> Statistics:
    """Statistics at the J nodes from the rows of the tasks.   tasks : see `cut_tasks`;  n, N : rows;  bound : (D,)."""
    return Statistics(sum_at_nodes(docs, tasks, n, J), sum_at_nodes(docs, tasks, N, J), sum_by_task(bound, tasks[0]))


def sum_by_task(values: np.ndarray, starts: np.ndarray) -> float:
    """The sum of the values of documents, (D,): of each task, then of the tasks in their order."""
    return sum((float(values[start:end].sum()) for start, end in pairwise(starts)), 0.0)


def sum_at_nodes(docs: Documents, tasks: tuple[np.ndarray, np.ndarray], rows: np.ndarray, J: int) -> np.ndarray:
    """Sums of the rows of tasks at the J nodes, (rows, …) to (J, …), in a fixed order: reproducible on any machine."""
    starts, ends = tasks
    total = np.zeros((J, *rows.shape[1:]), rows.dtype)
    for start, row, end in zip(starts, ends, ends[1:], strict=False):
        first = docs.left[start]
        last = min(first + end - row, J)
        total[first:last] += rows[row : row + last - first]
    return total
