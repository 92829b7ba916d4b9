"""One look at the model and the corpus: all that is slow in a report, with a bar."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from chronotope._typing import Floats
from chronotope.analysis import find_events
from chronotope.analysis.prevalence import topic_tokens
from chronotope.display.progress import counting_bar
from chronotope.display.smooth import tokens_around
from chronotope.report.axis import report_times
from chronotope.report.words import CURVES, TopicWords, packed_curves, topic_words

if TYPE_CHECKING:
    from chronotope.corpus.corpus import Corpus
    from chronotope.model.estimator import DynamicTopicModel


CELLS = 500_000  # points of all curves together
TIMES = (60, 240)  # fewest and most times
BLOCK = 2_000  # documents between two moves of the bar
LEAST = 1e-9  # tokens a topic has everywhere, so that none is divided by nothing


class Looked(NamedTuple):
    """times : (T,);  part : (T, K) of the text around them;  shares : (D, K) of the documents;  overall : (K,)."""

    times: Floats
    part: Floats
    shares: Floats
    overall: Floats
    words: list[TopicWords]
    curves: list[str]
    events: pd.DataFrame


def look(model: DynamicTopicModel, corpus: Corpus, level: float, verbose: bool | None) -> Looked:
    """Shares of the documents, words of the topics with their curves, and events."""
    topics = model.topics_
    K = topics.n_topics
    times = report_times(topics.span, topics.calendar, int(np.clip(CELLS // (CURVES * K), *TIMES)))
    words, curves = [], []
    with counting_bar(-(-len(corpus) // BLOCK) + K, 0, verbose, "drawing the curves") as done:
        shares = document_shares(model, corpus, done)
        mass = topic_tokens(model, corpus, shares)
        tokens = np.maximum(around(times, corpus.times, mass), LEAST)
        part = tokens / tokens.sum(axis=1, keepdims=True)
        for k in range(K):
            words.append(topic_words(topics, k, times, tokens[:, k], part[:, k]))
            curves.append(packed_curves(topics, k, words[k].words, times, level))
            done()
    happened = find_events(model, corpus, level=level, shares=shares, verbose=verbose)
    return Looked(times, part, shares, mass.sum(axis=0) / max(mass.sum(), LEAST), words, curves, happened)


def document_shares(model: DynamicTopicModel, corpus: Corpus, done: Callable[[], None]) -> Floats:
    """Topic shares of all documents, (D, K), block by block in the order of time."""
    shares = np.empty((len(corpus), model.topics_.n_topics))
    order = np.argsort(corpus.times, kind="stable")
    for start in range(0, len(corpus), BLOCK):
        block = order[start : start + BLOCK]
        shares[block] = model.transform(corpus[block])
        done()
    return shares


def around(at: Floats, times: Floats, mass: Floats) -> Floats:
    """Tokens around times, documents of one time put together first;  mass : (D, K).  Returns (n, K)."""
    stamps, stamp = np.unique(times, return_inverse=True)
    total = np.zeros((len(stamps), mass.shape[1]))
    np.add.at(total, stamp, mass)
    return tokens_around(at, stamps, total)
