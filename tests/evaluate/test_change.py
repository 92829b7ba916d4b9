"""Change: the tables hold what explicit loops say, and known drifts have known values."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from planted import plant

from chronotope import DynamicTopicModel, OrnsteinUhlenbeck
from chronotope.evaluate import diversity, persistence, sample_topics, smoothness, summarise_change

TIMES = np.array([1900.0, 1910.0, 1920.0, 1930.0])


@pytest.fixture(scope="module")
def topics() -> np.ndarray:
    """Word probabilities at four times of three topics with nine words, drawn at random."""
    return np.random.default_rng(0).dirichlet(np.full(9, 0.7), size=(4, 3))


def top(p: np.ndarray, n: int) -> set[int]:
    return set(np.argsort(-p)[:n].tolist())


def hellinger(p: np.ndarray, q: np.ndarray) -> float:
    return math.sqrt(0.5 * sum((math.sqrt(a) - math.sqrt(b)) ** 2 for a, b in zip(p, q, strict=True)))


def overlap(p: np.ndarray, q: np.ndarray, n: int) -> float:
    return len(top(p, n) & top(q, n)) / len(top(p, n) | top(q, n))


def test_diversity_is_the_share_of_distinct_words(topics: np.ndarray) -> None:
    table = diversity(topics, TIMES, n_words=2)
    expected = [len(set.union(*(top(p, 2) for p in at))) / 6 for at in topics]
    np.testing.assert_array_equal(table["time"], TIMES)
    np.testing.assert_allclose(table["diversity"], expected, rtol=1e-12)


def test_diversity_goes_from_all_the_same_to_all_different() -> None:
    same = np.tile([0.6, 0.3, 0.06, 0.04], (1, 2, 1))
    assert diversity(same, n_words=2)["diversity"].tolist() == [0.5]
    assert diversity(np.stack([same[0, 0], same[0, 0, ::-1]])[None], n_words=2)["diversity"].tolist() == [1.0]
    assert diversity(same[:, :1], n_words=2)["diversity"].tolist() == [1.0]


def test_smoothness_compares_each_time_with_the_next(topics: np.ndarray) -> None:
    table = smoothness(topics, TIMES, n_words=3)
    assert len(table) == 9
    for row in table.itertuples():
        i = int(np.flatnonzero(row.start == TIMES)[0])
        p, q = topics[i, row.topic], topics[i + 1, row.topic]
        assert row.end == TIMES[i + 1]
        assert row.distance == pytest.approx(hellinger(p, q), rel=1e-12)
        assert row.jaccard == pytest.approx(overlap(p, q, 3), rel=1e-12)


def test_persistence_averages_the_pairs_of_a_lag(topics: np.ndarray) -> None:
    table = persistence(topics, TIMES, n_words=3)
    assert table["lag"].tolist() == [10.0, 20.0, 30.0] * 3
    assert table["pairs"].tolist() == [3, 2, 1] * 3
    for row in table.itertuples():
        steps = round(row.lag / 10)
        pairs = [(topics[i, row.topic], topics[i + steps, row.topic]) for i in range(4 - steps)]
        assert row.similarity == pytest.approx(np.mean([1 - hellinger(p, q) ** 2 for p, q in pairs]), rel=1e-12)
        assert row.jaccard == pytest.approx(np.mean([overlap(p, q, 3) for p, q in pairs]), rel=1e-12)


def test_uneven_times_have_a_lag_for_each_distance(topics: np.ndarray) -> None:
    table = persistence(topics[:3, :1], [0.0, 0.1, 0.3], n_words=3)
    np.testing.assert_allclose(table["lag"], [0.1, 0.2, 0.3], rtol=1e-9)
    even = persistence(topics[:, :1], np.arange(4) * 0.1, n_words=3)  # 0.1 and 0.3 − 0.2 are one lag
    assert even["pairs"].tolist() == [3, 2, 1]


def test_topics_that_stay_have_no_distance_and_topics_that_go_have_the_whole() -> None:
    still = np.repeat(np.random.default_rng(1).dirichlet(np.ones(8), size=(1, 2)), 3, axis=0)
    assert (smoothness(still, n_words=2)["distance"] == 0).all()
    assert (smoothness(still, n_words=2)["jaccard"] == 1).all()
    np.testing.assert_allclose(persistence(still, n_words=2)["similarity"], 1.0, rtol=1e-12)
    gone = np.array([[[0.5, 0.5, 0.0, 0.0]], [[0.0, 0.0, 0.5, 0.5]]])
    assert smoothness(gone, n_words=2)[["distance", "jaccard"]].to_numpy().tolist() == [[1.0, 0.0]]
    assert persistence(gone, n_words=2)[["similarity", "jaccard"]].to_numpy().tolist() == [[0.0, 0.0]]


def test_a_summary_holds_the_means(topics: np.ndarray) -> None:
    values = summarise_change(topics, TIMES, n_words=3).set_index("measure")["value"]
    steps = smoothness(topics, TIMES, n_words=3)
    ends = [(topics[0, k], topics[3, k]) for k in range(3)]
    assert values["diversity"] == pytest.approx(diversity(topics, TIMES, n_words=3)["diversity"].mean(), rel=1e-12)
    assert values["step_distance"] == pytest.approx(steps["distance"].mean(), rel=1e-12)
    assert values["step_jaccard"] == pytest.approx(steps["jaccard"].mean(), rel=1e-12)
    assert values["end_similarity"] == pytest.approx(np.mean([1 - hellinger(p, q) ** 2 for p, q in ends]), rel=1e-12)
    assert values["end_jaccard"] == pytest.approx(np.mean([overlap(p, q, 3) for p, q in ends]), rel=1e-12)


def test_a_quicker_kernel_is_less_smooth_and_persists_less() -> None:
    times = np.arange(12.0)
    slow, quick = (
        summarise_change(plant(OrnsteinUhlenbeck(2, scale), times, documents=1).probabilities, times).set_index(
            "measure"
        )
        for scale in (100.0, 2.0)
    )
    assert slow.loc["step_distance", "value"] < 0.5 * quick.loc["step_distance", "value"]
    assert slow.loc["end_similarity", "value"] > quick.loc["end_similarity", "value"]


def test_a_model_is_read_at_the_given_times() -> None:
    corpus = plant(OrnsteinUhlenbeck(2, 10), np.arange(4.0), n_topics=2, n_words=12, documents=3, length=30).corpus
    model = DynamicTopicModel(n_topics=2, max_epochs=2).fit(corpus)
    for measure in (diversity, smoothness, persistence, summarise_change):
        by_model, pi = measure(model, [0.0, 1.5, 3.0], 4), sample_topics(model, [0.0, 1.5, 3.0]).probabilities
        pd.testing.assert_frame_equal(by_model, measure(pi, [0.0, 1.5, 3.0], 4))


@pytest.mark.parametrize("measure", [smoothness, persistence])
def test_one_time_is_too_few(measure: Callable[..., pd.DataFrame], topics: np.ndarray) -> None:
    with pytest.raises(ValueError, match="compares times, but there is only 1900; pass at least two times"):
        measure(topics[:1], TIMES[:1], 3)
