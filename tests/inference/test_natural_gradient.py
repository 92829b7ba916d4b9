"""The global step against numerical derivatives of the literal ELBO."""

import warnings

import numpy as np
import pytest
from priors import independent, topics_at
from reference import (
    dense_texts,
    documents_bound,
    inducing_states,
    inducing_values,
    inducing_weights,
    log_zeta,
    mild_sites,
    moment_gradients,
    statistics,
    textbook_kl,
)

from chronotope.gp import DenseStructure
from chronotope.inference.natural_gradient import centre_sites, log_normaliser, natural_gradient_step, topic_bounds
from chronotope.inference.posterior import TopicPosterior
from chronotope.inference.statistics import Statistics

WORDS = [(0, 0), (1, 3), (2, 4)]  # (topic, word); nobody uses word 4


def inducing_of(structure):
    """The variables in which the paper's q(u) lives, for each kind of structure."""
    if isinstance(structure, DenseStructure):
        return inducing_weights(structure.kernel, structure.nodes, structure.rank)
    if structure.kernel.state_space().size == 1:
        return inducing_values(structure.kernel, structure.nodes)
    return inducing_states(structure.kernel, structure.nodes)


@pytest.fixture
def texts(docs):
    return dense_texts(docs, 5, 7)


@pytest.fixture
def phi(texts, rng):
    """Any φ will do: the natural gradient holds for all."""
    phi = rng.dirichlet(np.full(3, 0.7), texts.counts.shape)
    return np.maximum(phi, 1e-6) / np.maximum(phi, 1e-6).sum(axis=2, keepdims=True)


@pytest.fixture
def stats(texts, phi):
    return Statistics(*statistics(texts, phi), 0.0)


