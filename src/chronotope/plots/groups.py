"""Plots of the prevalence of topics in groups of documents: small multiples, and the contrast of two groups."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chronotope._typing import Floats
from chronotope.plots.axes import dress_time_axis, new_axes, new_figure, percent_axis, plain
from chronotope.plots.share_table import SHOWN, check_shares, chosen_topics, draw_line, shares_by, topic_label
from chronotope.plots.trajectories import COLOURS, DASHES

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

WIDTH, HEIGHT = 3.4, 2.3  # inches per panel
TITLE, LABEL = 46, 30  # characters of a line of a panel's title, and of a group's name
NAMED = 5  # groups without a line that are named
SMALL = 8  # font size of ticks, legend and note


def plot_groups(
    shares: pd.DataFrame, topics: Sequence[int] | None = None, *, names: Sequence[str] | None = None
) -> NDArray[np.object_]:
    """Prevalence of topics in groups of documents: one panel per topic, one line per group; see `plot_shares`.

    Returns the axes, one per topic.
    """
    check_shares(shares)
    chosen, groups = chosen_topics(shares, topics), _largest(shares)
    panels = _panels(len(chosen))
    for ax, k in zip(panels, chosen, strict=True):
        table = shares_by(shares[shares["topic"] == k], "group")
        for i, group in enumerate(groups):
            style, colour = DASHES[i % len(DASHES)], COLOURS[i]
            draw_line(ax, table.index.to_numpy(), table[group].to_numpy(), style, colour, _short(group))
        ax.set_title(textwrap.fill(topic_label(k, names), TITLE), loc="left", fontsize=9)
    _dress(panels, "date" in shares)
    left_out = [group for group in dict.fromkeys(shares["group"]) if group not in groups]
    _explain(panels[0], groups, left_out)
    return panels


def plot_contrast(
    shares: pd.DataFrame,
    topic: int,
    first: str,
    second: str,
    *,
    names: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Difference of the prevalences of a topic in two groups over time, above zero where the first group has more.

        difference(p) = share_k(p, first) − share_k(p, second)        in percentage points

    A period without words in either group is a gap. No bands are drawn: the table holds no uncertainties, and where
    a group has few tokens, a difference may be chance.

    shares : DataFrame, as `analysis.topic_shares` returns it with `by`
    topic : int, number of the topic
    first, second : str, names of the groups
    names : sequence of str or None, default None, names of all topics, as `analysis.topic_names` returns them; None for
        their numbers
    ax : matplotlib Axes or None, default None, axes to draw on; None for those of a new figure

    Returns the axes.
    """
    times, difference = _difference(shares, topic, first, second)
    ax = new_axes() if ax is None else ax
    ax.plot(times[[0, -1]], [0.0, 0.0], color="0.5", linewidth=1)  # over all periods, also those without words
    ax.fill_between(times, 0.0, difference, color=COLOURS[0], alpha=0.15, linewidth=0)
    draw_line(ax, times, difference, "-", COLOURS[0], topic_label(topic, names))
    _dress_contrast(ax, float(np.nanmax(np.abs(difference))), (_short(first), _short(second)), "date" in shares)
    ax.set_title(topic_label(topic, names), loc="left", fontsize=10)
    return ax


def _largest(shares: pd.DataFrame) -> list[str]:
    """The groups with most tokens, at most seven and none without any, in the order of the table."""
    tokens = shares.groupby("group", sort=False)["tokens"].sum()
    largest = set(tokens[tokens > 0].nlargest(SHOWN).index)
    return [group for group in tokens.index if group in largest]


