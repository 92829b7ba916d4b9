"""A time grid that grows past its ends as documents of new times arrive."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.kernels import Kernel
from chronotope.structure.grid import FEWEST, MAX_EXACT, MOST, Grid, choose_nodes, fewest_nodes, misses_little

Floats = NDArray[np.float64]

NEAR = 0.75  # share of the grid's spacing from which a new time past the end is a node itself: months are not all alike


class Growth(NamedTuple):
    """The nodes of a grown grid, and how many of them came before its first node and after its last."""

    nodes: Floats
    before: int
    after: int


def grow_nodes(kernel: Kernel, nodes: Floats, times: Floats, n_inducing: int | None, grid: Grid) -> Growth:
    """Nodes past the ends of a grid, so that all times lie on it; those it has stay where they are.

    Few nodes : every new time is one. More : as far apart as those there are, at the new times where these are no
    denser. Many : further apart, where the kernel needs no more. A grid that was asked to have one node keeps it.
    """
    stamps = np.unique(times)
    outside = stamps[(stamps < nodes[0]) | (stamps > nodes[-1])]
    if not len(outside) or n_inducing == 1:
        return Growth(nodes, 0, 0)
    if n_inducing is None and len(nodes) + len(outside) <= FEWEST:
        grown = np.union1d(nodes, outside)
    elif len(nodes) == 1:
        grown = np.union1d(nodes, choose_nodes(kernel, np.append(stamps, nodes), n_inducing, grid))
    else:
        spacing = _spacing(kernel, nodes, n_inducing)
        later = _walk(nodes[-1], stamps[stamps > nodes[-1]], spacing)
        earlier = _walk(-nodes[0], -stamps[stamps < nodes[0]][::-1], spacing)
        grown = np.concatenate([-np.array(earlier[::-1]), nodes, later])
    before = int(np.searchsorted(grown, nodes[0]))
    return Growth(grown, before, len(grown) - before - len(nodes))


def _spacing(kernel: Kernel, nodes: Floats, n_inducing: int | None) -> float:
    """How far apart new nodes are: as those there are, or so far as the kernel allows past a grid of many nodes."""
    spacing, end = float(np.median(np.diff(nodes))), nodes[-1]
    if n_inducing is None and len(nodes) >= MAX_EXACT:
        coarsest = (end - nodes[0]) / (fewest_nodes(kernel, float(end - nodes[0])) - 1)
        while 2 * spacing <= coarsest and misses_little(kernel, np.array([end, end + 2 * spacing])):
            spacing *= 2
    return spacing


def _walk(end: float, times: Floats, spacing: float) -> list[float]:
    """Nodes from the end of a grid out to the last of the increasing times, MOST of them or a few more."""
    found: list[float] = []
    if len(times):
        spacing = max(spacing, (times[-1] - end) / MOST)
    for time in times:
        if time > end:
            end = float(time) if time >= end + NEAR * spacing else end + spacing
            found.append(end)
    return found
