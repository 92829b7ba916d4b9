"""A model in a few numbers: each is that of the function it names."""

from __future__ import annotations

import numpy as np
import pytest

from chronotope import Corpus, DynamicTopicModel
from chronotope.evaluate import (
    completion_scores,
    perplexity,
    perplexity_with_error,
    seed_stability,
    summarise_change,
    topic_coherence,
)
from chronotope.evaluate.summary import summarise, summarise_stability


@pytest.fixture(scope="module")
def models(small):
    train = small.split_times(0.15, seed=0)[0]
    return {seed: DynamicTopicModel(2, "ou(6, 50)", max_epochs=3, seed=seed, n_threads=1).fit(train) for seed in (0, 1)}


def test_every_number_is_that_of_its_function(small, models):
    test = small.split_times(0.15, seed=0)[1]
    table = summarise(models[0], test, small, measures=["npmi", "c_v"], periods=2, n_words=5, halves=4)
    values = table.set_index(["measure", "period"])["value"]
    expected = perplexity_with_error(*completion_scores(models[0], test, 4))
    np.testing.assert_allclose([values["perplexity", "all"], values["standard_error", "all"]], expected, rtol=1e-12)
    assert values["bound", "all"] == models[0].bounds_[-1]
    seen = summarise(models[0], test, small, measures=[], halves=4, seen=[0, 8])
    found = seen[seen["measure"] == "perplexity_seen"].set_index("period")["value"]
    for number in (0, 8):
        assert found[f"{number} tokens seen"] == perplexity(*completion_scores(models[0], test, 4, seen=number))
    for measure in ("npmi", "c_v"):
        found = topic_coherence(models[0], small, measure, 5, 2).groupby("period", sort=False)["value"].mean()
        np.testing.assert_allclose(values[measure], found, rtol=1e-12)
    change = summarise_change(models[0], n_words=5)
    np.testing.assert_allclose(values[:, "all"][change["measure"].tolist()], change["value"], rtol=1e-12)


def test_stability_is_over_all_pairs_of_models(models):
    table = summarise_stability(models | {2: models[0]}, 5).set_index("measure")["value"]
    pairs = seed_stability(models | {2: models[0]}, n_words=5).summary
    assert len(pairs) == 3
    np.testing.assert_allclose(table["similarity"], pairs["similarity"].mean(), rtol=1e-12)
    np.testing.assert_allclose(table["lowest_similarity"], pairs["lowest"].min(), rtol=1e-12)


def test_topics_of_a_single_time_have_no_change_to_measure():
    corpus = Corpus(np.random.default_rng(0).poisson(3.0, (8, 6)), np.full(8, 1900.0))
    model = DynamicTopicModel(2, max_epochs=1, n_threads=1).fit(corpus)
    table = summarise(model, corpus, corpus, measures=[], n_words=2)
    assert table["measure"].tolist() == ["perplexity", "standard_error", "bound", "diversity"]
