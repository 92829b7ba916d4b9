"""Plots of word probabilities of a topic over time, with credible bands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from chronotope.plots.axes import dress_time_axis, label_peaks, new_figure, percent_axis, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from chronotope.topics import Topics

# Okabe and Ito's colours, which colour-blind readers can distinguish, without yellow, unreadable as text on white
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES = ("-", "--", ":", "-.")  # after seven words the colours repeat, with another dash
N_WORDS = 6
N_TIMES = 300
HEADROOM = 1.3  # height of the axis relative to the highest mean; wider bands are clipped
LOWEST = 5e-4  # lower end of a logarithmic axis

Scale = Literal["linear", "log"]


def plot_trajectories(
    topics: Topics,
    topic: int,
    words: Sequence[str] | None = None,
    *,
    times: Any = None,
    level: float = 0.9,
    scale: Scale = "linear",
    ax: Axes | None = None,
) -> Axes:
    """Probabilities of words in a topic over time, each with its credible band and its name at its peak.

    topics : Topics, of a fitted model (`model.topics_`)
    topic : int, number of the topic
    words : sequence of str or None, default None, words to draw; None for the topic's six most probable ones
    times : numbers or dates (T,), or None, default None, where to evaluate; None for an even grid over the main span,
        with gaps where there are no documents
    level : float, default 0.9, posterior probability of the bands
    scale : "linear" or "log", default "linear", of the probabilities; "log" shows rare and frequent words together
    ax : matplotlib Axes or None, default None, axes to draw on; None for those of a new figure

    Returns the axes.
    """
    if ax is None:
        ax = cast("Axes", _figure(1).subplots())
    words = _top_words(topics, topic) if words is None else list(words)
    highest = _draw(ax, topics, topic, words, times, level)
    _set_probability_axis(ax, highest, scale)
    label_peaks(ax)
    return ax


def compare_trajectories(
    models: Mapping[str, Topics],
    topic: int | Mapping[str, int],
    words: Sequence[str] | None = None,
    *,
    times: Any = None,
    level: float = 0.9,
    scale: Scale = "linear",
) -> NDArray[np.object_]:
    """The same words in several models side by side, on one probability axis.

    models : mapping of names to Topics (`model.topics_`)
    topic : int, or mapping of names to int, number of the topic, one for all models or one for each
    words : sequence of str or None, default None, words to draw; None for the six most probable ones of the first model
    times : numbers or dates (T,), or None, default None, where to evaluate; as in `plot_trajectories`
    level : float, default 0.9, posterior probability of the bands
    scale : "linear" or "log", default "linear", of the probabilities

    Returns the axes, one per model.
    """
    if not models:
        raise ValueError("no models were given; pass the topics of at least one by name.")
    chosen = dict.fromkeys(models, topic) if isinstance(topic, int) else dict(topic)
    missing = [name for name in models if name not in chosen]
    if missing:
        raise ValueError(f"topic has no number for {', '.join(missing)}; pass one for each model.")
    first = next(iter(models))
    words = _top_words(models[first], chosen[first]) if words is None else list(words)
    panels = _figure(len(models)).subplots(1, len(models), sharey=True, squeeze=False)[0]
    highest = [
        _draw(ax, topics, chosen[name], words, times, level)
        for ax, (name, topics) in zip(panels, models.items(), strict=True)
    ]
    _set_probability_axis(panels[0], max(highest), scale)
    for ax, name in zip(panels, models, strict=True):
        ax.set_title(plain(name), loc="left")
        label_peaks(ax)
    return cast("NDArray[np.object_]", panels)


def _figure(panels: int) -> Any:
    return new_figure(7.0 if panels == 1 else 4.6 * panels, 4.2)


def _top_words(topics: Topics, topic: int) -> list[str]:
    return [word for word, _ in topics.top_words(topic, n=N_WORDS)]


def _draw(ax: Axes, topics: Topics, topic: int, words: Sequence[str], times: Any, level: float) -> float:
    """Draw lines and bands of the words; returns the highest mean."""
    if not words:
        raise ValueError("no words were given; pass at least one, or None for the topic's most probable.")
    at = np.linspace(*topics.main_span, N_TIMES) if times is None else times
    highest = 0.0
    for i, word in enumerate(words):
        curve = topics.trajectory(topic, word, at, level).sort_values("time")
        style = DASHES[i // len(COLOURS) % len(DASHES)]
        colour, order = COLOURS[i % len(COLOURS)], 3 + len(words) - i
        x, mean, low, high = curve[["time", "mean", "low", "high"]].to_numpy().T
        if times is None:  # nothing is drawn where nothing was written
            mean, low, high = np.where(topics.covered(x), [mean, low, high], np.nan)
        ax.fill_between(x, low, high, color=colour, alpha=0.13, linewidth=0)
        ax.plot(x, mean, style, color=colour, linewidth=1.7, label=plain(str(word)), zorder=order)
        highest = max(highest, float(np.nanmax(mean)))
    dress_time_axis(ax, topics.calendar)
    ax.grid(axis="y", color="0.92", linewidth=0.8)
    return highest


def _set_probability_axis(ax: Axes, highest: float, scale: Scale) -> None:
    """Percent from 0, or from a small probability on a logarithmic axis."""
    from matplotlib.ticker import NullFormatter

    if scale not in ("linear", "log"):
        raise ValueError(f'scale is {scale!r}; expected "linear" or "log".')
    ax.set_yscale(scale)
    if scale == "log":
        ax.yaxis.set_minor_formatter(NullFormatter())
        ax.set_ylim(min(LOWEST, 0.1 * highest), 2.0 * highest)
    else:
        ax.set_ylim(0, HEADROOM * highest)
    percent_axis(ax.yaxis)
    ax.set_ylabel("probability in the topic")
