"""The whitened basis against the full Gaussian process and against its own formulas, written out."""

import numpy as np
import pytest
from kernels.conftest import NOT_MARKOV, SMOOTH
from reference import inducing_weights, mild_sites, posterior, random_sites, textbook_kl

from chronotope.gp import DenseStructure
from chronotope.kernels import Linear, OrnsteinUhlenbeck, SquaredExponential, Wiener

NODES = np.array([-1.25, -0.4, 0.2, 0.5, 1.7, 3.0])
TIMES = np.array([3.0, -4.0, 0.2, 0.31, 0.31, 1.1, -1.25, 2.2, 9.0, 0.2])
GRID = np.linspace(0.0, 10.0, 40)

not_markov = pytest.mark.parametrize("kernel", NOT_MARKOV, ids=str)
smooth = pytest.mark.parametrize("kernel", SMOOTH, ids=str)


def close(actual, expected, atol=1e-8):
    np.testing.assert_allclose(actual, expected, rtol=1e-6, atol=atol)


@not_markov
def test_with_every_direction_kept_the_posterior_is_the_full_one(kernel, rng):
    g, b = random_sites(rng, len(NODES), 2, 5)
    structure = DenseStructure(kernel, NODES, tolerance=1e-14)
    for x, y in zip(structure.condition(g, b), posterior(kernel, NODES, NODES, g, b), strict=True):
        close(x, y)
    for x, y in zip(structure.predict(TIMES, g, b), posterior(kernel, NODES, TIMES, g, b)[:2], strict=True):
        close(x, y)


@not_markov
def test_a_truncated_basis_is_conditioned_by_the_inducing_point_formulas(kernel, rng):
    g, b = random_sites(rng, len(GRID), 2, 3)
    structure = DenseStructure(kernel, GRID, tolerance=0.02)
    assert structure.rank < len(GRID)
    basis = inducing_weights(kernel, GRID, structure.rank)
    m, s, kl = structure.condition(g, b)
    for k in range(2):
        total = 0.0
        for v in range(3):
            mu, cov = basis.moments(g[:, k, v], b[:, k, v])
            total += textbook_kl(mu, cov, basis.prior)
            expected_m, expected_s = basis.read(mu, cov)
            close(m[:, k, v], expected_m)
            close(s[:, k, v], expected_s)
        close(kl[k], total)


@smooth
def test_a_truncated_basis_predicts_other_times_by_the_inducing_point_formulas(kernel, rng):
    times = np.array([-2.0, 0.0, 3.33, 3.33, 9.9, 14.0])
    g, b = mild_sites(rng, len(GRID), 1, 2)
    structure = DenseStructure(kernel, GRID, tolerance=0.02)
    values, vectors = (x[..., ::-1][..., : structure.rank] for x in np.linalg.eigh(kernel(GRID)))
    a = kernel(times, GRID) @ vectors / np.sqrt(values)  # (n, r)
    basis = inducing_weights(kernel, GRID, structure.rank)
    m, s = structure.predict(times, g, b)
    for v in range(2):
        mu, cov = basis.moments(g[:, 0, v], b[:, 0, v])
        close(m[:, 0, v], a @ mu)
        close(s[:, 0, v], kernel.diag(times) - (a**2).sum(axis=1) + np.sum(a @ cov * a, axis=1))


@not_markov
def test_the_rank_is_the_smallest_with_a_residual_variance_below_the_tolerance(kernel):
    def residual_share(rank):
        return np.mean(inducing_weights(kernel, GRID, rank).residual / kernel.diag(GRID))

    for tolerance in (0.3, 0.03, 1e-3, 1e-5):
        rank = DenseStructure(kernel, GRID, tolerance).rank
        assert residual_share(rank) <= tolerance + 1e-12
        assert rank == 1 or residual_share(rank - 1) > tolerance


@not_markov
def test_the_rank_grows_as_the_tolerance_shrinks(kernel):
    ranks = [DenseStructure(kernel, GRID, tolerance).rank for tolerance in (0.5, 0.1, 1e-2, 1e-3, 1e-5, 1e-8)]
    assert ranks == sorted(ranks)
    assert ranks[0] < ranks[-1]


@pytest.mark.parametrize("kernel", [SquaredExponential(1.0, 2.0) * Linear(0.4, 0.0), Wiener(0.7, 0.0, 0.0)], ids=str)
@pytest.mark.parametrize("nodes", [np.linspace(-5.0, 5.0, 11), np.linspace(0.0, 10.0, 11)], ids=["middle", "end"])
def test_a_node_without_prior_variance_does_not_hide_the_others(kernel, nodes, rng):
    g, b = mild_sites(rng, len(nodes), 1, 2)
    structure = DenseStructure(kernel, nodes, tolerance=1e-10)
    for x, y in zip(structure.condition(g, b), posterior(kernel, nodes, nodes, g, b), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-4, atol=1e-4)


@smooth
def test_truncation_moves_the_posterior_by_no_more_than_its_residual_variance(kernel, rng):
    g, b = mild_sites(rng, len(GRID), 1, 3)
    m, s, _ = posterior(kernel, GRID, GRID, g, b)
    errors = []
    for tolerance in (1e-2, 1e-4, 1e-8):
        marginals = DenseStructure(kernel, GRID, tolerance).condition(g, b)
        errors.append(max(np.abs(marginals.m - m).max(), np.abs(marginals.s - s).max()))
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 1e-5


def test_words_are_solved_alike_in_every_block(rng):
    kernel = SquaredExponential(3.0, 0.9)
    g, b = mild_sites(rng, len(NODES), 2, 67)  # three blocks of words, the last one short
    structure = DenseStructure(kernel, NODES, tolerance=1e-13)
    m, s, kl = structure.condition(g, b)
    dense_m, dense_s, dense_kl = posterior(kernel, NODES, NODES, g, b)
    close(m, dense_m)
    close(s, dense_s)
    close(kl, dense_kl)


def test_hundreds_of_close_nodes_of_a_smooth_kernel_need_no_jitter(rng):
    nodes = np.linspace(0.0, 1.0, 300)
    kernel = SquaredExponential(3.0, 1.0)
    structure = DenseStructure(kernel, nodes, tolerance=1e-10)
    g, b = mild_sites(rng, 300, 1, 1)
    m, s, kl = structure.condition(g, b)
    close(m, posterior(kernel, nodes, nodes, g, b)[0], atol=1e-5)
    assert np.all(s > 0)
    assert kl[0] > 0


def test_single_precision_sites_give_the_double_precision_posterior(rng):
    structure = DenseStructure(SquaredExponential(3.0, 0.9) + OrnsteinUhlenbeck(1.0, 1.0), NODES)
    g, b = (x.astype(np.float32) for x in mild_sites(rng, len(NODES), 2, 3))
    single, double = structure.condition(g, b), structure.condition(g.astype(float), b.astype(float))
    assert single.m.dtype == single.s.dtype == np.float32
    for x, y in zip(single, double, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-6)
