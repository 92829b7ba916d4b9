"""How probable the words of documents are at the nodes of the time grid, given their topic shares."""

from __future__ import annotations

import math

import numpy as np

from chronotope._typing import Array, Floats, Ints
from chronotope.inference.documents import Documents
from chronotope.inference.lanes import LANES, dot, padded
from chronotope.inference.tables import TopicTables
from chronotope.loops import FAST, outer, run_loop

LEAST = np.float32(1e-30)  # lower limit of a word's probability


@outer(fastmath=FAST)
def _weigh(first: int, last: int, docs: Array, span: Array, table: Array, theta: Array, out: Array) -> None:
    """Documents from first to last; see `node_likelihoods`.

    docs : indptr, indices, data;  span : (D, 2);  table : (J, V, K) E, padded;  theta : (D, K), padded
    out : (D, J), filled between the nodes of `span`
    """
    indptr, indices, data = docs
    for d in range(first, last):
        for j in range(span[d, 0], span[d, 1] + 1):
            total = 0.0
            for i in range(indptr[d], indptr[d + 1]):
                p = np.float32(0.0)
                for k in range(0, table.shape[2], LANES):
                    p += dot(theta[d], table[j, indices[i]], k)
                total += data[i] * math.log(max(p, LEAST))
            out[d, j] = total


def node_likelihoods(docs: Documents, span: Ints, topics: TopicTables, theta: Floats) -> Floats:
    """Log-likelihood of the words of documents at nodes, (D, J), 0 at nodes that are not asked for.

        ℓ_dj = Σ_v n_dv log Σ_k θ_dk E_vk(z_j),        E_vk = exp(m_kv + s_kv/2 − log ζ_k)

    span : (D, 2) first and last node of each document;  theta : (D, K) shares
    """
    table, shares = topics.by_word(True)[0], np.zeros((len(theta), padded(theta.shape[1])), np.float32)
    shares[:, : theta.shape[1]] = theta
    found = np.zeros((len(theta), len(table)))
    run_loop(_weigh, len(theta), (docs.indptr, docs.indices, docs.data), span, table, shares, found)
    return found
