"""Forecasts of prevalence are scored on what came after, by models that saw only what came before."""

from __future__ import annotations

import numpy as np
import pytest
from planted import Planted
from sklearn.base import clone

from chronotope import DynamicTopicModel
from chronotope.analysis import forecast_shares, rolling_shares, summarise_rolling_shares, topic_shares

MODEL = DynamicTopicModel(2, "wiener(0.2, 2)", alpha=0.3, max_epochs=4, verbose=False)


def test_rows_are_forecasts_from_the_past_beside_what_came(planted: Planted) -> None:
    corpus = planted.corpus
    table = rolling_shares(corpus, MODEL, [2, 6], periods=2, origins=[11.5])
    assert table["origin"].unique().tolist() == [12.0]
    assert table.groupby("horizon", sort=False)["period"].unique().map(list).to_dict() == {
        2: ["12 to 14"],
        6: ["14 to 16", "16 to 18"],
    }
    past, until = corpus[corpus.times < 12], corpus[corpus.times < 18]
    fitted = clone(MODEL).fit(past)
    expected = forecast_shares(fitted, past, 3, periods=2)
    for name in ("share", "low", "high"):
        np.testing.assert_allclose(table[name], expected[name], rtol=1e-9)
    shares = topic_shares(fitted, until, 2)
    np.testing.assert_allclose(table["observed"], shares["share"].iloc[-6:], rtol=1e-9)
    np.testing.assert_allclose(table["last_value"], np.tile(shares["share"].iloc[10:12], 3), rtol=1e-9)
    means = shares["share"].iloc[:12].to_numpy().reshape(-1, 2).mean(axis=0)
    np.testing.assert_allclose(table["mean"], np.tile(means, 3), rtol=1e-9)
    assert set(table["documents"]) == {8}


@pytest.mark.slow
def test_the_topics_of_a_fitted_model_can_be_kept(model: DynamicTopicModel, planted: Planted) -> None:
    table = rolling_shares(planted.corpus, model, [2, 8], periods=2, origins=3, refit=False)
    shares = topic_shares(model, planted.corpus, 2).set_index(["time", "topic"])["share"]
    np.testing.assert_allclose(table["observed"], shares.loc[list(zip(table["time"], table["topic"], strict=True))])
    assert (table["time"] > table["origin"]).all()


def test_the_summary_has_errors_and_coverage_of_each_horizon(model: DynamicTopicModel, planted: Planted) -> None:
    table = rolling_shares(planted.corpus, model, [2, 8], periods=2, origins=3, refit=False)
    total = summarise_rolling_shares(table)
    assert total["horizon"].tolist() == [2, 8]
    far = table[table["horizon"] == 8]
    np.testing.assert_allclose(total["error"].iloc[1], (far["share"] - far["observed"]).abs().mean(), rtol=1e-12)
    np.testing.assert_allclose(total["mean"].iloc[1], (far["mean"] - far["observed"]).abs().mean(), rtol=1e-12)
    np.testing.assert_allclose(
        total["coverage"].iloc[1], far["observed"].between(far["low"], far["high"]).mean(), rtol=1e-12
    )
    assert total["origins"].tolist() == [2, 2]  # of three, two are moved to the same edge
    assert total["periods"].tolist() == [2, len(far) // 2]


def test_a_period_without_text_has_no_row(model: DynamicTopicModel, planted: Planted) -> None:
    table = rolling_shares(planted.corpus, model, [3], periods=1, origins=[12.0], refit=False)
    assert table["period"].unique().tolist() == ["12 to 13", "14 to 15"]


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"horizons": [3, 2]}, "expected increasing lengths of time"),
        ({"horizons": [0.1]}, "no period with text is within 0.1 of an origin; pass longer horizons"),
        ({"periods": 100}, "1 periods leave no origin between them"),
        ({"origins": [-5.0]}, "origins is"),
    ],
)
def test_what_cannot_be_scored_is_a_sentence(
    model: DynamicTopicModel, planted: Planted, asked: dict[str, object], sentence: str
) -> None:
    given = {"horizons": [4], "periods": 2, "refit": False} | asked
    with pytest.raises(ValueError, match=sentence):
        rolling_shares(planted.corpus, model, **given)  # type: ignore[arg-type]
