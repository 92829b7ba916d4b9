"""How probable the words of documents are under the topics of any time."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from chronotope._typing import Floats, Ints, Values
from chronotope.dating.weights import damped
from chronotope.inference.documents import documents_at_nodes, uniform_lambda
from chronotope.inference.meanfield import infer_shares
from chronotope.topics import Topics, expected_share

NODES = 130  # maximum number of times at which topics are asked
WIDTH, PULL = 0.04, 0.05  # of the prevalence: part of the span it is smoothed over, and the part of its mean over time
KEPT = 50_000_000  # probabilities that are kept at most
FIRST, NEXT = (25, 1e-3), (8, 1e-3)  # maximum iterations and tolerance of shares at the first time, and at the others


class Evidence:
    """The evidence of documents at times: log p(words | τ), topic shares integrated out by a mean field.

    topics : of a fitted model;  alpha : (K,), whose mean over time the prior on shares keeps
    """

    def __init__(self, topics: Topics, alpha: Floats) -> None:
        nodes = topics.times
        if len(nodes) > NODES:
            nodes = nodes[np.unique(np.linspace(0, len(nodes) - 1, NODES).round().astype(int))]
        self.topics, self.nodes = topics, nodes
        self.alpha = alpha.sum() * prevalence_at(topics, nodes)

    def of(self, counts: sp.csr_array) -> Floats:
        """log p(damped words | node), about, (D, J).   counts : (D, V)."""
        docs = documents_at_nodes(damped(counts), np.zeros(counts.shape[0], np.int64))
        found, lam = np.empty((counts.shape[0], len(self.nodes))), uniform_lambda(docs, self.alpha[0])
        for rows, (m, s, log_zeta) in self.topics.logits(self.nodes):
            logits = m + m.dtype.type(0.5) * s
            for i, j in enumerate(range(rows.start, min(rows.stop, len(self.nodes)))):
                at = slice(i, i + 1)
                found[:, j] = infer_shares(docs, logits[at], log_zeta[at], self.alpha[j], lam, NEXT if j else FIRST)
        return found

    def shares(self, counts: sp.csr_array, j: int) -> Floats:
        """Topic shares of one document at a node, (K,).   counts : (1, V)."""
        docs = documents_at_nodes(damped(counts), np.zeros(1, np.int64))
        lam = uniform_lambda(docs, self.alpha[j])
        for _, (m, s, log_zeta) in self.topics.logits(self.nodes[j : j + 1]):
            infer_shares(docs, m + m.dtype.type(0.5) * s, log_zeta, self.alpha[j], lam, FIRST)
        shares: Floats = lam[0] / lam[0].sum()
        return shares

    def probabilities(self, columns: Ints) -> Floats:
        """Probabilities of some words in the topics at the nodes, (J, W, K)."""
        if self.whole is not None:
            return self.whole[:, columns]
        found = [expected_share(*at).swapaxes(1, 2) for at in self._logits(columns)]
        return np.concatenate(found)

    @cached_property
    def whole(self) -> Floats | None:
        """Those of all words, (J, V, K), if they are not too many to be kept."""
        size = len(self.nodes) * self.alpha.shape[1] * len(self.topics.vocabulary)
        if size > KEPT:
            return None
        return np.concatenate(
            [expected_share(*at).swapaxes(1, 2).astype(np.float32) for at in self._logits(slice(None))]
        )

    def _logits(self, columns: Ints | slice) -> Iterator[tuple[Values, Values, Floats]]:
        """m, s and log ζ of some words at the nodes, in blocks of these."""
        for _, (m, s, log_zeta) in self.topics.logits(self.nodes):
            yield m[:, :, columns], s[:, :, columns], log_zeta[:, :, None]


def prevalence_at(topics: Topics, times: Floats) -> Floats:
    """The prevalence of the topics at times, smoothed, (n, K); rows sum to 1."""
    span = max(topics.times[-1] - topics.times[0], np.finfo(float).tiny)
    near = np.exp(-0.5 * ((times[:, None] - topics.times) / (WIDTH * span)) ** 2) + 1e-12
    share, mean = near @ topics.mass, topics.mass.sum(axis=0) / topics.mass.sum()
    share = share / share.sum(axis=1, keepdims=True) + PULL * mean
    found: Floats = np.maximum(share / (1.0 + PULL), 1e-9)
    return found
