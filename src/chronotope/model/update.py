"""Updates of a model with new documents: a longer time grid, more words, the same topics."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from chronotope.corpus import Corpus
from chronotope.corpus.counts import HeldCounts
from chronotope.gp.grid import grow_nodes
from chronotope.inference.growth import (
    fit_new_documents,
    grown_posterior,
    grown_statistics,
    statistics_of_sites,
    updated_mean,
)
from chronotope.inference.guard import NotFinite, is_sound
from chronotope.inference.posterior import TopicPosterior
from chronotope.inference.share_tables import Covariates
from chronotope.inference.state import Progress
from chronotope.inference.statistics import Statistics
from chronotope.inference.store import DocumentStore, arrange_documents
from chronotope.kernels import Recipe, with_distances
from chronotope.model.covariates import ShareColumns
from chronotope.model.plan import SHARE_NODES, fit_settings, plan_fit
from chronotope.model.tracks import TrackColumns
from chronotope.model.training import BROKEN, REMEDY, start_fit
from chronotope.topics import Topics

OUTGROWN = 4.0  # factor between a kernel's parameter and that for the grown corpus that causes a warning


class Updated(NamedTuple):
    """Topics and progress after an update.

    columns : how prevalence reads documents, None without;  tracks : how words do, None if groups and places share them
    """

    posterior: TopicPosterior
    progress: Progress
    columns: ShareColumns | None
    tracks: TrackColumns | None


def first_documents(parameters: Mapping[str, Any], corpus: Corpus) -> Updated:
    """Topics of the first documents of a model that is updated by `partial_fit`."""
    plan = plan_fit(parameters, corpus)
    store, (posterior, progress, _) = start_fit(parameters, corpus, plan)
    given = store.take(np.arange(len(corpus))), len(corpus), None
    fit_new_documents(*given, posterior, progress, fit_settings(parameters, corpus), store.covariates)
    return _checked(Updated(posterior, progress, None if plan.shares is None else plan.shares.columns, plan.tracks))


def further_documents(
    parameters: Mapping[str, Any],
    topics: Topics,
    progress: Progress,
    corpus: Corpus,
    D: int,
    columns: ShareColumns | None,
    tracks: TrackColumns | None,
) -> Updated:
    """Topics after more documents.

    topics, progress : so far;  corpus : new documents, its first columns are the words of the topics
    D : number of documents so far, with the new ones;  columns, tracks : as in `Updated`
    """
    tracks = None if tracks is None else tracks.grown(corpus)
    columns = None if columns is None else columns.grown(corpus)
    follows = None if columns is None else columns.covariates(corpus)
    if columns is not None and progress.prevalence is not None:
        prior = progress.prevalence.eta.prior
        growth = grow_nodes(prior.kernel, prior.nodes, corpus.times, SHARE_NODES, "adaptive")
        progress.prevalence = progress.prevalence.grown(growth, len(columns.groups))
    store, posterior, known = _grown(parameters, topics, corpus, follows, tracks)
    docs = store.take(np.arange(len(corpus)))
    fit_new_documents(docs, D, known, posterior, progress, fit_settings(parameters, corpus), store.covariates)
    return _checked(Updated(posterior, progress, columns, tracks))


def _checked(found: Updated) -> Updated:
    """Refuse an update whose numbers are not finite."""
    if not is_sound(found.posterior, found.progress):
        raise NotFinite(f"{BROKEN} and the model is as it was before. {REMEDY}")
    return found


def warn_outgrown(given: Recipe, span: tuple[float, float], before: Topics, after: Topics) -> None:
    """Warn once if the documents have outgrown the span that the unset parameters of the kernel `given` follow from."""
    far = [_misfit(given, span, topics.span) > OUTGROWN for topics in (before, after)]
    if far == [False, True]:
        warnings.warn(
            f"the documents now span far more time than those the kernel {before.kernel} was chosen for, and it is "
            f"not changed; for all of them it would be {given.resolve(*after.span)}: pass that one, or fit again.",
            UserWarning,
            stacklevel=3,
        )


def _grown(
    parameters: Mapping[str, Any],
    topics: Topics,
    corpus: Corpus,
    follows: Covariates | None,
    columns: TrackColumns | None,
) -> tuple[DocumentStore, TopicPosterior, Statistics]:
    """New documents, the topics on the grown grid with the new words, and the statistics of all earlier documents."""
    posterior = TopicPosterior.from_sites(topics.posterior.take(slice(None)), topics.mean)
    known = statistics_of_sites(posterior, topics.node_mass)
    growth = grow_nodes(topics.kernel, topics.times, corpus.times, parameters["n_inducing"], parameters["grid"])
    tracks = None if columns is None else columns.tracks
    track = None if columns is None else columns.track_of(corpus)
    mean = np.zeros(corpus.n_words)
    if parameters["prior_mean"] == "frequencies":
        mean = updated_mean(topics.mean, float(known.N.sum()), corpus.counts)
    counts = HeldCounts(corpus.counts)
    store = arrange_documents(counts, corpus.times, topics.kernel, growth.nodes, mean, follows, track=track)
    size = corpus.n_words, 1 if tracks is None else tracks.size
    return store, grown_posterior(posterior, growth, mean, tracks), grown_statistics(known, growth, *size)


def _misfit(given: Recipe, span: tuple[float, float], grown: tuple[float, float]) -> float:
    """The largest factor between a kernel's parameters for one span and for another."""
    one, other = (with_distances(given.resolve(*times), 1.0) for times in (grown, span))
    distance = np.abs(one.theta - other.theta)
    return float(np.exp(distance.max(initial=0.0)))
