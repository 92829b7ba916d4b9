"""Held-out perplexities of several kernels, every seed a point."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from chronotope.plots.labels import plain
from chronotope.plots.trajectories import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from chronotope.evaluate.comparison import Comparison

ROW = 0.42  # inches a kernel


def plot_comparison(comparison: Comparison, *, ax: Axes | None = None) -> Axes:
    """Perplexity of each kernel: seeds as points, their mean as a line, one standard deviation either side as a bar.

    Kernels from top to bottom in the order given, the baseline's mean as a dashed line through all; of a kernel
    without a finished run there is only the name.   ax : axes to draw on, those of a new figure if left out
    """
    if ax is None:
        ax = _new_axes(len(comparison.names))
    for row, name in enumerate(comparison.names):
        colour, values = COLOURS[row % len(COLOURS)], comparison.perplexities(name)
        if not len(values):
            ax.annotate("failed", (0.02, row), xycoords=("axes fraction", "data"), va="center", color="0.4")
            continue
        mean, spread = values.mean(), values.std(ddof=1) if len(values) > 1 else 0.0
        ax.plot(
            [mean - spread, mean + spread], [row, row], color=colour, linewidth=7, alpha=0.25, solid_capstyle="butt"
        )
        ax.plot([mean, mean], [row - 0.22, row + 0.22], color=colour, linewidth=2)
        ax.plot(values, np.full(len(values), row), "o", color=colour, markersize=5, markeredgecolor="white")
    baseline = comparison.perplexities(comparison.baseline)
    if len(baseline):
        ax.axvline(baseline.mean(), color="0.6", linestyle="--", linewidth=1, zorder=0)
    _dress(ax, comparison)
    return ax


def _new_axes(rows: int) -> Axes:
    """Axes of a figure that needs neither a display nor a backend, as high as its rows need."""
    from matplotlib.figure import Figure

    return Figure(figsize=(7.0, 1.2 + ROW * rows), dpi=110, layout="constrained").subplots()


def _dress(ax: Axes, comparison: Comparison) -> None:
    ax.set_yticks(range(len(comparison.names)), [plain(name) for name in comparison.names])
    ax.set_ylim(len(comparison.names) - 0.5, -0.5)
    ax.set_xlabel(f"held-out perplexity, lower is better; dashed: {plain(comparison.baseline)}")
    ax.margins(x=0.08)
    ax.grid(axis="x", color="0.92", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.tick_params(axis="y", length=0)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
