"""Topics that share a part of their change: one process for all of them, beside one of their own for each."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from chronotope._typing import Floats, Values
from chronotope.gp.base import Structure
from chronotope.gp.dense import DenseStructure
from chronotope.gp.markov import MarkovStructure
from chronotope.kernels import Kernel, scaled, with_levels


class TopicPrior(NamedTuple):
    """The prior on the logits of all topics, as deviations from m₀.

        f_k = e_k + u,      e_k ~ GP(0, c + (1 − η) κ') for each topic,   u ~ GP(0, η κ' + c η/(1 − η)) for all of them

    c are the constants of the kernel κ = c + κ', the variance of levels, and κ' is the change, of which topics have the
    part η in common: words that all topics take up or drop are learned once, from all tokens. Levels are a topic's own.
    The kernels of e and u are proportional, (1 − η) : η, so that both can be divided in closed form; the level that
    u has for that reason only shifts m₀.

    kernel : κ;  share : η, from 0 (independent topics) to 1, not included
    own, common : structures of e_k and of u; common is None if η is 0
    """

    kernel: Kernel
    share: float
    own: Structure
    common: Structure | None

    @property
    def nodes(self) -> Floats:
        """Times of the nodes, (J,)."""
        return self.own.nodes


def choose_structure(kernel: Kernel, nodes: Floats) -> Structure:
    """The structure that suits a kernel: a Markov chain, linear in J, if it is Markov; else a dense basis of rank r.

    kernel : Kernel, resolved;  nodes : (J,) sorted times
    """
    return DenseStructure(kernel, nodes) if kernel.state_space() is None else MarkovStructure(kernel, nodes)


def topic_prior(kernel: Kernel, nodes: Floats, share: float = 0.0) -> TopicPrior:
    """The prior with this kernel, on these nodes.   share : η, the part of the change that all topics share."""
    if share == 0.0:
        return TopicPrior(kernel, share, choose_structure(kernel, nodes), None)
    own = with_levels(kernel, 1.0, 1.0 - share)
    common = scaled(own, share / (1.0 - share))
    return TopicPrior(kernel, share, choose_structure(own, nodes), choose_structure(common, nodes))


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

    def predict(self, times: Floats) -> tuple[Values, Values]:
        """Posterior mean and variance of the deviations from m₀ at any times (n,), (n, K, V) each."""
        m, s = self.prior.own.predict(times, *self.own)
        if self.prior.common is not None and self.common is not None:
            common_m, common_s = self.prior.common.predict(times, *self.common)
            m += common_m
            s += common_s
        return m, s

    def draw(self, times: Floats, rng: np.random.Generator) -> Values:
        """One joint draw of the deviations from m₀ at any times (n,): (n, K, V)."""
        drawn = self.prior.own.draw(times, *self.own, rng)
        if self.prior.common is not None and self.common is not None:
            drawn += self.prior.common.draw(times, *self.common, rng)
        return drawn

    def draws(self, times: Floats, n: int, rng: np.random.Generator) -> Values:
        """Joint draws at any times (T,), all at once: (n, T, K, V)."""
        V = self.own.g.shape[2]
        drawn = self.take(slice(None), np.tile(np.arange(V), n)).draw(times, rng)
        return drawn.reshape(*drawn.shape[:2], n, V).transpose(2, 0, 1, 3)
