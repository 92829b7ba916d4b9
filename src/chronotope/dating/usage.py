"""How frequent words are over time, apart from any topics."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from chronotope._typing import Floats, Ints
from chronotope.dating.weights import damped

PULL = 300.0  # tokens of the whole corpus that are added at each time
LEAST = 0.02  # part of the prior on dates that is the same at all times


def usage_counts(counts: sp.csr_array, cell: Ints, C: int) -> Floats:
    """Damped counts of words at candidate times, (C, V).   counts : (D, V);  cell : (D,) candidate of each document."""
    D = counts.shape[0]
    at = sp.csr_array((np.ones(D), (cell, np.arange(D))), shape=(C, D))
    found: Floats = (at @ damped(counts)).toarray()
    return found


def smoothed(values: Floats, times: Floats, width: float) -> Floats:
    """Values at times, (C, …), summed with the weights of a Gaussian of this width in time."""
    kernel = np.exp(-0.5 * ((times[:, None] - times) / width) ** 2)
    return kernel @ values


def usage_table(used: Floats, times: Floats, width: float) -> Floats:
    """log p_v(t_c), smoothed in time, and towards the frequencies in the whole corpus, (C, V).

        p_v(t) = (Σ_c w_c(t) n_vc + PULL p_v) / (Σ_vc w_c(t) n_vc + PULL)

    used : (C, V) from `usage_counts`
    """
    whole = used.sum(axis=0) + 0.5
    near = smoothed(used, times, width)
    table: Floats = np.log((near + PULL * whole / whole.sum()) / (near.sum(axis=1, keepdims=True) + PULL))
    return table


def date_prior(documents: Floats, times: Floats, width: float) -> Floats:
    """log p(t_c) of a document of which nothing is known: as the others are, smoothed, (C,).   documents : (C,)."""
    near = smoothed(documents, times, width)
    prior: Floats = np.log((1.0 - LEAST) * near / near.sum() + LEAST / len(times))
    return prior
