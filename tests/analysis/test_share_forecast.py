"""Forecasts of prevalence: bands that hold what they promise, the periods asked for, and what cannot be forecast."""

from __future__ import annotations

import math

import numpy as np
import pytest
from planted import Planted
from scipy.special import softmax

from chronotope import Corpus, DynamicTopicModel
from chronotope.analysis import forecast_shares, topic_shares
from chronotope.analysis.share_counts import observe
from chronotope.analysis.share_forecast import Bands, predict_shares

P, H, K = 40, 4, 12


def history(rng: np.random.Generator, documents: int) -> tuple[np.ndarray, np.ndarray]:
    """Tokens (D, K) of documents with Dirichlet shares around a walk of the logits, and their periods, (D,)."""
    logits = rng.normal(0, 1, K) + np.cumsum(rng.normal(0, 0.15, (P + H, K)), axis=0)
    pi = softmax(logits, axis=1)
    theta = np.stack([rng.dirichlet(2.0 * p, documents) for p in pi])
    lengths = rng.gamma(3.0, 30.0, (P + H, documents, 1))
    return (theta * lengths).reshape(-1, K), np.repeat(np.arange(P + H), documents)


@pytest.mark.slow
@pytest.mark.parametrize("documents", [2, 10, 60])
def test_bands_hold_as_many_shares_as_they_promise(documents: int) -> None:
    rng, middles = np.random.default_rng(documents), np.arange(P + H) + 0.5
    inside = []
    for _ in range(12):
        tokens, row = history(rng, documents)
        came = observe(tokens, row, middles).share[P:]
        _, low, high = predict_shares(observe(tokens, np.where(row < P, row, -1), middles), middles[P:], Bands())
        inside.append((came >= low) & (came <= high))
    assert 0.87 < np.mean(inside) < 0.95  # bands from 0 on leave out 5% and not 10%


def test_shares_add_up_to_one_and_bands_widen_with_time_and_narrow_with_documents() -> None:
    tokens, row = history(np.random.default_rng(0), 20)
    seen = observe(tokens, row, np.arange(P + H) + 0.5)
    ahead = np.array([45.0, 60.0, 120.0])
    widths = []
    for documents in (5, 20, math.inf):
        share, low, high = predict_shares(seen, ahead, Bands(documents=documents))
        np.testing.assert_allclose(share.sum(axis=1), 1.0, rtol=1e-12)
        assert (low >= 0).all()
        assert (low < share).all()
        assert (share < high).all()
        assert (high <= 1).all()
        widths.append((high - low).mean(axis=1))
    assert (np.diff(widths, axis=1) > 0).all()
    assert (np.diff(widths, axis=0) < 0).all()


def test_a_higher_level_has_wider_bands_and_the_same_seed_the_same() -> None:
    tokens, row = history(np.random.default_rng(1), 10)
    seen, ahead = observe(tokens, row, np.arange(P + H) + 0.5), np.array([45.0])
    half, most = (predict_shares(seen, ahead, Bands(level=level)) for level in (0.5, 0.95))
    assert (most[1] <= half[1]).all()
    assert (half[2] < most[2]).all()
    np.testing.assert_array_equal(most, predict_shares(seen, ahead, Bands(level=0.95)))


