"""Documents whose dates are rough go where they are drawn to be; see `whereabouts`.

The draw depends on the topics of the tokens and on the posterior alone, not on where a document was before.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from chronotope._typing import Floats, Ints
from chronotope.inference.chains import Chains
from chronotope.inference.documents import Documents
from chronotope.inference.posterior import TopicPosterior
from chronotope.inference.spread import weigh_batch
from chronotope.inference.store import ENOUGH, DocumentStore
from chronotope.inference.tables import TopicTables
from chronotope.inference.whereabouts import draw_times, spans

AT_ONCE = 20_000  # documents
VAGUE = 0.25  # part of all candidate times over which a date may be spread, from which on little is known of it


def relocated(
    docs: Documents | DocumentStore,
    posterior: TopicPosterior,
    known: Chains | Floats | None,
    alpha: Floats,
    seed: list[int],
    rows: Ints | None = None,
) -> Documents | DocumentStore:
    """The same documents, those of some rows whose dates are rough where they are drawn to be.

    known : of all documents, the chains or λ, None for nothing;  alpha : (K,), or of all documents, (D, K)
    seed : of the draw;  rows : default None for all
    """
    if not isinstance(docs, DocumentStore) or docs.where is None or known is None:
        return docs
    where, rng, nodes = docs.where, np.random.default_rng(seed), posterior.prior.nodes
    chosen = np.arange(len(where.date)) if rows is None else np.flatnonzero(np.isin(where.document, rows))
    topics = TopicTables(posterior.expected_logits(), posterior.s, posterior.log_zeta)
    times = np.empty(len(chosen))
    for some in pieces_of(len(chosen)):
        at, date = where.document[chosen[some]], where.date[chosen[some]]
        theta = mean_shares(known, alpha, at)
        first = len(nodes) * docs.track_of(at).astype(np.int64)[:, None]  # rows of the nodes of their tracks
        found = weigh_batch(docs.batch(at), spans(where, nodes)[date] + first, topics, theta)
        found = np.take_along_axis(found, first + np.arange(len(nodes)), axis=1)
        times[some] = draw_times(where, nodes, found, date, rng)
    return docs.moved(where.document[chosen], times)


def rows_with_dates(docs: Documents | DocumentStore) -> Ints | None:
    """Documents of whose dates much is known; None if these are all, or too few."""
    if not isinstance(docs, DocumentStore) or docs.where is None:
        return None
    where, D = docs.where, len(docs.stamp)
    total = where.times[-1] - where.times[0]
    spread = np.array([np.ptp(where.times[mass > 0.0]) for mass in where.mass])
    vague = where.document[(spread > VAGUE * total)[where.date]]
    return np.delete(np.arange(D), vague) if 0 < len(vague) <= (1.0 - ENOUGH) * D else None


def without_waiting(rows: Ints, docs: Documents | DocumentStore) -> Ints:
    """Those of some rows of whose dates much is known; all of them if there are none such, or too few in all."""
    dated = rows_with_dates(docs)
    known = rows if dated is None else np.intersect1d(rows, dated)
    return known if len(known) else rows


def pieces_of(n: int) -> Iterator[slice]:
    """The numbers below n in pieces."""
    return (slice(start, min(start + AT_ONCE, n)) for start in range(0, n, AT_ONCE))


def mean_shares(known: Chains | Floats, alpha: Floats, rows: Ints) -> Floats:
    """Mean topic shares of some documents, given the topics of their tokens, or λ;  (R, K)."""
    prior = alpha if alpha.ndim == 1 else alpha[rows]
    lam = prior + known.take(rows).held(alpha.shape[-1]) if isinstance(known, Chains) else known[rows]
    shares: Floats = lam / lam.sum(axis=1, keepdims=True)
    return shares
