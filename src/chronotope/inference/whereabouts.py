"""Where in time documents are whose dates are known roughly: drawn in turn with the topics of their tokens.

    p(τ_d = t_c | words, θ_d) ∝ p_d(t_c) exp(β ℓ_d(t_c)),        ℓ_d(t) = Σ_v n_dv log Σ_k θ_dk E_vk(t)

p_d is the mass of the given date at the candidate times t_c, E_vk(t) = exp(m_kv + s_kv/2 − log ζ_k), θ_d the shares of
the last local step. ℓ is computed at nodes, and is linear between them.
"""

from __future__ import annotations

import numpy as np

from chronotope._typing import Floats, Ints
from chronotope.dates.candidates import Candidates

TEMPER = 1.0  # β: words come in bursts, so each says less than it seems to
BLOCK = 4_000  # documents whose candidates are weighed at a time


def spans(where: Candidates, nodes: Floats) -> Ints:
    """First and last node around the candidates of each date, (U, 2)."""
    left, right, _ = between_nodes(where.times, nodes)
    some = where.mass > 0.0
    first, last = some.argmax(axis=1), some.shape[1] - 1 - some[:, ::-1].argmax(axis=1)
    return np.column_stack([left[first], right[last]])


def chances(where: Candidates, nodes: Floats, found: Floats, date: Ints) -> Floats:
    """p(τ_d = t_c | words, θ_d) of some documents, (R, C).   found : (R, J) ℓ at the nodes;  date : (R,)."""
    left, right, part = between_nodes(where.times, nodes)
    tempered = TEMPER * (found[:, left] * (1.0 - part) + found[:, right] * part)
    prior = where.mass[date]
    tempered -= np.max(tempered, axis=1, keepdims=True, initial=-np.inf, where=prior > 0.0)
    product = prior * np.exp(np.minimum(tempered, 0.0))
    normalised: Floats = product / product.sum(axis=1, keepdims=True)
    return normalised


def draw_times(where: Candidates, nodes: Floats, found: Floats, date: Ints, rng: np.random.Generator) -> Floats:
    """A candidate time of each of some documents, drawn, (R,); parameters as of `chances`."""
    drawn = np.empty(len(date))
    for start in range(0, len(date), BLOCK):
        rows = slice(start, start + BLOCK)
        sums = np.cumsum(chances(where, nodes, found[rows], date[rows]), axis=1)
        below = (sums < rng.random(len(sums))[:, None] * sums[:, -1:]).sum(axis=1)
        drawn[rows] = where.times[below]
    return drawn


def between_nodes(times: Floats, nodes: Floats) -> tuple[Ints, Ints, Floats]:
    """The nodes before and after each time, and how far it is from one to the other, (C,) each."""
    right = np.clip(np.searchsorted(nodes, times), 1, max(len(nodes) - 1, 0))
    left = np.maximum(right - 1, 0)
    gap, after = nodes[right] - nodes[left], times - nodes[left]
    return left, right, np.clip(np.divide(after, gap, out=np.zeros_like(after), where=gap > 0.0), 0.0, 1.0)
