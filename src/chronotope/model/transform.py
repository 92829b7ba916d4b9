"""Topic shares of documents under learned topics, in blocks of documents, here or on the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import scipy.sparse as sp

from chronotope._typing import Floats, Ints
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

    @property
    def logits(self) -> Callable[..., Iterator[tuple[slice, Logits]]]:
        """Logits at times, in blocks; with tracks as `group`, the number of the group at each time."""


class Learned(NamedTuple):
    """What was learned, as far as documents need it.

    alpha : (K,) or (D, K);  local : how shares are inferred
    track : (D,) group or place of the documents, None if topics have none
    """

    topics: HasLogits
    alpha: Floats
    local: Local
    track: Ints | None = None


R = TypeVar("R")
OfBlock = Callable[..., R]  # function(known, counts, times, number of the block, *given)


AlphaOf = Callable[[slice], Floats]  # α of some rows of a corpus: (K,) for all, or (rows, K)


def by_block(
    function: OfBlock[R],
    known: Learned,
    corpus: Corpus,
    engine: Any,
    *given: Any,
    alpha_of: AlphaOf | None = None,
    track: Ints | None = None,
) -> Iterator[R]:
    """function(known, counts, times, block, *given) for blocks of a corpus, in order; on a cluster if there is one.

    alpha_of : α of documents that have others than `known`, None if they do not
    track : (D,) group or place of each document, None if topics have none
    Blocks are cut by the documents alone, so results do not depend on the cluster.
    """
    rows = list(block_rows(corpus.stored))
    alpha = (lambda chosen: known.alpha) if alpha_of is None else alpha_of
    if engine is None:
        for i, chosen in enumerate(rows):
            own = known._replace(alpha=alpha(chosen), track=of_some(track, chosen))
            yield function(own, corpus.stored[chosen], corpus.times[chosen], i, *given)
        return
    workers = Workers(engine)
    with counts_for_workers(corpus.stored, workers) as place:
        shared, bare = workers.share(known), place.without_rows()
        calls = (
            (
                function,
                shared,
                (alpha(chosen), of_some(track, chosen)),
                bare,
                place.rows[chosen],
                corpus.times[chosen],
                i,
                *given,
            )
            for i, chosen in enumerate(rows)
        )
        yield from workers.map(call_on_block, calls)


def of_some(track: Ints | None, rows: slice) -> Ints | None:
    """The tracks of some rows; None without tracks."""
    return None if track is None else track[rows]


def call_on_block(
    function: OfBlock[R],
    known: Learned,
    own: tuple[Floats, Ints | None],
    place: CountsPlace,
    rows: np.ndarray,
    times: Floats,
    block: int,
    *given: Any,
) -> R:
    """A function of a block whose counts this worker reads.   own : α and tracks of its documents"""
    return function(known._replace(alpha=own[0], track=own[1]), place.read(rows), times, block, *given)


def share_block(
    known: Learned, counts: sp.csr_array, times: Floats, block: int, done: Callable[[int], None] = lambda n: None
) -> Floats:
    """Topic shares of the documents of a block, (D, K).   done : as in `infer_topic_shares`."""
    topics, alpha, local, track = known
    return infer_topic_shares(topics, alpha, local, counts, times, done, track)


def distinct_logits(
    topics: HasLogits, times: Floats, track: Ints | None
) -> tuple[Ints, Iterator[tuple[slice, Logits]]]:
    """The logits at the distinct times of documents, on their tracks, and which of these each document has, (D,)."""
    if track is None:
        stamps, stamp = np.unique(times, return_inverse=True)
        return stamp, topics.logits(stamps)
    points, stamp = np.unique(np.column_stack([track, times]), axis=0, return_inverse=True)
    return stamp.reshape(-1), topics.logits(points[:, 1], group=points[:, 0].astype(np.int64))


def infer_topic_shares(
    topics: HasLogits,
    alpha: Floats,
    local: Local,
    counts: sp.csr_array,
    times: Floats,
    done: Callable[[int], None] = lambda n: None,
    track: Ints | None = None,
) -> Floats:
    """Mean topic shares of documents at any times, each distinct time a node of its own.  Returns (D, K).

    alpha : (K,) or (D, K);  local : "sampled" for shares integrated out, "mean-field" for the paper's;  counts : (D, V)
    times, track : (D,);  done : called with the number of documents just inferred.  Deterministic either way.
    """
    order = np.argsort(times, kind="stable") if track is None else np.lexsort((times, track))
    stamp, logits = distinct_logits(topics, times[order], None if track is None else track[order])
    counts = counts[order]
    lam, prior = np.empty((len(times), alpha.shape[-1])), alpha if alpha.ndim == 1 else alpha[order]
    for rows, (m, s, log_zeta) in logits:
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
