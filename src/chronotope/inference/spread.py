"""The local step on a cluster: each task is a call of a worker, and sums are those of one machine, bit for bit.

A call has the documents of one task, as rows of counts that the worker reads by itself, the topics at the nodes around
them, and their chains. It returns statistics at these nodes, and the chains. Nothing of the fit is changed before all
calls have returned.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from chronotope._typing import Floats, Ints, Mask, Values
from chronotope.corpus.placed import CountsPlace
from chronotope.inference.chains import Chains
from chronotope.inference.documents import Batch, Documents, Tasks, cut_tasks, documents_at_nodes
from chronotope.inference.meanfield import infer_shares, meanfield_step, meanfield_tasks
from chronotope.inference.sampled import Sampling, are_at_nodes, sample_tasks, sampled_step
from chronotope.inference.statistics import Statistics
from chronotope.inference.store import SpreadDocuments
from chronotope.inference.tables import TopicTables
from chronotope.inference.weigh import node_likelihoods

Limits = tuple[int, float]
CALL = 5_000  # documents whose likelihoods are found in a call


class TaskPart(NamedTuple):
    """The documents of one task: where their counts are, and their columns as in `Documents`, nodes counted anew."""

    place: CountsPlace
    row: Ints
    left: Ints
    weight: Floats
    slack: Floats
    number: Ints

    def documents(self) -> Documents:
        """The documents, with their counts; their times are not known."""
        counts, unknown = self.place.read(self.row), np.zeros(len(self.row))
        data = counts.data.astype(np.float64)
        at = self.left, self.weight, self.slack, unknown, unknown, self.number, np.zeros(len(self.row), np.int32)
        return Documents(counts.indptr, counts.indices, data, *at)


class Cut(NamedTuple):
    """A task: its documents, which of the batch they are, and the nodes that they touch."""

    part: TaskPart
    rows: slice
    nodes: slice


def cut_parts(docs: SpreadDocuments) -> Iterator[Cut]:
    """The tasks of a batch; see `cut_tasks`."""
    starts, rows, lowest = cut_tasks(docs)
    for start, end, first, n in zip(starts, starts[1:], lowest.tolist(), np.diff(rows), strict=False):
        chosen = slice(int(start), int(end))
        columns = docs.left[chosen] - first, docs.weight[chosen], docs.slack[chosen], docs.number[chosen]
        part = TaskPart(docs.place, docs.row[chosen], *columns)
        yield Cut(part, chosen, slice(first, first + int(n)))


def spread_sampled_step(
    docs: SpreadDocuments,
    topics: TopicTables,
    alpha: Floats,
    chains: Chains,
    lam: Floats,
    seed: int,
    sweeps: tuple[int, int],
    anew: Mask | None = None,
    measured: bool = True,
) -> Statistics:
    """The sampled local step on the workers; parameters and result as of `sampled_step`."""
    how, at_nodes = Sampling(int(seed), *sweeps, measured), are_at_nodes(docs)
    anew = np.zeros(len(docs.left), np.bool_) if anew is None else anew
    cuts, own = list(cut_parts(docs)), list[Chains]()

    def calls() -> Iterator[tuple[object, ...]]:
        for part, rows, nodes in cuts:
            own.append(chains.take(rows))
            tables = (topics.logits[nodes], topics.s[nodes], topics.log_zeta[nodes])
            yield (
                part,
                tables,
                at_nodes,
                of_rows(alpha, rows),
                (own[-1].tokens(), own[-1].size, own[-1].started),
                how,
                anew[rows],
            )

    found = Sums(topics.logits)
    results = zip(cuts, docs.workers.map(sample_part, calls()), strict=True)
    returned = [found.add(cut, *result) for cut, result in results]
    for cut, chain, (tokens, held) in zip(cuts, own, returned, strict=True):
        chain.put(tokens)
        chains.started[cut.rows] = True
        lam[cut.rows] = of_rows(alpha, cut.rows) + held.astype(np.float64)
    return found.statistics(measured)


def of_rows(alpha: Floats, rows: slice) -> Floats:
    """α of some documents: (K,) if it is that of all, else their rows of (D, K)."""
    return alpha if alpha.ndim == 1 else alpha[rows]


class Sums:
    """Statistics of all tasks, added in the order of the tasks."""

    def __init__(self, logits: Values) -> None:
        """logits : (J, K, V), whose shape and type the counts have."""
        self.n, self.N = np.zeros_like(logits), np.zeros(logits.shape[:2])
        self.bound = self.predicted = 0.0

    def add(self, cut: Cut, n: Values, N: Floats, sums: tuple[float, float], own: tuple[np.ndarray, ...]) -> Any:
        """Add the rows and sums of a task.   sums : bound and predicted;  own : of its documents, returned."""
        self.n[cut.nodes] += n
        self.N[cut.nodes] += N
        self.bound, self.predicted = self.bound + sums[0], self.predicted + sums[1]
        return own

    def statistics(self, measured: bool) -> Statistics:
        """The statistics; the bound is NaN if it was not measured."""
        return Statistics(self.n, self.N, self.bound if measured else np.nan, self.predicted)


def sample_part(
    part: TaskPart,
    tables: tuple[Values, Values, Floats],
    at_nodes: bool,
    alpha: Floats,
    chain: tuple[np.ndarray, Ints, np.ndarray],
    how: Sampling,
    anew: Mask,
) -> tuple[Values, Floats, tuple[float, float], tuple[np.ndarray, ...]]:
    """One task of the sampled local step, on a worker: n, N, sums of bound and predicted, topics of tokens, and `held`.

    held : (D, K) tokens of each topic in each document, in single precision, which holds them exactly
    """
    docs, (topic, size, started) = part.documents(), chain
    K = alpha.shape[-1]
    first, lam = np.cumsum(size, dtype=np.int64) - size, np.empty((len(size), K))
    chains = Chains(topic.copy(), first, started.copy(), size)
    task, topics = _one_task(docs, tables[0]), TopicTables(*tables)
    found = sample_tasks(docs, task, topics, at_nodes, alpha, chains, lam, how, anew)
    n = np.ascontiguousarray(found.n[:, :, :K].transpose(0, 2, 1))
    sums = float(found.bound.sum()), float(found.predicted.sum())
    return n, found.N, sums, (chains.topic, (lam - alpha).astype(np.float32))


def spread_meanfield_step(
    docs: SpreadDocuments, m: Values, log_zeta: Floats, alpha: Floats, lam: Floats, limits: Limits
) -> Statistics:
    """The mean-field local step on the workers; parameters and result as of `meanfield_step`."""
    cuts, found = list(cut_parts(docs)), Sums(m)
    calls = ((part, m[nodes], log_zeta[nodes], of_rows(alpha, rows), lam[rows], limits) for part, rows, nodes in cuts)
    results = zip(cuts, docs.workers.map(meanfield_part, calls), strict=True)
    returned = [found.add(cut, *result) for cut, result in results]
    for cut, (own,) in zip(cuts, returned, strict=True):
        lam[cut.rows] = own
    return found.statistics(True)._replace(predicted=np.nan)


def meanfield_part(
    part: TaskPart, m: Values, log_zeta: Floats, alpha: Floats, lam: Floats, limits: Limits
) -> tuple[Values, Floats, tuple[float, float], tuple[np.ndarray, ...]]:
    """One task of the mean-field local step, on a worker: n, N, the sum of the bound and nothing, and λ."""
    docs, own = part.documents(), lam.copy()
    n, N, bound = meanfield_tasks(docs, _one_task(docs, m), m, log_zeta, alpha, own, limits)
    return n, N, (float(bound.sum()), 0.0), (own,)


def spread_shares(
    docs: SpreadDocuments, m: Values, log_zeta: Floats, alpha: Floats, lam: Floats, limits: Limits
) -> Floats:
    """Mean-field λ without statistics on the workers; parameters and result as of `infer_shares`."""
    cuts = list(cut_parts(docs))
    calls = ((part, m[nodes], log_zeta[nodes], of_rows(alpha, rows), lam[rows], limits) for part, rows, nodes in cuts)
    found = list(docs.workers.map(shares_part, calls))
    for cut, (own, _) in zip(cuts, found, strict=True):
        lam[cut.rows] = own
    return np.concatenate([bound for _, bound in found])


def shares_part(
    part: TaskPart, m: Values, log_zeta: Floats, alpha: Floats, lam: Floats, limits: Limits
) -> tuple[Floats, Floats]:
    """λ of the documents of one task, and their parts of the bound, on a worker."""
    own = lam.copy()
    return own, infer_shares(part.documents(), m, log_zeta, alpha, own, limits)


def spread_likelihoods(docs: SpreadDocuments, span: Ints, topics: TopicTables, theta: Floats) -> Floats:
    """Log-likelihoods at nodes on the workers; parameters and result as of `node_likelihoods`."""
    found = np.zeros((len(theta), len(topics.logits)))
    cuts = [(slice(start, min(start + CALL, len(theta)))) for start in range(0, len(theta), CALL)]

    def calls() -> Iterator[tuple[object, ...]]:
        for rows in cuts:
            nodes = slice(int(span[rows, 0].min()), int(span[rows, 1].max()) + 1)
            tables = topics.logits[nodes], topics.s[nodes], topics.log_zeta[nodes]
            yield docs.place, docs.row[rows], span[rows] - nodes.start, tables, theta[rows]

    for rows, part in zip(cuts, docs.workers.map(likelihoods_part, calls()), strict=True):
        first = int(span[rows, 0].min())
        found[rows, first : first + part.shape[1]] = part
    return found


def likelihoods_part(
    place: CountsPlace, row: Ints, span: Ints, tables: tuple[Values, Values, Floats], theta: Floats
) -> Floats:
    """Log-likelihoods of some documents, on a worker."""
    counts = place.read(row)
    docs = documents_at_nodes(counts, np.zeros(len(row), np.int64))
    return node_likelihoods(docs, span, TopicTables(*tables), theta)


def weigh_batch(docs: Batch, *given: Any) -> Floats:
    """Log-likelihoods at nodes wherever the documents are; see `node_likelihoods`."""
    weigh = spread_likelihoods if isinstance(docs, SpreadDocuments) else node_likelihoods
    return weigh(docs, *given)  # type: ignore[arg-type]


def sample_batch(docs: Batch, *given: Any, **more: Any) -> Statistics:
    """The sampled local step wherever the documents are; see `sampled_step`."""
    step = spread_sampled_step if isinstance(docs, SpreadDocuments) else sampled_step
    return step(docs, *given, **more)  # type: ignore[arg-type]


def meanfield_batch(docs: Batch, *given: Any) -> Statistics:
    """The mean-field local step wherever the documents are; see `meanfield_step`."""
    step = spread_meanfield_step if isinstance(docs, SpreadDocuments) else meanfield_step
    return step(docs, *given)  # type: ignore[arg-type]


def infer_batch(docs: Batch, *given: Any) -> Floats:
    """Mean-field λ wherever the documents are; see `infer_shares`."""
    infer = spread_shares if isinstance(docs, SpreadDocuments) else infer_shares
    return infer(docs, *given)  # type: ignore[arg-type]


def _one_task(docs: Documents, values: Values) -> Tasks:
    """All documents as one task with all nodes of `values`; see `cut_tasks`."""
    return Tasks(np.array([0, len(docs.left)]), np.array([0, len(values)]), np.zeros(1, np.int64))
