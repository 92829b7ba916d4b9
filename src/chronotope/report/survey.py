"""The slow part of a report, with a progress bar: shares of documents, words and curves of topics, events."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from chronotope._typing import Floats, Mask
from chronotope.analysis import find_events
from chronotope.analysis.prevalence import document_shares, topic_tokens
from chronotope.display.progress import counting_bar
from chronotope.display.smooth import tokens_around
from chronotope.report.axis import report_times
from chronotope.report.words import CURVES, TopicWords, encoded_curves, topic_words

if TYPE_CHECKING:
    from chronotope.corpus.corpus import Corpus
    from chronotope.model import DynamicTopicModel


CELLS = 500_000  # points of all curves together
TIMES = (60, 240)  # minimum and maximum number of times
LEAST = 1e-9  # tokens of a topic at any time, so that nothing is divided by zero


class Known(NamedTuple):
    """Slow parts of a survey that were computed before.

    shares : (D, K), as model.transform(corpus) gives them, or None
    events : as find_events(model, corpus, level=level) gives them, or None
    """

    shares: Floats | None = None
    events: pd.DataFrame | None = None


NOTHING = Known()


class Survey(NamedTuple):
    """What the report shows of a model and a corpus.

    times : (T,), the times of the report, over the main span
    written : (T,), whether there are documents at or near each; in gaps nothing is shown
    prevalence : (T, K), share of the text around the times that is about each topic
    shares : (D, K), topic shares of the documents;  overall : (K,), share of the whole text
    words : words of each topic;  curves : their encoded trajectories;  events : table of all events
    """

    times: Floats
    written: Mask
    prevalence: Floats
    shares: Floats
    overall: Floats
    words: list[TopicWords]
    curves: list[str]
    events: pd.DataFrame


def take_survey(
    model: DynamicTopicModel, corpus: Corpus, level: float, verbose: bool | None, known: Known = NOTHING
) -> Survey:
    """Shares of the documents, words of the topics with their curves, and events.

    level : posterior probability of the bands;  verbose : see `is_shown`;  known : what need not be computed again
    """
    topics, coverage = model.topics_, corpus.coverage
    K = topics.n_topics
    times = report_times(coverage.main_span, topics.calendar, int(np.clip(CELLS // (CURVES * K), *TIMES)))
    written = coverage.holds(times, 0.5 * (times[-1] - times[0]) / max(len(times) - 1, 1))
    words, curves = [], []
    shares = document_shares(model, corpus, known.shares)
    mass = topic_tokens(model, corpus, shares)
    main = coverage.in_main(corpus.times)
    tokens = np.maximum(corpus_tokens_around(times, corpus.times[main], mass[main]), LEAST)
    prevalence = tokens / tokens.sum(axis=1, keepdims=True)
    with counting_bar(K, 0, verbose, "drawing the curves") as done:
        for k in range(K):
            words.append(topic_words(topics, k, times, tokens[:, k] * written, prevalence[:, k] * written))
            curves.append(encoded_curves(topics, k, words[k].words, times, level))
            done()
    happened = known.events
    if happened is None:
        happened = find_events(model, corpus, level=level, shares=shares, verbose=verbose)
    whole = topics.mass if len(corpus) == model.n_documents_ else mass  # of the documents fitted, as everywhere else
    overall = whole.sum(axis=0) / max(whole.sum(), LEAST)
    return Survey(times, written, prevalence, shares, overall, words, curves, happened)


def corpus_tokens_around(at: Floats, times: Floats, mass: Floats) -> Floats:
    """Tokens of topics around times, see `tokens_around`; documents of one time are summed first.

    at : (n,);  times : (D,), of the documents;  mass : (D, K), their tokens of each topic.  Returns (n, K).
    """
    stamps, stamp = np.unique(times, return_inverse=True)
    total = np.zeros((len(stamps), mass.shape[1]))
    np.add.at(total, stamp, mass)
    return tokens_around(at, stamps, total, stamps[-1] - stamps[0])
