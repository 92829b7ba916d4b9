"""Words of topics over time, as tables with credible bands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from chronotope._typing import Floats
from chronotope.analysis.keywords import distinctive_words, word_uses
from chronotope.dates.decimal import cut_date, format_time, parse_times
from chronotope.dates.periods import choose_periods, with_dates
from chronotope.evaluate.change import fitted_topics
from chronotope.evaluate.identity import topic_identity
from chronotope.topics import Topics, expected_share

if TYPE_CHECKING:
    from chronotope.model import DynamicTopicModel


def topics_of(model: DynamicTopicModel | Topics) -> Topics:
    """The topics of a fitted model."""
    topics = fitted_topics(model)
    if topics is None:
        raise ValueError(f"the model is a {type(model).__name__}; expected a fitted DynamicTopicModel or its topics_.")
    return topics


def topic_names(model: DynamicTopicModel | Topics, n: int = 3) -> list[str]:
    """Names of the topics: number and the words that set each apart from the others, as "3 war army enemy".

    A topic that turns into another one is named by both, as "3 whale seal → israel arab"; see `turning_topics`.

    model : DynamicTopicModel or Topics, fitted
    n : int, default 3; number of words

    Returns a list of K str.
    """
    topics = topics_of(model)
    named = [" ".join(words) for words in distinctive_words(word_uses(topics), topics.vocabulary, n)]
    for turn in turning_topics(topics, max(1, n - 1)):
        named[turn.topic] = f"{' '.join(turn.before)} → {' '.join(turn.after)}"
    return [f"{k} {name}" for k, name in enumerate(named)]


class Turn(NamedTuple):
    """A topic that turns into another one: its number, about when, and the words that name it before and after.

    date : of that time, no finer than the time grid; the number without a calendar
    """

    topic: int
    time: float
    date: str
    before: list[str]
    after: list[str]


def turning_topics(model: DynamicTopicModel | Topics, n: int = 3) -> list[Turn]:
    """The topics whose words before some date say little of those after it; see `evaluate.topic_identity`.

    model : DynamicTopicModel or Topics, fitted
    n : int, default 3; number of words for each side

    Returns a list of tuples (topic, time, date, before, after).
    """
    topics = topics_of(model)
    table = topic_identity(topics)
    found = []
    for k, time in table.loc[table["broken"], ["topic", "break"]].itertuples(index=False):
        sides = (word_uses(topics, side) for side in (topics.times < time, topics.times >= time))
        before, after = (distinctive_words(uses, topics.vocabulary, n)[k] for uses in sides)
        date = format_time(float(time), topics.calendar)
        date = cut_date(date, topics.resolution) if topics.calendar else date
        found.append(Turn(int(k), float(time), date, before, after))
    return found


def top_words_table(
    model: DynamicTopicModel | Topics,
    times_or_periods: Any = None,
    n: int = 10,
    *,
    level: float = 0.9,
    group: str | int | None = None,
) -> pd.DataFrame:
    """The most probable words of every topic at each time, with credible bands.

    model : DynamicTopicModel or Topics, fitted
    times_or_periods : list of numbers or dates, or str, default None; the times; or a length of periods, as "decade",
        for the middle of each period with documents; None for periods of a round length
    n : int, default 10; number of words per topic and time
    level : float, default 0.9; posterior probability of the bands
    group : str, default None; a group or place, if words differ between them; None for what all of them share

    Returns a table with one row per topic, time and rank:
    topic, time : topic and time;  rank : from 1, the most probable word;  word : the word
    probability, low, high : its expected probability, and the credible band
    """
    topics = topics_of(model)
    if n < 1:
        raise ValueError(f"n is {n!r}; expected at least 1 word.")
    at = _asked(topics, times_or_periods)
    tables = [_best_of_topic(topics, k, at, n, level, group) for k in range(topics.n_topics)]
    return with_dates(pd.concat(tables, ignore_index=True), topics.calendar)


def trajectory_table(
    model: DynamicTopicModel | Topics,
    words_by_topic: Mapping[int, Iterable[str | int]] | None = None,
    times: Any = None,
    level: float = 0.9,
    *,
    group: str | int | None = None,
) -> pd.DataFrame:
    """Probabilities of words in topics over time, with credible bands.

    model : DynamicTopicModel or Topics, fitted
    words_by_topic : dict of lists of words, by the number of the topic, default None; None for the 5 most probable
        words of every topic
    times : list of numbers or dates, default None; None for all nodes of the time grid
    level : float, default 0.9; posterior probability of the bands
    group : as in `top_words_table`

    Returns a table with one row per topic, word and time:
    topic, word, time : topic, word and time
    mean, low, high : expected probability of the word, and its credible band
    """
    topics = topics_of(model)
    if words_by_topic is None:
        words_by_topic = {
            k: [word for word, _ in topics.top_words(k, n=5, group=group)] for k in range(topics.n_topics)
        }
    if not words_by_topic:
        raise ValueError("words_by_topic is empty; pass at least one topic with its words, as {0: ['war']}.")
    tables = []
    for k, words in words_by_topic.items():
        table = topics.trajectories(k, [words] if isinstance(words, str) else words, times, level, group=group)
        table.insert(0, "topic", k)
        tables.append(table)
    return with_dates(pd.concat(tables, ignore_index=True), topics.calendar)


def _asked(topics: Topics, given: Any) -> Floats:
    """The given times, or the middles of periods with documents, clipped to the main span; (T,)."""
    first, last = topics.main_span
    if given is None or (isinstance(given, str) and not _is_time(given)):
        periods = choose_periods(given, topics.main_span, topics.calendar)
        written = topics.coverage.holds(periods.times, 0.5 * float(np.diff(periods.edges).max()))
        return np.unique(np.clip(periods.times[written], first, last))
    return parse_times(np.atleast_1d(given) if np.ndim(given) == 0 else given).values


def _is_time(text: str) -> bool:
    return bool(parse_times([text], "drop").keep[0])


def _best_of_topic(topics: Topics, k: int, at: Floats, n: int, level: float, group: str | int | None) -> pd.DataFrame:
    """The n most probable words of one topic at each time.   at : (T,)."""
    n = min(n, len(topics.vocabulary))
    best = np.empty((len(at), n), dtype=np.int64)
    for rows, (m, s, log_zeta) in topics.logits(at, k, group):
        best[rows] = np.argsort(-expected_share(m[:, 0], s[:, 0], log_zeta), axis=1, kind="stable")[:, :n]
    words, column = np.unique(best, return_inverse=True)
    curves = topics.trajectories(k, words, at, level, group=group)
    cell = column.reshape(best.shape) * len(at) + np.arange(len(at))[:, None]  # words outermost, times innermost
    table = curves.iloc[cell.ravel()].reset_index(drop=True).rename(columns={"mean": "probability"})
    table.insert(0, "topic", k)
    table.insert(1, "rank", np.tile(np.arange(1, n + 1), len(at)))
    return table[["topic", "time", "rank", "word", "probability", "low", "high"]]
