"""Candidates for events: bursts of a topic's words or of its prevalence (share of the text) in time bins."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import scipy.sparse as sp

from chronotope._typing import Floats, Ints
from chronotope.analysis.bins import TINY, Bins, TopicCounts
from chronotope.analysis.bursts import Burst, Windows, bursts_of, find_bursts, rate_gain

WordBurst = tuple[Burst, float]  # a burst of one word and its strength

LEAST_SHARE = 1e-3  # probability that a word must reach in the topic in some bin
LEAST_TOKENS = 5.0  # minimum expected tokens of a word in its burst
MOST = 8  # maximum number of candidates per topic whose probability is computed
LEAST_USUAL = 1e-6  # rate of a word, or prevalence, that is usual even where there is none around
LONGEST = 4.0  # times that a burst must fit in its window: a longer one is a trend
OVERLAP = 0.5  # fraction of the shorter of two bursts from which they are one event
EDGES = ("first", "last")


class Candidate(NamedTuple):
    """A burst of a topic.

    topic : int;  kind : "words", or "share" for the topic's prevalence
    first, peak, last : bins where it begins, is highest and ends
    words : columns of the vocabulary, strongest first;  strength : in nats
    """

    topic: int
    kind: Literal["words", "share"]
    first: int
    peak: int
    last: int
    words: list[int]
    strength: float


def word_candidates(counts: TopicCounts, k: int, windows: Windows, factor: float, n_words: int) -> list[Candidate]:
    """Bursts of the words of one topic, overlapping ones merged; strongest first.

        strength = Σ_b n log(n / expected)        expected : at the mean rate in the other bins of the window

    Both are divided by the clumping of the word, so that one document that repeats it is no burst.
    factor : minimum ratio;  n_words : maximum number of words of a candidate
    """
    column = _candidate_words(counts)
    n, N = counts.n[:, column].toarray(), counts.N
    rate = n / np.maximum(N, TINY)[:, None]
    usual = np.maximum(windows.mean_of_others(rate, N), LEAST_USUAL)
    clumping = counts.clumping[column]
    runs = _runs(rate_gain(N[:, None], rate, usual, factor) / clumping, windows, tested=max(len(column), 1))
    ratio = np.maximum(rate, TINY) / usual
    worth, tokens = _over_runs(n * np.log(ratio) / clumping, runs), _over_runs(n, runs)
    kept = [(run, float(w)) for run, w, m in zip(runs, worth, tokens, strict=True) if m >= LEAST_TOKENS and w > 0]
    groups = _group(sorted(kept, key=lambda pair: -pair[1]))
    found = [_of_words(k, group[:n_words], column, rate) for group in groups]
    return sorted(found, key=lambda burst: -burst.strength)[:MOST]


def _candidate_words(counts: TopicCounts) -> Ints:
    """Columns of words that are frequent enough in the topic at some time, and often enough in all."""
    N = np.maximum(counts.N, LEAST_TOKENS / LEAST_SHARE)
    highest = (sp.diags_array(1.0 / N) @ counts.n).max(axis=0).toarray().ravel()
    total = np.asarray(counts.n.sum(axis=0)).ravel()
    columns: Ints = np.flatnonzero((highest >= LEAST_SHARE) & (total >= LEAST_TOKENS))
    return columns


def share_candidates(
    bins: Bins, counts: TopicCounts, k: int, windows: Windows, factor: float, n_words: int
) -> list[Candidate]:
    """Bursts of a topic's prevalence; the usual one is the mean over all other text in the window around each bin.

    The words of a burst are those that gained most tokens of the topic in it.
    factor : minimum ratio;  n_words : maximum number of words of a candidate
    """
    share, tokens = bins.share[:, [k]], bins.tokens
    usual = np.maximum(windows.mean_of_others(share, tokens), LEAST_USUAL)
    runs = _runs(rate_gain(bins.effective[:, None], share, usual, factor), windows, tested=bins.mass.shape[1])
    strength = _over_runs(tokens[:, None] * share * np.log(np.maximum(share, TINY) / usual), runs)
    found = []
    for run, worth in zip(runs, strength, strict=True):
        peak = run.first + int(np.argmax(share[run.first : run.last + 1]))
        words = _said_most(counts, run, windows)[:n_words]
        found.append(Candidate(k, "share", run.first, peak, run.last, words, float(worth)))
    return found


def _runs(gain: Floats, windows: Windows, tested: int) -> list[Burst]:
    """Bursts of at most a quarter of a window.

    Entering one costs log(B · tested) nats, because it may begin at any of B bins, in any of the rates that are tested.
    """
    found = bursts_of(find_bursts(gain, float(np.log(max(len(gain) * tested, 2)))))
    return [run for run in found if LONGEST * (windows.nodes[run.last] - windows.nodes[run.first]) <= windows.length]


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


def _said_most(counts: TopicCounts, run: Burst, windows: Windows) -> list[int]:
    """Words in decreasing order of  Σ_in n · log(Σ_in n / expected);  expected : from n in the window around."""
    inside, near = counts.n[run.first : run.last + 1], counts.n[windows.around(run.first, run.last)]
    here, there = (np.asarray(part.sum(axis=0)).ravel() / part.shape[0] for part in (inside, near))
    worth = here * np.log(np.maximum(here, 1e-300) / np.maximum(there, 1e-300)) / counts.clumping
    return [int(v) for v in np.argsort(-worth, kind="stable")]
