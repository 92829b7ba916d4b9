"""Bursts: stretches of time in which a rate stands above its usual level, by a two-state automaton."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Run(NamedTuple):
    """A burst of one column: its first and last row, and what it gains, in nats."""

    column: int
    first: int
    last: int
    gain: float


def rate_gain(tokens: Floats, rate: Floats, usual: Floats, factor: float) -> Floats:
    """What each time says for a rate of `factor` times the usual one instead of the usual one, in nats.

        N (y log f − u (f − 1))        the log-likelihood ratio of Poisson counts N y, at expectation

    tokens N : (J, 1);  rate y : (J, C);  usual u : (C,).  Returns (J, C).
    """
    gain: Floats = tokens * (rate * np.log(factor) - usual * (factor - 1.0))
    return gain


def find_bursts(gain: Floats, cost: float) -> Flags:
    """The most probable states of a two-state automaton that pays `cost` to enter a burst, and nothing to leave it.

    max over states z ∈ {0, 1}^J of Σ_j z_j gain_j − cost · (entries into 1)        gain : (J, C).  Returns (J, C).
    """
    J, C = gain.shape
    calm, burst = np.zeros(C), np.full(C, -np.inf)
    stayed, ended = np.empty((J, C), dtype=bool), np.empty((J, C), dtype=bool)
    for j in range(J):
        stayed[j] = burst >= calm - cost  # in the burst since before
        ended[j] = burst > calm  # calm now, in a burst before
        calm, burst = np.maximum(calm, burst), gain[j] + np.maximum(burst, calm - cost)
    state = np.empty((J, C), dtype=bool)
    now = burst > calm
    for j in range(J - 1, -1, -1):
        state[j] = now
        now = np.where(now, stayed[j], ended[j])
    return state


def runs_of(state: Flags, gain: Floats) -> list[Run]:
    """Every maximal run of bursting rows, column by column."""
    edge = np.zeros((1, state.shape[1]), dtype=np.int8)
    change = np.diff(np.concatenate([edge, state.astype(np.int8), edge]), axis=0).T  # (C, J + 1)
    columns, firsts = np.nonzero(change == 1)
    _, ends = np.nonzero(change == -1)
    total = np.concatenate([np.zeros((1, gain.shape[1])), np.cumsum(gain, axis=0)])
    return [
        Run(int(c), int(a), int(b) - 1, float(total[b, c] - total[a, c]))
        for c, a, b in zip(columns, firsts, ends, strict=True)
    ]
