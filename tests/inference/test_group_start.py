"""Starting topics of groups: paired with the common ones, and used where they predict better."""

import numpy as np
import pytest

from chronotope import Corpus, DynamicTopicModel
from chronotope.inference import group_start
from chronotope.inference.group_start import paired
from chronotope.inference.init import Start
from chronotope.model import training

rng = np.random.default_rng(0)


def test_topics_of_a_group_get_the_order_of_the_common_ones():
    common = rng.dirichlet(np.full(30, 0.1), 5)
    order = np.array([3, 1, 4, 0, 2])
    np.testing.assert_array_equal(paired(common, common[order]), common)


def test_a_topic_that_is_like_no_common_one_is_left_out():
    common, own = np.eye(4)[:3] * 0.97 + 0.01, np.eye(4)[[0, 3, 2]] * 0.97 + 0.01
    np.testing.assert_array_equal(paired(common, own)[1], common[1])
    np.testing.assert_array_equal(paired(common, own)[[0, 2]], own[[0, 2]])


def grouped_corpus(different: bool) -> Corpus:
    """Documents of three groups; one of them has half of its words to itself if they are `different`."""
    generator = np.random.default_rng(1)
    topics = generator.dirichlet(np.full(60, 0.05), 3)
    other = 0.5 * topics + 0.5 * generator.dirichlet(np.full(60, 0.05), 3) if different else topics
    group = np.arange(600) % 3
    shares = generator.dirichlet(np.full(3, 0.2), 600)
    words = np.where(group[:, None] != 1, shares @ topics, shares @ other)
    counts = np.stack([generator.multinomial(60, p / p.sum()) for p in words])
    years = 2000.0 + generator.integers(0, 12, 600)
    return Corpus(counts, years, [f"w{v}" for v in range(60)], metadata={"side": np.array(["a", "b", "c"])[group]})


@pytest.mark.parametrize("better", [True, False])
def test_groups_start_from_topics_of_their_own_where_these_predict_better(monkeypatch, better):
    chosen = []

    def given(start, docs, size, tracks, *rest):
        topics = np.repeat(start.topics[None], size[1], axis=0)
        mixed = np.full_like(topics, 1.0 / topics.shape[2])  # no topics at all
        return Start(topics if better else mixed, start.alpha)

    def noted(common, own, *rest):
        worse = common._replace(topics=np.full_like(common.topics, 1.0 / common.topics.shape[1]))
        chosen.append(start_of_groups(worse if better else common, own, *rest) is own)
        return common

    start_of_groups = training.start_of_groups
    monkeypatch.setattr(training, "with_groups", given)
    monkeypatch.setattr(training, "start_of_groups", noted)
    monkeypatch.setattr(training, "number_of_trials", lambda *rest: 1)
    DynamicTopicModel(3, "constant + ou + by(ou, side)", max_epochs=1, verbose=False).fit(grouped_corpus(True))
    assert chosen == [better]


@pytest.mark.parametrize("tokens", [1_000, 10**9])
def test_groups_with_enough_text_have_static_fits_of_their_own(monkeypatch, tokens):
    monkeypatch.setattr(group_start, "TOKENS", tokens)
    found = []

    def noted(common, own, *rest):
        found.append(own)
        return common

    monkeypatch.setattr(training, "start_of_groups", noted)
    monkeypatch.setattr(training, "number_of_trials", lambda *rest: 1)
    DynamicTopicModel(3, "constant + ou + by(ou, side)", max_epochs=1, verbose=False).fit(grouped_corpus(True))
    assert len(found) == (tokens == 1_000)
    assert all(start.topics.shape == (36, 3, 60) for start in found)  # 12 times of three groups
