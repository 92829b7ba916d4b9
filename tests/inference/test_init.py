"""Starting topics are topics, and say something about the documents."""

import numpy as np
import pytest
import scipy.sparse as sp
from planted import place_documents

from chronotope.corpus.counts import HeldCounts, Reordered
from chronotope.inference import init
from chronotope.inference.init import (
    seed_columns,
    start_from_lda,
    starting_point,
    topics_from_samples,
    word_frequencies,
)
from chronotope.inference.static import StartingFit, number_of_starts
from chronotope.kernels import OrnsteinUhlenbeck

NODES = np.array([0.0, 1.0, 2.0, 5.0])
V, K = 9, 3
ALPHA = np.full(K, 0.5)
INITS = ["samples", "documents", "lda"]


def place(counts, times, nodes=NODES):
    return place_documents(sp.csr_array(counts), times, OrnsteinUhlenbeck(3.0, 2.0), nodes, np.zeros(counts.shape[1]))


@pytest.fixture
def docs(rng):
    """Twenty documents, some of them empty; none near the third node."""
    counts = rng.poisson(1.0, (20, V)).astype(float)
    counts[[3, 11]] = 0
    counts[:, 5] = 0  # a word nobody uses
    return place(counts, rng.choice([0.0, 0.1, 1.0, 1.2, 4.9, 5.0], 20))


def topics(init, docs, seed=0):
    return starting_point(init, docs, V, len(NODES), ALPHA, False, np.random.default_rng(seed)).topics


@pytest.mark.parametrize("init", INITS)
def test_starting_topics_are_positive_sum_to_one_and_have_their_shape(init, docs):
    start = topics(init, docs)
    assert start.shape == ((len(NODES), K, V) if init == "documents" else (K, V))
    assert np.all(start > 0)
    np.testing.assert_allclose(start.sum(axis=-1), 1.0, rtol=1e-12, atol=0)


@pytest.mark.parametrize("init", INITS)
def test_the_same_seed_starts_the_same_and_topics_differ(init, docs):
    start = topics(init, docs, 1)
    np.testing.assert_array_equal(start, topics(init, docs, 1))
    assert np.any(start != topics(init, docs, 2))
    flat = start.reshape(-1, K, V)
    assert np.any(flat[:, 0] != flat[:, 1])


@pytest.mark.parametrize("init", INITS)
def test_fewer_documents_than_topics_are_enough(init):
    start = topics(init, place(np.eye(V)[:1], np.array([1.0])))
    assert np.all(start > 0)
    np.testing.assert_allclose(start.sum(axis=-1), 1.0, rtol=1e-12, atol=0)


def test_a_node_starts_from_its_own_documents_and_an_empty_one_from_those_before():
    counts = np.repeat(np.eye(V)[:3] * 8, 2, axis=0)  # word 0 at the first node, 1 at the second, 2 at the last
    start = topics("documents", place(counts, np.array([0.0, 0.1, 1.0, 1.1, 5.0, 4.9])))
    np.testing.assert_array_equal(start.argmax(axis=2), np.repeat([[0], [1], [1], [2]], K, axis=1))


def test_half_of_a_starting_topic_is_the_corpus():
    counts = np.eye(V)[[0, 0, 0, 0]] * 5
    docs = place(counts, np.zeros(4))
    background = word_frequencies(sp.csr_array(counts))
    np.testing.assert_allclose(background, np.where(np.arange(V) == 0, 21, 1) / (20 + V), rtol=1e-12, atol=0)
    expected = 0.5 * background + 0.5 * np.eye(V)[0]
    np.testing.assert_allclose(topics("samples", docs), np.tile(expected, (K, 1)), rtol=1e-12, atol=0)


