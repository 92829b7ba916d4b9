"""Questions about a word in a topic, answered with what is not known: did it rise, and when did it peak?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chronotope.answers.draws import draw_words
from chronotope.answers.periods import with_dates
from chronotope.answers.words import learned
from chronotope.times import parse_times
from chronotope.topics import Topics

if TYPE_CHECKING:
    from chronotope.model import DynamicTopicModel

Floats = NDArray[np.float64]
Word = str | int

DRAWS = 1_000


def rise(
    model: DynamicTopicModel | Topics,
    topic: int,
    word: Word | Iterable[Word],
    start: Any,
    end: Any,
    *,
    level: float = 0.9,
    draws: int = DRAWS,
    seed: int = 0,
) -> pd.DataFrame:
    """Did a word rise in a topic from one date to another?  One row a word.

        probability = P(π_v(end) > π_v(start)),      ratio = π_v(end) / π_v(start)

    Columns: topic, word, start, end, probability, ratio (the posterior's median), low, high (its credible interval).
    The two dates are drawn jointly: what is unknown about both at once does not blur their ratio.
    """
    topics, words = learned(model), _words(word)
    columns = [topics._word(each) for each in words]
    at = parse_times([start, end]).values
    if at[0] == at[1]:
        raise ValueError(f"start and end are both {start!r}; pass two different dates.")
    tail = _tail(level)
    logs = draw_words(topics, topic, columns, at, _check_draws(draws), seed)
    change = logs[:, 1] - logs[:, 0]  # (draws, words)
    low, middle, high = np.exp(np.quantile(change, [tail, 0.5, 1.0 - tail], axis=0))
    table = pd.DataFrame(
        {
            "topic": topic,
            "word": topics.vocabulary[columns].astype(object),
            "start": at[0],
            "end": at[1],
            "probability": (change > 0).mean(axis=0),
            "ratio": middle,
            "low": low,
            "high": high,
        }
    )
    return with_dates(table, topics.calendar)


def peak(
    model: DynamicTopicModel | Topics,
    topic: int,
    word: Word | Iterable[Word],
    level: float = 0.9,
    *,
    times: Any = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> pd.DataFrame:
    """When was a word most probable in a topic?  One row a word.

    Of every joint draw of the word's curve the highest point is taken. The answer is where these are densest: the
    median of the shortest interval with half of them; low_time and high_time are the shortest interval with `level` of
    them. Two eras that compete give a long interval.
    Columns: topic, word, time, low_time, high_time, probability (the word's, at that time: median), low, high.
    times : where to look, all nodes of the grid if left out
    """
    topics, words = learned(model), _words(word)
    columns = [topics._word(each) for each in words]
    at = topics.structure.nodes if times is None else np.unique(parse_times(times).values)
    tail = _tail(level)
    logs = draw_words(topics, topic, columns, at, _check_draws(draws), seed)
    when = np.sort(at[np.argmax(logs, axis=1)], axis=0)  # (draws, words)
    rows = []
    for i, v in enumerate(columns):
        time = float(np.median(_shortest(when[:, i], 0.5)))
        time = float(at[np.argmin(np.abs(at - time))])
        inner = _shortest(when[:, i], level)
        low, middle, high = np.exp(np.quantile(logs[:, np.flatnonzero(at == time)[0], i], [tail, 0.5, 1.0 - tail]))
        rows.append((topic, str(topics.vocabulary[v]), time, inner[0], inner[-1], middle, low, high))
    names = ["topic", "word", "time", "low_time", "high_time", "probability", "low", "high"]
    return with_dates(pd.DataFrame(rows, columns=names), topics.calendar)


def _shortest(ordered: Floats, level: float) -> Floats:
    """The shortest run of sorted values with so large a part of them; the first, of equals."""
    size = max(1, int(np.ceil(level * len(ordered))))
    first = int(np.argmin(ordered[size - 1 :] - ordered[: len(ordered) - size + 1]))
    return ordered[first : first + size]


def _words(given: Word | Iterable[Word]) -> list[Word]:
    words = [given] if isinstance(given, str | int | np.integer) else list(given)
    if not words:
        raise ValueError("no words were given; pass at least one.")
    return words


def _tail(level: float) -> float:
    if not 0 < level < 1:
        raise ValueError(f"level is {level!r}; expected a probability between 0 and 1, such as 0.9.")
    return 0.5 * (1.0 - level)


def _check_draws(draws: int) -> int:
    if draws < 2:
        raise ValueError(f"draws is {draws!r}; expected at least 2.")
    return int(draws)