def _panels(n: int) -> NDArray[np.object_]:
    """Axes of a new figure in rows of at most three, on one time axis and one probability axis; the rest is empty."""
    columns = n if n <= 3 else 2 if n == 4 else 3
    rows = -(-n // columns)
    size = (7.0, 4.2) if n == 1 else (WIDTH * columns, HEIGHT * rows + 1.2)
    grid = new_figure(*size).subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
    for ax in grid[n:]:
        ax.remove()
    for ax in grid[max(n - columns, 0) : n]:  # also above an empty place
        ax.tick_params(labelbottom=True)
    panels: NDArray[np.object_] = grid[:n]
    return panels


def _dress(panels: NDArray[np.object_], calendar: bool) -> None:
    from matplotlib.ticker import MaxNLocator

    columns = panels[0].get_gridspec().ncols
    for i, ax in enumerate(panels):
        dress_time_axis(ax, calendar)
        if i + columns < len(panels):
            ax.set_xlabel("")
        ax.grid(axis="y", color="0.92", linewidth=0.8)
        ax.tick_params(labelsize=SMALL)
    first = panels[0]
    first.xaxis.set_major_locator(MaxNLocator(4 if len(panels) > 1 else 6))
    first.set_ylim(0, 1.1 * max(float(np.nanmax(line.get_ydata())) for ax in panels for line in ax.get_lines()))
    percent_axis(first.yaxis)
    first.figure.supylabel("prevalence in the group", fontsize=10)


def _explain(ax: Axes, groups: Sequence[str], left_out: Sequence[str]) -> None:
    """The legend of the groups above the panels, and under them a note on the groups that have no line."""
    figure: Any = ax.figure
    columns = 4 if figure.get_figwidth() > 3 * WIDTH - 1 else 3
    legend = figure.legend(
        handles=ax.get_lines(), loc="outside upper left", ncols=columns, frameon=False, fontsize=SMALL
    )
    for line in legend.legend_handles:
        line.set_marker("")  # lone values only are points
    if left_out:
        more = f" and {len(left_out) - NAMED:,} more" if len(left_out) > NAMED else ""
        which = ", ".join(_short(group) for group in left_out[:NAMED])
        note = (
            f"{len(groups)} of {len(groups) + len(left_out):,} groups, those with most tokens; without: {which}{more}"
        )
        figure.supxlabel(textwrap.fill(note, int(14 * figure.get_figwidth())), x=0.01, ha="left", fontsize=SMALL)


def _short(group: str) -> str:
    """The name of a group, cut if it is long."""
    text = str(group)
    return plain(text if len(text) <= LABEL else f"{text[: LABEL - 1]}…")


def _difference(shares: pd.DataFrame, topic: int, first: str, second: str) -> tuple[Floats, Floats]:
    """Times (P,) and differences of the prevalences (P,), NaN where a group has no words."""
    check_shares(shares)
    if "group" not in shares:
        raise ValueError("the table has no groups; pass the table of analysis.topic_shares(model, corpus, by=...).")
    table = shares_by(shares[shares["topic"] == chosen_topics(shares, [topic])[0]], "group")
    unknown = [group for group in (first, second) if group not in table]
    if unknown:
        found = ", ".join(repr(group) for group in table.columns[:SHOWN])
        raise ValueError(f"{unknown[0]!r} is not a group of the table; its groups are {found}.")
    difference: Floats = (table[first] - table[second]).to_numpy()
    if not np.isfinite(difference).any():
        raise ValueError(f"{first!r} and {second!r} have words in no common period; pass longer periods.")
    return table.index.to_numpy(dtype=np.float64), difference


def _dress_contrast(ax: Axes, largest: float, groups: tuple[str, str], calendar: bool) -> None:
    """Zero in the middle, percentage points, and on each side of zero the group that has more there."""
    from matplotlib.ticker import FuncFormatter

    dress_time_axis(ax, calendar)
    limit = 1.25 * max(largest, 1e-3)
    ax.set_ylim(-limit, limit)
    ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{100 * y:+.3g}" if y else "0"))
    ax.set_ylabel("difference of prevalence (percentage points)")
    for height, edge, group in ((0.98, "top", groups[0]), (0.02, "bottom", groups[1])):
        ax.text(0.01, height, f"more in {group}", transform=ax.transAxes, va=edge, color="0.3", fontsize=9)
