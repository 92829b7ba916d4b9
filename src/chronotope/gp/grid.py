"""The time grid: choosing its nodes, interpolating between neighbouring nodes, extending it to later times."""

from __future__ import annotations

import math
import warnings
from typing import Literal, NamedTuple

import numpy as np

from chronotope._typing import Floats, Ints, Mask
from chronotope.dates.outlying import main_part
from chronotope.kernels import Kernel

Grid = Literal["adaptive", "even", "quantile"]

MAX_EXACT = 128  # up to this number of distinct times, a Markov process has a node at each: no approximation
CHEAP, CHEAP_DENSE = 2_000_000, 200_000  # nodes × topics × words up to which all times are nodes too; if not Markov
MIN_NODES, MAX_NODES = 24, 256  # of a grid whose size is chosen for the kernel
PER_PERIOD = 8  # nodes per period of a periodic kernel: with fewer, interpolation smooths the period away
MAX_RESIDUAL = 0.01  # mean share of the prior variance that is residual half-way between the nodes of such a grid
FAR = 16  # of so many nodes, one is for documents at outlying times on either side if there are any
WIDE = 3.0  # a gap without documents counts as at most so many spacings of an adaptive grid
AT_ONCE = 10_000  # times whose weights are computed at once
ROUNDING = 1e-9  # of a sum of weights
NEAR = 0.75  # of the spacing: a new time that far past the end is a node itself, since months differ in length


class NodeWeights(NamedTuple):
    """Interpolation weights from the two neighbouring nodes:  f(τ) = w₀ f(z_left) + w₁ f(z_left+1) + N(0, κ̃).

    left : (n,) index of the left neighbour;  weight : (n, 2) w₀, w₁;  residual : (n,) residual variance κ̃
    """

    left: Ints
    weight: Floats
    residual: Floats


