"""Documents that come after others: their statistics are added to those at the nodes of a grid that grows."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.special import digamma, softmax

from chronotope._typing import Floats, Values
from chronotope.gp import choose_structure
from chronotope.gp.grid import Growth
from chronotope.inference.documents import Documents, Statistics, uniform_lambda
from chronotope.inference.hyper import learn_alpha, mean_log_shares
from chronotope.inference.loop import caution, local_step
from chronotope.inference.posterior import TopicPosterior
from chronotope.inference.state import Progress, Settings

ROUNDS = 5  # local and global steps on new documents, in turn, before their statistics stay as they are


def statistics_of_sites(posterior: TopicPosterior, N: Floats) -> Statistics:
    """The counts that the sites stand for:  n = g − b (m − m₀) + N exp(m + s/2 − log ζ).   N : (J, K), their totals

    This is exact where the global step has come to rest, whatever its caution, and else off by what m has yet to move,
    squared.
    """
    n = posterior.expected_logits()
    n -= posterior.log_zeta[:, :, None].astype(n.dtype)
    np.exp(n, out=n)
    n *= N[:, :, None].astype(n.dtype)
    n += posterior.g
    n -= posterior.b * (posterior.m - posterior.mean.astype(n.dtype))
    np.maximum(n, 0.0, out=n)
    total = n.sum(axis=2, dtype=np.float64)
    n *= np.divide(N, total, out=np.zeros_like(N), where=total > 0)[:, :, None].astype(n.dtype)
    return Statistics(n, N, 0.0)


def updated_mean(mean: Floats, tokens: float, counts: sp.csr_array) -> Floats:
    """The prior's mean after more documents: log frequencies of all words so far, of mean 0.

        m₀ = log f,  f ∝ counts + 1      so the counts before were (tokens + V) f − 1

    mean : (V,), of the words so far;  counts : (D, V') with the new words last.  Returns (V',).
    """
    totals = np.ones(counts.shape[1])
    totals[: len(mean)] = (tokens + len(mean)) * softmax(mean)
    totals += np.asarray(counts.sum(axis=0), dtype=np.float64)
    logits = np.log(totals)
    moved: Floats = logits - logits.mean()
    return moved


def grown_posterior(posterior: TopicPosterior, growth: Growth, mean: Floats) -> TopicPosterior:
    """The same topics on more nodes, with more words, around another mean: the prior tells what the sites do not.

    g' = g + b (m₀ − m₀')      the same site on f, seen from another mean; nothing at new nodes and of new words
    """
    V = len(posterior.mean)
    shift = (posterior.mean - mean[:V]).astype(posterior.g.dtype)
    g, b = (_pad(x, growth, len(mean)) for x in (posterior.g + posterior.b * shift, posterior.b))
    structure = choose_structure(posterior.structure.kernel, growth.nodes)
    return TopicPosterior.from_sites(structure, g, b, mean)


def grown_statistics(stats: Statistics, growth: Growth, V: int) -> Statistics:
    """The same counts on more nodes, with more words, of which there were none."""
    N = np.pad(stats.N, ((growth.before, growth.after), (0, 0)))
    return Statistics(_pad(stats.n, growth, V), N, stats.bound)


def _pad(x: Values, growth: Growth, V: int) -> Values:
    return np.pad(x, ((growth.before, growth.after), (0, 0), (0, V - x.shape[2])))


def fit_new_documents(
    docs: Documents, D: int, known: Statistics | None, posterior: TopicPosterior, progress: Progress, settings: Settings
) -> None:
    """Steps on new documents until their topics have settled, beside what is known from earlier ones.

        n ← n_known + n_new

    D : documents in all;  known : None if these are the first.
    An earlier document is neither looked at again nor forgotten.
    """
    size = len(docs.left)
    lam, before = uniform_lambda(docs, progress.alpha), digamma(progress.alpha) - digamma(progress.alpha.sum())
    for i in range(ROUNDS):
        stats = local_step(docs, posterior, progress, lam, settings)
        progress.steps, progress.documents = progress.steps + 1, progress.documents + size
        if posterior.started:
            progress.bounds.append(stats.bound * D / size - float(posterior.kl.sum()))
            progress.seen.append(progress.documents)
            if settings.learn_alpha:
                mean_log = before + size / D * (mean_log_shares(lam) - before)
                progress.alpha = learn_alpha(progress.alpha, mean_log)
        if known is not None:
            stats = Statistics(stats.n + known.n, stats.N + known.N, 0.0)
        with posterior.no_descent(stats):
            posterior.step(stats, posterior.step_size, caution(i))
    progress.mass = stats.N
