"""The doubt about the topics of tokens: bands that hold the truth, and predictions that stay."""

import numpy as np
import pytest
from planted import Planted, match_topics, place_documents, plant

import chronotope as ct
from chronotope.gp import Sites, topic_prior
from chronotope.inference.chains import Chains
from chronotope.inference.doubt import (
    MOST,
    PER_STEP,
    WIDEST,
    Rounds,
    _widened,
    averaged_part,
    drawn_counts,
    found_factor,
    has_settled,
    number_of_rounds,
    pooled_factor,
    skewed,
    widen,
)
from chronotope.inference.posterior import TopicPosterior
from chronotope.inference.state import Progress
from chronotope.inference.statistics import Statistics
from chronotope.kernels import OrnsteinUhlenbeck, parse_kernel

KERNEL = OrnsteinUhlenbeck(3, 10)


@pytest.fixture(scope="module", params=[0.0, 0.5])
def solved(request):
    """Three topics on six nodes at the fixed point of the global step, and the statistics of their counts."""
    rng = np.random.default_rng(0)
    n = rng.poisson(rng.gamma(0.4, 20.0, (6, 3, 40))).astype(float)
    stats = Statistics(n, n.sum(axis=2), 0.0)
    prior = topic_prior(KERNEL, np.arange(6.0), request.param)
    posterior = TopicPosterior(prior, np.full((3, 40), 1 / 40), np.zeros(40), "float64")
    for step in range(200):
        posterior.step_common(stats, 0.5**step)
        posterior.step(stats, 0.7, 0.5**step)
    return posterior, stats


def copied(posterior):
    return posterior.copy()


# the wider posterior


def test_variances_are_multiplied_and_predictions_stay(solved):
    posterior, stats = copied(solved[0]), solved[1]
    s, before = posterior.s.copy(), posterior.expected_counts(stats.N)
    widen(posterior, stats.n, stats.N, np.full(posterior.m.shape, 1.6))
    common = posterior.common.s if posterior.prior.common else 0.0
    limit = np.maximum(posterior.prior.own.kernel.diag(posterior.prior.nodes)[:, None, None] + common, s)
    possible = 1.6 * s < 0.6 * limit
    assert possible.mean() > 0.3
    np.testing.assert_allclose((posterior.s / s)[possible], 1.6, rtol=0.15, atol=0)
    assert (posterior.s <= limit * (1 + 1e-9)).all()
    after = posterior.expected_counts(stats.N)
    known = before > 20
    np.testing.assert_allclose(after[known], before[known], rtol=0.05, atol=0)
    np.testing.assert_allclose(after.sum(axis=2), before.sum(axis=2), rtol=1e-9, atol=0)


def test_the_means_of_a_wider_posterior_are_at_the_optimum_of_the_bound(solved):
    """K⁻¹ m = n − N exp(m + s/2 − log ζ) for the wider s; K⁻¹ m follows from the sites."""
    posterior, stats = copied(solved[0]), solved[1]
    widen(posterior, stats.n, stats.N, np.full(posterior.m.shape, 2.0))
    own = posterior.m - posterior.own_mean()[:, None]
    force = posterior.g - posterior.b * own
    np.testing.assert_allclose(force, stats.n - posterior.expected_counts(stats.N), rtol=0, atol=0.1)


def test_a_factor_of_one_changes_nothing(solved):
    posterior, stats = copied(solved[0]), solved[1]
    widen(posterior, stats.n, stats.N, np.ones(posterior.m.shape))
    for name in ("m", "s"):
        np.testing.assert_allclose(getattr(posterior, name), getattr(solved[0], name), rtol=1e-6, atol=1e-6)


def test_settled_sites_have_the_curvature_of_the_bound_and_the_same_means(solved):
    posterior, stats = copied(solved[0]), solved[1]
    posterior.step(stats, 1.0, 1.0)
    m = posterior.m.copy()
    posterior.settle(stats.N)
    np.testing.assert_allclose(posterior.m, m, rtol=0, atol=1e-9)
    assert posterior.b.sum() < copied(solved[0]).b.sum() * 1.01


# what it follows from


