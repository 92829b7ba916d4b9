"""How the bound rises while documents are seen: the paper's figure of convergence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chronotope.plots.labels import plain
from chronotope.plots.trajectories import COLOURS, DASHES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from chronotope.model import DynamicTopicModel

Floats = NDArray[np.float64]
Curve = tuple[ArrayLike, ArrayLike]


def plot_bounds(curves: Mapping[str, DynamicTopicModel | Curve], *, ax: Axes | None = None) -> Axes:
    """The bound against the number of documents seen, a line for each name; in the legend the highest is first.

    curves : fitted models, or pairs of documents seen and bounds, by name;  ax : those of a new figure if left out

    With minibatches the bound is an estimate, and its line is rough.   [figure of the bound]
    """
    if not curves:
        raise ValueError("no models were given; pass at least one by name.")
    if ax is None:
        from matplotlib.figure import Figure

        ax = Figure(figsize=(7.0, 4.2), dpi=110, layout="constrained").subplots()
    read = {name: _read(name, given) for name, given in curves.items()}
    for i, (name, (seen, bounds)) in enumerate(read.items()):
        style = DASHES[i % len(DASHES)]  # lines lie close together: dashes too tell them apart
        ax.plot(seen, bounds, style, color=COLOURS[i % len(COLOURS)], linewidth=1.7, label=plain(name))
    _dress(ax, list(read.values()))
    return ax


def _read(name: str, given: Any) -> tuple[Floats, Floats]:
    """Documents seen and bounds, as many of one as of the other."""
    pair = (given.documents_seen_, given.bounds_) if hasattr(given, "bounds_") else given
    if not isinstance(pair, Sequence) or len(pair) != 2:
        raise ValueError(f"{name} is {given!r}; pass a fitted model, or documents seen and bounds.")
    seen, bounds = (np.asarray(values, dtype=np.float64) for values in pair)
    if seen.ndim != 1 or seen.shape != bounds.shape:
        raise ValueError(f"{name} has {seen.size:,} numbers of documents but {bounds.size:,} bounds; pass one of each.")
    if not len(seen):
        raise ValueError(f"{name} has no bounds yet; fit it with at least two steps.")
    return seen, bounds


def _dress(ax: Axes, curves: Sequence[tuple[Floats, Floats]]) -> None:
    """Plain numbers on the axes, and the names in the empty corner under curves that rise."""
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