class WordElbo:
    """The literal ELBO as a function of one word's q(u) = N(mu, cov), everything else as it is."""

    def __init__(self, posterior, texts, phi, alpha, word):
        self.inducing, self.posterior, self.word = inducing_of(posterior.prior.own), posterior, word
        self.fixed = texts, phi, alpha, alpha + np.einsum("dv,dvk->dk", texts.counts, phi)
        k, v = word
        self.mu, self.cov = self.inducing.moments(posterior.g[:, k, v], posterior.b[:, k, v])

    def __call__(self, mu, cov):
        k, v = self.word
        texts, phi, alpha, lam = self.fixed
        m, s = self.posterior.m.copy(), self.posterior.s.copy()
        m[:, k, v], s[:, k, v] = self.inducing.read(mu, cov)
        m[:, k, v] += self.posterior.mean[v]
        bound = documents_bound(texts, m, log_zeta(m, s), phi, lam, alpha)
        return bound - textbook_kl(mu, cov, self.inducing.prior)


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("rho", [1.0, 0.3])
def test_a_step_adds_rho_times_the_natural_gradient(posterior, texts, phi, stats, alpha, word, rho):
    k, v = word
    elbo = WordElbo(posterior, texts, phi, alpha, word)
    deviation = posterior.m[:, k, v] - posterior.mean[v]
    np.testing.assert_allclose(elbo.inducing.read(elbo.mu, elbo.cov)[0], deviation, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(elbo.inducing.read(elbo.mu, elbo.cov)[1], posterior.s[:, k, v], rtol=1e-7, atol=1e-8)
    slope_mu, slope_cov = moment_gradients(elbo)
    h, P = elbo.inducing.naturals(posterior.g[:, k, v], posterior.b[:, k, v])
    expected_h = h + rho * (slope_mu - 2 * slope_cov @ elbo.mu)
    expected_P = P - 2 * rho * slope_cov  # η₂ = −P/2
    g, b = posterior.g.copy(), posterior.b.copy()
    state = posterior.m, posterior.s, posterior.log_zeta
    natural_gradient_step((stats.n, stats.N), state, posterior.own_mean(), 0.0, np.full(3, rho), g, b)
    new_h, new_P = elbo.inducing.naturals(g[:, k, v], b[:, k, v])
    np.testing.assert_allclose(new_h, expected_h, rtol=1e-4, atol=2e-4)
    np.testing.assert_allclose(new_P, expected_P, rtol=1e-4, atol=2e-4)
    assert np.abs(new_h - h).max() > 1e-2
    assert np.abs(new_P - P).max() > 1e-2


def converge(posterior, stats, caution, rounds=400):
    for _ in range(rounds):
        posterior.step(stats, 0.5, caution)


def test_at_the_fixed_point_the_gradient_vanishes_and_another_step_changes_nothing(posterior, texts, phi, stats, alpha):
    converge(posterior, stats, 0.0)
    for word in WORDS:
        slope_mu, slope_cov = moment_gradients(WordElbo(posterior, texts, phi, alpha, word))
        np.testing.assert_allclose(slope_mu, 0.0, rtol=0, atol=1e-5)
        np.testing.assert_allclose(slope_cov, 0.0, rtol=0, atol=2e-4)
    before = {name: getattr(posterior, name).copy() for name in ("g", "b", "m", "s", "kl", "log_zeta")}
    posterior.step(stats, 1.0, 0.0)
    for name, value in before.items():
        np.testing.assert_allclose(getattr(posterior, name), value, rtol=1e-9, atol=1e-10)


def test_a_cautious_step_has_a_fixed_point_where_the_gradient_of_the_mean_vanishes(posterior, texts, phi, stats, alpha):
    converge(posterior, stats, 1.0)
    for word in WORDS[:2]:
        slope_mu, _ = moment_gradients(WordElbo(posterior, texts, phi, alpha, word))
        np.testing.assert_allclose(slope_mu, 0.0, rtol=0, atol=1e-5)
    wider = np.maximum(stats.n, posterior_mass(posterior, stats))
    np.testing.assert_allclose(posterior.b, wider, rtol=1e-6, atol=1e-8)


def posterior_mass(posterior, stats):
    return stats.N[:, :, None] * np.exp(posterior.m + posterior.s / 2 - posterior.log_zeta[:, :, None])


def test_the_sites_of_a_step_are_the_docstrings_formula(posterior, stats):
    g, b = posterior.g.copy(), posterior.b.copy()
    rho, caution = np.array([0.0, 0.4, 1.0]), 0.7
    mass = posterior_mass(posterior, stats)
    curvature = mass + caution * np.maximum(0.0, stats.n - mass)
    r = rho[None, :, None]
    expected_g = (1 - r) * g + r * (stats.n - mass + curvature * (posterior.m - posterior.mean))
    expected_b = (1 - r) * b + r * curvature
    natural_gradient_step(
        (stats.n, stats.N), (posterior.m, posterior.s, posterior.log_zeta), posterior.own_mean(), caution, rho, g, b
    )
    np.testing.assert_allclose(g, expected_g, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(b, expected_b, rtol=1e-12, atol=1e-13)
    np.testing.assert_array_equal(g[:, 0], posterior.g[:, 0])


def test_a_topics_bound_is_what_the_elbo_moves_with_it(structure, posterior, texts, phi, stats, alpha, rng):
    other = topics_at(structure, *mild_sites(rng, 5, 3, 7), posterior.mean)
    other = topics_at(structure, 0.5 * other.g, 0.5 * other.b, posterior.mean)
    lam = alpha + np.einsum("dv,dvk->dk", texts.counts, phi)
    moved = [documents_bound(texts, q.m, q.log_zeta, phi, lam, alpha) - q.kl.sum() for q in (posterior, other)]
    own = [q.bounds(stats).sum() for q in (posterior, other)]
    np.testing.assert_allclose(own[1] - own[0], moved[1] - moved[0], rtol=1e-9, atol=1e-10)
    each = np.einsum("jkv,jkv->k", stats.n, other.m) - (stats.N * other.log_zeta).sum(axis=0) - other.kl
    np.testing.assert_allclose(
        topic_bounds(stats.n, stats.N, other.m, other.log_zeta, other.kl), each, rtol=1e-12, atol=0
    )


def test_log_normaliser_is_the_logarithm_of_the_sum_and_does_not_overflow(rng):
    m, s = rng.normal(size=(4, 3, 9)), rng.gamma(1.0, 1.0, (4, 3, 9))
    np.testing.assert_allclose(log_normaliser(m, s), log_zeta(m, s), rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(log_normaliser(m + 1e4, s), log_zeta(m, s) + 1e4, rtol=1e-13, atol=0)


def test_a_posterior_starts_at_the_topics_given_and_its_first_step_is_whole(structure, stats, rng):
    topics = rng.dirichlet(np.ones(7), 3)
    short, whole = (
        TopicPosterior(independent(structure), topics, np.zeros(topics.shape[-1]), "float64") for _ in range(2)
    )
    shares = np.exp(short.m - short.log_zeta[:, :, None])
    np.testing.assert_allclose(shares, np.broadcast_to(topics, shares.shape), rtol=1e-12, atol=0)
    assert not short.s.any()
    short.step(stats, 0.1, 0.0)
    whole.step(stats, 1.0, 0.0)
    np.testing.assert_array_equal(short.g, whole.g)
    mass = stats.N[:, :, None] * topics
    np.testing.assert_allclose(short.b, mass, rtol=1e-12, atol=0)


def test_centring_takes_out_the_shared_shift_and_nothing_else(structure, rng):
    g, b = mild_sites(rng, len(structure.nodes), 2, 5)
    before = structure.condition(g, b)
    m = before.m.copy()
    gain = centre_sites(g, b, m)
    after = structure.condition(g, b)
    shift = before.m.mean(axis=2, keepdims=True)
    assert np.abs(shift).max() > 0.01
    np.testing.assert_allclose(after.m, before.m - shift, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(m, after.m, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(after.s, before.s, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(before.kl - gain, after.kl, rtol=1e-8, atol=1e-10)
    assert np.all(gain > 0)


def test_bounds_of_numbers_that_are_not_finite_are_not_finite_and_no_warning():
    n, N = np.ones((2, 1, 3)), np.full((2, 1), 3.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bound = topic_bounds(n, N, np.full((2, 1, 3), np.inf), np.full((2, 1), np.inf), np.zeros(1))
        assert not np.isfinite(bound).any()
        assert not np.isfinite(topic_bounds(n, N, np.zeros((2, 1, 3)), np.full((2, 1), 1e308), np.zeros(1))).any()