def test_draws_have_the_skewness_of_the_posterior_of_rare_words():
    """One word beside a frequent one: moments of many draws, against the exact posterior on a line."""
    n, N, variance = 2.0, 1e4, 3.0
    prior = topic_prior(parse_kernel(f"constant({variance})"), np.zeros(1))
    counts = np.array([[[n, N - n]]])
    posterior = TopicPosterior(prior, np.array([[n / N, 1 - n / N]]), np.zeros(2), "float64")
    stats = Statistics(counts, counts.sum(axis=2), 0.0)
    for step in range(300):
        posterior.step(stats, 0.5, 0.5**step)
    rng = np.random.default_rng(0)
    at_once = [
        skewed(posterior.m + np.sqrt(posterior.s) * x, posterior, stats.N)[0, 0, 0] for x in rng.normal(size=4000)
    ]
    line = np.linspace(posterior.m[0, 0, 0] - 8, posterior.m[0, 0, 0] + 5, 4001)
    rate = np.exp(line - posterior.log_zeta[0, 0])
    density = np.exp(n * (line - line.mean()) - N * rate - line**2 / (2 * variance))
    density /= density.sum()
    mean = density @ line
    sd = np.sqrt(density @ (line - mean) ** 2)
    skewness = density @ ((line - mean) / sd) ** 3
    found = np.array(at_once)
    assert skewness < -0.3
    assert abs(((found - found.mean()) ** 3).mean() / found.std() ** 3 - skewness) < 0.5 * abs(skewness)
    assert abs(found.std() / sd - 1) < 0.15


def test_drawn_counts_are_those_of_the_chains_and_have_all_tokens(solved):
    corpus = plant(KERNEL, np.arange(6.0), 3, 40, documents=5, length=50).corpus
    posterior = solved[0]
    docs = place_documents(corpus.counts, corpus.times, KERNEL, posterior.prior.nodes, posterior.mean)
    chains = Chains.of(docs)
    stats, held, _ = drawn_counts(docs, posterior.m, (Progress(np.full(3, 0.3)), None), chains, 7, 100)
    single = {"rtol": 1e-5, "atol": 1e-5}
    np.testing.assert_allclose(stats.n, stats.n.round(), **single)
    np.testing.assert_allclose(stats.n.sum(axis=(0, 2)), np.bincount(chains.topic, minlength=3), **single)
    np.testing.assert_allclose(stats.N, stats.n.sum(axis=2), **single)
    np.testing.assert_allclose(held.sum(axis=0), np.bincount(chains.topic, minlength=3), **single)
    np.testing.assert_allclose(held.sum(axis=1), docs.lengths, **single)


def test_what_few_rounds_find_is_that_of_the_class_and_what_many_find_is_the_cells_own():
    rng = np.random.default_rng(0)
    expected = np.repeat([0.05, 50.0], 500).reshape(10, 1, 100)
    found = np.where(expected > 1, 1.5, 3.0) + rng.normal(0, 0.5, expected.shape)
    few, many = (pooled_factor(found.copy(), expected, rounds) for rounds in (2, 1000))
    assert abs(few[expected > 1].mean() - 1.5) < 0.1
    assert few[expected > 1].std() < 0.2 * found[expected > 1].std()
    np.testing.assert_allclose(many, np.maximum(found, 1), rtol=0, atol=0.05)
    assert pooled_factor(np.full((1, 1, 4), 0.2), np.ones((1, 1, 4)), 5).min() == 1


def test_mean_counts_of_many_rounds_count_unless_a_topic_has_become_another(solved):
    posterior, stats = solved
    rounds, fitted = Rounds(posterior, MOST, np.ones(3)), posterior.expected_counts(stats.N) / stats.N[:, :, None]
    rounds.n = MOST * stats.n
    assert averaged_part(rounds, fitted) == 1
    assert averaged_part(rounds, fitted[:, [1, 0, 2]]) == 0
    rounds.number = 5
    assert averaged_part(rounds, fitted) == 0


def test_small_corpora_have_many_rounds_large_ones_and_short_fits_few():
    assert number_of_rounds(1e4, 1000, steps=1000) == MOST
    assert 3 < number_of_rounds(1e8, 10**7, steps=1000) < 10
    assert number_of_rounds(1e4, 1000, steps=5) == 5 * PER_STEP


def test_alpha_has_settled_when_its_sum_stays():
    falling = [np.full(3, 0.3) * 0.95**i for i in range(30)]
    assert not has_settled(falling)
    assert not has_settled(falling[:3])
    assert has_settled(falling + [falling[-1]] * 12)


# in a fit


def held(model: ct.DynamicTopicModel, planted: Planted) -> float:
    """Share of 90% bands that hold the truth."""
    topics, times = model.topics_, planted.times
    inside = []
    for k, found in enumerate(match_topics(topics.probabilities(times), planted.probabilities)):
        bands = topics.trajectories(int(found), range(planted.probabilities.shape[2]), times)
        truth = planted.probabilities[:, k].T.ravel()
        inside.append(((bands["low"] <= truth) & (truth <= bands["high"])).mean())
    return float(np.mean(inside))


