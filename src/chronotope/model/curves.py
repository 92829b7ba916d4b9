"""Prevalence that was learned: how much each topic was written about, when and by whom, with bands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri, softmax

from chronotope._typing import Floats
from chronotope.corpus import Corpus
from chronotope.dates.decimal import parse_times
from chronotope.dates.periods import with_dates
from chronotope.gp import JointPosterior
from chronotope.inference.share_prior import SharePrior
from chronotope.model.covariates import ShareColumns
from chronotope.model.transform import AlphaOf

DRAWS = 400
CELLS = 1_000_000  # nodes and times, for all groups and topics of all draws made at once, at most
SHOWN = 50  # times of a curve, unless others are given
TOGETHER = 16  # groups drawn together


class Prevalence:
    """The prevalence of topics, the attribute `prevalence_` of a fitted model: the expected share of the text.

    It is π(τ, s) of the prior on shares, θ ~ Dir(A π), at a time τ and in a group s. Without a group it is what all
    groups share, and numbers are at their means.

    prior : SharePrior, learned;  columns : ShareColumns, how documents are read
    calendar : bool, whether times are decimal years;  span : first and last time that curves are shown for
    """

    def __init__(self, prior: SharePrior, columns: ShareColumns, calendar: bool, span: tuple[float, float]) -> None:
        self.prior, self.columns, self.calendar, self.span = prior, columns, calendar, span

    @property
    def groups(self) -> tuple[str, ...]:
        """Names of the groups; none if there are none."""
        return () if self.columns.terms.by is None else self.columns.groups

    @property
    def n_topics(self) -> int:
        """K, the number of topics."""
        return len(self.prior.eta.mean)

    def alpha_of(self, corpus: Corpus) -> AlphaOf:
        """α of rows of a corpus, by the times, groups and numbers of its documents."""
        at = self.columns.covariates(corpus)
        return lambda rows: self.prior.alpha(at.take(np.arange(len(at.times))[rows]))

    def draws(self, times: Any = None, group: str | None = None, n: int = DRAWS, seed: int = 0) -> Floats:
        """Joint draws of the prevalence of all topics at some times, (n, T, K).

        times : numbers or dates, default None for 50 from first to last;  group : its name, default None for what all
        groups share;  n : number of draws;  seed : of them
        """
        return self._drawn(self._times(times), [group], n, seed)[:, :, 0]

    def group_draws(
        self, times: Any = None, groups: Sequence[str] | None = None, n: int = DRAWS, seed: int = 0
    ) -> Iterator[Floats]:
        """Joint draws of the prevalence of all topics in several groups, one at a time, (T, groups, K).

        times, n, seed : as in `draws`;  groups : their names, default None for all
        """
        return self._each_draw(self._times(times), self.groups if groups is None else groups, n, seed)

    def curve(
        self, topic: int, times: Any = None, group: str | None = None, level: float = 0.9, *, n: int = DRAWS
    ) -> pd.DataFrame:
        """The prevalence of a topic over time, with a band.

        topic : int, its number;  times, group : see `draws`;  level : float, part of the probability in the band
        n : int, number of draws that it follows from

        Returns a table: time;  share : the median;  low, high : of the band
        """
        at = self._times(times)
        return self._table(at, {"share": self.draws(at, group, n)[:, :, self._topic(topic)]}, level)

    def curves(
        self, times: Any = None, groups: Sequence[str] | None = None, level: float = 0.9, *, n: int = DRAWS
    ) -> pd.DataFrame:
        """The prevalence of all topics over time, with bands.

        times, level, n : as in `curve`;  groups : names, default None for what all groups share

        Returns a table with one row per topic, group and time: topic;  group : if any are given;  time
        share : the median;  low, high : of the band
        """
        at, sides, named = self._times(times), _sides(level), [None] if groups is None else list(groups)
        if not named:
            raise ValueError("groups is empty; pass the names of some, or None for what all groups share.")
        some = [named[first : first + TOGETHER] for first in range(0, len(named), TOGETHER)]
        found = [np.quantile(self._drawn(at, part, n, 0), sides, axis=0) for part in some]
        low, middle, high = np.concatenate(found, axis=2).transpose(0, 3, 2, 1).reshape(3, -1)  # by topic, group, time
        K, G, T = self.n_topics, len(named), len(at)
        columns = {"topic": np.repeat(np.arange(K), G * T), "group": np.tile(np.repeat(np.array(named), T), K)}
        table = pd.DataFrame(columns | {"time": np.tile(at, K * G), "share": middle, "low": low, "high": high})
        return with_dates(table.drop(columns="group") if groups is None else table, self.calendar)

    def contrast(
        self, topic: int, a: str, b: str, times: Any = None, level: float = 0.9, *, n: int = DRAWS
    ) -> pd.DataFrame:
        """How much more group a wrote about a topic than group b, over time.

        topic, times, level, n : as in `curve`;  a, b : names of groups

        Returns a table: time;  probability : that a wrote more, P(a > b)
        difference, difference_low, difference_high : of the shares, and its band;  ratio, ratio_low, ratio_high
        """
        at, k = self._times(times), self._topic(topic)
        drawn = self._drawn(at, [a, b], n, 0)[..., k]
        one, other = drawn[:, :, 0], drawn[:, :, 1]
        table = self._table(at, {"difference": one - other, "ratio": one / other}, level)
        table.insert(list(table.columns).index("difference"), "probability", (one > other).mean(axis=0))
        return table

    def differences(
        self, times: Any = None, level: float = 0.9, *, groups: Sequence[str] | None = None, n: int = DRAWS
    ) -> pd.DataFrame:
        """Which topics do the groups write about most differently?

        times : that prevalence is averaged over, each counting alike, as in `curve`;  level, n : as in `curve`
        groups : names of those to compare, at least 2, default None for all

        Returns a table with one row per topic, the largest difference first:
        topic;  most, least : the groups that wrote most and least about it;  probability : that the former wrote more
        difference, difference_low, difference_high : of their shares, and its band;  ratio, ratio_low, ratio_high
        """
        if len(self.groups) < 2:
            raise ValueError(f"there are {len(self.groups)} groups; differences between them need at least 2.")
        named = self.groups if groups is None else tuple(groups)
        if len(set(named)) < max(2, len(named)):
            raise ValueError(f"groups is {list(named)!r}; expected at least 2, each once.")
        mean = np.stack([drawn.mean(axis=0) for drawn in self.group_draws(times, named, n=n)])
        middle, topics, rows = np.median(mean, axis=0), np.arange(self.n_topics), np.arange(n)[:, None]
        most, least = middle.argmax(axis=0), middle.argmin(axis=0)
        one, other = mean[rows, most, topics], mean[rows, least, topics]
        found = {"topic": topics, "most": np.array(named)[most], "least": np.array(named)[least]}
        found |= {"probability": (one > other).mean(axis=0)}
        found |= _banded({"difference": one - other, "ratio": one / other}, level)
        return pd.DataFrame(found).sort_values("difference", ascending=False, ignore_index=True)

    def rises(
        self, start: Any = None, end: Any = None, group: str | None = None, level: float = 0.9, *, n: int = DRAWS
    ) -> pd.DataFrame:
        """Which topics became more frequent between two times?

        start, end : number or date, default None for the first and the last time;  group, level, n : as in `curve`

        Returns a table with one row per topic, the largest rise first:
        topic;  probability : that it rose;  ratio, low, high : of its prevalence at the end to that at the start
        """
        ends = [
            side if given is None else self._times([given])[0]
            for given, side in zip((start, end), self.span, strict=True)
        ]
        drawn = self._drawn(np.array(ends), [group], n, 0)[:, :, 0]
        ratio = drawn[:, 1] / drawn[:, 0]
        low, middle, high = np.quantile(ratio, _sides(level), axis=0)
        found = {"probability": (ratio > 1.0).mean(axis=0), "ratio": middle, "low": low, "high": high}
        table = pd.DataFrame({"topic": np.arange(self.n_topics), **found})
        return table.sort_values("ratio", ascending=False, ignore_index=True)

    def peaks(self, group: str | None = None, level: float = 0.9, *, times: Any = None, n: int = DRAWS) -> pd.DataFrame:
        """When was each topic most frequent?

        group, level, n : as in `curve`;  times : that are considered, as in `curve`

        Returns a table with one row per topic: topic;  time, low_time, high_time : median of the draws' peaks, and the
        interval with a part `level` of them;  share : median prevalence at that time
        """
        at = self._times(times)
        drawn = self._drawn(at, [group], n, 0)[:, :, 0]
        low, middle, high = np.quantile(at[drawn.argmax(axis=1)], _sides(level), axis=0, method="nearest")
        share = np.median(drawn, axis=0)[np.searchsorted(at, middle), np.arange(self.n_topics)]
        found = {"time": middle, "low_time": low, "high_time": high, "share": share}
        return with_dates(pd.DataFrame({"topic": np.arange(self.n_topics), **found}), self.calendar)

    def effects(self, level: float = 0.9) -> pd.DataFrame:
        """The linear effects of numbers on the logits of prevalence, relative to the mean over topics.

        level : float, part of the probability in the interval

        Returns a table with one row per column and topic: column;  topic;  estimate, low, high : for one unit more
        """
        prior, reach = self.prior, float(ndtri(0.5 + 0.5 * _checked(level)))
        rows = []
        for p, column in enumerate(self.columns.terms.linear):
            unit = self.columns.deviations[p]
            estimate = (prior.beta[p] - prior.beta[p].mean()) / unit
            spread = reach / np.sqrt(prior.precision[p]) / unit
            found = {"estimate": estimate, "low": estimate - spread, "high": estimate + spread}
            rows.append(pd.DataFrame({"column": column, "topic": np.arange(self.n_topics), **found}))
        names = ["column", "topic", "estimate", "low", "high"]
        return pd.concat(rows, ignore_index=True) if rows else pd.DataFrame(columns=names)

    def __repr__(self) -> str:
        groups = f", {len(self.groups)} groups" if self.groups else ""
        return f"Prevalence({self.n_topics} topics{groups}, {self.prior.eta.prior.kernel})"

    def _drawn(self, times: Floats, groups: Sequence[str | None], n: int, seed: int) -> Floats:
        """Joint draws of the shares of some groups, (n, T, groups, K); None for what all of them share."""
        return np.stack(list(self._each_draw(times, groups, n, seed)))

    def _each_draw(self, times: Floats, groups: Sequence[str | None], n: int, seed: int) -> Iterator[Floats]:
        """The same, one draw at a time, (T, groups, K)."""
        if isinstance(n, bool) or not isinstance(n, int) or n < 1:
            raise ValueError(f"n is {n!r}; expected at least 1 draw.")
        eta, places = self.prior.eta, [self._place(group) for group in groups]
        posterior, rng = eta.sites(), np.random.default_rng(seed)
        joint = JointPosterior(posterior) if posterior.common is not None else None
        many = max(1, CELLS // ((len(eta.prior.nodes) + len(times)) * len(places) * self.n_topics))
        for first in range(0, n, many):
            n_here = min(many, n - first)
            if joint is None:
                f = posterior.draws(times, n_here, rng)[:, :, [place or 0 for place in places]]
            else:
                f = joint.draws(times, places, n_here, rng)
            yield from softmax(f + eta.mean, axis=3)

    def _place(self, group: str | None) -> int | None:
        if group is None:
            return None
        if group not in self.groups:
            known = ", ".join(map(repr, self.groups[:8])) + ", ..." * (len(self.groups) > 8)
            raise ValueError(
                f"group is {group!r}; expected {f'one of {known}' if known else 'None: there are no groups'}."
            )
        return self.groups.index(group)

    def _times(self, given: Any) -> Floats:
        if given is None:
            return np.linspace(*self.span, SHOWN) if self.span[0] < self.span[1] else np.array(self.span[:1])
        if isinstance(given, np.ndarray) and given.dtype == np.float64:
            return given
        return parse_times(given, "raise")[0]

    def _topic(self, topic: int) -> int:
        if isinstance(topic, bool) or not isinstance(topic, int | np.integer) or not 0 <= topic < self.n_topics:
            raise ValueError(f"topic is {topic!r}; expected a number from 0 to {self.n_topics - 1}.")
        return int(topic)

    def _table(self, times: Floats, values: dict[str, Floats], level: float) -> pd.DataFrame:
        """Medians and bands of draws at some times, (n, T) each, by name; see `_banded`."""
        return with_dates(pd.DataFrame({"time": times} | _banded(values, level)), self.calendar)


def _banded(values: dict[str, Floats], level: float) -> dict[str, Floats]:
    """Medians and bands of draws, (n, ...) each, by name; bands of a single one are called low and high."""
    columns: dict[str, Floats] = {}
    for name, drawn in values.items():
        low, middle, high = np.quantile(drawn, _sides(level), axis=0)
        prefix = "" if len(values) == 1 else f"{name}_"
        columns |= {name: middle, f"{prefix}low": low, f"{prefix}high": high}
    return columns


def _sides(level: float) -> tuple[float, float, float]:
    """Quantiles of the lower side, the middle and the upper side of a band."""
    return 0.5 - 0.5 * _checked(level), 0.5, 0.5 + 0.5 * level


def _checked(level: float) -> float:
    if not 0 < level < 1:
        raise ValueError(f"level is {level!r}; expected a part between 0 and 1, such as 0.9.")
    return level
