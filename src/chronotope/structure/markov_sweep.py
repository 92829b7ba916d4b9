"""One forward and one backward sweep over the nodes of a Markov process, for many words at once.

Sites exp(g f − b f²/2) on the value f = H x of the state x turn the prior chain into a posterior chain. The filter is
in covariance form and the smoother in adjoint form: nothing is inverted, so constant components (no process noise),
equal times and rank-deficient states need no special care.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, prange

from chronotope.structure.markov_states import condition_states
from chronotope.structure.markov_values import compiled, condition_values

WORDS = 64  # words that share one task: their scratch stays in the second-level cache
Array = Any  # arrays of compiled code: shapes in the docstrings


@njit(cache=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _misfit(g: Array, b: Array, m: Array, s: Array) -> float:
    """Σ_v [g m − b (m² + s)/2] at one node."""
    total = 0.0
    for v in range(len(g)):
        total += g[v] * m[v] - 0.5 * b[v] * (m[v] * m[v] + s[v])
    return total


@compiled
def _open(places: Array, sites: Array, k: int, v0: int, B: int) -> Any:
    """Sites of words v0 … v0 + B of topic k along the chain, (J, B) each, and room for y, sig, r (J, B) and log Z."""
    (site, _), (g, b) = places, sites
    J = len(site)
    gj, bj = np.zeros((J, B), g.dtype), np.zeros((J, B), g.dtype)
    for j in range(J):
        if site[j] >= 0:
            for v in range(B):
                gj[j, v] = g[site[j], k, v0 + v]
                bj[j, v] = b[site[j], k, v0 + v]
    return (gj, bj), (np.empty((J, B)), np.empty((J, B)), np.empty((J, B))), np.empty(B)


@compiled
def _close(places: Array, sites: Array, kept: Array, log_z: Array, out: Array, k: int, v0: int) -> None:
    """Write the block's marginals and KL where they belong."""
    row, (gj, bj), y, sig = places[1], sites, kept[0], kept[1]
    m, s, kl = out
    total = 0.0
    for j in range(len(row)):
        total += _misfit(gj[j], bj[j], y[j], sig[j])
        if row[j] >= 0:
            for v in range(len(log_z)):
                m[row[j], k, v0 + v] = y[j, v]
                s[row[j], k, v0 + v] = sig[j, v]
    for v in range(len(log_z)):
        total -= log_z[v]
    kl[k, v0 // WORDS] = total


@compiled
def _block_of_values(model: Array, places: Array, sites: Array, out: Array, task: Any) -> None:
    _, A, Q, P0, level = model
    k, v0 = task // out[2].shape[1], (task % out[2].shape[1]) * WORDS
    here, kept, log_z = _open(places, sites, k, v0, min(WORDS, sites[0].shape[2] - v0))
    condition_values(A[:, 0, 0], Q[:, 0, 0], P0[0, 0], level, here, kept, log_z)
    _close(places, here, kept, log_z, out, k, v0)


@compiled
def _block_of_states(model: Array, places: Array, sites: Array, out: Array, task: Any) -> None:
    k, v0 = task // out[2].shape[1], (task % out[2].shape[1]) * WORDS
    here, kept, log_z = _open(places, sites, k, v0, min(WORDS, sites[0].shape[2] - v0))
    condition_states(model, here, kept, log_z)
    _close(places, here, kept, log_z, out, k, v0)


@njit(cache=True, parallel=True)
def _sweep_values(model: Array, places: Array, sites: Array, out: Array) -> None:
    for task in prange(out[2].size):
        _block_of_values(model, places, sites, out, np.int64(task))


@njit(cache=True, parallel=True)
def _sweep_states(model: Array, places: Array, sites: Array, out: Array) -> None:
    for task in prange(out[2].size):
        _block_of_states(model, places, sites, out, np.int64(task))


def sweep(model: Array, places: Array, sites: Array, out: Array) -> None:
    """Posterior marginals of every word's value at the nodes of a chain, and its KL to the prior.

        KL = Σ_j [g m − b (m² + s)/2] − log Z

    model  : (H, A, Q, P0, level) with H (S,), A and Q (J, S, S), P0 (S, S); level : variance of a constant added to a
        state of size one, 0 for none
    places : (J,) which row of the sites holds at a node, −1 for none, and (J,) where its answer goes, −1 for nowhere
    sites  : g, b (R, K, V);  out : m, s (rows, K, V), and kl (K, blocks of words), filled
    """
    H = model[0]
    values = len(H) == 1 and H[0] == 1.0
    (_sweep_values if values else _sweep_states)(model, places, sites, out)
