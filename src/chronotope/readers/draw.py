"""A random part of the records, the same on every reading."""

from __future__ import annotations

import numpy as np

from chronotope._typing import Mask

NOT_DRAWN = "not drawn"  # the step that removes the other records
_SEED = 0


def drawn_records(n_records: int, limit: int) -> Mask:
    """Which of the records are drawn: `limit` of them, all equally likely, or all if they are not more.

    Returns (n_records,); depends on the two numbers alone.
    """
    drawn = np.zeros(n_records, dtype=bool)
    rng = np.random.default_rng(_SEED)
    drawn[rng.choice(n_records, min(limit, n_records), replace=False, shuffle=False)] = True
    return drawn
