"""Plots of the prior: curves drawn from a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from chronotope._typing import Floats
from chronotope.dates.decimal import parse_times
from chronotope.kernels import Kernel, Recipe, as_kernel
from chronotope.plots.axes import dress_time_axis, new_axes
from chronotope.plots.trajectories import COLOURS, DASHES

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_prior(kernel: Recipe | str, times: Any, draws: int = 5, seed: int = 0, *, ax: Axes | None = None) -> Axes:
    """Draws from the prior: the odds of words in a topic over time, relative to those in the corpus.

        odds ratio = exp(β − m₀),   β − m₀ ~ GP(0, κ)

    kernel : Kernel or its text form, such as "ou(6, 50)"; unset parameters are set from the span of the times
    times : numbers or dates (T,), where the curves are drawn, at least 2 distinct ones
    draws : int, default 5, number of words, one curve each
    seed : int, default 0, random seed; the same seed draws the same curves
    ax : matplotlib Axes or None, default None, axes to draw on; None for those of a new figure

    Returns the axes.
    """
    if isinstance(draws, bool) or not isinstance(draws, int | np.integer) or draws < 1:
        raise ValueError(f"draws is {draws!r}; expected a whole number of at least 1.")
    values, _, calendar, *_ = parse_times(times)
    at = np.unique(values)
    if len(at) < 2:
        raise ValueError(f"times has {len(at)} distinct entries; pass at least 2 to draw a curve through.")
    curves = np.exp(draw_curves(as_kernel(kernel).resolve(at[0], at[-1]), at, int(draws), seed))
    ax = new_axes() if ax is None else ax
    for i, curve in enumerate(curves):
        style = DASHES[i // len(COLOURS) % len(DASHES)]
        ax.plot(at, curve, style, color=COLOURS[i % len(COLOURS)], linewidth=1.3)
    _dress(ax, calendar)
    return ax


def draw_curves(kernel: Kernel, times: Floats, n: int, seed: int) -> Floats:
    """Independent draws of the Gaussian process at times : (T,).  Returns (n, T).

    z K^½ ~ N(0, K)   for z ~ N(0, I),   K^½ = U Λ^½ Uᵀ,  which is unique
    """
    values, U = np.linalg.eigh(kernel(times))
    root = (U * np.sqrt(np.maximum(values, 0.0))) @ U.T
    curves: Floats = np.random.default_rng(seed).standard_normal((n, len(times))) @ root
    return curves


def _dress(ax: Axes, calendar: bool) -> None:
    """Odds ratios on a logarithmic axis, with a line at 1, where a word is as likely as in the corpus."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    dress_time_axis(ax, calendar)
    ax.set_yscale("log")
    ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"×{y:,.10g}" if y >= 1 else f"÷{1 / y:,.10g}"))
    ax.yaxis.set_minor_formatter(NullFormatter())
    ax.axhline(1.0, color="0.6", linewidth=0.8, zorder=1)
    ax.set_ylabel("odds, against the corpus")
    ax.grid(axis="y", color="0.92", linewidth=0.8)
