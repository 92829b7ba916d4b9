"""What inference asks of a Gaussian process prior on the topics' values at the nodes of the time grid."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from chronotope._typing import Floats, Values
from chronotope.kernels import Kernel


class Marginals(NamedTuple):
    """Posterior of every word's value: mean m and variance s (n, K, V), and each topic's KL to the prior (K,)."""

    m: Values
    s: Values
    kl: Floats


class Structure(Protocol):
    """A prior on functions of time, conditioned on Gaussian sites exp(g f − b f²/2) at its nodes.

    Everything above knows a posterior only by its sites g, b (J, K, V), one pair for each node, topic and word.
    """

    kernel: Kernel
    nodes: Floats

    def condition(self, g: Values, b: Values) -> Marginals:
        """The posterior at the nodes."""

    def predict(self, times: Floats, g: Values, b: Values) -> tuple[Values, Values]:
        """Posterior mean and variance at any times, (n, K, V) each."""

    def draw(self, times: Floats, g: Values, b: Values, rng: np.random.Generator) -> Values:
        """One joint draw of the posterior at any times, (n, K, V)."""


def root(C: Floats) -> Floats:
    """R with R Rᵀ = C, for a positive semi-definite C on any scale."""
    scale = np.sqrt(np.maximum(np.diag(C), 0.0))
    unit = np.where(scale > 0, scale, 1.0)
    values, vectors = np.linalg.eigh(C / np.outer(unit, unit))
    factor: Floats = (unit[:, None] * vectors) * np.sqrt(np.maximum(values, 0.0))
    return factor
