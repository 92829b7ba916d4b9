"""Events: dated bursts of a topic's words or of its prevalence (its share of the text), each with a probability."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse as sp

from chronotope._typing import Floats, Ints
from chronotope.analysis.bins import (
    TINY,
    Bins,
    Dates,
    TopicCounts,
    clumping_of,
    clumping_over_nodes,
    document_bins,
    node_bins,
)
from chronotope.analysis.bursts import Windows
from chronotope.analysis.candidates import Candidate, share_candidates, word_candidates
from chronotope.analysis.prevalence import describe_documents, document_shares
from chronotope.corpus.corpus import Corpus
from chronotope.dates.decimal import parse_duration
from chronotope.dates.periods import with_dates
from chronotope.display.progress import counting_bar
from chronotope.topics import Topics

if TYPE_CHECKING:
    from chronotope.model import DynamicTopicModel


WINDOWS = 5  # default length of the window: the main span of the corpus divided by this
PRIOR = 1.0  # weight of the prior on a topic's prevalence in a bin, in documents
WEIGHT = 0.5  # and of that on a rate, in mentions
MENTIONS = 2.0  # mentions at the rate of other times that are added to the time around
LEFT_OUT = 2  # documents with most of the words, without which an event must still be one


class Event(NamedTuple):
    """One row of the table; see `find_events`.   words : columns of the vocabulary."""

    topic: int
    kind: str
    start: float
    peak: float
    end: float
    probability: float
    ratio: float
    low: float
    high: float
    strength: float
    words: list[int]
    documents: list[int]


class Limits(NamedTuple):
    """What is asked; see `find_events`."""

    factor: float
    probability: float
    level: float
    n_words: int
    n_documents: int
    draws: int


def find_events(
    model: DynamicTopicModel,
    corpus: Corpus | None = None,
    *,
    factor: float = 2.0,
    window: float | str | None = None,
    probability: float = 0.8,
    level: float = 0.9,
    n_words: int = 6,
    n_documents: int = 3,
    draws: int = 200,
    seed: int = 0,
    shares: Floats | None = None,
    verbose: bool | None = None,
) -> pd.DataFrame:
    """Dated bursts of each topic, strongest first.

    kind "words" : words that were together `factor` times as probable in the topic as in the time around the event
    kind "share" : the topic's prevalence, its share of the text, was `factor` times that in the time around the event

        ratio = rate inside / rate around,   probability = P(ratio ≥ factor)
        strength = Σ tokens / clumping · log(rate / usual)

    The rates are those of the documents at their own dates, whatever the time grid of the model: the model says which
    topics tokens belong to, and a document that repeats a word hardly counts for more than one that has it once. An
    event is one without the two documents that have most of its words too.

    model : DynamicTopicModel, fitted
    corpus : Corpus, default None; the documents to measure rates and prevalence on, and to name. None for the words
        that the model expects at the nodes of its time grid: it smooths events, so fewer are found, and a word that one
        long document repeats may be an event
    factor : float, default 2.0; minimum ratio, above 1
    window : float or str, default None; length of the time around an event, as "30 years" or in the unit of the corpus;
        None for a fifth of the main span. In a burst longer than a quarter of it, a shorter, higher one is looked for
    probability : float, default 0.8; minimum probability of an event
    level : float, default 0.9; posterior probability of the interval of the ratio
    n_words : int, default 6; maximum number of words of an event
    n_documents : int, default 3; maximum number of documents of an event
    draws : int, default 200; posterior draws
    seed : int, default 0; of the draws
    shares : (D, K) floats, default None; the result of model.transform(corpus), to avoid computing it again
    verbose : bool, default None; whether progress is shown; None shows it if stderr is a terminal or in a notebook

    Returns a table with one row per event:
    topic : its number;  kind : "words" or "share"
    start, peak, end : dates of documents: the first and the last that mention the words, and the median of the mentions
        where they are most frequent. Without a corpus they are nodes of the time grid, and no finer than these
    probability : posterior probability that the ratio is at least `factor`
    ratio, low, high : posterior median of the ratio, and its credible interval
    strength : in nats;  words : list of str, strongest first
    documents : list of int, rows of the corpus, those with most tokens of the event first; only with a corpus
    """
    _check(factor, probability, level, draws)
    topics, theta = model.topics_, None if corpus is None else document_shares(model, corpus, shares)
    length = _window_length(topics, window)
    if corpus is None or theta is None:
        bins = node_bins(model, length)
    else:
        bins = document_bins(model, corpus, theta, length)
    windows, asked = Windows(bins.middle, length), Limits(factor, probability, level, n_words, n_documents, draws)
    found: list[Event] = []
    with counting_bar(topics.n_topics, 0, verbose, "finding events") as done:
        for k in range(topics.n_topics):
            found += _events_of(bins, k, windows, asked, np.random.default_rng([seed, k]))
            done()
    table = pd.DataFrame(found, columns=list(Event._fields))
    table["words"] = [[str(topics.vocabulary[v]) for v in words] for words in table["words"]]
    table = table.sort_values("strength", ascending=False, kind="stable", ignore_index=True)
    if corpus is None:
        return with_dates(table.drop(columns="documents"), topics.calendar, topics.resolution)
    return with_dates(table, topics.calendar)


def event_documents(events: pd.DataFrame, corpus: Corpus) -> pd.DataFrame:
    """The documents of events, one row per document.

    events : table from `find_events`, called with a corpus
    corpus : Corpus, the one that was passed there

    Returns a table:
    event : row of `events`;  topic : its number;  document : row of the corpus
    id, time, tokens : identifier, time and number of tokens of the document;  text : if the corpus kept it
    """
    if "documents" not in events.columns:
        raise ValueError("the table has no column documents; find the events with find_events(model, corpus).")
    table = events[["topic", "documents"]].explode("documents").rename(columns={"documents": "document"})
    table = table.dropna().astype({"document": np.int64}).reset_index(names="event")
    return describe_documents(table, corpus)


def _check(factor: float, probability: float, level: float, draws: int) -> None:
    if not factor > 1:
        raise ValueError(f"factor is {factor!r}; expected a number above 1, the ratio of a burst to the usual level.")
    if not (0 <= probability <= 1 and 0 < level < 1):
        raise ValueError(f"probability is {probability!r} and level {level!r}; expected probabilities from 0 to 1.")
    if draws < 2:
        raise ValueError(f"draws is {draws!r}; expected at least 2.")


def _window_length(topics: Topics, given: float | str | None) -> float:
    """The length of windows that is given; None for a fifth of the main span."""
    first, last = topics.main_span
    length = (last - first) / WINDOWS if given is None else parse_duration(given)
    if given is not None and not length > 0:
        raise ValueError(f'window is {given!r}; expected a length of time above 0, such as "30 years".')
    return length


def _events_of(bins: Bins, k: int, windows: Windows, asked: Limits, rng: np.random.Generator) -> list[Event]:
    """The events of one topic."""
    counts, tail = bins.counts(k), 0.5 * (1.0 - asked.level)
    how = windows, asked.factor, asked.n_words
    found = []
    for burst in word_candidates(counts, k, *how) + share_candidates(bins, counts, k, *how):
        if burst.kind == "words":
            said = _said(bins, counts, burst, windows)
            ratio = said.ratio(asked.draws, rng) * (said.evidence >= burst.cost)
        else:
            ratio = _share_ratio(bins, burst, windows, asked.draws, rng)
        sure = float((ratio >= asked.factor).mean())
        if sure >= asked.probability:
            low, middle, high = (float(value) for value in np.quantile(ratio, [tail, 0.5, 1.0 - tail]))
            dates = bins.date(counts, burst.words, burst.first, burst.peak, burst.last)
            documents = _documents(bins, counts, burst, dates, asked.n_documents)
            found.append(Event(k, burst.kind, *dates, sure, middle, low, high, burst.strength, burst.words, documents))
    return found


class Said(NamedTuple):
    """How often the words of a candidate are said inside and around it, in how many tokens of its topic.

    inside : without two documents, those that have most of the words: an event is told by several
    around : in the window, and as much text at the rate of all other times as has a mention or two: where the window
        has little text, the words being rare in it says little
    clumping : of the words together
    """

    inside: tuple[float, float]
    around: tuple[float, float]
    clumping: float

    @property
    def evidence(self) -> float:
        """Log-likelihood ratio of the rate inside against the rate around, of Poisson counts, in nats."""
        (n, N), (m, M) = self.inside, self.around
        expected = N * m / M if M > 0.0 else np.inf
        return (n * float(np.log(n / expected)) - (n - expected)) / self.clumping if n > expected > 0.0 else 0.0

    def ratio(self, draws: int, rng: np.random.Generator) -> Floats:
        """Posterior draws of the ratio of both rates, (draws,), 0 without text.

            rate ~ Gamma(n / c + ½, N / c)        n : tokens of the words;  N : of the topic;  c : their clumping

        A document that repeats a word hardly counts for more than one that has it once.
        """
        (n, N), (m, M) = self.inside, self.around
        if min(N, M) <= 0.0:
            return np.zeros(draws)
        here = rng.gamma(n / self.clumping + WEIGHT, self.clumping / N, draws)
        there = rng.gamma(m / self.clumping, self.clumping / M, draws)
        ratio: Floats = here / np.maximum(there, TINY)
        return ratio


def _said(bins: Bins, counts: TopicCounts, burst: Candidate, windows: Windows) -> Said:
    """How often the words of a candidate are said."""
    n = np.asarray(counts.n[:, burst.words].sum(axis=1)).ravel()
    inside, around = windows.sides(burst.first, burst.last)
    clumping = _clumping_together(counts, burst.words, bins.place)
    here, there, all_said = (np.array([n[part].sum(), counts.N[part].sum()]) for part in (inside, around, slice(None)))
    m, M = all_said - here
    usual = (m + WEIGHT) / max(M, TINY)
    there += clumping * MENTIONS * np.array([1.0, 1.0 / usual])
    left = np.maximum(here - _most_said(bins, counts, burst, here), 0.0)
    return Said((float(left[0]), float(left[1])), (float(there[0]), float(there[1])), clumping)


def _most_said(bins: Bins, counts: TopicCounts, burst: Candidate, here: Floats) -> Floats:
    """Tokens of a candidate's words, and of its topic, in the two documents inside that have most of the words, (2,).

    Without documents, in two of average length.   here : (2,) these tokens in all that is inside
    """
    if not len(bins.place):
        number = float(bins.effective[burst.first : burst.last + 1].sum())
        return here * min(LEFT_OUT / max(number, TINY), 1.0)
    inside = np.flatnonzero((bins.place >= burst.first) & (bins.place <= burst.last))
    said = np.asarray(counts.documents[inside][:, burst.words].sum(axis=1)).ravel()
    most = np.argsort(-said, kind="stable")[:LEFT_OUT]
    return np.array([said[most].sum(), counts.documents[inside[most]].sum()])


def _clumping_together(counts: TopicCounts, words: list[int], place: Ints) -> float:
    """The clumping of some words together, over documents or else over nodes.   place : (D,), bins of the documents."""
    if not len(place):
        said = np.asarray(counts.n[:, words].sum(axis=1), dtype=np.float64).ravel()
        return float(clumping_over_nodes(sp.csr_array(said[:, None]), counts.N)[0])
    order = np.argsort(place, kind="stable")
    said = np.asarray(counts.documents[:, words].sum(axis=1), dtype=np.float64).ravel()[order]
    lengths = np.asarray(counts.documents.sum(axis=1), dtype=np.float64).ravel()[order]
    return float(clumping_of(sp.csr_array(said[:, None]), lengths)[0])


def _share_ratio(bins: Bins, burst: Candidate, windows: Windows, draws: int, rng: np.random.Generator) -> Floats:
    """Posterior draws of the ratio of a candidate's prevalence, (draws,).

        share_k(τ) ~ Beta(E y + c ȳ, E (1 − y) + c (1 − ȳ))

    y : prevalence at τ;  E : effective documents there;  ȳ : overall prevalence;  c : `PRIOR`, one document
    Each document is treated as belonging to one topic only, so the variance is not underestimated.
    """
    y, E, tokens = bins.share[:, burst.topic], bins.effective, bins.tokens
    overall = float(np.clip(tokens @ y / tokens.sum(), 1e-9, 1 - 1e-9))
    shape = E * y + PRIOR * overall, E * (1.0 - y) + PRIOR * (1.0 - overall)
    return windows.ratio(rng.beta(*shape, size=(draws, len(y))), tokens, burst.first, burst.last)


def _documents(bins: Bins, counts: TopicCounts, burst: Candidate, dates: Dates, n: int) -> list[int]:
    """Rows of the n documents of the event with most expected tokens of its words, or of its topic."""
    said = counts.documents[:, burst.words] if burst.kind == "words" else counts.documents
    worth = np.asarray(said.sum(axis=1)).ravel()
    here = np.flatnonzero((bins.times >= dates[0]) & (bins.times <= dates[2]) & (worth > 0.0))
    return [int(bins.rows[d]) for d in here[np.argsort(-worth[here], kind="stable")[:n]]]
