"""The part that all topics share: its step against numerical derivatives of the bound, and what it promises."""

import numpy as np
import pytest
from inference.conftest import NODES, K, V
from inference.test_natural_gradient import inducing_of
from priors import topics_at
from reference import log_zeta, mild_sites, moment_gradients, textbook_kl

from chronotope.gp import Posterior, Sites, topic_prior
from chronotope.inference.growth import statistics_of_sites
from chronotope.inference.natural_gradient import common_gradient_step
from chronotope.inference.posterior import SHORTEST_STEP, TopicPosterior
from chronotope.inference.statistics import Statistics
from chronotope.kernels import OrnsteinUhlenbeck

WORDS = [0, 3, 5]
SHARE = 0.4


@pytest.fixture
def posterior(structure, rng):
    """Topics as some sites make them, of their own and in common; not at any optimum."""
    sites = (Sites(*mild_sites(rng, len(NODES), rows, V)) for rows in (K, 1))
    return TopicPosterior.from_sites(Posterior(topic_prior(structure.kernel, NODES, SHARE), *sites), rng.normal(size=V))


@pytest.fixture
def stats(rng):
    n = rng.gamma(0.5, 6.0, (len(NODES), K, V))
    return Statistics(n, n.sum(axis=2), 0.0)


def take_step(posterior, stats, caution, rho):
    """Sites of the common part after one step, (J, V) each."""
    g, b = posterior.common.g[:, 0].copy(), posterior.common.b[:, 0].copy()
    state = posterior.m, posterior.s, posterior.log_zeta
    common_gradient_step((stats.n, stats.N), state, posterior.common.m[:, 0], caution, rho, g, b)
    return g, b


def total(posterior, stats):
    """What of the bound depends on the topics: their bounds, less the KL of what they share."""
    return float(posterior.bounds(stats).sum()) - posterior.common.kl


class CommonBound:
    """The bound as a function of the q = N(mu, cov) of one word of the common part, everything else as it is."""

    def __init__(self, posterior, stats, word):
        self.inducing, self.posterior = inducing_of(posterior.prior.common), posterior
        self.stats, self.word = stats, word
        self.mu, self.cov = self.inducing.moments(posterior.common.g[:, 0, word], posterior.common.b[:, 0, word])

    def __call__(self, mu, cov):
        q, v = self.posterior, self.word
        m, s = q.m.copy(), q.s.copy()
        now = self.inducing.read(mu, cov)
        m[:, :, v] += (now[0] - q.common.m[:, 0, v])[:, None]
        s[:, :, v] += (now[1] - q.common.s[:, 0, v])[:, None]
        bound = (self.stats.n * m).sum() - (self.stats.N * log_zeta(m, s)).sum()
        return bound - textbook_kl(mu, cov, self.inducing.prior)


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("rho", [1.0, 0.3])
def test_a_step_of_the_common_part_adds_rho_times_the_natural_gradient(posterior, stats, word, rho):
    bound = CommonBound(posterior, stats, word)
    slope_mu, slope_cov = moment_gradients(bound)
    h, P = bound.inducing.naturals(posterior.common.g[:, 0, word], posterior.common.b[:, 0, word])
    g, b = take_step(posterior, stats, 0.0, rho)
    new_h, new_P = bound.inducing.naturals(g[:, word], b[:, word])
    np.testing.assert_allclose(new_h, h + rho * (slope_mu - 2 * slope_cov @ bound.mu), rtol=1e-4, atol=2e-4)
    np.testing.assert_allclose(new_P, P - 2 * rho * slope_cov, rtol=1e-4, atol=2e-4)
    assert np.abs(new_h - h).max() > 1e-2


