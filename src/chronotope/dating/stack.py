"""Several kinds of evidence weighed against each other, so that what they say together is as sure as it should be.

    log p(τ | document) = Σ_f β_f f(τ) + const

f are curves over candidate times, β ≥ 0 makes the dates of documents that none of them has seen most probable. With
negative β, differences between curves would tell which dates have no text, which is no evidence.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax

from chronotope._typing import Floats, Ints

PENALTY = 3e-4  # on squares of β, of curves divided by their spread, for a mean over documents
FEW = 400  # documents below which it is larger, as if it were for the sum over so many


def fit_coefficients(curves: Floats, cell: Ints, weight: Floats | None = None) -> Floats:
    """β of the curves, (F,), by maximum likelihood; concave.

    curves : (F, D, C);  cell : (D,) the true candidates;  weight : (D,) of documents, default None for 1
    """
    F, D, _ = curves.shape
    centred = curves - curves.mean(axis=2, keepdims=True)
    spread = np.maximum(centred.std(axis=(1, 2)), 1e-9)
    G = centred / spread[:, None, None]
    weight = np.ones(D) if weight is None else weight
    penalty = PENALTY * max(1.0, FEW / D)
    at, size = G[:, np.arange(D), cell] @ weight, weight.sum()

    def loss(beta: Floats) -> tuple[float, Floats]:
        Z = np.tensordot(beta, G, 1)
        total = logsumexp(Z, axis=1)
        gradient = np.einsum("fdc,dc->f", G, np.exp(Z - total[:, None]) * weight[:, None]) - at
        value = weight @ total - beta @ at
        return float(value) / size + 0.5 * penalty * float(beta @ beta), gradient / size + penalty * beta

    limits = [(0.0, None)] * F
    found = minimize(loss, np.full(F, 0.1), jac=True, method="L-BFGS-B", bounds=limits, options={"maxiter": 500})
    beta: Floats = found.x / spread
    return beta


def posterior(curves: Floats, beta: Floats, log_prior: Floats | None = None) -> Floats:
    """p(τ = t_c | document), (D, C); rows sum to 1.

    log_prior : (D, C) or (C,) what else is known of the date, −∞ where it cannot be; default None for nothing
    """
    Z = np.tensordot(beta, curves, 1)
    found: Floats = softmax(Z if log_prior is None else Z + log_prior, axis=1)
    return found


def quantiles(mass: Floats, edges: Floats, levels: Floats) -> Floats:
    """Quantiles of dates whose mass is spread evenly in each cell, (D, n).   mass : (D, C);  edges : (C + 1,)."""
    below = np.concatenate([np.zeros((len(mass), 1)), np.cumsum(mass, axis=1)], axis=1)
    below /= below[:, -1:]
    return np.array([np.interp(levels, row + 1e-12 * np.arange(len(row)), edges) for row in below])


def holding_levels(mass: Floats, cell: Ints, wanted: Floats, weight: Floats | None = None) -> Floats:
    """Levels of central intervals that hold the true dates of some parts of the documents, (n,).

    A date inside a cell is taken to be in its middle.

    mass : (D, C);  cell : (D,) the true candidates;  wanted : (n,) parts of the documents, increasing
    weight : (D,) of documents, default None for 1
    """
    below = np.cumsum(mass, axis=1)
    at = np.arange(len(cell)), cell
    held = np.clip(np.abs(2.0 * (below[at] - 0.5 * mass[at]) - 1.0), 0.0, 1.0)
    order = np.argsort(held)
    part = np.cumsum(np.ones(len(held)) if weight is None else weight[order])
    found: Floats = np.interp(wanted, part / part[-1], held[order])
    return found
