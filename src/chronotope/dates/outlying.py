"""Outlying times: far from where most of the documents are. They decide nothing for the others."""

from __future__ import annotations

import numpy as np

from chronotope._typing import Floats, Mask

MIDDLE = (0.1, 0.9)  # quantiles between which the middle 80% of the documents are
REACH = 0.75  # times that are further out than this part of the middle are outlying


def main_part(times: Floats, documents: Floats | None = None) -> Mask:
    """Which times are not outlying, (D,).

    times : (D,) of the documents, one at least;  documents : (D,) number at each time, default None for one
    """
    low, high = np.quantile(times, MIDDLE) if documents is None else _weighted_quantiles(times, documents)
    reach = REACH * (high - low)
    if not reach > 0.0:
        return np.ones(len(times), np.bool_)
    inside: Mask = (times >= low - reach) & (times <= high + reach)
    return inside


def _weighted_quantiles(times: Floats, documents: Floats) -> Floats:
    """Quantiles of times with a number of documents at each, (2,)."""
    order = np.argsort(times, kind="stable")
    seen = np.cumsum(documents[order])
    quantiles: Floats = times[order][np.searchsorted(seen, np.array(MIDDLE) * seen[-1])]
    return quantiles
