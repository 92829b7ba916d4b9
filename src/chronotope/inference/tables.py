"""Topics and statistics with the topics innermost, as the sampled local step reads and writes them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit, prange

from chronotope._typing import Array, Floats, Values
from chronotope.inference.gibbs import compiled
from chronotope.inference.lanes import padded
from chronotope.inference.simd import LOWEST, exponentials

BLOCK = 64  # words transposed at a time: they fit in the cache


@compiled
def _transpose_block(logits: Array, log_zeta: Array, table: Array, powers: bool, task: Any) -> None:
    """The table at one node, for one block of words; see `_transpose`."""
    J, K, V = logits.shape
    j, first = task % J, (task // J) * BLOCK
    last = min(first + BLOCK, V)
    for k in range(K):
        for v in range(first, last):
            table[j, v, k] = logits[j, k, v] - log_zeta[j, k]
    if powers:
        for v in range(first, last):
            exponentials(table[j, v])


@njit(cache=True, parallel=True)
def _transpose(logits: Array, log_zeta: Array, table: Array, powers: bool) -> None:
    """table_jvk = logits_jkv − log ζ_jk, or its exponential.

    logits : (J, K, V) m + s/2;  log_zeta : (J, K);  powers : whether the exponential
    table : (J, V, K), padded, filled
    """
    for task in prange(len(logits) * -(-logits.shape[2] // BLOCK)):
        _transpose_block(logits, log_zeta, table, powers, np.int64(task))


@compiled
def _sum_tasks_block(first: Array, rows: Array, n: Array, out: Array, task: Any) -> None:
    """n_kv(z_j) = Σ_tasks n_jvk at one node, for one block of words; see `sum_tasks`."""
    J, K, V = out.shape
    j, start = task % J, (task // J) * BLOCK
    end = min(start + BLOCK, V)
    for i in range(len(first)):
        if first[i] <= j < first[i] + rows[i + 1] - rows[i]:
            source = n[rows[i] + j - first[i]]
            for k in range(K):
                for v in range(start, end):
                    out[j, k, v] += source[v, k]


@njit(cache=True, parallel=True)
def sum_tasks(first: Array, rows: Array, n: Array, out: Array) -> None:
    """n_kv(z_j) = Σ_tasks n_jvk, in a fixed order: reproducible on any machine.

    first : (tasks,) first node of each task;  rows : see `cut_tasks`
    n : (rows, V, K), padded;  out : (J, K, V), updated
    """
    for task in prange(len(out) * -(-out.shape[2] // BLOCK)):
        _sum_tasks_block(first, rows, n, out, np.int64(task))


class TopicTables(NamedTuple):
    """Topics at the nodes.   logits, s : (J, K, V) m + s/2, and variances;  log_zeta : (J, K)."""

    logits: Values
    s: Values
    log_zeta: Floats

    def by_word(self, powers: bool) -> tuple[np.ndarray, np.ndarray]:
        """m + s/2 − log ζ, or its exponential, and s, (J, V, K) each, padded with topics that are never drawn."""
        J, K, V = self.logits.shape
        tables = np.full((2, J, V, padded(K)), LOWEST)
        _transpose(self.logits, self.log_zeta, tables[0], powers)
        _transpose(self.s, np.zeros((J, K)), tables[1], False)
        return tables[0], tables[1]
