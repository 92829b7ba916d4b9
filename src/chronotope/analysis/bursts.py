"""Bursts: intervals in which a rate exceeds its usual level in the surrounding time, found by a two-state automaton.

Arrays have J rows, one per node, and C columns, one per rate. N are token counts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chronotope._typing import Floats, Mask

HIGHEST = 16.0  # factor of a burst that is told from higher ones


class Burst(NamedTuple):
    """A burst of one column.   first, last : its first and last row."""

    column: int
    first: int
    last: int


class Windows:
    """A window of time around each node, shifted inwards where it would extend beyond the first or last node.

    nodes : (J,), increasing;  length : of each window, in the unit of the nodes
    """

    def __init__(self, nodes: Floats, length: float) -> None:
        self.nodes, self.length = nodes, length
        windows = [self._rows(time, time, length) for time in nodes]
        self._lo, self._hi = np.array([[rows.start, rows.stop] for rows in windows]).T

    def around(self, first: int, last: int) -> slice:
        """Rows of the window centred on a run of rows; at least twice as long as the run.   first, last : its rows."""
        start, end = self.nodes[first], self.nodes[last]
        return self._rows(start, end, max(self.length, 2.0 * (end - start)))

    def mean(self, values: Floats) -> Floats:
        """Mean over the window around each row.   values : (J, C).  Returns (J, C)."""
        mean: Floats = self._sum(values) / (self._hi - self._lo)[:, None]
        return mean

    def mean_of_others(self, values: Floats, weight: Floats) -> Floats:
        """Weighted mean over the other rows of the window around each row, 0 without weight.

        values : (J, C);  weight : (J,).  Returns (J, C).
        """
        total, mass = (np.maximum(self._sum(x) - x, 0.0) for x in (weight[:, None] * values, weight[:, None]))
        mean: Floats = np.divide(total, mass, out=np.zeros_like(total), where=mass > 1e-9 * weight.sum())
        return mean

    def _sum(self, values: Floats) -> Floats:
        """Sum over the window around each row.   values : (J, C).  Returns (J, C)."""
        total = np.cumsum(np.pad(values, ((1, 0), (0, 0))), axis=0)
        inside: Floats = total[self._hi] - total[self._lo]
        return inside

    def sides(self, first: int, last: int) -> tuple[slice, Mask]:
        """Rows of a run, and those around it in the window.   first, last : rows of the run."""
        inside, around = slice(first, last + 1), np.zeros(len(self.nodes), dtype=bool)
        around[self.around(first, last)] = True
        around[inside] = False
        return inside, around

    def ratio(self, rate: Floats, tokens: Floats, first: int, last: int) -> Floats:
        """Ratio of the rate inside a run to the rate around it:  (Σ_in N y / Σ_in N) / (Σ_around N y / Σ_around N).

        rate y : (draws, J);  tokens N : (J,);  first, last : rows of the run.  Returns (draws,), 0 without text.
        """
        inside, around = self.sides(first, last)
        if not (tokens[around].sum() > 0 and tokens[inside].sum() > 0):
            return np.zeros(len(rate))
        level = [rate[:, part] @ tokens[part] / tokens[part].sum() for part in (inside, around)]
        ratio: Floats = level[0] / np.maximum(level[1], np.finfo(float).tiny)
        return ratio

    def _rows(self, start: float, end: float, length: float) -> slice:
        half = 0.5 * length
        low, high = self.nodes[0] + half, self.nodes[-1] - half
        middle = 0.5 * (low + high) if low > high else min(max(0.5 * (start + end), low), high)
        lo = int(np.searchsorted(self.nodes, middle - half, "left"))
        hi = int(np.searchsorted(self.nodes, middle + half, "right"))
        return slice(lo, max(hi, lo + 1))


def rate_gain(tokens: Floats, rate: Floats, usual: Floats, factor: float) -> Floats:
    """Evidence of each node for a rate of f times the usual rate, f at least `factor`, against the usual rate, in nats.

        N (y log f − u (f − 1)),   f = y / u, from factor to 16        the log-likelihood ratio of Poisson counts N y

    tokens N : (J, 1);  rate y, usual u : (J, C), above 0.  Returns (J, C).
    """
    f = np.clip(rate / usual, factor, max(factor, HIGHEST))
    gain: Floats = tokens * (rate * np.log(f) - usual * (f - 1.0))
    return gain


def find_bursts(gain: Floats, cost: float) -> Mask:
    """Most probable states of a two-state automaton: entering a burst costs `cost` nats, leaving it costs nothing.

    max over states x ∈ {0, 1}^J of Σ_j x_j gain_j − cost · (entries into 1)        gain : (J, C).  Returns (J, C).
    """
    J, C = gain.shape
    calm, burst = np.zeros(C), np.full(C, -np.inf)
    stayed, ended = np.empty((J, C), dtype=bool), np.empty((J, C), dtype=bool)
    for j in range(J):
        stayed[j] = burst >= calm - cost  # already in a burst at j − 1
        ended[j] = burst > calm  # calm at j, in a burst at j − 1
        calm, burst = np.maximum(calm, burst), gain[j] + np.maximum(burst, calm - cost)
    state, now = np.empty((J, C), dtype=bool), burst > calm
    for j in range(J - 1, -1, -1):
        state[j] = now
        now = np.where(now, stayed[j], ended[j])
    return state


def bursts_of(state: Mask) -> list[Burst]:
    """All maximal runs of burst states, column by column.   state : (J, C)."""
    edge = np.zeros((1, state.shape[1]), dtype=np.int8)
    change = np.diff(np.concatenate([edge, state.astype(np.int8), edge]), axis=0).T  # (C, J + 1)
    columns, firsts = np.nonzero(change == 1)
    _, ends = np.nonzero(change == -1)
    return [Burst(int(c), int(a), int(b) - 1) for c, a, b in zip(columns, firsts, ends, strict=True)]
