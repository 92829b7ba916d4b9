"""Topics: what was learned is a distribution at every time, and every view of it tells the same."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planted import plant

from chronotope import Cauchy, Corpus, DynamicTopicModel, OrnsteinUhlenbeck, Topics

K, V, T = 2, 12, 8
KERNELS = {"ou": OrnsteinUhlenbeck(2, 10), "cauchy": Cauchy(2, 6)}


def fitted(kernel: str) -> DynamicTopicModel:
    corpus = plant(KERNELS[kernel], np.arange(T) * 2.0, K, V, documents=8, length=40, seed=1).corpus
    return DynamicTopicModel(K, KERNELS[kernel], alpha=0.3, dtype="float64", max_epochs=30).fit(corpus)


@pytest.fixture(scope="module", params=sorted(KERNELS))
def topics(request: pytest.FixtureRequest) -> Topics:
    return fitted(request.param).topics_


@pytest.fixture(scope="module")
def ou() -> Topics:
    return fitted("ou").topics_


@pytest.fixture(scope="module")
def dated() -> Topics:
    rng = np.random.default_rng(0)
    days = [f"2001-{month:02d}-15" for month in range(1, 13)]
    corpus = Corpus(rng.poisson(3, (12, 5)), days, list("abcde"))
    return DynamicTopicModel(2, "ou", max_epochs=5).fit(corpus).topics_


@settings(max_examples=25, deadline=None)
@given(times=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=6))
def test_probabilities_sum_to_one_at_any_times(topics: Topics, times: list[float]) -> None:
    p = topics.probabilities(times)
    assert p.shape == (len(times), K, V)
    assert np.isfinite(p).all()
    assert (p >= 0).all()
    np.testing.assert_allclose(p.sum(axis=2), 1.0, rtol=1e-12)


def test_probabilities_are_asked_in_any_order_and_more_than_once(topics: Topics) -> None:
    again = topics.probabilities([1, 5])[[1, 0, 1]]
    np.testing.assert_allclose(topics.probabilities([5, 1, 5]), again, rtol=1e-12)


def test_no_times_give_no_rows(topics: Topics) -> None:
    assert topics.probabilities([]).shape == (0, K, V)
    assert topics.trajectory(0, 0, []).shape == (0, 4)


def test_pieces_that_fit_in_memory_give_the_same_answer(topics: Topics, monkeypatch: pytest.MonkeyPatch) -> None:
    at = np.linspace(-3, 20, 17)
    whole, path = topics.probabilities(at), topics.trajectory(1, 3, at)
    monkeypatch.setattr("chronotope.topics.CELLS", 5)
    np.testing.assert_allclose(topics.probabilities(at), whole, rtol=1e-12)
    np.testing.assert_allclose(topics.trajectory(1, 3, at), path, rtol=1e-12)


def test_dates_are_read_in_every_form(dated: Topics) -> None:
    strings = dated.probabilities(["2001-03-01", "2001-07-01"])
    for form in (
        np.array(["2001-03-01", "2001-07-01"], dtype="datetime64[D]"),
        pd.to_datetime(["2001-03-01", "2001-07-01"]),
        [dt.date(2001, 3, 1), dt.datetime(2001, 7, 1)],
        [2001 + 59 / 365, 2001 + 181 / 365],
    ):
        np.testing.assert_allclose(dated.probabilities(form), strings, rtol=1e-9)
    np.testing.assert_allclose(strings.sum(axis=2), 1.0, rtol=1e-12)
    assert (strings[0] != strings[1]).any()


@pytest.mark.parametrize("one", ["2001-03-01", np.datetime64("2001-03-01"), pd.Timestamp("2001-03-01")])
def test_a_single_date_need_not_be_in_a_list(dated: Topics, one: object) -> None:
    np.testing.assert_array_equal(dated.probabilities(one), dated.probabilities(["2001-03-01"]))
    assert dated.top_words(0, one, 3) == dated.top_words(0, "2001-03-01", 3)


def test_a_dated_model_shows_dates_and_a_numbered_one_numbers(dated: Topics, ou: Topics) -> None:
    assert "2001-01-15 to 2001-12-15" in repr(dated)
    assert "0 to 14" in repr(ou)


def test_trajectory_is_one_word_of_the_probabilities(topics: Topics) -> None:
    at = [-4.0, 0.0, 3.3, 14.0]
    table = topics.trajectory(1, "word5", at)
    assert list(table.columns) == ["time", "mean", "low", "high"]
    np.testing.assert_array_equal(table["time"], at)
    np.testing.assert_allclose(table["mean"], topics.probabilities(at)[:, 1, 5], rtol=1e-12)
    pd.testing.assert_frame_equal(table, topics.trajectory(1, 5, at))


def test_trajectory_without_times_is_at_the_nodes(topics: Topics) -> None:
    np.testing.assert_array_equal(topics.trajectory(0, 0)["time"], topics.times)


@pytest.mark.parametrize("word", range(V))
def test_the_mean_lies_in_its_band(topics: Topics, word: int) -> None:
    table = topics.trajectory(0, word, np.linspace(0, 14, 29))
    assert (table["low"] < table["mean"]).all()
    assert (table["mean"] < table["high"]).all()
    assert (table["low"] > 0).all()
    assert (table["high"] < 1).all()


def test_bands_are_quantiles_of_the_logistic_of_the_logit(ou: Topics) -> None:
    """log-odds ~ N(m − log R, s + Σ_{u≠v} r_u² s_u), with R and r_u of the expected other words."""
    at, v = np.array([1.0, 6.5]), 2
    m, s = ou.posterior.predict(at)
    m, s = m[:, 0] + ou.mean, s[:, 0]
    others = np.delete(np.exp(m + s / 2), v, axis=1)
    rest = others.sum(axis=1)
    spread = np.sqrt(s[:, v] + ((others / rest[:, None]) ** 2 * np.delete(s, v, axis=1)).sum(axis=1))
    odds = [np.exp(m[:, v] + side * spread) / rest for side in (-1.6448536269514722, 1.6448536269514722)]
    table = ou.trajectory(0, v, at)
    for name, odd in zip(("low", "high"), odds, strict=True):
        np.testing.assert_allclose(table[name], odd / (1 + odd), rtol=1e-9)


def test_a_higher_level_makes_a_wider_band_around_the_same_mean(topics: Topics) -> None:
    narrow, wide = (topics.trajectory(0, 1, [0, 7, 20], level=level) for level in (0.5, 0.95))
    assert (wide["low"] < narrow["low"]).all()
    assert (wide["high"] > narrow["high"]).all()
    np.testing.assert_array_equal(wide["mean"], narrow["mean"])


def test_the_posterior_is_wider_away_from_the_data(topics: Topics) -> None:
    times = [14.0, 15.0, 18.0, 30.0]
    for _, (_, s, _) in topics.logits(times):
        assert (np.diff(s, axis=0) > 0).all()
    low, high = (topics.trajectory(0, 0, times)[side].to_numpy() for side in ("low", "high"))
    width = np.log(high / (1 - high)) - np.log(low / (1 - low))
    assert (np.diff(width) > 0).all()


@pytest.mark.parametrize("level", [0, 1, -0.1, 1.5, float("nan")])
def test_a_level_outside_zero_and_one_is_refused(ou: Topics, level: float) -> None:
    with pytest.raises(ValueError, match=r"level is .*; expected a probability between 0 and 1"):
        ou.trajectory(0, 0, level=level)


def test_top_words_are_sorted_and_match_the_probabilities(topics: Topics) -> None:
    p = topics.probabilities([3.0])[0, 1]
    best = topics.top_words(1, 3.0, n=5)
    assert [word for word, _ in best] == [f"word{v}" for v in np.argsort(-p)[:5]]
    np.testing.assert_allclose([share for _, share in best], np.sort(p)[::-1][:5], rtol=1e-6)


def test_top_words_over_all_times_weigh_each_time_by_the_topics_tokens(topics: Topics) -> None:
    p, weight = topics.probabilities(topics.times)[:, 0], topics.mass[:, 0]
    mean = weight @ p / weight.sum()
    best = topics.top_words(0, n=V + 5)
    assert len(best) == V
    np.testing.assert_allclose([share for _, share in best], np.sort(mean)[::-1], rtol=1e-6)
    assert [word for word, _ in best] == [f"word{v}" for v in np.argsort(-mean)]


def test_shares_sum_to_one_and_tokens_are_those_of_the_corpus(topics: Topics) -> None:
    table = topics.shares()
    assert list(table.columns) == ["time", "topic", "share", "tokens"]
    sums = table.groupby("time")["share"].sum()
    np.testing.assert_allclose(sums, 1.0, rtol=1e-9)
    np.testing.assert_allclose(table["tokens"], 8 * 40, rtol=1e-6)
    assert table["share"].between(0, 1).all()


def test_shares_count_the_tokens_of_uneven_times_one_by_one() -> None:
    rng = np.random.default_rng(5)
    counts, times = rng.poisson(2, (30, 6)), rng.choice([0.0, 1.0, 4.0, 9.0], 30)
    counts[times == 4.0] = 0
    table = DynamicTopicModel(3, max_epochs=4, dtype="float64").fit(counts, times=times).topics_.shares()
    for time, rows in table.groupby("time"):
        tokens = counts[times == time].sum()
        np.testing.assert_allclose(rows["tokens"], tokens, rtol=1e-6)  # sampling adds up in single precision
        if tokens == 0:
            assert rows["share"].isna().all()


def test_draws_have_the_moments_of_the_trajectory(topics: Topics) -> None:
    at, n, words = np.array([0.0, 5.0, 14.0]), 400, ["word1", 4, "word7"]
    draws = topics.draws(0, at, words, n=n, seed=3)
    assert draws.shape == (n, 3, 3)
    for column, word in enumerate(words):
        table = topics.trajectory(0, word, at)
        sample = draws[:, :, column]
        spread = sample.std(axis=0)
        # the band holds the rest of the normaliser fixed: a few percent of the spread, beside Monte Carlo's
        np.testing.assert_allclose(sample.mean(axis=0), table["mean"], atol=0.2 * spread.max(), rtol=0)
        covered = (sample > table["low"].to_numpy()) & (sample < table["high"].to_numpy())
        np.testing.assert_allclose(covered.mean(axis=0), 0.9, atol=0.06, rtol=0)


def test_draws_are_distributions_and_repeat_with_the_seed(topics: Topics) -> None:
    draws = topics.draws(1, [0.0, 3.0], n=5, seed=1)
    assert draws.shape == (5, 2, V)
    np.testing.assert_allclose(draws.sum(axis=2), 1.0, rtol=1e-9)
    np.testing.assert_array_equal(draws, topics.draws(1, [0.0, 3.0], n=5, seed=1))
    assert (draws != topics.draws(1, [0.0, 3.0], n=5, seed=2)).any()


def test_draws_of_some_words_are_columns_of_all(topics: Topics) -> None:
    some = topics.draws(0, [2.0, 9.0], ["word3", 0], n=4, seed=9)
    np.testing.assert_array_equal(some, topics.draws(0, [2.0, 9.0], n=4, seed=9)[:, :, [3, 0]])


def test_draws_are_joint_over_time(ou: Topics) -> None:
    """Far beyond the data neighbouring times agree with each other as the prior says, distant ones do not."""
    logs = np.log(ou.draws(0, [200.0, 201.0, 300.0], ["word0"], n=200, seed=0)[:, :, 0])
    near, far = np.corrcoef(logs.T)[0, 1:]
    assert near > 0.8
    assert abs(far) < 0.25


@pytest.mark.parametrize("topic", [-1, 2, "0", 1.0, None])
def test_an_unknown_topic_is_named(ou: Topics, topic: object) -> None:
    for ask in (lambda: ou.trajectory(topic, 0), lambda: ou.top_words(topic), lambda: ou.draws(topic, [0.0])):
        with pytest.raises(ValueError, match=rf"topic is {topic!r}; expected a number from 0 to 1"):
            ask()


@pytest.mark.parametrize("word", ["zebra", 12, -1, None])
def test_an_unknown_word_is_named(ou: Topics, word: object) -> None:
    with pytest.raises(ValueError, match=rf"the word {word!r} is not among the model's 12 words"):
        ou.trajectory(0, word)


@pytest.mark.parametrize("times", [[np.nan], ["n.d."], "someday"])
def test_times_that_cannot_be_read_are_refused(ou: Topics, times: object) -> None:
    with pytest.raises(ValueError, match=r"1 of 1 .* could not be read"):
        ou.probabilities(times)
