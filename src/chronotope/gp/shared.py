"""Topics that share a part of their change: one process for all of them, beside one of their own for each."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from chronotope._typing import Floats, Ints, Values
from chronotope.gp.base import Structure
from chronotope.gp.dense import DenseStructure
from chronotope.gp.group_chains import GroupChains, process
from chronotope.gp.markov import MarkovStructure
from chronotope.gp.track_chain import TrackChain, components
from chronotope.gp.track_parts import TrackParts
from chronotope.gp.tracks import TrackCovariance, Tracks
from chronotope.kernels import Kernel, has_space, own_kernel, scaled, shared_kernel, with_levels

STATES = 12  # of tracks together, up to which they are one chain: its time grows with their third power
MOST_POINTS = 10_000  # of a dense basis of all tracks
STEEPER = 2  # a chain of places costs as much as a dense basis of so many times its states
FEW = 4  # groups up to which a kernel that is not Markov has one dense basis for all of them


class TopicPrior(NamedTuple):
    """The prior on the logits of all topics, as deviations from m₀.

        f_k = e_k + u,      e_k ~ GP(0, c + (1 − η) κ') for each topic,   u ~ GP(0, η κ' + c η/(1 − η)) for all of them

    c are the constants of the kernel κ = c + κ', the variance of levels, and κ' is the change, of which topics have the
    part η in common: words that all topics take up or drop are learned once, from all tokens. Levels are a topic's own.
    The kernels of e and u are proportional, (1 − η) : η, so that both can be divided in closed form; the level that
    u has for that reason only shifts m₀.

    kernel : κ;  share : η, from 0 (independent topics) to 1, not included
    own, common : structures of e_k and of u; common is None if η is 0
    tracks : groups or places, each with the nodes; None without
    """

    kernel: Kernel
    share: float
    own: Structure
    common: Structure | None
    tracks: Tracks | None = None

    @property
    def points(self) -> Floats:
        """The rows of sites: times of the nodes, (J,), or with tracks the points of all of them, (S · J, 2)."""
        return self.own.nodes

    @property
    def nodes(self) -> Floats:
        """Times of the nodes, (J,), the same on every track."""
        points = self.points
        return points if self.tracks is None else points[: len(points) // self.tracks.size, 0]

    def at(self, times: Floats, track: Ints | int | None = None) -> Floats:
        """The points of times.   times : (n,);  track : of each or of all, −1, the default, for what tracks share"""
        if self.tracks is None:
            return times
        return np.column_stack([times, np.broadcast_to(-1 if track is None else track, times.shape)]).astype(float)

    def with_kernel(self, kernel: Kernel) -> TopicPrior:
        """The same prior with another kernel."""
        return topic_prior(kernel, self.nodes, self.share, self.tracks)

    def on(self, nodes: Floats, tracks: Tracks | None = None) -> TopicPrior:
        """The same prior on other nodes.   tracks : default None for the same"""
        return topic_prior(self.kernel, nodes, self.share, self.tracks if tracks is None else tracks)


def choose_structure(kernel: Kernel, nodes: Floats, tracks: Tracks | None = None) -> Structure:
    """The structure that suits a kernel.

    Over time: a Markov chain, linear in J, if the kernel is Markov; else a dense basis of rank r. With tracks: a chain
    that all of them observe if its state is small; of many groups, parts one after the other; else a dense basis, or
    of places a chain if that costs less.

    kernel : Kernel, resolved;  nodes : (J,) sorted times
    """
    if tracks is None:
        return DenseStructure(kernel, nodes) if kernel.state_space() is None else MarkovStructure(kernel, nodes)
    state, shared, own = components(kernel, tracks), shared_kernel(kernel), own_kernel(kernel)
    if state is not None and state.space.size <= STATES:
        return TrackChain(TrackCovariance(kernel, tracks), tracks.points(nodes), state)
    if shared is not None and own is not None and not has_space(kernel) and (state is not None or tracks.size > FEW):
        one = choose_structure(shared, nodes), choose_structure(own, nodes), one_group(kernel, nodes)
        small = process(shared, nodes) is not None and process(own, nodes) is not None
        return (GroupChains if small else TrackParts)(kernel, nodes, tracks, *one)
    points = tracks.points(nodes)
    if len(points) > MOST_POINTS:
        raise MemoryError(
            f"the kernel {str(kernel)[:80]} needs the covariance of all {len(points):,} nodes, {len(nodes):,} each of "
            f"{tracks.size:,} groups or places, and at most {MOST_POINTS:,} are held; pass fewer groups, a smaller "
            "n_cells or a smaller n_inducing, or add a part that all of them share, as constant + ou."
        )
    dense = DenseStructure(TrackCovariance(kernel, tracks), points)
    if state is not None and has_space(kernel) and STEEPER * state.space.size <= dense.rank:
        return TrackChain(TrackCovariance(kernel, tracks), points, state)
    return dense


def one_group(kernel: Kernel, nodes: Floats) -> Structure:
    """The structure of a single group, with sites on it and, after them, on what it shares with others."""
    alone = Tracks(("",))
    covariance, state = TrackCovariance(kernel, alone), components(kernel, alone)
    points = alone.points(nodes)
    both = np.concatenate([points, points - [0.0, 1.0]])
    return DenseStructure(covariance, both) if state is None else TrackChain(covariance, both, state)


def topic_prior(kernel: Kernel, nodes: Floats, share: float = 0.0, tracks: Tracks | None = None) -> TopicPrior:
    """The prior with this kernel, on these nodes.   share : η, the part of the change that all topics share."""
    if share == 0.0:
        return TopicPrior(kernel, share, choose_structure(kernel, nodes, tracks), None, tracks)
    own = with_levels(kernel, 1.0, 1.0 - share)
    common = scaled(own, share / (1.0 - share))
    structures = choose_structure(own, nodes, tracks), choose_structure(common, nodes, tracks)
    return TopicPrior(kernel, share, *structures, tracks)


class Sites(NamedTuple):
    """Natural parameters of the sites.   g, b : (J, K, V) of all topics, or (J, 1, V) of what they share."""

    g: Values
    b: Values

    def take(self, rows: slice, words: Any = slice(None)) -> Sites:
        """Sites of some topics and words, in arrays of their own."""
        return Sites(*(np.array(x[:, rows, words], order="C") for x in self))


class Posterior(NamedTuple):
    """Prior and sites: all that is needed to read topics at any time.   common : sites of u, None without."""

    prior: TopicPrior
    own: Sites
    common: Sites | None

    def arrays(self) -> dict[str, Values]:
        """The sites by name: g, b, and common_g, common_b if there are any."""
        named = {"g": self.own.g, "b": self.own.b}
        return named if self.common is None else named | {"common_g": self.common.g, "common_b": self.common.b}

    def take(self, topics: slice, words: Any = slice(None)) -> Posterior:
        """The posterior of some topics and words."""
        common = None if self.common is None else self.common.take(slice(None), words)
        return Posterior(self.prior, self.own.take(topics, words), common)

    def predict(self, points: Floats) -> tuple[Values, Values]:
        """Posterior mean and variance of the deviations from m₀ at any points (n,) or (n, 2), (n, K, V) each."""
        m, s = self.prior.own.predict(points, *self.own)
        if self.prior.common is not None and self.common is not None:
            common_m, common_s = self.prior.common.predict(points, *self.common)
            m += common_m
            s += common_s
        return m, s

    def draw(self, points: Floats, rng: np.random.Generator) -> Values:
        """One joint draw of the deviations from m₀ at any points (n,) or (n, 2): (n, K, V)."""
        drawn = self.prior.own.draw(points, *self.own, rng)
        if self.prior.common is not None and self.common is not None:
            drawn += self.prior.common.draw(points, *self.common, rng)
        return drawn

    def draws(self, points: Floats, n: int, rng: np.random.Generator) -> Values:
        """Joint draws at any points (T,) or (T, 2), all at once: (n, T, K, V)."""
        V = self.own.g.shape[2]
        drawn = self.take(slice(None), np.tile(np.arange(V), n)).draw(points, rng)
        return drawn.reshape(*drawn.shape[:2], n, V).transpose(2, 0, 1, 3)
