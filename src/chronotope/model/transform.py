"""Topic shares of documents under learned topics, in blocks of documents, here or on the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import scipy.sparse as sp

from chronotope._typing import Floats
from chronotope.cluster.workers import Workers
from chronotope.corpus.corpus import Corpus
from chronotope.corpus.counts import block_rows
from chronotope.corpus.placed import CountsPlace, counts_for_workers
from chronotope.inference.cvb0 import collapsed_shares
from chronotope.inference.documents import documents_at_nodes, uniform_lambda
from chronotope.inference.meanfield import infer_shares
from chronotope.inference.state import Local
from chronotope.topics import Logits


class HasLogits(Protocol):
    """Topics, as scores need them; see `Topics.logits`."""

    def logits(self, times: Floats, /) -> Iterator[tuple[slice, Logits]]:
        """Logits at times, in blocks."""


class Learned(NamedTuple):
    """What was learned, as far as documents need it.   alpha : (K,) or (D, K);  local : how shares are inferred."""

    topics: HasLogits
    alpha: Floats
    local: Local


R = TypeVar("R")
OfBlock = Callable[..., R]  # function(known, counts, times, number of the block, *given)


AlphaOf = Callable[[slice], Floats]  # α of some rows of a corpus: (K,) for all, or (rows, K)


def by_block(
    function: OfBlock[R], known: Learned, corpus: Corpus, engine: Any, *given: Any, alpha_of: AlphaOf | None = None
) -> Iterator[R]:
    """function(known, counts, times, block, *given) for blocks of a corpus, in order; on a cluster if there is one.

    alpha_of : α of documents that have others than `known`, None if they do not
    Blocks are cut by the documents alone, so results do not depend on the cluster.
    """
    rows = list(block_rows(corpus.stored))
    alpha = (lambda chosen: known.alpha) if alpha_of is None else alpha_of
    if engine is None:
        for i, chosen in enumerate(rows):
            own = known._replace(alpha=alpha(chosen))
            yield function(own, corpus.stored[chosen], corpus.times[chosen], i, *given)
        return
    workers = Workers(engine)
    with counts_for_workers(corpus.stored, workers) as place:
        shared, bare = workers.share(known), place.without_rows()
        calls = (
            (function, shared, alpha(chosen), bare, place.rows[chosen], corpus.times[chosen], i, *given)
            for i, chosen in enumerate(rows)
        )
        yield from workers.map(call_on_block, calls)


def call_on_block(
    function: OfBlock[R],
    known: Learned,
    alpha: Floats,
    place: CountsPlace,
    rows: np.ndarray,
    times: Floats,
    block: int,
    *given: Any,
) -> R:
    """A function of a block whose counts this worker reads."""
    return function(known._replace(alpha=alpha), place.read(rows), times, block, *given)


def share_block(
    known: Learned, counts: sp.csr_array, times: Floats, block: int, done: Callable[[int], None] = lambda n: None
) -> Floats:
    """Topic shares of the documents of a block, (D, K).   done : as in `infer_topic_shares`."""
    return infer_topic_shares(*known, counts, times, done)


def infer_topic_shares(
    topics: HasLogits,
    alpha: Floats,
    local: Local,
    counts: sp.csr_array,
    times: Floats,
    done: Callable[[int], None] = lambda n: None,
) -> Floats:
    """Mean topic shares of documents at any times, each distinct time a node of its own.  Returns (D, K).

    alpha : (K,) or (D, K);  local : "sampled" for shares integrated out, "mean-field" for the paper's;  counts : (D, V)
    times : (D,);  done : called with the number of documents just inferred.  Deterministic either way.
    """
    order = np.argsort(times, kind="stable")
    stamps, stamp = np.unique(times[order], return_inverse=True)
    counts = counts[order]
    lam, prior = np.empty((len(times), alpha.shape[-1])), alpha if alpha.ndim == 1 else alpha[order]
    for rows, (m, s, log_zeta) in topics.logits(stamps):
        here = np.flatnonzero((stamp >= rows.start) & (stamp < rows.stop))
        docs = documents_at_nodes(counts[here], stamp[here] - rows.start)
        own = prior if prior.ndim == 1 else prior[here]
        shares = uniform_lambda(docs, own)
        if local == "sampled":
            collapsed_shares(docs, m + m.dtype.type(0.5) * s, log_zeta, own, shares)
        else:
            infer_shares(docs, m, log_zeta, own, shares)
        lam[order[here]] = shares
        done(len(here))
    lam /= lam.sum(axis=1, keepdims=True)
    return lam
