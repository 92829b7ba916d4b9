"""Rises and peaks of words in a topic, with posterior probabilities from joint draws."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from chronotope._typing import Floats, Ints
from chronotope.analysis.words import topics_of
from chronotope.dates.decimal import parse_times
from chronotope.dates.periods import with_dates
from chronotope.topics import Topics, expected_share

if TYPE_CHECKING:
    from chronotope.model import DynamicTopicModel


CELLS = 8_000_000  # values drawn at once, which limits memory
HEAVY = 24  # maximum number of words drawn in addition to the given ones
LARGEST = 50.0  # limit of the variance of a logit, to keep its exponential finite
FARTHEST = 600.0  # limit of the logarithm of a ratio, for the same reason
LEFT = 0.01  # fraction of the variance of the normaliser that may be neglected


def draw_words(
    topics: Topics,
    topic: int,
    words: Sequence[int],
    times: Floats,
    n: int,
    seed: int = 0,
    group: str | int | Ints | None = None,
) -> Floats:
    """Joint posterior draws of the log probabilities of a few words.

        log π_v(τ) = β_v(τ) − log [Σ_{v' drawn} exp β_v'(τ) + E Σ_{v' not} exp β_v'(τ)]

    Drawn are the given words and those that contribute most to the variance of the normaliser. All others enter by
    their expected total. Draws are computed together, as if each were a word of its own.

    words : W columns of the vocabulary;  times : (T,);  n : number of draws.  Returns (n, T, W).
    group : whose words, as in `Topics.logits`; with the number of a group at each time, groups are drawn jointly
    """
    k, asked = topics.check_topic(topic), list(dict.fromkeys(int(v) for v in words))
    drawn, log_rest = _normaliser(topics, k, asked, times, group)
    size = max(1, CELLS // ((len(times) + len(topics.node_mass)) * len(drawn)))
    points = topics.posterior.prior.at(times, group if isinstance(group, np.ndarray) else topics.track(group))
    column = [drawn.index(int(v)) for v in words]
    rng = np.random.default_rng(seed)
    result = np.empty((n, len(times), len(column)))
    for start in range(0, n, size):
        many = min(size, n - start)
        logits = topics.posterior.take(slice(k, k + 1), np.tile(drawn, many)).draw(points, rng)
        logits = logits.reshape(len(times), many, len(drawn)).swapaxes(0, 1) + topics.mean[drawn]
        top = np.maximum(logits.max(axis=2), log_rest)
        total = np.exp(logits - top[:, :, None]).sum(axis=2) + np.exp(log_rest - top)
        result[start : start + many] = logits[:, :, column] - (top + np.log(total))[:, :, None]
    return result


def _normaliser(
    topics: Topics, k: int, asked: list[int], times: Floats, group: str | int | Ints | None
) -> tuple[list[int], Floats]:
    """The words to draw, and the log of the expected total of all others, (T,).   asked : columns of the given words.

    Var Σ_u exp β_u = Σ_u (E exp β_u)² (exp s_u − 1)      the words with most of it are drawn, at most `HEAVY`
    """
    share, part = (np.empty((len(times), len(topics.vocabulary))) for _ in range(2))
    log_zeta = np.empty((len(times), 1))
    for rows, (m, s, log_zeta_here) in topics.logits(times, k, group):
        share[rows], log_zeta[rows] = expected_share(m[:, 0], s[:, 0], log_zeta_here), log_zeta_here
        part[rows] = share[rows] ** 2 * np.expm1(np.minimum(s[:, 0].astype(np.float64), LARGEST))
    part /= np.maximum(part.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    order = np.argsort(-part.max(axis=0), kind="stable")[:HEAVY]
    left = 1.0 - np.cumsum(part[:, order], axis=1).min(axis=0)
    enough = int(np.sum(left > LEFT)) + 1
    drawn = list(dict.fromkeys([*asked, *order[:enough].tolist()]))
    share[:, drawn] = 0.0
    rest = np.maximum(share.sum(axis=1), np.finfo(float).tiny)
    return drawn, log_zeta[:, 0] + np.log(rest)


Word = str | int

DRAWS = 1_000  # default number of posterior draws


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
    """Did a word rise in a topic from one time to another?

        probability = P(π_v(end) > π_v(start)),      ratio = π_v(end) / π_v(start)

    Both times are drawn jointly: uncertainty that they share cancels in the ratio.

    model : DynamicTopicModel or Topics, fitted
    topic : int, number of the topic
    word : str, int or list of them; words, or columns of the vocabulary
    start, end : number or date each; the two times
    level : float, default 0.9; posterior probability of the interval
    draws : int, default 1000; posterior draws, at least 2
    seed : int, default 0; of the draws

    Returns a table with one row per word:
    topic, word, start, end : as given
    probability : posterior probability of a rise, P(ratio > 1)
    ratio, low, high : posterior median of the ratio, and its credible interval
    """
    topics, words = topics_of(model), _words(word)
    columns = [topics.index(each) for each in words]
    at = parse_times([start, end]).values
    if at[0] == at[1]:
        raise ValueError(f"start and end are both {start!r}; pass two different dates.")
    tail = _tail(level)
    logs = draw_words(topics, topic, columns, at, _check_draws(draws), seed)
    change = logs[:, 1] - logs[:, 0]  # (draws, words)
    low, middle, high = np.exp(np.clip(np.quantile(change, [tail, 0.5, 1.0 - tail], axis=0), -FARTHEST, FARTHEST))
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
    """When was a word most probable in a topic?

    Every joint draw of the word's trajectory has a peak. The estimate is the median of the shortest interval with half
    of these peaks; low_time and high_time bound the shortest interval with a fraction `level` of them. It is long if
    two periods compete.

    model : DynamicTopicModel or Topics, fitted
    topic : int, number of the topic
    word : str, int or list of them; words, or columns of the vocabulary
    level : float, default 0.9; posterior probability of the intervals
    times : list of numbers or dates, default None; candidates for the peak; None for all nodes of the time grid
    draws : int, default 1000; posterior draws, at least 2
    seed : int, default 0; of the draws

    Returns a table with one row per word:
    topic, word : as given
    time, low_time, high_time : time of the peak, and its credible interval
    probability, low, high : posterior median of the word's probability at that time, and its credible interval
    """
    topics, words = topics_of(model), _words(word)
    columns = [topics.index(each) for each in words]
    at = topics.times if times is None else np.unique(parse_times(times).values)
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
    """The shortest interval with a fraction `level` of the sorted values; the first of several equally short ones."""
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
