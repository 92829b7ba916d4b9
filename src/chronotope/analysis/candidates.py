"""Candidates for events, from posterior means: bursts of a topic's words or of its prevalence (share of the text)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from chronotope._typing import Floats, Ints
from chronotope.analysis.bursts import Burst, Windows, bursts_of, find_bursts, rate_gain
from chronotope.analysis.prevalence import document_lengths, topic_tokens
from chronotope.corpus.corpus import Corpus
from chronotope.topics import Topics, expected_share

if TYPE_CHECKING:
    from chronotope.model import DynamicTopicModel

WordBurst = tuple[Burst, float]  # a burst of one word and its strength

LEAST_SHARE = 1e-3  # probability that a word must reach in the topic at some node
LEAST_TOKENS = 5.0  # minimum expected tokens of a word in its burst
PROMISE = 0.8  # fraction of `factor` that the ratio must reach at the posterior mean
MOST = 8  # maximum number of candidates per topic whose probability is computed
OVERLAP = 0.5  # fraction of the shorter of two bursts from which they are one event
EDGES = ("first", "last")


class Candidate(NamedTuple):
    """A burst of a topic.

    topic : int;  kind : "words", or "share" for the topic's prevalence
    first, peak, last : nodes where it begins, is highest and ends
    words : columns of the vocabulary, strongest first;  strength : in nats
    """

    topic: int
    kind: Literal["words", "share"]
    first: int
    peak: int
    last: int
    words: list[int]
    strength: float


class Volume(NamedTuple):
    """Text at the nodes.   tokens, documents (effective number) : (J,);  share : (J, K) prevalence, 0 without text."""

    tokens: Floats
    documents: Floats
    share: Floats


def topic_volume(model: DynamicTopicModel, corpus: Corpus | None, theta: Floats | None) -> Volume:
    """Text around each node, of the corpus or, without one, of the training documents.

        E = (Σ_d n_d)² / Σ_d n_d²      effective number of documents: fewer than D if some are much longer

    Without a corpus all documents count as equally long.   theta : (D, K) topic shares of the documents of the corpus
    """
    topics = model.topics_
    if corpus is None:
        tokens = topics.mass.sum(axis=1)
        mass, documents = topics.mass, tokens * model.n_documents_ / tokens.sum()
    else:
        nodes, lengths = topics.times, document_lengths(corpus).astype(np.float64)
        node = np.searchsorted(0.5 * (nodes[1:] + nodes[:-1]), corpus.times)
        tokens, squares = (np.bincount(node, weight, len(nodes)) for weight in (lengths, lengths**2))
        mass = np.zeros((len(nodes), topics.n_topics))
        np.add.at(mass, node, topic_tokens(model, corpus, theta))
        documents = tokens**2 / np.maximum(squares, 1.0)
    return Volume(tokens, documents, mass / np.maximum(tokens, np.finfo(float).tiny)[:, None])


def word_candidates(topics: Topics, k: int, windows: Windows, factor: float, n_words: int) -> list[Candidate]:
    """Bursts of the words of one topic, overlapping ones merged; strongest first.

        strength = Σ_j N π log(π / usual)        usual : median of π over the window around each node

    factor : minimum ratio;  n_words : maximum number of words of a candidate
    """
    N, rate = topics.mass[:, k], _rates(topics, k)
    column = np.flatnonzero(rate[N >= 1.0].max(axis=0, initial=0.0) >= LEAST_SHARE)
    rate = rate[:, column]
    usual = windows.median(rate)
    runs = _runs(rate_gain(N[:, None], rate, usual, factor), windows)
    worth = _over_runs(N[:, None] * rate * np.log(rate / usual), runs)
    tokens = _over_runs(N[:, None] * rate, runs)
    kept = [(run, float(w)) for run, w, n in zip(runs, worth, tokens, strict=True) if n >= LEAST_TOKENS and w > 0]
    groups = _group(sorted(kept, key=lambda pair: -pair[1]))
    found = [_of_words(k, group[:n_words], column, rate) for group in groups]
    mean = [rate[:, np.isin(column, burst.words)].sum(axis=1)[None] for burst in found]
    ratio = [windows.ratio(q, N, burst.first, burst.last)[0] for q, burst in zip(mean, found, strict=True)]
    likely = [burst for burst, r in zip(found, ratio, strict=True) if r >= PROMISE * factor]
    return sorted(likely, key=lambda burst: -burst.strength)[:MOST]


def share_candidates(topics: Topics, volume: Volume, windows: Windows, factor: float, n_words: int) -> list[Candidate]:
    """Bursts of the topics' prevalence; the usual one is the mean over all text in the window around each node.

    The words of a burst are those that gained most tokens of the topic in it.
    factor : minimum ratio;  n_words : maximum number of words of a candidate
    """
    usual = windows.mean(volume.share, volume.tokens)
    runs = _runs(rate_gain(volume.documents[:, None], volume.share, usual, factor), windows)
    ratio = np.maximum(volume.share, 1e-12) / np.maximum(usual, 1e-12)
    strength = _over_runs(volume.tokens[:, None] * volume.share * np.log(ratio), runs)
    found = []
    for run, worth in zip(runs, strength, strict=True):
        share = volume.share[:, run.column]
        peak = run.first + int(np.argmax(share[run.first : run.last + 1]))
        words = _said_most(topics, run, windows, volume.tokens * share)[:n_words]
        found.append(Candidate(run.column, "share", run.first, peak, run.last, words, float(worth)))
    return found


def _rates(topics: Topics, k: int) -> Floats:
    """Expected probabilities of all words of a topic at the nodes, (J, V)."""
    rate = np.empty((len(topics.times), len(topics.vocabulary)))
    for rows, (m, s, log_zeta) in topics.logits(topics.times, k):
        rate[rows] = expected_share(m[:, 0], s[:, 0], log_zeta)
    return rate


def _runs(gain: Floats, windows: Windows) -> list[Burst]:
    """Bursts of at most half a window; entering one costs log J nats, because it may begin at any of J nodes."""
    found = bursts_of(find_bursts(gain, float(np.log(max(len(gain), 2)))))
    return [run for run in found if 2.0 * (windows.nodes[run.last] - windows.nodes[run.first]) <= windows.length]


def _over_runs(values: Floats, runs: list[Burst]) -> Floats:
    """Sum of the values over the rows and the column of each run.   values : (J, C)."""
    return np.array([values[run.first : run.last + 1, run.column].sum() for run in runs])


def _group(bursts: list[WordBurst]) -> list[list[WordBurst]]:
    """Groups of bursts: each joins the strongest one that it overlaps.   bursts : strongest first."""
    groups: list[list[WordBurst]] = []
    for run, worth in bursts:
        for group in groups:
            head = group[0][0]
            common = min(run.last, head.last) - max(run.first, head.first) + 1
            if common >= OVERLAP * (min(run.last - run.first, head.last - head.first) + 1):
                group.append((run, worth))
                break
        else:
            groups.append([(run, worth)])
    return groups


def _of_words(k: int, group: list[WordBurst], column: Ints, rate: Floats) -> Candidate:
    """The candidate of a group of words; first and last are weighted medians of those of its words."""
    worth = np.array([w for _, w in group])
    first, last = (_weighted_median(np.array([getattr(run, side) for run, _ in group]), worth) for side in EDGES)
    here = [run.column for run, _ in group]
    peak = first + int(np.argmax(rate[first : last + 1, here].sum(axis=1)))
    return Candidate(k, "words", first, peak, last, column[here].tolist(), float(worth.sum()))


def _weighted_median(values: Ints, weight: Floats) -> int:
    order = np.argsort(values, kind="stable")
    total = np.cumsum(weight[order])
    return int(values[order][np.searchsorted(total, 0.5 * total[-1])])


def _said_most(topics: Topics, run: Burst, windows: Windows, tokens: Floats) -> list[int]:
    """Words in decreasing order of  Σ_in N π · log(Σ_in N π / expected);  expected : from N π in the window around.

    tokens N : (J,), of the topic.
    """
    said = tokens[:, None] * _rates(topics, run.column)
    inside, near = said[run.first : run.last + 1], said[windows.around(run.first, run.last)]
    worth = inside.sum(axis=0) * np.log(np.maximum(inside.mean(axis=0), 1e-300) / np.maximum(near.mean(axis=0), 1e-300))
    return [int(v) for v in np.argsort(-worth, kind="stable")]
