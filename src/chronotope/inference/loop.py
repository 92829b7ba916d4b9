"""Fitting: local and global steps in turn, over the whole corpus or over minibatches."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from chronotope._typing import Floats
from chronotope.gp import choose_structure
from chronotope.inference.documents import Documents, DocumentStore, Statistics, uniform_lambda
from chronotope.inference.hyper import Learning, learn_alpha, learn_kernel, mean_log_shares, predict_left_out
from chronotope.inference.meanfield import infer_shares, meanfield_step
from chronotope.inference.natural_gradient import log_normaliser
from chronotope.inference.posterior import FULL_STEP, TopicPosterior
from chronotope.inference.sampled import sampled_step
from chronotope.inference.state import Averages, Local, Progress, Settings, State, Watch

MEANFIELD_LIMITS = (8, 1e-3)  # maximum iterations of a document's shares, and the mean change of λ that ends them
REINITIALISE = (2, 4, 8, 16, 32)  # passes before which mean-field shares are reinitialised
SWEEPS = 5, 3  # burn-in and kept sweeps of a document from a uniform start: continuing from its last shares traps it
LEARN = (1, 2, 3, 5, 8, 12, 16, 20, 25, 30)  # passes after which the kernel is learned
LEARN_STEPS = (4, 8, 16, 32, 64, 128, 256)  # steps on minibatches after which it is
WINDOW = 4  # bounds whose mean is compared where the local step is sampled
PATIENCE = 2  # passes in a row without gain after which a fit has converged


def fit_whole(docs: Documents | DocumentStore, state: State, settings: Settings, watch: Watch) -> None:
    """Passes over the whole corpus until the bound no longer rises; with a mean field it never falls."""
    posterior, progress, _ = state
    batch = docs.take_all()
    lam = progress.lam = uniform_lambda(batch, progress.alpha) if progress.lam is None else progress.lam
    while progress.steps < settings.epochs and not progress.converged:
        epoch = progress.steps
        if epoch in REINITIALISE and settings.local == "mean-field":
            reinitialise(batch, posterior, progress.alpha, lam)
        stats = local_step(batch, posterior, progress, lam, settings, sweeps_in_pass(epoch))
        progress.steps, progress.documents = progress.steps + 1, progress.documents + len(batch.left)
        progress.mass = stats.N
        if posterior.started:
            progress.bounds.append(stats.bound - float(posterior.kl.sum()))
            progress.seen.append(progress.documents)
            count_idle(progress, recent_means(progress.bounds, settings.local), settings.tolerance)
        if not progress.converged:
            if settings.learn_alpha and posterior.started:
                progress.alpha = learn_alpha(progress.alpha, mean_log_shares(lam))
            with posterior.no_descent(stats):
                posterior.step(stats, posterior.step_size, caution(epoch))
            if settings.learning is not None and epoch in LEARN:
                update_kernel(posterior, batch, progress.alpha, lam, settings.learning)
                batch = batch.placed(posterior.structure.kernel, posterior.structure.nodes)
                progress.idle = 0
        watch(progress)


def fit_minibatches(docs: Documents | DocumentStore, state: State, settings: Settings, watch: Watch) -> None:
    """Passes over minibatches drawn without replacement, until they no longer raise the bound."""
    posterior, progress, rng = state
    D = len(docs.left)
    pieces = -(-D // settings.batch_size)
    while progress.steps < settings.epochs * pieces and not progress.converged:
        place = progress.steps % pieces
        if place == 0 or progress.order is None:
            progress.order = rng.permutation(D)
        batch = docs.take(np.sort(np.array_split(progress.order, pieces)[place]))
        minibatch_step(batch, D, posterior, progress, settings)
        if settings.learning and progress.steps in LEARN_STEPS:
            lam = uniform_lambda(batch, progress.alpha)
            update_kernel(posterior, batch, progress.alpha, lam, settings.learning)
            docs = docs.placed(posterior.structure.kernel, posterior.structure.nodes)
        if place == pieces - 1:
            count_idle(progress, last_passes(progress.bounds, pieces), settings.tolerance)
        watch(progress)


Train = Callable[[Documents | DocumentStore, State, Settings, Watch], None]


def training_loop(settings: Settings, D: int) -> Train:
    """The loop that fits a corpus of D documents with these settings."""
    return fit_whole if settings.batch_size >= D else fit_minibatches


def minibatch_step(batch: Documents, D: int, posterior: TopicPosterior, progress: Progress, settings: Settings) -> None:
    """One minibatch of a corpus of D documents: local step, running averages, global step."""
    size = len(batch.left)
    lam = uniform_lambda(batch, progress.alpha)
    stats = local_step(batch, posterior, progress, lam, settings)
    if posterior.started:
        progress.bounds.append(stats.bound * D / size - float(posterior.kl.sum()))
        progress.seen.append(progress.documents + size)
    rho = robbins_monro(progress.steps, settings.offset, settings.decay)
    if progress.averages is None:
        nothing = np.zeros_like(stats.n), np.zeros_like(stats.N), np.zeros_like(progress.alpha)
        progress.averages, rho = Averages(*nothing), 1.0
    progress.averages.add(stats, mean_log_shares(lam), size, rho)
    if settings.learn_alpha and posterior.started:
        progress.alpha = learn_alpha(progress.alpha, progress.averages.mean_log)
    corpus = progress.averages.of_corpus(D)
    posterior.step(corpus, FULL_STEP, max(caution(progress.steps), rho))
    progress.mass = corpus.N
    progress.steps, progress.documents = progress.steps + 1, progress.documents + size


def local_step(
    docs: Documents,
    posterior: TopicPosterior,
    progress: Progress,
    lam: Floats,
    settings: Settings,
    sweeps: tuple[int, int] = SWEEPS,
) -> Statistics:
    """The local step on these documents; `bound` is their part of the ELBO.

    lam : (D, K), updated. A mean field starts from it; sampling starts from uniform shares, since early shares trap it
    sweeps : burn-in and kept sweeps of sampling
    """
    if settings.local == "mean-field":
        return meanfield_step(docs, posterior.m, posterior.log_zeta, progress.alpha, lam, MEANFIELD_LIMITS)
    seed = (settings.seed << 20) + progress.steps
    lam[:] = uniform_lambda(docs, progress.alpha)
    stats = sampled_step(docs, posterior.expected_logits(), posterior.log_zeta, progress.alpha, lam, seed, sweeps)
    topics = float((posterior.bounds(stats) + posterior.kl).sum())
    return stats._replace(bound=stats.bound + topics)


def reinitialise(docs: Documents, posterior: TopicPosterior, alpha: Floats, lam: Floats) -> None:
    """Infer every document's shares again from a uniform start, and keep those of higher bound: early shares trap."""
    fresh = uniform_lambda(docs, alpha)
    bounds = [infer_shares(docs, posterior.m, posterior.log_zeta, alpha, x, MEANFIELD_LIMITS) for x in (lam, fresh)]
    better = bounds[1] > bounds[0]
    lam[better] = fresh[better]


