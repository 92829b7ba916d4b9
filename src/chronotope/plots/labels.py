"""Names of curves beside the curves, instead of a legend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GAP = 3.0  # points between a peak and its name
TRIES = 40


def plain(text: str) -> str:
    """The text such that matplotlib shows it as it is: a dollar sign would begin a formula."""
    return text.replace("$", r"\$")


def label_peaks(ax: Axes) -> None:
    """Write each line's label above its peak, moved up until it covers no other; highest peaks first."""
    from matplotlib.patheffects import withStroke

    figure: Any = ax.get_figure(root=True)
    figure.draw_without_rendering()  # settles the layout, so that places on the page are known
    taken: list[Any] = []
    for line in sorted(ax.get_lines(), key=lambda line: -np.nanmax(np.asarray(line.get_ydata(), dtype=float))):
        x, y = (np.asarray(values, dtype=float) for values in line.get_data())
        peak = int(np.nanargmax(y))
        label = ax.annotate(
            str(line.get_label()),
            (float(x[peak]), float(y[peak])),
            xytext=(0, GAP),
            textcoords="offset points",
            ha=_alignment(ax, float(x[peak])),
            va="bottom",
            color=line.get_color(),
            fontsize=9,
            zorder=50,
            path_effects=[withStroke(linewidth=2.5, foreground="white")],
        )
        label.set_in_layout(False)
        _raise_above(label, taken, figure.dpi)
        taken.append(label.get_window_extent())


def _alignment(ax: Axes, x: float) -> str:
    """A name near an edge grows away from it."""
    first, last = ax.get_xlim()
    place = (x - first) / (last - first)
    return "left" if place < 0.12 else "right" if place > 0.88 else "center"


def _raise_above(label: Any, taken: list[Any], dpi: float) -> None:
    """Move a label up past the labels it would cover."""
    for _ in range(TRIES):
        box = label.get_window_extent()
        covered = [other for other in taken if box.overlaps(other)]
        if not covered:
            return
        lift = (max(other.y1 for other in covered) - box.y0) * 72.0 / dpi + 0.5
        x, y = label.xyann
        label.xyann = (x, y + lift)
