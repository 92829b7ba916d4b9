"""The plan of a fit: kernel, time grid, structure, settings and memory, derived once from parameters and corpus."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from chronotope._typing import Floats, Mask
from chronotope.corpus import Corpus
from chronotope.dates.candidates import Candidates
from chronotope.gp import DenseStructure, Structure, TopicPrior, Tracks, check_prior, choose_nodes, topic_prior
from chronotope.inference.chains import MANY
from chronotope.inference.documents import number_of_tasks
from chronotope.inference.hyper import Learning, what_to_learn
from chronotope.inference.init import static_part
from chronotope.inference.loop import SWEEPS
from chronotope.inference.pace import Pace
from chronotope.inference.state import Settings
from chronotope.inference.static import ANNEALED, COOLED, TRIAL, number_of_starts
from chronotope.kernels import Kernel, Recipe, as_kernel, of_one_track, with_distances
from chronotope.model.covariates import ShareColumns, share_terms
from chronotope.model.memory import PER_DOCUMENT, PER_ENTRY, PROGRAM, Need, memory_needed
from chronotope.model.params import LearnKernel, sampler_seed, shared_part
from chronotope.model.tracks import TrackColumns

WHOLE_DOCUMENTS, WHOLE_TOKENS = 10_000, 10_000_000  # every step uses all documents up to one of these
BATCH = 4_000
EPOCHS_WHOLE, EPOCHS_BATCH = 50, 8
TOKENS_PER_NODE = 7_000  # that a node of the time grid is worth
NODES_MOST, NODES_PASS = 48, 480  # maximum of such nodes, and in all steps of a pass together: each costs time
NODES_LEAST = 24  # of them all the same
TRACK_NODES, TRACK_LEAST = 5, 6  # nodes of all groups or places, times those without these, and least of one
SHARE_NODES = 128  # maximum of the time grid of prevalence, whose nodes cost little
SHARE_VARIANCE = 1.0  # maximum of its variances before they are learned: logits of shares vary less than those of words

# Seconds of one core per token and sweep of sampling, and per word of a topic at a node and step: measured with 20
# topics. Good to a factor of three on another machine or another corpus.
SECONDS_TOKEN, SECONDS_NODE = 8e-8, 3e-8

CHAIN, PER_DOCUMENT_SENT = 2, 57  # bytes of a token's topic, and of a document in a call: row, nodes, weights, chain
WORKER_PLANES = 8  # arrays (K, V) per node in a call: topics as sent, by word, and statistics, padded and as returned


class SharePlan(NamedTuple):
    """Prevalence before any document is processed.

    columns : how documents are read;  kernel : over time, resolved;  free : (parameters,) which are learned
    nodes : (J,) of its time grid
    """

    columns: ShareColumns
    kernel: Kernel
    free: Mask
    nodes: Floats


class Plan(NamedTuple):
    """What a fit will do, before any document is processed.

    prior : the Gaussian process prior on the nodes of the time grid, with the kernel's unset parameters set
    settings : of the training loop;  memory : bytes needed at the peak
    where : candidate times of documents whose dates are rough, None without any
    shares : the prior on shares, if it follows documents; None if it does not
    tracks : how documents are assigned to groups or places, if words differ between them; None if they do not
    exact_in_time : whether every distinct time has a node and the kernel is Markov, so that nothing is approximated
    """

    prior: TopicPrior
    settings: Settings
    memory: Need
    exact_in_time: bool
    where: Candidates | None = None
    shares: SharePlan | None = None
    tracks: TrackColumns | None = None

    @property
    def kernel(self) -> Kernel:
        """The kernel with all parameters set."""
        return self.prior.kernel

    @property
    def nodes(self) -> Floats:
        """Times of the J nodes, (J,)."""
        return self.prior.nodes


def plan_fit(parameters: Mapping[str, Any], corpus: Corpus) -> Plan:
    """The plan of fitting a model with these parameters to a corpus; the parameters are taken to be valid."""
    if corpus.n_empty == len(corpus):
        raise ValueError(f"all {len(corpus):,} documents are empty; pass documents with words.")
    given, columns = as_kernel(parameters["kernel"]), TrackColumns.of(parameters, corpus)
    if columns is not None and columns.tracks.size == 1 and isinstance(given, Kernel):
        given, columns = of_one_track(given), None
        parameters = {**parameters, "kernel": given}
    kernel = starting_kernel(parameters, kernel_span(given, corpus))
    if columns is not None:
        kernel = with_distances(kernel, _mean_distance(columns.tracks))
    settings = fit_settings(parameters, corpus, _learning(given, kernel, parameters["learn_kernel"]))
    wanted = min(corpus.n_tokens // TOKENS_PER_NODE, _most_nodes(settings, len(corpus)))
    words, most = parameters["n_topics"] * corpus.n_words, parameters["n_inducing"]
    if columns is not None:
        most = most or _nodes_of_track(columns.tracks.size, _most_nodes(settings, len(corpus)))
    where = None if corpus.rough is None else Candidates.of(corpus.times, corpus.rough)
    reached = corpus.times if where is None else np.append(corpus.times, where.reach)
    nodes = choose_nodes(kernel, reached, most, parameters["grid"], wanted, words)
    check_prior(kernel, nodes)
    prior = topic_prior(kernel, nodes, shared_part(parameters), None if columns is None else columns.tracks)
    size = 1 if columns is None else columns.tracks.size
    need = memory_needed(prior.own, parameters["n_topics"], corpus, parameters["dtype"], settings, size)
    exact = len(nodes) == corpus.n_times and not isinstance(prior.own, DenseStructure)
    return Plan(prior, settings, need, exact, where, _shares(parameters, corpus, columns), columns)


def _nodes_of_track(S: int, most: int) -> int:
    """Maximum number of nodes of each of S groups or places, if none is given.   most : without these"""
    return int(np.clip(TRACK_NODES * most // S, TRACK_LEAST, most))


def _mean_distance(tracks: Tracks) -> float:
    """Mean distance between places in kilometres; 1 for groups."""
    distances = tracks.distances()
    between = np.zeros(0) if distances is None else distances[np.triu_indices(tracks.size, 1)]
    between = between[np.isfinite(between)]
    return float(between.mean()) if len(between) else 1.0


def _shares(parameters: Mapping[str, Any], corpus: Corpus, tracks: TrackColumns | None) -> SharePlan | None:
    """The plan of prevalence; None if the model has none.   tracks : what of its groups has been said before"""
    terms = share_terms(parameters)
    if terms is None:
        return None
    columns = ShareColumns.of(corpus, terms, quiet=tracks is not None and tracks.columns == (terms.by,))
    kernel = terms.kernel.resolve(*kernel_span(terms.kernel, corpus))
    given = terms.kernel.parameters if isinstance(terms.kernel, Kernel) else {}
    names = kernel.theta_names
    free = np.array([given.get(name) is None and not name.endswith("period") for name in names], dtype=bool)
    variance = np.array([name.endswith("variance") for name in names], dtype=bool)
    theta = np.where(free & variance, np.minimum(kernel.theta, np.log(SHARE_VARIANCE)), kernel.theta)
    nodes = choose_nodes(kernel, corpus.times, SHARE_NODES)
    check_prior(kernel, nodes)
    return SharePlan(columns, kernel.with_theta(theta), free, nodes)


def _most_nodes(settings: Settings, D: int) -> int:
    """Maximum of the nodes that are worth their time in a fit of D documents."""
    steps = -(-D // settings.batch_size)
    return max(min(NODES_MOST, NODES_PASS // steps), NODES_LEAST)


def starting_kernel(parameters: Mapping[str, Any], span: tuple[float, float]) -> Kernel:
    """The kernel before any of it is learned.   span : see `kernel_span`."""
    given = as_kernel(parameters["kernel"])
    return (given.forget() if parameters["learn_kernel"] else given).resolve(*span)


def kernel_span(given: Recipe, corpus: Corpus) -> tuple[float, float]:
    """The times that unset parameters follow from: outlying ones do not count, unless one may be before an origin."""
    origin = isinstance(given, Kernel) and any(name.endswith("origin") for name in given.parameters)
    return corpus.span if origin else corpus.main_span


def _learning(given: Recipe, kernel: Kernel, learn: LearnKernel) -> Pace | Learning | None:
    """What is learned of a kernel.   given : by the user;  kernel : the same, resolved;  learn : `learn_kernel`."""
    if learn == "bound":
        return what_to_learn(kernel)
    if learn is True:
        return Pace.of(kernel, frozenset(kernel.theta_names))
    if learn is None and isinstance(given, Kernel):
        return Pace.of(kernel, frozenset(name for name, value in given.parameters.items() if value is None))
    return None


def fit_settings(parameters: Mapping[str, Any], corpus: Corpus, learning: Pace | Learning | None = None) -> Settings:
    """Settings of the training loop for a corpus.   learning : what is learned of the kernel."""
    D = len(corpus)
    whole = D <= WHOLE_DOCUMENTS or corpus.n_tokens <= WHOLE_TOKENS
    batch = parameters["batch_size"] or (D if whole else BATCH)
    return Settings(
        local=parameters["local"],
        seed=sampler_seed(parameters["seed"]),
        epochs=parameters["max_epochs"] or (EPOCHS_WHOLE if batch >= D else EPOCHS_BATCH),
        tolerance=parameters["tol"],
        learn_alpha=isinstance(parameters["alpha"], str),
        batch_size=batch,
        offset=parameters["learning_offset"],
        decay=parameters["learning_decay"],
        learning=learning,
    )


class Work(NamedTuple):
    """How much work a fit is at most: passes, steps per pass, cores, and a rough estimate of the seconds."""

    passes: int
    steps: int
    cores: int
    seconds: float


def estimate_work(plan: Plan, parameters: Mapping[str, Any], corpus: Corpus) -> Work:
    """The work of a planned fit by a rule of thumb, good to a factor of three."""
    passes, steps = plan.settings.epochs, -(-len(corpus) // plan.settings.batch_size)
    part = static_part(len(corpus), corpus.n_tokens)
    start = (number_of_starts(int(part * len(corpus))) * ANNEALED + COOLED + TRIAL) * part
    tokens = SECONDS_TOKEN * corpus.n_tokens * (start + sum(SWEEPS) * passes)
    cells = len(plan.prior.points) * parameters["n_topics"] * corpus.n_words
    nodes = SECONDS_NODE * cells * _relative_cost(plan.prior.own) * steps * passes
    cores = min(parameters["n_threads"] or os.cpu_count() or 1, os.cpu_count() or 1)
    return Work(passes, steps, cores, (tokens + nodes) / cores)


class ClusterStep(NamedTuple):
    """What a step is on a cluster, about: calls of workers, bytes sent to them and received, memory of a worker."""

    calls: int
    sent: float
    received: float
    worker: float


def cluster_step(documents: int, entries: float, tokens: float, size: tuple[int, int, int]) -> ClusterStep:
    """A step with so many documents, which have so many different words in all, and tokens.   size : J, K, V."""
    J, K, V = size
    calls = number_of_tasks(int(entries) + documents, documents)
    plane, rows = 4.0 * K * V, J + calls  # neighbours read a node in common
    sent = 2 * plane * rows + PER_DOCUMENT_SENT * documents + CHAIN * tokens
    received = plane * rows + 4.0 * K * documents + CHAIN * tokens
    worker = WORKER_PLANES * plane * (1 + rows / calls) + PER_ENTRY * entries / calls + PROGRAM
    return ClusterStep(calls, sent, received, worker)


class ClusterWork(NamedTuple):
    """A step on a cluster, and bytes of memory in the process that calls the workers, at the peak."""

    step: ClusterStep
    driver: float


def estimate_cluster(plan: Plan, n_topics: int, corpus: Corpus) -> ClusterWork:
    """What a planned fit is on a cluster; the documents of a step are taken to be like all others."""
    D, B = len(corpus), min(plan.settings.batch_size, len(corpus))
    size = len(plan.prior.points), n_topics, corpus.n_words
    step = cluster_step(B, corpus.stored.sizes.sum() * B / D, corpus.n_tokens * B / D, size)
    chains = CHAIN * min(corpus.n_tokens, MANY)  # of more, they are in a file
    driver = plan.memory.topics + PER_DOCUMENT * D + chains + step.sent + step.received + PROGRAM
    return ClusterWork(step, driver)


def _relative_cost(structure: Structure) -> float:
    """Cost of a word at a node, relative to an Ornstein-Uhlenbeck process plus a constant."""
    if isinstance(structure, DenseStructure):
        return max(1.0, (structure.rank / 10) ** 2)
    if not isinstance(structure.kernel, Kernel):
        return 4.0  # of tracks, about
    space = structure.kernel.state_space()
    size = 1 if space is None else len(space.H)
    return max(1.0, size**2 / 2) if size > 2 else 1.0
