"""Plots of the prevalence that a model has learned, with bands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from chronotope.plots.axes import dress_time_axis, label_peaks, new_axes, percent_axis, plain
from chronotope.plots.share_table import SHOWN, topic_label
from chronotope.plots.trajectories import COLOURS, DASHES

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from chronotope.model.curves import Prevalence

HEADROOM = 1.3  # height of the axis relative to the highest median; wider bands are clipped


def plot_prevalence(
    prevalence: Prevalence,
    topic: int,
    groups: Sequence[str] | None = None,
    *,
    times: Any = None,
    level: float = 0.9,
    names: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Prevalence of a topic over time with its band, as the model has learned it: one curve for each group.

    prevalence : Prevalence, of a fitted model (`model.prevalence_`)
    topic : int, number of the topic
    groups : sequence of str or None, default None, names of at most seven groups; None for all of them, and for the one
        curve of a model without groups; empty for what all groups share
    times : numbers or dates (T,), or None, default None, where to evaluate; None for 50 from first to last
    level : float, default 0.9, posterior probability of the bands
    names : sequence of str or None, default None, names of all topics, as `analysis.topic_names` returns them; None for
        their numbers
    ax : matplotlib Axes or None, default None, axes to draw on; None for those of a new figure

    Returns the axes.
    """
    drawn = drawn_groups(prevalence, groups)
    if not 0 <= topic < prevalence.n_topics:
        raise ValueError(f"topic is {topic!r}; expected a number from 0 to {prevalence.n_topics - 1}.")
    table = prevalence.curves(times, drawn or None, level)
    table = table[table["topic"] == topic].sort_values("time")
    ax = new_axes() if ax is None else ax
    for i, group in enumerate(drawn):
        _draw_curve(ax, table[table["group"] == group], i, plain(str(group)))
    if not drawn:
        _draw_curve(ax, table, 0, "")
    _dress(ax, float(table["share"].max()), prevalence.calendar)
    ax.set_title(topic_label(topic, names), loc="left", fontsize=10)
    if drawn:
        label_peaks(ax)
    return ax


def drawn_groups(prevalence: Prevalence, groups: Sequence[str] | None) -> list[str]:
    """The groups to draw, all if None is given; refuses more than a figure can show."""
    drawn = list(prevalence.groups if groups is None else groups)
    if len(drawn) > SHOWN:
        raise ValueError(
            f"there are {len(drawn):,} groups, and a figure shows at most {SHOWN}; pass groups= with those to draw."
        )
    return drawn


def _draw_curve(ax: Axes, curve: pd.DataFrame, i: int, label: str) -> None:
    """The i-th curve and its band."""
    time, share, low, high = curve[["time", "share", "low", "high"]].to_numpy(dtype=np.float64).T
    colour = COLOURS[i]
    ax.fill_between(time, low, high, color=colour, alpha=0.13, linewidth=0)
    ax.plot(time, share, DASHES[i % len(DASHES)], color=colour, linewidth=1.7, label=label)


def _dress(ax: Axes, highest: float, calendar: bool) -> None:
    dress_time_axis(ax, calendar)
    ax.set_ylim(0, HEADROOM * highest)
    ax.grid(axis="y", color="0.92", linewidth=0.8)
    percent_axis(ax.yaxis)
    ax.set_ylabel("prevalence (share of the text)")
