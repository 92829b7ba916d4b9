"""Fitting: local and global steps in turn, over the whole corpus or over minibatches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from chronotope._typing import Floats, Ints
from chronotope.gp import choose_structure
from chronotope.inference.documents import Documents, Shelf, Statistics
from chronotope.inference.hyper import Learning, learn_alpha, learn_kernel, mean_log_shares, prediction_elsewhere
from chronotope.inference.meanfield import infer_shares, local_step
from chronotope.inference.natural_gradient import log_normaliser
from chronotope.inference.posterior import FULL_STEP, TopicPosterior
from chronotope.inference.sampled import sampled_step

Local = Literal["sampled", "mean-field"]

LOCAL_LIMITS = (8, 1e-3)  # most rounds of a document's shares, and the mean change of λ that ends them
AFRESH = (2, 4, 8, 16, 32)  # passes before which the documents are looked at afresh
SWEEPS = 5, 3  # of sampling a document from nothing, to forget and to keep: going on from its last shares traps it
LEARN = (1, 2, 3, 5, 8, 12, 16, 20, 25, 30)  # passes after which the kernel is learned anew
LEARN_STEPS = (4, 8, 16, 32, 64, 128, 256)  # steps on minibatches after which it is
WINDOW = 4  # bounds whose mean is compared where the local step is sampled
PATIENCE = 2  # passes in a row that must gain less than the tolerance


@dataclass(frozen=True)
class Settings:
    """How to go about it.

    local : the local step;  epochs : most passes over the corpus
    tolerance : relative gain of the bound under which a pass counts as none
    learning : what to learn of the kernel;  seed : of the sampled local step
    batch_size : documents of a minibatch;  offset, decay : of the Robbins-Monro schedule
    """

    local: Local
    epochs: int
    tolerance: float
    learn_alpha: bool
    batch_size: int
    offset: float
    decay: float
    seed: int = 0
    learning: Learning | None = None


@dataclass
class Progress:
    """What has been done so far; `bounds` holds the ELBO (an estimate of it for minibatches), one value a step."""

    alpha: Floats
    steps: int = 0
    documents: int = 0
    bounds: list[float] = field(default_factory=list)
    seen: list[int] = field(default_factory=list)  # documents looked at when each bound was taken
    mass: Floats | None = None  # expected tokens of each topic at each node, (J, K)
    converged: bool = False
    lam: Floats | None = None  # whole corpus: λ of its documents, (D, K)
    idle: int = 0  # passes in a row that gained too little
    averages: Averages | None = None  # minibatches: what they have shown
    order: Ints | None = None  # minibatches: the documents in the order of the pass under way, (D,)


class State(NamedTuple):
    """All that a fit needs to go on from where it stands, between two steps."""

    posterior: TopicPosterior
    progress: Progress
    rng: np.random.Generator


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


def look(
    docs: Documents,
    posterior: TopicPosterior,
    progress: Progress,
    lam: Floats,
    settings: Settings,
    sweeps: tuple[int, int] = SWEEPS,
) -> Statistics:
    """The local step on these documents; `bound` is their part of the ELBO.

    lam : (D, K), updated: where a mean field starts; sampling starts from nothing, for early shares trap it
    """
    if settings.local == "mean-field":
        return local_step(docs, posterior.m, posterior.log_zeta, progress.alpha, lam, LOCAL_LIMITS)
    seed = (settings.seed << 20) + progress.steps
    lam[:] = cold_shares(docs, progress.alpha)
    stats = sampled_step(docs, posterior.expected_logits(), posterior.log_zeta, progress.alpha, lam, seed, sweeps)
    topics = float((posterior.bounds(stats) + posterior.kl).sum())
    return stats._replace(bound=stats.bound + topics)


def growing_sweeps(epoch: int) -> tuple[int, int]:
    """Sweeps to forget and to keep in a pass over the whole corpus: the better the topics, the more care pays."""
    return 2 + epoch // 4, 2 + epoch // 16


def adapt(posterior: TopicPosterior, docs: Documents, alpha: Floats, lam: Floats, learning: Learning) -> None:
    """Learn the kernel from these documents, looked at through what the other times say, and slide it under."""
    prediction = prediction_elsewhere(posterior)
    log_zeta = log_normaliser(prediction, np.zeros_like(prediction))
    stats = sampled_step(docs, prediction, log_zeta, alpha, lam.copy(), seed=0, sweeps=SWEEPS)
    posterior.under(choose_structure(learn_kernel(posterior, stats, learning), posterior.structure.nodes))


def train(docs: Shelf, state: State, settings: Settings, watch: Watch) -> None:
    """Fit from the state where it stands, over the whole corpus or over minibatches; `watch` is shown every step."""
    posterior, progress, rng = state
    if settings.batch_size >= len(docs.left):
        fit_batch(docs.take_all(), posterior, progress, settings, watch)
    else:
        fit_stochastic(docs, posterior, progress, settings, rng, watch)


def fit_batch(docs: Documents, posterior: TopicPosterior, progress: Progress, settings: Settings, watch: Watch) -> None:
    """Passes over the whole corpus, until the bound no longer rises; with a mean field it never falls."""
    lam = progress.lam = cold_shares(docs, progress.alpha) if progress.lam is None else progress.lam
    while progress.steps < settings.epochs and not progress.converged:
        epoch = progress.steps
        if epoch in AFRESH and settings.local == "mean-field":
            look_afresh(docs, posterior, progress.alpha, lam)
        stats = look(docs, posterior, progress, lam, settings, growing_sweeps(epoch))
        progress.steps, progress.documents = progress.steps + 1, progress.documents + len(docs.left)
        progress.mass = stats.N
        if posterior.started:
            progress.bounds.append(stats.bound - float(posterior.kl.sum()))
            progress.seen.append(progress.documents)
            little = gained_little(smoothed(progress.bounds, settings.local), settings.tolerance)
            progress.idle = progress.idle + 1 if little else 0
        progress.converged = progress.idle >= PATIENCE
        if not progress.converged:
            docs = _follow(docs, posterior, progress, lam, stats, settings)
        watch(progress)


def _follow(
    docs: Documents, posterior: TopicPosterior, progress: Progress, lam: Floats, stats: Statistics, settings: Settings
) -> Documents:
    """Draw from a pass what it has shown: α, the topics, the kernel.  Returns the documents placed under the kernel."""
    epoch = progress.steps - 1
    if settings.learn_alpha and posterior.started:
        progress.alpha = learn_alpha(progress.alpha, mean_log_shares(lam))
    posterior.ascend(stats, caution(epoch))
    if settings.learning is None or epoch not in LEARN:
        return docs
    adapt(posterior, docs, progress.alpha, lam, settings.learning)
    progress.idle = 0
    return docs.placed(posterior.structure.kernel, posterior.structure.nodes)


def smoothed(bounds: list[float], local: Local) -> list[float]:
    """The bounds, or means of a few where chance plays a part; none before there are enough to tell."""
    if local == "mean-field":
        return bounds
    if len(bounds) < 2 * WINDOW:
        return []
    return [float(np.mean(bounds[-WINDOW - lag : len(bounds) - lag])) for lag in (1, 0)]


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
    stats = look(batch, posterior, progress, lam, settings)
    if posterior.started:
        progress.bounds.append(stats.bound * D / size - float(posterior.kl.sum()))
        progress.seen.append(progress.documents + size)
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
    docs: Documents | Shelf,
    posterior: TopicPosterior,
    progress: Progress,
    settings: Settings,
    rng: np.random.Generator,
    watch: Watch,
) -> None:
    """Passes over minibatches drawn without replacement; ends when they no longer raise the bound."""
    D = len(docs.left)
    pieces = -(-D // settings.batch_size)
    while progress.steps < settings.epochs * pieces and not progress.converged:
        place = progress.steps % pieces
        if place == 0 or progress.order is None:
            progress.order = rng.permutation(D)
        batch = docs.take(np.sort(np.array_split(progress.order, pieces)[place]))
        progress.averages = stochastic_step(batch, D, posterior, progress.averages, progress, settings)
        if settings.learning and progress.steps in LEARN_STEPS:
            adapt(posterior, batch, progress.alpha, cold_shares(batch, progress.alpha), settings.learning)
            docs = docs.placed(posterior.structure.kernel, posterior.structure.nodes)
        if place == pieces - 1:
            little = gained_little(last_passes(progress.bounds, pieces), settings.tolerance)
            progress.idle = progress.idle + 1 if little else 0
            progress.converged = progress.idle >= PATIENCE
        watch(progress)


def last_passes(bounds: list[float], pieces: int) -> list[float]:
    """Mean bounds of the pass before the last and of the last, of so many minibatches each; none before both are whole.

    Part of a pass will not do: minibatches differ by the lengths of their documents, far more than passes differ.
    """
    if len(bounds) < 2 * pieces:
        return []
    return [float(np.mean(bounds[start:end])) for start, end in ((-2 * pieces, -pieces), (-pieces, None))]


def robbins_monro(step: int, offset: float, decay: float) -> float:
    """ρ_t = (t + offset)^−decay, t = 0, 1, …: Σ ρ_t diverges and Σ ρ_t² does not for decay in (½, 1]."""
    return float((step + offset) ** -decay)


def caution(step: int) -> float:
    """How far the curvature of a global step leans to the safe side, halving from 1 to nothing.   [see step_sites]"""
    return 0.5**step if step < 10 else 0.0
