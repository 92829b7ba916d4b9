"""Topics as they usually are: means over windows, and the tokens that belong to them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from chronotope import Corpus, DynamicTopicModel
from chronotope.analysis.bursts import Windows
from chronotope.analysis.usual import CENTRES, UsualTopics, topic_rates, usual_counts, usual_topics


@pytest.fixture(scope="module")
def model() -> DynamicTopicModel:
    counts = np.random.default_rng(0).poisson(2.0, (30, 8))
    return DynamicTopicModel(2, max_epochs=3).fit(Corpus(counts, np.arange(30.0)))


@pytest.mark.parametrize("window", [0.0, 0.1, 6.0, 29.0, 1000.0])
def test_topics_are_means_over_windows_of_any_length(model: DynamicTopicModel, window: float) -> None:
    usual = usual_topics(model.topics_, Windows(np.arange(30.0), window))
    assert len(usual.rate) <= CENTRES
    assert usual.centre.shape == (30,)
    np.testing.assert_allclose(usual.rate.sum(axis=2), 1.0, rtol=1e-5)
    if window == 1000.0:
        mean = topic_rates(model.topics_, 1, np.arange(30.0)).mean(axis=0)
        np.testing.assert_allclose(usual.rate[0, 1], mean, rtol=1e-5)


def test_every_token_belongs_to_topics_and_to_those_that_have_its_word() -> None:
    rate = np.array([[[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.9, 0.1]]], np.float32)
    counts = sp.csr_array(np.array([[3, 1, 0, 0], [0, 2, 5, 1], [1, 0, 1, 0]]))
    usual = UsualTopics(rate, np.zeros(2, np.int64))
    expected = usual_counts(usual, np.array([0.1, 0.1]), counts, np.array([1, 0, 1]))
    np.testing.assert_allclose((expected(0) + expected(1)).toarray(), counts.toarray(), rtol=1e-9)
    np.testing.assert_allclose(expected(0).toarray()[:, 2:], 0.0, atol=1e-9)
    shares = usual.shares(np.array([0.1, 0.1]), counts, np.array([1, 0, 1]))
    np.testing.assert_allclose(shares[0], [4.1 / 4.2, 0.1 / 4.2], rtol=1e-6)
