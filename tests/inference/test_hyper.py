"""The prior on topic shares, the step sizes, and the averages over minibatches."""

import numpy as np
import pytest
from reference import central
from scipy.special import digamma, gammaln

from chronotope.inference.hyper import HIGHEST, LOWEST, learn_alpha, learn_alpha_from_tokens, mean_log_shares
from chronotope.inference.loop import RESTART, caution, recent_gain, robbins_monro
from chronotope.inference.state import Averages, Progress, Settings
from chronotope.inference.statistics import Statistics

ALPHAS = [np.array([0.05, 0.3, 2.0]), np.array([5.0, 1.0, 0.5, 40.0]), np.full(20, 0.1)]


def objective(alpha, mean_log):
    return gammaln(alpha.sum()) - gammaln(alpha).sum() + (alpha - 1) @ mean_log


@pytest.mark.parametrize("alpha", ALPHAS, ids=str)
@pytest.mark.parametrize("start", [0.01, 0.1, 1.0, 50.0])
def test_alpha_is_recovered_from_its_own_expectations(alpha, start):
    mean_log = digamma(alpha) - digamma(alpha.sum())
    learned = learn_alpha(np.full(len(alpha), start), mean_log, rounds=60)
    np.testing.assert_allclose(learned, alpha, rtol=1e-5, atol=0)


def test_alpha_is_recovered_from_shares_drawn_from_it(rng):
    for alpha in ALPHAS[:2]:
        shares = np.maximum(rng.dirichlet(alpha, 20_000), 1e-300)
        learned = learn_alpha(np.full(len(alpha), 0.5), np.log(shares).mean(axis=0))
        np.testing.assert_allclose(learned, alpha, rtol=0.06, atol=0)


@pytest.mark.parametrize("start", [0.02, 0.5, 5.0])
def test_at_the_alpha_learned_no_direction_leads_up(rng, start):
    mean_log = mean_log_shares(rng.gamma(0.6, 5.0, (300, 4)) + 0.05)
    learned = learn_alpha(np.full(4, start), mean_log)
    step = 1e-5 * learned
    slope = [
        (objective(learned + e, mean_log) - objective(learned - e, mean_log)) / (2 * e.max()) for e in np.diag(step)
    ]
    np.testing.assert_allclose(slope * learned, 0.0, rtol=0, atol=1e-5)


def test_learning_alpha_never_lowers_its_objective_however_few_the_rounds(rng):
    for _ in range(200):
        mean_log = mean_log_shares(rng.gamma(rng.uniform(0.05, 3), rng.uniform(0.1, 100), (50, 5)) + 1e-3)
        start = rng.gamma(0.5, 2.0, 5) + LOWEST
        for rounds in (1, 3, 20):
            learned = learn_alpha(start, mean_log, rounds)
            assert objective(learned, mean_log) >= objective(start, mean_log) - 1e-9
            assert np.all(learned >= LOWEST)


def test_alpha_of_one_topic_stays_as_it_is():
    np.testing.assert_array_equal(learn_alpha(np.array([0.3]), np.zeros(1)), [0.3])


def tokens_of_topics(rng, alpha, lengths):
    """Tokens of each topic in documents of these lengths, (D, K), drawn from the model."""
    return np.array([rng.multinomial(n, rng.dirichlet(alpha)) for n in lengths], dtype=float)


def tokens_likelihood(alpha, totals):
    """Σ_d log p(topics of the tokens of d | α), the Dirichlet-multinomial distribution."""
    documents = gammaln(alpha.sum()) - gammaln(totals.sum(axis=1) + alpha.sum())
    return documents.sum() + (gammaln(totals + alpha) - gammaln(alpha)).sum()


TOKEN_ALPHAS = [np.array([0.02, 0.1, 0.5, 1.5]), np.full(20, 0.05), np.array([3.0, 0.3])]


@pytest.mark.parametrize("alpha", TOKEN_ALPHAS, ids=["asymmetric", "twenty", "two"])
def test_at_the_alpha_learned_from_tokens_their_likelihood_is_level(rng, alpha):
    totals = tokens_of_topics(rng, alpha, rng.integers(0, 60, 800))
    learned = learn_alpha_from_tokens(np.full(len(alpha), 0.1), totals, rounds=4000)
    assert np.all((learned > LOWEST) & (learned < HIGHEST))
    slope = central(lambda log_alpha: tokens_likelihood(np.exp(log_alpha), totals), np.log(learned), 1e-4)
    np.testing.assert_allclose(slope, 0.0, rtol=0, atol=1e-4)
    np.testing.assert_allclose(learn_alpha_from_tokens(learned, totals), learned, rtol=1e-6, atol=0)


@pytest.mark.parametrize("alpha", TOKEN_ALPHAS, ids=["asymmetric", "twenty", "two"])
def test_alpha_is_recovered_from_tokens_drawn_from_it(rng, alpha):
    totals = tokens_of_topics(rng, alpha, rng.integers(20, 60, 5000))
    learned = learn_alpha_from_tokens(np.full(len(alpha), 0.1), totals, rounds=1000)
    np.testing.assert_allclose(learned, alpha, rtol=0.15, atol=0)


