"""Figures, axes and labels that all plots share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from chronotope.dates.decimal import format_time

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def new_axes(width: float = 7.0, height: float = 4.2) -> Axes:
    """Axes of a new figure that needs neither a display nor a backend.   width, height : inches."""
    return new_figure(width, height).subplots()  # type: ignore[no-any-return]


def new_figure(width: float, height: float) -> Any:
    """A figure that needs neither a display nor a backend.   width, height : inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), dpi=110, layout="constrained")


def dress_time_axis(ax: Axes, calendar: bool) -> None:
    """Ticks with dates, or with numbers without a calendar, and no frame above and to the right."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(6))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: _time_text(ax, x, calendar)))
    ax.set_xlabel("year" if calendar else "time")
    ax.margins(x=0.02)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def percent_axis(axis: Any) -> None:
    """Tick labels in percent."""
    from matplotlib.ticker import FuncFormatter

    axis.set_major_formatter(FuncFormatter(lambda y, _: f"{100 * y:.3g}%"))


def _time_text(ax: Axes, x: float, calendar: bool) -> str:
    """The year on a long axis, else the date to the month or the day; a number without a calendar."""
    if not calendar:
        return f"{x:.10g}"
    first, last = ax.get_xlim()
    if last - first >= 5:
        return f"{x:.0f}"
    return format_time(x, calendar)[: 7 if last - first >= 0.5 else 10]


GAP = 3.0  # points between a peak and its label
TRIES = 40  # maximum number of moves of a label


def plain(text: str) -> str:
    """The text with dollar signs escaped, which would begin a formula in matplotlib."""
    return text.replace("$", r"\$")


def label_peaks(ax: Axes) -> None:
    """Write each line's label above its peak, moved up until it covers no other label; highest peaks first."""
    from matplotlib.patheffects import withStroke

    figure: Any = ax.get_figure(root=True)
    figure.draw_without_rendering()  # computes the layout, so that positions are known
    taken: list[Any] = []
    for line in sorted(ax.get_lines(), key=lambda line: -np.nanmax(np.asarray(line.get_ydata(), dtype=float))):
        x, y = (np.asarray(values, dtype=float) for values in line.get_data())
        peak = int(np.nanargmax(y))
        label = ax.annotate(
            str(line.get_label()),
            (float(x[peak]), float(y[peak])),
            xytext=(0, GAP),
            textcoords="offset points",
            ha=side_of(ax, float(x[peak])),
            va="bottom",
            color=line.get_color(),
            fontsize=9,
            zorder=50,
            path_effects=[withStroke(linewidth=2.5, foreground="white")],
        )
        label.set_in_layout(False)
        _raise_above(label, taken, figure.dpi)
        taken.append(label.get_window_extent())


def side_of(ax: Axes, x: float, near: float = 0.12) -> str:
    """A label near an edge extends away from it.   near : part of the axis' width."""
    first, last = ax.get_xlim()
    place = (x - first) / (last - first)
    return "left" if place < near else "right" if place > 1 - near else "center"


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
