"""Documents that are much about a topic, period by period."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from chronotope.answers import Periods, choose_periods, representative_documents
from chronotope.report.excerpts import LENGTH, Weights, excerpt
from chronotope.times import format_time

if TYPE_CHECKING:
    from chronotope.corpus import Corpus
    from chronotope.model import DynamicTopicModel
    from chronotope.report.look import Looked

PERIODS = 9  # most of them
COUNTED = 12  # words shown of a document without its text
LEAST = 0.05  # share of the topic below which a document is not about it
TITLES = ("title", "headline", "subject", "name")

WITH_TEXTS = (
    "Of each period the documents with the highest share of the topic, and the passage that says most of it; the "
    "topic’s words are marked."
)
WITHOUT_TEXTS = (
    "Of each period the documents with the highest share of the topic. The corpus holds no texts, so instead of "
    "passages there are the topic’s words in each document, with their counts."
)


def documents_note(corpus: Corpus) -> str:
    """What the documents of a report are."""
    return WITHOUT_TEXTS if corpus.texts is None else WITH_TEXTS


def report_periods(corpus: Corpus) -> Periods:
    """A few periods of round lengths."""
    edges = choose_periods(None, corpus.span, corpus.calendar).edges
    step = -(-(len(edges) - 1) // PERIODS)
    return choose_periods(np.append(edges[:-1:step], edges[-1]), corpus.span, corpus.calendar)


def shown_documents(
    model: DynamicTopicModel, corpus: Corpus, seen: Looked, periods: Periods, n: int
) -> list[list[list[dict[str, Any]]]]:
    """For every topic and period up to n documents."""
    result: list[list[list[dict[str, Any]]]] = [[[] for _ in periods.names] for _ in seen.words]
    if n == 0:
        return result
    table = representative_documents(model, corpus, periods.edges, n, shares=seen.shares)
    number = {name: p for p, name in enumerate(periods.names)}
    vocabulary = model.topics_.vocabulary
    for row in table[table["share"] >= LEAST].itertuples():
        one = seen.words[row.topic]
        weights = {str(vocabulary[v]): float(one.uses[v]) for v in one.words}
        parts = document_words(corpus, row.document, weights) if corpus.texts is None else excerpt(row.text, weights)
        result[row.topic][number[row.period]].append(
            {
                "date": format_time(row.time, corpus.calendar),
                "name": document_name(corpus, row.document),
                "share": round(float(row.share), 4),
                "parts": parts,
            }
        )
    return result


def document_name(corpus: Corpus, row: int) -> str:
    """A document's title where the metadata has one, else its id."""
    table = corpus.metadata
    for column in () if table is None else table.columns:
        if str(column).lower() in TITLES and not pd.isna(table[column].iloc[row]):
            return str(table[column].iloc[row])[:LENGTH]
    name = corpus.ids[row]
    return f"document {name}" if isinstance(name, int | np.integer) else str(name)[:LENGTH]


def document_words(corpus: Corpus, row: int, weights: Weights) -> list[str]:
    """Words of a document without its text that say most of the topic, with their counts; every second part a word."""
    line = corpus.counts[[row]]
    words = [str(word) for word in corpus.vocabulary[line.indices]]
    score = np.array([n * weights.get(word, 0.0) for n, word in zip(line.data, words, strict=True)])
    best = [i for i in np.argsort(-score, kind="stable")[:COUNTED] if score[i] > 0]
    parts = [""]
    for i in best:
        parts += [words[i], f" {line.data[i]:,}, "]
    parts[-1] = parts[-1].removesuffix(", ")
    return parts
