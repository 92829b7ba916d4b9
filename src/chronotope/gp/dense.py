"""Kernels that are not Markov: the posterior in a low-rank whitened basis."""

from __future__ import annotations

import numpy as np

from chronotope._typing import Floats, Values
from chronotope.gp.base import Marginals, combine, normal, root
from chronotope.gp.blas import one_blas_thread
from chronotope.gp.dense_solve import WORDS, project_weights, solve_weights
from chronotope.gp.tracks import TrackCovariance
from chronotope.kernels import Kernel

TOLERANCE = 1e-5  # mean share of the prior variance that the basis may not explain


class DenseStructure:
    """A Gaussian process in a basis of rank r, with weights y that are standard normal a priori.

        f(τ) = a(τ)·y + N(0, κ̃(τ)),   y ~ N(0, I_r)
        K_ZZ = U Λ Uᵀ,   a(τ) = Λ^−½ Uᵀ k_Z(τ),   κ̃(τ) = κ(τ, τ) − |a(τ)|²

    kernel : Kernel, resolved, or the covariance of tracks
    nodes : (J,) sorted times, or the points of tracks, (S · J, 2), as all times here are then points
    tolerance : float, default 1e-5; r is the smallest number of leading eigenvectors for which the mean of κ̃/κ over the
        nodes is at most this. The basis is well-conditioned, so no jitter is added
    """

    def __init__(self, kernel: Kernel | TrackCovariance, nodes: Floats, tolerance: float = TOLERANCE) -> None:
        self.kernel, self.nodes = kernel, nodes
        values, vectors = np.linalg.eigh(kernel(nodes))
        values, vectors = values[::-1], vectors[:, ::-1]
        prior = kernel.diag(nodes)
        varying = prior > 0
        parts = vectors[varying] ** 2 * values / prior[varying, None]
        unexplained = 1.0 - np.cumsum(parts.mean(axis=0)) if varying.any() else np.zeros(len(nodes))
        usable = values > 1e-12 * max(values[0], 0.0)
        r = max(1, min(int(np.sum(unexplained > tolerance)) + 1, int(usable.sum())))
        scale = np.sqrt(np.maximum(values[:r], 0.0))  # 0 where the prior does not vary at any node
        self._whiten = np.divide(vectors[:, :r], scale, out=np.zeros((len(nodes), r)), where=scale > 0.0)  # (J, r)
        self._basis = vectors[:, :r] * scale  # (J, r), a at the nodes, without rounding errors of Λ^−½
        self._residual = np.maximum(prior - (self._basis**2).sum(axis=1), 0.0)

    @property
    def rank(self) -> int:
        """Rank r of the basis."""
        return int(self._basis.shape[1])

    def condition(self, g: Values, b: Values) -> Marginals:
        """Posterior marginals at the nodes, and the KL to the prior."""
        mu, cov, kl = self._solve(g, b)
        m, s = _project(self._basis, self._residual, mu, cov)
        return Marginals(m, s, kl)

    def predict(self, times: Floats, g: Values, b: Values) -> tuple[Values, Values]:
        """Posterior mean and variance at any times (n,), (n, K, V) each."""
        mu, cov, _ = self._solve(g, b)
        return _project(*self._basis_at(times), mu, cov)

    def draw(self, times: Floats, g: Values, b: Values, rng: np.random.Generator) -> Values:
        """One joint draw from the posterior at any times (n,), by Matheron's rule: (n, K, V).

        y = y₀ + E[y | sites g − b a·y₀ + √b ε, b],   y₀ ~ N(0, I),  ε ~ N(0, 1)
        f = a·y + N(0, κ(τ, τ') − a·a')
        """
        basis, _ = self._basis_at(times)
        prior = normal((self.rank, *g.shape[1:]), g.dtype, rng)
        residual = g - b * combine(self._basis, prior) + np.sqrt(b) * normal(g.shape, g.dtype, rng)
        mu, _, _ = self._solve(residual, b)
        unexplained = root(self.kernel(times) - basis @ basis.T)
        noise = combine(unexplained, normal((len(times), *g.shape[1:]), g.dtype, rng))
        return combine(basis, prior + mu) + noise

    def _basis_at(self, times: Floats) -> tuple[Floats, Floats]:
        """Basis a(τ) (n, r) and residual variance κ̃(τ) (n,) at any times."""
        basis = self.kernel(times, self.nodes) @ self._whiten
        return basis, np.maximum(self.kernel.diag(times) - (basis**2).sum(axis=1), 0.0)

    def _solve(self, g: Values, b: Values) -> tuple[Values, Values, Floats]:
        """Posterior of the weights: mean (r, K, V), packed covariance (r(r+1)/2, K, V), and KL to the prior (K,)."""
        r, K, V = self.rank, *g.shape[1:]
        outer = _packed_outer(self._basis)
        mu, cov = np.empty((r, K, V), g.dtype), np.empty((outer.shape[1], K, V), g.dtype)
        kl = np.empty((K, -(-V // WORDS)))
        with one_blas_thread():
            solve_weights(self._basis, outer, g, b, mu, cov, kl)
        return mu, cov, kl.sum(axis=1)


def _packed_outer(basis: Floats) -> Floats:
    """a aᵀ of each row of the basis in packed storage (its lower triangle), (n, r(r+1)/2)."""
    i, j = np.tril_indices(basis.shape[1])
    return np.ascontiguousarray(basis[:, i] * basis[:, j])


def _project(basis: Floats, residual: Floats, mu: Values, cov: Values) -> tuple[Values, Values]:
    """Marginals m, s (n, K, V) of the values from the posterior of the weights;  basis : (n, r);  residual : (n,)."""
    i, j = np.tril_indices(basis.shape[1])
    doubled = _packed_outer(basis) * np.where(i == j, 1.0, 2.0)
    m, s = (np.empty((len(basis), *mu.shape[1:]), mu.dtype) for _ in range(2))
    with one_blas_thread():
        project_weights(np.ascontiguousarray(basis), doubled, residual, mu, cov, m, s)
    return m, s
