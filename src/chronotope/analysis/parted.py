"""How far two groups are apart in the words of a topic over time, and when they parted."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from chronotope._typing import Floats, Ints
from chronotope.analysis.differences import Observed, Weights, draw, shortest_interval, weigh
from chronotope.analysis.words import topics_of
from chronotope.dates.decimal import parse_times
from chronotope.dates.periods import with_dates
from chronotope.topics import Topics, expected_share

if TYPE_CHECKING:
    from chronotope.model import DynamicTopicModel

FEWEST = 4  # nodes with text of both groups, without which there is no before and after
MOST = 64  # times that the differences are compared at; of more nodes, neighbours are joined
WORDS, TOKENS = 500, 5.0  # maximum number of words that are compared, and least expected tokens of each
TIMES = 40  # of a curve
GROUPS = 6  # of which all pairs are compared
COLUMNS = ["topic", "a", "b", "probability", "time", "low_time", "high_time", "length", "before", "after"]


class Pair(NamedTuple):
    """Two groups in a topic.

    topics, topic, tracks : which;  columns : (W,) words that are compared
    seen : their differences;  weights : what may have become of them
    """

    topics: Topics
    topic: int
    tracks: tuple[int, int]
    columns: Ints
    seen: Observed
    weights: Weights

    def divergences(self, at: Floats, n: int, seed: int) -> Floats:
        """Joint draws of the divergence at some times, in bits: (n, T).   at : (T,)"""
        d = 0.5 * draw(self.seen, self.weights, at, n, np.random.default_rng(seed))
        shares = [shares_of(self.topics, self.topic, at, track) for track in self.tracks]
        logs = 0.5 * np.log(np.maximum(shares, np.finfo(float).tiny)).sum(axis=0)  # (T, V), between the groups
        others = np.ones(logs.shape[1], dtype=np.bool_)
        others[self.columns] = False
        rest = np.exp(logs[:, others]).sum(axis=1)[:, None]
        sides = [np.concatenate([np.exp(logs[:, self.columns] + x), np.tile(rest, (n, 1, 1))], axis=2) for x in (d, -d)]
        return jensen_shannon(*(side / side.sum(axis=2, keepdims=True) for side in sides))


def jensen_shannon(p: Floats, q: Floats) -> Floats:
    """½ Σ_v [p log₂(p/m) + q log₂(q/m)], m = (p + q)/2, between 0 and 1.   p, q : (..., V)."""
    m = np.maximum(0.5 * (p + q), np.finfo(float).tiny)
    parts = (x * np.log2(np.maximum(x, np.finfo(float).tiny) / m) for x in (p, q))
    found: Floats = 0.5 * sum(part.sum(axis=-1) for part in parts)
    return np.asarray(found)


def tracks_of_pair(topics: Topics, a: str | int, b: str | int) -> tuple[int, int]:
    """Numbers of two groups or places, which must differ."""
    if a is None or b is None:
        raise ValueError("a group is None; name two groups, such as a='D' and b='R'.")
    tracks = topics.track(a), topics.track(b)
    if tracks[0] == tracks[1]:
        raise ValueError(f"a and b are both {a!r}; name two different groups.")
    return tracks


def common_nodes(topics: Topics, k: int, tracks: tuple[int, int]) -> Ints:
    """Nodes at which both groups have at least a token of the topic."""
    found: Ints = np.flatnonzero((topics.track_mass[list(tracks), :, k] >= 1.0).all(axis=0))
    return found


def compared(topics: Topics, topic: int, a: str | int, b: str | int) -> Pair | None:
    """Two groups in a topic; None if they have text at too few times in common.

    The sites of the posterior say what the texts say, without the prior: Δ = g/b of a less that of b, and the noise
    is 1/b of each. What is the same for all words is no difference: it is in the normaliser.
    """
    k, tracks = topics.check_topic(topic), tracks_of_pair(topics, a, b)
    nodes, J = common_nodes(topics, k, tracks), len(topics.times)
    if len(nodes) < FEWEST:
        return None
    posterior = topics.posterior.take(slice(k, k + 1))
    rows = [track * J + nodes for track in tracks]
    g, precision = (np.stack([x[row, 0] for row in rows]).astype(np.float64) for x in posterior.own)  # (2, J, V)
    precision = np.maximum(precision, 1e-6)
    value = g / precision
    if posterior.common is not None and posterior.prior.common is not None:
        shared = posterior.prior.common.condition(*posterior.common).m[:, 0]
        value += np.stack([shared[row] for row in rows])
    tokens = precision.sum(axis=(0, 1))
    columns = np.flatnonzero(tokens >= TOKENS)
    columns = np.sort(columns[np.argsort(-tokens[columns], kind="stable")[:WORDS]])
    if len(columns) < 2:
        return None
    thin = (1.0 / topics.track_mass[list(tracks)][:, nodes, k]).sum(axis=0)
    noise = (1.0 / precision).sum(axis=0)[:, columns]
    seen = neighbours_joined(topics.times[nodes], (value[0] - value[1])[:, columns], noise, thin)
    return Pair(topics, k, tracks, columns, seen, weigh(seen))


def neighbours_joined(times: Floats, value: Floats, noise: Floats, thin: Floats) -> Observed:
    """Differences at no more than `MOST` times, without what is the same for all words: neighbours are averaged."""
    weight = 1.0 / noise
    value = value - (weight * value).sum(axis=1, keepdims=True) / weight.sum(axis=1, keepdims=True)
    if len(times) > MOST:
        first = np.unique(np.linspace(0, len(times), MOST, endpoint=False).astype(int))
        all_of, total = np.add.reduceat(weight, first, axis=0), weight.sum(axis=1)
        value, noise = np.add.reduceat(weight * value, first, axis=0) / all_of, 1.0 / all_of
        times = np.add.reduceat(times * total, first) / np.add.reduceat(total, first)
        thin = 1.0 / np.add.reduceat(1.0 / thin, first)
    return Observed(times, value, noise, thin)


def shares_of(topics: Topics, k: int, at: Floats, track: int) -> Floats:
    """Expected probabilities of all words in a topic of a group, (T, V)."""
    found = np.empty((len(at), len(topics.vocabulary)))
    for rows, (m, s, log_zeta) in topics.logits(at, k, np.full(len(at), track)):
        found[rows] = expected_share(m[:, 0], s[:, 0], log_zeta)
    return found


def divergence(
    model: DynamicTopicModel | Topics,
    topic: int,
    a: str | int,
    b: str | int,
    times: Any = None,
    *,
    level: float = 0.9,
    draws: int = 200,
    seed: int = 0,
) -> pd.DataFrame:
    """How far apart two groups are in the words of a topic, over time.

        JS = ½ Σ_v [p_a log₂(p_a/m) + p_b log₂(p_b/m)],   m = (p_a + p_b)/2        from 0, the same words, to 1 bit

    Draws from the fit's posterior would say that groups differ wherever little is known, for noise makes any two
    distributions differ. So the differences are drawn from a model that learns from the words of this topic how large
    they are, and may be none (`analysis.differences`); of groups that speak alike, the divergence is then nearly 0.

    model : DynamicTopicModel or Topics, fitted with groups or places
    topic : int, number of the topic
    a, b : names or numbers of two groups or places
    times : list of T numbers or dates, default None; None for 40 evenly spaced ones between the first and the last
        with text of both groups, none in a gap without documents
    level : float, default 0.9; posterior probability of the band
    draws : int, default 200; posterior draws, at least 2
    seed : int, default 0; of the draws

    Returns a table with one row per time:
    time : the time;  divergence, low, high : expected divergence in bits, and its credible band
    """
    topics = topics_of(model)
    tail = _tail(level, draws)
    pair = compared(topics, topic, a, b)
    if pair is None:
        raise ValueError(f"{a!r} and {b!r} have text of topic {topic} in common at too few times to compare them.")
    at = _times_of_curve(pair) if times is None else parse_times(np.atleast_1d(times)).values
    found = pair.divergences(at, draws, seed)
    low, high = np.quantile(found, [tail, 1.0 - tail], axis=0)
    table = pd.DataFrame({"time": at, "divergence": found.mean(axis=0), "low": low, "high": high})
    return with_dates(table, topics.calendar)


def _times_of_curve(pair: Pair) -> Floats:
    first, last = pair.seen.times[[0, -1]]
    times = np.linspace(first, last, TIMES)
    covered = times[pair.topics.covered(times)]
    return covered if len(covered) else times


def parting(
    model: DynamicTopicModel | Topics,
    topic: int,
    a: str | int,
    b: str | int,
    *,
    level: float = 0.95,
    draws: int = 100,
    seed: int = 0,
) -> pd.DataFrame:
    """Did two groups part in the words of a topic, and when?

    They part if many words begin to differ at the same time, at once or over a while, and go on to differ. A difference
    from the start is no parting, nor are words that come and go; `analysis.differences` has the model, which weighs
    parting against no change and against drawing nearer. A tenth of the text of both at least must be before and after.

    model, topic, a, b : as in `divergence`
    level : float, default 0.95; posterior probability of the interval
    draws : int, default 100; posterior draws of the divergence, at least 2
    seed : int, default 0; of the draws

    Returns a table with one row:
    topic, a, b : as given
    probability : posterior probability that they parted; NaN if they have text in common at too few times
    time, low_time, high_time : when, if they parted: its posterior median, and its shortest credible interval. Of a
        gradual parting it is the middle
    length : most probable length of the parting, 0 for at once
    before, after : mean divergence in bits before and after that time
    """
    topics = topics_of(model)
    _tail(level, draws)
    return _dated([_row(topics, topic, (a, b), level, draws, seed)], topics)


def partings(
    model: DynamicTopicModel | Topics,
    a: str | int | None = None,
    b: str | int | None = None,
    *,
    level: float = 0.95,
    draws: int = 50,
    seed: int = 0,
) -> pd.DataFrame:
    """The topics in which groups parted, most probable first.

    model : DynamicTopicModel or Topics, fitted with groups or places
    a, b : names or numbers of two groups, default None; None for all pairs of up to 6 groups
    level, draws, seed : as in `parting`

    Returns a table with one row per topic and pair; columns as of `parting`.
    """
    topics = topics_of(model)
    _tail(level, draws)
    if (a is None) != (b is None):
        raise ValueError("one group was given; pass two, or none for all pairs.")
    if a is None or b is None:
        topics.track(0)  # refuses a model without groups
        if len(topics.groups) > GROUPS:
            raise ValueError(
                f"the model has {len(topics.groups):,} groups, too many to compare all pairs; name two of them, as "
                "partings(model, 'D', 'R')."
            )
        pairs: list[tuple[str | int, str | int]] = list(combinations(topics.groups, 2))
    else:
        pairs = [(a, b)]
    rows = [_row(topics, k, pair, level, draws, seed) for k in range(topics.n_topics) for pair in pairs]
    rows.sort(key=lambda row: -np.nan_to_num(row[3], nan=-1.0))
    return _dated(rows, topics)


def _row(
    topics: Topics, topic: int, groups: tuple[str | int, str | int], level: float, draws: int, seed: int
) -> list[Any]:
    """A row of the table of partings."""
    pair = compared(topics, topic, *groups)
    if pair is None:
        return [topic, *groups, *[np.nan] * 7]
    times, chance = pair.weights.when()
    time = float(times[np.searchsorted(np.cumsum(chance), 0.5 * chance.sum())])
    interval = shortest_interval(times, chance, level)
    mean = pair.divergences(pair.seen.times, draws, seed).mean(axis=0)
    later = pair.seen.times > time
    sides = float(mean[~later].mean()), float(mean[later].mean())
    return [pair.topic, *groups, pair.weights.parted, time, *interval, pair.weights.length(), *sides]


def _dated(rows: list[list[Any]], topics: Topics) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=COLUMNS)
    if table["time"].isna().any():  # a time that is not known has no date
        known = with_dates(table.dropna(subset="time").copy(), topics.calendar)
        return pd.concat([known, table[table["time"].isna()]], ignore_index=True)[list(known.columns)]
    return with_dates(table, topics.calendar)


def _tail(level: float, draws: int) -> float:
    if not 0 < level < 1:
        raise ValueError(f"level is {level!r}; expected a probability between 0 and 1, such as 0.9.")
    if draws < 2:
        raise ValueError(f"draws is {draws!r}; expected at least 2.")
    return 0.5 * (1.0 - level)
