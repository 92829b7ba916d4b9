"""Regressions of dates on words: their own kind of evidence, since they ask which words tell times apart."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax
from sklearn.linear_model import Ridge

from chronotope._typing import Floats, Mask

STEPS = 80  # maximum number of steps of the optimisation
STRAIGHT = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)  # penalties of the linear regression, of which the best is taken
ASIDE = 0.1  # part of the documents by which it is


def fit_classes(X: sp.csr_array, targets: Floats, penalty: float, start: Floats | None = None) -> Floats:
    """Multinomial logistic regression of dates: weights of words, and in the last row intercepts, (V + 1, B).

        minimise  −Σ_db q_db log softmax(x_d W + w₀)_b + penalty/2 Σ W²

    X : (D, V) profiles of documents;  targets : (D, B) q, rows sum to 1;  start : weights to begin with, or None
    """
    (D, V), B = X.shape, targets.shape[1]
    transposed, base = sp.csr_array(X.T), np.log(targets.mean(axis=0) + 1e-9)

    def loss(flat: Floats) -> tuple[float, Floats]:
        W = flat.reshape(V + 1, B)
        Z = X @ W[:V] + W[V]
        total = logsumexp(Z, axis=1)
        gradient = np.empty_like(W)
        rest = np.exp(Z - total[:, None]) - targets
        gradient[:V] = transposed @ rest + penalty * W[:V]
        gradient[V] = rest.sum(axis=0)
        value = total.sum() - (targets * Z).sum() + 0.5 * penalty * (W[:V] ** 2).sum()
        return float(value) / D, gradient.ravel() / D

    first = np.vstack([np.zeros((V, B)), base]) if start is None else start
    found = minimize(loss, first.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": STEPS, "maxcor": 8})
    weights: Floats = found.x.reshape(V + 1, B)
    return weights


def class_scores(X: sp.csr_array, weights: Floats) -> Floats:
    """log p(bin) of documents, (D, B).   X : (D, V);  weights : (V + 1, B)."""
    Z = X @ weights[:-1] + weights[-1]
    scores: Floats = Z - logsumexp(Z, axis=1, keepdims=True)
    return scores


def near_bins(times: Floats, bins: Floats, least: float = 0.0) -> Floats:
    """How much a time belongs to each bin, a Gaussian as wide as they are apart, or wider, (n, B); rows sum to 1."""
    width = max(bins[1] - bins[0] if len(bins) > 1 else 1.0, least)
    found: Floats = softmax(-0.5 * ((times[:, None] - bins) / width) ** 2, axis=1)
    return found


def fit_line(X: sp.csr_array, times: Floats) -> Floats:
    """Linear regression of dates: weights of words, and in the last entry the intercept, (V + 1,).

    The penalty is the best of some, by the absolute error on documents that are left aside.
    """
    rows_of, middle, spread = sp.csr_matrix(X), times.mean(), max(float(times.std()), 1e-9)
    y, aside = (times - middle) / spread, np.zeros(len(times), np.bool_)
    aside[np.random.default_rng(0).permutation(len(times))[: max(1, round(ASIDE * len(times)))]] = True

    def fitted(penalty: float, rows: Mask) -> Ridge:
        return Ridge(penalty, solver="sparse_cg", tol=1e-3, max_iter=300).fit(rows_of[rows], y[rows])

    errors = [np.abs(fitted(penalty, ~aside).predict(rows_of[aside]) - y[aside]).mean() for penalty in STRAIGHT]
    best = fitted(STRAIGHT[int(np.argmin(errors))], np.ones(len(times), np.bool_))
    line: Floats = spread * np.append(best.coef_, best.intercept_)
    line[-1] += middle
    return line
