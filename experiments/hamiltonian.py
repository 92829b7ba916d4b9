"""Hamiltonian Monte Carlo for the topics of a small corpus: the exact posterior, to compare bands with.

    log p(β, η | documents) = Σ_d Σ_v n_dv log Σ_k θ_dk π_kv(τ_d) + Σ_d Σ_k α log θ_dk − ½ Σ_kv β_kv·K⁻¹β_kv + const.
    π_k(τ) = softmax β_k(τ),   θ_d = softmax η_d        α log θ: the Dirichlet density with the Jacobian of the softmax

β is whitened, β = R x with K = R Rᵀ. A normal prior on the mean of η_d, which θ_d does not depend on, keeps it there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from chronotope import Corpus

Floats = NDArray[np.float64]
Pair = tuple[Floats, Floats]  # of x and of η
Given = tuple[Floats, Floats, NDArray[np.intp], float]  # root, counts, times, alpha
LEAPS = 30  # leapfrog steps of a proposal
ACCEPTED = 0.8  # share of proposals that the step size is tuned to


def sample_topics(
    corpus: Corpus, covariance: Floats, start: Floats, alpha: float, seed: int, warm_up: int = 500, draws: int = 1000
) -> Floats:
    """Draws of the word probabilities, (draws, T, K, V).

    covariance : (T, T) of the kernel at the times;  start : (T, K, V) probabilities to start from
    """
    rng, (T, K, V) = np.random.default_rng(seed), start.shape
    counts, times = corpus.counts.toarray().astype(np.float64), np.unique(corpus.times, return_inverse=True)[1]
    root = np.linalg.cholesky(covariance + 1e-9 * np.eye(T))
    logits = np.log(start)
    x = np.linalg.solve(root, (logits - logits.mean(axis=2, keepdims=True)).reshape(T, -1)).reshape(T, K, V)
    eta = np.zeros((len(counts), K))
    step, kept = 0.02, []
    value, gradient = _log_density(x, eta, root, counts, times, alpha)
    for i in range(warm_up + draws):
        x, eta, value, gradient, accepted = _proposal(x, eta, value, gradient, step, (root, counts, times, alpha), rng)
        if i < warm_up:
            step *= np.exp((accepted - ACCEPTED) / np.sqrt(1 + i))
        else:
            kept.append(softmax(np.tensordot(root, x, axes=1), axis=2))
    return np.array(kept)


def _proposal(
    x: Floats, eta: Floats, value: float, gradient: Pair, step: float, given: Given, rng: np.random.Generator
) -> tuple[Floats, Floats, float, Pair, float]:
    """One trajectory, accepted or not; returns the new state and the probability of acceptance."""
    momentum = rng.standard_normal(x.shape), rng.standard_normal(eta.shape)
    p, q = momentum[0] + 0.5 * step * gradient[0], momentum[1] + 0.5 * step * gradient[1]
    new_x, new_eta = x, eta
    leaps = int(rng.integers(LEAPS // 2, LEAPS + 1))
    for leap in range(leaps):
        new_x, new_eta = new_x + step * p, new_eta + step * q
        new_value, new_gradient = _log_density(new_x, new_eta, *given)
        size = step if leap < leaps - 1 else 0.5 * step
        p, q = p + size * new_gradient[0], q + size * new_gradient[1]
    before = value - 0.5 * sum((m**2).sum() for m in momentum)
    after = new_value - 0.5 * ((p**2).sum() + (q**2).sum())
    chance = float(np.exp(min(0.0, after - before))) if np.isfinite(after) else 0.0
    if rng.random() < chance:
        return new_x, new_eta, new_value, new_gradient, chance
    return x, eta, value, gradient, chance


def _log_density(
    x: Floats, eta: Floats, root: Floats, counts: Floats, times: NDArray[np.intp], alpha: float
) -> tuple[float, Pair]:
    """The log posterior density of x and η, and its gradients."""
    pi, theta = softmax(np.tensordot(root, x, axes=1), axis=2), softmax(eta, axis=1)
    at = pi[times]  # (D, K, V)
    mixed = np.maximum(np.einsum("dk,dkv->dv", theta, at), 1e-300)
    log_theta = np.log(np.maximum(theta, 1e-300))
    centre = eta.mean(axis=1, keepdims=True)
    value = (counts * np.log(mixed)).sum() + alpha * log_theta.sum() - 0.5 * (x**2).sum() - 0.5 * (centre**2).sum()
    per_token = counts / mixed
    of_theta = np.einsum("dv,dkv->dk", per_token, at)
    of_eta = theta * (of_theta - (theta * of_theta).sum(axis=1, keepdims=True))
    of_eta += alpha * (1.0 - theta * theta.shape[1]) - centre / eta.shape[1]
    of_pi = np.zeros_like(pi)
    np.add.at(of_pi, times, theta[:, :, None] * per_token[:, None, :])
    of_beta = pi * (of_pi - (pi * of_pi).sum(axis=2, keepdims=True))
    return value, (np.tensordot(root.T, of_beta, axes=1) - x, of_eta)
