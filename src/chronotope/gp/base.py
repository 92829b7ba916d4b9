"""The interface of a Gaussian process prior conditioned on Gaussian sites at the nodes of the time grid."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from chronotope._typing import Floats, Values
from chronotope.gp.tracks import TrackCovariance
from chronotope.kernels import Kernel


class Marginals(NamedTuple):
    """Posterior marginals of every topic and word: mean m and variance s, (n, K, V) each.

    kl : (K,) KL divergence of each topic's posterior from the prior, summed over words
    """

    m: Values
    s: Values
    kl: Floats


class Structure(Protocol):
    """A Gaussian process prior conditioned on Gaussian sites.

        q(f) ∝ GP(f; 0, κ) Π_j exp(g_j f(z_j) − b_j f(z_j)²/2)      for each topic and word

    kernel : κ;  nodes : z, (J,) sorted times, the inducing points; with tracks the points of all of them, (S · J, 2)
    g, b : (J, K, V) natural parameters of the sites, one pair for each node, topic and word

    Prior and sites define the posterior, so a structure holds the prior alone and takes the sites as arguments.
    """

    @property
    def kernel(self) -> Kernel | TrackCovariance:
        """κ."""

    @property
    def nodes(self) -> Floats:
        """z, the rows of the sites."""

    def condition(self, g: Values, b: Values) -> Marginals:
        """Posterior marginals at the nodes, n = J, and the KL to the prior."""

    def predict(self, times: Floats, g: Values, b: Values) -> tuple[Values, Values]:
        """Posterior mean and variance at any times (n,), (n, K, V) each."""

    def draw(self, times: Floats, g: Values, b: Values, rng: np.random.Generator) -> Values:
        """One joint draw from the posterior at any times (n,): (n, K, V)."""


def root(C: Floats) -> Floats:
    """A square root R of a covariance, R Rᵀ = C; C may be singular and its variances of different orders."""
    scale = np.sqrt(np.maximum(np.diag(C), 0.0))
    unit = np.where(scale > 0, scale, 1.0)
    values, vectors = np.linalg.eigh(C / np.outer(unit, unit))
    factor: Floats = (unit[:, None] * vectors) * np.sqrt(np.maximum(values, 0.0))
    return factor


def normal(shape: tuple[int, ...], dtype: Any, rng: np.random.Generator) -> Values:
    """Standard normal draws of a type; the same ones in single and in double precision."""
    draws: Values = rng.standard_normal(shape, np.float32).astype(dtype, copy=False)
    return draws


def combine(matrix: Floats, values: Values) -> Values:
    """The product with the first axis of the values, in their type."""
    product: Values = np.tensordot(matrix.astype(values.dtype), values, axes=1)
    return product