def fitted(planted: Planted, seed: int = 0, **more) -> ct.DynamicTopicModel:
    model = ct.DynamicTopicModel(2, KERNEL, prior_mean="zero", alpha=1.0, seed=seed, verbose=False, **more)
    return model.fit(planted.corpus)


@pytest.mark.slow
def test_bands_of_topics_that_documents_mix_hold_the_truth():
    share, without = [], []
    for seed in range(4):
        planted = plant(KERNEL, np.arange(6.0), 2, 20, documents=20, length=60, alpha=1.0, seed=seed)
        share.append(held(fitted(planted, seed), planted))
        without.append(held(fitted(planted, seed, local="mean-field"), planted))
    assert 0.85 <= np.mean(share) <= 0.95
    assert np.mean(without) < 0.8


def test_one_topic_has_no_doubt_and_a_fit_is_the_same_each_time(monkeypatch):
    planted = plant(KERNEL, np.arange(6.0), 2, 20, documents=5, length=40, alpha=1.0)
    first, second = (fitted(planted).topics_.posterior.own for _ in range(2))
    np.testing.assert_array_equal(first.b, second.b)
    monkeypatch.setattr("chronotope.inference.loop.add_doubt", lambda *_: None)
    narrow = fitted(planted).topics_.posterior.own
    assert (first.b < narrow.b + 1e-6).all()
    one = ct.DynamicTopicModel(1, KERNEL, verbose=False).fit(planted.corpus).topics_.posterior.own
    monkeypatch.undo()
    same = ct.DynamicTopicModel(1, KERNEL, verbose=False).fit(planted.corpus).topics_.posterior.own
    np.testing.assert_array_equal(one.b, same.b)


@pytest.mark.slow
@pytest.mark.parametrize("size", [{}, {"batch_size": 300}], ids=["whole", "minibatches"])
@pytest.mark.parametrize("length", [60, 250])
def test_alpha_is_learned_within_a_fifth_of_the_truth(length, size):
    learned = []
    for seed in (3, 4):
        planted = plant(OrnsteinUhlenbeck(2, 15), np.arange(20.0), 5, 200, 60, length, alpha=0.05, seed=seed)
        learned.append(ct.DynamicTopicModel(5, seed=1, verbose=False, **size).fit(planted.corpus).alpha_.mean())
    np.testing.assert_allclose(np.mean(learned), 0.05, rtol=0.2, atol=0)


def test_an_alpha_that_is_given_stays_as_it_is():
    planted = plant(KERNEL, np.arange(6.0), 2, 20, documents=10, length=40, alpha=0.3)
    np.testing.assert_array_equal(fitted(planted).alpha_, 1.0)


# priors and posteriors without variance


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_factors_of_variances_that_are_next_to_nothing_are_limited_without_a_warning(dtype):
    class Found:
        number = 8

        def variance(self):
            return np.array([[[0.0, 3.0, 3.0, 3.0, 0.5]]], dtype)

    s = np.array([[[0.0, 0.0, 1e-30, 3.0, 1.0]]], dtype)
    factor = found_factor(Found(), s, np.array([[[50.0, 0.0, 0.0, 5.0, 5.0]]], dtype))
    np.testing.assert_array_equal(factor, np.array([[[1.0, WIDEST, WIDEST, 1.0, 1.0]]], dtype))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("common", [1.0, 1.001, 0.999])
def test_a_topic_whose_variance_is_all_common_keeps_its_sites_without_a_warning(dtype, common):
    rng, prior = np.random.default_rng(0), topic_prior(KERNEL, np.arange(4.0), 0.999999)
    sites = Sites(*(rng.gamma(1.0, 1e12, (4, 1, 6)).astype(dtype) for _ in range(2)))
    sites.b[0] = 0.0
    m, s, _ = prior.own.condition(*sites)
    counts = rng.poisson(3.0, (4, 1, 6)).astype(dtype)
    others = np.zeros((4, 1, 6), dtype), np.full((4, 1, 6), common, dtype)
    factor = np.ones((4, 1, 6), dtype)
    found = _widened(prior.own, sites, (m, np.ones_like(s)), others, (counts, counts.sum(axis=2)), factor)
    assert np.isfinite(found.g).all()
    assert (found.b >= 0.0).all()
    assert (found.b <= sites.b).all()
