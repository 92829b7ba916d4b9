"""Documents on the nodes of the time grid, cut into tasks, and the statistics that come back from them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import logsumexp

from chronotope._typing import Floats
from chronotope.corpus.counts import Counts, HeldCounts, Reordered, blocks
from chronotope.gp import node_weights
from chronotope.kernels import Kernel

TASKS = 16  # pieces of equal work a batch is cut into; fixed, so that results do not depend on the number of threads


class Documents(NamedTuple):
    """Documents in order of time, each between two neighbouring nodes.

    indptr (D+1,), indices (nnz,), data (nnz,) : their counts, CSR
    left (D,), weight (D, 2) : a document's logits are weight[0] · node left + weight[1] · node left + 1
    slack (D,) : what the grid adds to every topic's log ζ at the document's time (the same for all topics)
    times (D,), surprise (D,) : when, and −log p of a word under the prior's mean, on average
    """

    indptr: np.ndarray
    indices: np.ndarray
    data: np.ndarray
    left: np.ndarray
    weight: np.ndarray
    slack: np.ndarray
    times: np.ndarray
    surprise: np.ndarray

    @property
    def loops(self) -> tuple[np.ndarray, ...]:
        """What compiled loops ask for: indptr, indices, data, left, weight."""
        return self[:5]

    @property
    def lengths(self) -> np.ndarray:
        """Tokens of each document, (D,)."""
        totals = np.concatenate([[0.0], np.cumsum(self.data)])
        lengths: np.ndarray = totals[self.indptr[1:]] - totals[self.indptr[:-1]]
        return lengths

    def take(self, rows: np.ndarray) -> Documents:
        """The documents of these rows, which must be in increasing order."""
        counts = sp.csr_matrix((self.data, self.indices, self.indptr), copy=False)[rows]
        return Documents(counts.indptr, counts.indices, counts.data, *(column[rows] for column in self[3:]))

    def take_all(self) -> Documents:
        """All documents."""
        return self

    def matrix(self, V: int) -> Any:
        """Their counts, (D, V): rows can be taken, and summed over either axis."""
        return sp.csr_array((self.data, self.indices, self.indptr), shape=(len(self.left), V))

    def placed(self, kernel: Kernel, nodes: Floats) -> Documents:
        """The same documents on other nodes, or under another kernel; see `arrange_documents`."""
        left, weight, slack = _place(self.times, self.surprise, kernel, nodes)
        return self._replace(left=left, weight=weight, slack=slack)


class DocumentStore(NamedTuple):
    """Documents in order of time whose counts stay where they are, in memory or on disk, until they are taken.

    counts : (D, V);  the others as in `Documents`
    """

    counts: Reordered
    left: np.ndarray
    weight: np.ndarray
    slack: np.ndarray
    times: np.ndarray
    surprise: np.ndarray

    def take(self, rows: np.ndarray) -> Documents:
        """The documents of these rows, which must be in increasing order."""
        counts = self.counts[rows]
        data = counts.data.astype(np.float64)
        return Documents(counts.indptr, counts.indices, data, *(column[rows] for column in self[1:]))

    def take_all(self) -> Documents:
        """All documents."""
        return self.take(np.arange(len(self.left)))

    def matrix(self, V: int) -> Any:
        """Their counts, (D, V): rows can be taken, and summed over either axis."""
        return self.counts

    def placed(self, kernel: Kernel, nodes: Floats) -> DocumentStore:
        """The same documents on other nodes, or under another kernel; see `arrange_documents`."""
        left, weight, slack = _place(self.times, self.surprise, kernel, nodes)
        return self._replace(left=left, weight=weight, slack=slack)


def arrange_documents(counts: Counts, times: Floats, kernel: Kernel, nodes: Floats, mean: Floats) -> DocumentStore:
    """Documents in order of time on the nodes of a grid.   mean : (V,) the prior's mean m₀

    Between two nodes log ζ is read by the same weights as the logits. Since log ζ is convex in them and log Σ exp m₀ at
    0, this never makes the bound too high where the weights are not negative and sum to at most 1:

        log ζ(τ) ≤ Σ_j w_j log ζ(z_j) + (1 − Σ_j w_j) log Σ_v exp m₀_v + κ̃/2
        m(τ) = Σ_j w_j m(z_j) + (1 − Σ_j w_j) m₀

    What stands besides the sums over nodes is the same for all topics, so it changes no φ: it is the documents' slack.
    """
    order = np.argsort(times, kind="stable")
    surprise = np.empty(len(order))
    for rows, part in blocks(counts):
        lengths = np.maximum(np.asarray(part.sum(axis=1), dtype=np.float64), 1.0)
        surprise[rows] = logsumexp(mean) - (part @ mean) / lengths
    times, surprise = times[order], surprise[order]
    return DocumentStore(Reordered(counts, order), *_place(times, surprise, kernel, nodes), times, surprise)


def place_documents(counts: sp.csr_array, times: Floats, kernel: Kernel, nodes: Floats, mean: Floats) -> Documents:
    """All documents, in order of time on the nodes of a grid; see `arrange_documents`."""
    return arrange_documents(HeldCounts(counts), times, kernel, nodes, mean).take_all()


def _place(times: Floats, surprise: Floats, kernel: Kernel, nodes: Floats) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """left (D,), weight (D, 2) and slack (D,) of documents."""
    stamps, stamp = np.unique(times, return_inverse=True)
    left, weight, residual = node_weights(kernel, nodes, stamps)
    slack = (1.0 - weight.sum(axis=1))[stamp] * surprise + 0.5 * residual[stamp]
    return left[stamp], weight[stamp], slack


def documents_at_nodes(counts: sp.csr_array, node: np.ndarray) -> Documents:
    """Documents each at a node of the grid itself;  node : (D,) which one, in increasing order."""
    D = counts.shape[0]
    alone = np.tile([1.0, 0.0], (D, 1))
    nothing = np.zeros(D)
    return Documents(
        counts.indptr, counts.indices, counts.data.astype(np.float64), node, alone, nothing, nothing, nothing
    )


def uniform_lambda(docs: Documents, alpha: Floats) -> Floats:
    """λ of documents before inference: every topic has the same share of the tokens.  Returns (D, K)."""
    return np.tile(alpha, (len(docs.left), 1)) + docs.lengths[:, None] / len(alpha)


def cut(docs: Documents) -> tuple[np.ndarray, np.ndarray]:
    """Tasks of about equal numbers of tokens, and the rows of statistics each of them owns."""
    D = len(docs.left)
    work = docs.indptr[1:] + np.arange(1, D + 1)  # a document costs its words, and a little by itself
    starts = np.unique(np.searchsorted(work, np.linspace(0, work[-1], min(TASKS, D) + 1)[1:-1], side="right"))
    starts = np.concatenate([[0], starts[(starts > 0) & (starts < D)], [D]])
    spans = docs.left[starts[1:] - 1] - docs.left[starts[:-1]] + 2  # both ends of the last interval
    return starts, np.concatenate([[0], np.cumsum(spans)])


class Statistics(NamedTuple):
    """Expected counts at the nodes: n (J, K, V), their totals N (J, K), and the documents' part of the bound."""

    n: np.ndarray
    N: np.ndarray
    bound: float


def gather(
    docs: Documents, tasks: tuple[np.ndarray, np.ndarray], n: np.ndarray, N: np.ndarray, bound: np.ndarray, J: int
) -> Statistics:
    """The tasks' rows of statistics added up at the J nodes."""
    paid = bound - docs.slack * docs.lengths
    return Statistics(at_nodes(docs, tasks, n, J), at_nodes(docs, tasks, N, J), float(paid.sum()))


def at_nodes(docs: Documents, tasks: tuple[np.ndarray, np.ndarray], rows: np.ndarray, J: int) -> np.ndarray:
    """Rows of tasks, (rows, …), added up at the J nodes in order: the sums are the same on any machine."""
    starts, ends = tasks
    total = np.zeros((J, *rows.shape[1:]), rows.dtype)
    for start, row, end in zip(starts, ends, ends[1:], strict=False):
        first = docs.left[start]
        last = min(first + end - row, J)
        total[first:last] += rows[row : row + last - first]
    return total
