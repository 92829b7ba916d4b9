"""Plots of forecasts of prevalence: the past as lines, the coming periods with their bands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from chronotope.plots.axes import dress_time_axis, label_peaks, new_axes, percent_axis
from chronotope.plots.share_table import check_shares, chosen_topics, draw_line, shares_by, topic_label
from chronotope.plots.trajectories import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHOWN = 3  # topics by default: more bands would hide each other
MARGIN = 0.02  # on both sides, of the width
COLUMNS = ("time", "topic", "share", "low", "high")


def plot_share_forecast(
    shares: pd.DataFrame,
    forecast: pd.DataFrame,
    topics: Sequence[int] | None = None,
    *,
    names: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Prevalence of topics in the past as lines, and in the coming periods as dashed lines with bands.

    shares : DataFrame, as `analysis.topic_shares` returns it, of the same periods as the forecast
    forecast : DataFrame, as `analysis.forecast_shares` returns it
    topics : sequence of int or None, default None, numbers of the topics to draw; None for the three most prevalent
    names : sequence of str or None, default None, names of all topics, as `analysis.topic_names` returns them; None for
        their numbers
    ax : matplotlib Axes or None, default None, axes to draw on; None for those of a new figure

    Returns the axes.
    """
    _check(shares, forecast)
    ax = new_axes() if ax is None else ax
    past, drawn = shares_by(shares, "topic"), chosen_topics(shares, topics, SHOWN)
    coming = {k: forecast[forecast["topic"] == k].sort_values("time") for k in drawn}
    colours = {k: COLOURS[i % len(COLOURS)] for i, k in enumerate(drawn)}
    for k in drawn:
        draw_line(ax, past.index.to_numpy(), past[k].to_numpy(), "-", colours[k], topic_label(k, names))
    _set_axes(ax, past[drawn], pd.concat(coming.values()), "date" in shares)
    label_peaks(ax)
    ax.axvline(_start(shares, forecast), color="0.6", linewidth=0.8, linestyle=":", zorder=1)
    for k in drawn:
        _draw_forecast(ax, past[k].dropna(), coming[k], colours[k])
    return ax


def _set_axes(ax: Axes, past: pd.DataFrame, coming: pd.DataFrame, calendar: bool) -> None:
    """Limits that hold the past and the bands, so that labels find their places; the forecast is drawn after them."""
    dress_time_axis(ax, calendar)
    first, last = float(past.index.min()), float(coming["time"].max())
    ax.set_xlim(first - MARGIN * (last - first), last + MARGIN * (last - first))
    ax.set_ylim(0, 1.2 * max(float(np.nanmax(past.to_numpy())), float(coming["high"].max())))
    ax.grid(axis="y", color="0.92", linewidth=0.8)
    percent_axis(ax.yaxis)
    ax.set_ylabel("prevalence (share of the tokens)")


def _draw_forecast(ax: Axes, past: pd.Series[float], coming: pd.DataFrame, colour: str) -> None:
    """The band of a topic, and its line from the last share of the past on."""
    time, low, share, high = (coming[name].to_numpy() for name in ("time", "low", "share", "high"))
    if len(time) == 1:  # a bar, since a band would have no area
        ax.vlines(time, low, high, color=colour, alpha=0.3, linewidth=5)
    ax.fill_between(time, low, high, color=colour, alpha=0.15, linewidth=0)
    x, y = np.append(past.index.to_numpy()[-1:], time), np.append(past.to_numpy()[-1:], share)
    ax.plot(x, y, "--", color=colour, linewidth=1.7)


def _start(shares: pd.DataFrame, forecast: pd.DataFrame) -> float:
    """Where the forecast begins: half-way between the last time of the past and its first."""
    return 0.5 * (float(shares["time"].max()) + float(forecast["time"].min()))


def _check(shares: pd.DataFrame, forecast: pd.DataFrame) -> None:
    """Refuse tables that are not of shares and of their forecast."""
    check_shares(shares)
    missing = [name for name in COLUMNS if name not in forecast]
    if missing or not len(forecast):
        what = ", ".join(missing) or "rows"
        raise ValueError(f"the forecast has no {what}; pass the table of analysis.forecast_shares.")
    if "group" in shares:
        raise ValueError("the table of shares has groups, and a forecast is of all documents; pass shares without by.")
    unknown = set(shares["topic"]) ^ set(forecast["topic"])
    if unknown:
        raise ValueError(f"topics {sorted(unknown)} are in one of the tables only; pass tables of the same model.")
