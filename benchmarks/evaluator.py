"""One evaluator for all systems: it knows nothing but their topics at the held-out times."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import scipy.sparse as sp

from benchmarks.documents import Documents
from chronotope.inference.documents import documents_at_nodes, uniform_lambda
from chronotope.inference.meanfield import infer_shares
from chronotope.model.completion import split_tokens

TopicsAt = Callable[[np.ndarray], np.ndarray]  # times (n,) to word probabilities (n, K, V)

ALPHAS = (0.05, 0.1, 0.3)  # every system is given the one that suits it best
STAMPS = 64  # held-out times looked at together
LIMITS = (100, 1e-4)  # maximum iterations of a document's shares, and the mean change that ends them
LEAST = 1e-12  # probability added to every word's, so that none is impossible


def held_out_perplexity(test: Documents, topics_at: TopicsAt) -> float:
    """Per-word perplexity by document completion, with the best of ALPHAS.

        log p = Σ_w n_w log Σ_k θ_k π_kw(τ)        θ by a mean field from a random half of the document's tokens

    test : in order of time.
    """
    totals, tokens = np.zeros(len(ALPHAS)), 0.0
    for seen, scored, node, stamps in _pieces(test):
        pi = np.asarray(topics_at(stamps), dtype=np.float32)
        if not np.allclose(pi.sum(axis=2), 1.0, atol=1e-3):
            raise ValueError("topics are not distributions: their words' probabilities do not sum to 1.")
        totals += [_log_likelihood(seen, scored, node, pi, alpha) for alpha in ALPHAS]
        tokens += scored.sum()
    return float(np.exp(-totals.max() / tokens))


def _pieces(test: Documents) -> Iterator[tuple[sp.csr_array, sp.csr_array, np.ndarray, np.ndarray]]:
    """Both halves of the documents at a few times, which of these each is at, and the times."""
    seen, scored = split_tokens(sp.csr_array(test.counts), seed=0)
    stamps, stamp = np.unique(test.times, return_inverse=True)
    for first in range(0, len(stamps), STAMPS):
        rows = np.flatnonzero((stamp >= first) & (stamp < first + STAMPS))
        yield seen[rows], scored[rows], stamp[rows] - first, stamps[first : first + STAMPS]


def _log_likelihood(seen: sp.csr_array, scored: sp.csr_array, node: np.ndarray, pi: np.ndarray, alpha: float) -> float:
    """log p of the scored halves, all documents together.   pi : (n, K, V)"""
    K = pi.shape[1]
    docs, prior = documents_at_nodes(seen, node), np.full(K, alpha)
    lam = uniform_lambda(docs, prior)
    infer_shares(docs, np.log(np.maximum(pi, LEAST)), np.zeros(pi.shape[:2]), prior, lam, LIMITS)
    theta = lam / lam.sum(axis=1, keepdims=True)
    words = scored.tocoo()
    likelihood = (theta[words.row] * pi[node[words.row], :, words.col]).sum(axis=1)
    return float((words.data * np.log(likelihood + LEAST)).sum())