def choose_nodes(
    kernel: Kernel,
    times: Floats,
    n_inducing: int | None,
    grid: Grid = "adaptive",
    wanted: int = MIN_NODES,
    words: int | None = None,
) -> Floats:
    """The nodes of the time grid (the inducing points), sorted: every distinct time if these are few, else a grid.

    kernel : Kernel, resolved
    times : (D,) times of the documents
    n_inducing : maximum number of nodes; None for all distinct times up to MAX_EXACT (Markov) or MIN_NODES (not
        Markov), or as long as they cost little, and for as many nodes as the kernel needs beyond
    grid : "adaptive", see `adaptive_nodes`; "even" spacing; or "quantile" for quantiles of the documents' times
    wanted : least number of nodes if n_inducing is None, as many as there is text for
    words : number of words of all topics together, K · V, by which the cost of a node is known; None if it is not

    Documents at outlying times have nodes of their own, a few beside the others, which are as without them.
    """
    stamps = np.unique(times)
    exact, cells = (MAX_EXACT, CHEAP) if kernel.state_space() is not None else (MIN_NODES, CHEAP_DENSE)
    exact = max(exact, cells // words if words else 0)
    if len(stamps) <= (exact if n_inducing is None else n_inducing):
        return stamps
    main = main_part(times)
    if grid == "even" or main.all() or n_inducing == 1:
        return _main_nodes(kernel, times, n_inducing, grid, wanted)
    most = max(1, (wanted if n_inducing is None else n_inducing) // FAR)
    sides = stamps[stamps < times[main].min()], stamps[stamps > times[main].max()]
    far = np.concatenate([_some(side, most) for side in sides])
    near = None if n_inducing is None else max(n_inducing - len(far), 1)
    return np.union1d(far, _main_nodes(kernel, times[main], near, grid, wanted))


def _some(stamps: Floats, n: int) -> Floats:
    """At most n of these times, from the first to the last; the middle one if n is 1."""
    last = len(stamps) - 1
    chosen = np.linspace(0, last, min(n, len(stamps))) if n > 1 else np.full(min(len(stamps), 1), last / 2)
    some: Floats = stamps[chosen.round().astype(int)]
    return some


def _main_nodes(kernel: Kernel, times: Floats, n_inducing: int | None, grid: Grid, wanted: int) -> Floats:
    """Nodes for documents that are not at outlying times; see `choose_nodes`."""
    stamps = np.unique(times)
    if n_inducing is None:
        n_inducing = max(_sufficient_size(kernel, stamps, grid), wanted)
    return stamps if n_inducing >= len(stamps) else spread_nodes(times, n_inducing, grid)


def spread_nodes(times: Floats, n: int, grid: Grid) -> Floats:
    """About n nodes from the first to the last time, placed as `grid` says; the median if n is 1."""
    if n == 1:
        return np.array([np.median(times)])
    if grid == "adaptive":
        return adaptive_nodes(times, n)
    if grid == "even":
        return np.linspace(times.min(), times.max(), n)
    return np.unique(np.quantile(times, np.linspace(0, 1, n)))


def adaptive_nodes(times: Floats, n: int) -> Floats:
    """At most n nodes, all of them times of documents: half of them for time, half for documents.

    Nodes are equally far apart in the mean of two measures, the time passed and the documents passed, both from 0 to 1.
    Of a gap without documents only a few spacings count, so outlying times take no more than a few nodes.
    """
    stamps, counts = np.unique(times, return_counts=True)
    low, high = np.quantile(times, (0.1, 0.9))
    spacing = (high - low if high > low else stamps[-1] - stamps[0]) / (0.8 * n)
    passed = np.concatenate([[0.0], np.cumsum(np.minimum(np.diff(stamps), WIDE * spacing))])
    documents = np.cumsum(counts) - 0.5 * counts
    measures = [(x - x[0]) / max(x[-1] - x[0], np.finfo(float).tiny) for x in (passed, documents)]
    chosen = np.interp(np.linspace(0, 1, n), 0.5 * (measures[0] + measures[1]), np.arange(len(stamps)))
    nodes: Floats = stamps[np.unique(chosen.round().astype(int))]
    return nodes


def _sufficient_size(kernel: Kernel, stamps: Floats, grid: Grid) -> int:
    """The smallest number of nodes, increased by a quarter at a time, with a small residual variance between them."""
    n = starting_size(kernel, float(stamps[-1] - stamps[0]))
    if grid == "even":  # nodes in empty decades are wasted: the occupied part of the span gets as many as without gaps
        n = min(math.ceil(n / occupied_share(stamps)), MAX_NODES)
    while n < min(MAX_NODES, len(stamps)):
        nodes = spread_nodes(stamps, n, grid)
        if residual_is_small(kernel, nodes, used_gaps(nodes, stamps)):
            break
        n += n // 4
    return min(n, MAX_NODES)


def occupied_share(stamps: Floats) -> float:
    """Share of the span that has times, in a histogram with MIN_NODES bins.   stamps : sorted, distinct."""
    bins = np.histogram(stamps, MIN_NODES)[0] > 0
    return float(bins.mean())


def used_gaps(nodes: Floats, stamps: Floats) -> Mask:
    """Which gaps between neighbouring nodes have times inside, (J − 1,); nobody interpolates in the others."""
    inside: Mask = np.searchsorted(stamps, nodes[1:], "left") > np.searchsorted(stamps, nodes[:-1], "right")
    return inside


def residual_is_small(kernel: Kernel, nodes: Floats, gaps: Mask | slice = slice(None)) -> bool:
    """Whether the mean residual variance half-way between nodes is at most MAX_RESIDUAL of the prior variance.

    gaps : (J − 1,) those between neighbouring nodes that count, default all
    """
    middle = 0.5 * (nodes[1:] + nodes[:-1])[gaps]
    if not len(middle):
        return True
    prior = np.maximum(kernel.diag(middle), np.finfo(float).tiny)
    return bool(np.mean(node_weights(kernel, nodes, middle).residual / prior) <= MAX_RESIDUAL)


def starting_size(kernel: Kernel, span: float) -> int:
    """The number of nodes to start from: MIN_NODES, or PER_PERIOD for each of the shortest periods in the span."""
    periods = [value for name, value in kernel.parameters.items() if name.endswith("period") and value]
    wanted = math.ceil(PER_PERIOD * span / min(periods)) + 1 if periods else 0
    if wanted > 2 * MAX_NODES:
        warnings.warn(
            f"the grid has {MAX_NODES} nodes for {span / min(periods):,.0f} periods, too few to resolve a period; "
            f"pass n_inducing={wanted}.",
            UserWarning,
            stacklevel=2,
        )
    return min(max(MIN_NODES, wanted), MAX_NODES)


def node_weights(kernel: Kernel, nodes: Floats, times: Floats) -> NodeWeights:
    """Interpolation weights of each time: the best linear predictor from its two neighbouring nodes that is a mean.

        w minimises κ̃ = κ(τ, τ) − 2 k(τ)·w + w·K₂w   with w ≥ 0, w₀ + w₁ ≤ 1
        K₂ : covariance of the two nodes;  k(τ) : theirs with f(τ)

    kernel : Kernel, resolved;  nodes : (J,) sorted;  times : (n,)

    The limits keep the bound a bound, see `arrange_documents`; the best predictor without them, w = K₂⁻¹k (kriging),
    mostly obeys them. Times outside the grid have a weight on the nearest node alone. For a Markov process with state
    size S = 1 (Wiener, Ornstein-Uhlenbeck) this is the exact conditional distribution given all nodes.
    """
    parts = [_node_weights(kernel, nodes, times[i : i + AT_ONCE]) for i in range(0, max(len(times), 1), AT_ONCE)]
    return parts[0] if len(parts) == 1 else NodeWeights(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def _node_weights(kernel: Kernel, nodes: Floats, times: Floats) -> NodeWeights:
    """Weights of some of the times; see `node_weights`."""
    left = np.clip(np.searchsorted(nodes, times, side="right") - 1, 0, max(len(nodes) - 2, 0))
    before, after = nodes[left], nodes[np.minimum(left + 1, len(nodes) - 1)]
    k00, k11 = kernel.diag(before), kernel.diag(after)
    k01, k0t, kt1 = kernel.pairs(before, after), kernel.pairs(before, times), kernel.pairs(times, after)
    alone = np.stack([(times <= before) | (len(nodes) == 1), (times >= after) & (len(nodes) > 1)])
    weight = _mean_weights(k00, k11, k01, k0t, kt1, alone)
    w0, w1 = weight.T
    residual = kernel.diag(times) - 2.0 * (w0 * k0t + w1 * kt1) + w0**2 * k00 + w1**2 * k11 + 2.0 * w0 * w1 * k01
    residual[(w0 == 1.0) & (times == before) | (w1 == 1.0) & (times == after)] = 0.0
    return NodeWeights(left, weight, np.maximum(residual, 0.0))


def _mean_weights(k00: Floats, k11: Floats, k01: Floats, k0t: Floats, kt1: Floats, alone: Mask) -> Floats:
    """Weights of the two nodes around each time, none below 0 and their sum at most 1, (n, 2).

    k00, … : (n,) covariances of the nodes 0 and 1, and with the value at the time t
    alone : (2, n) whether a node alone is used

    Without limits they are K₂⁻¹ k(τ), or k(τ) / tr K₂ if K₂ is singular (a line, a constant). Where a limit is crossed,
    the best weights are on an edge of the triangle: on one node alone, or with the sum 1.
    """
    determinant = k00 * k11 - k01**2
    regular = determinant > 1e-12 * k00 * k11
    safe, trace = np.where(regular, determinant, 1.0), np.maximum(k00 + k11, np.finfo(float).tiny)
    free = np.stack(
        [
            np.where(regular, (k11 * k0t - k01 * kt1) / safe, k0t / trace),
            np.where(regular, (k00 * kt1 - k01 * k0t) / safe, kt1 / trace),
        ]
    )
    none = np.zeros_like(k00)
    first = np.stack([_part(k0t, k00), none])
    second = np.stack([none, _part(kt1, k11)])
    share = _part(k11 - k01 + k0t - kt1, k00 + k11 - 2.0 * k01)
    summed = np.stack([share, 1.0 - share])
    edges = np.stack([summed, first, second])  # of several that are as good, both nodes
    w0, w1 = edges[:, 0], edges[:, 1]
    loss = -2.0 * (w0 * k0t + w1 * kt1) + w0**2 * k00 + w1**2 * k11 + 2.0 * w0 * w1 * k01
    best = np.take_along_axis(edges, np.argmin(loss, axis=0)[None, None], axis=0)[0]
    inside = (free >= 0.0).all(axis=0) & (free.sum(axis=0) <= 1.0 + ROUNDING)
    weight = np.where(inside, free / np.maximum(free.sum(axis=0), 1.0), best)
    return np.where(alone[0], first, np.where(alone[1], second, weight)).T


def _part(covariance: Floats, variance: Floats) -> Floats:
    """covariance / variance, from 0 to 1; 1 where there is no variance."""
    ratio = np.divide(covariance, variance, out=np.ones_like(variance), where=variance > 0.0)
    part: Floats = np.clip(ratio, 0.0, 1.0)
    return part


class Growth(NamedTuple):
    """An extended grid: all nodes, and the numbers of new ones before the first and after the last old node."""

    nodes: Floats
    before: int
    after: int


def grow_nodes(kernel: Kernel, nodes: Floats, times: Floats, n_inducing: int | None, grid: Grid) -> Growth:
    """Extend a grid at both ends so that it covers all times; the old nodes stay.

    kernel : Kernel, resolved;  nodes : (J,) sorted;  times : (D,) times of the new documents
    n_inducing, grid : as in `choose_nodes`

    Up to MIN_NODES in all, every new time is a node. Beyond, new nodes have the spacing of the old ones, or are the new
    times if these are no denser; from MAX_EXACT old nodes on, the spacing is as wide as the kernel allows. A grid with
    n_inducing=1 keeps its node.
    """
    stamps = np.unique(times)
    outside = stamps[(stamps < nodes[0]) | (stamps > nodes[-1])]
    if not len(outside) or n_inducing == 1:
        return Growth(nodes, 0, 0)
    if n_inducing is None and len(nodes) + len(outside) <= MIN_NODES:
        grown = np.union1d(nodes, outside)
    elif len(nodes) == 1:
        grown = np.union1d(nodes, choose_nodes(kernel, np.append(stamps, nodes), n_inducing, grid))
    else:
        spacing = _spacing(kernel, nodes, n_inducing)
        later = _nodes_past_end(nodes[-1], stamps[stamps > nodes[-1]], spacing)
        earlier = _nodes_past_end(-nodes[0], -stamps[stamps < nodes[0]][::-1], spacing)
        grown = np.concatenate([-np.array(earlier[::-1]), nodes, later])
    before = int(np.searchsorted(grown, nodes[0]))
    return Growth(grown, before, len(grown) - before - len(nodes))


def _spacing(kernel: Kernel, nodes: Floats, n_inducing: int | None) -> float:
    """Spacing of new nodes: the median of the old nodes, doubled while the kernel allows if there are many of them."""
    spacing, end = float(np.median(np.diff(nodes))), nodes[-1]
    if n_inducing is None and len(nodes) >= MAX_EXACT:
        coarsest = (end - nodes[0]) / (starting_size(kernel, float(end - nodes[0])) - 1)
        while 2 * spacing <= coarsest and residual_is_small(kernel, np.array([end, end + 2 * spacing])):
            spacing *= 2
    return spacing


def _nodes_past_end(end: float, times: Floats, spacing: float) -> list[float]:
    """Nodes from the end of a grid to the last of the increasing times, about MAX_NODES at most."""
    found: list[float] = []
    if len(times):
        spacing = max(spacing, (times[-1] - end) / MAX_NODES)
    for time in times:
        if time > end:
            end = float(time) if time >= end + NEAR * spacing else end + spacing
            found.append(end)
    return found
