"""What groups share and their own parts, drawn together: beside the dense posterior of everything."""

import numpy as np
import pytest

from chronotope.gp import JointPosterior, Posterior, Sites, TopicPrior, choose_structure, joint_evidence
from chronotope.kernels import Cauchy, Constant, Matern, OrnsteinUhlenbeck, scaled

NODES, TIMES = np.array([-1.0, 0.0, 0.6, 2.0, 2.5]), np.array([1.3, 0.0, 4.0])
G, DRAWS, SHARE = 3, 6_000, 0.6
KERNELS = [
    OrnsteinUhlenbeck(2.0, 1.5),
    Constant(1.0) + OrnsteinUhlenbeck(1.0, 1.5),
    Matern(2.0, 0.8, 1.5),
    Cauchy(2, 3),
]


def alike(kernel, rng):
    """Groups with sites of their own, the last without any, the same for every topic: topics are independent draws."""
    own, common = (choose_structure(scaled(kernel, part), NODES) for part in (1 - SHARE, SHARE))
    b = rng.gamma(1.0, 1.0, (len(NODES), G))
    b[:, -1] = 0.0
    g = rng.normal(size=b.shape) * np.sqrt(b)
    sites = Sites(*(np.repeat(x[:, :, None], DRAWS, axis=2) for x in (g, b)))
    none = Sites(*(np.zeros((len(NODES), 1, DRAWS)) for _ in range(2)))
    return Posterior(TopicPrior(kernel, SHARE, own, common), sites, none), g, b


def drawn_once(posterior, groups, rng):
    return JointPosterior(posterior).draws(TIMES, groups, 1, rng)[0]


def dense(kernel, g, b):
    """Mean and covariance of u and of all f_s at TIMES, (G + 1, times): from one matrix."""
    at = np.concatenate([NODES, TIMES])
    K = kernel(at)
    parts = np.pad((1 - SHARE) * np.eye(G), ((0, 1), (0, 1))) + SHARE  # the last is u
    prior = np.kron(parts, K)
    precision = np.diag(np.concatenate([np.pad(b.T, ((0, 1), (0, len(TIMES))))]).ravel())
    slope = np.pad(g.T, ((0, 1), (0, len(TIMES)))).ravel()
    cov = np.linalg.solve(np.eye(len(prior)) + prior @ precision, prior)
    chosen = (np.arange(G + 1)[:, None] * len(at) + len(NODES) + np.arange(len(TIMES))).ravel()
    return (cov @ slope)[chosen], cov[np.ix_(chosen, chosen)]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_draws_have_mean_and_covariance_of_the_dense_posterior(kernel, rng):
    posterior, g, b = alike(kernel, rng)
    mean, cov = dense(kernel, g, b)
    drawn = drawn_once(posterior, [*range(G), None], rng)  # (times, G + 1, DRAWS)
    found = drawn.transpose(1, 0, 2).reshape(-1, DRAWS)
    sd = np.sqrt(np.diag(cov))
    np.testing.assert_allclose(found.mean(axis=1), mean, rtol=0, atol=4.5 * sd.max() / np.sqrt(DRAWS))
    np.testing.assert_allclose(np.cov(found), cov, rtol=0, atol=6 * sd.max() ** 2 / np.sqrt(DRAWS))


def test_groups_are_drawn_in_the_order_that_is_asked_for(rng):
    posterior, g, b = alike(KERNELS[0], rng)
    mean = dense(KERNELS[0], g, b)[0].reshape(G + 1, -1)
    drawn = drawn_once(posterior, [2, None, 0], rng).mean(axis=2)
    np.testing.assert_allclose(drawn, mean[[2, 3, 0]].T, rtol=0, atol=0.1)


def test_the_shared_part_is_less_certain_than_the_fit_takes_it_to_be(rng):
    """With the sites of u that the fit has, Σ_s b_s, its own parts taken as known."""
    posterior, _, b = alike(KERNELS[1], rng)
    shared = np.repeat(b.sum(axis=1)[:, None, None], DRAWS, axis=2)
    given = posterior._replace(common=Sites(np.zeros_like(shared), shared))
    factorised = np.diag(posterior.prior.common.predict(TIMES, *(x[:, :, :1] for x in given.common))[1][:, 0, :].T[0])
    joint = drawn_once(given, [None], rng)[:, 0].var(axis=1)
    assert np.all(joint > 1.1 * np.diag(factorised))


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_the_evidence_is_that_of_dense_algebra(kernel, rng):
    """Of two topics with different sites, of which some say nothing."""
    b = rng.gamma(1.0, 1.0, (len(NODES), G, 2))
    b[:2, 1] = 0.0
    g = rng.normal(size=b.shape) * np.sqrt(b)
    prior = np.kron((1 - SHARE) * np.eye(G) + SHARE, kernel(NODES))
    expected = 0.0
    for k in range(2):
        precision, slope = np.diag(b[:, :, k].T.ravel()), g[:, :, k].T.ravel()
        inner = np.eye(len(prior)) + prior @ precision
        expected += 0.5 * slope @ np.linalg.solve(inner, prior @ slope) - 0.5 * np.linalg.slogdet(inner)[1]
    assert joint_evidence(kernel, SHARE, NODES, Sites(g, b)) == pytest.approx(expected, rel=1e-9)


def test_groups_that_share_nothing_have_the_evidence_of_each(rng):
    b = rng.gamma(1.0, 1.0, (len(NODES), G, 2))
    g, kernel = rng.normal(size=b.shape), KERNELS[1]
    alone = sum(joint_evidence(kernel, 0.5, NODES, Sites(g[:, [s]], b[:, [s]])) for s in range(G))
    assert joint_evidence(kernel, 0.0, NODES, Sites(g, b)) == pytest.approx(alone, rel=1e-9)
