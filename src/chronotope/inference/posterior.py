"""The variational posterior of the topics: sites at the nodes, and the marginals that they imply."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from chronotope._typing import Floats, Ints, Values
from chronotope.gp import Posterior, Sites, Structure, TopicPrior
from chronotope.inference.natural_gradient import (
    balance_sites,
    centre_sites,
    common_gradient_step,
    log_normaliser,
    natural_gradient_step,
    topic_bounds,
)
from chronotope.inference.statistics import Statistics

Some = tuple[slice, slice]  # of the nodes, and of the topics

FULL_STEP = 0.7  # longer natural-gradient steps oscillate: each one changes the expected counts of the next
SHORTEST_STEP = 1e-3


def caution(step: int) -> float:
    """How much of the safe curvature a global step uses, halving from 1 to 0.   [see `natural_gradient_step`]"""
    return 0.5**step if step < 10 else 0.0


@dataclass
class Common:
    """The part that all topics share.   g, b : (J, 1, V) sites;  m, s : (J, 1, V) marginals;  kl : to the prior.

    V is 0 where there is none.
    """

    g: Values
    b: Values
    m: Values
    s: Values
    kl: float = 0.0
    step_size: float = FULL_STEP

    @classmethod
    def new(cls, J: int, V: int, dtype: str) -> Common:
        """A part that is zero, with sites that say nothing."""
        g, b, m, s = (np.zeros((J, 1, V), dtype) for _ in range(4))
        return cls(g, b, m, s)

    def copy(self) -> Common:
        """The same part; its sites are not shared."""
        return replace(self, g=self.g.copy(), b=self.b.copy())

    def refresh(self, structure: Structure) -> None:
        """Compute the marginals from the sites."""
        self.m, self.s, kl = structure.condition(self.g, self.b)
        self.kl = float(kl[0] - centre_sites(self.g, self.b, self.m)[0])


class TopicPosterior:
    """Sites g, b and marginals m, s (J, K, V), log ζ (J, K) and KL (K,) of all topics; J are nodes of all tracks here.

    The logits are m₀ + e_k + u, with the prior mean m₀, (V,), and u common to all topics; see `TopicPrior`. The sites
    are on e_k. Those of u and its marginals are `common`, with one row, (J, 1, V), or none. A new posterior holds
    constant topics without uncertainty; its KL is zero until the first step.
    """

    def __init__(self, prior: TopicPrior, topics: Values, mean: Floats, dtype: str) -> None:
        """topics : (K, V) starting probabilities, the same at all times, or (J, K, V);  mean : (V,) m₀."""
        logits = np.log(np.maximum(topics, np.finfo(topics.dtype).tiny))  # no word is impossible
        logits -= logits.mean(axis=-1, keepdims=True)
        J, (K, V) = len(prior.points), topics.shape[-2:]
        self.prior, self.mean = prior, mean
        self.m: Values = np.array(np.broadcast_to(logits, (J, K, V)), dtype=dtype, order="C")
        self.s: Values = np.zeros((J, K, V), dtype)
        self.g: Values = np.zeros((J, K, V), dtype)
        self.b: Values = np.zeros((J, K, V), dtype)
        self.kl: Floats = np.zeros(K)
        self.common = Common.new(J, V if prior.common else 0, dtype)
        self.log_zeta: Floats = log_normaliser(self.m, self.s)
        self.step_size: Floats = np.full(K, FULL_STEP)
        self.started = False

    @classmethod
    def from_sites(cls, given: Posterior, mean: Floats) -> TopicPosterior:
        """The posterior with these sites; the arrays are not copied."""
        _, K, V = given.own.g.shape
        posterior = cls(given.prior, np.full((K, V), 1.0 / V), mean, given.own.g.dtype.name)
        (posterior.g, posterior.b), posterior.started = given.own, True
        if given.common is not None:
            posterior.common.g, posterior.common.b = given.common
        posterior.refresh()
        return posterior

    @property
    def total_kl(self) -> float:
        """KL of the whole posterior from the prior."""
        return float(self.kl.sum() + self.common.kl)

    def step(self, stats: Statistics, rho: float | Floats, caution: float) -> None:
        """One natural-gradient step of size ρ, one for all topics or one for each; the first step has ρ = 1."""
        sizes = np.broadcast_to(np.asarray(rho if self.started else 1.0, dtype=np.float64), self.kl.shape)
        given, rho = (self.own_mean(), caution), np.ascontiguousarray(sizes)
        natural_gradient_step((stats.n, stats.N), (self.m, self.s, self.log_zeta), *given, rho, self.g, self.b)
        self.started = True
        self.refresh()

    def step_common(self, stats: Statistics, caution: float) -> None:
        """One natural-gradient step of the common part; it is undone, and the next one shorter, if the bound falls."""
        common = self.common
        if self.prior.common is None or not self.started:
            return
        self.balance()
        kept = common.copy()
        given = (stats.n, stats.N), (self.m, self.s, self.log_zeta), common.m[:, 0]
        common_gradient_step(*given, caution, common.step_size, common.g[:, 0], common.b[:, 0])
        common.refresh(self.prior.common)
        change = common.m - kept.m, common.s - kept.s
        log_zeta = self._log_zeta_after(change)
        likelihood = float((stats.n.sum(axis=1, dtype=np.float64) * change[0][:, 0]).sum())
        if likelihood - float((stats.N * (log_zeta - self.log_zeta)).sum()) >= common.kl - kept.kl:
            self.m += change[0]
            self.s += change[1]
            self.log_zeta = log_zeta
            common.step_size = min(1.5 * common.step_size, FULL_STEP)
        else:
            kept.step_size = max(0.5 * kept.step_size, SHORTEST_STEP)
            self.common = kept

    def _log_zeta_after(self, change: tuple[Values, Values]) -> Floats:
        """log ζ, (J, K), if m and s of all topics changed by so much, (J, 1, V) each."""
        found = np.empty_like(self.log_zeta)
        for j in range(len(found)):  # one node at a time, to take little memory
            one = slice(j, j + 1)
            found[one] = log_normaliser(self.m[one] + change[0][one], self.s[one] + change[1][one])
        return found

    def balance(self) -> None:
        """Divide the logits anew between the topics' own parts and the common one, by the prior; they stay the same."""
        common = self.common
        parts = (self.g, self.b, self.m), self.own_mean(), (common.g[:, 0], common.b[:, 0], common.m[:, 0])
        *own, shared = balance_sites(*parts, self.prior.share)
        self.kl, common.kl = self.kl + own, common.kl + float(shared)

    def copy(self) -> TopicPosterior:
        """The same posterior, with sites of its own."""
        return self.reordered(np.tile(np.arange(len(self.kl)), (len(self.m), 1)))

    def reordered(self, order: Ints) -> TopicPosterior:
        """The posterior with the topics of every node in another order, in arrays of its own.   order : (J, K)."""
        sites = Sites(*(np.take_along_axis(x, order[:, :, None], axis=1) for x in (self.g, self.b)))
        common = None if self.prior.common is None else Sites(self.common.g.copy(), self.common.b.copy())
        return TopicPosterior.from_sites(Posterior(self.prior, sites, common), self.mean)

    def become(self, other: TopicPosterior) -> None:
        """Take over everything of another posterior; arrays are not copied."""
        self.__dict__.update(other.__dict__)

    def expected_counts(self, N: Floats, some: Some = (slice(None), slice(None))) -> Values:
        """b* = N exp(m + s/2 − log ζ) at the nodes, (J, K, V).   N : (J, K) tokens of each topic.

        some : of the nodes, and of the topics; all by default
        """
        m, s, log_zeta = self.m[some], self.s[some], self.log_zeta[some].astype(self.m.dtype)
        counts: Values = m + m.dtype.type(0.5) * s
        counts -= log_zeta[:, :, None]
        np.exp(np.minimum(counts, 0, out=counts), out=counts)
        counts *= N[some].astype(m.dtype)[:, :, None]
        return counts

    def implied_counts(self, N: Floats) -> Values:
        """g − b E[e] + b*, the counts n that the sites follow from at a fixed point of the global step, (J, K, V)."""
        counts, mean = self.expected_counts(N), self.own_mean()[:, None]
        for k in range(counts.shape[1]):  # one topic at a time, to take little memory
            some = slice(None), slice(k, k + 1)
            counts[some] += self.g[some] - self.b[some] * (self.m[some] - mean)
        return counts

    def settle(self, N: Floats) -> None:
        """Give the sites the curvature of the bound at the present means, which stay: cautious steps leave more."""
        mean = self.own_mean()
        for j in range(len(mean)):  # one node at a time, to take little memory
            curvature = self.expected_counts(N, (slice(j, j + 1), slice(None)))[0]
            self.g[j] += (curvature - self.b[j]) * (self.m[j] - mean[j])
            self.b[j] = curvature
        self.refresh()

    def replace_prior(self, prior: TopicPrior) -> None:
        """Replace the prior, keep the sites."""
        self.prior = prior
        self.refresh()

    def refresh(self) -> None:
        """Compute the marginals from the sites."""
        self.m = self.s = np.empty((0, 0, 0), self.g.dtype)  # their memory is free for the new ones
        self.m, self.s, self.kl = self.prior.own.condition(self.g, self.b)
        self.kl -= centre_sites(self.g, self.b, self.m)
        self.m += self.mean.astype(self.m.dtype)
        if self.prior.common is not None:
            self.common.refresh(self.prior.common)
            self.m += self.common.m
            self.s += self.common.s
        self.log_zeta = log_normaliser(self.m, self.s)

    def sites(self) -> Posterior:
        """Prior and sites; the arrays are not copied."""
        common = None if self.prior.common is None else Sites(self.common.g, self.common.b)
        return Posterior(self.prior, Sites(self.g, self.b), common)

    @property
    def common_variance(self) -> Values:
        """Variance of the common part, (J, 1, V); zero, (1, 1, 1), if there is none."""
        return np.zeros((1, 1, 1), self.s.dtype) if self.prior.common is None else self.common.s

    def own_mean(self) -> Values:
        """m₀ + E u, the mean of the logits apart from the topics' own parts, (J, V)."""
        mean = np.broadcast_to(self.mean.astype(self.m.dtype), (len(self.m), len(self.mean)))
        return np.ascontiguousarray(mean if self.prior.common is None else mean + self.common.m[:, 0])

    def expected_logits(self) -> Values:
        """log E exp(f) = m + s/2 at the nodes, (J, K, V)."""
        logits: Values = self.m + self.m.dtype.type(0.5) * self.s
        return logits

    def probabilities(self, nodes: Ints) -> Values:
        """E exp(f) / ζ at some nodes, (nodes, K, V): the topics that documents are classified by."""
        found: Values = self.m[nodes]
        found += self.m.dtype.type(0.5) * self.s[nodes]
        found -= self.log_zeta[nodes].astype(found.dtype)[:, :, None]
        return np.exp(found, out=found)

    def bounds(self, stats: Statistics) -> Floats:
        """Each topic's part of the bound while the documents' φ are fixed, (K,)."""
        return topic_bounds(stats.n, stats.N, self.m, self.log_zeta, self.kl)

    @contextmanager
    def no_descent(self, stats: Statistics) -> Iterator[None]:
        """Around a step: topics whose part of the bound would fall are restored, and their step size is halved.

        The step size of the other topics grows again. The first step is always kept.
        """
        if not self.started:
            yield
            return
        before = self.bounds(stats)
        kept = {name: getattr(self, name).copy() for name in ("g", "b")}  # a step updates these in place
        kept |= {name: getattr(self, name) for name in ("m", "s", "kl", "log_zeta")}
        yield
        worse = ~(self.bounds(stats) >= before)
        for k in np.flatnonzero(worse):
            for name, values in kept.items():
                topic = (k,) if name == "kl" else (slice(None), k)
                getattr(self, name)[topic] = values[topic]
        longer = np.minimum(self.step_size * 1.5, FULL_STEP)
        self.step_size = np.where(worse, np.maximum(0.5 * self.step_size, SHORTEST_STEP), longer)
