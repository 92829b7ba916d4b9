"""Topics read at times: what may be given, and how alike two topics are."""

from __future__ import annotations

import numpy as np
import pytest
from planted import plant
from sklearn.exceptions import NotFittedError

from chronotope import DynamicTopicModel, OrnsteinUhlenbeck
from chronotope.evaluate import sample_topics
from chronotope.evaluate.change import affinity, best_words, jaccard


@pytest.fixture(scope="module")
def model() -> DynamicTopicModel:
    corpus = plant(OrnsteinUhlenbeck(2, 10), np.arange(4.0), n_topics=2, n_words=12, documents=3, length=30).corpus
    return DynamicTopicModel(n_topics=2, max_epochs=2).fit(corpus)


def test_a_model_and_its_topics_are_read_at_the_times_asked_for(model: DynamicTopicModel) -> None:
    at, pi = sample_topics(model, [0.5, 2.0])
    np.testing.assert_array_equal(at, [0.5, 2.0])
    np.testing.assert_array_equal(pi, model.topics_.probabilities([0.5, 2.0]))
    alone = sample_topics(model.topics_, 2.0).probabilities
    np.testing.assert_allclose(alone, pi[1:], rtol=1e-6, atol=0)  # a chain through other times rounds otherwise


def test_times_left_out_are_evenly_spaced_over_the_span(model: DynamicTopicModel) -> None:
    np.testing.assert_allclose(sample_topics(model).times, np.linspace(0, 3, 20), rtol=1e-15)


def test_slices_of_an_array_are_numbered_or_have_the_times_given() -> None:
    pi = np.full((3, 2, 4), 0.25)
    np.testing.assert_array_equal(sample_topics(pi).times, [0, 1, 2])
    np.testing.assert_array_equal(sample_topics(pi, ["1900", "1901", "1905"]).times, [1900, 1901, 1905])


@pytest.mark.parametrize(
    ("topics", "times", "message"),
    [
        (np.full((2, 4), 0.25), None, r"the topics have shape \(2, 4\); pass a fitted model, or an array"),
        (np.ones((2, 1, 4)), None, "are negative or do not sum to 1; divide them by their sum"),
        (np.full((2, 1, 4), 0.25), [1.0], "there are 1 times but 2 slices of topics; pass one time for each"),
        (np.full((2, 1, 4), 0.25), [2.0, 1.0], "expected each later than the one before"),
    ],
)
def test_topics_that_cannot_be_read_are_refused(topics: np.ndarray, times: list[float] | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        sample_topics(topics, times)


def test_a_model_must_be_fitted() -> None:
    with pytest.raises(NotFittedError):
        sample_topics(DynamicTopicModel())


def test_best_words_are_those_of_top_words(model: DynamicTopicModel) -> None:
    pi = sample_topics(model, [1.5]).probabilities
    listed = [word for word, _ in model.topics_.top_words(1, 1.5, 5)]
    assert model.topics_.vocabulary[best_words(pi, 5)[0, 1]].tolist() == listed
    np.testing.assert_array_equal(best_words(np.array([0.2, 0.3, 0.2, 0.3]), 3), [1, 3, 0])
    with pytest.raises(ValueError, match="n_words is 13 but the topics have 12 words; pass a number from 1 to 12"):
        best_words(pi, 13)


def test_affinity_and_jaccard_compare_every_pair() -> None:
    rng = np.random.default_rng(0)
    p, q = rng.dirichlet(np.ones(8), size=3), rng.dirichlet(np.ones(8), size=2)
    alike, shared = affinity(p, q), jaccard(p, q, 4)
    for i in range(3):
        for j in range(2):
            assert alike[i, j] == pytest.approx(sum(np.sqrt(p[i, v] * q[j, v]) for v in range(8)), rel=1e-12)
            a, b = set(np.argsort(-p[i])[:4]), set(np.argsort(-q[j])[:4])
            assert shared[i, j] == pytest.approx(len(a & b) / len(a | b), rel=1e-12)
    np.testing.assert_allclose(affinity(p, p).diagonal(), 1.0, rtol=1e-12)
    np.testing.assert_array_equal(jaccard(p, p, 4).diagonal(), 1.0)
