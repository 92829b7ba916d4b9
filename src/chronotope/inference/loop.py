"""Fitting: local and global steps in turn, over the whole corpus or over minibatches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from chronotope._typing import Floats, Ints
from chronotope.inference.documents import Batch, Documents, uniform_lambda
from chronotope.inference.doubt import add_doubt
from chronotope.inference.hyper import (
    learn_alpha,
    learn_alpha_from_tokens,
    learn_kernel,
    mean_log_shares,
)
from chronotope.inference.pace import Pace, learn_pace, prepare_trial
from chronotope.inference.posterior import FULL_STEP, TopicPosterior, caution
from chronotope.inference.relocate import relocated, rows_with_dates, without_waiting
from chronotope.inference.share_tables import Covariates
from chronotope.inference.shares import Shares, known_chains, known_shares, known_topics
from chronotope.inference.spread import infer_batch, meanfield_batch, sample_batch
from chronotope.inference.state import Averages, Progress, Settings, State, Watch
from chronotope.inference.statistics import Statistics
from chronotope.inference.store import DocumentStore
from chronotope.inference.tables import TopicTables
from chronotope.inference.untangle import undo_exchanges

MEANFIELD_LIMITS = (8, 1e-3)  # maximum iterations of a document's shares, and the mean change of λ that ends them
REINITIALISE = (2, 4, 8, 16, 32)  # passes before which mean-field shares are reinitialised
FIRST_SWEEPS = 5, 3  # burn-in and kept sweeps of documents of which most have chains that have not started
SWEEPS = 0, 2  # of documents of which most have
RESTART = 4  # passes after which a document's chain is started anew, which lets it leave a local optimum
MORE_SWEEPS, CELLS = 8, 4  # maximum of additional burn-in sweeps, and cells n_kv(z) per token that allow one
PACE = 12  # passes after which it is learned how quickly words change; one pass with minibatches
LEARN = (2, 3, 4, 6, 9, 13, 17, 21, 26, 31)  # passes after which the kernel is learned by the bound
LEARN_STEPS = (4, 8, 16, 32, 64, 128, 256)  # steps on minibatches after which it is
UNTANGLE = (2, 4, 6, 8, 10, 16, 24, 32, 40)  # passes after which topics that exchange their subjects are looked for
WAIT = 6  # first passes without documents of whose dates little is known, if there are enough others
PATIENCE = 2  # passes in a row without gain after which a fit has converged


def fit_whole(docs: Documents | DocumentStore, state: State, settings: Settings, watch: Watch) -> None:
    """Passes over the whole corpus until they gain no more; with a mean field the bound never falls."""
    posterior, progress, rng = state
    batch = docs.batch()
    shares = known_shares(docs, batch, progress, settings.local)
    while progress.steps < settings.epochs and not progress.converged:
        epoch = progress.steps
        with unless_it_fails(rng, progress.lam):
            known = shares.lam if shares.chains is None else shares.chains
            docs = relocated(docs, posterior, known, shares.alpha, [settings.seed, epoch])
            batch = docs.again(batch)
            shares = shares._replace(alpha=progress.alpha_of(docs.covariates))
            if epoch in REINITIALISE and settings.local == "mean-field":
                reinitialise(batch, posterior, shares.alpha, shares.lam)
            rows = rows_with_dates(docs) if epoch < WAIT else None
            part, own = (batch, shares) if rows is None else (docs.batch(rows), shares.take(rows))
            stats = local_step(part, posterior, progress, own, settings, epoch)
            if rows is not None:
                shares.put(rows, own)
        progress.steps, progress.documents = progress.steps + 1, progress.documents + len(batch.left)
        progress.mass = stats.N
        if posterior.started:
            progress.add(stats, posterior.total_kl, 1.0)
            count_idle(progress, recent_gain(progress, settings), settings.tolerance)
        if not progress.converged:
            if posterior.started:
                at = docs.covariates if rows is None or docs.covariates is None else docs.covariates.take(rows)
                learn_shares(progress, own, at, len(part.left), 1.0, settings)
            if epoch in UNTANGLE and own.chains is not None:
                stats = undo_exchanges(part, posterior, stats, own.chains, own.lam, own.alpha)
                progress.mass = stats.N
            posterior.step_common(stats, caution(epoch))
            with posterior.no_descent(stats):
                posterior.step(stats, posterior.step_size, caution(epoch))
            if learns_now(settings, progress.steps, 1):
                update_kernel(posterior, docs, progress, settings)
                prior = posterior.prior
                docs, batch = docs.placed(prior.kernel, prior.nodes), batch.placed(prior.kernel, prior.nodes)
                progress.idle = 0
        watch(progress)


def fit_minibatches(docs: Documents | DocumentStore, state: State, settings: Settings, watch: Watch) -> None:
    """Passes over minibatches drawn without replacement, until they gain no more."""
    posterior, progress, rng = state
    D = len(docs.left)
    pieces = -(-D // settings.batch_size)
    chains = None if settings.local == "mean-field" else known_chains(docs, progress)
    while progress.steps < settings.epochs * pieces and not progress.converged:
        place = progress.steps % pieces
        with unless_it_fails(rng):
            if place == 0 or progress.order is None:
                progress.order = shuffled(docs, rng)
            rows = np.sort(np.array_split(progress.order, pieces)[place])
            rows = rows if progress.steps >= pieces else without_waiting(rows, docs)
            seed = [settings.seed, progress.steps]
            docs = relocated(docs, posterior, chains, progress.alpha, seed, rows)
            batch = docs.batch(rows)
            at = None if docs.covariates is None else docs.covariates.take(rows)
            alpha = progress.alpha_of(at)
            shares = Shares(alpha, uniform_lambda(batch, alpha), chains and chains.take(rows))
            minibatch_step(batch, D, posterior, progress, shares, at, settings)
        if chains is not None:
            chains.started[rows] = True
        if learns_now(settings, progress.steps, pieces):
            update_kernel(posterior, docs, progress, settings)
            docs = docs.placed(posterior.prior.kernel, posterior.prior.nodes)
        if place == pieces - 1:
            count_idle(progress, mean_gain(progress.predicted, pieces), settings.tolerance)
        watch(progress)


@contextmanager
def unless_it_fails(rng: np.random.Generator, lam: Floats | None = None) -> Iterator[None]:
    """Around a local step: the state of a fit stays that between two steps if it fails, as on a cluster that is lost.

    A step on a cluster changes nothing before it has succeeded, but for random numbers and a λ that is reinitialised.
    """
    drawn, before = rng.bit_generator.state, None if lam is None else lam.copy()
    try:
        yield
    except Exception:
        rng.bit_generator.state = drawn
        if lam is not None:
            lam[:] = before
        raise


def shuffled(docs: Documents | DocumentStore, rng: np.random.Generator) -> Ints:
    """The documents in random order; those at outlying times are last, so that the others have the order they have."""
    others = np.flatnonzero(docs.number < 0).astype(docs.main.dtype)
    order: Ints = np.concatenate([rng.permutation(docs.main), others])
    return order


Train = Callable[[Documents | DocumentStore, State, Settings, Watch], None]


def training_loop(settings: Settings, D: int) -> Train:
    """The loop that fits a corpus of D documents with these settings."""
    return fit_whole if settings.batch_size >= D else fit_minibatches


def minibatch_step(
    batch: Batch,
    D: int,
    posterior: TopicPosterior,
    progress: Progress,
    shares: Shares,
    at: Covariates | None,
    settings: Settings,
) -> None:
    """One minibatch of a corpus of D documents: local step, running averages, global step.   at : see `alpha_of`."""
    size = len(batch.left)
    stats = local_step(batch, posterior, progress, shares, settings, progress.steps // -(-D // settings.batch_size))
    progress.documents += size
    if posterior.started:
        progress.add(stats, posterior.total_kl, D / size)
    rho = robbins_monro(progress.steps, settings.offset, settings.decay)
    if progress.averages is None:
        progress.averages, rho = Averages(np.zeros_like(stats.n), np.zeros_like(stats.N)), 1.0
    progress.averages.add(stats, size, rho)
    if posterior.started:
        learn_shares(progress, shares, at, D, rho, settings)
    corpus = progress.averages.of_corpus(D, out=stats.n)
    posterior.step_common(corpus, max(caution(progress.steps), rho))
    posterior.step(corpus, FULL_STEP, max(caution(progress.steps), rho))
    progress.mass, progress.steps = corpus.N, progress.steps + 1


def learn_shares(
    progress: Progress, shares: Shares, at: Covariates | None, D: int, rho: float, settings: Settings
) -> None:
    """Learn the prior on shares from some documents of a corpus of D: prevalence, or α, or nothing.

    at : what prevalence follows;  rho : size of the step, 1 for the whole corpus
    """
    if progress.prevalence is not None and at is not None:
        progress.prevalence.update(at, shares.lam, shares.alpha, D, rho)
        progress.alpha = (1.0 - rho) * progress.alpha + rho * progress.prevalence.alpha(at).mean(axis=0)
    elif settings.learn_alpha:
        progress.alpha = (1.0 - rho) * progress.alpha + rho * learned_alpha(shares)


def learned_alpha(shares: Shares) -> Floats:
    """α learned from these documents: from their sampled topics, or from the λ of a mean field."""
    if shares.chains is None:
        return learn_alpha(shares.alpha, mean_log_shares(shares.lam))
    return learn_alpha_from_tokens(shares.alpha, shares.lam - shares.alpha)


def local_step(
    docs: Batch,
    posterior: TopicPosterior,
    progress: Progress,
    shares: Shares,
    settings: Settings,
    epoch: int | None = None,
    sweeps: tuple[int, int] | None = None,
    measured: bool = True,
) -> Statistics:
    """The local step on these documents; `bound` is their part of the ELBO, NaN if it is not `measured`.

    shares : of the documents, updated;  sweeps : burn-in and kept sweeps, None to choose them
    epoch : number of the pass, by which some chains are started anew; None for none
    """
    alpha, lam, chains = shares
    if chains is None:
        return meanfield_batch(docs, posterior.m, posterior.log_zeta, alpha, lam, MEANFIELD_LIMITS)
    if sweeps is None:
        cells = posterior.m.size / max(float(docs.lengths.sum()), 1.0)
        sweeps = further_sweeps(cells) if chains.started.mean() > 0.5 else FIRST_SWEEPS
    topics = TopicTables(posterior.expected_logits(), posterior.s, posterior.log_zeta)
    seed = (settings.seed << 20) + progress.steps
    anew = None if epoch is None else docs.number % RESTART == epoch % RESTART
    stats = sample_batch(docs, topics, alpha, chains, lam, seed, sweeps, anew, measured)
    if not measured:
        return stats
    return stats._replace(bound=stats.bound + float((posterior.bounds(stats) + posterior.kl).sum()))


def further_sweeps(cells: float) -> tuple[int, int]:
    """Burn-in and kept sweeps of chains that have started: more where they cost little beside the global step.

    cells : values n_kv(z) of the global step per token
    """
    return SWEEPS[0] + min(int(cells / CELLS), MORE_SWEEPS), SWEEPS[1]


def reinitialise(docs: Batch, posterior: TopicPosterior, alpha: Floats, lam: Floats) -> None:
    """Infer every document's shares again from a uniform start, and keep those of higher bound: early shares trap."""
    fresh = uniform_lambda(docs, alpha)
    bounds = [infer_batch(docs, posterior.m, posterior.log_zeta, alpha, x, MEANFIELD_LIMITS) for x in (lam, fresh)]
    better = bounds[1] > bounds[0]
    lam[better] = fresh[better]


