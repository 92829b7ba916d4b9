"""Topics around a time: tokens smoothed over time by a Gaussian, and the shares they make."""

from __future__ import annotations

import numpy as np

from chronotope._typing import Floats

WIDTHS = 50  # standard deviations of the Gaussian in the span


def tokens_around(at: Floats, times: Floats, mass: Floats, span: float) -> Floats:
    """Tokens of each topic around each time, by a Gaussian with a standard deviation w of a fiftieth of the span.

        Σ_t exp(−½ ((τ − τ_t) / w)²) mass_t

    at : (n,), times τ to smooth around;  times : (T,);  mass : (T, K);  span : its length.  Returns (n, K).
    """
    width = max(span / WIDTHS, np.finfo(float).tiny)
    near: Floats = np.exp(-0.5 * ((at[:, None] - times[None, :]) / width) ** 2) + 1e-12
    return near @ mass


def shares_around(at: Floats, times: Floats, mass: Floats, span: float) -> Floats:
    """Share of each topic in the tokens around each time, defined in gaps too; see `tokens_around`.  Returns (n, K)."""
    tokens = tokens_around(at, times, mass, span)
    share: Floats = tokens / tokens.sum(axis=1, keepdims=True)
    return share
