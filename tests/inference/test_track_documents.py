"""Documents of several tracks: placed on the nodes of their own, grown, and exchanged topic by topic."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from priors import topics_at
from reference import mild_sites

from chronotope.corpus.counts import HeldCounts
from chronotope.gp import Posterior, Sites, Tracks, choose_structure, topic_prior
from chronotope.gp.grid import Growth
from chronotope.inference.chains import Chains
from chronotope.inference.growth import grown_posterior, grown_statistics
from chronotope.inference.posterior import TopicPosterior
from chronotope.inference.statistics import Statistics
from chronotope.inference.store import DocumentStore, arrange_documents
from chronotope.inference.untangle import candidates, undo_exchanges
from chronotope.kernels import parse_kernel

KERNEL = parse_kernel("constant(1) + ou(2, 3) + by(ou(0.5, 8))")
GROUPS = Tracks(("left", "right"))
NODES = np.arange(5.0)
D, V = 12, 6


@pytest.fixture
def arranged(rng) -> tuple[DocumentStore, np.ndarray, np.ndarray, np.ndarray]:
    """Documents, and what they were made of: counts, times and tracks."""
    counts, times = rng.poisson(1.0, (D, V)).astype(float), rng.uniform(0, 4, D)
    track = rng.integers(0, 2, D)
    held = HeldCounts(sp.csr_array(counts))
    return arrange_documents(held, times, KERNEL, NODES, np.zeros(V), track=track), counts, times, track


def test_documents_are_sorted_by_track_and_time_and_read_the_nodes_of_their_track(arranged):
    store, counts, times, track = arranged
    order = np.lexsort((times, track))
    docs = store.take(np.arange(D))
    np.testing.assert_array_equal(docs.times, times[order])
    np.testing.assert_array_equal(docs.track, track[order])
    np.testing.assert_array_equal(docs.left, np.floor(times[order]).astype(int) + len(NODES) * track[order])
    dense = sp.csr_array((docs.data, docs.indices, docs.indptr), shape=counts.shape).toarray()
    np.testing.assert_array_equal(dense, counts[order])
    np.testing.assert_array_equal(store.left, docs.left)


def test_random_numbers_of_documents_follow_from_their_time_not_from_their_track(arranged):
    store, counts, times, _ = arranged
    alone = arrange_documents(HeldCounts(sp.csr_array(counts)), times, KERNEL, NODES, np.zeros(V))
    number = dict(zip(alone.take(np.arange(D)).times.tolist(), alone.number.tolist(), strict=True))
    docs = store.take(np.arange(D))
    np.testing.assert_array_equal(docs.number, [number[time] for time in docs.times.tolist()])


def test_weights_are_those_of_one_track_alone(arranged):
    store, counts, times, track = arranged
    alone = arrange_documents(HeldCounts(sp.csr_array(counts)), times, KERNEL, NODES, np.zeros(V)).take(np.arange(D))
    docs, order = store.take(np.arange(D)), np.argsort(track[np.argsort(times)], kind="stable")
    np.testing.assert_array_equal(docs.weight, alone.weight[order])
    np.testing.assert_array_equal(docs.slack, alone.slack[order])


def test_documents_stay_on_their_track_when_they_move_in_time_and_on_other_nodes(arranged):
    docs = arranged[0].take(np.arange(D))
    few = docs.placed(KERNEL, NODES[::2])
    np.testing.assert_array_equal(few.left // 3, docs.track)


def test_a_posterior_grows_in_times_words_and_tracks(rng):
    prior = topic_prior(KERNEL, NODES, 0.5, GROUPS)
    own, common = mild_sites(rng, 10, 2, V), mild_sites(rng, 10, 1, V)
    before = TopicPosterior.from_sites(Posterior(prior, Sites(*own), Sites(*common)), np.zeros(V))
    three, growth = Tracks(("left", "right", "middle")), Growth(np.arange(-1.0, 7.0), 1, 2)
    after = grown_posterior(before, growth, np.zeros(V + 1), three)
    assert after.m.shape == (24, 2, V + 1)
    at = NODES
    for s in range(2):  # words and nodes without sites change nothing
        one, other = (q.sites().predict(q.prior.at(at, s)) for q in (before, after))
        for x, y in zip(one, other, strict=True):
            np.testing.assert_allclose(y[:, :, :V], x, rtol=1e-6, atol=1e-8)
    new, shared = (after.sites().predict(after.prior.at(at, s)) for s in (2, -1))
    np.testing.assert_allclose(new[0], shared[0], rtol=1e-6, atol=1e-8)
    assert (new[1] > shared[1]).all()
    N = rng.gamma(1.0, 1.0, (10, 2))
    stats = grown_statistics(Statistics(rng.gamma(1.0, 1.0, (10, 2, V)), N, 0.0), growth, V + 1, 3)
    np.testing.assert_array_equal(stats.N.reshape(3, 8, 2)[:2, 1:6], N.reshape(2, 5, 2))
    assert stats.N.sum() == pytest.approx(N.sum())
    assert stats.n.shape == (24, 2, V + 1)


def test_topics_are_exchanged_at_a_time_on_all_tracks_together(rng):
    level = np.array([[3.0, 3, 3, 0, 0, 0], [0, 0, 0, 3.0, 3, 3]])
    m = np.tile(level, (10, 1, 1)) + 0.01 * rng.normal(size=(10, 2, V))
    crossed = m.copy()
    later = np.arange(10) % 5 >= 2
    crossed[later] = m[later][:, ::-1]
    found = candidates(crossed, 2)
    assert [tuple(exchange) for exchange in found] == [(2, 0, 1)]
    assert candidates(m, 2) == []
    structure = choose_structure(KERNEL, NODES, GROUPS)
    b = np.full((10, 2, V), 50.0)
    posterior = topics_at(structure, b * crossed, b, np.zeros(V))
    posterior.prior = posterior.prior._replace(tracks=GROUPS)
    N = np.full((10, 2), 60.0)
    n = N[:, :, None] * np.exp(crossed) / np.exp(crossed).sum(axis=2, keepdims=True)
    counts = sp.csr_array(np.ones((D, V)))
    times, track = rng.uniform(0, 4, D), rng.integers(0, 2, D)
    docs = arrange_documents(HeldCounts(counts), times, KERNEL, NODES, np.zeros(V), track=track).take(np.arange(D))
    lam = np.full((D, 2), 3.5)
    stats = undo_exchanges(docs, posterior, Statistics(n, N, 0.0), Chains.of(docs), lam, np.full(2, 0.5))
    nearest = posterior.m.reshape(2, 5, 2, V).argmax(axis=3) // 3
    assert (nearest == nearest[:, :1]).all()  # no topic changes its subject on any track
    np.testing.assert_array_equal(nearest[0], nearest[1])
    np.testing.assert_allclose(stats.n.sum(axis=2), N, rtol=1e-9, atol=0)
