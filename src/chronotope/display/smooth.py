"""Topics around a time: tokens smoothed over time by a Gaussian, and the shares they make."""

from __future__ import annotations

import numpy as np

from chronotope._typing import Floats

WIDTHS = 50  # standard deviations of the Gaussian in the span
FAR = 40.0  # of them, at which the Gaussian is 0 in double precision


def tokens_around(at: Floats, times: Floats, mass: Floats, span: float) -> Floats:
    """Tokens of each topic around each time, by a Gaussian with a standard deviation w of a fiftieth of the span.

        Σ_t exp(−½ ((τ − τ_t) / w)²) mass_t

    at : (n,), times τ to smooth around;  times : (T,);  mass : (T, K);  span : its length.  Returns (n, K).
    """
    width = max(span / WIDTHS, np.finfo(float).tiny)
    distance = np.minimum(np.abs(at[:, None] - times[None, :]), FAR * width)  # beyond, a weight is 0 anyway
    near: Floats = np.exp(-0.5 * (distance / width) ** 2) + 1e-12
    return near @ mass


def shares_around(at: Floats, times: Floats, mass: Floats, span: float) -> Floats:
    """Share of each topic in the tokens around each time, defined in gaps too; see `tokens_around`.  Returns (n, K).

    Without any tokens all shares are equal.
    """
    tokens = tokens_around(at, times, mass, span)
    total = tokens.sum(axis=1, keepdims=True)
    share: Floats = np.divide(tokens, total, out=np.full_like(tokens, 1.0 / mass.shape[1]), where=total > 0.0)
    return share
