"""Words that set groups or places apart in a topic, and how far groups differ overall."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from chronotope._typing import Floats, Ints
from chronotope.analysis.parted import common_nodes, shares_of, tracks_of_pair
from chronotope.analysis.questions import FARTHEST, draw_words
from chronotope.analysis.words import topics_of
from chronotope.dates.decimal import parse_times
from chronotope.dates.periods import with_dates
from chronotope.gp import Structure
from chronotope.kernels import By, Constant, Kernel, Sum, has_by, has_tracks, scaled
from chronotope.topics import Topics

if TYPE_CHECKING:
    from chronotope.model import DynamicTopicModel

TIMES = 12  # that an average is taken over
CANDIDATES = 4  # times the number of words asked for, of which draws are made
CARRIED = 3.0  # least expected tokens of a word in the texts of the group that it is said to be of
SURE = 0.9  # probability from which words come first
CELLS = 300_000  # nodes × topics × words of which the evidence is computed
VARIANCES = np.exp(np.linspace(np.log(1e-5), np.log(4.0), 25))  # of what groups have of their own
LASTING = (0.0, 0.5, 0.9, 0.99)  # parts of it that last
DRAWS = 4_000


def contrast(
    model: DynamicTopicModel | Topics,
    topic: int,
    a: str | int,
    b: str | int,
    times: Any = None,
    n: int = 20,
    *,
    level: float = 0.9,
    words: Iterable[str | int] | None = None,
    draws: int = 400,
    seed: int = 0,
) -> pd.DataFrame:
    """Words that set one group apart from another in a topic.

        ratio = p_a / p_b,   ranked by (p_a − p_b) log(p_a / p_b), a word's part of the symmetrised divergence

    Both groups are drawn jointly: uncertainty about what they share cancels in the ratio. Words that are surely of one
    side, with a probability of 0.9 or more, come first. No word is shown that the texts of the group do not have.

    model : DynamicTopicModel or Topics, fitted with groups or places
    topic : int, number of the topic
    a, b : names or numbers of two groups or places
    times : number, date or list of them, default None; None for the average probabilities over the time with text of
        both groups
    n : int, default 20; maximum number of words of each side
    level : float, default 0.9; posterior probability of the intervals
    words : list of str or int, default None; words, or columns of the vocabulary, in the order given; None for those
        that contribute most
    draws : int, default 400; posterior draws, at least 2
    seed : int, default 0; of the draws

    Returns a table with one row per time and word, words of a first:
    time : if times are given;  word : the word
    ratio, low, high : posterior median of p_a / p_b, and its credible interval
    probability : P(ratio > 1)
    share_a, share_b : expected probabilities of the word in the topic of either group
    """
    topics = topics_of(model)
    k, tracks = topics.check_topic(topic), tracks_of_pair(topics, a, b)
    if not 0 < level < 1:
        raise ValueError(f"level is {level!r}; expected a probability between 0 and 1, such as 0.9.")
    if n < 1 or draws < 2:
        raise ValueError(f"n is {n!r} and draws is {draws!r}; expected at least 1 word and 2 draws.")
    columns = None if words is None else np.array([topics.index(v) for v in words], dtype=np.int64)
    carried = _tokens(topics, k, tracks)
    given = (
        _usual_times(topics, k, tracks)[None] if times is None else parse_times(np.atleast_1d(times)).values[:, None]
    )
    tables = []
    for at in given:  # one row of times is averaged over
        shares = np.stack([shares_of(topics, k, at, track).mean(axis=0) for track in tracks])  # (2, V)
        asked = _candidates(shares, carried, CANDIDATES * n) if columns is None else columns
        table = _ratios(topics, k, tracks, at, asked, level, draws, seed)
        table["share_a"], table["share_b"] = shares[:, asked]
        table = _ranked(table, n) if columns is None else table
        if times is not None:
            table.insert(0, "time", float(at[0]))
        tables.append(table)
    return with_dates(pd.concat(tables, ignore_index=True), topics.calendar)


def _usual_times(topics: Topics, k: int, tracks: tuple[int, int]) -> Floats:
    """Evenly spaced times between the first and the last with text of both groups; else of the main span."""
    nodes = topics.times[common_nodes(topics, k, tracks)]
    times = np.linspace(nodes[0], nodes[-1], TIMES) if len(nodes) > 1 else topics.covered_times(TIMES)
    covered = times[topics.covered(times)]
    return covered if len(covered) else times[:1]


def _tokens(topics: Topics, k: int, tracks: tuple[int, int]) -> Floats:
    """Expected tokens of all words in a topic of two groups, (2, V)."""
    found = [topics.track_mass[s][:, k] @ shares_of(topics, k, topics.times, s) for s in tracks]
    return np.stack(found)


def _candidates(shares: Floats, carried: Floats, n: int) -> Ints:
    """The words of either side that contribute most to the divergence, at most n each.   shares, carried : (2, V)"""
    p, q = np.maximum(shares, np.finfo(float).tiny)
    part = (p - q) * np.log(p / q)
    sides = []
    for own, more in ((0, p > q), (1, q > p)):
        possible = np.flatnonzero(more & (carried[own] >= CARRIED))
        sides.append(possible[np.argsort(-part[possible], kind="stable")[:n]])
    return np.concatenate(sides)


def _ratios(
    topics: Topics, k: int, tracks: tuple[int, int], at: Floats, words: Ints, level: float, n: int, seed: int
) -> pd.DataFrame:
    """Ratios of the average probabilities at some times.   words : (W,) columns"""
    both, track = np.tile(at, 2), np.repeat(tracks, len(at))
    logs = draw_words(topics, k, words.tolist(), both, n, seed, track).reshape(n, 2, len(at), len(words))
    top = logs.max(axis=2, keepdims=True)
    mean = top[:, :, 0] + np.log(np.exp(logs - top).mean(axis=2))
    change = np.clip(mean[:, 0] - mean[:, 1], -FARTHEST, FARTHEST)
    low, middle, high = np.exp(np.quantile(change, [0.5 - 0.5 * level, 0.5, 0.5 + 0.5 * level], axis=0))
    named = topics.vocabulary[words].astype(object)
    probability = (change > 0).mean(axis=0)
    return pd.DataFrame({"word": named, "ratio": middle, "low": low, "high": high, "probability": probability})


def _ranked(table: pd.DataFrame, n: int) -> pd.DataFrame:
    """At most n words of each side, sure ones first."""
    part = (table["share_a"] - table["share_b"]) * np.log(table["ratio"])
    sides = []
    for more, chance in (
        (table["ratio"] > 1, table["probability"]),
        (table["ratio"] <= 1, 1 - table["probability"]),
    ):
        order = pd.DataFrame({"sure": chance >= SURE, "part": part})[more]
        order = order.sort_values(["sure", "part"], ascending=False, kind="stable")
        sides.append(table.loc[order.index[:n]])
    return pd.concat(sides, ignore_index=True)


def group_differences(model: DynamicTopicModel | Topics, *, level: float = 0.9, seed: int = 0) -> pd.DataFrame:
    """How far groups or places differ in their words: the standard deviation of what each has of its own.

        log p_s = what all share + own_s + normaliser,   sd² = Var own_s at a time

    It is a statement in log odds: with 0.1 most words are within 10% of what all share, with 0.7 within a factor of 2.
    It follows from the evidence of the texts for every variance from 0.00001 to 4, a log variance as good as another
    beforehand, for differences that last as well as for those that come and go as the fit's kernel has it. The fit has
    drawn groups together where texts are few, so the sd is rather too small than too large.

    model : DynamicTopicModel or Topics, fitted with groups or places
    level : float, default 0.9; posterior probability of the intervals
    seed : int, default 0; of the draws

    Returns a table with one row per topic, and a last one for all of them with topic −1:
    topic : its number;  sd, low, high : posterior median, and its credible interval
    """
    topics = topics_of(model)
    topics.track(0)  # refuses a model without groups
    if not 0 < level < 1:
        raise ValueError(f"level is {level!r}; expected a probability between 0 and 1, such as 0.9.")
    own, common = _evidence(topics)
    rng, share = np.random.default_rng(seed), topics.posterior.prior.share
    shared = share * _draws(common, rng)
    drawn = [np.sqrt((1.0 - share) * _draws(each, rng) + shared) for each in (*own, own.sum(axis=0))]
    sd, low, high = np.quantile(drawn, [0.5, 0.5 - 0.5 * level, 0.5 + 0.5 * level], axis=1)
    return pd.DataFrame({"topic": [*range(topics.n_topics), -1], "sd": sd, "low": low, "high": high})


def _evidence(topics: Topics) -> tuple[Floats, Floats]:
    """log Z of the sites under variances and lasting parts: (K, n, parts) of topics, (n, parts) of what they share.

    They are computed of a sample of the words.
    """
    prior, own, common = topics.posterior
    V = own.g.shape[2]
    some = slice(None, None, max(1, own.g.size // CELLS))
    factor = V / len(range(V)[some])
    lasting = LASTING if has_by(prior.kernel) else (0.0,)
    found = np.empty((topics.n_topics, len(VARIANCES), len(lasting)))
    shared = np.zeros(found.shape[1:])
    for i, variance in enumerate(VARIANCES):
        for j, part in enumerate(lasting):
            changed = prior.with_kernel(with_own_variance(prior.kernel, variance, part, _middle(topics)))
            found[:, i, j] = factor * _log_z(changed.own, *(np.ascontiguousarray(x[:, :, some]) for x in own))
            if common is not None and changed.common is not None:
                sites = (np.ascontiguousarray(x[:, :, some]) for x in common)
                shared[i, j] = factor * _log_z(changed.common, *sites)[0]
    return found, shared


def _log_z(structure: Structure, g: Any, b: Any) -> Floats:
    """Σ_j [g m − b (m² + s)/2] − KL of every topic, (K,)."""
    m, s, kl = structure.condition(g, b)
    found: Floats = (g * m - 0.5 * b * (m**2 + s)).sum(axis=(0, 2), dtype=np.float64) - kl
    return found


def _draws(logs: Floats, rng: np.random.Generator) -> Floats:
    """Draws of the variance, with linear interpolation of its distribution in log variances.   logs : (n, parts)"""
    chance = np.exp(logs - logs.max()).sum(axis=1)
    total = np.concatenate([[0.0], np.cumsum(0.5 * (chance[1:] + chance[:-1]))])
    found: Floats = np.exp(np.interp(rng.random(DRAWS) * total[-1], total, np.log(VARIANCES)))
    return found


def _middle(topics: Topics) -> float:
    return float(np.mean(topics.main_span))


def with_own_variance(kernel: Kernel, variance: float, lasting: float, at: float) -> Kernel:
    """The kernel with another variance of its terms over groups and places at a time.

    lasting : part of it that groups have at all times, as a constant
    """
    parts = kernel.parts if isinstance(kernel, Sum) else (kernel,)
    known = sum(float(part.diag(np.array([at]))[0]) for part in parts if has_tracks(part))
    changed = [scaled(part, (1.0 - lasting) * variance / known) if has_tracks(part) else part for part in parts]
    if lasting > 0.0:
        column = next(part.column for part in parts if isinstance(part, By))
        changed.append(By(Constant(lasting * variance), column))
    return changed[0] if len(changed) == 1 else Sum(*changed)
