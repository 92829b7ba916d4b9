"""A fit from corpus to state: plan, checkpoint, documents on the time grid, starting topics, progress."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np

from chronotope.cluster.workers import ClusterLost, Workers
from chronotope.corpus import Corpus
from chronotope.corpus.placed import CountsPlace, counts_for_workers
from chronotope.display.progress import logged_fit, progress_bar
from chronotope.inference.group_start import with_groups
from chronotope.inference.guard import Guard, NotFinite
from chronotope.inference.init import Start, prior_mean, seed_columns, starting_point
from chronotope.inference.loop import Train, finish_fit, training_loop
from chronotope.inference.posterior import TopicPosterior
from chronotope.inference.share_prior import SharePrior
from chronotope.inference.state import NUMBERS, Progress, Settings, State, Watch, pack, unpack
from chronotope.inference.store import DocumentStore, arrange_documents
from chronotope.inference.trials import best_start, number_of_trials, start_of_groups
from chronotope.kernels import as_kernel
from chronotope.model.covariates import ShareColumns, share_terms
from chronotope.model.memory import available_memory, check_memory
from chronotope.model.params import result_parameters, starting_alpha
from chronotope.model.plan import Plan, plan_fit
from chronotope.model.reach import check_reach, tokens_due
from chronotope.model.tracks import TrackColumns
from chronotope.storage.checkpoint import Checkpoint, OtherFit

BROKEN = "the numbers of this fit are not finite, are negative where they count tokens, or count none,"
REMEDY = (
    'Use another kernel, dtype="float64", or a larger n_inducing or batch_size, and look for extreme counts and times.'
)
MOST_STEPS = 2**40  # and documents processed, that a checkpoint can have
MAY_CHANGE = ("max_epochs",)  # between a fit and its resumption


class Job(NamedTuple):
    """A fit that is ready to run: train(docs, state, settings, watch)."""

    train: Train
    docs: DocumentStore
    state: State
    settings: Settings
    watch: Watch
    guard: Guard
    checkpoint: Checkpoint
    tracks: TrackColumns | None


class Cluster(NamedTuple):
    """The workers that take local steps, and where they read the counts of the documents."""

    workers: Workers
    place: CountsPlace


@contextmanager
def on_cluster(engine: Any, corpus: Corpus) -> Iterator[Cluster | None]:
    """The cluster of a fit to a corpus; None without one.   engine : a client of the cluster, or None."""
    if engine is None:
        yield None
        return
    workers = Workers(engine)
    with counts_for_workers(corpus.stored, workers) as place:
        yield Cluster(workers, place)


@contextmanager
def prepared_fit(
    parameters: Mapping[str, Any], corpus: Corpus, resume: bool, cluster: Cluster | None = None
) -> Iterator[Job]:
    """A fit of a corpus, ready to run; checkpoint and progress are kept while it runs.

    parameters : of the model, valid;  resume : whether to continue from the checkpoint
    cluster : where local steps are taken, None for this process
    """
    path, minutes = parameters["checkpoint"], parameters["checkpoint_every"]
    checkpoint = Checkpoint(path, minutes, lambda: _identity(parameters, corpus), resume)
    plan = plan_fit(parameters, corpus)
    settings = plan.settings
    docs, state = start_fit(parameters, corpus, plan, resumed=checkpoint.found)
    if cluster is not None:
        docs = docs.on(*cluster)
    if checkpoint.restore(lambda arrays, numbers: _unpack(arrays, numbers, docs, state, settings, path)):
        docs = docs.placed(state.posterior.prior.kernel, state.posterior.prior.nodes)
    done, total = state.progress.documents, settings.epochs * len(corpus)
    facts = {
        "kernel": plan.kernel,
        "topics": parameters["n_topics"],
        "documents": len(corpus),
        "nodes": len(plan.nodes),
    }
    guard = Guard(state, tokens_due(docs))
    with (
        good_end(guard, checkpoint),
        logged_fit(state.progress, **facts),
        progress_bar(done, total, parameters["verbose"], f"fitting {as_kernel(parameters['kernel'])}") as show,
        checkpoint.kept(lambda: pack(state), show) as watch,
        told_if_lost(lambda: checkpoint.save_now(lambda: pack(state))),
    ):
        train = training_loop(settings, len(corpus))
        yield Job(train, docs, state, settings, guard.watched(watch), guard, checkpoint, plan.tracks)


@contextmanager
def told_if_lost(tell: Callable[[], str]) -> Iterator[None]:
    """Say how a fit goes on whose cluster can no longer be used.   tell : saves it, if need be, and says where."""
    try:
        yield
    except ClusterLost as error:
        raise ClusterLost(f"{error} {tell()} It can go on with another cluster, or without one.") from None


def finish(job: Job) -> None:
    """What is learned after the steps; without it if they ended early, or if its numbers are not finite."""
    if not job.state.progress.diverged:
        with good_end(job.guard), told_if_lost(job.checkpoint.how_to_finish):
            finish_fit(job.docs, job.state, job.settings)
            job.guard.check()


@contextmanager
def good_end(guard: Guard, checkpoint: Checkpoint | None = None) -> Iterator[None]:
    """End a fit whose numbers are no longer finite in its last good state, with a warning; an error if it has none."""
    try:
        yield
    except Exception as error:
        progress = guard.state.progress
        if not isinstance(error, NotFinite) and (guard.holds or not progress.steps):
            raise
        step = progress.steps
        if not guard.restore():
            raise NotFinite(f"{BROKEN} from its first step on. {REMEDY}") from None
        said = f"{BROKEN} in step {step:,}; the fit has ended, and the model is that of step {progress.steps:,}."
        kept = f" {checkpoint.path!r} still holds step {checkpoint.saved:,}." if checkpoint and checkpoint.saved else ""
        warnings.warn(f"{said} {REMEDY}{kept}", UserWarning, stacklevel=6)


def start_fit(
    parameters: Mapping[str, Any], corpus: Corpus, plan: Plan, resumed: bool = False
) -> tuple[DocumentStore, State]:
    """Documents on the time grid, and the state before the first step; uniform topics where a fit is resumed."""
    check_memory(plan.memory, available_memory(), parameters["verbose"])
    rng, alpha = np.random.default_rng(parameters["seed"]), starting_alpha(parameters["alpha"], parameters["n_topics"])
    frequencies = parameters["prior_mean"] == "frequencies"
    mean = prior_mean(corpus.stored) if frequencies else np.zeros(corpus.n_words)
    shares = plan.shares
    follows = None if shares is None else shares.columns.covariates(corpus)
    track = None if plan.tracks is None else plan.tracks.track_of(corpus)
    docs = arrange_documents(corpus.stored, corpus.times, plan.kernel, plan.nodes, mean, follows, plan.where, track)
    check_reach(docs, plan.prior)

    def state_of(start: Start) -> State:
        posterior, progress = TopicPosterior(plan.prior, start.topics, mean, parameters["dtype"]), Progress(start.alpha)
        if shares is not None:
            size = len(shares.columns.groups), len(shares.columns.terms.linear)
            progress.prevalence = SharePrior.new(shares.kernel, shares.free, shares.nodes, *size, start.alpha)
        if start.chains is not None and plan.settings.local == "sampled":
            chains = start.chains.apart()
            progress.topic, progress.started = chains.topic, chains.started
        return State(posterior, progress, rng)

    if resumed:
        return docs, state_of(Start(np.full((len(alpha), corpus.n_words), 1.0 / corpus.n_words), alpha))
    seeds = seed_columns(parameters["seed_words"], corpus.vocabulary)
    size, how = (corpus.n_words, len(plan.prior.points)), (parameters["dtype"], parameters["verbose"])
    trials = number_of_trials(corpus.n_tokens, len(corpus), len(plan.nodes), len(alpha), plan.settings)
    learn = plan.settings.learn_alpha

    def start_of() -> Start:
        start = starting_point(parameters["init"], docs, *size, alpha, learn, rng, *how, seeds)
        groups = 0 if plan.tracks is None or plan.tracks.tracks.places is not None else plan.tracks.tracks.size
        if groups < 2 or parameters["init"] != "lda" or len(seeds):
            return start
        apart = with_groups(start, docs, size, groups, learn, rng, *how)
        return start if apart is start else start_of_groups(start, apart, state_of, docs, plan.settings)

    starts = [start_of() for _ in range(trials)]
    return docs, state_of(best_start(starts, state_of, docs, plan.settings))


def _identity(parameters: Mapping[str, Any], corpus: Corpus) -> dict[str, Any]:
    """What must be the same for a fit to be resumed."""
    settings = result_parameters(parameters, corpus.main_span)
    kept = {name: value for name, value in settings.items() if name not in MAY_CHANGE}
    terms, documents = share_terms(parameters), corpus.digest()
    if terms is not None:
        columns = ShareColumns.of(corpus, terms, quiet=True)
        follows = sha256(repr(columns[1:]).encode())
        for values in columns.covariates(corpus):
            follows.update(np.ascontiguousarray(values).tobytes())
        documents += f" {follows.hexdigest()}"
    tracks = TrackColumns.of(parameters, corpus, quiet=True)
    if tracks is not None:
        documents += f" {sha256(repr(tracks).encode() + tracks.track_of(corpus).tobytes()).hexdigest()}"
    return {"corpus": documents, "settings": kept}


def _unpack(arrays: Any, numbers: Any, docs: DocumentStore, state: State, settings: Settings, path: Any) -> None:
    """Set a fresh state to that of a checkpoint; refuse one that is further than this fit may go."""
    for name, values in arrays.items():
        if not np.isfinite(values).all():
            raise ValueError(f"{name} has numbers that are not finite")
    for name in NUMBERS:
        if type(numbers[name]) is not int or not 0 <= numbers[name] <= MOST_STEPS:
            raise ValueError(f"{name} is {numbers[name]!r:.40}")
    unpack(arrays, numbers, state, docs, settings)
    passes = -(-state.progress.documents // len(docs.left))
    if passes > settings.epochs:
        raise OtherFit(f"{str(path)!r} is in pass {passes}, but max_epochs is {settings.epochs}; raise it.")
