"""Hyperparameters: α, the Dirichlet prior of the topic shares θ, and the parameters of the kernel."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from scipy.optimize import Bounds, minimize
from scipy.special import digamma, logsumexp, polygamma

from chronotope._typing import Floats, Mask, Values
from chronotope.gp import Sites, TopicPrior, topic_prior
from chronotope.inference.documents import Statistics
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
    A step lowers no α_k by more than half, so all stay positive.
    """
    for _ in range(rounds):
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


Objective = Literal["prediction", "bound"]

CELLS = 300_000  # nodes × topics × words used: a sample of the words is enough for a few parameters
REACH = np.log(4.0)  # maximum change of a log parameter per call: the topics have to follow
EVALUATIONS = 16  # maximum number of evaluations of the objective
STEP = 1e-3  # of the finite differences, in log parameters
RANGE = np.log(1e5)  # maximum distance of a log parameter from its start


def without_own_site(m: Values, s: Values, g: Values, b: Values) -> Values:
    """Leave-one-out logits m₋ + s₋/2 at every node, from the sites of all others, (J, K, V).

        s₋ = s / (1 − b s),   m₋ = (m − s g) / (1 − b s)

    m, s, g, b : (J, K, V);  m is the mean of the deviations from m₀
    """
    logits: Values = (m - s * g + m.dtype.type(0.5) * s) / np.maximum(m.dtype.type(1.0) - b * s, m.dtype.type(1e-6))
    return logits


def left_out_deviations(prior: TopicPrior, sites: Sites, common: Sites) -> Values:
    """Leave-one-out logits m₋ + s₋/2 of all topics at every node, (J, K, V): own part and common part."""
    logits = without_own_site(*prior.own.condition(*sites)[:2], *sites)
    if prior.common is not None:
        logits = logits + without_own_site(*prior.common.condition(*common)[:2], *common)
    return logits


def predict_left_out(posterior: TopicPosterior) -> Values:
    """Leave-one-out logits m₀ + m₋ + s₋/2 of all topics at every node, (J, K, V); see `without_own_site`."""
    own, common = Sites(posterior.g, posterior.b), Sites(posterior.common.g, posterior.common.b)
    deviations = left_out_deviations(posterior.prior, own, common)
    return posterior.mean.astype(posterior.m.dtype) + deviations


def predicted_likelihood(prior: TopicPrior, sites: Sites, common: Sites, n: Floats, mean: Floats) -> float:
    """Log-likelihood of every node's tokens, predicted from all other nodes.

        Σ_j Σ_kv n_kv(z_j) log softmax_v(m₀ + m₋ + s₋/2)        m₋, s₋ : see `without_own_site`

    sites, n : (J, K, V);  common : (J, 1, V) sites;  mean : (V,) m₀
    The leave-one-out likelihood of Gaussian process regression, for words.
    """
    logits = mean + left_out_deviations(prior, sites, common)
    return float((n * logits).sum() - (n.sum(axis=2) * logsumexp(logits, axis=2)).sum())


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
    """What to learn of P kernel parameters.   free : (P,) mask;  start : (P,) logs;  objective : to maximise."""

    free: Mask
    start: Floats
    objective: Objective


def what_to_learn(kernel: Kernel, given: bool | Literal["bound"]) -> Learning | None:
    """What to learn of a kernel, starting from its values: all parameters but periods; None for nothing."""
    free = np.array([not name.endswith("period") for name in kernel.theta_names], dtype=bool)
    if not given or not free.any():
        return None
    return Learning(free, kernel.theta, "bound" if given == "bound" else "prediction")


def learn_kernel(posterior: TopicPosterior, stats: Statistics, learning: Learning) -> Kernel:
    """The kernel that maximises the objective, prediction or bound, for the current sites and statistics."""
    free, start, objective = learning
    kernel, (J, K, V) = posterior.prior.kernel, posterior.g.shape
    some = slice(None, None, max(1, J * K * V // CELLS))
    arrays = posterior.g, posterior.b, posterior.common.g, posterior.common.b, stats.n
    g, b, common_g, common_b, n = (np.ascontiguousarray(x[:, :, some], dtype=np.float64) for x in arrays)
    sites = Sites(g, b), Sites(common_g, common_b)
    mean, theta = posterior.mean[some], kernel.theta
    tokens = max(float(n.sum()), 1.0)

    def with_free(values: Floats) -> Kernel:
        full = theta.copy()
        full[free] = values
        return kernel.with_theta(full)

    def loss(values: Floats) -> float:
        prior = topic_prior(with_free(values), posterior.prior.nodes, posterior.prior.share)
        if objective == "bound":
            return -evidence(prior, *sites) / tokens
        return -predicted_likelihood(prior, *sites, n, mean) / tokens

    low, high = (np.clip(theta + side * REACH, start - RANGE, start + RANGE)[free] for side in (-1.0, 1.0))
    found = minimize(
        loss,
        theta[free],
        method="L-BFGS-B",
        bounds=Bounds(low, high),
        options={"maxfun": EVALUATIONS, "eps": STEP},
    )
    return with_free(found.x) if found.fun <= loss(theta[free]) else kernel
