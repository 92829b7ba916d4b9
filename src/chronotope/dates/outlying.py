"""Outlying times: far from where most of the documents are. They decide nothing for the others."""

from __future__ import annotations

import numpy as np

from chronotope._typing import Floats, Mask

MIDDLE = (0.1, 0.9)  # quantiles between which the middle 80% of the documents are
REACH = 0.75  # times that are further out than this part of the middle are outlying


def main_part(times: Floats) -> Mask:
    """Which documents are not at outlying times, (D,).   times : (D,) of the documents, one at least."""
    low, high = np.quantile(times, MIDDLE)
    reach = REACH * (high - low)
    if not reach > 0.0:
        return np.ones(len(times), np.bool_)
    inside: Mask = (times >= low - reach) & (times <= high + reach)
    return inside
