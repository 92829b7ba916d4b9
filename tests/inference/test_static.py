"""The static fit: annealing, moves that are kept or undone."""

import numpy as np
import pytest
import scipy.sparse as sp

from chronotope.gp import topic_prior
from chronotope.inference import static
from chronotope.inference.documents import documents_at_nodes
from chronotope.inference.init import prior_mean, static_part
from chronotope.inference.posterior import TopicPosterior
from chronotope.inference.splits import Moves
from chronotope.inference.static import StartingFit
from chronotope.kernels import Constant

K, V = 4, 12
WORDS = np.kron(np.eye(K), np.full((1, 3), 1 / 3))


@pytest.fixture
def stuck(rng):
    """A fit of documents about one of four subjects, whose first topic has two of them and whose last two share one."""
    kind = rng.integers(0, K, 400)
    counts = sp.csr_array(np.array([rng.multinomial(30, WORDS[k]) for k in kind], dtype=float))
    docs = documents_at_nodes(counts, np.zeros(len(kind), np.int64))
    topics = 0.98 * np.stack([0.5 * (WORDS[0] + WORDS[1]), WORDS[2], WORDS[3], WORDS[3]]) + 0.02 / V
    posterior = TopicPosterior(topic_prior(Constant(6.0), np.zeros(1)), topics, prior_mean(counts), "float64")
    return StartingFit(docs, posterior, np.full(K, 0.1), False, rng, lambda progress: None)


def matched(fit):
    """Whether every subject has a topic of its own."""
    return sorted((fit.topics() @ WORDS.T).argmax(axis=1)) == list(range(K))


def test_moves_free_a_fit_that_is_stuck(stuck):
    before = stuck.continued(static.TRIAL)
    assert not matched(stuck)
    stuck.improve()
    assert matched(stuck)
    assert stuck.continued(2) > before + 0.1


def test_a_move_that_predicts_worse_is_undone(stuck, monkeypatch):
    stuck.continued(4)
    propose, tried = Moves.propose, []

    def worst(self, *given):
        moves = [move._replace(into=1, freed=0, divided=2) for move in propose(self, *given)]
        tried.extend(moves)
        return moves

    monkeypatch.setattr(Moves, "propose", worst)
    monkeypatch.setattr(static, "LAST", 1)
    before = {}

    def remember(self):
        kept = keep(self)
        before.update(topic=kept.chains.topic, m=self.posterior.m.copy(), alpha=kept.alpha)
        return kept

    keep = StartingFit.keep
    monkeypatch.setattr(StartingFit, "keep", remember)
    stuck.improve()
    assert len(tried) >= static.FAILURES
    np.testing.assert_array_equal(stuck.chains.topic, before["topic"])
    np.testing.assert_allclose(stuck.posterior.m, before["m"], rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(stuck.progress.alpha, before["alpha"])


def test_the_tokens_of_each_topic_are_kept_by_the_statistics_of_a_move(stuck):
    stuck.continued(4)
    tokens = static.Tokens.of(stuck.docs, V)
    moves = Moves(tokens, K, 0, stuck.rng).propose(stuck.chains.topic, stuck.topics(), stuck.progress.alpha)
    stuck.make(moves, tokens)
    total = sum(part.n[0] for part in stuck.found)
    np.testing.assert_allclose(total, tokens.counts(stuck.chains.topic, K), rtol=1e-12)
    np.testing.assert_allclose(stuck.topics(), total / total.sum(axis=1, keepdims=True), atol=0.02)


def test_alpha_that_is_given_stays(stuck):
    stuck.anneal()
    stuck.improve()
    np.testing.assert_array_equal(stuck.progress.alpha, np.full(K, 0.1))


@pytest.mark.parametrize(
    ("documents", "tokens", "part"),
    [
        (100, 1e4, 1.0),
        (100_000, 1e7, 0.2),  # many short ones: two million tokens
        (20_000, 8e6, 0.5),  # long ones: ten thousand documents
        (5_000, 6e6, 1.0),
        (10_000, 6e7, 0.1),  # very long ones: six million tokens
        (0, 0.0, 1.0),
    ],
)
def test_the_part_of_a_corpus_that_a_static_fit_has(documents, tokens, part):
    assert static_part(documents, tokens) == pytest.approx(part)
