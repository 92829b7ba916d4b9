"""All other kernels: the posterior on a small whitened basis."""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_limits

from chronotope._typing import Floats, Values
from chronotope.gp.base import Marginals, root
from chronotope.gp.dense_solve import WORDS, read_marginals, solve_words
from chronotope.kernels import Kernel

TOLERANCE = 1e-5  # mean share of the prior variance the basis may leave out


class DenseStructure:
    """Functions of time as f(τ) = a(τ)·u + N(0, κ̃(τ)) with u ~ N(0, I_r).

        K_ZZ = U Λ Uᵀ,   a(τ) = Λ^−½ Uᵀ k_Z(τ),   κ̃(τ) = κ(τ, τ) − |a(τ)|²

    Only the r leading directions are kept, until the mean of κ̃/κ over the nodes falls under the tolerance: nothing is
    ill-conditioned, and no jitter is needed.
    """

    def __init__(self, kernel: Kernel, nodes: Floats, tolerance: float = TOLERANCE) -> None:
        self.kernel, self.nodes = kernel, nodes
        values, vectors = np.linalg.eigh(kernel(nodes))
        values, vectors = values[::-1], vectors[:, ::-1]
        prior = kernel.diag(nodes)
        random = prior > 0
        missing = 1.0 - np.cumsum((vectors[random] ** 2 * values / prior[random, None]).mean(axis=0))
        usable = values > 1e-12 * max(values[0], 0.0)
        r = max(1, min(int(np.sum(missing > tolerance)) + 1, int(usable.sum())))
        self._whiten = vectors[:, :r] / np.sqrt(values[:r])  # (J, r)
        self._basis = vectors[:, :r] * np.sqrt(values[:r])  # a at the nodes, without the way through the inverse
        self._residual = np.maximum(prior - (self._basis**2).sum(axis=1), 0.0)

    @property
    def rank(self) -> int:
        """Number of basis functions r."""
        return int(self._basis.shape[1])

    def condition(self, g: Values, b: Values) -> Marginals:
        """The posterior at the nodes."""
        mu, cov, kl = self._solve(g, b)
        m, s = _read(self._basis, self._residual, mu, cov)
        return Marginals(m, s, kl)

    def predict(self, times: Floats, g: Values, b: Values) -> tuple[Values, Values]:
        """Posterior mean and variance at any times, (n, K, V) each."""
        mu, cov, _ = self._solve(g, b)
        return _read(*self._project(times), mu, cov)

    def draw(self, times: Floats, g: Values, b: Values, rng: np.random.Generator) -> Values:
        """One joint draw at any times: prior weights, moved by what the posterior makes of their misfit.

        u = u₀ + E[u | sites g − b a·u₀ + √b ε, b],   u₀ ~ N(0, I),  ε ~ N(0, 1)
        f = a·u + N(0, κ(τ, τ') − a·a')
        """
        basis, _ = self._project(times)
        prior = rng.standard_normal((self.rank, *g.shape[1:]))
        at_nodes = np.tensordot(self._basis, prior, axes=1)
        misfit = g - b * at_nodes + np.sqrt(b) * rng.standard_normal(g.shape)
        mu, _, _ = self._solve(misfit, b.astype(np.float64))
        left_over = root(self.kernel(times) - basis @ basis.T)
        noise = np.tensordot(left_over, rng.standard_normal((len(times), *g.shape[1:])), axes=1)
        draw: Floats = np.tensordot(basis, prior + mu, axes=1) + noise
        return draw

    def _project(self, times: Floats) -> tuple[Floats, Floats]:
        """a(τ) and κ̃(τ) at any times."""
        basis = self.kernel(times, self.nodes) @ self._whiten
        return basis, np.maximum(self.kernel.diag(times) - (basis**2).sum(axis=1), 0.0)

    def _solve(self, g: Values, b: Values) -> tuple[Values, Values, Floats]:
        """Mean (r, K, V) and packed covariance (r(r+1)/2, K, V) of the weights, and the KL of each topic."""
        r, K, V = self.rank, *g.shape[1:]
        outer = _packed_outer(self._basis)
        mu, cov = np.empty((r, K, V), g.dtype), np.empty((outer.shape[1], K, V), g.dtype)
        kl = np.empty((K, -(-V // WORDS)))
        with threadpool_limits(1, "blas"):  # the tasks are parallel; results must not depend on the number of threads
            solve_words(self._basis, outer, g, b, mu, cov, kl)
        return mu, cov, kl.sum(axis=1)


def _packed_outer(basis: Floats) -> Floats:
    """a aᵀ of each row as its lower triangle, (n, r(r+1)/2)."""
    i, j = np.tril_indices(basis.shape[1])
    return np.ascontiguousarray(basis[:, i] * basis[:, j])


def _read(basis: Floats, residual: Floats, mu: Values, cov: Values) -> tuple[Values, Values]:
    i, j = np.tril_indices(basis.shape[1])
    doubled = _packed_outer(basis) * np.where(i == j, 1.0, 2.0)
    m, s = (np.empty((len(basis), *mu.shape[1:]), mu.dtype) for _ in range(2))
    with threadpool_limits(1, "blas"):
        read_marginals(np.ascontiguousarray(basis), doubled, residual, mu, cov, m, s)
    return m, s
