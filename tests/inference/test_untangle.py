"""Topics that exchange their subjects are put right, and others are left as they are."""

import numpy as np
import pytest
from planted import match_topics, place_documents, plant, total_variation
from scipy.special import gammaln

import chronotope as ct
from chronotope.gp import topic_prior
from chronotope.inference.chains import Chains
from chronotope.inference.posterior import TopicPosterior
from chronotope.inference.statistics import Statistics
from chronotope.inference.untangle import _share_gain, candidates, undo_exchanges
from chronotope.kernels import OrnsteinUhlenbeck

KERNEL, K, V, J = OrnsteinUhlenbeck(3, 10), 3, 30, 6


def planted_counts(exchanged: bool):
    """Documents, their chains and λ, the posterior of their true topics, and its statistics; perhaps two exchanged."""
    planted = plant(KERNEL, np.arange(float(J)), K, V, documents=6, length=80, alpha=0.3, seed=3)
    docs = place_documents(planted.corpus.counts, planted.corpus.times, KERNEL, planted.times, np.zeros(V))
    rng, chains = np.random.default_rng(0), Chains.of(docs)
    order = np.tile(np.arange(K), (J, 1))
    if exchanged:
        order[3:, [0, 2]] = order[3:, [2, 0]]
    name = np.argsort(order, axis=1)
    n, lam, t = np.zeros((J, K, V)), np.full((len(docs.left), K), 0.3), 0
    for d, j in enumerate(docs.left):
        row = slice(docs.indptr[d], docs.indptr[d + 1])
        for word, count in zip(docs.indices[row], docs.data[row], strict=True):
            p = planted.shares[d] * planted.probabilities[j, :, word]
            for _ in range(int(count)):
                k = name[j, rng.choice(K, p=p / p.sum())]
                chains.topic[t] = k
                n[j, k, word] += 1
                lam[d, k] += 1
                t += 1
    chains.started[:] = True
    stats = Statistics(n, n.sum(axis=2), 0.0)
    posterior = TopicPosterior(topic_prior(KERNEL, planted.times), np.full((K, V), 1 / V), np.zeros(V), "float64")
    for step in range(100):
        posterior.step(stats, 0.7, 0.5**step)
    return docs, posterior, stats, chains, lam


def test_an_exchange_is_found_and_undone_everywhere():
    docs, posterior, stats, chains, lam = planted_counts(exchanged=True)
    expected = planted_counts(exchanged=False)
    before = posterior.bounds(stats).sum()
    found = undo_exchanges(docs, posterior, stats, chains, lam, np.full(K, 0.3))
    np.testing.assert_array_equal(found.n, expected[2].n)
    np.testing.assert_array_equal(found.N, expected[2].N)
    np.testing.assert_array_equal(chains.topic, expected[3].topic)
    np.testing.assert_allclose(lam, expected[4], rtol=1e-12, atol=0)
    for _ in range(100):
        posterior.step(found, 0.7, 0.0)
    np.testing.assert_allclose(posterior.m, expected[1].m, rtol=0, atol=1e-6)
    assert posterior.bounds(found).sum() > before + 10


def test_topics_that_do_not_cross_are_left_alone():
    docs, posterior, stats, chains, lam = planted_counts(exchanged=False)
    m, topic = posterior.m.copy(), chains.topic.copy()
    assert undo_exchanges(docs, posterior, stats, chains, lam, np.full(K, 0.3)) is stats
    np.testing.assert_array_equal(posterior.m, m)
    np.testing.assert_array_equal(chains.topic, topic)


def test_the_nearest_exchange_is_tried_first_and_distant_ones_are_not():
    m = np.zeros((4, 3, 2))
    m[:, 0], m[:, 1], m[:, 2] = [0, 0], [5, 0], [0, 50]
    m[2:, [0, 1]] = m[2:, [1, 0]]
    first = candidates(m + np.random.default_rng(0).normal(0, 0.1, m.shape))[0]
    assert first == (2, 0, 1)
    assert all({pair.one, pair.other} == {0, 1} for pair in candidates(m))
    assert candidates(np.zeros((1, 3, 2))) == []


def test_what_an_exchange_costs_the_shares_is_the_change_of_their_probability():
    docs, *_, lam = planted_counts(exchanged=False)
    alpha, order = np.array([0.1, 0.5, 2.0]), np.tile(np.arange(K), (J, 1))
    trial = order.copy()
    trial[2:, [0, 2]] = trial[2:, [2, 0]]
    tokens, expected = lam - 0.3, 0.0
    for d, j in enumerate(docs.left):
        for k in range(K):
            expected += gammaln(alpha[k] + tokens[d, trial[j, k]]) - gammaln(alpha[k] + tokens[d, k])
    np.testing.assert_allclose(_share_gain(docs, tokens, alpha, order, trial), expected, rtol=1e-9, atol=0)
    assert _share_gain(docs, tokens, np.full(K, 0.4), order, trial) == pytest.approx(0.0, abs=1e-8)


def test_a_fit_follows_its_topics_through_time():
    """Without it, this fit joins halves of two topics."""
    planted = plant(KERNEL, np.arange(6.0), 2, 20, documents=20, length=60, alpha=1.0, seed=1)
    model = ct.DynamicTopicModel(2, KERNEL, prior_mean="zero", alpha=1.0, seed=1, verbose=False).fit(planted.corpus)
    found = model.topics_.probabilities(planted.times)
    order = match_topics(found, planted.probabilities)
    assert total_variation(found[:, order], planted.probabilities).max() < 0.4
