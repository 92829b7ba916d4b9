"""Tables of words tell what the topics tell."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from chronotope import DynamicTopicModel
from chronotope.analysis import forecast_words, top_words_table, topic_names, trajectory_table, turning_topics
from chronotope.analysis.keywords import word_uses


def test_top_words_are_those_of_the_probabilities_with_their_bands(model: DynamicTopicModel) -> None:
    at = [1.0, 9.5, 22.0]
    table, p = top_words_table(model, at, n=4), model.topics_.probabilities(at)
    assert list(table.columns) == ["topic", "time", "rank", "word", "probability", "low", "high"]
    for (topic, time), rows in table.groupby(["topic", "time"]):
        here = p[at.index(time), topic]
        assert rows["word"].tolist() == [f"word{v}" for v in np.argsort(-here)[:4]]
        np.testing.assert_allclose(rows["probability"], np.sort(here)[::-1][:4], rtol=1e-9)
        for row in rows.itertuples():
            band = model.topics_.trajectory(topic, row.word, [time]).iloc[0]
            np.testing.assert_allclose([row.low, row.high], [band.low, band.high], rtol=1e-9)


def test_top_words_of_periods_are_at_their_middles(model: DynamicTopicModel) -> None:
    np.testing.assert_allclose(top_words_table(model, "10 years", n=1)["time"].unique(), [5, 15, 22], rtol=1e-12)
    assert top_words_table(model, n=99).groupby(["topic", "time"]).size().eq(15).all()


def test_trajectories_are_those_of_the_topics(model: DynamicTopicModel) -> None:
    table = trajectory_table(model, {1: ["word3", "word0"], 0: "word2"}, [0.0, 7.0])
    assert table["word"].tolist() == ["word3", "word3", "word0", "word0", "word2", "word2"]
    assert table["topic"].tolist() == [1, 1, 1, 1, 0, 0]
    alone = model.topics_.trajectory(1, "word0", [0.0, 7.0])
    pd.testing.assert_frame_equal(table.iloc[2:4][alone.columns].reset_index(drop=True), alone)
    assert len(trajectory_table(model.topics_)) == 2 * 5 * 12


def test_names_of_topics_are_their_number_and_words(model: DynamicTopicModel) -> None:
    uses = word_uses(model.topics_)
    own, overall = uses[0] / uses[0].sum(), uses.sum(axis=0) / uses.sum()
    first = np.argsort(-own * np.log(own / overall))[:2]
    turned = {turn.topic for turn in turning_topics(model)}
    assert 0 in turned or topic_names(model, 2)[0] == f"0 word{first[0]} word{first[1]}"


def test_uses_of_words_are_those_of_the_nodes_added_up(model: DynamicTopicModel) -> None:
    topics = model.topics_
    expected = sum(topics.mass[j][:, None] * topics.probabilities([time])[0] for j, time in enumerate(topics.times))
    np.testing.assert_allclose(word_uses(topics), expected, rtol=1e-3)


def test_what_is_not_there_is_named(model: DynamicTopicModel) -> None:
    with pytest.raises(ValueError, match="'zebra' is not among the model's 15 words"):
        trajectory_table(model, {0: ["zebra"]})
    with pytest.raises(ValueError, match="words_by_topic is empty"):
        trajectory_table(model, {})
    with pytest.raises(ValueError, match="n is 0; expected at least 1 word"):
        top_words_table(model, n=0)
    with pytest.raises(ValueError, match="the model is a str; expected a fitted DynamicTopicModel"):
        topic_names("model")


def test_forecasts_are_the_process_conditioned_on_what_was_learned(model: DynamicTopicModel) -> None:
    """Past the end an Ornstein-Uhlenbeck process returns:  m → m₀ + (m − m₀) e^(−t/ℓ),  s → σ² + (s − σ²) e^(−2t/ℓ)."""
    topics, ahead = model.topics_, np.array([1.0, 5.0, 40.0])
    last = topics.span[1]
    m, s = topics.posterior.predict(np.array([last]))
    fade = np.exp(-ahead / 10.0)[:, None, None]
    mean, variance = topics.mean + m * fade, 2.0 + (s - 2.0) * fade**2
    expected = np.exp(mean + variance / 2)
    expected /= expected.sum(axis=2, keepdims=True)
    words = {k: [f"word{v}" for v in range(15)] for k in range(2)}
    table = forecast_words(model, last + ahead, words)
    for k in range(2):
        found = table[table["topic"] == k]["probability"].to_numpy().reshape(15, 3).T
        np.testing.assert_allclose(found, expected[:, k], rtol=1e-6)


@pytest.mark.parametrize("fitted", ["model", "smooth"])
def test_bands_of_forecasts_widen(fitted: str, request: pytest.FixtureRequest) -> None:
    model = request.getfixturevalue(fitted)
    table = forecast_words(model, [22.5, 25.0, 30.0, 60.0], {0: ["word0"], 1: ["word4"]})
    odds = {side: np.log(table[side] / (1 - table[side])).to_numpy().reshape(2, 4) for side in ("low", "high")}
    assert (np.diff(odds["high"] - odds["low"], axis=1) > 0).all()
    best = forecast_words(model, 25.0, n=3)
    assert best["rank"].tolist() == [1, 2, 3, 1, 2, 3]


@pytest.mark.parametrize("times", [[22.0], [30.0, 3.0], []])
def test_what_is_not_past_the_end_is_no_forecast(model: DynamicTopicModel, times: list[float]) -> None:
    with pytest.raises(ValueError, match="but the documents end at 22; pass times after that"):
        forecast_words(model, times)
