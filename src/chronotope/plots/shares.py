"""Plots of the prevalence of topics over time, their share of the text: as lines, with a forecast, and as a river."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from chronotope._typing import Floats
from chronotope.plots.axes import dress_time_axis, label_peaks, new_axes, percent_axis, side_of
from chronotope.plots.groups import plot_groups
from chronotope.plots.share_table import check_shares, chosen_topics, draw_line, shares_by, topic_label
from chronotope.plots.trajectories import COLOURS, DASHES

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


OTHER = "0.85"
THIN = 0.035  # of the river's width: narrower bands are not labelled


def plot_shares(
    shares: pd.DataFrame,
    topics: Sequence[int] | None = None,
    *,
    names: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Any:
    """Prevalence of topics over time as lines, each with its name at its peak; a period without words is a gap.

    A table with groups is drawn as small multiples: one panel per topic, one line per group, on the same axes. At most
    seven groups are drawn, those with most tokens; a note in the figure names others.

    shares : DataFrame, as `analysis.topic_shares` returns it, with or without `by`
    topics : sequence of int or None, default None, numbers of the topics to draw; None for the seven most prevalent
    names : sequence of str or None, default None, names of all topics, as `analysis.topic_names` returns them; None for
        their numbers
    ax : matplotlib Axes or None, default None, axes to draw on; None for those of a new figure; not with groups

    Returns the axes; with groups an array of axes, one per topic.
    """
    if "group" in shares:
        if ax is not None:
            raise ValueError("the table has groups, which have a panel per topic; remove ax.")
        return plot_groups(shares, topics, names=names)
    ax = new_axes() if ax is None else ax
    check_shares(shares)
    table = shares_by(shares, "topic")
    for i, k in enumerate(chosen_topics(shares, topics)):
        style, colour = DASHES[i // len(COLOURS) % len(DASHES)], COLOURS[i % len(COLOURS)]
        draw_line(ax, table.index.to_numpy(), table[k].to_numpy(), style, colour, topic_label(k, names))
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
    check_shares(shares)
    _check_one_group(shares)
    ax = new_axes() if ax is None else ax
    table = shares_by(shares, "topic")
    times, share = table.index.to_numpy(dtype=np.float64), table.to_numpy()
    chosen = chosen_topics(shares, topics)
    bands = table[chosen].to_numpy()
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
            label=topic_label(k, names),
        )
    dress_time_axis(ax, "date" in shares)
    ax.set_ylim(-0.52, 0.52)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    ax.set_ylabel("prevalence (share of the tokens); grey: other topics")
    _name_bands(ax, times, edges, [topic_label(k, names) for k in chosen])
    return ax


def _check_one_group(shares: pd.DataFrame) -> None:
    """A river is all the text, of all documents or of one group."""
    if "group" in shares and shares["group"].nunique() > 1:
        raise ValueError(
            f"the table has {shares['group'].nunique():,} groups, and a river is of one; pass the rows of one group, "
            'shares[shares["group"] == ...].'
        )


def _name_bands(ax: Axes, times: Floats, edges: Floats, names: Sequence[str]) -> None:
    """The name of each band where it is widest and covers no other name; bands that are narrow everywhere have none."""
    figure: Any = ax.get_figure(root=True)
    figure.draw_without_rendering()  # computes the layout, so that positions are known
    widths = np.nan_to_num(np.diff(edges, axis=1))  # (P, bands)
    taken: list[Any] = []
    for band in np.argsort(-widths.max(axis=0), kind="stable"):
        width, middle = widths[:, band], 0.5 * (edges[:, band] + edges[:, band + 1])
        wide = [at for at in np.argsort(-width, kind="stable") if width[at] >= THIN]
        if wide:
            label = _band_label(ax, names[band])
            _put_where_free(label, [(float(times[at]), float(middle[at])) for at in wide], taken)
            taken.append(label.get_window_extent())


def _band_label(ax: Axes, name: str) -> Any:
    from matplotlib.patheffects import withStroke

    outline = [withStroke(linewidth=2.5, foreground="white")]
    return ax.text(0.0, 0.0, name, va="center", fontsize=9, path_effects=outline)


def _put_where_free(label: Any, places: Sequence[tuple[float, float]], taken: Sequence[Any]) -> None:
    """Put a label at the first place where it covers no other, or at the first of all if there is none."""
    for place in [*places, places[0]]:
        label.set_position(place)
        label.set_ha(side_of(label.axes, place[0], near=0.16))
        if not any(label.get_window_extent().overlaps(other) for other in taken):
            return
