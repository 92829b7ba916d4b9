"""What later documents are added to: statistics read back from the sites, and topics on more nodes with more words."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from chronotope import Cauchy, OrnsteinUhlenbeck
from chronotope.gp import topic_prior
from chronotope.gp.grid import Growth, grow_nodes
from chronotope.inference.growth import grown_posterior, grown_statistics, statistics_of_sites, updated_mean
from chronotope.inference.init import prior_mean
from chronotope.inference.posterior import FULL_STEP, TopicPosterior
from chronotope.inference.statistics import Statistics
from chronotope.kernels import Kernel

J, K, V = 6, 2, 9
NODES = np.arange(float(J))
KERNELS = [OrnsteinUhlenbeck(2, 5), Cauchy(2, 5)]


def counted(dtype: str = "float64") -> Statistics:
    rng = np.random.default_rng(3)
    n = rng.poisson(rng.gamma(0.5, 40, (J, K, V))).astype(dtype)
    return Statistics(n, n.sum(axis=2).astype(np.float64), 0.0)


def solved(kernel: Kernel, stats: Statistics, steps: int, caution: float = 0.0) -> TopicPosterior:
    """The topics after so many global steps on the same statistics."""
    mean = prior_mean(sp.csr_array(stats.n.sum(axis=(0, 1))[None]))
    posterior = TopicPosterior(topic_prior(kernel, NODES), np.full((K, V), 1 / V), mean, stats.n.dtype.name)
    for step in range(steps):
        posterior.step(stats, FULL_STEP, max(0.5**step, caution))
    return posterior


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("caution", [0.0, 0.5])
def test_the_counts_are_read_back_from_sites_that_have_come_to_rest(kernel: Kernel, caution: float) -> None:
    stats = counted()
    read = statistics_of_sites(solved(kernel, stats, 100, caution), stats.N)
    np.testing.assert_allclose(read.n, stats.n, rtol=1e-6, atol=1e-6)


def test_the_counts_are_read_back_closely_after_a_few_steps_in_single_precision() -> None:
    stats = counted("float32")
    read = statistics_of_sites(solved(KERNELS[0], stats, 8), stats.N)
    assert np.abs(read.n - stats.n).sum() < 0.01 * stats.n.sum()
    np.testing.assert_allclose(read.n.sum(axis=2), stats.N, rtol=1e-5)
    assert read.n.min() >= 0


def test_nothing_is_known_where_there_were_no_documents() -> None:
    stats = counted()
    for part in (stats.n, stats.N):
        part[2:4] = 0
    read = statistics_of_sites(solved(KERNELS[0], stats, 30), stats.N)
    assert not read.n[2:4].any()
    assert np.isfinite(read.n).all()


def test_the_mean_after_more_documents_is_the_mean_of_all() -> None:
    rng = np.random.default_rng(0)
    first, second = (sp.csr_array(rng.poisson(2.0, (20, V))) for _ in range(2))
    tokens = float(first[:, : V - 3].sum())
    mean = updated_mean(prior_mean(first[:, : V - 3]), tokens, second)
    first = sp.hstack([first[:, : V - 3], sp.csr_array((20, 3))])
    np.testing.assert_allclose(mean, prior_mean(sp.csr_array(sp.vstack([first, second]))), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("kernel", KERNELS)
def test_topics_on_more_nodes_are_those_the_prior_tells_and_the_old_ones_stay(kernel: Kernel) -> None:
    posterior = solved(kernel, counted(), 60)
    growth = grow_nodes(kernel, NODES, np.array([-2.0, 5.5, 6.0, 9.0]), None, "even")
    grown = grown_posterior(posterior, growth, posterior.mean)
    m, s = posterior.sites().predict(growth.nodes)
    centred = m - m.mean(axis=2, keepdims=True)
    exact = kernel.state_space() is not None  # a basis grows with the nodes
    np.testing.assert_allclose(grown.m - posterior.mean, centred, rtol=0, atol=1e-9 if exact else 0.02)
    np.testing.assert_allclose(grown.s, s, rtol=1e-9 if exact else 0.05)


def test_sites_seen_from_another_mean_are_the_same_evidence() -> None:
    posterior = solved(KERNELS[0], counted(), 60)
    mean = posterior.mean + np.random.default_rng(1).normal(0, 0.2, V)
    grown = grown_posterior(posterior, Growth(NODES, 0, 0), mean)
    on_f = posterior.g + posterior.b * posterior.mean
    shared = grown.g + grown.b * mean - on_f  # the topics' common shift may be taken out, and nothing else
    slope = shared - shared.mean(axis=2, keepdims=True)
    along = posterior.b - posterior.b.mean(axis=2, keepdims=True)
    factor = (slope * along).sum(axis=2) / (along**2).sum(axis=2)
    np.testing.assert_allclose(slope, factor[:, :, None] * along, rtol=0, atol=1e-8)


def test_new_words_have_no_evidence_and_no_counts_before() -> None:
    stats, posterior = counted(), solved(KERNELS[0], counted(), 20)
    growth = Growth(np.arange(-1.0, J + 2), 1, 2)
    grown = grown_posterior(posterior, growth, np.concatenate([posterior.mean, [-1.0, -2.0]]))
    more = grown_statistics(stats, growth, V + 2)
    assert more.n.shape == grown.g.shape == (J + 3, K, V + 2)
    np.testing.assert_array_equal(more.n[1:-2, :, :V], stats.n)
    np.testing.assert_array_equal(more.N[1:-2], stats.N)
    assert more.n.sum() == stats.n.sum()
    assert not grown.b[:, :, V:].any()
    assert not grown.b[[0, -2, -1]].any()
