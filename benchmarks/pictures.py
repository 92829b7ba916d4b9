"""Curves of cost, each with its slope, and perplexity against time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from benchmarks.cost import AXES, WHAT
from chronotope.plots.trajectories import COLOURS
from chronotope.storage.atomic import replacing


def draw_costs(curves: list[dict[str, Any]], folder: Path) -> list[Path]:
    """A picture for each curve: seconds against its letter on logarithmic axes, with the line of its slope."""
    written = []
    for each in curves:
        figure = Figure(figsize=(4.2, 3.2), dpi=110, layout="constrained")
        ax = figure.subplots()
        x, y = np.array(each["x"]), np.array(each["seconds"])
        ax.loglog(x, y, "o", color=COLOURS[0])
        if each["slope"] is not None:
            line = np.exp(np.log(y).mean() + each["slope"] * (np.log(x) - np.log(x).mean()))
            ax.loglog(x, line, color=COLOURS[0], linewidth=1.2)
            ax.set_title(f"slope {each['slope']:.2f}", fontsize=10, loc="left")
        ax.set_ylim(min(y.min(), y.mean() / 3), max(y.max(), y.mean() * 3) * 1.1)
        ax.set_xticks(x, [f"{value:,.0f}" for value in x])
        ax.minorticks_off()
        ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        ax.yaxis.set_major_formatter("{x:g}")
        _dress(ax, f"{each['letter']}: {AXES[each['letter']]}", f"seconds of {WHAT[each['letter']]}")
        written.append(_write(figure, folder / f"cost_{each['letter']}.png"))
    return written


def draw_reach(runs: dict[str, dict[str, Any]], path: Path) -> Path:
    """Held-out perplexity against seconds of fitting, a line for each system."""
    figure = Figure(figsize=(7.2, 4.4), dpi=110, layout="constrained")
    ax = figure.subplots()
    for i, (name, run) in enumerate(runs.items()):
        points = run["points"]
        if points:
            x, y = ([point[what] for point in points] for what in ("seconds", "perplexity"))
            ax.plot(x, y, "o-", markersize=3, color=COLOURS[i % len(COLOURS)], linewidth=1.4, label=name)
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter("{x:g}")
    ax.yaxis.set_major_formatter("{x:,.0f}")
    if ax.get_lines():
        ax.legend(frameon=False, fontsize=8)
    _dress(ax, "seconds of fitting", "held-out perplexity")
    return _write(figure, path)


def _dress(ax: Any, x: str, y: str) -> None:
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.grid(color="0.92", linewidth=0.8)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def _write(figure: Figure, path: Path) -> Path:
    with replacing(path) as temporary:
        figure.savefig(temporary)
    return path
