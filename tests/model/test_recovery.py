"""Planted data: topics and their drift are found again, and what the model says it knows, it knows."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from planted import Floats, Planted, match_topics, plant, total_variation

from chronotope import Cauchy, Constant, Corpus, DynamicTopicModel, OrnsteinUhlenbeck, Topics, Wiener
from chronotope.inference.init import Start

pytestmark = pytest.mark.slow

T, V = 30, 40
TIMES = np.arange(T, dtype=np.float64)
GAP = np.arange(12.0, 17.0)  # no documents of these times are shown
ALPHA = 0.05
SEEDS = (0, 1, 2)
MORE_SEEDS = range(6)  # a smooth path holds few independent values, so coverage needs several
KERNELS = {
    "ou": OrnsteinUhlenbeck(3, 100),
    "wiener": Wiener(0.03, 3, origin=0),
    "cauchy": Cauchy(3, 40),
}


class Found(NamedTuple):
    """What was planted, the corpus without the gap, the model fitted to it, and which found topic is which."""

    planted: Planted
    train: Corpus
    held_out: Corpus
    model: DynamicTopicModel
    order: np.ndarray

    @property
    def probabilities(self) -> Floats:
        return self.model.topics_.probabilities(TIMES)[:, self.order]


def bands(topics: Topics, times: Floats) -> tuple[Floats, Floats]:
    """The 90% bands of all topics and words: low and high, (n, K, V) each."""
    tables = [topics.trajectories(k, range(V), times)[["low", "high"]].to_numpy() for k in range(topics.n_topics)]
    low, high = np.moveaxis(np.reshape(tables, (topics.n_topics, V, len(times), 2)), (3, 2), (0, 1))
    return low, high


@cache
def _fit(name: str, seed: int, n_topics: int, init: str) -> Found:
    """Topics that are well apart: most documents are about one of them, and long."""
    kernel = KERNELS[name]
    planted = plant(kernel, TIMES, n_topics, V, documents=20, length=300, alpha=ALPHA, seed=seed)
    hidden = np.isin(planted.corpus.times, GAP)
    train, held_out = planted.corpus[~hidden], planted.corpus[hidden]
    model = DynamicTopicModel(
        n_topics,
        kernel,
        alpha=ALPHA,
        prior_mean="zero",
        init=init,
        seed=seed,
        dtype="float64",
        tol=1e-6,
        max_epochs=100,
    ).fit(train)
    order = match_topics(model.topics_.probabilities(TIMES), planted.probabilities)
    return Found(planted, train, held_out, model, order)


def find(name: str, seed: int, n_topics: int = 2, init: str = "lda") -> Found:
    """The fit of these settings, made once."""
    return _fit(name, seed, n_topics, init)


@cache
def covered(name: str, seed: int, n_topics: int = 2) -> np.ndarray:
    """Whether the 90% band of each word holds the truth, (T, K, V)."""
    found = find(name, seed, n_topics, init="samples" if n_topics == 1 else "lda")  # one topic starts anywhere
    low, high = bands(found.model.topics_, TIMES)
    truth = found.planted.probabilities
    inside: np.ndarray = (low[:, found.order] <= truth) & (truth <= high[:, found.order])
    return inside


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("seed", SEEDS)
def test_topics_and_their_drift_are_recovered(name: str, seed: int) -> None:
    found = find(name, seed)
    truth = found.planted.probabilities
    dynamic = total_variation(found.probabilities, truth).mean()
    static = total_variation(truth.mean(axis=0, keepdims=True), truth).mean()  # as good as topics without drift can be
    assert dynamic < 0.05
    assert dynamic < 0.4 * static


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_drift_of_single_words_is_recovered(name: str, seed: int) -> None:
    """Log probability of the words that drift most: the found path goes where the planted one went."""
    found = find(name, seed)
    truth, path = np.log(found.planted.probabilities), np.log(found.probabilities)
    common = found.planted.probabilities.mean(axis=0) > 0.02
    truth, path = truth[:, common], path[:, common]
    moving = np.argsort(-np.ptp(truth, axis=0))[:10]
    for word in moving:
        assert np.corrcoef(truth[:, word], path[:, word])[0, 1] > 0.8


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("seed", SEEDS)
def test_shares_of_documents_are_recovered(name: str, seed: int) -> None:
    found = find(name, seed)
    shares = found.model.transform(found.planted.corpus)[:, found.order]
    assert np.abs(shares - found.planted.shares).mean() < 0.02


@pytest.mark.parametrize("n_topics", [1, 2])
@pytest.mark.parametrize("name", KERNELS)
def test_ninety_percent_bands_hold_the_truth_about_ninety_percent_of_the_time(name: str, n_topics: int) -> None:
    shown = ~np.isin(TIMES, GAP)
    coverage = np.mean([covered(name, seed, n_topics)[shown].mean() for seed in MORE_SEEDS])
    assert 0.85 <= coverage <= 0.95


@pytest.mark.parametrize("n_topics", [1, 2])
@pytest.mark.parametrize("name", KERNELS)
def test_bands_hold_the_truth_where_no_documents_were_seen(name: str, n_topics: int) -> None:
    hidden = np.isin(TIMES, GAP)
    coverage = np.mean([covered(name, seed, n_topics)[hidden].mean() for seed in MORE_SEEDS])
    assert 0.85 <= coverage <= 0.95


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_planted_kernel_predicts_unseen_times_better_than_topics_without_drift(name: str, seed: int) -> None:
    found = find(name, seed)
    static = DynamicTopicModel(2, Constant(3), alpha=ALPHA, init="lda", seed=seed, dtype="float64").fit(found.train)
    assert found.model.perplexity(found.held_out) < 0.98 * static.perplexity(found.held_out)
    assert found.model.bounds_[-1] > static.bounds_[-1]


@pytest.mark.parametrize("name", KERNELS)
def test_perplexity_at_unseen_times_comes_near_that_of_the_truth(name: str) -> None:
    """The entropy of the planted mixture is the least any model can expect."""
    found = find(name, 0)
    hidden = np.isin(np.repeat(TIMES, 20), GAP)
    stamps = found.held_out.times.astype(int)
    mixed = np.einsum("dk,dkv->dv", found.planted.shares[hidden], found.planted.probabilities[stamps])
    counts = found.held_out.counts.toarray()
    least = np.exp(-(counts * np.log(np.maximum(mixed, 1e-300))).sum() / counts.sum())
    assert found.model.perplexity(found.held_out) < 1.1 * least


@pytest.mark.parametrize("init", ["samples", "lda"])
@pytest.mark.parametrize("name", KERNELS)
def test_looking_afresh_at_the_documents_gains_nothing(name: str, init: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fit that has converged is not stuck on the shares its documents began with.

    Fitting again from the topics found, with shares that start cold, must end at about the same bound.
    """
    given = find(name, 0, init=init)
    model = DynamicTopicModel(**given.model.get_params() | {"local": "mean-field"}).fit(given.train)
    found = given._replace(model=model)
    at_nodes = found.model.topics_.probabilities(found.model.topics_.times)
    start = Start(np.maximum(at_nodes, 1e-9), found.model.alpha_)
    monkeypatch.setattr("chronotope.model.training.starting_point", lambda *given: start)
    again = DynamicTopicModel(**found.model.get_params()).fit(found.train)
    assert again.bounds_[-1] - found.model.bounds_[-1] < 2e-4 * abs(again.bounds_[-1])


@pytest.mark.parametrize("batch_size", [None, 500], ids=["whole", "minibatches"])
def test_alpha_is_learned_from_short_documents(batch_size: int | None) -> None:
    kernel = KERNELS["ou"]
    planted = plant(kernel, np.arange(10.0), n_topics=5, n_words=100, documents=300, length=20, alpha=ALPHA)
    model = DynamicTopicModel(5, kernel, batch_size=batch_size).fit(planted.corpus)
    assert model.alpha == "learn"
    assert model.alpha_.mean() == pytest.approx(ALPHA, rel=0.25)
    np.testing.assert_allclose(model.alpha_, ALPHA, rtol=0.5, atol=0)
