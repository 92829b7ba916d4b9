"""Words that set groups apart: against the joint Gaussian of every word, against what was planted, and on one group."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from planted import match_topics
from two_groups import CONSTANT, fitted, planted_groups

from chronotope import Corpus, DynamicTopicModel
from chronotope.analysis import contrast, group_differences
from chronotope.analysis.groups import with_own_variance
from chronotope.gp.tracks import TrackCovariance
from chronotope.kernels import parse_kernel

TIMES = np.array([3.0, 9.5])


@pytest.fixture(scope="module")
def model() -> DynamicTopicModel:
    return fitted(planted_groups("constant", 1))


def dense_ratios(model: DynamicTopicModel, k: int, times: np.ndarray, n: int) -> np.ndarray:
    """Draws of log p_a/p_b, (n, T, V), from the dense posterior of every word over both groups."""
    topics = model.topics_
    (prior, own, common), V = topics.posterior, len(topics.vocabulary)
    points = np.concatenate([prior.at(times, track) for track in (0, 1)])
    rng, drawn = np.random.default_rng(5), np.empty((n, len(points), V))
    for v in range(V):
        m, C = np.full(len(points), topics.mean[v]), np.zeros((len(points), len(points)))
        for structure, sites, row in ((prior.own, own, k), (prior.common, common, 0)):
            if structure is None or sites is None:
                continue
            kernel = TrackCovariance(structure.kernel.kernel, prior.tracks)
            g, b = (x[:, row, v].astype(np.float64) for x in sites)
            across, within = kernel(points, prior.points), kernel(prior.points)
            gain = np.linalg.solve(np.eye(len(b)) + within * b, within).T  # K (I + B K)⁻¹
            solved = np.linalg.solve(np.eye(len(b)) + b[:, None] * within, np.column_stack([g, b[:, None] * across.T]))
            m = m + across @ solved[:, 0]
            C = C + kernel(points) - across @ solved[:, 1:]
            assert gain.shape == within.shape
        drawn[:, :, v] = rng.multivariate_normal(m, C, n, method="eigh")
    logs = drawn - np.log(np.exp(drawn).sum(axis=2, keepdims=True))
    return logs[:, : len(times)] - logs[:, len(times) :]


def test_ratios_are_those_of_the_dense_joint_posterior(model: DynamicTopicModel) -> None:
    words = range(8)
    table = contrast(model, 0, "a", "b", TIMES, words=words, draws=4_000)
    dense = dense_ratios(model, 0, TIMES, 4_000)[:, :, :8]
    low, middle, high = np.quantile(dense, [0.05, 0.5, 0.95], axis=0).reshape(3, -1)
    spread = dense.std(axis=0).max()
    for name, truth in (("low", low), ("ratio", middle), ("high", high)):
        np.testing.assert_allclose(np.log(table[name]), truth, rtol=0, atol=0.1 * spread)
    np.testing.assert_allclose(table["probability"], (dense > 0).mean(axis=0).ravel(), rtol=0, atol=0.04)


def test_exchanged_groups_have_inverse_ratios(model: DynamicTopicModel) -> None:
    words = [2, 5, 7]
    one, two = (contrast(model, 1, *pair, TIMES, words=words, draws=2_000) for pair in (("a", "b"), ("b", "a")))
    np.testing.assert_allclose(np.log(one["ratio"]), -np.log(two["ratio"]), rtol=0, atol=0.08)
    np.testing.assert_allclose(one["probability"], 1 - two["probability"], rtol=0, atol=0.06)
    np.testing.assert_allclose(one["share_a"], two["share_b"], rtol=1e-6)


def test_words_of_a_come_first_and_sure_ones_first_of_each_side(model: DynamicTopicModel) -> None:
    table = contrast(model, 0, "a", "b", n=6)
    assert list(table.columns) == ["word", "ratio", "low", "high", "probability", "share_a", "share_b"]
    more = (table["ratio"] > 1).to_numpy()
    assert (np.diff(more.astype(int)) <= 0).all()
    assert more.sum() <= 6
    assert (~more).sum() <= 6
    for side, chance in ((more, table["probability"]), (~more, 1 - table["probability"])):
        assert (np.diff((chance[side] >= 0.9).astype(int)) <= 0).all()
    assert (table["low"] < table["ratio"]).all()
    assert (table["ratio"] < table["high"]).all()


def test_every_time_has_its_own_words(model: DynamicTopicModel) -> None:
    table = contrast(model, 0, "a", "b", TIMES, n=3)
    assert table["time"].unique().tolist() == TIMES.tolist()
    assert (table.groupby("time").size() <= 6).all()


def test_a_word_that_no_text_of_the_group_has_is_not_shown_as_its_own() -> None:
    rng = np.random.default_rng(0)
    counts = rng.multinomial(80, np.full(10, 0.1), 40)
    counts[:, 9] = 0
    groups = pd.DataFrame({"group": ["a", "b"] * 20})
    corpus = Corpus(np.column_stack([counts, np.r_[1, np.zeros(39, dtype=int)]]), np.arange(40) // 4, metadata=groups)
    model = DynamicTopicModel(1, "constant + ou + by(ou)", groups="group", max_epochs=5, verbose=False).fit(corpus)
    assert not {"word9", "word10"} & set(contrast(model, 0, "a", "b", n=20)["word"])


@pytest.mark.slow
def test_intervals_of_ratios_hold_what_was_planted() -> None:
    """90% intervals on corpora of which the groups differ from the start, in words with ten tokens of either group."""
    held = []
    for seed in range(3):
        planted = planted_groups("constant", seed)
        topics = fitted(planted).topics_
        order = match_topics(topics.probabilities(planted.times), planted.probabilities.mean(axis=0))
        for k, found in enumerate(order):
            tokens = topics.track_mass[:, :, found].sum(axis=1)[:, None] * planted.probabilities[:, :, k].mean(axis=1)
            words = np.flatnonzero(tokens.min(axis=0) >= 10)
            table = contrast(topics, int(found), "a", "b", [3.0, 9.0], words=words.tolist())
            pi = planted.probabilities[:, [3, 9], k][:, :, words]
            ratio = (pi[0] / pi[1]).ravel()
            held.append(((table["low"] <= ratio) & (ratio <= table["high"])).mean())
    assert 0.85 <= np.mean(held) <= 0.99


def test_groups_that_differ_are_told_from_groups_that_do_not(model: DynamicTopicModel) -> None:
    table = group_differences(model)
    alike = group_differences(fitted(planted_groups("never", 1)))
    assert table["topic"].tolist() == [0, 1, -1]
    assert (table["low"] > alike["high"]).all()
    truth = CONSTANT / np.sqrt(2)
    assert (table["sd"] > 0.5 * truth).all()
    assert (table["sd"] < 1.5 * truth).all()
    assert (alike["sd"] < 0.1).all()


def test_own_variance_is_set_for_groups_and_places() -> None:
    at = np.array([4.0])
    for text in ("constant(2) + ou(1, 5) + by(ou(0.3, 8))", "constant(2) + space(0.5, 300) + ou(1, 5) * space(2, 100)"):
        kernel = parse_kernel(text)
        shared = 3.0 if "by" in text else 2.0
        for lasting in (0.0, 0.5) if "by" in text else (0.0,):
            changed = with_own_variance(kernel, 0.7, lasting, 4.0)
            np.testing.assert_allclose(changed.diag(at), shared + 0.7, rtol=1e-9)


def test_what_cannot_be_contrasted_is_refused(model: DynamicTopicModel) -> None:
    with pytest.raises(ValueError, match="both 'a'"):
        contrast(model, 0, "a", "a")
    with pytest.raises(ValueError, match="expected one of 'a', 'b'"):
        contrast(model, 0, "a", "c")
    with pytest.raises(ValueError, match="level is 2"):
        contrast(model, 0, "a", "b", level=2)
    with pytest.raises(ValueError, match="n is 0"):
        contrast(model, 0, "a", "b", n=0)
    plain = DynamicTopicModel(1, max_epochs=1).fit(Corpus([[3, 1], [1, 2]], [5.0, 6.0]))
    for ask in (lambda: contrast(plain, 0, "a", "b"), lambda: group_differences(plain)):
        with pytest.raises(ValueError, match="do not differ between groups"):
            ask()
