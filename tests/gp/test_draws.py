"""Draws have the posterior's moments: every word of a draw has the same sites, so its words are independent draws."""

import numpy as np
import pytest
from reference import posterior_of_word

from chronotope.gp import DenseStructure, MarkovStructure, choose_structure
from chronotope.kernels import Cauchy, Constant, Matern, OrnsteinUhlenbeck, SquaredExponential, Wiener

NODES = np.array([-1.0, 0.0, 0.6, 2.0, 2.5])
WITHIN = np.array([1.3, 0.0, -0.5, 2.5])  # unsorted, two of them at nodes
DRAWS = 4000

KERNELS = [
    OrnsteinUhlenbeck(2.0, 1.5),
    Wiener(0.7, 0.0, -1.0),
    Matern(2.0, 0.8, 2.5),
    OrnsteinUhlenbeck(1.0, 1.0) + Constant(2.0),
    Constant(1.0),
    SquaredExponential(2.0, 2.5),
    Cauchy(1.5, 3.0),
]


def draw_many(structure, times, g, b, seed=0):
    """DRAWS draws of one word, (n, DRAWS)."""
    sites = [np.tile(x[:, None, None], (1, 2, DRAWS // 2)) for x in (g, b)]
    return structure.draw(times, *sites, np.random.default_rng(seed)).reshape(len(times), DRAWS)


def assert_moments(draws, m, cov):
    """Mean and covariance within 5 standard errors:  var of a sample covariance = (Σ_ii Σ_jj + Σ_ij²)/n."""
    variance = np.diag(cov)
    assert np.all(np.abs(draws.mean(axis=1) - m) <= 5 * np.sqrt(variance / DRAWS) + 1e-6)
    error = np.sqrt((np.outer(variance, variance) + cov**2) / DRAWS)
    assert np.all(np.abs(np.cov(draws) - cov) <= 5 * error + 1e-6)


@pytest.fixture
def sites():
    return np.array([1.5, -2.0, 0.0, 3.0, 0.5]), np.array([0.8, 2.0, 0.0, 30.0, 0.1])


def exactly(kernel):
    markov = kernel.state_space() is not None
    return MarkovStructure(kernel, NODES) if markov else DenseStructure(kernel, NODES, tolerance=1e-13)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_draws_have_the_posterior_mean_and_joint_covariance(kernel, sites):
    m, cov = posterior_of_word(kernel, NODES, WITHIN, *sites)
    residual = exactly(kernel)._basis_at(WITHIN)[1].max() if kernel.state_space() is None else 0.0
    assert residual < 0.02  # the residual variance between nodes is small
    assert_moments(draw_many(exactly(kernel), WITHIN, *sites), m, cov)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_draws_past_the_ends_are_joint(kernel, sites):
    times = np.array([2.6, 5.0, 5.1, 5.1, -4.0])
    m, cov = posterior_of_word(kernel, NODES, times, *sites)
    draws = draw_many(exactly(kernel), times, *sites)
    assert_moments(draws, m, cov)
    np.testing.assert_allclose(draws[2], draws[3], rtol=0, atol=1e-6)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_draws_have_the_marginals_of_predict(kernel, sites):
    times = np.array([-4.0, 0.3, 7.0])
    structure = choose_structure(kernel, NODES)
    m, s = (x[:, 0, 0] for x in structure.predict(times, *(x[:, None, None] for x in sites)))
    draws = draw_many(structure, times, *sites)
    assert np.all(np.abs(draws.mean(axis=1) - m) <= 5 * np.sqrt(s / DRAWS) + 1e-6)
    np.testing.assert_allclose(draws.var(axis=1), s, rtol=5 * np.sqrt(2 / DRAWS), atol=1e-6)


@pytest.mark.parametrize("kernel", [OrnsteinUhlenbeck(2.0, 1.5), SquaredExponential(2.0, 1.5)], ids=str)
def test_the_same_seed_draws_the_same(kernel, sites):
    first, again = (draw_many(exactly(kernel), WITHIN, *sites, seed=7) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert np.any(first != draw_many(exactly(kernel), WITHIN, *sites, seed=8))
