"""Forecasts are scored on what came after, by models that saw only what came before."""

from __future__ import annotations

import numpy as np
import pytest
from planted import Planted, plant
from sklearn.base import clone

from chronotope import Corpus, DynamicTopicModel, OrnsteinUhlenbeck
from chronotope.analysis import rolling_origin, summarise_rolling

MODEL = DynamicTopicModel(2, "wiener(0.2, 2)", alpha=0.3, max_epochs=4, verbose=False)


def test_scores_are_perplexities_of_models_of_the_past(planted: Planted) -> None:
    corpus = planted.corpus
    table = rolling_origin(corpus, MODEL, [2, 6], origins=[8.0])
    past = clone(MODEL).fit(corpus[corpus.times <= 8])
    near = corpus[corpus.times == 10]
    row = table.iloc[0]
    assert (row.origin, row.horizon, row.documents) == (8.0, 2, 8)
    assert table["documents"].tolist() == [8, 16]
    frozen = Corpus(near.counts, np.full(8, 8.0), near.vocabulary)
    for name, documents in (("perplexity", near), ("last_value", frozen)):
        # the halves of a document are drawn for all horizons together, so the scores differ a little
        np.testing.assert_allclose(row[name], past.perplexity(documents), rtol=0.1)
    np.testing.assert_allclose(table["ratio"], table["perplexity"] / table["last_value"], rtol=1e-12)


def test_origins_are_spread_over_the_second_half_and_summed_up(planted: Planted) -> None:
    table = rolling_origin(planted.corpus, MODEL, [4.0], origins=2)
    assert table["origin"].tolist() == [11.0, 18.0]
    total = summarise_rolling(table).iloc[0]
    assert (total.origins, total.documents) == (2, table["documents"].sum())
    log = np.log(table["perplexity"]) @ table["tokens"] / table["tokens"].sum()
    np.testing.assert_allclose(total.perplexity, np.exp(log), rtol=1e-12)


def test_topics_that_return_to_their_mean_are_forecast_better_than_by_their_last_value() -> None:
    kernel = OrnsteinUhlenbeck(3, 2)
    corpus = plant(kernel, np.arange(30.0), 1, 20, documents=4, length=60, seed=2).corpus
    table = rolling_origin(corpus, DynamicTopicModel(1, kernel, max_epochs=6), [12.0], origins=[9.0, 17.0])
    assert summarise_rolling(table)["ratio"].item() < 0.95


def test_a_horizon_without_documents_has_no_score(planted: Planted) -> None:
    table = rolling_origin(planted.corpus, MODEL, [0.5, 2.0], origins=[8.0])
    assert table["tokens"].tolist()[0] == 0
    assert np.isnan(table["ratio"][0])
    assert summarise_rolling(table)["horizon"].tolist() == [2.0]


@pytest.mark.parametrize("horizons", [[], [0], [3, 2], ["-1 years"]])
def test_horizons_that_do_not_increase_are_refused(planted: Planted, horizons: list[float]) -> None:
    with pytest.raises(ValueError, match="expected increasing lengths of time above 0"):
        rolling_origin(planted.corpus, MODEL, horizons)


@pytest.mark.parametrize("origins", [0, [-1.0], [22.0], []])
def test_origins_without_past_or_future_are_refused(planted: Planted, origins: object) -> None:
    with pytest.raises(ValueError, match="origins is"):
        rolling_origin(planted.corpus, MODEL, [2], origins=origins)
