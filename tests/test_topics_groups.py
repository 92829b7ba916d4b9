"""What topics answer about one group, about what all groups share, and about several at once."""

from __future__ import annotations

import numpy as np
import pytest
from planted import plant_tracks

import chronotope as ct
from chronotope.gp import Tracks
from chronotope.kernels import parse_kernel
from chronotope.topics import expected_share

KERNEL = "constant(2) + ou(0.5, 6) + by(ou(0.5, 12), party)"
TIMES = np.array([-2.0, 0.0, 3.5, 9.0])


@pytest.fixture(scope="module", params=[2, 13], ids=["chain", "parts"])
def topics(request: pytest.FixtureRequest) -> ct.Topics:
    tracks = Tracks(tuple("abcdefghijklmn"[: request.param]))
    corpus = plant_tracks(parse_kernel(KERNEL), tracks, np.arange(5.0), n_words=10, documents=3, length=60).corpus
    return ct.DynamicTopicModel(2, KERNEL, max_epochs=4, seed=0, verbose=False).fit(corpus).topics_


@pytest.mark.parametrize("group", ["a", "b", None])
def test_trajectories_hold_the_mean_and_are_of_the_group(topics: ct.Topics, group: str | None) -> None:
    bands = topics.trajectories(1, range(10), TIMES, group=group)
    mean = bands["mean"].to_numpy().reshape(10, -1).T
    np.testing.assert_allclose(mean, topics.probabilities(TIMES, group)[:, 1], rtol=0.02, atol=1e-4)
    assert (bands["low"] < bands["mean"]).all()
    assert (bands["mean"] < bands["high"]).all()


@pytest.mark.parametrize("group", ["a", "b", None])
def test_draws_have_the_mean_of_the_trajectory(topics: ct.Topics, group: str | None) -> None:
    draws = topics.draws(0, TIMES, n=400, group=group)
    assert draws.shape == (400, 4, 10)
    np.testing.assert_allclose(draws.sum(axis=2), 1.0, rtol=1e-5, atol=0)
    p = topics.probabilities(TIMES, group)[:, 0]
    error = draws.std(axis=0) / np.sqrt(400)
    assert (np.abs(draws.mean(axis=0) - p) < 6 * error + 0.2 * p).all()


def test_a_group_is_called_by_name_or_number(topics: ct.Topics) -> None:
    np.testing.assert_array_equal(topics.probabilities(TIMES, "b"), topics.probabilities(TIMES, 1))
    np.testing.assert_array_equal(topics.probabilities(TIMES, np.int64(1)), topics.probabilities(TIMES, 1))
    assert topics.track(None) == -1
    assert topics.track("b") == topics.track(1) == 1


def test_logits_of_several_groups_are_those_of_each(topics: ct.Topics) -> None:
    at, group = np.repeat(TIMES, 3), np.tile([0, 1, -1], 4)
    ((rows, found),) = topics.logits(at, group=group)
    p = expected_share(found.m, found.s, found.log_zeta[:, :, None])
    assert rows == slice(0, 12) or len(p) == 12
    for s in (0, 1, None):
        ((_, alone),) = topics.logits(TIMES, group=s)
        here = group == (-1 if s is None else s)
        np.testing.assert_allclose(found.m[here], alone.m, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(found.s[here], alone.s, rtol=1e-3, atol=1e-5)


def test_differences_of_groups_are_surer_than_of_independent_draws(topics: ct.Topics) -> None:
    """Two groups share most of what is not known of them: drawn together, their difference is that of their own."""
    prior, one = topics.posterior.prior, topics.posterior.take(slice(0, 1))
    points = np.concatenate([prior.at(np.array([2.0]), s) for s in (0, 1)])
    draws = one.draws(points, 400, np.random.default_rng(0))[:, :, 0]
    apart = draws[:, 0].var(axis=0) + draws[:, 1].var(axis=0)
    assert ((draws[:, 0] - draws[:, 1]).var(axis=0) < apart).mean() > 0.8
    m, s = one.predict(points)
    np.testing.assert_allclose(draws.mean(axis=0), m[:, 0], rtol=0, atol=6 * np.sqrt(s.max() / 400))


def test_top_words_of_a_group_are_its_most_probable_ones(topics: ct.Topics) -> None:
    for group in ("a", "b"):
        words = topics.top_words(0, 2.0, 3, group=group)
        p = topics.probabilities([2.0], group)[0, 0]
        best = np.argsort(-p)[:3]
        assert [word for word, _ in words] == topics.vocabulary[best].tolist()
        np.testing.assert_allclose([x for _, x in words], p[best], rtol=0.02, atol=0)
        assert len(topics.top_words(0, n=3, group=group)) == 3


def test_tokens_of_the_groups_are_those_of_all(topics: ct.Topics) -> None:
    np.testing.assert_allclose(topics.track_mass.sum(axis=0), topics.mass, rtol=1e-12, atol=0)
    assert topics.mass.shape == (len(topics.times), 2)
    shares = topics.shares()
    assert len(shares) == 2 * len(topics.times)
    np.testing.assert_allclose(shares.groupby("time")["share"].sum(), 1.0, rtol=1e-9, atol=0)


def test_far_from_all_documents_groups_are_what_they_share(topics: ct.Topics) -> None:
    far = [4_000.0]
    own = topics.probabilities(far, "a")
    np.testing.assert_allclose(own, topics.probabilities(far, "b"), rtol=0.01, atol=0)