def test_a_static_fit_finds_topics_that_share_no_words(rng):
    which = rng.integers(0, K, 150)
    words = np.kron(np.eye(K), np.full((1, 3), 1 / 3))
    counts = sp.csr_array(np.array([rng.multinomial(40, words[k]) for k in which], dtype=float))
    found = start_from_lda(place(counts, np.zeros(150)), V, np.full(K, 0.1), False, rng).topics
    match = found @ words.T * 3  # share of each planted topic's words in each found one
    assert sorted(match.argmax(axis=1)) == list(range(K))
    assert match.max(axis=1).min() > 0.9


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_topics_with_seed_words_are_about_them_and_the_last_one_finds_the_rest(rng, order):
    which = rng.integers(0, K, 150)
    words = np.kron(np.eye(K), np.full((1, 3), 1 / 3))
    counts = sp.csr_array(np.array([rng.multinomial(40, words[k]) for k in which], dtype=float))
    seeds = [np.array([3 * k, 3 * k + 1]) for k in order[:2]]
    for found in (
        topics_from_samples(counts, K, rng, seeds),
        start_from_lda(place(counts, np.zeros(150)), V, np.full(K, 0.1), False, rng, seeds=seeds).topics,
    ):
        assert (found @ words.T).argmax(axis=1)[:2].tolist() == list(order[:2])
    assert (found @ words.T).argmax(axis=1).tolist() == list(order)


def test_a_seeded_topic_starts_from_the_documents_with_most_of_its_words():
    counts = np.zeros((8, V))
    counts[0, [0, 1, 4]], counts[1, [0, 5]], counts[2:, 8] = 1, [9, 1], 5
    start = topics_from_samples(sp.csr_array(counts), 2, np.random.default_rng(0), [np.array([0, 1])])
    background = word_frequencies(sp.csr_array(counts))
    np.testing.assert_allclose(start[0], 0.5 * background + 0.5 * np.isin(np.arange(V), [0, 1, 4]) / 3, rtol=1e-12)


def test_seeded_topics_start_the_same_from_documents_that_are_read_in_parts(rng, monkeypatch):
    counts = sp.csr_array(rng.poisson(0.5, (30, V)))
    stored = Reordered(HeldCounts(counts), np.arange(30))
    seeds = [np.array([0, 1, 2]), np.array([5])]
    expected = topics_from_samples(counts, K, np.random.default_rng(0), seeds)
    for at_once in (init.AT_ONCE, 7):
        monkeypatch.setattr(init, "AT_ONCE", at_once)
        found = topics_from_samples(stored, K, np.random.default_rng(0), seeds)
        np.testing.assert_array_equal(found, expected)


def test_seed_words_that_the_corpus_has_not_are_named():
    vocabulary = np.array(["war", "army", "tax"])
    assert [words.tolist() for words in seed_columns([["army", "war"], ["tax"]], vocabulary)] == [[1, 0], [2]]
    assert seed_columns(None, vocabulary) == []
    with pytest.raises(ValueError, match="seed_words has 'warr', 'taxes', not among the 3 words"):
        seed_columns([["warr", "war"], ["taxes"]], vocabulary)


def test_an_unknown_start_is_refused(docs):
    with pytest.raises(ValueError, match="expected one of samples, documents, lda"):
        topics("random", docs)


def test_documents_at_outlying_times_have_no_part_in_a_static_start(rng):
    counts, times = rng.poisson(1.0, (30, V)).astype(float), np.linspace(0.0, 5.0, 30)
    both = np.concatenate([[-1000.0, 1000.0], times])
    start, with_them = (
        start_from_lda(docs, V, ALPHA, True, np.random.default_rng(0))
        for docs in (place(counts, times), place(np.concatenate([100.0 * np.eye(2, V), counts]), both))
    )
    np.testing.assert_array_equal(start.topics, with_them.topics)
    np.testing.assert_array_equal(start.alpha, with_them.alpha)
    chains, more = start.chains, with_them.chains
    assert chains.started.all()
    np.testing.assert_array_equal(np.flatnonzero(~more.started), [0, 31])
    np.testing.assert_array_equal(more.topic[more.first[1] : more.first[31]], chains.topic)


def test_the_start_that_predicts_best_is_continued(rng, monkeypatch):
    values, continued = iter([-5.0, -3.0, -4.0]), []
    anneal, go_on = StartingFit.anneal, StartingFit.continued
    fits = []

    def annealed(self):
        anneal(self)
        fits.append(self)
        return next(values)

    def recorded(self, passes):
        continued.append(self)
        return go_on(self, passes)

    monkeypatch.setattr(StartingFit, "anneal", annealed)
    monkeypatch.setattr(StartingFit, "continued", recorded)
    docs = place(rng.poisson(1.0, (30, V)).astype(float), np.linspace(0.0, 5.0, 30))
    start_from_lda(docs, V, ALPHA, True, rng)
    assert len(fits) == number_of_starts(30) == 3
    assert set(continued) == {fits[1]}
