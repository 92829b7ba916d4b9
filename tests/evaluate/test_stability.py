"""Stability: shuffled topics are found again, and the tables hold what the definition says."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from planted import plant

from chronotope import Corpus, DynamicTopicModel, OrnsteinUhlenbeck
from chronotope.evaluate import match_topics, seed_stability


def draw(seed: int, n: int = 3, K: int = 4, V: int = 20) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.full(V, 0.3), size=(n, K))


def fit(corpus: Corpus, seed: int, n_topics: int = 2) -> DynamicTopicModel:
    return DynamicTopicModel(n_topics=n_topics, max_epochs=5, seed=seed).fit(corpus)


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return plant(OrnsteinUhlenbeck(4, 20), np.arange(5.0), n_topics=2, n_words=15, documents=6, length=60).corpus


def test_shuffled_topics_are_matched_with_themselves() -> None:
    p, order = draw(0), np.array([2, 0, 3, 1])
    first, second, similarity = match_topics(p[:, order], p)
    np.testing.assert_array_equal(first, np.arange(4))
    np.testing.assert_array_equal(second, order)
    np.testing.assert_allclose(similarity[first, second], 1.0, rtol=1e-12)


def test_the_matching_is_the_best_of_all() -> None:
    p, q = draw(1), draw(2)
    first, second, similarity = match_topics(p, q)
    direct = np.array([[np.mean(np.sqrt(p[:, k] * q[:, l]).sum(axis=1)) for l in range(4)] for k in range(4)])
    np.testing.assert_allclose(similarity, direct, rtol=1e-12)
    best = max(sum(direct[k, order[k]] for k in range(4)) for order in permutations(range(4)))
    assert similarity[first, second].sum() == pytest.approx(best, rel=1e-12)


def test_with_fewer_topics_some_are_left_over() -> None:
    p = draw(3)
    first, second, _ = match_topics(p, p[:, [3, 1]])
    assert dict(zip(first.tolist(), second.tolist(), strict=True)) == {3: 0, 1: 1}
    table = seed_stability([p, p[:, [3, 1]]], n_words=5)
    assert table.summary["matched"].tolist() == [2]


def test_the_tables_hold_every_pair_of_models() -> None:
    models = {"a": draw(0), "b": draw(0)[:, ::-1], "c": draw(5)}
    pairs, summary = seed_stability(models, n_words=5)
    assert summary[["first", "second"]].to_numpy().tolist() == [["a", "b"], ["a", "c"], ["b", "c"]]
    assert len(pairs) == 12
    same = summary.iloc[0]
    assert same[["similarity", "lowest", "jaccard"]].tolist() == pytest.approx([1.0, 1.0, 1.0], rel=1e-12)
    for _, row in summary.iterrows():
        mine = pairs[(pairs["first"] == row["first"]) & (pairs["second"] == row["second"])]
        assert row["similarity"] == pytest.approx(mine["similarity"].mean(), rel=1e-12)
        assert row["lowest"] == mine["similarity"].min()
        assert row["jaccard"] == pytest.approx(mine["jaccard"].mean(), rel=1e-12)


def test_jaccard_is_the_overlap_of_top_words_averaged_over_times() -> None:
    p, q = draw(1), draw(2)
    for row in seed_stability([p, q], n_words=6).pairs.itertuples():
        tops = [
            (set(np.argsort(-a)[:6]), set(np.argsort(-b)[:6]))
            for a, b in zip(p[:, row.topic_first], q[:, row.topic_second], strict=True)
        ]
        assert row.jaccard == pytest.approx(np.mean([len(a & b) / len(a | b) for a, b in tops]), rel=1e-12)


def test_one_topic_is_matched_with_one() -> None:
    p = draw(4, n=1, K=1)
    assert seed_stability([p, p], n_words=3).pairs["similarity"].tolist() == pytest.approx([1.0])


def test_models_of_different_seeds_agree_on_planted_topics(corpus: Corpus) -> None:
    pairs, summary = seed_stability([fit(corpus, seed) for seed in (0, 1, 2)], n_words=5)
    assert len(summary) == 3
    assert (summary["lowest"] > 0.95).all()
    assert (pairs["jaccard"] > 0.6).all()


def test_times_left_out_are_of_the_span_all_models_share(corpus: Corpus) -> None:
    whole, late = fit(corpus, 0), fit(corpus[corpus.times >= 2], 0)
    left_out = seed_stability([whole, late], n_words=5).summary
    given = seed_stability([whole, late], np.linspace(2, 4, 20), n_words=5).summary
    np.testing.assert_array_equal(left_out["similarity"], given["similarity"])
    early = fit(corpus[corpus.times < 1], 0)
    with pytest.raises(ValueError, match="no time is in the span of all models: one starts at 2, one ends at 0"):
        seed_stability([early, late])


def test_models_that_cannot_be_compared_are_refused(corpus: Corpus) -> None:
    with pytest.raises(ValueError, match="there are 1 models; pass at least two"):
        seed_stability([draw(0)])
    with pytest.raises(ValueError, match=r"model 0 has topics of shape \(3, 4, 20\) and model 1 of \(2, 4, 20\)"):
        seed_stability([draw(0), draw(0, n=2)])
    other = Corpus(corpus.counts, corpus.times, [f"other{v}" for v in range(corpus.n_words)])
    with pytest.raises(ValueError, match="models 0 and 1 have 15 and 15 words that are not the same"):
        seed_stability([fit(corpus, 0), fit(other, 0)])
