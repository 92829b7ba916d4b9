"""Rises and peaks: against the joint Gaussian of every word, formed densely, and against what was planted."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from planted import plant
from reference import posterior_of_word

from chronotope import Corpus, DynamicTopicModel, OrnsteinUhlenbeck, Topics
from chronotope.analysis import peak, rise
from chronotope.analysis.questions import draw_words

V = 15


def dense_log_probabilities(topics: Topics, k: int, times: np.ndarray, n: int) -> np.ndarray:
    """Joint draws (n, times, V) from each word's dense posterior covariance over the times."""
    rng, nodes = np.random.default_rng(7), topics.times
    (prior, own, common), logits = topics.posterior, np.empty((n, len(times), V))
    for v in range(V):
        m, cov = np.full(len(times), topics.mean[v]), np.zeros((len(times), len(times)))
        for structure, (g, b), row in ((prior.own, own, k), (prior.common, common, 0)):
            added = posterior_of_word(structure.kernel, nodes, times, g[:, row, v], b[:, row, v])
            m, cov = m + added[0], cov + added[1]
        logits[:, :, v] = rng.multivariate_normal(m, cov, n, method="eigh")
    return logits - np.log(np.exp(logits).sum(axis=2, keepdims=True))


@pytest.mark.parametrize("fitted", ["model", "smooth"])
@pytest.mark.slow
def test_a_rise_is_that_of_the_dense_joint_posterior(fitted: str, request: pytest.FixtureRequest) -> None:
    topics, times, n = request.getfixturevalue(fitted).topics_, np.array([5.0, 13.0]), 20_000
    table = rise(topics, 1, range(V), *times, draws=n)
    dense = dense_log_probabilities(topics, 1, times, n)
    change = dense[:, 1] - dense[:, 0]
    np.testing.assert_allclose(table["probability"], (change > 0).mean(axis=0), atol=0.02, rtol=0)
    for name, quantile in (("low", 0.05), ("ratio", 0.5), ("high", 0.95)):
        spread = change.std(axis=0).max()
        truth = np.quantile(change, quantile, axis=0)
        np.testing.assert_allclose(np.log(table[name]), truth, atol=0.06 * spread, rtol=0)


def test_a_fall_is_a_rise_backwards(model: DynamicTopicModel) -> None:
    forward, back = rise(model, 0, "word3", 2.0, 20.0), rise(model, 0, "word3", 20.0, 2.0)
    np.testing.assert_allclose(forward["probability"] + back["probability"], 1.0, atol=0.08, rtol=0)
    np.testing.assert_allclose(np.log(forward["ratio"] * back["ratio"]), 0.0, atol=0.15, rtol=0)


def test_words_held_at_their_mean_hardly_matter(model: DynamicTopicModel, monkeypatch: pytest.MonkeyPatch) -> None:
    times = np.array([0.0, 11.0])
    full = draw_words(model.topics_, 0, [2], times, 8_000)
    monkeypatch.setattr("chronotope.analysis.questions.HEAVY", 6)
    few = draw_words(model.topics_, 0, [2], times, 8_000)
    spread = full.std(axis=0)
    np.testing.assert_allclose(few.mean(axis=0), full.mean(axis=0), atol=0.1 * spread.max(), rtol=0)
    np.testing.assert_allclose(few.std(axis=0), spread, atol=0.1 * spread.max(), rtol=0)


def test_draws_in_pieces_are_draws_too(model: DynamicTopicModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chronotope.analysis.questions.CELLS", 5_000)
    times = np.array([0.0, 11.0])
    logs = draw_words(model.topics_, 0, [2, 5, 2], times, 2_000)
    np.testing.assert_array_equal(logs[:, :, 0], logs[:, :, 2])
    mean = model.topics_.probabilities(times)[:, 0, [2, 5]]
    np.testing.assert_allclose(np.exp(logs).mean(axis=0)[:, :2], mean, rtol=0.08, atol=0)


def test_a_peak_is_where_dense_draws_are_highest(model: DynamicTopicModel) -> None:
    topics = model.topics_
    nodes = topics.times
    table = peak(topics, 0, range(V), draws=4_000)
    highest = nodes[np.argmax(dense_log_probabilities(topics, 0, nodes, 4_000), axis=1)]  # (n, V)
    for row, where in zip(table.itertuples(), highest.T, strict=True):
        inside = (where >= row.low_time) & (where <= row.high_time)
        assert inside.mean() >= 0.88
        assert row.low_time <= row.time <= row.high_time
        assert row.low < row.probability < row.high


def test_intervals_cover_what_was_planted() -> None:
    """Words drawn from the prior itself, four corpora of 15: 90% intervals hold nearly 90% of the truth."""
    kernel, peaks, ratios = OrnsteinUhlenbeck(2, 10), [], []
    for seed in range(4):
        truth = plant(kernel, np.arange(12) * 2.0, 1, V, documents=6, length=60, seed=seed)
        model = DynamicTopicModel(1, kernel, dtype="float64", max_epochs=10).fit(truth.corpus)
        pi = truth.probabilities[:, 0]
        highest, change = peak(model, 0, range(V), draws=400), rise(model, 0, range(V), 4.0, 18.0, draws=400)
        peaks.append(_between(highest["low_time"], truth.times[np.argmax(pi, axis=0)], highest["high_time"]))
        ratios.append(_between(change["low"], pi[9] / pi[2], change["high"]))
    assert np.mean(peaks) >= 0.8
    assert np.mean(ratios) >= 0.8


def _between(low: pd.Series, value: np.ndarray, high: pd.Series) -> np.ndarray:
    return ((low <= value) & (value <= high)).to_numpy()


def test_a_word_that_was_planted_to_rise_rose() -> None:
    rng = np.random.default_rng(0)
    pi = np.linspace(0.05, 0.5, 10)
    counts = np.stack([rng.multinomial(200, [p, (1 - p) / 2, (1 - p) / 2]) for p in pi])
    corpus = Corpus(counts, np.arange(1900.0, 1910.0), list("abc"), calendar=True)
    model = DynamicTopicModel(1, max_epochs=10).fit(corpus)
    row = rise(model, 0, "a", "1900", "1909").iloc[0]
    assert row.probability > 0.99
    assert row.low > 2
    assert (row.start_date, row.end_date) == ("1900-01-01", "1909-01-01")
    highest = peak(model, 0, "a").iloc[0]
    assert highest.high_date == "1909-01-01"


def test_one_time_only_has_its_peak_there() -> None:
    model = DynamicTopicModel(1, max_epochs=2).fit(Corpus([[3, 1]], [5.0]))
    assert peak(model, 0, 0)[["time", "low_time", "high_time"]].to_numpy().tolist() == [[5.0, 5.0, 5.0]]


def test_the_same_seed_gives_the_same_answer(model: DynamicTopicModel) -> None:
    one, two = (rise(model, 0, "word1", 0.0, 9.0, seed=3) for _ in range(2))
    assert one.equals(two)


def test_what_cannot_be_asked_is_refused(model: DynamicTopicModel) -> None:
    with pytest.raises(ValueError, match="start and end are both 3"):
        rise(model, 0, "word1", 3.0, 3.0)
    with pytest.raises(ValueError, match="level is 1"):
        peak(model, 0, "word1", level=1)
    with pytest.raises(ValueError, match="no words were given"):
        peak(model, 0, [])
    with pytest.raises(ValueError, match="draws is 0"):
        rise(model, 0, "word1", 3.0, 4.0, draws=0)
    with pytest.raises(ValueError, match="topic is 9"):
        peak(model, 9, "word1")
