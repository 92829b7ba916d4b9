"""Fitting: local and global steps in turn, over the whole corpus or over minibatches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from chronotope.inference.hyper import learn_alpha, mean_log_shares
from chronotope.inference.local import Documents, Statistics, infer_shares, local_step
from chronotope.inference.posterior import FULL_STEP, TopicPosterior
from chronotope.inference.schedule import caution, robbins_monro

Floats = NDArray[np.float64]

LOCAL_LIMITS = (50, 1e-3)  # most rounds of a document's shares, and the mean change of λ that ends them
AFRESH = (2, 4, 8, 16, 32)  # passes before which the documents are looked at afresh
PATIENCE = 2  # passes in a row that must gain less than the tolerance


@dataclass(frozen=True)
class Settings:
    """How to go about it.

    epochs : most passes over the corpus;  tolerance : relative gain of the bound under which a pass counts as none
    batch_size : documents of a minibatch;  offset, decay : of the Robbins-Monro schedule
    """

    epochs: int
    tolerance: float
    learn_alpha: bool
    batch_size: int
    offset: float
    decay: float


@dataclass
class Progress:
    """What has been done so far; `bounds` holds the ELBO (an estimate of it for minibatches), one value a step."""

    alpha: Floats
    steps: int = 0
    documents: int = 0
    bounds: list[float] = field(default_factory=list)
    mass: Floats | None = None  # expected tokens of each topic at each node, (J, K)
    converged: bool = False


Watch = Callable[[Progress], None]


def cold_shares(docs: Documents, alpha: Floats) -> Floats:
    """λ of documents nothing is known about: every topic the same share of the tokens.  Returns (D, K)."""
    return np.tile(alpha, (len(docs.left), 1)) + docs.lengths[:, None] / len(alpha)


def look_afresh(docs: Documents, posterior: TopicPosterior, alpha: Floats, lam: Floats) -> None:
    """Start every document's shares again from nothing, and keep what has the higher bound: early shares can trap."""
    fresh = cold_shares(docs, alpha)
    bounds = [infer_shares(docs, posterior.m, posterior.log_zeta, alpha, x, LOCAL_LIMITS) for x in (lam, fresh)]
    better = bounds[1] > bounds[0]
    lam[better] = fresh[better]


def fit_batch(docs: Documents, posterior: TopicPosterior, progress: Progress, settings: Settings, watch: Watch) -> None:
    """Passes over the whole corpus; the bound never falls, and ends the fit when it no longer rises."""
    lam, idle = cold_shares(docs, progress.alpha), 0
    for epoch in range(settings.epochs):
        if epoch in AFRESH:
            look_afresh(docs, posterior, progress.alpha, lam)
        stats = local_step(docs, posterior.m, posterior.log_zeta, progress.alpha, lam, LOCAL_LIMITS)
        progress.steps, progress.documents = progress.steps + 1, progress.documents + len(docs.left)
        progress.mass = stats.N
        if posterior.started:
            progress.bounds.append(stats.bound - float(posterior.kl.sum()))
            idle = idle + 1 if gained_little(progress.bounds, settings.tolerance) else 0
        watch(progress)
        if idle >= PATIENCE:
            progress.converged = True
            return
        if settings.learn_alpha and posterior.started:
            progress.alpha = learn_alpha(progress.alpha, mean_log_shares(lam))
        posterior.ascend(stats, caution(epoch))


def gained_little(bounds: list[float], tolerance: float) -> bool:
    """Whether the last entry is above the one before by less than a share `tolerance` of its size."""
    return len(bounds) > 1 and bounds[-1] - bounds[-2] < tolerance * abs(bounds[-1])


class Averages:
    """Running averages over minibatches, per document: expected counts n, N at the nodes, and E log θ.

        n̄ ← (1−ρ) n̄ + ρ n_S/|S|

    The topics are solved for under D n̄. This has the fixed point of the plain stochastic step and far less noise.
    """

    def __init__(self, n: np.ndarray, N: Floats, mean_log: Floats) -> None:
        self.n, self.N, self.mean_log = n, N, mean_log

    def add(self, stats: Statistics, mean_log: Floats, documents: int, rho: float) -> None:
        """Take in a minibatch; its statistics are used up."""
        for mean, new in ((self.n, stats.n), (self.N, stats.N)):
            new *= rho / documents
            mean *= 1.0 - rho
            mean += new
        self.mean_log = (1.0 - rho) * self.mean_log + rho * mean_log

    def of_corpus(self, D: int) -> Statistics:
        """Statistics of a corpus of D documents like those seen."""
        return Statistics(self.n * self.n.dtype.type(D), self.N * D, 0.0)


def stochastic_step(
    batch: Documents,
    D: int,
    posterior: TopicPosterior,
    averages: Averages | None,
    progress: Progress,
    settings: Settings,
) -> Averages:
    """One minibatch of a corpus of D documents: local step, averages, global step."""
    size = len(batch.left)
    lam = cold_shares(batch, progress.alpha)
    stats = local_step(batch, posterior.m, posterior.log_zeta, progress.alpha, lam, LOCAL_LIMITS)
    if posterior.started:
        progress.bounds.append(stats.bound * D / size - float(posterior.kl.sum()))
    rho = robbins_monro(progress.steps, settings.offset, settings.decay)
    if averages is None:
        averages, rho = Averages(np.zeros_like(stats.n), np.zeros_like(stats.N), np.zeros_like(progress.alpha)), 1.0
    averages.add(stats, mean_log_shares(lam), size, rho)
    if settings.learn_alpha and posterior.started:
        progress.alpha = learn_alpha(progress.alpha, averages.mean_log)
    corpus = averages.of_corpus(D)
    posterior.step(corpus, FULL_STEP, max(caution(progress.steps), rho))
    progress.mass = corpus.N
    progress.steps, progress.documents = progress.steps + 1, progress.documents + size
    return averages


def fit_stochastic(
    docs: Documents,
    posterior: TopicPosterior,
    progress: Progress,
    settings: Settings,
    rng: np.random.Generator,
    watch: Watch,
) -> None:
    """Passes over minibatches drawn without replacement; ends when a pass no longer raises the bound."""
    averages: Averages | None = None
    D, passes = len(docs.left), [-np.inf]
    for _ in range(settings.epochs):
        batches = np.array_split(rng.permutation(D), -(-D // settings.batch_size))
        for rows in batches:
            averages = stochastic_step(docs.take(np.sort(rows)), D, posterior, averages, progress, settings)
            watch(progress)
        passes.append(float(np.mean(progress.bounds[-len(batches) :] or [-np.inf])))
        if gained_little(passes, settings.tolerance):
            progress.converged = True
            return
