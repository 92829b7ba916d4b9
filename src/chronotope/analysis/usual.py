"""Topics as they usually are around a time, and what of the text belongs to them.

A topic that is fitted with few documents at a time follows their words, and may take those of another topic there. The
means of topics over a window of time do not: with them, a word that one topic has lent to another is no burst of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from chronotope._typing import Floats, Ints, Values
from chronotope.analysis.bursts import Windows
from chronotope.inference.cvb0 import collapsed_shares
from chronotope.inference.documents import documents_at_nodes, uniform_lambda
from chronotope.topics import Topics, expected_share

CENTRES = 24  # maximum number of times around which topics are averaged


class UsualTopics(NamedTuple):
    """Mean topics π̄ around C times.   rate : (C, K, V), rows sum to 1;  centre : (B,), the time next to each bin."""

    rate: Values
    centre: Ints

    def shares(self, alpha: Floats, counts: sp.csr_array, place: Ints) -> Floats:
        """Topic shares θ of documents under these topics, (D, K).   counts : (D, V);  place : (D,), their bins."""
        node = self.centre[place]
        order = np.argsort(node, kind="stable")
        docs = documents_at_nodes(counts[order], node[order])
        lam, logits = uniform_lambda(docs, alpha), np.log(np.maximum(self.rate, 1e-30))
        collapsed_shares(docs, logits, np.zeros(logits.shape[:2]), alpha, lam)
        theta = np.empty_like(lam)
        theta[order] = lam / lam.sum(axis=1, keepdims=True)
        return theta


def usual_topics(topics: Topics, windows: Windows) -> UsualTopics:
    """Topics averaged over windows, two for each window's length, in all at most `CENTRES`."""
    nodes = windows.nodes
    span = float(nodes[-1] - nodes[0])
    number = int(min(np.ceil(2.0 * span / windows.length), CENTRES - 1)) + 1 if windows.length > 0 else 1
    at = np.unique(np.searchsorted(nodes, np.linspace(nodes[0], nodes[-1], number)))
    wide = Windows(nodes, max(windows.length, span / max(number - 1, 1)))
    rate = np.empty((len(at), topics.n_topics, len(topics.vocabulary)), np.float32)
    for k in range(topics.n_topics):
        rate[:, k] = wide.mean(topic_rates(topics, k, nodes))[at]
    return UsualTopics(rate, np.abs(nodes[:, None] - nodes[at]).argmin(axis=1))


def usual_counts(usual: UsualTopics, alpha: Floats, counts: sp.csr_array, place: Ints) -> Callable[[int], sp.csr_array]:
    """A function that gives the expected counts of a topic in documents, (D, V) sparse:  n_dv φ_dvk,  φ_dvk ∝ θ_dk π̄_kv

    counts : (D, V) n;  place : (D,), bins of the documents
    """
    theta, document = usual.shares(alpha, counts, place), np.repeat(np.arange(len(place)), np.diff(counts.indptr))
    node = usual.centre[place][document]

    def likely(k: int) -> Floats:
        weight: Floats = usual.rate[node, k, counts.indices] * theta[document, k]
        return weight

    total = np.maximum(sum(likely(k) for k in range(len(alpha))), np.finfo(float).tiny)

    def of_topic(k: int) -> sp.csr_array:
        return sp.csr_array((counts.data * likely(k) / total, counts.indices, counts.indptr), shape=counts.shape)

    return of_topic


def topic_rates(topics: Topics, k: int, times: Floats) -> Floats:
    """Expected probabilities of all words of a topic at times, (T, V)."""
    rate = np.empty((len(times), len(topics.vocabulary)))
    for rows, (m, s, log_zeta) in topics.logits(times, k):
        rate[rows] = expected_share(m[:, 0], s[:, 0], log_zeta)
    return rate
