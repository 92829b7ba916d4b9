"""The Markov chain's posterior against dense matrices."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernels.conftest import MARKOV, STATIONARY
from reference import (
    inducing_states,
    inducing_values,
    mild_sites,
    posterior,
    posterior_of_word,
    random_sites,
    textbook_kl,
)

from chronotope.gp import DenseStructure, MarkovStructure, choose_structure
from chronotope.kernels import Constant, Matern, OrnsteinUhlenbeck, SquaredExponential, White, Wiener

NODES = np.array([-1.25, -0.4, 0.2, 0.5, 1.7, 3.0])  # irregular; two of them are origins of kernels in the list
TIMES = np.array([3.0, -4.0, 0.2, 0.31, 0.31, 1.1, -1.25, 2.2, 9.0, 0.2])  # unsorted, past both ends, at nodes, twice

markov = pytest.mark.parametrize("kernel", MARKOV, ids=str)


def close(actual, expected, atol=1e-9):
    np.testing.assert_allclose(actual, expected, rtol=1e-7, atol=atol)


@markov
def test_posterior_at_the_nodes_is_the_dense_one(kernel, rng):
    g, b = random_sites(rng, len(NODES), 2, 5)
    m, s, kl = MarkovStructure(kernel, NODES).condition(g, b)
    close(m, posterior(kernel, NODES, NODES, g, b)[0])
    close(s, posterior(kernel, NODES, NODES, g, b)[1])
    close(kl, posterior(kernel, NODES, NODES, g, b)[2])


@markov
def test_posterior_at_any_times_is_the_dense_one(kernel, rng):
    g, b = random_sites(rng, len(NODES), 2, 5)
    m, s = MarkovStructure(kernel, NODES).predict(TIMES, g, b)
    dense_m, dense_s, _ = posterior(kernel, NODES, TIMES, g, b)
    close(m, dense_m)
    close(s, dense_s)


@markov
def test_predictions_at_the_nodes_are_the_marginals_there(kernel, rng):
    g, b = random_sites(rng, len(NODES), 2, 3)
    structure = MarkovStructure(kernel, NODES)
    marginals = structure.condition(g, b)
    m, s = structure.predict(NODES, g, b)
    close(m, marginals.m, atol=1e-12)
    close(s, marginals.s, atol=1e-12)


@markov
def test_without_sites_the_posterior_is_the_prior_and_its_kl_is_zero(kernel):
    none = np.zeros((len(NODES), 2, 3))
    m, s, kl = MarkovStructure(kernel, NODES).condition(none, none)
    np.testing.assert_array_equal(m, none)
    close(s, np.broadcast_to(kernel.diag(NODES)[:, None, None], s.shape), atol=1e-12)
    np.testing.assert_allclose(kl, 0.0, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kernel", [OrnsteinUhlenbeck(6.0, 1.5), Wiener(0.7, 2.0, 0.5), Matern(2.0, 0.8, 2.5)], ids=str)
def test_kl_is_the_textbook_one_of_values_and_of_states(kernel, rng):
    g, b = mild_sites(rng, len(NODES), 1, 1)
    kl = MarkovStructure(kernel, NODES).condition(g, b).kl[0]
    for inducing in (inducing_values(kernel, NODES), inducing_states(kernel, NODES)):
        mu, cov = inducing.moments(g[:, 0, 0], b[:, 0, 0])
        np.testing.assert_allclose(kl, textbook_kl(mu, cov, inducing.prior), rtol=1e-8, atol=0)


@pytest.mark.parametrize(
    ("whole", "parts"),
    [
        (OrnsteinUhlenbeck(6.0, 50.0), OrnsteinUhlenbeck(2.0, 50.0) + OrnsteinUhlenbeck(4.0, 50.0)),
        (OrnsteinUhlenbeck(6.0, 2.0), OrnsteinUhlenbeck(2.0, 4.0) * OrnsteinUhlenbeck(3.0, 4.0) * Constant(1.0)),
        (Wiener(0.7, 2.0, 0.5), Wiener(0.7, 0.0, 0.5) + Constant(2.0)),
        (Constant(3.0), Constant(1.0) + Constant(2.0)),
        (White(0.3), White(0.1) + White(0.2)),
        (Matern(2.0, 0.8, 0.5), OrnsteinUhlenbeck(2.0, 0.8)),
    ],
    ids=str,
)
def test_one_process_equals_the_sum_or_product_it_splits_into(whole, parts, rng):
    g, b = random_sites(rng, len(NODES), 2, 4)
    one, split = MarkovStructure(whole, NODES), MarkovStructure(parts, NODES)
    for x, y in zip(one.condition(g, b), split.condition(g, b), strict=True):
        close(x, y)
    for x, y in zip(one.predict(TIMES, g, b), split.predict(TIMES, g, b), strict=True):
        close(x, y)


@markov
def test_markov_equals_dense(kernel, rng):
    g, b = mild_sites(rng, len(NODES), 2, 4)
    chain, basis = MarkovStructure(kernel, NODES), DenseStructure(kernel, NODES, tolerance=1e-13)
    for x, y in zip(chain.condition(g, b), basis.condition(g, b), strict=True):
        close(x, y)
    for x, y in zip(chain.predict(TIMES, g, b), basis.predict(TIMES, g, b), strict=True):
        close(x, y)


@pytest.mark.parametrize("kernel", [OrnsteinUhlenbeck(6.0, 1.5), Matern(6.0, 1.5, 1.5), SquaredExponential(6.0, 1.5)])
def test_gaussian_sites_at_the_data_give_the_regression_posterior(kernel, rng):
    y, noise = rng.normal(size=len(NODES)), 0.3
    g, b = (np.broadcast_to(x, (len(NODES),))[:, None, None].copy() for x in (y / noise, 1 / noise))
    structure = choose_structure(kernel, NODES)
    if isinstance(structure, DenseStructure):
        structure = DenseStructure(kernel, NODES, tolerance=1e-13)
    gram, k = kernel(NODES) + noise * np.eye(len(NODES)), kernel(TIMES, NODES)
    m, s = structure.predict(TIMES, g, b)
    close(m[:, 0, 0], k @ np.linalg.solve(gram, y))
    close(s[:, 0, 0], kernel.diag(TIMES) - np.sum(k * np.linalg.solve(gram, k.T).T, axis=1))


@markov
def test_a_very_sharp_site_leaves_its_own_small_variance(kernel):
    g, b = np.zeros((len(NODES), 1, 1)), np.zeros((len(NODES), 1, 1))
    b[3], g[3] = 1e9, 2e9
    m, s, kl = MarkovStructure(kernel, NODES).condition(g, b)
    prior = kernel.diag(NODES)[3]
    expected = prior / (1 + 1e9 * prior)
    np.testing.assert_allclose(s[3, 0, 0], expected, rtol=1e-4, atol=1e-15)
    np.testing.assert_allclose(m[3, 0, 0], 2e9 * expected, rtol=1e-6, atol=1e-12)
    assert np.all(s >= 0)
    assert np.isfinite(kl).all()


def test_many_nodes_and_blocks_of_words_have_the_dense_posterior(rng):
    kernel, nodes = OrnsteinUhlenbeck(2.0, 5.0), np.sort(rng.uniform(0, 30, 35))  # over one chunk of logarithms
    split = OrnsteinUhlenbeck(0.5, 5.0) + OrnsteinUhlenbeck(1.5, 5.0)
    g, b = mild_sites(rng, 35, 2, 130)  # three blocks of words, the last one short
    words = [0, 63, 64, 127, 128, 129]
    for one in (kernel, split):
        m, s, kl = MarkovStructure(one, nodes).condition(g, b)
        dense_m, dense_s, _ = posterior(kernel, nodes, nodes, g[:, :, words], b[:, :, words])
        close(m[:, :, words], dense_m)
        close(s[:, :, words], dense_s)
        close(kl, posterior(kernel, nodes, nodes, g, b)[2])


def test_two_equal_nodes_share_one_value(rng):
    nodes, kernel = np.array([0.0, 1.0, 1.0, 2.0]), Matern(2.0, 0.8, 1.5)
    g, b = mild_sites(rng, 4, 1, 1)
    m, s, kl = MarkovStructure(kernel, nodes).condition(g, b)
    close(m[1], m[2], atol=1e-12)
    close(s[1], s[2], atol=1e-12)
    merged = [np.stack([x[0], x[1] + x[2], x[3]]) for x in (g, b)]
    close(kl, MarkovStructure(kernel, nodes[[0, 1, 3]]).condition(*merged).kl)


def test_single_precision_sites_give_the_double_precision_posterior(rng):
    for kernel in (OrnsteinUhlenbeck(6.0, 1.5), Matern(6.0, 1.5, 1.5)):
        structure = MarkovStructure(kernel, NODES)
        g, b = (x.astype(np.float32) for x in mild_sites(rng, len(NODES), 2, 3))
        single, double = structure.condition(g, b), structure.condition(g.astype(float), b.astype(float))
        assert single.m.dtype == single.s.dtype == np.float32
        for x, y in zip(single, double, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-6)


def test_a_kernel_that_is_not_markov_is_refused():
    with pytest.raises(ValueError, match="not Markov"):
        MarkovStructure(SquaredExponential(1.0, 1.0), NODES)


def test_the_kernel_decides_the_structure():
    assert isinstance(choose_structure(OrnsteinUhlenbeck(1.0, 1.0) + Constant(1.0), NODES), MarkovStructure)
    mixed = OrnsteinUhlenbeck(1.0, 1.0) + SquaredExponential(1.0, 1.0)
    assert isinstance(choose_structure(mixed, NODES), DenseStructure)


@pytest.mark.parametrize("kernel", STATIONARY, ids=str)
@settings(max_examples=5, deadline=None)
@given(shift=st.integers(-(2**12), 2**12), seed=st.integers(0, 99))
def test_a_shift_of_all_times_changes_nothing_for_a_stationary_kernel(kernel, shift, seed):
    rng, nodes = np.random.default_rng(seed), np.array([-1.25, -0.5, 0.25, 0.5, 1.75, 3.0])  # exact in binary
    times = np.array([-3.5, 0.25, 1.0, 4.0])
    g, b = mild_sites(rng, 6, 1, 2)
    here, there = choose_structure(kernel, nodes), choose_structure(kernel, nodes + shift)
    for x, y in zip(here.condition(g, b), there.condition(g, b), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-10)
    for x, y in zip(here.predict(times, g, b), there.predict(times + shift, g, b), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-10)


def test_the_reference_itself_agrees_with_the_inverse_it_avoids(rng):
    kernel = OrnsteinUhlenbeck(6.0, 1.5)
    g, b = mild_sites(rng, len(NODES), 1, 1)
    mu, cov = inducing_values(kernel, NODES).moments(g[:, 0, 0], b[:, 0, 0])
    m, full = posterior_of_word(kernel, NODES, NODES, g[:, 0, 0], b[:, 0, 0])
    close(m, mu)
    close(full, cov)
