"""What plots of prevalence read from the table of `analysis.topic_shares`, and the lines they draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from chronotope._typing import Floats, Ints
from chronotope.plots.axes import plain
from chronotope.plots.trajectories import COLOURS

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

SHOWN = len(COLOURS)  # topics, or groups, drawn by default


def check_shares(shares: pd.DataFrame) -> None:
    """Refuse a table that is not one of shares, or that has no words."""
    missing = [name for name in ("time", "topic", "share", "tokens") if name not in shares]
    if missing or not len(shares):
        raise ValueError(f"the table has no {', '.join(missing) or 'rows'}; pass the table of analysis.topic_shares.")
    if not np.isfinite(shares["share"].to_numpy(dtype=np.float64)).any():
        raise ValueError("no period of the table has words; pass shares of documents with words.")


def shares_by(shares: pd.DataFrame, column: str) -> pd.DataFrame:
    """Shares with one row per time and one column per topic or group.   column : "topic" or "group"."""
    return shares.pivot(index="time", columns=column, values="share").sort_index().astype(np.float64)


def chosen_topics(shares: pd.DataFrame, topics: Sequence[int] | None, n: int = SHOWN) -> list[int]:
    """The topics given, or the n with most tokens in total, in order of their numbers."""
    tokens = (shares["share"] * shares["tokens"]).groupby(shares["topic"]).sum()
    if topics is None:
        return sorted(int(k) for k in tokens.nlargest(n).index)
    unknown = [k for k in topics if k not in tokens.index]
    if unknown or not len(topics):
        raise ValueError(f"topics is {list(topics)!r}; expected numbers from 0 to {len(tokens) - 1}.")
    return [int(k) for k in topics]


def topic_label(k: int, names: Sequence[str] | None) -> str:
    """The name of a topic, or its number without names."""
    return plain(f"topic {k}" if names is None else names[k])


def draw_line(ax: Axes, times: Floats, values: Floats, style: str, colour: str, label: str) -> None:
    """A line with gaps; a value between two gaps, which no line can show, is a point."""
    ax.plot(
        times,
        values,
        style,
        color=colour,
        linewidth=1.7,
        label=label,
        marker="o",
        markersize=4,
        markevery=lone_values(values).tolist(),
    )


def lone_values(values: Floats) -> Ints:
    """Positions of the values without a neighbour."""
    known = np.concatenate([[False], np.isfinite(values), [False]])
    result: Ints = np.flatnonzero(known[1:-1] & ~known[:-2] & ~known[2:])
    return result