@pytest.mark.parametrize("caution", [0.0, 1.0])
def test_the_gradient_of_the_common_mean_vanishes_at_the_fixed_point_and_nowhere_before(posterior, stats, caution):
    assert np.abs(moment_gradients(CommonBound(posterior, stats, 0))[0]).max() > 0.1
    for _ in range(400):
        posterior.common.g[:, 0], posterior.common.b[:, 0] = take_step(posterior, stats, caution, 0.5)
        posterior.refresh()
    for word in WORDS:
        slope_mu, slope_cov = moment_gradients(CommonBound(posterior, stats, word))
        np.testing.assert_allclose(slope_mu, 0.0, rtol=0, atol=1e-5)
        if caution == 0.0:
            np.testing.assert_allclose(slope_cov, 0.0, rtol=0, atol=2e-4)
    g, b = take_step(posterior, stats, caution, 1.0)
    np.testing.assert_allclose(b, posterior.common.b[:, 0], rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(g, posterior.common.g[:, 0], rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("rho", [1.0, 0.4])
def test_the_sites_of_the_common_step_are_the_docstrings_formula(posterior, stats, rho):
    caution, common = 0.7, posterior.common
    expected = stats.N[:, :, None] * np.exp(posterior.m + posterior.s / 2 - posterior.log_zeta[:, :, None])
    c = (expected + caution * np.maximum(0.0, stats.n - expected)).sum(axis=1)
    target = (stats.n - expected).sum(axis=1) + c * common.m[:, 0]
    g, b = take_step(posterior, stats, caution, rho)
    np.testing.assert_allclose(g, (1 - rho) * common.g[:, 0] + rho * target, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(b, (1 - rho) * common.b[:, 0] + rho * c, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("tokens", [10.0, 1e3, 1e6])
def test_the_bound_never_falls_in_a_step_of_the_common_part(structure, tokens):
    n = tokens * np.random.default_rng(1).dirichlet(np.full(V, 0.05), (len(NODES), K))  # steps overshoot
    stats = Statistics(n, n.sum(axis=2), 0.0)
    prior = topic_prior(structure.kernel, NODES, SHARE)
    posterior = TopicPosterior(prior, np.full((K, V), 1 / V), np.zeros(V), "float64")
    posterior.step(stats, 1.0, 1.0)
    first = before = total(posterior, stats)
    for epoch in range(30):
        posterior.step_common(stats, 0.5**epoch if epoch < 10 else 0.0)
        between = total(posterior, stats)
        with posterior.no_descent(stats):
            posterior.step(stats, posterior.step_size, 0.5**epoch if epoch < 10 else 0.0)
        after = total(posterior, stats)
        assert after >= between >= before - 1e-12 * abs(before)
        before = after
    assert before > first


def test_after_a_step_of_the_common_part_the_marginals_are_those_of_the_sites(posterior, stats):
    posterior.step_common(stats, 1.0)
    again = TopicPosterior.from_sites(posterior.sites(), posterior.mean)
    for name in ("m", "s", "kl", "log_zeta"):
        np.testing.assert_allclose(getattr(posterior, name), getattr(again, name), rtol=1e-9, atol=1e-9)
    assert posterior.common.kl == pytest.approx(again.common.kl, rel=1e-9)
    assert posterior.total_kl == pytest.approx(again.kl.sum() + again.common.kl, rel=1e-9)


def test_a_step_that_would_lower_the_bound_is_undone_and_the_next_is_shorter(posterior, stats):
    posterior.balance()  # what remains of the step
    kept = {name: getattr(posterior, name).copy() for name in ("b", "m", "s", "log_zeta")}
    common = posterior.common.copy()
    posterior.common.step_size = -0.01  # away from the optimum
    posterior.step_common(stats, 1.0)
    for name, value in kept.items():
        np.testing.assert_array_equal(getattr(posterior, name), value)
    for name in ("g", "b", "m", "s"):
        np.testing.assert_allclose(getattr(posterior.common, name), getattr(common, name), rtol=1e-9, atol=1e-9)
    assert posterior.common.step_size == SHORTEST_STEP


def test_topics_that_share_nothing_are_independent_topics(structure, stats, rng):
    """The same bits as with one structure for each topic, step by step."""
    prior, sites = topic_prior(structure.kernel, NODES), mild_sites(rng, len(NODES), K, V)
    mean = rng.normal(size=V)
    own = TopicPosterior.from_sites(Posterior(prior, Sites(*(x.copy() for x in sites)), None), mean)
    plain = topics_at(prior.own, *(x.copy() for x in sites), mean)
    for _ in range(3):
        own.step(stats, 0.7, 0.5)
        own.step_common(stats, 0.5)
        plain.step(stats, 0.7, 0.5)
    for name in ("g", "b", "m", "s", "kl", "log_zeta"):
        np.testing.assert_array_equal(getattr(own, name), getattr(plain, name))
    assert own.common.m.size == 0
    assert own.total_kl == own.kl.sum()
    np.testing.assert_array_equal(own.own_mean(), np.tile(mean, (len(NODES), 1)))


def test_the_mean_of_the_logits_is_prior_mean_and_both_parts(posterior):
    m, s = posterior.sites().predict(NODES)
    near = {"rtol": 0, "atol": 2e-4 if posterior.prior.kernel.state_space() is None else 1e-9}
    np.testing.assert_allclose(posterior.m, posterior.mean + m, **near)
    np.testing.assert_allclose(posterior.s, s, **near)
    np.testing.assert_array_equal(posterior.own_mean(), posterior.mean + posterior.common.m[:, 0])


def literal_balance(posterior):
    """The best mean of u for the logits as they are, (J, V)."""
    eta, e = posterior.prior.share, posterior.m - posterior.own_mean()[:, None]
    return eta * (e.sum(axis=1) + K * posterior.common.m[:, 0]) / (1 - eta + eta * K)


def test_balancing_moves_the_common_mean_to_its_optimum_and_leaves_the_logits(posterior, stats):
    best, logits = literal_balance(posterior), posterior.m.copy()
    was, kl = total(posterior, stats), posterior.total_kl
    posterior.balance()
    np.testing.assert_allclose(posterior.common.m[:, 0], best, rtol=1e-9, atol=1e-10)
    np.testing.assert_array_equal(posterior.m, logits)
    again = TopicPosterior.from_sites(posterior.sites(), posterior.mean)
    for name in ("m", "s", "kl", "log_zeta"):
        np.testing.assert_allclose(getattr(again, name), getattr(posterior, name), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(again.common.m, posterior.common.m, rtol=1e-8, atol=1e-8)
    assert again.common.kl == pytest.approx(posterior.common.kl, rel=1e-8)
    assert posterior.total_kl < kl - 0.01
    assert total(posterior, stats) > was
    np.testing.assert_allclose(literal_balance(posterior), posterior.common.m[:, 0], rtol=1e-9, atol=1e-10)


def test_counts_are_read_back_from_sites_of_topics_that_share_a_part(posterior, stats):
    for epoch in range(60):
        posterior.step_common(stats, 0.5**epoch)
        with posterior.no_descent(stats):
            posterior.step(stats, posterior.step_size, 0.5**epoch)
    np.testing.assert_allclose(statistics_of_sites(posterior, stats.N).n, stats.n, rtol=1e-6, atol=1e-6)


def test_a_starting_topic_in_which_a_word_has_no_probability_is_finite():
    topics = np.zeros((K, V))
    topics[:, 0] = 1.0
    posterior = TopicPosterior(topic_prior(OrnsteinUhlenbeck(2.0, 3.0), NODES, SHARE), topics, np.zeros(V), "float64")
    assert np.isfinite(posterior.m).all()
    assert np.isfinite(posterior.log_zeta).all()
