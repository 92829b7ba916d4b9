"""The topics of all tokens, kept between passes."""

import numpy as np
import pytest
import scipy.sparse as sp

from chronotope.corpus.counts import HeldCounts
from chronotope.inference.chains import Chains
from chronotope.inference.documents import documents_at_nodes, uniform_lambda
from chronotope.inference.gibbs import TOKENS
from chronotope.inference.sampled import sampled_step
from chronotope.inference.store import arrange_documents
from chronotope.inference.tables import TopicTables
from chronotope.kernels import OrnsteinUhlenbeck
from chronotope.loops import threads

COUNTS = np.array([[1, 0, 3], [0, 0, 0], [0.5, 2.5, TOKENS + 7], [1 + 1e-9, 0, 0.3]])
SAMPLED = np.array([[1, 0, 3], [0, 0, 0], [1, 3, TOKENS], [1, 0, 1]])  # 1 + 1e-9 is 1 in single precision


@pytest.fixture
def some_docs():
    return documents_at_nodes(sp.csr_array(COUNTS), np.zeros(4, np.int64))


def topics(K, V, seed=0, J=1):
    """Some topics with variances."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(0, 1.5, (J, K, V)).astype(np.float32)
    log_zeta = np.log(np.exp(logits.astype(float)).sum(axis=2))
    return TopicTables(logits, rng.uniform(0, 0.3, (J, K, V)).astype(np.float32), log_zeta)


def tokens_by_topic(docs, chains, K):
    """Σ_i 1[k_i = k] of every document with the tokens' weights, (D, K), by explicit loops."""
    totals = np.zeros((len(docs.left), K))
    for d in range(len(totals)):
        t = chains.first[d]
        for count in docs.data[docs.indptr[d] : docs.indptr[d + 1]]:
            tokens = min(int(np.ceil(np.float32(count))), TOKENS)
            for _ in range(tokens):
                totals[d, chains.topic[t]] += count / tokens
                t += 1
        assert t == (chains.first[d + 1] if d + 1 < len(totals) else len(chains.topic))
    return totals


def test_new_chains_have_a_place_for_every_sampled_token(some_docs):
    chains = Chains.of(some_docs)
    lengths = SAMPLED.sum(axis=1)
    np.testing.assert_array_equal(chains.first, np.cumsum(lengths) - lengths)
    assert (len(chains.topic), chains.topic.dtype) == (lengths.sum(), np.uint16)
    assert not chains.started.any()


def test_documents_on_disk_and_in_memory_have_the_same_chains():
    kernel, nodes, times = OrnsteinUhlenbeck(2, 3), np.arange(3.0), np.array([2.0, 0.0, 1.0, 0.0])
    store = arrange_documents(HeldCounts(sp.csr_array(COUNTS)), times, kernel, nodes, np.zeros(3))
    for one, other in zip(Chains.of(store), Chains.of(store.take(np.arange(len(store.left)))), strict=True):
        np.testing.assert_array_equal(one, other)


def test_topics_of_another_number_of_tokens_are_refused(some_docs):
    with pytest.raises(ValueError, match="topics of 3 tokens are given, but the documents have 26"):
        Chains.of(some_docs, np.zeros(3, np.uint16))


@pytest.mark.parametrize("sweeps", [(0, 1), (3, 2)])
def test_lambda_counts_the_topics_of_the_chain(some_docs, sweeps):
    K, alpha = 4, np.array([0.1, 0.2, 0.3, 0.4])
    chains, lam = Chains.of(some_docs), uniform_lambda(some_docs, alpha)
    for seed in range(3):
        sampled_step(some_docs, topics(K, 3), alpha, chains, lam, seed, sweeps)
        assert chains.started.all()
        np.testing.assert_allclose(lam - alpha, tokens_by_topic(some_docs, chains, K), rtol=1e-6, atol=1e-5)
        np.testing.assert_allclose(lam.sum(axis=1) - alpha.sum(), some_docs.lengths, rtol=1e-6, atol=1e-6)