def update_kernel(posterior: TopicPosterior, docs: Documents, alpha: Floats, lam: Floats, learning: Learning) -> None:
    """Learn the kernel from these documents, with topics predicted from the other times; replace the prior by it."""
    prediction = predict_left_out(posterior)
    log_zeta = log_normaliser(prediction, np.zeros_like(prediction))
    stats = sampled_step(docs, prediction, log_zeta, alpha, lam.copy(), seed=0, sweeps=SWEEPS)
    posterior.replace_prior(choose_structure(learn_kernel(posterior, stats, learning), posterior.structure.nodes))


def sweeps_in_pass(epoch: int) -> tuple[int, int]:
    """Burn-in and kept sweeps in a pass over the whole corpus: more as the topics settle."""
    return 2 + epoch // 4, 2 + epoch // 16


def robbins_monro(step: int, offset: float, decay: float) -> float:
    """ρ_t = (t + offset)^−decay, t = 0, 1, …: Σ ρ_t diverges and Σ ρ_t² does not for decay in (½, 1]."""
    return float((step + offset) ** -decay)


def caution(step: int) -> float:
    """How much of the safe curvature a global step uses, halving from 1 to 0.   [see `natural_gradient_step`]"""
    return 0.5**step if step < 10 else 0.0


def count_idle(progress: Progress, bounds: list[float], tolerance: float) -> None:
    """Count the passes in a row without gain; a fit has converged after a few of them."""
    progress.idle = progress.idle + 1 if gained_little(bounds, tolerance) else 0
    progress.converged = progress.idle >= PATIENCE


def gained_little(bounds: list[float], tolerance: float) -> bool:
    """Whether the last bound exceeds the one before by less than `tolerance` times its size."""
    return len(bounds) > 1 and bounds[-1] - bounds[-2] < tolerance * abs(bounds[-1])


def recent_means(bounds: list[float], local: Local) -> list[float]:
    """The bounds, or means of a few where the local step is random; none before there are enough to compare."""
    if local == "mean-field":
        return bounds
    if len(bounds) < 2 * WINDOW:
        return []
    return [float(np.mean(bounds[-WINDOW - lag : len(bounds) - lag])) for lag in (1, 0)]


def last_passes(bounds: list[float], pieces: int) -> list[float]:
    """Mean bounds of the last two passes, of `pieces` minibatches each; none before both are complete.

    Incomplete passes cannot be compared: minibatches differ by the lengths of their documents, far more than passes do.
    """
    if len(bounds) < 2 * pieces:
        return []
    return [float(np.mean(bounds[start:end])) for start, end in ((-2 * pieces, -pieces), (-pieces, None))]