def test_learning_alpha_from_tokens_never_lowers_their_likelihood(rng):
    for _ in range(100):
        totals = tokens_of_topics(rng, rng.gamma(0.5, 1.0, 5) + 0.01, rng.integers(1, 40, 50))
        alpha = rng.gamma(0.5, 1.0, 5) + 0.01
        for _ in range(5):
            learned = learn_alpha_from_tokens(alpha, totals, rounds=1)
            assert tokens_likelihood(learned, totals) >= tokens_likelihood(alpha, totals) - 1e-9
            alpha = learned


def test_alpha_stays_as_it_is_without_tokens_and_within_its_limits_with_any():
    alpha = np.array([0.3, 0.7])
    np.testing.assert_array_equal(learn_alpha_from_tokens(alpha, np.zeros((4, 2))), alpha)
    only_one = learn_alpha_from_tokens(alpha, np.array([[5.0, 0.0], [9.0, 0.0]]), rounds=5000)
    assert only_one[1] == LOWEST
    even = learn_alpha_from_tokens(alpha, np.full((50, 2), 1000.0), rounds=5000)
    np.testing.assert_array_equal(even, HIGHEST)


def test_mean_log_shares_are_the_expectations_of_dirichlets(rng):
    lam = np.array([[0.7, 2.0, 5.0], [3.0, 3.0, 0.4]])
    draws = np.stack([np.log(rng.dirichlet(row, 40_000)).mean(axis=0) for row in lam]).mean(axis=0)
    np.testing.assert_allclose(mean_log_shares(lam), draws, rtol=0, atol=0.04)


def test_steps_start_at_one_for_offset_one_and_shrink_as_robbins_and_monro_ask():
    for decay in (0.51, 0.6, 0.8, 1.0):
        rho = np.array([robbins_monro(t, 1.0, decay) for t in range(5000)])
        assert rho[0] == 1.0
        assert np.all(np.diff(rho) < 0)
        assert np.all(rho > 0)
        t = np.arange(1, 5001)
        np.testing.assert_allclose(rho, t**-decay, rtol=1e-12, atol=0)
    assert robbins_monro(0, 9.0, 0.5) == pytest.approx(1 / 3)


def test_caution_falls_from_all_to_none():
    values = [caution(step) for step in range(15)]
    assert values[0] == 1.0
    assert values[-1] == 0.0
    assert np.all(np.diff(values) <= 0)


def batches(rng, n=6, size=10):
    return [(rng.gamma(1.0, 1.0, (4, 3, 5)), size) for _ in range(n)]


def test_averages_with_step_one_over_t_are_the_plain_mean(rng):
    given = batches(rng)
    averages = Averages(np.zeros((4, 3, 5)), np.zeros((4, 3)))
    for t, (n, size) in enumerate(given, start=1):
        averages.add(Statistics(n.copy(), n.sum(axis=2), 0.0), size, 1.0 / t)
    whole = sum(n for n, _ in given)
    corpus = averages.of_corpus(60)  # all batches together
    np.testing.assert_allclose(corpus.n, whole, rtol=1e-12, atol=0)
    np.testing.assert_allclose(corpus.N, whole.sum(axis=2), rtol=1e-12, atol=0)


def test_averages_with_step_one_hold_the_last_batch_scaled_to_the_corpus(rng):
    averages = Averages(np.ones((4, 3, 5)), np.ones((4, 3)))
    n, size = batches(rng, 1)[0]
    averages.add(Statistics(n.copy(), n.sum(axis=2), 0.0), size, 1.0)
    np.testing.assert_allclose(averages.of_corpus(1000).n, n * 100, rtol=1e-12, atol=0)
    np.testing.assert_allclose(averages.of_corpus(1000).N, n.sum(axis=2) * 100, rtol=1e-12, atol=0)


HOW = {local: Settings(local, 9, 0.0, False, 9, 1.0, 1.0) for local in ("mean-field", "sampled")}


def after(**values):
    """A fit's progress with these values of its passes."""
    return Progress(np.ones(1), **values)


def test_a_gain_of_a_mean_field_is_that_of_its_last_pass_relative_to_the_bound():
    assert recent_gain(after(bounds=[-200.0, -100.0, -99.9]), HOW["mean-field"]) == pytest.approx(0.1 / 99.9)
    assert recent_gain(after(bounds=[-100.0, -101.0]), HOW["mean-field"]) == pytest.approx(-1 / 101)
    assert recent_gain(after(bounds=[-100.0]), HOW["mean-field"]) == np.inf
    assert recent_gain(after(bounds=[-np.inf, -5.0]), HOW["mean-field"]) == np.inf


def test_a_gain_of_sampling_compares_two_rounds_of_restarts(rng):
    passes, part = np.arange(2 * RESTART), rng.normal(size=RESTART)
    rising = -500.0 + 3.0 * passes + np.tile(part, 2)  # which documents start anew repeats, and is no gain
    last = -500.0 + 3.0 * passes[RESTART:].mean() + part.mean()
    assert recent_gain(after(predicted=[-1e6, *rising]), HOW["sampled"]) == pytest.approx(3.0 / abs(last))
    assert recent_gain(after(predicted=[-7.0] * 2 * RESTART), HOW["sampled"]) == 0.0
    assert recent_gain(after(predicted=list(rising[1:])), HOW["sampled"]) == np.inf
