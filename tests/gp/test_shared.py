"""Topics that share a part of their change: the prior, and posteriors read at any time."""

import numpy as np
import pytest
from reference import mild_sites, posterior_of_word

from chronotope.gp import DenseStructure, MarkovStructure, Posterior, Sites, Tracks, choose_structure, topic_prior
from chronotope.gp.track_chain import TrackChain
from chronotope.kernels import Cauchy, Constant, Matern, OrnsteinUhlenbeck, parse_kernel, with_distances

NODES = np.array([-1.0, 0.0, 0.6, 2.0, 2.5])
TIMES = np.array([1.3, 0.0, -2.0, 4.0])
DRAWS, SHARE = 4000, 0.3

KERNELS = [
    OrnsteinUhlenbeck(2.0, 1.5),
    Constant(1.0) + OrnsteinUhlenbeck(1.0, 1.5),
    Matern(2.0, 0.8, 1.5),
    Cauchy(2.0, 3.0),
]

kernels = pytest.mark.parametrize("kernel", KERNELS, ids=str)


def same_words(share, kernel, sites):
    """Two topics in which every word has the same sites, (J,) each: draws of its words are independent draws."""
    (g, b), (common_g, common_b) = sites
    own = Sites(*(np.tile(x[:, None, None], (1, 2, DRAWS)) for x in (g, b)))
    common = Sites(*(np.tile(x[:, None, None], (1, 1, DRAWS)) for x in (common_g, common_b)))
    return Posterior(topic_prior(kernel, NODES, share), own, common if share else None)


def levels(kernel):
    """Variance of the constants of a kernel, which model the level."""
    return sum(part.variance for part in getattr(kernel, "parts", [kernel]) if isinstance(part, Constant))


@kernels
def test_two_topics_have_a_share_of_their_change_in_common_and_levels_are_their_own(kernel):
    prior, c = topic_prior(kernel, NODES, SHARE), levels(kernel)
    change = kernel(TIMES) - c
    np.testing.assert_allclose(prior.own.kernel(TIMES), c + (1 - SHARE) * change, rtol=1e-12, atol=0)
    shift = c * SHARE / (1 - SHARE)
    np.testing.assert_allclose(prior.common.kernel(TIMES), SHARE * change + shift, rtol=1e-12, atol=0)
    assert prior.kernel == kernel
    assert type(prior.own) is type(prior.common) is type(choose_structure(kernel, NODES))
    np.testing.assert_array_equal(prior.nodes, NODES)


@kernels
def test_draws_without_sites_have_the_covariance_of_the_prior(kernel):
    """The sum of both kernels, and that of the common part between two topics, within 5 standard errors."""
    posterior = same_words(SHARE, kernel, np.zeros((2, 2, len(NODES))))
    f = posterior.draw(NODES, np.random.default_rng(0))
    cov = np.cov(f.reshape(2 * len(NODES), DRAWS))  # (node, topic) pairs
    own, common = posterior.prior.own.kernel(NODES), posterior.prior.common.kernel(NODES)
    expected = np.kron(own, np.eye(2)) + np.kron(common, np.ones((2, 2)))
    variance = np.diag(expected)
    error = np.sqrt((np.outer(variance, variance) + expected**2) / DRAWS)
    assert np.all(np.abs(cov - expected) <= 5 * error + 1e-6)


@kernels
def test_draws_and_predictions_agree_with_each_other_and_with_the_sum_of_two_posteriors(kernel):
    sites = np.array([[1.5, -2.0, 0.0, 3.0, 0.5], [0.8, 2.0, 0.0, 30.0, 0.1]])
    common = np.array([[-1.0, 0.5, 4.0, 0.0, 2.0], [0.5, 0.2, 5.0, 0.0, 1.0]])
    posterior = same_words(SHARE, kernel, (sites, common))
    m, s = (x[:, 0, 0] for x in posterior.predict(TIMES))
    draws = posterior.draw(TIMES, np.random.default_rng(0))[:, 0]
    assert np.all(np.abs(draws.mean(axis=1) - m) <= 5 * np.sqrt(s / DRAWS) + 1e-6)
    np.testing.assert_allclose(draws.var(axis=1), s, rtol=5 * np.sqrt(2 / DRAWS), atol=1e-6)
    parts = ((posterior.prior.own, sites), (posterior.prior.common, common))
    exact = [posterior_of_word(structure.kernel, NODES, TIMES, *each) for structure, each in parts]
    near = {"rtol": 1e-8, "atol": 1e-9} if kernel.state_space() else {"rtol": 1e-2, "atol": 1e-2}
    np.testing.assert_allclose(m, exact[0][0] + exact[1][0], **near)
    np.testing.assert_allclose(s, np.diag(exact[0][1] + exact[1][1]), **near)


@kernels
def test_with_nothing_in_common_topics_are_those_of_the_structure_alone(kernel):
    prior, structure = topic_prior(kernel, NODES), choose_structure(kernel, NODES)
    assert prior.common is None
    assert prior.own.kernel == kernel
    sites = Sites(*mild_sites(np.random.default_rng(0), len(NODES), 2, 4))
    posterior = Posterior(prior, sites, None)
    for one, other in zip(posterior.predict(TIMES), structure.predict(TIMES, *sites), strict=True):
        np.testing.assert_array_equal(one, other)
    drawn = posterior.draw(TIMES, np.random.default_rng(3))
    np.testing.assert_array_equal(drawn, structure.draw(TIMES, *sites, np.random.default_rng(3)))
    assert list(posterior.arrays()) == ["g", "b"]


@pytest.mark.parametrize("share", [0.0, SHARE])
def test_some_topics_and_words_are_read_as_from_all(share):
    rng, kernel = np.random.default_rng(0), KERNELS[0]
    common = Sites(*mild_sites(rng, len(NODES), 1, 6)) if share else None
    whole = Posterior(topic_prior(kernel, NODES, share), Sites(*mild_sites(rng, len(NODES), 3, 6)), common)
    some = whole.take(slice(1, 2), [4, 0, 4])
    for one, other in zip(some.predict(TIMES), whole.predict(TIMES), strict=True):
        np.testing.assert_allclose(one, other[:, 1:2, [4, 0, 4]], rtol=1e-12, atol=1e-12)
    some.own.g[:] = np.nan
    assert np.isfinite(whole.own.g).all()
    assert len(whole.arrays()) == (4 if share else 2)


def test_the_structure_follows_from_the_kernel():
    assert isinstance(choose_structure(KERNELS[0], NODES), MarkovStructure)
    assert isinstance(choose_structure(KERNELS[-1], NODES), DenseStructure)


@pytest.mark.parametrize(
    ("kernel", "chosen"),
    [
        ("constant + space", DenseStructure),  # of little rank
        ("constant + ou + space", DenseStructure),  # of a rank not much above the number of states
        ("constant + ou + ou * space", TrackChain),
        ("constant + cauchy * space", DenseStructure),  # not Markov
    ],
)
def test_many_places_are_a_chain_where_it_costs_less(kernel, chosen):
    lat, lon = np.meshgrid(np.arange(30.0, 46, 4), np.arange(-120.0, -70, 12.5))
    tracks = Tracks(tuple(map(str, range(lat.size))), np.column_stack([lat.ravel(), lon.ravel()]))
    resolved = with_distances(parse_kernel(kernel).resolve(0.0, 10.0), 1000.0)
    assert isinstance(choose_structure(resolved, np.arange(10.0), tracks), chosen)
