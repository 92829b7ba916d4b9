"""Axes that all pictures over time share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chronotope.times import format_time

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def new_axes(width: float = 7.0, height: float = 4.2) -> Axes:
    """Axes of a figure that needs neither a display nor a backend; inches."""
    return new_figure(width, height).subplots()  # type: ignore[no-any-return]


def new_figure(width: float, height: float) -> Any:
    """A figure that needs neither a display nor a backend; inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), dpi=110, layout="constrained")


def dress_time_axis(ax: Axes, calendar: bool) -> None:
    """Dates as people write them, and no more ink than that needs."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(6))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: _time_text(ax, x, calendar)))
    ax.set_xlabel("year" if calendar else "time")
    ax.margins(x=0.02)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def percent_axis(axis: Any) -> None:
    """Shares and probabilities in percent."""
    from matplotlib.ticker import FuncFormatter

    axis.set_major_formatter(FuncFormatter(lambda y, _: f"{100 * y:.3g}%"))


def _time_text(ax: Axes, x: float, calendar: bool) -> str:
    """A year where ticks are whole years, else the date to the month or the day; a plain number without calendar."""
    if not calendar:
        return f"{x:.10g}"
    first, last = ax.get_xlim()
    if last - first >= 5:
        return f"{x:.0f}"
    return format_time(x, calendar)[: 7 if last - first >= 0.5 else 10]
