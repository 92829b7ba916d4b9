"""What is believed about the topics: sites on their values at the nodes, and the marginals these imply."""

from __future__ import annotations

import numpy as np

from chronotope._typing import Floats, Values
from chronotope.gp import Structure
from chronotope.inference.documents import Statistics
from chronotope.inference.natural_gradient import centre_sites, log_normaliser, step_sites, topic_bounds

FULL_STEP = 0.7  # natural-gradient steps longer than this oscillate: variance and expected mass chase each other
SHORTEST_STEP = 1e-3


class TopicPosterior:
    """Sites g, b and marginals m, s (J, K, V), log ζ (J, K) and KL (K,) of all topics.

    The sites are on deviations from the prior's mean, (V,). A new posterior holds topics that never change, certain,
    and owes nothing to the prior until its first step.
    """

    def __init__(self, structure: Structure, topics: Floats, mean: Floats, dtype: str) -> None:
        """topics : (K, V) starting probabilities, the same at all times, or (J, K, V);  mean : (V,)."""
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
        """The posterior that these sites make; it takes them over."""
        _, K, V = g.shape
        posterior = cls(structure, np.full((K, V), 1.0 / V), mean, g.dtype.name)
        posterior.g, posterior.b, posterior.started = g, b, True
        posterior.refresh()
        return posterior

    def step(self, stats: Statistics, rho: float | Floats, caution: float) -> None:
        """One natural-gradient step of size rho, for all topics or one for each; the first is always whole."""
        K = len(self.kl)
        rho = np.broadcast_to(np.asarray(rho if self.started else 1.0, dtype=np.float64), (K,))
        now = (self.m, self.s, self.log_zeta)
        step_sites(stats.n, stats.N, now, self.mean, caution, np.ascontiguousarray(rho), self.g, self.b)
        self.started = True
        self.refresh()

    def under(self, structure: Structure) -> None:
        """Slide another prior under the same sites."""
        self.structure = structure
        self.refresh()

    def refresh(self) -> None:
        """Bring the marginals in line with the sites."""
        self.m, self.s, self.kl = self.structure.condition(self.g, self.b)
        self.kl -= centre_sites(self.g, self.b, self.m)
        self.m += self.mean.astype(self.m.dtype)
        self.log_zeta = log_normaliser(self.m, self.s)

    def expected_logits(self) -> Values:
        """log E exp(f) = m + s/2 at the nodes, (J, K, V)."""
        logits: Values = self.m + self.m.dtype.type(0.5) * self.s
        return logits

    def ascend(self, stats: Statistics, caution: float) -> None:
        """A step that no topic's part of the bound comes out of lower: where one would, it stays, and tries shorter."""
        if not self.started:
            self.step(stats, 1.0, 1.0)
            return
        before = self.bounds(stats)
        kept = {name: getattr(self, name).copy() for name in ("g", "b")}
        kept |= {name: getattr(self, name) for name in ("m", "s", "kl", "log_zeta")}
        self.step(stats, self.step_size, caution)
        worse = ~(self.bounds(stats) >= before)
        for k in np.flatnonzero(worse):
            for name, values in kept.items():
                topic = (k,) if name == "kl" else (slice(None), k)
                getattr(self, name)[topic] = values[topic]
        longer = np.minimum(self.step_size * 1.5, FULL_STEP)
        self.step_size = np.where(worse, np.maximum(0.5 * self.step_size, SHORTEST_STEP), longer)

    def bounds(self, stats: Statistics) -> Floats:
        """What each topic adds to the bound while the documents' φ stay as they are, (K,)."""
        return topic_bounds(stats.n, stats.N, self.m, self.log_zeta, self.kl)
