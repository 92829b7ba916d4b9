"""Statistics of documents: expected counts at the nodes, and sums over tasks in a fixed order."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from chronotope.inference.documents import Tasks


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


def collect_statistics(tasks: Tasks, n: np.ndarray, N: np.ndarray, bound: np.ndarray, J: int) -> Statistics:
    """Statistics at the J nodes from the rows of the tasks.   n, N : rows;  bound : (D,)."""
    return Statistics(sum_at_nodes(tasks, n, J), sum_at_nodes(tasks, N, J), sum_by_task(bound, tasks.starts))


def sum_by_task(values: np.ndarray, starts: np.ndarray) -> float:
    """The sum of the values of documents, (D,): of each task, then of the tasks in their order."""
    return sum((float(values[start:end].sum()) for start, end in pairwise(starts)), 0.0)


def sum_at_nodes(tasks: Tasks, rows: np.ndarray, J: int) -> np.ndarray:
    """Sums of the rows of tasks at the J nodes, (rows, …) to (J, …), in a fixed order: reproducible on any machine."""
    total = np.zeros((J, *rows.shape[1:]), rows.dtype)
    for first, row, end in zip(tasks.lowest, tasks.rows, tasks.rows[1:], strict=False):
        last = min(first + end - row, J)
        total[first:last] += rows[row : row + last - first]
    return total
