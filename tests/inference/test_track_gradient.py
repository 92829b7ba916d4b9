"""The global step on two groups and on places against numerical derivatives of the literal ELBO."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from priors import topics_at
from reference import (
    dense_texts,
    documents_bound,
    inducing_values,
    log_zeta,
    mild_sites,
    moment_gradients,
    statistics,
    textbook_kl,
)

from chronotope.corpus.counts import HeldCounts
from chronotope.gp import Tracks, choose_structure
from chronotope.gp.track_chain import TrackChain
from chronotope.inference.growth import statistics_of_sites
from chronotope.inference.natural_gradient import natural_gradient_step
from chronotope.inference.posterior import TopicPosterior
from chronotope.inference.statistics import Statistics
from chronotope.inference.store import arrange_documents
from chronotope.kernels import parse_kernel

NODES = np.array([0.0, 1.0, 2.5])
K, V, D = 2, 5, 8
WORDS = [(0, 0), (1, 3), (1, 4)]  # nobody uses word 4
PRIORS = {
    "groups": ("ou(2, 2) + by(ou(0.7, 4))", Tracks(("left", "right"))),
    "places": (
        "ou(2, 2) + ou(1, 3) * space(0.5, 300 km)",
        Tracks(("a", "b"), np.array([[30.0, 0.0], [31.0, 0.0]])),
    ),
}


@pytest.fixture(params=PRIORS)
def prior(request):
    return PRIORS[request.param]


@pytest.fixture
def structure(prior):
    found = choose_structure(parse_kernel(prior[0]), NODES, prior[1])
    assert isinstance(found, TrackChain)
    return found


@pytest.fixture(params=["at nodes", "between nodes"])
def documents(request, prior, rng):
    counts = rng.poisson(1.2, (D, V)).astype(float)
    counts[:, 4] = 0.0
    times = {
        "at nodes": np.array([2.5, 0, 1, 1, 0, 2.5, 1, 0]),
        "between nodes": np.array([2.4, 0.3, 1, 1.7, 0.3, 3, -1, 0]),
    }[request.param]
    track = np.array([0, 1, 1, 0, 0, 1, 0, 1])
    held = HeldCounts(sp.csr_array(counts))
    store = arrange_documents(held, times, parse_kernel(prior[0]), NODES, np.zeros(V), track=track)
    return store.take(np.arange(D))


@pytest.fixture
def texts(documents):
    return dense_texts(documents, 2 * len(NODES), V)


@pytest.fixture
def phi(texts, rng):
    return rng.dirichlet(np.full(K, 0.9), texts.counts.shape)


@pytest.fixture
def posterior(structure, rng):
    return topics_at(structure, *mild_sites(rng, 2 * len(NODES), K, V), rng.normal(size=V))


class GroupElbo:
    """The literal ELBO as a function of one word's q(f) = N(mu, cov) over the nodes of all tracks."""

    def __init__(self, posterior, texts, phi, word):
        prior, alpha = posterior.prior.own, np.array([0.4, 0.9])
        self.inducing, self.posterior, self.word = inducing_values(prior.kernel, prior.nodes), posterior, word
        self.fixed = texts, phi, alpha, alpha + np.einsum("dv,dvk->dk", texts.counts, phi)
        k, v = word
        self.mu, self.cov = self.inducing.moments(posterior.g[:, k, v], posterior.b[:, k, v])

    def __call__(self, mu, cov):
        (k, v), (texts, phi, alpha, lam) = self.word, self.fixed
        m, s = self.posterior.m.copy(), self.posterior.s.copy()
        m[:, k, v], s[:, k, v] = mu + self.posterior.mean[v], np.diag(cov)
        return documents_bound(texts, m, log_zeta(m, s), phi, lam, alpha) - textbook_kl(mu, cov, self.inducing.prior)


def test_documents_read_the_nodes_of_their_own_track(documents, texts):
    for d in range(D):
        rows = np.flatnonzero(texts.W[d])
        np.testing.assert_array_equal(rows // len(NODES), documents.track[d])
    assert set(documents.track) == {0, 1}


@pytest.mark.parametrize("word", WORDS)
def test_a_step_adds_rho_times_the_natural_gradient(posterior, texts, phi, word):
    (k, v), rho, stats = word, 0.4, Statistics(*statistics(texts, phi), 0.0)
    elbo = GroupElbo(posterior, texts, phi, word)
    np.testing.assert_allclose(elbo.mu, posterior.m[:, k, v] - posterior.mean[v], rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(np.diag(elbo.cov), posterior.s[:, k, v], rtol=1e-7, atol=1e-8)
    slope_mu, slope_cov = moment_gradients(elbo)
    h, P = elbo.inducing.naturals(posterior.g[:, k, v], posterior.b[:, k, v])
    g, b = posterior.g.copy(), posterior.b.copy()
    state = posterior.m, posterior.s, posterior.log_zeta
    natural_gradient_step((stats.n, stats.N), state, posterior.own_mean(), 0.0, np.full(K, rho), g, b)
    new_h, new_P = elbo.inducing.naturals(g[:, k, v], b[:, k, v])
    np.testing.assert_allclose(new_h, h + rho * (slope_mu - 2 * slope_cov @ elbo.mu), rtol=1e-4, atol=2e-4)
    np.testing.assert_allclose(new_P, P - 2 * rho * slope_cov, rtol=1e-4, atol=2e-4)


def test_at_the_fixed_point_the_gradient_vanishes_and_another_step_changes_nothing(posterior, texts, phi):
    stats = Statistics(*statistics(texts, phi), 0.0)
    for _ in range(400):
        posterior.step(stats, 0.5, 0.0)
    for word in WORDS:
        slope_mu, slope_cov = moment_gradients(GroupElbo(posterior, texts, phi, word))
        np.testing.assert_allclose(slope_mu, 0.0, rtol=0, atol=1e-5)
        np.testing.assert_allclose(slope_cov, 0.0, rtol=0, atol=2e-4)
    before = {name: getattr(posterior, name).copy() for name in ("g", "b", "m", "s", "kl", "log_zeta")}
    posterior.step(stats, 1.0, 0.0)
    for name, value in before.items():
        np.testing.assert_allclose(getattr(posterior, name), value, rtol=1e-9, atol=1e-10)
    implied = statistics_of_sites(posterior, stats.N)
    np.testing.assert_allclose(implied.n, stats.n, rtol=1e-6, atol=1e-8)


def test_a_topics_bound_is_what_the_elbo_moves_with_it(structure, posterior, texts, phi, rng):
    stats, alpha = Statistics(*statistics(texts, phi), 0.0), np.array([0.4, 0.9])
    other = topics_at(structure, *(0.5 * x for x in mild_sites(rng, 2 * len(NODES), K, V)), posterior.mean)
    lam = alpha + np.einsum("dv,dvk->dk", texts.counts, phi)
    moved = [documents_bound(texts, q.m, q.log_zeta, phi, lam, alpha) - q.kl.sum() for q in (posterior, other)]
    own = [q.bounds(stats).sum() for q in (posterior, other)]
    np.testing.assert_allclose(own[1] - own[0], moved[1] - moved[0], rtol=1e-9, atol=1e-10)


def test_a_new_posterior_has_a_row_for_every_node_of_every_track(posterior, rng):
    fresh = TopicPosterior(posterior.prior, rng.dirichlet(np.ones(V), K), np.zeros(V), "float64")
    assert fresh.m.shape == (2 * len(NODES), K, V)
