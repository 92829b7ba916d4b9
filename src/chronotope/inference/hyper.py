"""Hyperparameters: α, the Dirichlet prior of the topic shares θ, and the parameters of the kernel."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import Bounds, minimize
from scipy.special import digamma, polygamma

from chronotope._typing import Floats, Mask
from chronotope.gp import Sites, TopicPrior, is_allowed
from chronotope.inference.posterior import TopicPosterior
from chronotope.kernels import Kernel

LOWEST, HIGHEST = 1e-3, 10.0  # limits of α_k
SAMPLE = 5_000  # documents from which α is learned


def mean_log_shares(lam: Floats) -> Floats:
    """Mean over documents of E log θ_k = ψ(λ_k) − ψ(λ_0).   lam : (D, K).  Returns (K,)."""
    mean: Floats = (digamma(lam) - digamma(lam.sum(axis=1, keepdims=True))).mean(axis=0)
    return mean


def learn_alpha(alpha: Floats, mean_log: Floats, rounds: int = 20) -> Floats:
    """The α that maximises the documents' part of the bound, by Newton steps in linear time.

        f(α) = log Γ(α_0) − Σ log Γ(α_k) + Σ (α_k − 1) E log θ_k,   H = diag(−ψ'(α_k)) + ψ'(α_0)        [Minka 2000]

    alpha : (K,), the start;  mean_log : (K,) E log θ;  rounds : maximum iterations.  Returns (K,).
    A step lowers no α_k by more than half, so all stay positive. One topic alone has share 1 for any α.
    """
    for _ in range(rounds if len(alpha) > 1 else 0):
        gradient = digamma(alpha.sum()) - digamma(alpha) + mean_log
        diagonal = -polygamma(1, alpha)
        shared = (gradient / diagonal).sum() / (1.0 / polygamma(1, alpha.sum()) + (1.0 / diagonal).sum())
        step = (gradient - shared) / diagonal
        new = np.maximum(np.maximum(alpha - step, 0.5 * alpha), LOWEST)
        change, alpha = np.max(np.abs(new - alpha) / alpha), new
        if change < 1e-6:
            break
    return alpha


def learn_alpha_from_tokens(alpha: Floats, totals: Floats, rounds: int = 3) -> Floats:
    """The α under which the sampled topics of documents are most probable, θ integrated out, by fixed-point steps.

        α_k ← α_k Σ_d [ψ(n_dk + α_k) − ψ(α_k)] / Σ_d [ψ(n_d + α_0) − ψ(α_0)]        [Minka 2000, eq. 55]

    alpha : (K,), the start;  totals : (D, K) n_dk, tokens of each topic;  rounds : iterations.  Returns (K,).
    Of many documents a sample is used; without tokens α stays as it is.
    """
    totals = totals[:: max(1, len(totals) // SAMPLE)]
    lengths = totals.sum(axis=1)
    for _ in range(rounds):
        own = (digamma(totals + alpha) - digamma(alpha)).sum(axis=0)
        together = float((digamma(lengths + alpha.sum()) - digamma(alpha.sum())).sum())
        if together > 0.0:
            alpha = np.clip(alpha * own / together, LOWEST, HIGHEST)
    return alpha


CELLS = 300_000  # nodes × topics × words used: a sample of the words is enough for a few parameters
REACH = np.log(4.0)  # maximum change of a log parameter per call: the topics have to follow
EVALUATIONS = 16  # maximum number of evaluations of the objective
STEP = 1e-3  # of the finite differences, in log parameters
RANGE = np.log(1e5)  # maximum distance of a log parameter from its start


def evidence(prior: TopicPrior, sites: Sites, common: Sites) -> float:
    """The bound as a function of the kernel, for fixed sites.

        log Z = Σ_j [g m − b (m² + s)/2] − KL        m : mean of the deviations from m₀

    Its gradient is that of the bound at the optimum of the sites.   sites : (J, K, V);  common : (J, 1, V)
    """
    total = 0.0
    for structure, (g, b) in ((prior.own, sites), (prior.common, common)):
        if structure is not None:
            m, s, kl = structure.condition(g, b)
            total += float((g * m - 0.5 * b * (m**2 + s)).sum() - kl.sum())
    return total


class Learning(NamedTuple):
    """What to learn of P kernel parameters by the bound.   free : (P,) mask;  start : (P,) logs."""

    free: Mask
    start: Floats


def what_to_learn(kernel: Kernel) -> Learning | None:
    """What to learn of a kernel by the bound, starting from its values: all but periods; None for nothing."""
    free = np.array([not name.endswith("period") for name in kernel.theta_names], dtype=bool)
    return Learning(free, kernel.theta) if free.any() else None


def learn_kernel(posterior: TopicPosterior, learning: Learning) -> Kernel:
    """The kernel that maximises the bound for the current sites."""
    free, start = learning
    kernel, (J, K, V) = posterior.prior.kernel, posterior.g.shape
    some = slice(None, None, max(1, J * K * V // CELLS))
    arrays = posterior.g, posterior.b, posterior.common.g, posterior.common.b
    g, b, common_g, common_b = (np.ascontiguousarray(x[:, :, some], dtype=np.float64) for x in arrays)
    sites, theta, cells = (Sites(g, b), Sites(common_g, common_b)), kernel.theta, g.size

    def with_free(values: Floats) -> Kernel:
        full = theta.copy()
        full[free] = values
        return kernel.with_theta(full)

    def loss(values: Floats) -> float:
        return -evidence(posterior.prior.with_kernel(with_free(values)), *sites) / cells

    low, high = (np.clip(theta + side * REACH, start - RANGE, start + RANGE)[free] for side in (-1.0, 1.0))
    found = minimize(
        loss,
        theta[free],
        method="L-BFGS-B",
        bounds=Bounds(low, high),
        options={"maxfun": EVALUATIONS, "eps": STEP},
    )
    best = with_free(found.x)
    return best if found.fun <= loss(theta[free]) and is_allowed(best, posterior.prior.nodes) else kernel
