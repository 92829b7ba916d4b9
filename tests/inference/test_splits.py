"""Moves of static topics: what they gain and lose, and what becomes of the tokens."""

import numpy as np
import pytest
import scipy.sparse as sp

from chronotope.inference.chains import Chains
from chronotope.inference.documents import documents_at_nodes
from chronotope.inference.splits import Move, Moves, Tokens, compare_mergers, divide_topics

V = 12


def place(counts):
    return documents_at_nodes(sp.csr_array(np.asarray(counts, dtype=float)), np.zeros(len(counts), np.int64))


@pytest.fixture
def four(rng):
    """Documents of four kinds, each with three words of its own, and the topics of their tokens.

    The first two kinds are in topic 0, the third is in topic 1, the last at random in topics 2 and 3.
    """
    kind = rng.integers(0, 4, 200)
    words = np.kron(np.eye(4), np.full((1, 3), 1 / 3))
    counts = np.array([rng.multinomial(30, words[k]) for k in kind])
    tokens = Tokens.of(place(counts), V)
    topic = np.array([0, 0, 1, 2])[kind[tokens.document]].astype(np.uint16)
    topic[topic == 2] = rng.integers(2, 4, (topic == 2).sum())
    return kind, tokens, topic


def test_tokens_are_those_of_the_chains(rng):
    docs = place(rng.poisson(1.5, (20, V)) * rng.choice([1, 7, 30], (20, V)))
    tokens, chains = Tokens.of(docs, V), Chains.of(docs)
    assert len(tokens.word) == len(chains.topic)
    np.testing.assert_array_equal(np.searchsorted(tokens.document, np.arange(20)), chains.first)
    counts = tokens.counts(np.zeros(len(tokens.word), np.uint16), 2)
    np.testing.assert_allclose(counts[0], docs.matrix(V).sum(axis=0), rtol=1e-12)
    assert not counts[1].any()
    np.testing.assert_allclose(tokens.shares(chains.topic, 2)[:, 0], docs.lengths, rtol=1e-12)


def test_only_a_topic_of_two_subjects_gains_by_its_division(four, rng):
    kind, tokens, topic = four
    gain, direction = divide_topics(tokens, topic, 4, rng)
    assert gain[0] > 0.0
    assert np.all(gain[1:] < 0.0)
    assert abs(np.sign(direction[0, :3]).sum()) == abs(np.sign(direction[0, 3:6]).sum()) == 3
    assert direction[0, 0] * direction[0, 3] < 0.0
    # at best each token is explained log 2 better, if both halves have as many
    assert gain[0] < np.isin(kind, (0, 1)).sum() * 30 * np.log(2.0)


def test_the_loss_of_a_merger_is_that_of_the_likelihood(four, rng):
    _, tokens, topic = four
    counts, alpha = tokens.counts(topic, 4) + 0.1, np.full(4, 0.1)
    topics, shares = counts / counts.sum(axis=1, keepdims=True), tokens.shares(topic, 4) + alpha
    pairs, losses = compare_mergers(tokens, topic, topics, alpha, rng)
    assert sorted(map(tuple, pairs.tolist())) == [(i, j) for i in range(4) for j in range(i)]
    theta = shares / shares.sum(axis=1, keepdims=True)
    before = np.log(np.einsum("tk,kt->t", theta[tokens.document], topics[:, tokens.word]))
    for (i, j), loss in zip(pairs, losses, strict=True):
        merged, mass = topics.copy(), theta.sum(axis=0)
        merged[i] = merged[j] = (mass[i] * topics[i] + mass[j] * topics[j]) / (mass[i] + mass[j])
        after = np.log(np.einsum("tk,kt->t", theta[tokens.document], merged[:, tokens.word]))
        np.testing.assert_allclose(loss, (tokens.size * (before - after)).sum(), rtol=1e-9, atol=1e-9)
    assert pairs[np.argmin(losses)].tolist() == [3, 2]


def test_the_best_move_divides_the_mixed_topic_and_merges_the_double_one(four, rng):
    kind, tokens, topic = four
    counts = tokens.counts(topic, 4) + 0.1
    (move,) = Moves(tokens, 4, 0, rng).propose(topic, counts / counts.sum(axis=1, keepdims=True), np.full(4, 0.1))
    assert {move.into, move.freed, move.divided} == {0, 2, 3}
    assert move.divided == 0
    part = move.apply(tokens, topic)
    of_document = topic[np.searchsorted(tokens.document, np.arange(len(kind)))]
    assert len({(a, b) for a, b in zip(kind, of_document, strict=True)}) == 4  # every kind has a topic of its own
    np.testing.assert_allclose(part, np.mean(of_document[kind < 2] == move.freed), rtol=1e-12)


def test_topics_that_keep_their_subject_do_not_move(four, rng):
    _, tokens, topic = four
    counts = tokens.counts(topic, 4) + 0.1
    topics = counts / counts.sum(axis=1, keepdims=True)
    assert Moves(tokens, 4, 1, rng).propose(topic, topics, np.full(4, 0.1)) == []


def test_a_failed_move_is_not_proposed_again_until_another_succeeds(four, rng):
    _, tokens, topic = four
    counts = tokens.counts(topic, 4) + 0.1
    given, moves = (topic, counts / counts.sum(axis=1, keepdims=True), np.full(4, 0.1)), Moves(tokens, 4, 0, rng)
    (first,) = moves.propose(*given)
    moves.record([first], False)
    (second,) = moves.propose(*given)
    assert second[:3] != first[:3]
    moves.record([second], True)
    assert moves.propose(*given)[0][:3] == first[:3]


def test_a_move_of_a_topic_without_tokens_gives_nothing_away():
    tokens = Tokens.of(place([[1, 2], [0, 1]]), 2)
    topic = np.zeros(len(tokens.word), np.uint16)
    assert Move(0, 1, 2, np.array([1.0, -1.0])).apply(tokens, topic) == 0.0
    assert not topic.any()


@pytest.mark.parametrize("K", [1, 2])
def test_too_few_topics_have_no_moves(four, rng, K):
    _, tokens, topic = four
    few = np.minimum(topic, K - 1).astype(np.uint16)
    counts = tokens.counts(few, K) + 0.1
    assert Moves(tokens, K, 0, rng).propose(few, counts / counts.sum(axis=1, keepdims=True), np.full(K, 0.1)) == []
