"""Plots of the prevalence of topics over time, their share of the text: as lines, and as a river."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from chronotope._typing import Floats
from chronotope.plots.axes import dress_time_axis, label_peaks, new_axes, percent_axis, plain
from chronotope.plots.trajectories import COLOURS, DASHES

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


SHOWN = len(COLOURS)  # topics drawn by default
OTHER = "0.85"
THIN = 0.035  # of the river's width: narrower bands are not labelled


def plot_shares(
    shares: pd.DataFrame,
    topics: Sequence[int] | None = None,
    *,
    names: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Prevalence of topics over time as lines, each with its name at its peak; a period without words is a gap.

    shares : DataFrame, as `analysis.topic_shares` returns it
    topics : sequence of int or None, default None, numbers of the topics to draw; None for the seven most prevalent
    names : sequence of str or None, default None, names of all topics, as `analysis.topic_names` returns them; None for
        their numbers
    ax : matplotlib Axes or None, default None, axes to draw on; None for those of a new figure

    Returns the axes.
    """
    ax = new_axes() if ax is None else ax
    times, share = _by_topic(shares)
    for i, k in enumerate(_chosen(shares, topics)):
        style = DASHES[i // len(COLOURS) % len(DASHES)]
        marker = "o" if np.isfinite(share[:, k]).sum() <= 2 else ""
        colour = COLOURS[i % len(COLOURS)]
        ax.plot(times, share[:, k], style, marker=marker, color=colour, linewidth=1.7, label=_name(k, names))
    dress_time_axis(ax, "date" in shares)
    ax.grid(axis="y", color="0.92", linewidth=0.8)
    ax.set_ylim(0, 1.2 * max(float(np.nanmax(line.get_ydata())) for line in ax.get_lines()))
    percent_axis(ax.yaxis)
    ax.set_ylabel("prevalence (share of the tokens)")
    label_peaks(ax)
    return ax


def plot_river(
    shares: pd.DataFrame,
    topics: Sequence[int] | None = None,
    *,
    names: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Prevalence of topics as bands of a river around its middle, with all other topics in grey outside them.

    The width of the river is the whole text at any time; a period without words is a gap.

    shares : DataFrame, as `analysis.topic_shares` returns it
    topics : sequence of int or None, default None, numbers of the topics to draw; None for the seven most prevalent
    names : sequence of str or None, default None, names of all topics, as `analysis.topic_names` returns them; None for
        their numbers
    ax : matplotlib Axes or None, default None, axes to draw on; None for those of a new figure

    Returns the axes.
    """
    ax = new_axes() if ax is None else ax
    times, share = _by_topic(shares)
    chosen = _chosen(shares, topics)
    bands = share[:, chosen]
    other = (share.sum(axis=1) - bands.sum(axis=1)) / 2
    edges = np.cumsum(np.column_stack([other - 0.5, bands]), axis=1)  # (P, chosen + 1), from the lowest up
    half = np.full(len(times), 0.5) + 0 * other
    for low, high in ((-half, edges[:, 0]), (edges[:, -1], half)):
        ax.fill_between(times, low, high, color=OTHER, linewidth=0)
    for i, k in enumerate(chosen):
        colour = COLOURS[i % len(COLOURS)]
        ax.fill_between(
            times,
            edges[:, i],
            edges[:, i + 1],
            facecolor=colour,
            edgecolor="white",
            linewidth=0.8,
            label=_name(k, names),
        )
        _name_band(ax, times, edges[:, i], edges[:, i + 1], _name(k, names))
    dress_time_axis(ax, "date" in shares)
    ax.set_ylim(-0.52, 0.52)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    ax.set_ylabel("prevalence (share of the tokens); grey: other topics")
    return ax


def _by_topic(shares: pd.DataFrame) -> tuple[Floats, Floats]:
    """Times (P,) and shares (P, K) of the table."""
    missing = [name for name in ("time", "topic", "share", "tokens") if name not in shares]
    if missing or not len(shares):
        raise ValueError(f"the table has no {', '.join(missing) or 'rows'}; pass the table of analysis.topic_shares.")
    table = shares.pivot(index="time", columns="topic", values="share").sort_index()
    if not np.isfinite(table.to_numpy()).any():
        raise ValueError("no period of the table has words; pass shares of documents with words.")
    return table.index.to_numpy(dtype=np.float64), table.to_numpy(dtype=np.float64)


def _chosen(shares: pd.DataFrame, topics: Sequence[int] | None) -> list[int]:
    """The topics given, or those with most tokens in total, in order of their numbers."""
    tokens = (shares["share"] * shares["tokens"]).groupby(shares["topic"]).sum()
    if topics is None:
        return sorted(int(k) for k in tokens.nlargest(SHOWN).index)
    unknown = [k for k in topics if k not in tokens.index]
    if unknown or not len(topics):
        raise ValueError(f"topics is {list(topics)!r}; expected numbers from 0 to {len(tokens) - 1}.")
    return [int(k) for k in topics]


def _name(k: int, names: Sequence[str] | None) -> str:
    return plain(f"topic {k}" if names is None else names[k])


def _name_band(ax: Axes, times: Floats, low: Floats, high: Floats, name: str) -> None:
    """The name at the widest place of the band, if it is wide enough there."""
    from matplotlib.patheffects import withStroke

    width = np.nan_to_num(high - low)
    at = int(np.argmax(width))
    if width[at] < THIN:
        return
    place = (times[at] - times[0]) / max(times[-1] - times[0], np.finfo(float).tiny)
    side = "left" if place < 0.15 else "right" if place > 0.85 else "center"
    outline = [withStroke(linewidth=2.5, foreground="white")]
    middle = 0.5 * (low[at] + high[at])
    ax.text(times[at], middle, name, ha=side, va="center", fontsize=9, path_effects=outline)
