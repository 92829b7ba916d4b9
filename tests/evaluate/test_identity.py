"""Identity of topics: those that stay the same, and those that turn into another one."""

import numpy as np
import pytest

from chronotope import Corpus, DynamicTopicModel
from chronotope.analysis import topic_names, turning_topics
from chronotope.evaluate import topic_identity
from chronotope.evaluate.identity import compare_times, deepest_break

T, K, V = 30, 5, 60


def planted(turning: bool, seed: int = 0) -> Corpus:
    """Five topics of ten words each; the words of the last may be replaced by ten others after fifteen years."""
    rng = np.random.default_rng(seed)
    counts = []
    for t in range(T):
        topics = np.full((K, V), 0.02)
        for k in range(K):
            first = 10 * (k + (turning and k == K - 1 and t >= T // 2))
            topics[k, first : first + 10] = 1.0
        topics /= topics.sum(axis=1, keepdims=True)
        counts += [rng.multinomial(80, theta @ topics) for theta in rng.dirichlet(np.full(K, 0.1), 12)]
    return Corpus(np.array(counts), np.repeat(1900.0 + np.arange(T), 12), calendar=True)


@pytest.fixture(scope="module")
def turned() -> DynamicTopicModel:
    seeds = [[f"word{10 * k}", f"word{10 * k + 1}"] for k in range(K - 1)] + [["word40", "word50"]]
    return DynamicTopicModel(K, "ou(6, 20)", shared=0, seed_words=seeds, max_epochs=25).fit(planted(turning=True))


def test_a_topic_that_turns_into_another_is_broken_at_that_date_and_no_other_is(turned):
    table = topic_identity(turned)
    assert table["broken"].tolist() == [False] * (K - 1) + [True]
    assert abs(table["break"][K - 1] - (1900 + T / 2)) <= 2
    assert np.isnan(table["break"][0])
    assert table["identity"][: K - 1].min() > 0.8 > 0.7 > table["identity"][K - 1]


def test_it_is_named_by_both_of_its_parts(turned):
    [turn] = turning_topics(turned)
    before, after = ({f"word{v}" for v in range(start, start + 10)} for start in (40, 50))
    assert turn.topic == K - 1
    assert set(turn.before) <= before
    assert set(turn.after) <= after
    assert " → " in topic_names(turned)[K - 1]
    assert " → " not in topic_names(turned)[0]


def test_topics_that_stay_have_a_high_identity():
    table = topic_identity(DynamicTopicModel(K, max_epochs=10).fit(planted(turning=False)))
    assert not table["broken"].any()
    assert table["identity"].min() > 0.85


def test_every_time_tells_all_about_itself(turned):
    known = compare_times(turned.topics_).known
    np.testing.assert_allclose(np.diagonal(known, axis1=1, axis2=2), 1.0, rtol=1e-9)
    assert known.min() >= 0.0


def test_a_break_needs_text_on_both_sides():
    known = np.zeros((4, 4))
    known[:1, :1], known[1:, 1:] = 1.0, 1.0
    assert deepest_break(known, np.array([1.0, 1.0, 1.0, 1.0])) == (1, 0.0)
    assert deepest_break(known, np.array([0.1, 9.0, 1.0, 1.0]))[1] == pytest.approx(1.0, abs=0.02)
    assert deepest_break(np.zeros((1, 1)), np.ones(1)) == (0, 1.0)
