"""Representative documents of a topic, period by period, with the passage that has most of its words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chronotope._typing import Floats
from chronotope.analysis import representative_documents
from chronotope.dates.periods import Periods, choose_periods
from chronotope.report.rough import document_date

if TYPE_CHECKING:
    from chronotope.corpus.corpus import Corpus
    from chronotope.model import DynamicTopicModel
    from chronotope.report.links import Links
    from chronotope.report.survey import Survey

LENGTH = 420  # characters of an excerpt
READ = 20_000  # characters of a text that are searched for it
_WORD = re.compile(r"\w+")

Weights = dict[str, float]


def excerpt(text: str, weights: Weights) -> list[str]:
    """The passage with most words of the topic, in pieces: every second one is a word of the topic.

    weights : weight of each word of the topic
    """
    text = " ".join(text[:READ].split())
    found = list(_WORD.finditer(text))
    weight = np.array([_weight(match[0], weights) for match in found])
    start, end = _best_window(found, weight)
    start, end = _whole_words(text, start, end)
    pieces: list[str] = []
    at = start
    for match, w in zip(found, weight, strict=True):
        if w > 0 and start <= match.start() and match.end() <= end:
            pieces += [text[at : match.start()], match[0]]
            at = match.end()
    pieces.append(text[at:end])
    pieces[0] = ("… " if start > 0 else "") + pieces[0]
    pieces[-1] += " …" if end < len(text) else ""
    return pieces


def _weight(token: str, weights: Weights) -> float:
    return weights.get(token) or weights.get(token.lower(), 0.0)


def _best_window(found: list[re.Match[str]], weight: Floats) -> tuple[int, int]:
    """Start and end of the window of characters with the highest sum of weights, the first if several are equal."""
    if not found:
        return 0, LENGTH
    starts = np.array([match.start() for match in found])
    ends = np.array([match.end() for match in found])
    total = np.concatenate(
        [[0.0], np.cumsum(np.sqrt(weight))]
    )  # square roots: many different words count for more than one frequent word
    last = np.searchsorted(ends, starts + LENGTH, side="right")
    best = int(np.argmax(total[last] - total[:-1]))
    return (0, LENGTH) if starts[best] < LENGTH // 4 else (int(starts[best]), int(starts[best]) + LENGTH)


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """The window moved back to the start of a sentence nearby, and cut between words."""
    if start > 0:
        stop = max(text.rfind(mark, max(0, start - 120), start) for mark in (". ", "! ", "? ", "; "))
        if stop >= 0:
            start = stop + 2
    end = min(end, start + LENGTH)
    if end < len(text):
        space = text.rfind(" ", start + LENGTH // 2, end)
        end = space if space > 0 else end
    return start, min(end, len(text))


PERIODS = 9  # maximum number of periods
COUNTED = 12  # words shown of a document without its text
LIFT = 2.0  # ratio of the frequency in the topic to that in all topics from which a word is typical
MARKED = 300  # maximum number of typical words of a topic
LEAST = 0.05  # minimum share of the topic in a document that is shown
TITLES = ("title", "headline", "subject", "name")

WITH_TEXTS = (
    "For each period, the documents with the highest share of the topic, and the passage with most of its words; words "
    "typical of the topic are marked."
)
WITHOUT_TEXTS = (
    "For each period, the documents with the highest share of the topic. The corpus has no texts, so the topic’s words "
    "in each document are shown with their counts, instead of passages."
)


def documents_note(corpus: Corpus) -> str:
    """A note on the documents of a report."""
    return WITHOUT_TEXTS if corpus.texts is None else WITH_TEXTS


def report_periods(corpus: Corpus) -> Periods:
    """A few periods of round lengths."""
    span = corpus.main_span
    edges = choose_periods(None, span, corpus.calendar).edges
    step = -(-(len(edges) - 1) // PERIODS)
    return choose_periods(np.append(edges[:-1:step], edges[-1]), span, corpus.calendar)


def chosen_documents(
    model: DynamicTopicModel, corpus: Corpus, survey: Survey, periods: Periods, n: int
) -> pd.DataFrame:
    """A table of up to n documents for every topic and period, see `representative_documents`."""
    if n == 0:
        return pd.DataFrame({"document": np.empty(0, dtype=np.int64)})
    table = representative_documents(model, corpus, periods.edges, n, shares=survey.shares)
    return table[table["share"] >= LEAST]


def shown_documents(
    table: pd.DataFrame, corpus: Corpus, survey: Survey, periods: Periods, links: Links, dated: dict[int, int]
) -> list[list[list[dict[str, Any]]]]:
    """The documents of every topic and period.

    table : from `chosen_documents`;  links : (D,), addresses of the sources
    dated : numbers of the documents that have a page about their date, by row
    """
    result: list[list[list[dict[str, Any]]]] = [[[] for _ in periods.names] for _ in survey.words]
    number = {name: p for p, name in enumerate(periods.names)}
    marked = marked_words(np.stack([one.uses for one in survey.words]), corpus.vocabulary)
    found: list[Any] = list(table.itertuples())
    for row in found:
        weights = marked[row.topic]
        parts = document_words(corpus, row.document, weights) if corpus.texts is None else excerpt(row.text, weights)
        result[row.topic][number[row.period]].append(
            {
                "date": document_date(corpus, row.document),
                "dated": dated.get(row.document),
                "name": document_name(corpus, row.document),
                "link": links[row.document],
                "share": round(float(row.share), 4),
                "parts": parts,
            }
        )
    return result


def marked_words(uses: Floats, vocabulary: NDArray[np.str_]) -> list[Weights]:
    """For every topic the weights of its typical words.   uses : (K, V), expected uses of words in topics.

    weight_kv = π_kv log(π_kv / π_v)   where π_kv ≥ 2 π_v        π_kv : in the topic;  π_v : in all topics
    """
    own = uses / uses.sum(axis=1, keepdims=True)
    lift = own / (uses.sum(axis=0) / uses.sum())
    typical = lift >= (LIFT if len(uses) > 1 else 0.0)
    worth = np.where(typical, own * np.maximum(np.log(lift), 1e-3), 0.0)
    best = np.argsort(-worth, axis=1, kind="stable")[:, :MARKED]
    return [
        {str(vocabulary[v]): float(row[v]) for v in some if row[v] > 0} for row, some in zip(worth, best, strict=True)
    ]


def document_name(corpus: Corpus, row: int) -> str:
    """A document's title if the metadata has one, else its id."""
    table = pd.DataFrame() if corpus.metadata is None else corpus.metadata
    for column in table.columns:
        title = table[column].iloc[row] if str(column).lower() in TITLES else None
        if isinstance(title, str) and title.strip():
            return title.strip()[:LENGTH]
    name = corpus.ids[row]
    return f"document {name}" if isinstance(name, int | np.integer) else str(name)[:LENGTH]


def document_words(corpus: Corpus, row: int, weights: Weights) -> list[str]:
    """Words of the topic in a document without its text, with their counts; every second part is a word."""
    line = corpus.counts[[row]]
    words = [str(word) for word in corpus.vocabulary[line.indices]]
    score = np.array([n * weights.get(word, 0.0) for n, word in zip(line.data, words, strict=True)])
    best = [i for i in np.argsort(-score, kind="stable")[:COUNTED] if score[i] > 0]
    parts = [""]
    for i in best:
        parts += [words[i], f" {line.data[i]:,}, "]
    parts[-1] = parts[-1].removesuffix(", ")
    return parts
