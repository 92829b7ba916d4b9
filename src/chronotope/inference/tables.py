"""Topics and statistics with the topics innermost, as the sampled local step reads and writes them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chronotope._typing import Array, Floats, Values
from chronotope.inference.lanes import padded
from chronotope.inference.simd import LOWEST, exponentials
from chronotope.loops import FAST, outer, run_loop

BLOCK = 64  # words transposed at a time: they fit in the cache


@outer(fastmath=FAST)
def _transpose(first: int, last: int, logits: Array, log_zeta: Array, table: Array, powers: bool) -> None:
    """table_jvk = logits_jkv − log ζ_jk, or its exponential, for pairs of a block of words and a node.

    logits : (J, K, V) m + s/2;  log_zeta : (J, K);  powers : whether the exponential
    table : (J, V, K), padded, filled
    """
    J, K, V = logits.shape
    for task in range(first, last):
        j, start = task % J, (task // J) * BLOCK
        end = min(start + BLOCK, V)
        for k in range(K):
            for v in range(start, end):
                table[j, v, k] = logits[j, k, v] - log_zeta[j, k]
        for v in range(start, end):
            for k in range(K, table.shape[2]):
                table[j, v, k] = LOWEST
        if powers:
            for v in range(start, end):
                exponentials(table[j, v])


@outer(fastmath=FAST)
def _sum_tasks(first: int, last: int, lowest: Array, rows: Array, n: Array, out: Array) -> None:
    """Pairs of a block of words and a node from first to last; see `sum_tasks`."""
    J, K, V = out.shape
    for task in range(first, last):
        j, start = task % J, (task // J) * BLOCK
        end = min(start + BLOCK, V)
        for i in range(len(lowest)):
            row = rows[i] + j - lowest[i]
            if rows[i] <= row < rows[i + 1]:
                for k in range(K):
                    for v in range(start, end):
                        out[j, k, v] += n[row, v, k]


def sum_tasks(lowest: np.ndarray, rows: np.ndarray, n: np.ndarray, out: np.ndarray) -> None:
    """n_kv(z_j) = Σ_tasks n_jvk, in a fixed order: reproducible on any machine.

    lowest : (tasks,) first node of each task;  rows : see `cut_tasks`
    n : (rows, V, K), padded;  out : (J, K, V), updated
    """
    run_loop(_sum_tasks, _blocks(out), lowest, rows, n, out)


def _blocks(values: np.ndarray) -> int:
    """Number of pairs of a block of words and a node.   values : (J, K, V)."""
    J, _, V = values.shape
    return int(J * -(-V // BLOCK))


class TopicTables(NamedTuple):
    """Topics at the nodes.   logits, s : (J, K, V) m + s/2, and variances;  log_zeta : (J, K)."""

    logits: Values
    s: Values
    log_zeta: Floats

    def by_word(self, powers: bool) -> tuple[np.ndarray, np.ndarray]:
        """m + s/2 − log ζ, or its exponential, and s, (J, V, K) each, padded with topics that are never drawn."""
        J, K, V = self.logits.shape
        tables = np.empty((2, J, V, padded(K)), np.float32)
        blocks = _blocks(self.logits)
        run_loop(_transpose, blocks, self.logits, self.log_zeta, tables[0], powers)
        run_loop(_transpose, blocks, self.s, np.zeros((J, K)), tables[1], False)
        return tables[0], tables[1]
