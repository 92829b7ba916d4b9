"""The joint posterior of what groups share and of the parts of their own: draws from it, and its evidence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chronotope._typing import Floats, Values
from chronotope.gp.base import root
from chronotope.gp.blas import one_blas_thread
from chronotope.gp.shared import Posterior, Sites, TopicPrior
from chronotope.kernels import Kernel

RANK = 48  # maximum number of directions that the evidence considers
LOST = 1e-10  # part of the largest eigenvalue of a covariance below which a direction is left out
BLOCK = 64  # groups at a time, to take little memory


def sites_of_sums(own: Sites, shared: Values) -> Sites:
    """Sites on f_s = u + e_s, from those on e_s and the mean of u, (J, 1, K)."""
    return Sites(own.g + own.b * shared, own.b)


class JointPosterior:
    """What G groups share, u, and the part that each has of its own, e_s, for each of K topics.

        f_s = u + e_s,   u ~ GP(0, κ_u),   e_s ~ GP(0, κ_e),   sites Π_s Π_j exp(g_js f_s(z_j) − b_js f_s(z_j)²/2)

    The fit takes u and e_s for independent, so each is more certain there than it is: where u is higher, all e_s are
    lower. Here both are drawn together. With the e_s integrated out, u has the precision K_u⁻¹ + Σ_s M_s and

        M_s = (K_e + B_s⁻¹)⁻¹,   Σ_s (I + B_s K_e)⁻¹ g_s = Σ_s (g_s − M_s K_e g_s)  in place of g

    and given u the groups are independent, with sites g_s − b_s u on e_s.
    """

    def __init__(self, posterior: Posterior) -> None:
        """posterior : with sites (J, G, K) on e_s and (J, 1, K) on u, as the fit leaves them."""
        prior, own, common = posterior
        assert prior.common is not None
        assert common is not None
        self.prior: TopicPrior = prior
        self.g, self.b = sites_of_sums(own, prior.common.condition(*common).m)
        with one_blas_thread():
            values, vectors = np.linalg.eigh(prior.common.kernel(prior.nodes))
            kept = values > LOST * values[-1]
            self._root: Floats = vectors[:, kept] * np.sqrt(values[kept])  # u = Q v,  v ~ N(0, I) under the prior
            self._inverse: Floats = vectors[:, kept] / np.sqrt(values[kept])
            K_e = prior.own.kernel(prior.nodes)
            parts = [self._of_topic(k, K_e) for k in range(own.g.shape[2])]
        self._mean, self._spread = (np.stack(part) for part in zip(*parts, strict=True))  # (K, r), (K, r, r) of v

    def _of_topic(self, k: int, K_e: Floats) -> tuple[Floats, Floats]:
        """Posterior mean of v, (r,), and a matrix that turns standard normal draws into its deviations."""
        Q = self._root
        precision, h = np.zeros_like(K_e), np.zeros(len(K_e))
        for first in range(0, self.g.shape[1], BLOCK):
            g, b = (x[:, first : first + BLOCK, k].T for x in (self.g, self.b))  # (groups, J)
            R = np.sqrt(b)
            inner = np.eye(len(K_e)) + R[:, :, None] * K_e * R[:, None]
            M = R[:, :, None] * np.linalg.inv(inner) * R[:, None]
            precision += M.sum(axis=0)
            h += (g - np.einsum("sij,sj->si", M, g @ K_e)).sum(axis=0)
        factor = np.linalg.cholesky(np.eye(Q.shape[1]) + Q.T @ precision @ Q)
        spread = np.linalg.inv(factor).T  # its product with the transpose is the covariance
        return spread @ (spread.T @ (Q.T @ h)), spread

    def draws(self, times: Floats, groups: Sequence[int | None], n: int, rng: np.random.Generator) -> Floats:
        """Joint draws of f_s of some groups at any times (T,), and of u for None: (n, T, groups, K)."""
        K, named = len(self._mean), [s for s in groups if s is not None]
        with one_blas_thread():
            read, left = self._reading(times)
            v = self._mean + np.einsum("kij,nkj->nki", self._spread, rng.standard_normal((n, *self._mean.shape)))
            shared = np.einsum("ti,nki->ntk", read, v) + left @ rng.standard_normal((n, len(times), K))
            found = np.repeat(shared[:, :, None], len(groups), axis=2)
            if named:
                u = np.einsum("ji,nki->jnk", self._root, v).reshape(-1, 1, n * K)
                g, b = (np.tile(x[:, named], n) for x in (self.g, self.b))  # all draws at once
                own = self.prior.own.draw(times, g - b * u, b, rng).reshape(len(times), len(named), n, K)
                found[:, :, [i for i, s in enumerate(groups) if s is not None]] += own.transpose(2, 0, 1, 3)
        return found

    def _reading(self, times: Floats) -> tuple[Floats, Floats]:
        """How u is drawn at any times, given v: R v + L ε, with R, (T, r), and L, (T, T)."""
        assert self.prior.common is not None
        kernel = self.prior.common.kernel
        read = kernel(times, self.prior.nodes) @ self._inverse
        return read, root(kernel(times) - read @ read.T)


def joint_evidence(kernel: Kernel, share: float, nodes: Floats, sites: Sites, rank: int = RANK) -> float:
    """log Z of sites on sums f_s = u + e_s, under κ_u = ρ κ and κ_e = (1 − ρ) κ, relative to that of the prior.

        log Z = Σ_k { Σ_s ½ [cᵀ S⁻¹ c (1 − ρ) − log|S|] + ½ [hᵀ P⁻¹ h ρ − log|P|] }
        S = I + (1 − ρ) A,   c = Φᵀg,   A = Φᵀ B Φ        of each group, in the basis Φ Φᵀ = κ at the nodes
        P = I + ρ Σ_s A S⁻¹,   h = Σ_s S⁻¹ c              of what they share

    share : ρ;  sites : (J, G, K);  rank : of the basis, at most; the directions of the largest variance are taken
    """
    with one_blas_thread():
        values, vectors = np.linalg.eigh(kernel(nodes))
        basis = (vectors * np.sqrt(np.maximum(values, 0.0)))[:, -rank:]
        (J, G, K), r = sites.g.shape, basis.shape[1]
        squares = (basis[:, :, None] * basis[:, None]).reshape(J, r * r)
        A = (sites.b.reshape(J, G * K).T @ squares).reshape(G, K, r, r)
        c = (sites.g.reshape(J, G * K).T @ basis).reshape(G, K, r, 1)
        S = np.eye(r) + (1.0 - share) * A
        solved = np.linalg.solve(S, np.concatenate([A, c], axis=3))  # S⁻¹A = A S⁻¹, both are functions of A
        P = np.eye(r) + share * solved[..., :r].sum(axis=0)
        h = solved[..., r:].sum(axis=0)
        own = (1.0 - share) * (c * solved[..., r:]).sum() - np.linalg.slogdet(S)[1].sum()
        shared = share * (h * np.linalg.solve(P, h)).sum() - np.linalg.slogdet(P)[1].sum()
    return 0.5 * float(own + shared)
