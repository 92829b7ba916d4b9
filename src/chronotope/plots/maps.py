"""Maps of a word in a topic, or of a topic, by place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from chronotope._typing import Floats, Mask
from chronotope.plots.axes import new_axes, plain
from chronotope.plots.coastline import beside, lines_around, middle_longitude

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from chronotope.model import DynamicTopicModel
    from chronotope.topics import Topics

LINES = {"coast": ("0.45", 0.8), "borders": ("0.6", 0.6), "states": ("0.8", 0.5)}  # colour and width
MARGIN, LEAST = 0.08, 2.0  # of the map around the cells: part of their extent, and degrees
AREA = 420.0  # of the largest circle, in square points
KEPT, SMALLER = (
    0.99,
    0.5,
)  # part of the tokens that has to be on the map, if it is smaller by this for leaving out others
NAMED = 3  # cells that are outside and named
FACTOR = 4.0  # maximum ratio that has a colour of its own
FLATTEST = 80.0  # degrees, latitude beyond which a map is not stretched further


def plot_map(
    model: DynamicTopicModel | Topics,
    topic: int,
    word: str | int | None = None,
    time: Any = None,
    level: float = 0.9,
    *,
    ax: Axes | None = None,
) -> Axes:
    """A word in a topic by place, or a topic: one circle per cell of documents, over coastlines and borders.

        colour = π_v(τ, s) / π_v(τ),   of a topic its share of the tokens of the cell over that of all cells

    The area of a circle is proportional to the tokens of the cell; far cells with next to none are left out, and named.
    A circle has a black edge if the band of the word's probability does not hold that of all places. Longitudes are
    drawn at the scale of the middle latitude.

    model : DynamicTopicModel or Topics, fitted with a kernel such as "constant + ou + space"
    topic : int, number of the topic
    word : str, int or None, default None; a word; None for the share of the topic
    time : number or date, default None for the time by which half of the topic's tokens are written
    level : float, default 0.9; posterior probability of the bands
    ax : matplotlib Axes or None, default None, axes to draw on; None for those of a new figure

    Returns the axes.
    """
    from chronotope.analysis.places import topic_map, word_map

    if word is None and time is not None:
        raise ValueError("time is for a word, but no word was given; pass one, or remove time.")
    table = topic_map(model, topic) if word is None else word_map(model, topic, word, time, level)
    inside = _inside(table)
    middle = middle_longitude(table["longitude"][inside].to_numpy())
    low, high = _extent(table[inside], middle)
    stretch = _stretch(low[1], high[1])
    ax = new_axes(*_size((high - low) / [stretch, 1.0])) if ax is None else ax
    _draw_lines(ax, middle)
    _draw_cells(ax, table, middle, "share of the topic" if word is None else "probability")
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])
    ax.set_aspect(stretch)
    _dress(ax, middle)
    lon, lat = beside(table["longitude"].to_numpy(), middle), table["latitude"].to_numpy()
    outside = (lon < low[0]) | (lon > high[0]) | (lat < low[1]) | (lat > high[1])
    _name_outside(ax, table["name"][outside].tolist())
    ax.set_title(_title(model, topic, word, time), loc="left", fontsize=10)
    return ax


def _inside(table: pd.DataFrame) -> Mask:
    """Which cells are on the map: all, or those with nearly all tokens if the others are far away."""
    tokens, lat = table["tokens"].to_numpy(), table["latitude"].to_numpy()
    middle = middle_longitude(table["longitude"].to_numpy())
    at = np.column_stack([beside(table["longitude"].to_numpy(), middle), lat])
    order = np.argsort(((at - np.average(at, axis=0, weights=tokens + 1e-9)) ** 2).sum(axis=1))
    kept = int(np.searchsorted(tokens[order].cumsum(), KEPT * tokens.sum())) + 1
    inside = np.zeros(len(table), bool)
    inside[order[:kept]] = True
    whole, part = (np.prod(np.ptp(some, axis=0) + 2 * LEAST) for some in (at, at[inside]))
    return inside if part < SMALLER * whole else np.ones(len(table), bool)


def _name_outside(ax: Axes, names: list[str]) -> None:
    """Say under the map which cells are not on it."""
    if names:
        more = f" and {len(names) - NAMED} more" * (len(names) > NAMED)
        ax.set_xlabel(f"outside: {', '.join(names[:NAMED])}{more}", fontsize=8, loc="left", color="0.4")


def _extent(table: pd.DataFrame, middle: float) -> tuple[Floats, Floats]:
    """Corners of the map, longitude relative to the middle one, and latitude."""
    at = np.column_stack([beside(table["longitude"].to_numpy(), middle), table["latitude"]])
    margin = np.maximum(MARGIN * np.ptp(at, axis=0), LEAST)
    low, high = at.min(axis=0) - margin, at.max(axis=0) + margin
    return np.maximum(low, [-180.0, -90.0]), np.minimum(high, [180.0, 90.0])


def _stretch(low: float, high: float) -> float:
    """Length of a degree of latitude over that of longitude at the middle latitude."""
    return float(1.0 / np.cos(np.radians(min(abs(0.5 * (low + high)), FLATTEST))))


def _size(extent: Floats) -> tuple[float, float]:
    """Inches of a figure for a map of this extent, with a colour bar beside it."""
    height = float(np.clip(6.2 * extent[1] / extent[0], 2.2, 7.0))
    return float(np.clip(height * extent[0] / extent[1], 3.0, 6.2)) + 1.3, height + 0.6


def _draw_lines(ax: Axes, middle: float) -> None:
    from matplotlib.collections import LineCollection

    for kind, (colour, width) in LINES.items():
        drawn = LineCollection(lines_around(kind, middle), colors=colour, linewidths=width, zorder=1)
        ax.add_collection(drawn, autolim=False)


def _draw_cells(ax: Axes, table: pd.DataFrame, middle: float, what: str) -> None:
    """Circles of the cells, and the bar of their colours."""
    from matplotlib.colors import LogNorm
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    tokens = table["tokens"].to_numpy()
    part = tokens / max(tokens.max(initial=0.0), np.finfo(float).tiny)
    ratio = np.clip(table["ratio"].to_numpy(), 1 / FACTOR, FACTOR)
    overall = table["mean"] / table["ratio"] if "mean" in table else None
    apart = np.zeros(len(table), bool) if overall is None else ~overall.between(table["low"], table["high"]).to_numpy()
    circles = ax.scatter(
        beside(table["longitude"].to_numpy(), middle),
        table["latitude"],
        s=np.maximum(AREA * part, 12.0),
        c=ratio,
        norm=LogNorm(1 / FACTOR, FACTOR),
        cmap="RdYlBu_r",
        edgecolors=np.where(apart, "black", "0.6").tolist(),
        linewidths=np.where(apart, 1.2, 0.5).tolist(),
        alpha=0.9,
        zorder=2,
    )
    bar = ax.get_figure(root=True).colorbar(circles, ax=ax, shrink=0.8, extend="both")  # type: ignore[union-attr]
    bar.ax.yaxis.set_major_locator(FixedLocator([0.25, 0.5, 1, 2, 4]))
    bar.ax.yaxis.set_minor_locator(NullLocator())
    bar.ax.yaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}×"))
    bar.set_label(f"{what}, relative to all places")


def _dress(ax: Axes, middle: float) -> None:
    """Ticks at round degrees north and east, small, and a thin frame."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator

    left, right = ax.get_xlim()
    at = np.asarray(MaxNLocator(5).tick_values(left + middle, right + middle)) - middle
    ax.xaxis.set_major_locator(FixedLocator(at[(left <= at) & (at <= right)].tolist()))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: _degrees(float(beside(np.array(x + middle), 0.0)), "EW")))
    ax.yaxis.set_major_locator(MaxNLocator(5))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: _degrees(y, "NS")))
    ax.tick_params(labelsize=8, length=2, color="0.6")
    for side in ax.spines.values():
        side.set_color("0.6")


def _degrees(value: float, sides: str) -> str:
    """An angle such as 97.5°W."""
    value = round(value, 2)
    side = "" if abs(value) in (0.0, 180.0) else sides[int(value < 0)]
    return f"{abs(value):g}°{side}"


def _title(model: DynamicTopicModel | Topics, topic: int, word: str | int | None, time: Any) -> str:
    from chronotope.analysis.places import map_date
    from chronotope.analysis.words import topic_names, topics_of

    name, topics = plain(topic_names(model)[topic]), topics_of(model)
    if word is None:
        return f"topic {name}"
    shown = plain(str(topics.vocabulary[topics.index(word)]))
    lone = topics.times[0] == topics.times[-1]
    when = "" if time is None and lone else f", {map_date(model, topic) if time is None else plain(str(time))}"
    return f"{shown} in topic {name}{when}"
