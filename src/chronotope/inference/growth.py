"""Documents added to a fitted model: their statistics are added to the earlier ones, on a time grid that grows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from scipy.special import softmax

from chronotope._typing import Floats, Values
from chronotope.gp import Posterior, Sites, Tracks
from chronotope.gp.grid import Growth
from chronotope.inference.documents import Documents
from chronotope.inference.loop import learned_alpha, local_step
from chronotope.inference.posterior import TopicPosterior, caution
from chronotope.inference.share_prior import SharePrior
from chronotope.inference.share_tables import Covariates
from chronotope.inference.shares import Shares
from chronotope.inference.state import Progress, Settings
from chronotope.inference.statistics import Statistics

ROUNDS = 5  # alternating local and global steps on new documents


def statistics_of_sites(posterior: TopicPosterior, N: Floats) -> Statistics:
    """Expected counts that the sites determine.

        n = g − b E[e] + N exp(m + s/2 − log ζ)        e : the topics' own deviations

    Exact at a fixed point of the global step, for any caution; else the error is quadratic in the distance from it.
    N : (J, K) totals of the counts
    """
    n = posterior.implied_counts(N)
    np.maximum(n, 0.0, out=n)
    total = n.sum(axis=2, dtype=np.float64)
    n *= np.divide(N, total, out=np.zeros_like(N), where=total > 0)[:, :, None].astype(n.dtype)
    return Statistics(n, N, 0.0)


def updated_mean(mean: Floats, tokens: float, counts: sp.csr_array) -> Floats:
    """Prior mean after more documents: log frequencies of all words so far, centred.

        m₀ = log f,  f ∝ counts + 1      so earlier counts are (tokens + V) f − 1

    mean : (V,) m₀ so far;  tokens : so far;  counts : (D, V'), columns of new words last.  Returns (V',).
    """
    totals = np.ones(counts.shape[1])
    totals[: len(mean)] = (tokens + len(mean)) * softmax(mean)
    totals += np.asarray(counts.sum(axis=0), dtype=np.float64)
    logits = np.log(totals)
    moved: Floats = logits - logits.mean()
    return moved


def grown_posterior(
    posterior: TopicPosterior, growth: Growth, mean: Floats, tracks: Tracks | None = None
) -> TopicPosterior:
    """The same topics on more nodes, with more words and another prior mean; new nodes and words have no sites.

        g' = g + b (m₀ − m₀')        the same site on β, expressed as a deviation from m₀'

    The common part, if there is one, takes the shift for all topics.
    growth : nodes added before and after;  mean : (V',) m₀'
    tracks : with new groups after those there were; None without groups and places
    """
    V, prior, S = len(posterior.mean), posterior.prior, 1 if tracks is None else tracks.size
    shift = (posterior.mean - mean[:V]).astype(posterior.g.dtype)
    own, shared = posterior.sites()[1:]
    if shared is None:
        own = Sites(own.g + own.b * shift, own.b)
    else:
        shared = _pad_sites(Sites(shared.g + shared.b * shift, shared.b), growth, len(mean), S)
    grown = prior.on(growth.nodes, tracks)
    return TopicPosterior.from_sites(Posterior(grown, _pad_sites(own, growth, len(mean), S), shared), mean)


def grown_statistics(stats: Statistics, growth: Growth, V: int, S: int = 1) -> Statistics:
    """The same counts on more nodes, with more words; their counts are 0.   V, S : new numbers of words and tracks."""
    return Statistics(_pad(stats.n, growth, V, S), _pad(stats.N[:, :, None], growth, 1, S)[:, :, 0], stats.bound)


def _pad(x: Values, growth: Growth, V: int, S: int) -> Values:
    """Values on more nodes, (S' · J', K, V'), from (S · J, K, V); 0 at the new ones."""
    J = len(growth.nodes) - growth.before - growth.after
    by_track = x.reshape(-1, J, *x.shape[1:])
    ends = (0, S - len(by_track)), (growth.before, growth.after), (0, 0), (0, V - x.shape[2])
    return np.pad(by_track, ends).reshape(-1, x.shape[1], V)


def _pad_sites(sites: Sites, growth: Growth, V: int, S: int) -> Sites:
    return Sites(_pad(sites.g, growth, V, S), _pad(sites.b, growth, V, S))


def fit_new_documents(
    docs: Documents,
    D: int,
    known: Statistics | None,
    posterior: TopicPosterior,
    progress: Progress,
    settings: Settings,
    at: Covariates | None = None,
) -> None:
    """Local and global steps on new documents, added to the statistics of earlier ones.

        n ← n_known + n_new

    Earlier documents are neither processed again nor forgotten.
    D : documents so far, with the new ones;  known : statistics of earlier documents, None for the first ones
    at : what prevalence follows, None if it does not
    """
    size, prevalence = len(docs.left), progress.prevalence
    shares, before = Shares.fresh(docs, progress.alpha_of(at), settings.local), progress.alpha
    earlier = None if prevalence is None or known is None else replace(prevalence)
    for i in range(ROUNDS):
        stats = local_step(docs, posterior, progress, shares, settings, i)
        progress.steps, progress.documents = progress.steps + 1, progress.documents + size
        if posterior.started:
            progress.add(stats, posterior.total_kl, D / size)
            if prevalence is not None and at is not None:
                learn_prevalence(prevalence, earlier, at, shares, D)
                shares = shares._replace(alpha=prevalence.alpha(at))
                progress.alpha = before + size / D * (shares.alpha.mean(axis=0) - before)
            elif settings.learn_alpha:
                progress.alpha = before + size / D * (learned_alpha(shares) - before)
                shares = shares._replace(alpha=progress.alpha)
        if known is not None:
            stats = Statistics(stats.n + known.n, stats.N + known.N, 0.0)
        posterior.step_common(stats, caution(i))
        with posterior.no_descent(stats):
            posterior.step(stats, posterior.step_size, caution(i))
    progress.mass = stats.N
    if prevalence is not None:
        prevalence.add_doubt()


def learn_prevalence(
    prevalence: SharePrior, earlier: SharePrior | None, at: Covariates, shares: Shares, D: int
) -> None:
    """A step on prevalence from documents, beside what was known of earlier ones, None if these are the first."""
    if earlier is None:
        prevalence.update(at, shares.lam, shares.alpha, D, 1.0)
    else:
        prevalence.add(earlier, at, shares.lam, shares.alpha, D)
