"""A fitted model taken up again for documents that came later: longer time grid, more words, the same topics."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np

from chronotope.corpus.corpus import Corpus
from chronotope.gp import Grid
from chronotope.gp.grid import grow_nodes
from chronotope.inference.documents import Documents, Statistics, place_documents
from chronotope.inference.growth import grown_posterior, grown_statistics, known_statistics, moved_mean
from chronotope.inference.posterior import TopicPosterior
from chronotope.kernels import Kernel
from chronotope.model.params import PriorMean
from chronotope.topics import Topics

OUTGROWN = 4.0  # factor by which a kernel's parameter may differ from what the grown corpus would be given


class Resumed(NamedTuple):
    """New documents, the topics as they stand, and the statistics of all documents before."""

    docs: Documents
    posterior: TopicPosterior
    known: Statistics


def resume(topics: Topics, corpus: Corpus, n_inducing: int | None, grid: Grid, prior_mean: PriorMean) -> Resumed:
    """Topics as they stand, on a grid and with words that hold the new documents.

    corpus : its first columns are the words of the topics. The kernel stays as it is.
    """
    posterior = TopicPosterior.from_sites(topics.structure, topics.g.copy(), topics.b.copy(), topics.mean)
    known = known_statistics(posterior, topics.mass)
    growth = grow_nodes(topics.kernel, topics.structure.nodes, corpus.times, n_inducing, grid)
    mean = np.zeros(corpus.n_words)
    if prior_mean == "frequencies":
        mean = moved_mean(topics.mean, float(known.N.sum()), corpus.counts)
    docs = place_documents(corpus.counts, corpus.times, topics.kernel, growth.nodes, mean)
    known = grown_statistics(known, growth, corpus.n_words)
    return Resumed(docs, grown_posterior(posterior, growth, mean), known)


def warn_outgrown(given: Kernel, before: Topics, after: Topics) -> None:
    """Say once that the span has grown far beyond the one the kernel's parameters left out were taken from."""
    far = [_misfit(given, topics) > OUTGROWN for topics in (before, after)]
    if far == [False, True]:
        warnings.warn(
            f"the documents now span far more time than those the kernel {before.kernel} was chosen for, and it stays "
            f"as it is; for all of them it would be {given.resolve(*after.span)}: pass that one, or fit anew.",
            UserWarning,
            stacklevel=3,
        )


def _misfit(given: Kernel, topics: Topics) -> float:
    """The largest factor between the kernel's parameters and those its span would give it."""
    distance = np.abs(given.resolve(*topics.span).theta - topics.kernel.theta)
    return float(np.exp(distance.max(initial=0.0)))
