"""Topic shares of documents under learned topics."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np
import scipy.sparse as sp

from chronotope._typing import Floats
from chronotope.inference.cvb0 import collapsed_shares
from chronotope.inference.documents import documents_at_nodes, uniform_lambda
from chronotope.inference.meanfield import infer_shares
from chronotope.inference.state import Local
from chronotope.topics import Logits


class HasLogits(Protocol):
    """Topics, as scores need them; see `Topics.logits`."""

    def logits(self, times: Floats, /) -> Iterator[tuple[slice, Logits]]:
        """Logits at times, in blocks."""


def infer_topic_shares(
    topics: HasLogits,
    alpha: Floats,
    local: Local,
    counts: sp.csr_array,
    times: Floats,
    done: Callable[[int], None] = lambda n: None,
) -> Floats:
    """Mean topic shares of documents at any times, each distinct time a node of its own.  Returns (D, K).

    alpha : (K,);  local : "sampled" for shares integrated out, "mean-field" for the paper's;  counts : (D, V)
    times : (D,);  done : called with the number of documents just inferred.  Deterministic either way.
    """
    order = np.argsort(times, kind="stable")
    stamps, stamp = np.unique(times[order], return_inverse=True)
    counts = counts[order]
    lam = np.empty((len(times), len(alpha)))
    for rows, (m, s, log_zeta) in topics.logits(stamps):
        here = np.flatnonzero((stamp >= rows.start) & (stamp < rows.stop))
        docs = documents_at_nodes(counts[here], stamp[here] - rows.start)
        shares = uniform_lambda(docs, alpha)
        if local == "sampled":
            collapsed_shares(docs, m + m.dtype.type(0.5) * s, log_zeta, alpha, shares)
        else:
            infer_shares(docs, m, log_zeta, alpha, shares)
        lam[order[here]] = shares
        done(len(here))
    lam /= lam.sum(axis=1, keepdims=True)
    return lam
