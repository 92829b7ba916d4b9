"""Which documents a fit hears: those with words that the nodes of the time grid say something about."""

from __future__ import annotations

import math
import warnings

import numpy as np

from chronotope._typing import Mask
from chronotope.gp import TopicPrior
from chronotope.inference.store import DocumentStore

BETWEEN = "says nothing about times between the {:,} nodes of the time grid"
ADVICE = "Add a term that lasts, as in constant + white, or pass an n_inducing of at least {:,}."


def check_reach(docs: DocumentStore, prior: TopicPrior) -> None:
    """Refuse a fit that would hear no document, and warn of documents that it does not hear.

    Between two nodes, a prior without memory has no weight on them: such documents would be ignored.
    """
    words = has_words(docs)
    lost = int((words & ~_on_nodes(docs)).sum())
    if not lost:
        return
    said = f"the kernel {str(prior.kernel)[:80]} {BETWEEN.format(len(prior.nodes))}"
    advice = ADVICE.format(len(docs.at.times))
    if lost == words.sum():
        raise ValueError(f"{said}, and no document with words is at a node. {advice}")
    warnings.warn(
        f"{said}; {lost:,} of {len(words):,} documents are there and ignored. {advice}", UserWarning, stacklevel=6
    )


def tokens_due(docs: DocumentStore) -> float:
    """Documents processed from which on a fit has tokens at its nodes: all of them, or ∞ if this is not known.

    Documents whose dates are rough do not count: they may wait, or be moved.
    """
    heard = has_words(docs) & _on_nodes(docs)
    if docs.where is not None:
        heard[docs.where.document] = False
    return float(len(heard)) if heard.any() else math.inf


def has_words(docs: DocumentStore) -> Mask:
    """Which documents have words, (D,)."""
    words: Mask = docs.counts.sizes(slice(None)) > 0
    return words


def _on_nodes(docs: DocumentStore) -> Mask:
    weighty: Mask = np.asarray(docs.weight.sum(axis=1) > 0.0)
    return weighty