def test_two_topics_have_mirrored_bands() -> None:
    first = np.random.default_rng(2).beta(2, 6, 200)
    seen = observe(np.column_stack([first, 1 - first]), np.arange(200) // 10, np.arange(20.0))
    share, low, high = predict_shares(seen, np.array([22.0]), Bands())
    np.testing.assert_allclose(share.sum(), 1.0, rtol=1e-12)
    np.testing.assert_allclose([low[0, 1], high[0, 1]], [1 - high[0, 0], 1 - low[0, 0]], rtol=0, atol=0.01)


def test_a_topic_long_without_text_is_forecast_near_zero_but_not_at_zero() -> None:
    tokens, row = history(np.random.default_rng(3), 10)
    tokens[row >= 10, 0] = 0.0
    share, low, high = predict_shares(observe(tokens, row, np.arange(P + H) + 0.5), np.array([45.0]), Bands())
    assert 0 < share[0, 0] < 0.01
    assert low[0, 0] == 0
    assert np.isfinite(high).all()


def test_one_document_in_each_period_is_enough() -> None:
    tokens, row = history(np.random.default_rng(4), 1)
    share, low, high = predict_shares(observe(tokens, row, np.arange(P + H) + 0.5), np.array([45.0]), Bands())
    assert np.isfinite([share, low, high]).all()
    assert (high - low).mean() > 0.1


def test_the_table_has_the_coming_periods(model: DynamicTopicModel, planted: Planted) -> None:
    table = forecast_shares(model, planted.corpus, periods=4)
    assert table["period"].unique().tolist() == ["24 to 28", "28 to 32", "32 to 36"]
    assert table["topic"].tolist() == [0, 1] * 3
    assert "date" not in table
    np.testing.assert_allclose(table.groupby("period")["share"].sum(), 1.0, rtol=1e-12)
    far = forecast_shares(model, planted.corpus, [29.0, 37.0], periods=4, shares=model.transform(planted.corpus))
    assert far["period"].unique().tolist() == ["28 to 32", "32 to 36", "36 to 40"]
    same = far[far["period"] == "28 to 32"]["share"].to_numpy()
    np.testing.assert_allclose(same, table[table["period"] == "28 to 32"]["share"], rtol=1e-9)
    edges = forecast_shares(model, planted.corpus, 1, periods=[0, 10, 23, 30, 40])
    assert edges["period"].unique().tolist() == ["23 to 30"]


def test_months_to_come_have_their_names_and_dates() -> None:
    rng = np.random.default_rng(0)
    dates = [f"2020-{month:02d}-10" for month in range(1, 13) for _ in range(5)]
    corpus = Corpus(rng.poisson(3.0, (60, 6)), dates)
    model = DynamicTopicModel(2, max_epochs=2, verbose=False).fit(corpus)
    table = forecast_shares(model, corpus, 14, periods="month")
    assert table["period"].unique().tolist()[::13] == ["2021-01", "2022-02"]
    assert table["start_date"].iloc[0] == "2021-01-01"
    assert forecast_shares(model, corpus, "2021-03-05", periods="month")["period"].unique().tolist() == ["2021-03"]


def test_a_period_without_documents_is_unknown_and_not_zero(model: DynamicTopicModel, planted: Planted) -> None:
    corpus = planted.corpus
    gap = corpus[(corpus.times < 8) | (corpus.times > 18)]
    table = forecast_shares(model, gap, periods=2)
    shares = topic_shares(model, gap, 2)
    assert shares["share"].isna().any()
    assert table["share"].between(0.1, 0.9).all()


def test_one_topic_is_all_of_the_text(planted: Planted) -> None:
    alone = DynamicTopicModel(1, max_epochs=1, verbose=False).fit(planted.corpus)
    assert (forecast_shares(alone, planted.corpus, 2)[["share", "low", "high"]] == 1.0).all(axis=None)


def test_outlying_documents_do_not_move_the_start(model: DynamicTopicModel, planted: Planted) -> None:
    corpus = planted.corpus
    times = corpus.times.copy()
    times[0] = 5_000.0
    moved = Corpus(corpus.counts, times, corpus.vocabulary)
    assert forecast_shares(model, moved, 1, periods=4)["period"].unique().tolist() == ["24 to 28"]


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"periods": 100}, "the periods with text are 1, but change over time needs at least 2; pass shorter periods"),
        ({"times": [23.0], "periods": 4}, "the period of the last document ends at 24; pass times from there on"),
        ({"times": []}, "the earliest time is none"),
        ({"times": 0}, "times is 0; expected at least 1 period"),
        ({"times": 2, "periods": [0, 10, 23, 30]}, "the edges make 1 periods after the last document"),
        ({"times": [60.0], "periods": [0, 10, 23, 30]}, "1 of 1 times are after the last edge"),
        ({"periods": [0, 10]}, "the periods end at 10, before the last document"),
        ({"level": 1.0}, "level is 1.0; expected a probability"),
        ({"documents": 0}, "documents is 0; expected a number above 0"),
        ({"shares": np.ones((3, 2))}, "shares has shape"),
    ],
)
def test_what_cannot_be_forecast_is_a_sentence(
    model: DynamicTopicModel, planted: Planted, asked: dict[str, object], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        forecast_shares(model, planted.corpus, **asked)  # type: ignore[arg-type]
