"""The topics of a fitted model: word probabilities at any time, with their uncertainty.

π_kv(τ), the probability of word v in topic k at time τ, is softmax β_k(τ). The prevalence of a topic is its share of
the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit, ndtri, softmax

from chronotope._typing import Floats, Ints, Mask, Values
from chronotope.dates.coverage import Coverage
from chronotope.dates.decimal import format_time, parse_times
from chronotope.display.notebook import topics_html
from chronotope.gp import Posterior
from chronotope.inference.natural_gradient import log_normaliser
from chronotope.kernels import Kernel

CELLS = 20_000_000  # values computed at once: about half a gigabyte


class Logits(NamedTuple):
    """Posterior of the logits at T times.   m, s : (T, K, V) mean and variance;  log_zeta : (T, K)."""

    m: Values
    s: Values
    log_zeta: Floats


def expected_share(m: Values, s: Values, log_zeta: Floats) -> Floats:
    """E_q[π] ≈ exp(m + s/2 − log ζ), at most 1.   m, s, log_zeta : arrays that broadcast."""
    share: Floats = np.exp(np.minimum(m + 0.5 * s.astype(np.float64) - log_zeta, 0.0))
    return share


def _coverage_of_nodes(nodes: Floats, mass: Floats) -> Coverage:
    """The coverage that shows in the tokens at the nodes, of models that do not store another."""
    tokens = mass.sum(axis=1)
    seen = tokens > 1e-6 if tokens.max(initial=0.0) > 1e-6 else np.ones(len(nodes), np.bool_)
    return Coverage.of(nodes[seen], np.maximum(tokens[seen], 1e-6))


def _bands(logits: Logits, words: list[int], reach: float) -> Floats:
    """Mean, low and high probability of W words of one topic, (3, T, W); see `Topics.trajectory`."""
    m, s, log_zeta = logits.m[:, 0], logits.s[:, 0].astype(np.float64), logits.log_zeta
    share = expected_share(m, s, log_zeta)  # (T, V)
    own, variance = share[:, words], s[:, words]
    rest = np.maximum(share.sum(axis=1, keepdims=True) - own, np.finfo(float).eps)
    others = ((share**2 * s).sum(axis=1, keepdims=True) - own**2 * variance) / rest**2
    spread = reach * np.sqrt(variance + np.clip(others, 0.0, s.max(axis=1, keepdims=True)))
    odds = m[:, words] - log_zeta - np.log(rest)
    return np.stack([own, expit(odds - spread), expit(odds + spread)])


class Topics:
    """Topics of a fitted model, its attribute `topics_`.

    posterior : Posterior; prior on the nodes of the time grid, and sites on deviations of the logits from m₀
    mean : (V,) floats; m₀, the prior mean of the logits
    mass : (S · J, K) floats; N, expected tokens of each topic at the nodes of every track
    vocabulary : (V,) str; the words
    calendar : bool; whether times are decimal years
    coverage : Coverage, default None; where the training documents are; None to see it from the mass of the nodes
    """

    def __init__(
        self,
        posterior: Posterior,
        mean: Floats,
        mass: Floats,
        vocabulary: NDArray[np.str_],
        calendar: bool,
        coverage: Coverage | None = None,
    ) -> None:
        self.posterior, self.mean, self.node_mass = posterior, mean, mass
        self.vocabulary, self.calendar = vocabulary, calendar
        self.coverage = _coverage_of_nodes(self.times, self.mass) if coverage is None else coverage

    @property
    def mass(self) -> Floats:
        """Expected tokens of each topic at the times of the nodes, (J, K), of all groups and places together."""
        tracks = self.posterior.prior.tracks
        return self.node_mass if tracks is None else self.track_mass.sum(axis=0)

    @property
    def track_mass(self) -> Floats:
        """Expected tokens of each topic at the nodes of every group or place, (S, J, K)."""
        return self.node_mass.reshape(-1, len(self.times), self.node_mass.shape[1])

    @property
    def groups(self) -> tuple[str, ...]:
        """Names of the groups, or cells of places, between which words differ; none if they do not."""
        tracks = self.posterior.prior.tracks
        return () if tracks is None else tracks.names

    @property
    def places(self) -> Floats | None:
        """Latitude and longitude of the cells, (S, 2); None if words do not differ between places."""
        tracks = self.posterior.prior.tracks
        return None if tracks is None else tracks.places

    def track(self, group: str | int | None) -> int:
        """Number of a group or place; −1 for None, what all of them share.   group : name or number"""
        if group is None:
            return -1
        if isinstance(group, int | np.integer) and not isinstance(group, bool) and 0 <= group < len(self.groups):
            return int(group)
        if group in self.groups:
            return self.groups.index(str(group))
        if not self.groups:
            raise ValueError(
                f"group is {group!r}, but the words of this model do not differ between groups; fit it with a kernel "
                'such as "constant + ou + by(ou)" and groups="party".'
            )
        known = ", ".join(map(repr, self.groups[:8])) + ", ..." * (len(self.groups) > 8)
        raise ValueError(f"group is {group!r}; expected one of {known}.")

    @property
    def n_topics(self) -> int:
        """K, the number of topics."""
        return int(self.node_mass.shape[1])

    @property
    def kernel(self) -> Kernel:
        """The kernel of the prior."""
        return self.posterior.prior.kernel

    @property
    def times(self) -> Floats:
        """Times of the nodes of the time grid, (J,), increasing."""
        return self.posterior.prior.nodes

    @property
    def span(self) -> tuple[float, float]:
        """First and last time of the training documents."""
        return float(self.times[0]), float(self.times[-1])

    @property
    def main_span(self) -> tuple[float, float]:
        """The span without outlying times, which are far from most of the training documents."""
        (low, high), (first, last) = self.span, self.coverage.main_span
        return min(max(low, first), high), max(min(high, last), low)

    @property
    def resolution(self) -> float:
        """The usual distance between nodes where there are documents; shorter changes are not seen. 0 for none such."""
        return self.coverage.resolution(self.times)

    def covered(self, times: Floats) -> Mask:
        """Whether there are documents at or near evenly spaced times, (T,).   times : (T,), increasing."""
        reach = 0.5 * (times[-1] - times[0]) / max(len(times) - 1, 1)
        return self.coverage.holds(times, reach)

    def covered_times(self, n: int) -> Floats:
        """At most n evenly spaced times of the main span, none in a gap without documents; (T,)."""
        first, last = self.main_span
        times = np.linspace(first, last, n) if last > first else np.array([first])
        return times[self.covered(times)]

    def __repr__(self) -> str:
        first, last = (format_time(time, self.calendar) for time in self.span)
        return f"Topics({self.n_topics} topics, {len(self.vocabulary):,} words, {first} to {last}, {self.kernel})"

    def _repr_html_(self) -> str:
        return topics_html(self)

    def probabilities(self, times: Any, group: str | int | None = None) -> Floats:
        """Word probabilities of every topic, E_q[π_kv(τ)] ≈ exp(m + s/2 − log ζ).

        times : number, date or list of T of them, inside or outside the span
        group : str, default None; a group or place, if words differ between them; None for what all of them share

        Returns (T, K, V); the last axis sums to 1.
        """
        result = np.empty((len(self._times(times)), self.n_topics, len(self.vocabulary)))
        for rows, (m, s, _) in self.logits(times, None, group):
            result[rows] = softmax(m + 0.5 * s.astype(np.float64), axis=2)  # log ζ is too coarse where s is huge
        return result

    def trajectory(
        self,
        topic: int,
        word: str | int,
        times: Any = None,
        level: float = 0.9,
        *,
        group: str | int | Ints | None = None,
    ) -> pd.DataFrame:
        """Probability of a word in a topic over time, with a credible band.

            log π/(1−π) = β − log R ~ N(m − log E R, s + Σ_{v'≠v} r_v'² s_v')
            R = Σ_{v'≠v} e^β_v',   r_v' = E e^β_v' / E R

        topic : int, number of the topic
        word : str or int; a word, or its column in the vocabulary
        times : number, date or list of them, default None; None for all nodes of the time grid
        level : float, default 0.9; posterior probability of the band
        group : as in `logits`

        Returns a table with one row per time:
        time : the time;  mean, low, high : expected probability of the word, and its credible band
        """
        return self.trajectories(topic, [word], times, level, group=group).drop(columns="word")

    def trajectories(
        self,
        topic: int,
        words: Iterable[str | int],
        times: Any = None,
        level: float = 0.9,
        *,
        group: str | int | Ints | None = None,
    ) -> pd.DataFrame:
        """Probabilities of several words of a topic over time, with credible bands; see `trajectory`.

        topic : int, number of the topic
        words : list of str or int; words, or columns of the vocabulary
        times : number, date or list of them, default None; None for all nodes of the time grid
        level : float, default 0.9; posterior probability of the bands
        group : as in `logits`

        Returns a table with one row per word and time:
        word, time : word and time;  mean, low, high : expected probability of the word, and its credible band
        """
        if not 0 < level < 1:
            raise ValueError(f"level is {level!r}; expected a probability between 0 and 1, such as 0.9.")
        k, columns = self.check_topic(topic), [self.index(word) for word in words]
        at = self.times if times is None else self._times(times)
        bands = np.empty((3, len(columns), len(at)))  # mean, low, high
        for rows, logits in self.logits(at, k, group):
            bands[:, :, rows] = _bands(logits, columns, ndtri(0.5 + 0.5 * level)).swapaxes(1, 2)
        mean, low, high = bands.reshape(3, -1)
        named = np.repeat(self.vocabulary[columns].astype(object), len(at))
        return pd.DataFrame({"word": named, "time": np.tile(at, len(columns)), "mean": mean, "low": low, "high": high})

    def top_words(
        self, topic: int, time: Any = None, n: int = 10, *, group: str | int | None = None
    ) -> list[tuple[str, float]]:
        """The most probable words of a topic, at a time or on average over all times.

        topic : int, number of the topic
        time : number or date, default None; None for the average over the nodes, weighted by the topic's tokens
        n : int, default 10; number of words
        group : as in `probabilities`

        Returns a list of n pairs (word, probability), most probable first.
        """
        if n < 1:
            raise ValueError(f"n is {n!r}; expected at least 1 word.")
        k = self.check_topic(topic)
        at = self.times if time is None else self._times([time])
        mass = self.mass if group is None else self.track_mass[self.track(group)]
        weight = mass[:, k] + 1e-12 if time is None else np.ones(1)
        total = np.zeros(len(self.vocabulary))
        for rows, (m, s, log_zeta) in self.logits(at, k, group):
            total += weight[rows] @ expected_share(m[:, 0], s[:, 0], log_zeta)
        best = np.argsort(-total, kind="stable")[:n]
        return [(str(self.vocabulary[v]), float(total[v] / weight.sum())) for v in best]

    def shares(self) -> pd.DataFrame:
        """Prevalence of each topic at each node: its share of the text, in tokens.

        Returns a table with one row per node and topic:
        time : of the node;  topic : its number;  share : its prevalence, NaN without tokens at the node
        tokens : all tokens at the node, the denominator
        """
        tokens = self.mass.sum(axis=1)
        seen = tokens > 1e-6
        share = np.divide(self.mass, tokens[:, None], out=np.full_like(self.mass, np.nan), where=seen[:, None])
        J, K = self.mass.shape
        return pd.DataFrame(
            {
                "time": np.repeat(self.times, K),
                "topic": np.tile(np.arange(K), J),
                "share": share.ravel(),
                "tokens": np.repeat(np.where(seen, tokens, 0.0), K),
            }
        )

    def draws(
        self,
        topic: int,
        times: Any,
        words: Iterable[str | int] | None = None,
        n: int = 100,
        seed: int = 0,
        *,
        group: str | int | None = None,
    ) -> Floats:
        """Joint posterior draws of word probabilities, for statements that involve several times.

        topic : int, number of the topic
        times : number, date or list of T of them
        words : list of str or int, default None; W words, or columns of the vocabulary; None for all V words
        n : int, default 100; number of draws
        seed : int, default 0; of the draws
        group : as in `probabilities`

        Returns (n, T, W).
        """
        if n < 1:
            raise ValueError(f"n is {n!r}; expected at least 1 draw.")
        k, at = self.check_topic(topic), self._times(times)
        columns = slice(None) if words is None else [self.index(word) for word in words]
        posterior, rng = self.posterior.take(slice(k, k + 1)), np.random.default_rng(seed)
        result = []
        points = posterior.prior.at(at, self.track(group))
        for _ in range(n):
            logits = posterior.draw(points, rng)[:, 0] + self.mean
            logits = np.exp(logits - logits.max(axis=1, keepdims=True))
            result.append((logits / logits.sum(axis=1, keepdims=True))[:, columns])
        return np.stack(result)

    def logits(
        self, times: Any, topic: int | None = None, group: str | int | Ints | None = None
    ) -> Iterator[tuple[slice, Logits]]:
        """Posterior of the logits, in blocks of times that fit in memory.

        times : number, date or list of T of them
        topic : int, default None; number of a topic; None for all
        group : as in `probabilities`; or the number of the group at each time, (T,), −1 for what all of them share

        Yields pairs: a slice of the times, and the posterior there, m and s (rows, K, V) and log ζ (rows, K); K is 1
        for one topic.
        """
        at = self._times(times)
        posterior = self.posterior if topic is None else self.posterior.take(slice(topic, topic + 1))
        points = posterior.prior.at(at, group if isinstance(group, np.ndarray) else self.track(group))
        size = max(1, CELLS // posterior.own.g[0].size)
        for start in range(0, len(at), size):
            rows = slice(start, start + size)
            m, s = posterior.predict(points[rows])
            np.maximum(s, 0, out=s)  # rounding may leave −1e-15 where a prior has no variance
            m += self.mean.astype(m.dtype)
            yield rows, Logits(m, s, log_normaliser(m, s))

    def _times(self, times: Any) -> Floats:
        return parse_times(np.atleast_1d(times) if np.ndim(times) == 0 else times).values

    def check_topic(self, topic: int) -> int:
        """The number of a topic; raises an error if there is no such topic.   topic : int from 0 to K − 1."""
        if isinstance(topic, bool) or not isinstance(topic, int | np.integer) or not 0 <= topic < self.n_topics:
            raise ValueError(f"topic is {topic!r}; expected a number from 0 to {self.n_topics - 1}.")
        return int(topic)

    def index(self, word: str | int) -> int:
        """Column of a word in the vocabulary.   word : str, or int, a column, which is returned as it is."""
        if isinstance(word, int | np.integer) and 0 <= word < len(self.vocabulary):
            return int(word)
        found = np.flatnonzero(self.vocabulary == word)
        if not len(found):
            raise ValueError(f"the word {word!r} is not among the model's {len(self.vocabulary):,} words.")
        return int(found[0])
