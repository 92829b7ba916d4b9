"""Events: dated bursts of a topic's words or of its prevalence (its share of the text), each with a probability."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from chronotope._typing import Floats
from chronotope.analysis.bursts import Windows
from chronotope.analysis.candidates import Candidate, Volume, share_candidates, topic_volume, word_candidates
from chronotope.analysis.prevalence import describe_documents, document_shares
from chronotope.analysis.questions import draw_words
from chronotope.corpus.corpus import Corpus
from chronotope.dates.decimal import parse_duration
from chronotope.dates.periods import with_dates
from chronotope.display.progress import counting_bar
from chronotope.topics import Topics

if TYPE_CHECKING:
    from chronotope.model import DynamicTopicModel


COLUMNS = ["topic", "kind", "start", "peak", "end", "probability", "ratio", "low", "high", "strength", "words"]
WINDOWS = 5  # default length of the window: the span of the corpus divided by this
PRIOR = 1.0  # weight of the prior on a topic's prevalence at a node, in documents


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

        ratio = rate inside / rate around,   probability = P(ratio ≥ factor),   strength = Σ tokens · log(rate / usual)

    model : DynamicTopicModel, fitted
    corpus : Corpus, default None; the documents to measure prevalence on and to name; None for the training documents
        as the model stores them, without names
    factor : float, default 2.0; minimum ratio, above 1
    window : float or str, default None; length of the time around an event, as "30 years" or in the unit of the corpus;
        None for a fifth of the span. A burst longer than half the window is a trend and not an event
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
    start, peak, end : times; with a grid coarser than the times of the documents, start and end are the midpoints
        to the neighbouring nodes
    probability : posterior probability that the ratio is at least `factor`
    ratio, low, high : posterior median of the ratio, and its credible interval
    strength : in nats;  words : list of str, strongest first
    documents : list of int, rows of the corpus, those with most tokens of the event first; only with a corpus
    """
    _check(factor, probability, level, draws)
    topics, theta = model.topics_, None if corpus is None else document_shares(model, corpus, shares)
    volume, windows = topic_volume(model, corpus, theta), _windows(topics, window)
    found = []
    with counting_bar(topics.n_topics, 0, verbose, "finding events") as done:
        for k in range(topics.n_topics):
            bursts = word_candidates(topics, k, windows, factor, n_words)
            found += list(zip(bursts, _word_ratios(topics, bursts, windows, draws, seed), strict=True))
            done()
    bursts = share_candidates(topics, volume, windows, factor, n_words)
    found += list(zip(bursts, _share_ratios(volume, bursts, windows, draws, seed), strict=True))
    table = _table(topics, found, _stretches(topics.times, corpus), factor, probability, level)
    if corpus is not None and theta is not None:
        table["documents"] = [_documents(topics, corpus, theta, row, n_documents) for row in table.itertuples()]
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


def _windows(topics: Topics, length: float | str | None) -> Windows:
    """Windows of the given length; None for a fifth of the span."""
    first, last = topics.span
    width = (last - first) / WINDOWS if length is None else parse_duration(length)
    if length is not None and not width > 0:
        raise ValueError(f'window is {length!r}; expected a length of time above 0, such as "30 years".')
    return Windows(topics.times, width)


def _word_ratios(topics: Topics, bursts: list[Candidate], windows: Windows, draws: int, seed: int) -> list[Floats]:
    """Posterior draws of the ratio of each candidate, (draws,) each; all candidates are of one topic."""
    if not bursts:
        return []
    k = bursts[0].topic
    words = list(dict.fromkeys(v for burst in bursts for v in burst.words))
    rate = np.exp(draw_words(topics, k, words, topics.times, draws, seed))  # (draws, J, W)
    together = (rate[:, :, [words.index(v) for v in burst.words]].sum(axis=2) for burst in bursts)
    return [
        windows.ratio(q, topics.mass[:, k], burst.first, burst.last) for q, burst in zip(together, bursts, strict=True)
    ]


def _share_ratios(volume: Volume, bursts: list[Candidate], windows: Windows, draws: int, seed: int) -> list[Floats]:
    """Posterior draws of the ratio of each candidate's prevalence, (draws,) each.

        share_k(τ) ~ Beta(E y + c ȳ, E (1 − y) + c (1 − ȳ))

    y : prevalence at τ;  E : effective documents there;  ȳ : overall prevalence;  c : `PRIOR`, one document
    Each document is treated as belonging to one topic only, so the variance is not underestimated.
    """
    rng = np.random.default_rng(seed)
    result = []
    for burst in bursts:
        y, E = volume.share[:, burst.topic], volume.documents
        overall = float(np.clip(volume.tokens @ y / volume.tokens.sum(), 1e-9, 1 - 1e-9))
        shape = E * y + PRIOR * overall, E * (1.0 - y) + PRIOR * (1.0 - overall)
        draw = rng.beta(*shape, size=(draws, len(y)))
        result.append(windows.ratio(draw, volume.tokens, burst.first, burst.last))
    return result


def _stretches(nodes: Floats, corpus: Corpus | None) -> tuple[Floats, Floats]:
    """Interval of each node, its start and end (J,): the node alone, or on a grid coarser than the times of the
    documents the interval between the midpoints to its neighbours."""
    if corpus is None or np.isin(corpus.times, nodes).all():
        return nodes, nodes
    middle = 0.5 * (nodes[1:] + nodes[:-1])
    return np.concatenate([nodes[:1], middle]), np.concatenate([middle, nodes[-1:]])


def _table(
    topics: Topics,
    found: list[tuple[Candidate, Floats]],
    stretches: tuple[Floats, Floats],
    factor: float,
    probability: float,
    level: float,
) -> pd.DataFrame:
    nodes, (starts, ends), tail = topics.times, stretches, 0.5 * (1.0 - level)
    rows = []
    for burst, ratio in found:
        sure = float((ratio >= factor).mean())
        if sure >= probability:
            low, middle, high = np.quantile(ratio, [tail, 0.5, 1.0 - tail])
            times = starts[burst.first], nodes[burst.peak], ends[burst.last]
            words = [str(topics.vocabulary[v]) for v in burst.words]
            rows.append((burst.topic, burst.kind, *times, sure, middle, low, high, burst.strength, words))
    table = pd.DataFrame(rows, columns=COLUMNS)
    return table.sort_values("strength", ascending=False, kind="stable", ignore_index=True)


def _documents(topics: Topics, corpus: Corpus, theta: Floats, event: Any, n: int) -> list[int]:
    """Rows of the n documents in the event's interval with most expected tokens of its words, or of its topic."""
    counted = np.isin(topics.vocabulary, event.words) if event.kind == "words" else np.ones(len(topics.vocabulary))
    worth = (corpus.counts @ counted.astype(np.float64)) * theta[:, event.topic]
    here = np.flatnonzero((corpus.times >= event.start) & (corpus.times <= event.end) & (worth > 0))
    return [int(d) for d in here[np.argsort(-worth[here], kind="stable")[:n]]]
