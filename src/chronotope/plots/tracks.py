"""Plots of two groups in a topic: the words that set them apart, and how far they are apart over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from chronotope.dates.decimal import cut_date, format_time, parse_times
from chronotope.plots.axes import dress_time_axis, new_axes, plain, side_of
from chronotope.plots.trajectories import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from chronotope.model import DynamicTopicModel
    from chronotope.topics import Topics

N_WORDS = 12
ROW = 0.21  # inches per word
SURE = 0.9  # probability from which a word is of one side
MARKED = 0.5  # probability from which a parting is drawn
SMALLEST = 0.02  # bits, least height of the axis


def plot_word_contrast(
    model: DynamicTopicModel | Topics,
    topic: int,
    a: str | int,
    b: str | int,
    time: Any = None,
    *,
    n: int = N_WORDS,
    level: float = 0.9,
    ax: Axes | None = None,
) -> Axes:
    """Words that set two groups apart in a topic, with the intervals of their ratios; those of a on top.

    Filled marks are words that are of one side with a probability of 0.9 or more.

    model : DynamicTopicModel or Topics, fitted with groups or places
    topic : int, number of the topic
    a, b : names or numbers of two groups or places
    time : number or date, default None; None for the average over the time with text of both groups
    n : int, default 12; maximum number of words of each side
    level : float, default 0.9; posterior probability of the intervals
    ax : matplotlib Axes or None, default None, axes to draw on; None for those of a new figure

    Returns the axes.
    """
    from chronotope.analysis import contrast

    table = contrast(model, topic, a, b, time, n, level=level)
    one = table["ratio"] > 1
    table = table.iloc[np.concatenate([np.flatnonzero(one), np.flatnonzero(~one)[::-1]])]  # the strongest at the ends
    ax = new_axes(6.4, 1.4 + ROW * max(len(table), 4)) if ax is None else ax
    values = table[["ratio", "low", "high", "probability"]].to_numpy(dtype=np.float64)
    for row, (ratio, low, high, probability) in enumerate(values):
        colour, sure = COLOURS[0 if ratio > 1 else 1], max(probability, 1 - probability) >= SURE
        ax.plot([low, high], [row, row], color=colour, linewidth=2, solid_capstyle="butt")
        ax.plot(ratio, row, "o", color=colour, markersize=5, markerfacecolor=colour if sure else "white")
    ax.axvline(1.0, color="0.5", linewidth=1)
    ax.set_yticks(range(len(table)), [plain(str(word)) for word in table["word"]], fontsize=9)
    ax.set_ylim(len(table) - 0.4, -0.6)
    _ratio_axis(ax, float(table["low"].min()), float(table["high"].max()))
    first, second = (_name(model, group) for group in (a, b))
    ax.set_xlabel(f"← more in {second}      ratio of probabilities      more in {first} →")
    at = "" if time is None else f", {_written(model, float(parse_times([time]).values[0]))}"
    ax.set_title(_title(model, topic) + at, loc="left", fontsize=10)
    return ax


def plot_divergence(
    model: DynamicTopicModel | Topics,
    topic: int,
    a: str | int,
    b: str | int,
    *,
    times: Any = None,
    level: float = 0.9,
    ax: Axes | None = None,
) -> Axes:
    """How far two groups are apart in a topic over time, with a band, and when they parted with its interval.

    The parting is drawn if its probability is a half or more.

    model, topic, a, b : as in `plot_word_contrast`
    times : list of numbers or dates, default None; as in `analysis.divergence`
    level : float, default 0.9; posterior probability of the band, and of the interval of the parting
    ax : matplotlib Axes or None, default None, axes to draw on; None for those of a new figure

    Returns the axes.
    """
    from chronotope.analysis import divergence, parting

    curve = divergence(model, topic, a, b, times, level=level)
    when = parting(model, topic, a, b, level=level).iloc[0]
    ax = new_axes() if ax is None else ax
    at, mean, low, high = curve[["time", "divergence", "low", "high"]].to_numpy(dtype=np.float64).T
    ax.fill_between(at, low, high, color=COLOURS[0], alpha=0.15, linewidth=0)
    ax.plot(at, mean, color=COLOURS[0], linewidth=1.7)
    dress_time_axis(ax, "date" in curve)
    ax.set_ylim(0.0, max(1.15 * float(high.max()), SMALLEST))
    ax.set_ylabel("divergence (bits)")
    ax.grid(axis="y", color="0.92", linewidth=0.8)
    first, second = (_name(model, group) for group in (a, b))
    ax.set_title(f"{_title(model, topic)}: {first} and {second}", loc="left", fontsize=10)
    if when.probability >= MARKED:
        ax.axvspan(when.low_time, when.high_time, color=COLOURS[1], alpha=0.12, linewidth=0)
        ax.axvline(when.time, color=COLOURS[1], linewidth=1.3)
        ax.annotate(
            f"parted {_written(model, float(when.time))} (P = {when.probability:.2f})",
            (when.time, ax.get_ylim()[1]),
            xytext=(0, -4),
            textcoords="offset points",
            ha=side_of(ax, float(when.time), 0.3),
            va="top",
            fontsize=9,
            color=COLOURS[1],
        )
    return ax


def _ratio_axis(ax: Axes, low: float, high: float) -> None:
    """A logarithmic axis as long to both sides, with factors as labels."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    limit = 1.1 * max(high, 1.0 / low, 1.5)
    ax.set_xscale("log")
    ax.set_xlim(1.0 / limit, limit)
    steps = [x for x in (2, 5, 10, 100, 1_000, 10_000) if x < limit]
    ax.xaxis.set_major_locator(FixedLocator([*(1.0 / x for x in steps[::-1]), 1.0, *steps]))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}×" if x >= 1 else f"1/{1 / x:.0f}"))
    ax.grid(axis="x", color="0.92", linewidth=0.8)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def _title(model: DynamicTopicModel | Topics, topic: int) -> str:
    """The name of a topic."""
    from chronotope.analysis import topic_names

    return plain(topic_names(model)[topic])


def _name(model: DynamicTopicModel | Topics, group: str | int) -> str:
    """The name of a group or place."""
    from chronotope.analysis.words import topics_of

    topics = topics_of(model)
    return plain(topics.groups[topics.track(group)])


def _written(model: DynamicTopicModel | Topics, time: float) -> str:
    """A time as people write it, no finer than the time grid."""
    from chronotope.analysis.words import topics_of

    topics = topics_of(model)
    written = format_time(time, topics.calendar)
    return cut_date(written, topics.resolution) if topics.calendar else written
