"""Forecasts: word probabilities after the last document, and their evaluation from rolling origins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from chronotope._typing import Floats
from chronotope.analysis.words import top_words_table, topics_of, trajectory_table
from chronotope.corpus.corpus import Corpus
from chronotope.dates.decimal import format_time, parse_duration, parse_times
from chronotope.dates.periods import with_dates
from chronotope.display.progress import counting_bar
from chronotope.model.completion import completion_scores
from chronotope.topics import Topics

if TYPE_CHECKING:
    from chronotope.model import DynamicTopicModel


def forecast_words(
    model: DynamicTopicModel | Topics,
    times: Any,
    words_by_topic: Mapping[int, Iterable[str | int]] | None = None,
    *,
    n: int = 10,
    level: float = 0.9,
) -> pd.DataFrame:
    """Word probabilities of every topic after the last training document, with credible bands.

    model : DynamicTopicModel or Topics, fitted
    times : number, date or list of them, later than every training document that is not outlying; for other times see
        `top_words_table` and `trajectory_table`
    words_by_topic : dict of lists of words, by the number of the topic, default None; the words to forecast; None for
        the most probable ones at each time
    n : int, default 10; number of words per topic and time, without words_by_topic
    level : float, default 0.9; posterior probability of the bands

    Returns a table with one row per topic, time and word:
    topic, time, word : topic, time and word
    rank : from 1, the most probable word at that time; only without words_by_topic
    probability, low, high : expected probability of the word, and its credible band
    """
    topics = topics_of(model)
    at = parse_times([times] if isinstance(times, str | int | float) else times).values
    last = topics.main_span[1]
    if not len(at) or at.min() <= last:
        shown = "none" if not len(at) else format_time(float(at.min()), topics.calendar)
        ends = format_time(last, topics.calendar)
        raise ValueError(f"the earliest time is {shown} but the documents end at {ends}; pass times after that.")
    if words_by_topic is None:
        return top_words_table(topics, at, n, level=level)
    return trajectory_table(topics, words_by_topic, at, level).rename(columns={"mean": "probability"})


COLUMNS = ["origin", "horizon", "documents", "tokens", "perplexity", "last_value", "ratio"]


def rolling_origin(
    corpus: Corpus,
    model: DynamicTopicModel,
    horizons: Sequence[float | str],
    *,
    origins: Any = 5,
    seed: int = 0,
    verbose: bool | None = None,
) -> pd.DataFrame:
    """Evaluation of forecasts from several origins, against topics that stay constant after the origin.

    At each origin a copy of the model is fitted on the documents up to it. Documents after it are scored by document
    completion, with the topics forecast for their times, and with the topics of the last training document: the
    last-value baseline.

    corpus : Corpus, all documents
    model : DynamicTopicModel, whose parameters are used; it need not be fitted
    horizons : list of str or float, increasing; lengths of time, as "5 years" or in the unit of the corpus
    origins : int or list of times, default 5; the times to forecast from, or how many, evenly spaced over the second
        half of the span
    seed : int, default 0; splits the tokens of the scored documents into halves
    verbose : bool, default None; whether progress is shown; None shows it if stderr is a terminal or in a notebook

    Returns a table with one row per origin and horizon:
    origin : time of the forecast;  horizon : as given; documents later than the previous horizon, up to this one
    documents, tokens : number of documents, and of scored tokens
    perplexity, last_value : of the forecast, and of the baseline; NaN without scored tokens
    ratio : perplexity / last_value; below 1 the forecast is better
    """
    reach = parse_horizons(horizons)
    cuts = choose_origins(corpus, origins, float(reach[-1]))
    tables = []
    with counting_bar(len(cuts), 0, verbose, "fitting up to each origin") as done:
        for cut in cuts:
            tables.append(_score(corpus, model, cut, reach, list(horizons), seed))
            done()
    return with_dates(pd.concat(tables, ignore_index=True), corpus.calendar)


def summarise_rolling(scores: pd.DataFrame) -> pd.DataFrame:
    """Scores of `rolling_origin` over all origins: tokens and log-likelihoods are added up.

    scores : table from `rolling_origin`

    Returns a table with one row per horizon:
    horizon : as given;  origins : number of origins with scored tokens
    documents, tokens : number of documents, and of scored tokens
    perplexity, last_value : of the forecast, and of the baseline;  ratio : perplexity / last_value
    better : number of origins with a ratio below 1
    """
    rows = []
    for horizon, part in scores.dropna(subset="ratio").groupby("horizon", sort=False):
        tokens = part["tokens"]
        mean = {
            name: float(np.exp(tokens @ np.log(part[name]) / tokens.sum())) for name in ("perplexity", "last_value")
        }
        counts = {"origins": len(part), "documents": int(part["documents"].sum()), "tokens": int(tokens.sum())}
        better = {"ratio": mean["perplexity"] / mean["last_value"], "better": int((part["ratio"] < 1).sum())}
        rows.append({"horizon": horizon} | counts | mean | better)
    return pd.DataFrame(rows)


def parse_horizons(horizons: Sequence[float | str]) -> Floats:
    """Increasing lengths of time as numbers, (H,)."""
    reach = np.array([parse_duration(horizon) for horizon in horizons])
    if not len(reach) or reach[0] <= 0 or not np.all(np.diff(reach) > 0):
        raise ValueError(f"horizons is {list(horizons)!r}; expected increasing lengths of time above 0.")
    return reach


def choose_origins(corpus: Corpus, given: Any, reach: float) -> Floats:
    """Times to forecast from, each with documents up to it and after it.   reach : the longest horizon."""
    first, last = corpus.main_span
    if isinstance(given, int | np.integer):
        if given < 1:
            raise ValueError(f"origins is {given}; expected at least 1.")
        middle = 0.5 * (first + last)
        latest = max(last - reach, middle)
        return np.unique(np.linspace(middle, latest, int(given)))
    cuts = np.unique(parse_times(given).values)
    if not len(cuts) or cuts[0] < first or cuts[-1] >= last:
        raise ValueError(f"origins is {given!r}; expected dates from the first document to before the last.")
    return cuts


def _score(
    corpus: Corpus, model: DynamicTopicModel, cut: float, reach: Floats, horizons: Sequence[Any], seed: int
) -> pd.DataFrame:
    """Scores of one origin, one row per horizon; NaN without scored tokens.   cut : the origin;  reach : horizons."""
    fitted = clone(model).fit(corpus[corpus.times <= cut])
    after = np.flatnonzero((corpus.times > cut) & (corpus.times <= cut + reach[-1]))
    rows = []
    if len(after):
        future = corpus[after]
        frozen = corpus[after]
        frozen.times = np.full(len(after), fitted.topics_.main_span[1])
        log_p, tokens = completion_scores(fitted, future, seed)
        log_last, _ = completion_scores(fitted, frozen, seed)
        step = np.searchsorted(reach, future.times - cut)
    for h, horizon in enumerate(horizons):
        here = step == h if len(after) else np.zeros(0, dtype=bool)
        n = int(tokens[here].sum()) if len(after) else 0
        values = [float(np.exp(-x[here].sum() / n)) for x in (log_p, log_last)] if n else [np.nan, np.nan]
        rows.append((cut, horizon, int(here.sum()), n, *values, values[0] / values[1]))
    return pd.DataFrame(rows, columns=COLUMNS)
