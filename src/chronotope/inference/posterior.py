"""The variational posterior of the topics: sites at the nodes, and the marginals that they imply."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from chronotope._typing import Floats, Values
from chronotope.gp import Structure
from chronotope.inference.documents import Statistics
from chronotope.inference.natural_gradient import centre_sites, log_normaliser, natural_gradient_step, topic_bounds

FULL_STEP = 0.7  # longer natural-gradient steps oscillate: each one changes the expected counts of the next
SHORTEST_STEP = 1e-3


class TopicPosterior:
    """Sites g, b and marginals m, s (J, K, V), log ζ (J, K) and KL (K,) of all topics.

    The sites are on deviations from the prior mean m₀, (V,). A new posterior holds constant topics without
    uncertainty; its KL is zero until the first step.
    """

    def __init__(self, structure: Structure, topics: Floats, mean: Floats, dtype: str) -> None:
        """topics : (K, V) starting probabilities, the same at all times, or (J, K, V);  mean : (V,) m₀."""
        logits = np.log(topics)
        logits -= logits.mean(axis=-1, keepdims=True)
        J, (K, V) = len(structure.nodes), topics.shape[-2:]
        self.structure, self.mean = structure, mean
        self.m: Values = np.array(np.broadcast_to(logits, (J, K, V)), dtype=dtype, order="C")
        self.s: Values = np.zeros((J, K, V), dtype)
        self.g: Values = np.zeros((J, K, V), dtype)
        self.b: Values = np.zeros((J, K, V), dtype)
        self.kl: Floats = np.zeros(K)
        self.log_zeta: Floats = log_normaliser(self.m, self.s)
        self.step_size: Floats = np.full(K, FULL_STEP)
        self.started = False

    @classmethod
    def from_sites(cls, structure: Structure, g: Values, b: Values, mean: Floats) -> TopicPosterior:
        """The posterior with these sites; the arrays are not copied."""
        _, K, V = g.shape
        posterior = cls(structure, np.full((K, V), 1.0 / V), mean, g.dtype.name)
        posterior.g, posterior.b, posterior.started = g, b, True
        posterior.refresh()
        return posterior

    def step(self, stats: Statistics, rho: float | Floats, caution: float) -> None:
        """One natural-gradient step of size ρ, one for all topics or one for each; the first step has ρ = 1."""
        K = len(self.kl)
        sizes = np.broadcast_to(np.asarray(rho if self.started else 1.0, dtype=np.float64), (K,))
        marginals = self.m, self.s, self.log_zeta
        rho = np.ascontiguousarray(sizes)
        natural_gradient_step((stats.n, stats.N), marginals, self.mean, caution, rho, self.g, self.b)
        self.started = True
        self.refresh()

    def replace_prior(self, structure: Structure) -> None:
        """Replace the prior, keep the sites."""
        self.structure = structure
        self.refresh()

    def refresh(self) -> None:
        """Compute the marginals from the sites."""
        self.m, self.s, self.kl = self.structure.condition(self.g, self.b)
        self.kl -= centre_sites(self.g, self.b, self.m)
        self.m += self.mean.astype(self.m.dtype)
        self.log_zeta = log_normaliser(self.m, self.s)

    def expected_logits(self) -> Values:
        """log E exp(f) = m + s/2 at the nodes, (J, K, V)."""
        logits: Values = self.m + self.m.dtype.type(0.5) * self.s
        return logits

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
