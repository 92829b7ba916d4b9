"""The nodes of the time grid, how a time is read from the two nodes around it, and how the grid grows."""

from __future__ import annotations

import math
import warnings
from typing import Literal, NamedTuple

import numpy as np

from chronotope._typing import Floats, Ints
from chronotope.kernels import Kernel

Grid = Literal["even", "quantile"]

MAX_EXACT = 256  # up to so many distinct times a Markov process has a node at each of them: nothing is approximated
FEWEST, MOST = 24, 256  # nodes of a grid whose size is left to the kernel
PER_PERIOD = 8  # nodes in a period of a kernel that has one: between fewer, what comes again is smoothed away
SHARE = 0.01  # prior variance a node-to-node reading may miss half-way between two nodes of such a grid


class NodeWeights(NamedTuple):
    """The value at a time from the nodes around it:  f(τ) = w₀ f(z_left) + w₁ f(z_left+1) + N(0, κ̃).

    left : (n,);  weight : (n, 2);  residual : (n,) the variance κ̃ left over
    """

    left: Ints
    weight: Floats
    residual: Floats


def choose_nodes(kernel: Kernel, times: Floats, n_inducing: int | None, grid: Grid) -> Floats:
    """Every distinct time where that is affordable, else a grid; sorted.

    n_inducing None : all times up to MAX_EXACT of them if the kernel is Markov, else as many as the kernel needs.
    """
    stamps = np.unique(times)
    if n_inducing is None:
        if len(stamps) <= (MAX_EXACT if kernel.state_space() is not None else FEWEST):
            return stamps
        n_inducing = _enough(kernel, stamps, grid)
    if n_inducing >= len(stamps):
        return stamps
    return spread_nodes(times, n_inducing, grid)


def spread_nodes(times: Floats, n: int, grid: Grid) -> Floats:
    """n nodes from the first to the last time: evenly spaced, or at quantiles of the documents' times."""
    if n == 1:
        return np.array([np.median(times)])
    if grid == "even":
        return np.linspace(times.min(), times.max(), n)
    return np.unique(np.quantile(times, np.linspace(0, 1, n)))


def _enough(kernel: Kernel, stamps: Floats, grid: Grid) -> int:
    """The fewest nodes, in steps of a quarter, between which a reading misses little of the prior's variance."""
    n = fewest_nodes(kernel, float(stamps[-1] - stamps[0]))
    if grid == "even":  # nodes in empty decades are of no use: the times that there are get as many as without those
        n = min(math.ceil(n / occupied(stamps)), MOST)
    while n < min(MOST, len(stamps)):
        if misses_little(kernel, spread_nodes(stamps, n, grid)):
            break
        n += n // 4
    return min(n, MOST)


def occupied(stamps: Floats) -> float:
    """Share of the span near which there are times, a few cells of it being looked at.   stamps : sorted, distinct."""
    cells = np.histogram(stamps, FEWEST)[0] > 0
    return float(cells.mean())


def misses_little(kernel: Kernel, nodes: Floats) -> bool:
    """Whether readings half-way between the nodes miss at most a SHARE of the prior's variance."""
    middle = 0.5 * (nodes[1:] + nodes[:-1])
    prior = np.maximum(kernel.diag(middle), np.finfo(float).tiny)
    return bool(np.mean(node_weights(kernel, nodes, middle).residual / prior) <= SHARE)


def fewest_nodes(kernel: Kernel, span: float) -> int:
    """Where to start: a few nodes, and as many as the shortest period asks for."""
    periods = [value for name, value in kernel.parameters.items() if name.endswith("period") and value]
    wanted = math.ceil(PER_PERIOD * span / min(periods)) + 1 if periods else 0
    if wanted > 2 * MOST:
        warnings.warn(
            f"the grid has {MOST} nodes for {span / min(periods):,.0f} periods, too few to see what comes again; "
            f"pass n_inducing={wanted}.",
            UserWarning,
            stacklevel=2,
        )
    return min(max(FEWEST, wanted), MOST)


def node_weights(kernel: Kernel, nodes: Floats, times: Floats) -> NodeWeights:
    """Best linear reading of the value at each time from the two nodes around it, or the nearest one outside.

        w = K₂⁻¹ k(τ),   κ̃ = κ(τ, τ) − k(τ)·w        K₂ : covariance of the two nodes;  k(τ) : theirs with f(τ)

    For a Markov process of state size one (Wiener, Ornstein-Uhlenbeck) this is its exact conditional distribution.
    """
    left = np.clip(np.searchsorted(nodes, times, side="right") - 1, 0, max(len(nodes) - 2, 0))
    before, after = nodes[left], nodes[np.minimum(left + 1, len(nodes) - 1)]
    k00, k11 = kernel.diag(before), kernel.diag(after)
    k01, k0t, kt1 = kernel.pairs(before, after), kernel.pairs(before, times), kernel.pairs(times, after)
    prior = kernel.diag(times)
    weight = _two_point_weights(k00, k11, k01, k0t, kt1)
    residual = prior - weight[:, 0] * k0t - weight[:, 1] * kt1
    for side, (node, own, cross) in enumerate(((before, k00, k0t), (after, k11, kt1))):
        alone = (times == node) | ((times < before) if side == 0 else (times > after))
        if len(nodes) == 1:
            alone = np.full(len(times), side == 0)
        weight[alone] = 0.0
        weight[alone, side] = np.divide(cross[alone], own[alone], out=np.ones(alone.sum()), where=own[alone] > 0)
        residual[alone] = prior[alone] - weight[alone, side] * cross[alone]
    return NodeWeights(left, weight, np.maximum(residual, 0.0))


def _two_point_weights(k00: Floats, k11: Floats, k01: Floats, k0t: Floats, kt1: Floats) -> Floats:
    """K₂⁻¹ k(τ) for many pairs of nodes; where K₂ is singular (a line, a constant), its least solution k(τ) / tr K₂."""
    determinant = k00 * k11 - k01**2
    regular = determinant > 1e-12 * k00 * k11
    trace = np.maximum(k00 + k11, np.finfo(float).tiny)
    safe = np.where(regular, determinant, 1.0)
    first = np.where(regular, (k11 * k0t - k01 * kt1) / safe, k0t / trace)
    second = np.where(regular, (k00 * kt1 - k01 * k0t) / safe, kt1 / trace)
    return np.stack([first, second], axis=1)


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
