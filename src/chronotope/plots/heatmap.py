"""Heat maps of the words of a topic over time: a row is light at the peak of its word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from chronotope.plots.axes import dress_time_axis, new_axes, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from chronotope.topics import Topics

N_WORDS, N_TIMES = 20, 200
ROW = 0.22  # inches per word


def plot_heatmap(
    topics: Topics,
    topic: int,
    words: Sequence[str] | None = None,
    *,
    times: Any = None,
    ax: Axes | None = None,
) -> Axes:
    """Probabilities of words in a topic over time, relative to each word's maximum, which is beside its name.

        colour = π_v(τ) / max_τ π_v(τ)        words in order of the time of their maximum

    topics : Topics, of a fitted model (`model.topics_`)
    topic : int, number of the topic
    words : sequence of str or None, default None, words to draw; None for 20 words that peak at different times
    times : numbers or dates (T,), or None, default None, where to evaluate; None for an even grid over the main span,
        with gaps where there are no documents
    ax : matplotlib Axes or None, default None, axes to draw on; None for those of a new figure

    Returns the axes.
    """
    from chronotope.analysis.keywords import telling_words

    words = telling_words([(topics, topic)], N_WORDS) if words is None else list(words)
    if not words:
        raise ValueError("no words were given; pass at least one, or None for words that peak at different times.")
    at = np.linspace(*topics.main_span, N_TIMES) if times is None else times
    curves = topics.trajectories(topic, words, at)
    x = np.unique(curves["time"])
    values = curves.pivot_table(index="word", columns="time", values="mean").loc[list(dict.fromkeys(words))].to_numpy()
    if times is None:  # nothing is drawn where nothing was written
        values = np.where(topics.covered(x), values, np.nan)
    order = np.argsort(np.nanargmax(values, axis=1), kind="stable")
    highest = np.nanmax(values, axis=1)
    ax = new_axes(7.0, 1.4 + ROW * len(order)) if ax is None else ax
    mesh = ax.pcolormesh(
        _edges(x), np.arange(len(order) + 1), (values / highest[:, None])[order], cmap="cividis", vmin=0
    )
    mesh.set_rasterized(True)
    distinct = list(dict.fromkeys(words))
    ax.set_yticks(np.arange(len(order)) + 0.5, [f"{plain(distinct[i])}  {100 * highest[i]:.2g}%" for i in order])
    ax.invert_yaxis()
    dress_time_axis(ax, topics.calendar)
    ax.tick_params(axis="y", length=0)
    ax.margins(x=0)
    figure: Any = ax.get_figure(root=True)
    figure.colorbar(mesh, ax=ax, label="share of the word's highest probability", pad=0.02)
    return ax


def _edges(times: Any) -> Any:
    """Edges of the cells around the times."""
    if len(times) == 1:
        return np.array([times[0] - 0.5, times[0] + 0.5])
    middle = 0.5 * (times[1:] + times[:-1])
    return np.concatenate([[2 * times[0] - middle[0]], middle, [2 * times[-1] - middle[-1]]])
