"""Words past the last date: what the prior makes of what was learned, with bands that widen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from chronotope.answers.words import learned, top_words, trajectories
from chronotope.times import format_time, parse_times
from chronotope.topics import Topics

if TYPE_CHECKING:
    from chronotope.model import DynamicTopicModel


def forecast(
    model: DynamicTopicModel | Topics,
    times: Any,
    words_by_topic: Mapping[int, Iterable[str | int]] | None = None,
    *,
    n: int = 10,
    level: float = 0.9,
) -> pd.DataFrame:
    """Word probabilities of every topic past the last date, with credible bands.

    The n most probable words at each time: topic, time, rank, word, probability, low, high; or those of words_by_topic:
    topic, word, time, probability, low, high.
    times : later than every training document. Other times are asked by `top_words` and `trajectories`.
    """
    topics = learned(model)
    at = parse_times([times] if isinstance(times, str | int | float) else times).values
    last = topics.span[1]
    if not len(at) or at.min() <= last:
        shown = "none" if not len(at) else format_time(float(at.min()), topics.calendar)
        ends = format_time(last, topics.calendar)
        raise ValueError(f"the earliest time is {shown} but the documents end at {ends}; pass times after that.")
    if words_by_topic is None:
        return top_words(topics, at, n, level=level)
    return trajectories(topics, words_by_topic, at, level).rename(columns={"mean": "probability"})
