"""Learning α, the prior on topic shares."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, polygamma

Floats = NDArray[np.float64]

LOWEST = 1e-3


def mean_log_shares(lam: Floats) -> Floats:
    """Mean over documents of E log θ_k = ψ(λ_k) − ψ(λ_0).   lam : (D, K).  Returns (K,)."""
    mean: Floats = (digamma(lam) - digamma(lam.sum(axis=1, keepdims=True))).mean(axis=0)
    return mean


def learn_alpha(alpha: Floats, mean_log: Floats, rounds: int = 20) -> Floats:
    """The Dirichlet prior under which the documents' shares are most likely, by Newton steps in linear time.

        f(α) = log Γ(α_0) − Σ log Γ(α_k) + Σ (α_k − 1) E log θ_k,   H = diag(−ψ'(α_k)) + ψ'(α_0)        [Minka 2000]

    alpha, mean_log : (K,).  No step takes more than half of an α_k away, so all stay positive.
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
