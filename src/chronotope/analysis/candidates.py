"""Candidates for events: bursts of a topic's words or of its prevalence (share of the text) in time bins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
import scipy.sparse as sp

from chronotope._typing import Floats, Ints
from chronotope.analysis.bins import TINY, Bins, TopicCounts
from chronotope.analysis.bursts import Burst, Windows, bursts_of, find_bursts, rate_gain

WordBurst = tuple[Burst, float]  # a burst of one word and its strength

LEAST_SHARE = 1e-3  # probability that a word must reach in the topic in some bin
LEAST_TOKENS = 5.0  # minimum expected tokens of a word in its burst
MOST = 24  # maximum number of candidates per topic whose probability is computed
LEAST_USUAL = 1e-6  # rate of a word, or prevalence, that is usual even where there is none around
LONGEST = 4.0  # times that a burst must fit in its window: a longer one is a trend
LEVELS = 4  # factors that are tried, each the root of the first times the one before: 2, 2.8, 4, 5.7
OVERLAP = 0.5  # fraction of the shorter of two bursts from which they are one event
EDGES = ("first", "last")


class Candidate(NamedTuple):
    """A burst of a topic.

    topic : int;  kind : "words", or "share" for the topic's prevalence
    first, peak, last : bins where it begins, is highest and ends
    words : columns of the vocabulary, strongest first;  strength : in nats
    cost : evidence in nats that it must have: it may be at any time, in any of the rates that were tested
    """

    topic: int
    kind: Literal["words", "share"]
    first: int
    peak: int
    last: int
    words: list[int]
    strength: float
    cost: float


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
    cost = _cost(len(N), len(column))
    runs = _runs(lambda f: rate_gain(N[:, None], rate, usual, f) / clumping, factor, windows, cost)
    ratio = np.maximum(rate, TINY) / usual
    worth, tokens = _over_runs(n * np.log(ratio) / clumping, runs), _over_runs(n, runs)
    kept = [(run, float(w)) for run, w, m in zip(runs, worth, tokens, strict=True) if m >= LEAST_TOKENS and w > 0]
    groups = _group(sorted(kept, key=lambda pair: -pair[1]))
    found = [_of_words(k, group[:n_words], column, rate, cost) for group in groups]
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
    cost = _cost(*bins.mass.shape)
    runs = _runs(lambda f: rate_gain(bins.effective[:, None], share, usual, f), factor, windows, cost)
    strength = _over_runs(tokens[:, None] * share * np.log(np.maximum(share, TINY) / usual), runs)
    found = []
    for run, worth in zip(runs, strength, strict=True):
        peak = run.first + int(np.argmax(share[run.first : run.last + 1]))
        words = _said_most(counts, run, windows)[:n_words]
        found.append(Candidate(k, "share", run.first, peak, run.last, words, float(worth), cost))
    return found


def _cost(bins: int, tested: int) -> float:
    """Nats that entering a burst costs: it may begin at any bin, in any of the rates tested, and have any factor."""
    return float(np.log(4.0 * max(bins * tested, 1)))


def _runs(gain: Callable[[float], Floats], factor: float, windows: Windows, cost: float) -> list[Burst]:
    """Bursts of at most a quarter of a window. In a longer one, as of a war that is spoken of for a decade, those of a
    higher factor are looked for, and so on.   gain : of the least factor, see `rate_gain`;  cost : of entering a burst
    """
    found, within = list[Burst](), np.ones((1, 1), dtype=bool)
    for level in range(LEVELS):
        evidence = np.where(within, gain(factor ** (1.0 + 0.5 * level)), -np.inf)
        within = np.zeros(evidence.shape, dtype=bool)
        for run in bursts_of(find_bursts(evidence, cost)):
            if LONGEST * (windows.nodes[run.last] - windows.nodes[run.first]) <= windows.length:
                found.append(run)
            else:
                within[run.first : run.last + 1, run.column] = True
        if not within.any():
            break
    return found


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


def _of_words(k: int, group: list[WordBurst], column: Ints, rate: Floats, cost: float) -> Candidate:
    """The candidate of a group of words; first and last are weighted medians of those of its words."""
    worth = np.array([w for _, w in group])
    first, last = (_weighted_median(np.array([getattr(run, side) for run, _ in group]), worth) for side in EDGES)
    here = [run.column for run, _ in group]
    peak = first + int(np.argmax(rate[first : last + 1, here].sum(axis=1)))
    return Candidate(k, "words", first, peak, last, column[here].tolist(), float(worth.sum()), cost)


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
