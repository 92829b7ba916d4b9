"""Where the dynamic model must be the static one."""

import numpy as np
import pytest
import scipy.sparse as sp
from planted import place_documents
from priors import independent, topics_at
from reference import mild_sites
from scipy.optimize import minimize

from chronotope.gp import DenseStructure, choose_structure
from chronotope.inference.documents import uniform_lambda
from chronotope.inference.meanfield import meanfield_step
from chronotope.inference.posterior import TopicPosterior
from chronotope.inference.statistics import Statistics
from chronotope.kernels import Cauchy, Constant, Matern, OrnsteinUhlenbeck, SquaredExponential, Wiener

NODES = np.array([0.0, 0.7, 1.0, 2.5, 3.0])
V, K = 7, 3
ALPHA = np.array([0.3, 0.8, 1.4])
AT_ONE_TIME = [
    OrnsteinUhlenbeck(2.0, 3.0),
    Wiener(0.5, 1.0, 0.0),
    Matern(2.0, 3.0, 1.5),
    Constant(2.0),
    Constant(0.5) + OrnsteinUhlenbeck(1.5, 1.0),
    SquaredExponential(2.0, 3.0),
    Cauchy(2.0, 3.0),
]


def static_topic(n, variance):
    """m, s (V,) that maximise  Σ n m − N log Σ exp(m + s/2) − KL  for independent logits N(0, variance)."""

    def loss(x):
        m, log_s = np.split(x, 2)
        s = np.exp(log_s)
        kl = 0.5 * np.sum((s + m**2) / variance - 1 + np.log(variance) - log_s)
        top = m + s / 2
        share = np.exp(top - top.max())
        log_zeta = top.max() + np.log(share.sum())
        share /= share.sum()
        slope_m = -n + n.sum() * share + m / variance
        slope_s = 0.5 * (n.sum() * share + 1 / variance - 1 / s) * s
        return n.sum() * log_zeta - n @ m + kl, np.concatenate([slope_m, slope_s])

    best = minimize(loss, np.zeros(2 * len(n)), jac=True, method="BFGS", options={"gtol": 1e-8, "maxiter": 5000})
    m, log_s = np.split(best.x, 2)
    return m, np.exp(log_s), -best.fun


@pytest.mark.parametrize("kernel", AT_ONE_TIME, ids=str)
def test_with_one_time_the_fixed_point_is_static_lda(kernel, rng):
    n = rng.gamma(0.5, 6.0, (1, K, V))
    stats = Statistics(n, n.sum(axis=2), 0.0)
    structure = choose_structure(kernel, np.array([2.0]))
    posterior = topics_at(structure, *np.zeros((2, 1, K, V)), np.zeros(V))
    for _ in range(300):
        posterior.step(stats, 0.5, 0.0)
    for k in range(K):
        m, s, bound = static_topic(n[0, k], kernel.diag([2.0])[0])
        np.testing.assert_allclose(posterior.m[0, k], m, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(posterior.s[0, k], s, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(posterior.bounds(stats)[k], bound, rtol=1e-8, atol=0)


@pytest.mark.parametrize(
    ("long", "limit"),
    [
        (OrnsteinUhlenbeck(3.0, 1e9), Constant(3.0)),
        (Matern(3.0, 1e6, 1.5), Constant(3.0)),
        (SquaredExponential(3.0, 1e6), Constant(3.0)),
        (Wiener(1e-10, 3.0, 0.0), Constant(3.0)),
    ],
    ids=str,
)
def test_a_very_long_length_scale_is_a_constant(long, limit, rng):
    g, b = mild_sites(rng, 5, K, V)
    actual, expected = (choose_structure(kernel, NODES).condition(g, b) for kernel in (long, limit))
    for x, y in zip(actual, expected, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(np.ptp(actual.m, axis=0), 0.0, rtol=0, atol=1e-4)


def converged(kernel, counts, times, start):
    """Local and global steps in turn until nothing moves: the posterior and the last statistics."""
    structure = choose_structure(kernel, np.unique(times))
    docs = place_documents(counts, times, kernel, structure.nodes, np.zeros(V))
    assert np.all((docs.weight[:, 1] == 0) | (docs.left + 1 < len(structure.nodes)))  # no weight past the last node
    posterior, lam = (
        TopicPosterior(independent(structure), start, np.zeros(start.shape[-1]), "float64"),
        uniform_lambda(docs, ALPHA),
    )
    for _ in range(600):
        stats = meanfield_step(docs, posterior.m, posterior.log_zeta, ALPHA, lam, (20, 1e-12))
        posterior.step(stats, 0.5, 0.0)
    return posterior, stats


@pytest.fixture
def planted(rng):
    """Short documents, each of one topic: counts, and topics to start from."""
    topics = rng.dirichlet(np.full(V, 0.3), K)
    counts = [rng.multinomial(8, topics[d % K]) for d in range(12)]
    return sp.csr_array(np.array(counts, dtype=float)), 0.7 * topics + 0.3 / V


@pytest.mark.parametrize("kernel", AT_ONE_TIME, ids=str)
def test_documents_all_at_one_time_are_fitted_as_static_lda(kernel, planted):
    posterior, stats = converged(kernel, planted[0], np.full(12, 2.0), planted[1])
    np.testing.assert_allclose(stats.n.sum(axis=(0, 1)), planted[0].sum(axis=0), rtol=1e-9, atol=0)
    for k in range(K):
        m, s, bound = static_topic(stats.n[0, k], kernel.diag([2.0])[0])
        np.testing.assert_allclose(posterior.m[0, k], m, rtol=0, atol=1e-4)
        np.testing.assert_allclose(posterior.s[0, k], s, rtol=1e-4, atol=0)
        np.testing.assert_allclose(posterior.bounds(stats)[k], bound, rtol=1e-7, atol=0)


def test_a_constant_prior_makes_many_times_one(planted, rng):
    times = np.sort(rng.choice(NODES, 12))
    still, spread = converged(Constant(2.0), planted[0], times, planted[1])
    alone, pooled = converged(Constant(2.0), planted[0], np.full(12, 2.0), planted[1])
    np.testing.assert_allclose(still.m, np.broadcast_to(alone.m, still.m.shape), rtol=0, atol=1e-6)
    np.testing.assert_allclose(spread.n.sum(axis=0), pooled.n[0], rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(spread.bound - still.kl.sum(), pooled.bound - alone.kl.sum(), rtol=1e-8, atol=0)


def test_a_basis_for_one_node_is_its_value():
    structure = DenseStructure(Cauchy(2.0, 3.0), np.array([2.0]))
    assert structure.rank == 1
    m, s, kl = structure.condition(np.full((1, 1, 1), 3.0), np.full((1, 1, 1), 1.5))
    np.testing.assert_allclose([m.item(), s.item()], [3.0 / 2.0, 0.5], rtol=1e-12, atol=0)
    np.testing.assert_allclose(kl.item(), 0.5 * (0.25 + 2.25 / 2 - 1 + np.log(4)), rtol=1e-12, atol=0)
