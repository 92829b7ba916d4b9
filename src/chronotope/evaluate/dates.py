"""How well documents are dated by their words, beside what is usual: held out by documents, or by whole dates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor

from chronotope._typing import Floats, Mask
from chronotope.corpus.corpus import Corpus
from chronotope.dates.candidates import candidate_times
from chronotope.dating.stack import fit_coefficients, posterior, quantiles
from chronotope.dating.usage import usage_counts, usage_table
from chronotope.dating.weights import inverse_frequencies, profiles
from chronotope.dating.words import cell_of
from chronotope.model.dating import counts_and_times

HeldOut = Literal["documents", "dates"]
HELD_OUT: tuple[HeldOut, HeldOut] = ("documents", "dates")
LEVELS = (0.5, 0.8, 0.95)
RIDGE = np.logspace(-2, 1, 7)
NEIGHBOURS, WIDTH = 10, 0.02  # of the baselines; the width is a part of the span
TEMPERED = 0.1  # of the training documents, on which the temperature of the unigrams is learned
Predict = Callable[[sp.csr_array], Floats]


def hold_out(corpus: Corpus, held_out: HeldOut, part: float = 0.1, seed: int = 0) -> Mask:
    """Which documents are held out, (D,).

    corpus : Corpus of D documents
    held_out : "documents" drawn at random, or all documents of some "dates"
    part : float, default 0.1; of the documents, or of the distinct times, or of 400 stretches of time if those are more
    seed : int, default 0; of the draw
    """
    if held_out not in HELD_OUT:
        raise ValueError(f'held_out is {held_out!r}; expected "documents" or "dates".')
    if not 0 < part < 1:
        raise ValueError(f"part is {part}; expected a share between 0 and 1.")
    rng = np.random.default_rng(seed)
    if held_out == "documents":
        chosen = np.zeros(len(corpus), np.bool_)
        chosen[rng.permutation(len(corpus))[: max(1, round(part * len(corpus)))]] = True
        return chosen
    stamps = np.unique(corpus.times)
    edges = candidate_times(stamps, stamps[0], stamps[-1])[1]
    cell = cell_of(corpus.times, edges)
    used = np.unique(cell)
    return np.isin(cell, rng.permutation(used)[: max(1, round(part * len(used)))])


def dating_error(
    model: Any,
    corpus: Corpus,
    held_out: HeldOut = "documents",
    *,
    part: float = 0.1,
    seed: int = 0,
    baselines: bool = True,
) -> pd.DataFrame:
    """Errors of dates found from words alone, and how often intervals hold the truth.

    model : DynamicTopicModel, whose parameters are used; it is fitted anew on the documents that are not held out
    corpus : Corpus with exact dates
    held_out, part, seed : see `hold_out`
    baselines : bool, default True; whether others are measured too: unigrams smoothed in time, with a temperature that
        is learned; nearest neighbours and ridge regression on tf-idf (scikit-learn)

    Returns a table with one row per method:
    method : its name;  mean, median : absolute errors, of the middle of the distribution if there is one
    held_50, held_80, held_95 : part of the intervals of these probabilities that hold the true date, NaN without
    documents : number of them
    """
    out = hold_out(corpus, held_out, part, seed)
    train, test = corpus[~out], corpus[out]
    fitted = type(model)(**model.get_params(deep=False)).fit(train).learn_dating(train)
    dating, found = fitted.dating_, fitted.date(test)
    rows = [row_of("Chronotope", found.probabilities, dating.words.edges, test.times, dating.weighing.level)]
    if baselines:
        edges = dating.words.edges
        rows.append(row_of("unigrams", _unigrams(train, test, dating.words.times, edges), edges, test.times))
        for name, fit in (("nearest neighbours", _neighbours), ("ridge", _ridge)):
            error = np.abs(fit(train)(test.counts) - test.times)
            rows.append({"method": name, "mean": error.mean(), "median": np.median(error)} | {"documents": len(test)})
    return pd.DataFrame(rows)[["method", "mean", "median", *(f"held_{round(100 * x)}" for x in LEVELS), "documents"]]


def row_of(
    method: str, mass: Floats, edges: Floats, truth: Floats, wide: Callable[[float], float] = float
) -> dict[str, Any]:
    """Errors and coverage of distributions of dates.

    mass : (D, C);  edges : (C + 1,);  truth : (D,);  wide : the level of an interval that is to hold so much
    A true date counts by the part of its own cell that is in the interval: a year is neither in nor out of half a year.
    """
    cell, middle = cell_of(truth, edges), quantiles(mass, edges, np.array([0.5]))[:, 0]
    if np.all(edges == np.round(edges)):  # whole years
        middle = np.floor(middle)
    error = np.abs(middle - truth)
    below = np.cumsum(mass, axis=1)
    end = np.take_along_axis(below, cell[:, None], 1)[:, 0]
    start = end - np.take_along_axis(mass, cell[:, None], 1)[:, 0]
    row: dict[str, Any] = {"method": method, "mean": error.mean(), "median": np.median(error)}
    for level in LEVELS:
        low, high = 0.5 - wide(level) / 2, 0.5 + wide(level) / 2
        inside = np.clip(np.minimum(end, high) - np.maximum(start, low), 0.0, None) / np.maximum(end - start, 1e-300)
        row[f"held_{round(100 * level)}"] = np.minimum(inside, 1.0).mean()
    return row | {"documents": len(truth)}


def _unigrams(train: Corpus, test: Corpus, times: Floats, edges: Floats) -> Floats:
    """Dates by the frequencies of words at each time, tempered, (D, C)."""
    own = np.random.default_rng(0).random(len(train)) < TEMPERED
    width = max(WIDTH * float(times[-1] - times[0]), float(np.median(np.diff(times))))

    def curves(known: Corpus, asked: Corpus) -> Floats:
        counts, at = counts_and_times(known)
        table = usage_table(usage_counts(counts, cell_of(at, edges), len(times)), times, width)
        found: Floats = (asked.counts @ table.T)[None]
        return found

    beta = fit_coefficients(curves(train[~own], train[own]), cell_of(train[own].times, edges))
    return posterior(curves(train, test), beta)


def _neighbours(train: Corpus) -> Predict:
    """Mean date of the most similar documents."""
    counts, times = counts_and_times(train)
    idf = inverse_frequencies(counts)
    X = sp.csr_matrix(profiles(counts, idf))
    found = KNeighborsRegressor(NEIGHBOURS, metric="cosine", weights="distance").fit(X, times)
    return lambda asked: found.predict(sp.csr_matrix(profiles(asked, idf)))


def _ridge(train: Corpus) -> Predict:
    """A straight line through weights of words."""
    counts, times = counts_and_times(train)
    idf, middle = inverse_frequencies(counts), times.mean()
    X, own = sp.csr_matrix(profiles(counts, idf)), np.random.default_rng(0).random(len(times)) < TEMPERED
    scored = [(_ridge_error(X, times - middle, own, penalty), penalty) for penalty in RIDGE]
    best = _straight(X, times - middle, min(scored)[1])
    return lambda asked: best.predict(sp.csr_matrix(profiles(asked, idf))) + middle


def _ridge_error(X: sp.csr_matrix, times: Floats, own: Mask, penalty: float) -> float:
    return float(np.abs(_straight(X[~own], times[~own], penalty).predict(X[own]) - times[own]).mean())


def _straight(X: sp.csr_matrix, times: Floats, penalty: float) -> Any:
    return Ridge(penalty, solver="sparse_cg", tol=1e-3, max_iter=300).fit(X, times)
