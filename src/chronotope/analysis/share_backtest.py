"""Forecasts of prevalence from rolling origins: what was forecast, what came, and what the simplest rivals said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from chronotope._typing import Floats, Ints
from chronotope.analysis.forecast import choose_origins, parse_horizons
from chronotope.analysis.prevalence import topic_tokens
from chronotope.analysis.share_counts import PeriodShares, observe
from chronotope.analysis.share_forecast import KERNEL, Bands, predict_shares
from chronotope.corpus.corpus import Corpus
from chronotope.dates.decimal import format_time
from chronotope.dates.periods import Periods, choose_periods, with_dates
from chronotope.display.progress import counting_bar
from chronotope.kernels import Recipe

if TYPE_CHECKING:
    from chronotope.model import DynamicTopicModel

COLUMNS = ["origin", "horizon", "period", "time", "documents", "topic"]
COLUMNS += ["share", "low", "high", "observed", "last_value", "mean"]


def rolling_shares(
    corpus: Corpus,
    model: DynamicTopicModel,
    horizons: Sequence[float | str],
    *,
    periods: Any = None,
    origins: Any = 5,
    refit: bool = True,
    level: float = 0.9,
    kernel: Recipe | str = KERNEL,
    seed: int = 0,
    verbose: bool | None = None,
) -> pd.DataFrame:
    """Evaluation of forecasts of prevalence from several origins, against the last value and the mean of the past.

    At each origin a copy of the model is fitted on the documents before it, and prevalence is forecast from them alone,
    as by `forecast_shares`. Its topics are then found in the later documents, which gives the shares that came true.

    corpus : Corpus, all documents
    model : DynamicTopicModel, whose parameters are used; it need not be fitted
    horizons : list of str or float, increasing; lengths of time, as "5 years" or in the unit of the corpus
    periods : str, number or list of times, default None; as in `topic_shares`
    origins : int or list of times, default 5; the times to forecast from, or how many, evenly spaced over the second
        half of the span; each is moved to the end of its period
    refit : bool, default True; False to use the topics of a fitted model at all origins. They then know the later
        documents, and only their prevalence is forecast; it is quick
    level : float, default 0.9; probability of the bands
    kernel : Kernel or str, default "wiener + white"; as in `forecast_shares`
    seed : int, default 0; random seed of the draws that bands are read from
    verbose : bool, default None; whether progress is shown; None shows it if stderr is a terminal or in a notebook

    Returns a table with one row per origin, period and topic; a period without text has none:
    origin : time of the forecast;  horizon : as given; periods later than the previous horizon, up to this one
    period, time : its name and its middle;  documents : number of documents in it;  topic : its number
    share, low, high : forecast and its band;  observed : prevalence that came true
    last_value, mean : prevalence in the last period before the origin, and its mean over all of them
    """
    reach = parse_horizons(horizons)
    chosen = choose_periods(periods, corpus.main_span, corpus.calendar)
    bands = Bands(level=level, kernel=kernel, seed=seed)
    cuts = _edges_after(chosen, choose_origins(corpus, origins, float(reach[-1])))
    known = None if refit else topic_tokens(model, corpus)
    tables = []
    with counting_bar(len(cuts), 0, verbose, "forecasting from each origin") as done:
        for cut in cuts:
            until = corpus.times < cut + reach[-1]
            tokens = _refitted_tokens(corpus, model, cut, until) if known is None else known[until]
            place = chosen.place(corpus.times[until])
            tables.append(_compare(tokens, place, chosen, cut, reach, list(horizons), bands))
            done()
    table = pd.concat(tables, ignore_index=True)
    if not len(table):
        raise ValueError(f"no period with text is within {horizons[-1]!r} of an origin; pass longer horizons.")
    return with_dates(table, corpus.calendar)


def summarise_rolling_shares(scores: pd.DataFrame) -> pd.DataFrame:
    """Scores of `rolling_shares` over all origins, periods and topics.

    scores : table from `rolling_shares`

    Returns a table with one row per horizon:
    horizon : as given;  origins : number of origins;  periods : number of forecast periods
    error, last_value, mean : mean absolute error of the forecast, of the last value, and of the mean of the past
    coverage : part of the shares that are in their bands;  width : mean width of the bands
    """
    rows = []
    for horizon, part in scores.groupby("horizon", sort=False):
        came = part["observed"]
        inside = (came >= part["low"]) & (came <= part["high"])
        forecast = part[["origin", "time"]].drop_duplicates()
        counts = {"horizon": horizon, "origins": part["origin"].nunique(), "periods": len(forecast)}
        named = (("error", "share"), ("last_value", "last_value"), ("mean", "mean"))
        errors = {name: float((part[column] - came).abs().mean()) for name, column in named}
        bands = {"coverage": float(inside.mean()), "width": float((part["high"] - part["low"]).mean())}
        rows.append(counts | errors | bands)
    return pd.DataFrame(rows)


def _edges_after(periods: Periods, origins: Floats) -> Floats:
    """The edges of periods at or next after the origins, those with periods on both sides."""
    rows = np.unique(np.searchsorted(periods.edges, origins))
    cuts: Floats = periods.edges[rows[(rows > 0) & (rows < len(periods.edges) - 1)]]
    if not len(cuts):
        raise ValueError(
            f"{len(periods.names)} periods leave no origin between them; pass shorter periods, or earlier origins."
        )
    return cuts


def _refitted_tokens(corpus: Corpus, model: DynamicTopicModel, cut: float, until: Any) -> Floats:
    """Tokens of each topic in the documents of the mask `until`, by a model fitted on those before the cut."""
    past = corpus[corpus.times < cut]
    if not len(past):
        raise ValueError(f"no documents are before the origin {format_time(cut, corpus.calendar)}; pass later origins.")
    return topic_tokens(clone(model).fit(past), corpus[until])


def _compare(
    tokens: Floats, place: Ints, periods: Periods, cut: float, reach: Floats, horizons: list[Any], bands: Bands
) -> pd.DataFrame:
    """Rows of one origin.   tokens : (D, K);  place : (D,) their periods;  cut : the origin;  reach : horizons."""
    before = int(np.searchsorted(periods.edges, cut))
    past = observe(tokens, np.where(place < before, place, -1), periods.times)
    near = (place >= before) & (periods.times[place] <= cut + reach[-1])
    if not (near & (tokens.sum(axis=1) > 0)).any():
        return pd.DataFrame()
    came = observe(tokens, np.where(near, place, -1), periods.times)
    return _rows(came, past, predict_shares(past, came.times, bands)).assign(
        origin=cut,
        horizon=lambda table: np.array(horizons, dtype=object)[np.searchsorted(reach, table["time"] - cut)],
        period=lambda table: np.array(periods.names, dtype=object)[np.searchsorted(periods.times, table["time"])],
    )[COLUMNS]


def _rows(came: PeriodShares, past: PeriodShares, values: Floats) -> pd.DataFrame:
    """A row for each period and topic.   values : (3, H, K) share, low and high."""
    H, K = came.share.shape
    share, low, high = values.reshape(3, -1)
    return pd.DataFrame(
        {
            "time": np.repeat(came.times, K),
            "documents": np.repeat(came.documents, K),
            "topic": np.tile(np.arange(K), H),
            "share": share,
            "low": low,
            "high": high,
            "observed": came.share.ravel(),
            "last_value": np.tile(past.share[-1], H),
            "mean": np.tile(past.share.mean(axis=0), H),
        }
    )