def test_a_document_keeps_the_topic_that_it_began_with_where_words_say_nothing(some_docs):
    """Without the words, and with a tiny α, tokens follow the others of their document."""
    K, alpha = 3, np.full(3, 1e-6)
    flat = TopicTables(np.zeros((1, K, 3), np.float32), np.zeros((1, K, 3), np.float32), np.full((1, K), np.log(3)))
    for k in range(K):
        chains = Chains.of(some_docs)
        long = chains.first[2], chains.first[3]
        chains.topic[long[0] : long[1]], chains.started[2] = k, True
        lam = uniform_lambda(some_docs, alpha)
        sampled_step(some_docs, flat, alpha, chains, lam, 0, (0, 3))
        assert (chains.topic[long[0] : long[1]] == k).all()


def test_chains_of_some_documents_share_topics_and_chains_apart_do_not(some_docs):
    chains, rows = Chains.of(some_docs), np.array([0, 2])
    lam = uniform_lambda(some_docs, np.full(2, 0.5))[rows]
    sampled_step(some_docs.take(rows), topics(2, 3), np.full(2, 0.5), chains.take(rows).apart(), lam, 3, (1, 1))
    assert not chains.topic.any()
    sampled_step(some_docs.take(rows), topics(2, 3), np.full(2, 0.5), chains.take(rows), lam, 3, (1, 1))
    assert chains.topic.any()
    assert not chains.started.any()  # of a copy; see `fit_minibatches`


def test_twenty_topics_give_the_same_bits_for_any_number_of_threads_and_any_place_in_memory():
    K, V, D, J = 20, 30, 200, 3
    rng = np.random.default_rng(0)
    docs = documents_at_nodes(sp.csr_array(rng.poisson(0.5, (D, V)).astype(float)), np.sort(rng.integers(0, J, D)))
    alpha, given = rng.uniform(0.02, 0.2, K), topics(K, V, J=J)
    found, kept = set(), []
    for repeat in range(24):
        chains, lam = Chains.of(docs), uniform_lambda(docs, alpha)
        with threads(1 + repeat % 2):
            steps = [sampled_step(docs, given, alpha, chains, lam, seed, (1, 2)) for seed in range(3)]
        arrays = (lam, chains.topic, *(x for stats in steps for x in (stats.n, stats.N, np.array(stats.bound))))
        found.add(b"".join(array.tobytes() for array in arrays))
        kept.append([np.empty(size) for size in rng.integers(1, 200, rng.integers(0, 40))] + [np.empty(2_000_000)])
        del kept[: rng.integers(0, 2)]
    assert len(found) == 1


def test_a_chain_that_starts_anew_forgets_its_topics(some_docs):
    """It gives what a chain gives that never started."""
    K, alpha = 3, np.full(3, 0.4)
    fresh, old = Chains.of(some_docs), Chains.of(some_docs, np.full(len(Chains.of(some_docs).topic), 2, np.uint16))
    lams = [np.empty((len(some_docs.left), K)) for _ in range(2)]
    for chains, lam in zip((fresh, old), lams, strict=True):
        sampled_step(some_docs, topics(K, 3), alpha, chains, lam, 7, (1, 1), anew=np.ones(len(lam), np.bool_))
    np.testing.assert_array_equal(fresh.topic, old.topic)
    np.testing.assert_array_equal(*lams)


def test_only_the_chains_that_are_named_start_anew():
    """Sixteen tokens of one word, as likely in both topics: only a chain that starts anew leaves a topic they share."""
    docs = documents_at_nodes(sp.csr_array(np.full((2000, 1), 16.0)), np.zeros(2000, np.int64))
    nothing = np.zeros((1, 2, 1), np.float32)
    chains, lam = Chains.of(docs, np.ones(len(Chains.of(docs).topic), np.uint16)), np.empty((2000, 2))
    given, anew = TopicTables(nothing, nothing, np.zeros((1, 2))), np.arange(2000) % 4 == 1
    sampled_step(docs, given, np.full(2, 1e-6), chains, lam, 1, (0, 1), anew)
    left = lam[:, 0] > 0.5
    assert not left[~anew].any()
    assert 0.2 < left[anew].mean() < 0.8
