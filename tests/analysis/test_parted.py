"""How far groups are apart and when they parted, on planted groups; the same words, no time in common, bad input."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from planted import match_topics
from two_groups import PARTING, TwoGroups, fitted, planted_groups

from chronotope import Corpus, DynamicTopicModel, Topics
from chronotope.analysis import divergence, parting, partings
from chronotope.analysis.parted import MOST, compared, jensen_shannon, neighbours_joined


class Fitted:
    """A planted corpus, its topics, and which of these is planted topic 0."""

    def __init__(self, kind: str) -> None:
        self.planted: TwoGroups = planted_groups(kind, 3, calendar=True)
        self.topics: Topics = fitted(self.planted).topics_
        times = self.planted.times + 1900
        found = match_topics(self.topics.probabilities(times), self.planted.probabilities.mean(axis=0))
        self.first, self.other = (int(k) for k in found)


@pytest.fixture(scope="module")
def parted() -> Fitted:
    return Fitted("parting")


@pytest.fixture(scope="module")
def alike() -> Fitted:
    return Fitted("never")


def test_a_parting_is_found_where_it_was_planted(parted: Fitted) -> None:
    row = parting(parted.topics, parted.first, "a", "b").iloc[0]
    assert row.probability >= 0.95
    assert abs(row.time - 1900 - PARTING) <= 1
    assert row.low_time <= 1900 + PARTING <= row.high_time
    assert row.date.startswith("1905")
    assert row.before < 0.5 * row.after


def test_the_topic_in_which_groups_part_is_first(parted: Fitted) -> None:
    table = partings(parted.topics)
    assert table["topic"].tolist() == [parted.first, parted.other]
    assert table.loc[1, "probability"] < 0.5
    assert (table["a"] + table["b"]).tolist() == ["ab", "ab"]
    assert table.equals(partings(parted.topics, "a", "b"))


def test_groups_that_speak_alike_do_not_part_and_are_hardly_apart(alike: Fitted) -> None:
    assert (partings(alike.topics)["probability"] < 0.5).all()
    for k in range(2):
        assert divergence(alike.topics, k, "a", "b")["divergence"].max() < 0.01


def test_the_divergence_is_near_the_planted_one(parted: Fitted) -> None:
    truth = jensen_shannon(*parted.planted.probabilities[:, :, 0])
    table = divergence(parted.topics, parted.first, "a", "b", parted.planted.times + 1900)
    np.testing.assert_allclose(table["divergence"], truth, rtol=0, atol=0.3 * truth.max())
    assert (table["low"] <= table["divergence"]).all()
    assert (table["divergence"] <= table["high"]).all()
    assert list(table.columns) == ["time", "date", "divergence", "low", "high"]


def test_exchanged_groups_are_as_far_apart(parted: Fitted) -> None:
    one, two = (divergence(parted.topics, parted.first, *pair, draws=400)["divergence"] for pair in ("ab", "ba"))
    np.testing.assert_allclose(one, two, rtol=0, atol=0.02)


def test_the_same_seed_gives_the_same_answer(parted: Fitted) -> None:
    one, two = (divergence(parted.topics, 0, "a", "b", draws=20, seed=2) for _ in range(2))
    assert one.equals(two)


def test_divergence_is_between_nothing_and_one_bit() -> None:
    p = np.array([0.2, 0.3, 0.5, 0.0])
    np.testing.assert_allclose(jensen_shannon(p, p), 0.0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(jensen_shannon(p, np.array([0.0, 0.0, 0.0, 1.0])), 1.0, rtol=1e-12)


def test_what_all_words_share_is_no_difference() -> None:
    rng = np.random.default_rng(0)
    value, noise = rng.standard_normal((6, 9)), rng.gamma(2.0, 1.0, (6, 9))
    others, thin = value + rng.standard_normal((6, 1)), np.ones(6)
    one, two = (neighbours_joined(np.arange(6.0), x, noise, thin) for x in (value, others))
    np.testing.assert_allclose(one.value, two.value, rtol=0, atol=1e-12)


def test_many_nodes_are_joined_to_as_many_as_are_compared() -> None:
    n = 3 * MOST
    seen = neighbours_joined(np.arange(float(n)), np.zeros((n, 4)), np.full((n, 4), 3.0), np.full(n, 3.0))
    assert len(seen.times) == MOST
    np.testing.assert_allclose(seen.times, 3 * np.arange(MOST) + 1.0)
    np.testing.assert_allclose(seen.noise, 1.0)
    np.testing.assert_allclose(seen.thin, 1.0)


def test_groups_without_time_in_common_are_not_compared() -> None:
    rng = np.random.default_rng(0)
    groups = pd.DataFrame({"group": ["old"] * 20 + ["new"] * 20})
    corpus = Corpus(rng.multinomial(40, np.full(8, 0.125), 40), np.arange(40) / 2, metadata=groups)
    model = DynamicTopicModel(1, "constant + ou + by(ou)", groups="group", max_epochs=3, verbose=False).fit(corpus)
    assert compared(model.topics_, 0, "old", "new") is None
    row = parting(model, 0, "old", "new").iloc[0]
    assert np.isnan(row.probability)
    assert np.isnan(row.time)
    with pytest.raises(ValueError, match="too few times"):
        divergence(model, 0, "old", "new")


def test_what_cannot_be_compared_is_refused(parted: Fitted) -> None:
    with pytest.raises(ValueError, match="both 'a'"):
        divergence(parted.topics, 0, "a", "a")
    with pytest.raises(ValueError, match="one group was given"):
        partings(parted.topics, "a")
    with pytest.raises(ValueError, match="draws is 1"):
        parting(parted.topics, 0, "a", "b", draws=1)
    with pytest.raises(ValueError, match="topic is 7"):
        parting(parted.topics, 7, "a", "b")
    with pytest.raises(ValueError, match="a group is None"):
        parting(parted.topics, 0, None, "b")  # type: ignore[arg-type]
    plain = DynamicTopicModel(1, max_epochs=1).fit(Corpus([[3, 1], [1, 2]], [5.0, 6.0]))
    with pytest.raises(ValueError, match="do not differ between groups"):
        partings(plain)
