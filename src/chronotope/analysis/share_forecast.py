"""Forecasts of prevalence: each topic's share of the text in the coming periods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import expit

from chronotope._typing import Floats
from chronotope.analysis.prevalence import topic_tokens
from chronotope.analysis.share_counts import PeriodShares, observe
from chronotope.analysis.share_process import learn_process
from chronotope.corpus.corpus import Corpus
from chronotope.dates.decimal import format_time, parse_times
from chronotope.dates.periods import Periods, choose_periods, round_length
from chronotope.kernels import Kernel, Preset, Recipe, as_kernel

if TYPE_CHECKING:
    from chronotope.model import DynamicTopicModel

KERNEL = "wiener + white"
AHEAD = 3  # periods by default
RECENT = 5  # periods whose documents are taken for typical of those to come
DRAWS = 8_000
AMPLE = 1.2  # periods differ in length, as months do
LEAST = 2  # periods with text
NOTHING = 0.01  # part of the expected share: a lower end below it is 0, that of hardly any text
TINY = 1e-9


class Bands(NamedTuple):
    """How prevalence is forecast.

    level : probability of the bands;  documents : in a period, None for as many as lately
    kernel : of the logits of prevalence;  seed : of the draws
    """

    level: float = 0.9
    documents: float | None = None
    kernel: Recipe | str = KERNEL
    seed: int = 0


def forecast_shares(
    model: DynamicTopicModel,
    corpus: Corpus,
    times: Any = AHEAD,
    *,
    periods: Any = None,
    level: float = 0.9,
    documents: float | None = None,
    kernel: Recipe | str = KERNEL,
    shares: Floats | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """Prevalence of each topic in the coming periods: its share of the text, with bands.

    The logits of prevalence are a Gaussian process over time, learned from the shares of the past periods; see
    `share_process`. A band is for the share of the text that will be written in the period, so it holds three things:
    how prevalence may change, what is not known of it today, and the chance of which documents are written.

    model : DynamicTopicModel, fitted
    corpus : Corpus of D documents, up to today
    times : int, date or list of dates, default 3; the number of periods after the last document, or dates in the
        periods to forecast
    periods : str, number or list of times, default None; length of the periods, or edges, which have to go on beyond
        the last document; None for a round length; see `choose_periods`
    level : float, default 0.9; probability that the share is in the band
    documents : float, default None; number of documents in a coming period, None for as many as in the last five;
        math.inf for the band of the underlying prevalence, which no number of documents narrows
    kernel : Kernel or str, default "wiener + white"; of the logits of prevalence. What it has no numbers for is learned
    shares : (D, K) floats, default None; the result of model.transform(corpus), to avoid computing it again
    seed : int, default 0; random seed of the draws that bands are read from

    Returns a table with one row per period and topic:
    period : its name;  start, end, time : its edges and its middle;  topic : its number
    share : expected prevalence, which adds up to 1 over the topics of a period;  low, high : its band
    """
    past, coming = split_periods(corpus, times, periods)
    observed = observe(topic_tokens(model, corpus, shares), past.place(corpus.times), past.times)
    values = predict_shares(observed, coming.times, Bands(level, documents, kernel, seed))
    H, K = values.shape[1:]
    table = coming.columns(corpus.calendar).loc[np.repeat(np.arange(H), K)].reset_index(drop=True)
    share, low, high = values.reshape(3, -1)
    return table.assign(topic=np.tile(np.arange(K), H), share=share, low=low, high=high)


def predict_shares(observed: PeriodShares, times: Floats, bands: Bands) -> Floats:
    """Share, low and high of each topic at the middles of coming periods (H,): (3, H, K)."""
    if not 0 < bands.level < 1:
        raise ValueError(f"level is {bands.level!r}; expected a probability between 0 and 1, such as 0.9.")
    _check_observed(observed)
    sizes = _coming_sizes(observed, bands.documents)
    K = observed.share.shape[1]
    if K == 1:  # all of the text
        return np.ones((3, len(times), 1))
    mean, variance = learn_process(observed, _kernel(bands.kernel, observed)).predict(times)
    tails = 0.5 * (1.0 - bands.level), 0.5 * (1.0 + bands.level)
    values = np.empty((3, len(times), K))
    for h in range(len(times)):
        rng = np.random.default_rng(bands.seed)  # the same draws in every period: bands change smoothly
        pi = expit(mean[h] + np.sqrt(variance[h]) * rng.standard_normal((DRAWS, K)))
        values[0, h] = pi.mean(axis=0)
        values[1:, h] = np.quantile(_text_shares(pi, sizes, observed.dispersion, rng), tails, axis=0)
    values[1] = np.where(values[1] < NOTHING * values[0], 0.0, values[1])
    values /= values[0].sum(axis=1, keepdims=True)
    return np.minimum(values, 1.0)


def _text_shares(pi: Floats, sizes: Floats, phi: Floats, rng: np.random.Generator) -> Floats:
    """Shares of the text of m documents, given the prevalence: beta with mean π and variance φ π (1 − π) / m.

    pi : (n, K);  sizes : possible values of m, equally likely;  phi : (K,)
    """
    if np.isinf(sizes).all():
        return pi
    concentration = np.maximum(rng.choice(sizes, (len(pi), 1)) / phi - 1.0, TINY)
    return rng.beta(np.maximum(pi * concentration, TINY), np.maximum((1.0 - pi) * concentration, TINY))


def _coming_sizes(observed: PeriodShares, documents: float | None) -> Floats:
    """Effective numbers of documents that a coming period may have."""
    lately = observed.effective[-RECENT:]
    if documents is None:
        return lately
    if not documents > 0:
        raise ValueError(f"documents is {documents!r}; expected a number above 0 of documents in a period.")
    return np.array([documents * np.median(lately / observed.documents[-RECENT:])])


def _kernel(given: Recipe | str, observed: PeriodShares) -> Kernel:
    """The kernel given; a preset with its parameters unset, so that they are learned."""
    recipe = as_kernel(given)
    if isinstance(recipe, Preset):
        return recipe.resolve(observed.times[0], observed.times[-1]).forget()
    return recipe


def _check_observed(observed: PeriodShares) -> None:
    if len(observed.times) < LEAST:
        raise ValueError(
            f"the periods with text are {len(observed.times)}, but change over time needs at least {LEAST}; pass "
            'shorter periods, such as "month", or documents of more dates.'
        )


def split_periods(corpus: Corpus, times: Any, periods: Any) -> tuple[Periods, Periods]:
    """The periods of the documents, outlying dates apart, and those to forecast;  times, periods : as given."""
    (first, last), calendar = corpus.main_span, corpus.calendar
    length = round_length((first, last), calendar) if periods is None else periods
    known = choose_periods(length, (first, last), calendar)
    n = int(known.place(np.array([last]))[0]) + 1
    if n == 0:
        ends = format_time(float(known.edges[-1]), calendar)
        raise ValueError(f"the periods end at {ends}, before the last document; pass edges that go on beyond it.")
    past = Periods(known.edges[: n + 1], known.names[:n])
    if isinstance(times, int | np.integer) and not isinstance(times, bool):
        return past, _next_periods(past, length, int(times), calendar)
    return past, _periods_of(past, length, times, calendar)


def _next_periods(past: Periods, length: Any, n: int, calendar: bool) -> Periods:
    """The n periods after the past."""
    if n < 1:
        raise ValueError(f"times is {n}; expected at least 1 period, or a list of dates.")
    start, width = float(past.edges[-1]), float(past.edges[-1] - past.edges[-2])
    every = choose_periods(length, (float(past.edges[0]), start + AMPLE * (n + 1) * width), calendar)
    p = int(np.searchsorted(every.edges, start))
    found = every.names[p : p + n]
    if len(found) < n:
        raise ValueError(
            f"times is {n}, but the edges make {len(found)} periods after the last document; pass more edges."
        )
    return Periods(every.edges[p : p + n + 1], found)


def _periods_of(past: Periods, length: Any, times: Any, calendar: bool) -> Periods:
    """The periods that hold some times, all after the past, from the first to the last of them."""
    at = parse_times([times] if isinstance(times, str | float | np.floating) else times).values
    start = float(past.edges[-1])
    if not len(at) or at.min() < start:
        shown = "none" if not len(at) else format_time(float(at.min()), calendar)
        ends = format_time(start, calendar)
        raise ValueError(
            f"the earliest time is {shown} but the period of the last document ends at {ends}; pass times from there "
            "on, or shorter periods."
        )
    every = choose_periods(length, (float(past.edges[0]), float(at.max())), calendar)
    rows = every.place(at)
    if rows.min() < 0:
        raise ValueError(f"{int(np.sum(rows < 0))} of {len(at)} times are after the last edge of the periods.")
    p, q = int(rows.min()), int(rows.max()) + 1
    return Periods(every.edges[p : q + 1], every.names[p:q])
