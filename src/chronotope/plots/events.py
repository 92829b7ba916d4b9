"""Plots of events on a time line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chronotope.plots.axes import dress_time_axis, new_axes, plain
from chronotope.plots.trajectories import COLOURS

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

N_EVENTS, N_WORDS = 25, 4
ROW = 0.24  # inches per event
KINDS = {"words": (COLOURS[0], "", "words burst"), "share": (COLOURS[4], "////", "the topic's prevalence bursts")}


def plot_events(
    events: pd.DataFrame, *, n: int = N_EVENTS, names: Sequence[str] | None = None, ax: Axes | None = None
) -> Axes:
    """The strongest events as bars from start to end, with a mark at the peak and their words; earliest on top.

    Bars of a topic's prevalence are also hatched, so that the kinds differ without colours.

    events : DataFrame, as `analysis.find_events` returns it
    n : int, default 25, maximum number of events
    names : sequence of str or None, default None, names of all topics, as `analysis.topic_names` returns them; None for
        their numbers
    ax : matplotlib Axes or None, default None, axes to draw on; None for those of a new figure

    Returns the axes.
    """
    if n < 1:
        raise ValueError(f"n is {n!r}; expected at least 1 event.")
    shown = events.sort_values("strength", ascending=False, kind="stable").head(n)
    shown = shown.sort_values("peak", kind="stable")
    ax = new_axes(8.0, 1.2 + ROW * max(len(shown), 1)) if ax is None else ax
    dress_time_axis(ax, "start_date" in events)
    if not len(shown):
        ax.text(0.5, 0.5, "no events", transform=ax.transAxes, ha="center", color="0.4")
        ax.set_yticks([])
        return ax
    first, last = float(shown["start"].min()), float(shown["end"].max())
    least = max((last - first) / 200, 1e-9)  # the bar of a single date must be visible
    for row, event in enumerate(shown.to_dict("records")):
        colour, hatch, label = KINDS[event["kind"]]
        start, width = event["start"], max(event["end"] - event["start"], least)
        ax.barh(row, width, left=start, height=0.6, color=colour, hatch=hatch, edgecolor="white", label=label)
        ax.plot(event["peak"], row, "D", color="black", markersize=3.5)
        _write_words(ax, row, start, start + width, event["words"], 0.5 * (first + last))
    _finish(ax, shown, names, (first, last))
    return ax


def _write_words(ax: Axes, row: int, start: float, end: float, words: Sequence[str], middle: float) -> None:
    """The words on the side of the bar with more space."""
    right = 0.5 * (start + end) < middle
    ax.annotate(
        plain(" ".join(words[:N_WORDS])),
        (end if right else start, row),
        xytext=(4 if right else -4, 0),
        textcoords="offset points",
        ha="left" if right else "right",
        va="center",
        fontsize=8,
    )


def _finish(ax: Axes, shown: pd.DataFrame, names: Sequence[str] | None, span: tuple[float, float]) -> None:
    labels = [plain(f"topic {k}" if names is None else names[k]) for k in shown["topic"]]
    ax.set_yticks(range(len(labels)), labels, fontsize=8)
    ax.set_ylim(len(labels) - 0.4, -0.6)
    pad = 0.04 * max(span[1] - span[0], 1e-9)
    ax.set_xlim(span[0] - pad, span[1] + pad)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", color="0.92", linewidth=0.8)
    handles, texts = ax.get_legend_handles_labels()
    kinds = dict(zip(texts, handles, strict=True))
    ax.legend(
        kinds.values(), kinds.keys(), loc="upper center", bbox_to_anchor=(0.5, 1.08), ncols=2, frameon=False, fontsize=8
    )
