"""Topics that exchange their subjects at some time: found, and put right where that raises the bound.

A fit may join the first half of one subject to the second half of another. The documents do not mind: the names of the
topics at a time are arbitrary. The prior does, for such topics jump. Steps that each move a little never leave this
optimum, so an exchange is tried as a whole: of two topics, from some node on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from chronotope._typing import Floats, Ints, Values
from chronotope.gp import one_blas_thread
from chronotope.inference.chains import Chains
from chronotope.inference.documents import Batch
from chronotope.inference.natural_gradient import log_normaliser, natural_gradient_step, topic_bounds
from chronotope.inference.posterior import FULL_STEP, TopicPosterior
from chronotope.inference.statistics import Statistics

CLOSE = 1.5  # distance of exchanged topics across a node, relative to theirs as they are, up to which one is tried
TRIED = 16  # maximum number of exchanges tried at a time
STEPS = 3  # global steps of two topics after an exchange, before bounds are compared


class Exchange(NamedTuple):
    """Two topics exchange their names from a node on."""

    node: int
    one: int
    other: int


def candidates(m: Values, tracks: int = 1) -> list[Exchange]:
    """The exchanges that would bring topics nearest together across a node, or nearly so; nearest first.

    m : (S · J, K, V).  Distances are squared ones of the logits at neighbouring nodes, summed over the S tracks.
    """
    found: list[tuple[float, Exchange]] = []
    J, K = len(m) // tracks, m.shape[1]
    for j in range(1, J):
        squares = np.zeros((K, K))
        for first in range(0, len(m), J):
            before, after = (m[first + i].astype(np.float64) for i in (j - 1, j))
            with one_blas_thread():
                together = before @ after.T
            squares += (before**2).sum(axis=1)[:, None] + (after**2).sum(axis=1) - 2.0 * together
        own = np.diag(squares) + 1e-9 * squares.max() + np.finfo(float).tiny
        ratio = (squares + squares.T) / (own[:, None] + own)
        for one, other in np.argwhere(np.triu(ratio < CLOSE, 1)):
            found.append((float(ratio[one, other]), Exchange(j, int(one), int(other))))
    return [exchange for _, exchange in sorted(found)[:TRIED]]


def undo_exchanges(
    docs: Batch, posterior: TopicPosterior, stats: Statistics, chains: Chains, lam: Floats, alpha: Floats
) -> Statistics:
    """Make the exchanges that raise the bound, in place.

    chains, lam : of the documents, updated;  alpha : (K,), or of each document, (D, K)
    Returns the statistics, with the topics exchanged too.
    """
    rows, K, _ = posterior.m.shape
    J = len(posterior.prior.nodes)
    order: Ints = np.tile(np.arange(K), (rows, 1))
    for exchange in candidates(posterior.m, rows // J):
        trial, pair = order.copy(), list(exchange[1:])
        later = np.arange(rows) % J >= exchange.node
        for one, other in (pair, pair[::-1]):
            trial[later, one] = order[later, other]
        gain = _pair_bound(posterior, stats, trial[:, pair]) - _pair_bound(posterior, stats, order[:, pair])
        if gain + _share_gain(docs, lam - alpha, alpha, order, trial) > 0.0:
            order = trial
    if (order != np.arange(K)).any():
        lam[:] = alpha + np.take_along_axis(lam - alpha, order[docs.left], axis=1)
        _rename_tokens(chains, np.argsort(order[docs.left], axis=1))
        posterior.become(posterior.reordered(order))
        n = np.take_along_axis(stats.n, order[:, :, None], axis=1)
        stats = stats._replace(n=n, N=np.take_along_axis(stats.N, order, axis=1))
    return stats


def _pair_bound(posterior: TopicPosterior, stats: Statistics, order: Ints) -> float:
    """The part of the bound of two topics that are those of `order`, (J, 2), at the nodes, after some global steps."""
    g, b, n = (np.take_along_axis(x, order[:, :, None], axis=1) for x in (posterior.g, posterior.b, stats.n))
    N = np.take_along_axis(stats.N, order, axis=1)
    mean, rho = posterior.own_mean(), np.full(2, FULL_STEP)
    for step in range(STEPS + 1):
        m, s, kl = posterior.prior.own.condition(g, b)
        m += mean[:, None]
        s += posterior.common_variance
        log_zeta = log_normaliser(m, s)
        if step < STEPS:
            natural_gradient_step((n, N), (m, s, log_zeta), mean, 0.0, rho, g, b)
    return float(topic_bounds(n, N, m, log_zeta, kl).sum())


def _share_gain(docs: Batch, tokens: Floats, alpha: Floats, order: Ints, trial: Ints) -> float:
    """What another order of the topics gains in the documents' topic shares, if α differs between topics."""
    document, k = np.nonzero((order != trial)[docs.left])  # nothing else changes
    alpha = alpha if alpha.ndim == 1 else alpha.mean(axis=0)  # exchanged topics take their prevalence along
    before, after = (gammaln(alpha[k] + tokens[document, x[docs.left[document], k]]) for x in (order, trial))
    return float((after - before).sum())


def _rename_tokens(chains: Chains, name: Ints) -> None:
    """Give the topics of tokens their new names, in place.   name : (D, K), of each topic in each document."""
    document = np.repeat(np.arange(len(chains.size)), chains.size)
    chains.topic[:] = name[document, chains.topic]
