"""Plots of comparisons: held-out perplexities of several kernels, and their bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from chronotope._typing import Floats
from chronotope.plots.axes import plain
from chronotope.plots.trajectories import COLOURS, DASHES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from chronotope.evaluate.comparison import Comparison
    from chronotope.model import DynamicTopicModel

ROW = 0.42  # inches per kernel


def plot_comparison(comparison: Comparison, *, ax: Axes | None = None) -> Axes:
    """Perplexity of each kernel: seeds as points, their mean as a line, one standard deviation either side as a bar.

    Kernels are in the order given from top to bottom; the dashed line is the mean of the baseline. A kernel without a
    finished run is marked as failed.

    comparison : Comparison, as `evaluate.compare` returns it
    ax : matplotlib Axes or None, default None, axes to draw on; None for those of a new figure

    Returns the axes.
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
    """Axes of a new figure that is as high as its rows require."""
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


Curve = tuple[ArrayLike, ArrayLike]


def plot_bounds(curves: Mapping[str, DynamicTopicModel | Curve], *, ax: Axes | None = None) -> Axes:
    """The bound (ELBO) against the number of documents processed, one line per name; the legend is in order of bounds.

    With minibatches the bound is an estimate, and its line is rough.   [figure of the bound]

    curves : mapping of names to fitted models, or to pairs of numbers of documents and bounds, of equal lengths
    ax : matplotlib Axes or None, default None, axes to draw on; None for those of a new figure

    Returns the axes.
    """
    if not curves:
        raise ValueError("no models were given; pass at least one by name.")
    if ax is None:
        from matplotlib.figure import Figure

        ax = Figure(figsize=(7.0, 4.2), dpi=110, layout="constrained").subplots()
    read = {name: _read(name, given) for name, given in curves.items()}
    for i, (name, (seen, bounds)) in enumerate(read.items()):
        style = DASHES[i % len(DASHES)]  # lines may be close together, so dashes differ as well
        ax.plot(seen, bounds, style, color=COLOURS[i % len(COLOURS)], linewidth=1.7, label=plain(name))
    _dress_bounds(ax, list(read.values()))
    return ax


def _read(name: str, given: Any) -> tuple[Floats, Floats]:
    """Numbers of documents and bounds, of equal lengths."""
    pair = (given.documents_seen_, given.bounds_) if hasattr(given, "bounds_") else given
    if not isinstance(pair, Sequence) or len(pair) != 2:
        raise ValueError(f"{name} is {given!r}; pass a fitted model, or numbers of documents and bounds.")
    seen, bounds = (np.asarray(values, dtype=np.float64) for values in pair)
    if seen.ndim != 1 or seen.shape != bounds.shape:
        raise ValueError(f"{name} has {seen.size:,} numbers of documents but {bounds.size:,} bounds; pass one of each.")
    if not len(seen):
        raise ValueError(f"{name} has no bounds yet; fit it with at least two steps.")
    return seen, bounds


def _dress_bounds(ax: Axes, curves: Sequence[tuple[Floats, Floats]]) -> None:
    """Numbers without exponents on the axes, and the legend in the empty corner under rising curves."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(6))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    ax.set_xlabel("documents seen")
    ax.set_ylabel("bound (ELBO)")
    lines = ax.get_lines()
    order = sorted(range(len(curves)), key=lambda i: -curves[i][1][-1])
    ax.legend([lines[i] for i in order], [str(lines[i].get_label()) for i in order], loc="lower right", frameon=False)
    ax.grid(axis="y", color="0.92", linewidth=0.8)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
