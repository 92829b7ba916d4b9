"""Document completion: the split keeps every token, and the scores are what explicit sums say."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from chronotope import Corpus, DynamicTopicModel, OrnsteinUhlenbeck
from chronotope.evaluate import completion_scores, perplexity, perplexity_with_error, split_tokens
from chronotope.gp import Posterior, Sites, topic_prior
from chronotope.topics import Topics

NODES = np.array([0.0, 2.0, 5.0])
WORDS = 4
count_tables = hnp.arrays(np.int32, hnp.array_shapes(min_dims=2, max_dims=2, max_side=8), elements=st.integers(0, 30))


def model_by_hand(alpha: np.ndarray, g: np.ndarray, b: np.ndarray) -> DynamicTopicModel:
    """A model whose posterior is set, not learned; sites g, b : (3, K, 4)."""
    model = DynamicTopicModel(n_topics=len(alpha), seed=3)
    posterior = Posterior(topic_prior(OrnsteinUhlenbeck(2, 3), NODES), Sites(g, b), None)
    vocabulary = np.array([f"word{v}" for v in range(WORDS)])
    model.topics_ = Topics(posterior, np.zeros(g.shape[2]), np.ones(g.shape[:2]), vocabulary, False)
    model.alpha_, model.kernel_, model.n_features_in_ = alpha, posterior.prior.kernel, WORDS
    return model


@pytest.fixture(scope="module")
def two_topics() -> DynamicTopicModel:
    rng = np.random.default_rng(0)
    b = rng.gamma(2.0, 5.0, (3, 2, WORDS))
    return model_by_hand(np.array([0.3, 0.8]), b * rng.normal(size=b.shape), b)


@pytest.fixture(scope="module")
def documents() -> Corpus:
    counts = np.random.default_rng(1).poisson(4.0, (6, WORDS))
    counts[3] = 0
    return Corpus(counts, [5.0, 0.0, 1.5, 2.0, 9.0, 0.0])


@settings(max_examples=50, deadline=None)
@given(count_tables, st.integers(0, 5))
def test_split_tokens_parts_every_token_into_one_of_two_halves(table: np.ndarray, seed: int) -> None:
    counts = sp.csr_array(table)
    seen, scored = split_tokens(counts, seed)
    np.testing.assert_array_equal((seen + scored).toarray(), table)
    assert seen.shape == scored.shape == counts.shape
    assert (seen.data > 0).all()
    assert (scored.data > 0).all()
    np.testing.assert_array_equal(counts.toarray(), table)


def test_split_tokens_is_even_on_average_and_decided_by_the_seed() -> None:
    counts = sp.csr_array(np.full((100, 20), 50, dtype=np.int32))
    seen, _ = split_tokens(counts, 7)
    n = counts.sum()
    assert abs(seen.sum() - n / 2) < 4 * math.sqrt(n / 4)
    np.testing.assert_array_equal(seen.toarray(), split_tokens(counts, 7)[0].toarray())
    assert (seen.toarray() != split_tokens(counts, 8)[0].toarray()).any()


@settings(max_examples=50, deadline=None)
@given(count_tables, st.integers(0, 5), st.integers(0, 9))
def test_so_many_tokens_are_seen_of_each_document_and_all_of_shorter_ones(
    table: np.ndarray, seed: int, number: int
) -> None:
    seen, scored = split_tokens(sp.csr_array(table), seed, number)
    np.testing.assert_array_equal((seen + scored).toarray(), table)
    np.testing.assert_array_equal(seen.sum(axis=1), np.minimum(table.sum(axis=1), number))


def test_every_token_is_seen_with_the_same_probability() -> None:
    counts = sp.csr_array(np.tile([[6, 3, 1]], (4000, 1)))
    seen, _ = split_tokens(counts, 0, 4)
    np.testing.assert_allclose(seen.toarray().mean(axis=0), [2.4, 1.2, 0.4], atol=0.05)


def test_without_tokens_seen_words_are_predicted_by_the_prior_on_shares(
    two_topics: DynamicTopicModel, documents: Corpus
) -> None:
    log_p, tokens = completion_scores(two_topics, documents, seen=0)
    pi = two_topics.topics_.probabilities(documents.times)  # (D, K, V)
    words = np.einsum("k,dkv->dv", two_topics.alpha_ / two_topics.alpha_.sum(), pi)
    counts = documents.counts.toarray()
    np.testing.assert_allclose(log_p, (counts * np.log(words)).sum(axis=1), rtol=1e-6)
    np.testing.assert_array_equal(tokens, counts.sum(axis=1))
    assert two_topics.perplexity(documents, seen=0) == pytest.approx(perplexity(log_p, tokens), rel=1e-12)


@pytest.mark.parametrize("seen", [-1, 0.5, True, "half"])
def test_seen_is_a_number_of_tokens(two_topics: DynamicTopicModel, documents: Corpus, seen: object) -> None:
    with pytest.raises(ValueError, match="expected a number of tokens"):
        completion_scores(two_topics, documents, seen=seen)  # type: ignore[arg-type]


def test_perplexity_is_the_inverse_geometric_mean_of_the_probabilities() -> None:
    log_p = np.log([0.5 * 0.25, 0.1])  # a document of two tokens, one of one
    tokens = np.array([2, 1])
    assert perplexity(log_p, tokens) == pytest.approx((0.5 * 0.25 * 0.1) ** (-1 / 3), rel=1e-14)


def test_perplexity_weights_documents() -> None:
    log_p, tokens = np.log([0.5 * 0.25, 0.1]), np.array([2, 1])
    assert perplexity(log_p, tokens, np.array([1.0, 0.0])) == pytest.approx(math.sqrt(8), rel=1e-14)
    assert perplexity(log_p, tokens, np.array([2.0, 2.0])) == pytest.approx(perplexity(log_p, tokens), rel=1e-14)
    thrice = perplexity(np.repeat(log_p, [3, 1]), np.repeat(tokens, [3, 1]))
    assert perplexity(log_p, tokens, np.array([3.0, 1.0])) == pytest.approx(thrice, rel=1e-14)


@pytest.mark.parametrize("weight", [None, np.zeros(1)])
def test_perplexity_of_nothing_is_refused(weight: np.ndarray | None) -> None:
    tokens = np.array([0 if weight is None else 3])
    with pytest.raises(ValueError, match="no tokens are left to score; pass documents with words"):
        perplexity(np.zeros(1), tokens, weight)


def scores_of_documents(D: int) -> tuple[np.ndarray, np.ndarray]:
    """Log-likelihoods of documents of very different length and difficulty; a tenth of them are empty."""
    rng = np.random.default_rng(0)
    tokens = rng.negative_binomial(2, 0.02, D) * (rng.random(D) > 0.1)
    return -tokens * rng.normal(7.0, 0.5, D), tokens


def test_standard_error_of_the_perplexity_is_that_of_the_bootstrap() -> None:
    log_p, tokens = scores_of_documents(300)
    value, error = perplexity_with_error(log_p, tokens)
    rng = np.random.default_rng(1)
    again = rng.integers(0, 300, (4000, 300))
    resampled = np.exp(-log_p[again].sum(axis=1) / tokens[again].sum(axis=1))
    assert value == perplexity(log_p, tokens)
    assert error == pytest.approx(resampled.std(), rel=0.05)


def test_standard_error_is_its_formula() -> None:
    log_p, tokens = scores_of_documents(20)
    r = log_p.sum() / tokens.sum()
    squares = sum((log_p[d] - r * tokens[d]) ** 2 for d in range(20))
    expected = math.exp(-r) * math.sqrt(20 / 19 * squares) / tokens.sum()
    assert perplexity_with_error(log_p, tokens).standard_error == pytest.approx(expected, rel=1e-12)


def test_standard_error_of_documents_that_are_all_as_hard_is_nothing() -> None:
    tokens = np.array([3, 50, 0, 7])
    assert perplexity_with_error(-tokens * math.log(40.0), tokens) == pytest.approx((40.0, 0.0), rel=1e-12, abs=1e-12)


def test_standard_error_needs_two_documents_and_one_number_of_tokens_each() -> None:
    with pytest.raises(ValueError, match="log_p has 1 document; a standard error needs at least 2"):
        perplexity_with_error(np.array([-3.0]), np.array([1]))
    with pytest.raises(ValueError, match=r"log_p has 2 entries and tokens has shape \(3,\); pass one of each"):
        perplexity_with_error(np.zeros(2), np.ones(3, dtype=np.int64))
    with pytest.raises(ValueError, match="no tokens are left to score"):
        perplexity_with_error(np.zeros(2), np.zeros(2, dtype=np.int64))


def explicit_scores(model: DynamicTopicModel, corpus: Corpus) -> np.ndarray:
    """The definition, word by word: φ ∝ (λ − φ) E[π], λ = α + Σ n φ, then log Σ_k θ_k E[π_kw]."""
    seen, scored = (half.toarray() for half in split_tokens(corpus.counts, 3))
    topics, log_p = model.topics_, np.zeros(len(corpus))
    for d, time in enumerate(corpus.times):
        m, s = (x[0] for x in topics.posterior.predict(np.array([time])))
        log_zeta = np.log(np.exp(m + s / 2).sum(axis=1))
        pi = np.exp(m + s / 2 - log_zeta[:, None])
        phi = np.full_like(pi, 1.0 / len(pi))
        for _ in range(2000):
            for v in range(WORDS):
                phi[:, v] = (model.alpha_ + phi @ seen[d] - (seen[d, v] > 0) * phi[:, v]) * pi[:, v]
                phi[:, v] /= phi[:, v].sum()
        lam = model.alpha_ + phi @ seen[d]
        for v in range(WORDS):
            log_p[d] += scored[d, v] * np.log((lam / lam.sum()) @ pi[:, v])
    return log_p


def test_completion_scores_equal_an_explicit_loop_over_tokens(two_topics: DynamicTopicModel, documents: Corpus) -> None:
    log_p, tokens = completion_scores(two_topics, documents, seed=3)
    np.testing.assert_allclose(log_p, explicit_scores(two_topics, documents), rtol=1e-3, atol=1e-6)
    np.testing.assert_array_equal(tokens, split_tokens(documents.counts, 3)[1].sum(axis=1))
    assert log_p[3] == 0.0
    assert tokens[3] == 0


def test_completion_with_one_topic_equals_an_explicit_loop_to_rounding(documents: Corpus) -> None:
    rng = np.random.default_rng(4)
    b = rng.gamma(2.0, 5.0, (3, 1, WORDS))
    model = model_by_hand(np.ones(1), b * rng.normal(size=b.shape), b)
    log_p, _ = completion_scores(model, documents, seed=3)
    np.testing.assert_allclose(log_p, explicit_scores(model, documents), rtol=1e-12)


def test_model_perplexity_is_the_formula_on_the_completion_scores(
    two_topics: DynamicTopicModel, documents: Corpus
) -> None:
    log_p, tokens = completion_scores(two_topics, documents, seed=3)
    assert two_topics.perplexity(documents) == pytest.approx(math.exp(-log_p.sum() / tokens.sum()), rel=1e-12)
    assert two_topics.score(documents) == pytest.approx(log_p.sum() / tokens.sum(), rel=1e-12)


def test_perplexity_of_uniform_topics_is_the_number_of_words(documents: Corpus) -> None:
    nothing = np.zeros((3, 2, WORDS))
    model = model_by_hand(np.ones(2), nothing, nothing)
    assert model.perplexity(documents) == pytest.approx(WORDS, rel=1e-12)


def test_pieces_that_fit_in_memory_give_the_same_scores(
    two_topics: DynamicTopicModel, documents: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = completion_scores(two_topics, documents)[0]
    monkeypatch.setattr("chronotope.topics.CELLS", 1)
    # a chain through other times rounds its last digit otherwise
    np.testing.assert_allclose(completion_scores(two_topics, documents)[0], whole, rtol=1e-13, atol=0)


def test_order_of_documents_is_irrelevant_to_their_shares(two_topics: DynamicTopicModel, documents: Corpus) -> None:
    order = np.random.default_rng(0).permutation(len(documents))
    np.testing.assert_array_equal(two_topics.transform(documents[order]), two_topics.transform(documents)[order])