def learns_now(settings: Settings, steps: int, pieces: int) -> bool:
    """Whether the kernel is learned now.   steps : done so far;  pieces : minibatches of a pass."""
    if isinstance(settings.learning, Pace):
        return steps == pace_step(pieces)
    return settings.learning is not None and steps in (LEARN if pieces == 1 else LEARN_STEPS)


def pace_step(pieces: int) -> int:
    """The step after which it is learned how quickly words change."""
    return PACE if pieces == 1 else pieces


def finish_fit(docs: Documents | DocumentStore, state: State, settings: Settings) -> None:
    """Learn how quickly words change after a fit that ended too early for that; add the doubt about tokens.

    It is not part of the fit, so that a checkpoint can be resumed for more passes as if the fit had gone on.
    """
    posterior, progress, _ = state
    docs = relocated(docs, posterior, known_topics(docs, progress), progress.alpha, [settings.seed, progress.steps])
    docs = docs.placed(posterior.prior.kernel, posterior.prior.nodes)  # the kernel may have been learned meanwhile
    progress.averages = None  # of steps that are over: memory for what follows
    due = pace_step(-(-len(docs.left) // settings.batch_size))
    if isinstance(settings.learning, Pace) and progress.steps < due + progress.converged:
        update_kernel(posterior, docs, progress, settings)
        docs = docs.placed(posterior.prior.kernel, posterior.prior.nodes)
    if settings.local == "sampled":
        add_doubt(docs, posterior, progress, settings)
    elif progress.prevalence is not None:
        progress.prevalence.add_doubt()


def update_kernel(
    posterior: TopicPosterior, docs: Documents | DocumentStore, progress: Progress, settings: Settings
) -> None:
    """Learn the kernel, from left-out times or by the bound; replace the prior by it."""
    prior, learning = posterior.prior, settings.learning
    if isinstance(learning, Pace):
        trial = prepare_trial(docs, posterior, progress.alpha, settings.seed)
        kernel = prior.kernel if trial is None else learn_pace(trial, learning)
    elif learning is not None:
        kernel = learn_kernel(posterior, learning)
    if kernel != prior.kernel:
        posterior.replace_prior(prior.with_kernel(kernel))


def robbins_monro(step: int, offset: float, decay: float) -> float:
    """ρ_t = (t + offset)^−decay, t = 0, 1, …: Σ ρ_t diverges and Σ ρ_t² does not for decay in (½, 1]."""
    return float((step + offset) ** -decay)


def count_idle(progress: Progress, gain: float, tolerance: float) -> None:
    """Count the passes in a row without gain; a fit has converged after a few of them.   gain : relative, of a pass."""
    progress.idle = progress.idle + 1 if gain < tolerance else 0
    progress.converged = progress.idle >= PATIENCE


def recent_gain(progress: Progress, settings: Settings) -> float:
    """Relative gain of the last pass; ∞ before it can be measured. Passes before the pace is learned do not count.

    Of a mean field it is that of the bound. Where the local step is sampled, it is that of the log-likelihood of each
    token given all others, which rises as long as predictions improve. Its means over two rounds of passes are
    compared, and every chain starts anew once in each.
    """
    values, n = (progress.bounds, 1) if settings.local == "mean-field" else (progress.predicted, RESTART)
    before = PACE - 1 if isinstance(settings.learning, Pace) else 0  # the first pass has no value
    return mean_gain(values[before:], n) / n


def mean_gain(values: list[float], n: int) -> float:
    """Relative gain of the mean of the last n values over that of the n before; ∞ if there are not so many yet.

    With minibatches n is their number in a pass: they differ by the lengths of their documents, more than passes do.
    """
    if len(values) < 2 * n:
        return np.inf
    before, last = (float(np.mean(values[start:end])) for start, end in ((-2 * n, -n), (-n, None)))
    return (last - before) / max(abs(last), np.finfo(float).tiny)  # 0 where there is but one word
