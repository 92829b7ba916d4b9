"""The sampled local step: against all topics of all tokens, and what it promises beside."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from inner_loops import from_python
from planted import place_documents
from reference import dense_texts, documents_bound, likelihoods, statistics
from scipy.special import gammaln

from chronotope.inference.chains import Chains
from chronotope.inference.documents import documents_at_nodes, uniform_lambda
from chronotope.inference.gibbs import TOKENS, next_state, stream, unit
from chronotope.inference.loop import local_step
from chronotope.inference.sampled import _document_bound, sampled_step
from chronotope.inference.shares import Shares
from chronotope.inference.state import Progress, Settings
from chronotope.inference.tables import TopicTables
from chronotope.loops import threads

SINGLE = 1e-6  # sampling is done in single precision
COPIES, LONG = 200, (50, 2_000)  # many documents rather than more sweeps: their sums are in single precision


def sample(docs, posterior, alpha, seed=1, sweeps=(2, 4)):
    lam = uniform_lambda(docs, alpha)
    return lam, sampled_step(docs, given_topics(posterior), alpha, Chains.of(docs), lam, seed, sweeps)


def given_topics(posterior):
    """Topics that owe nothing to the documents: no token adds to their logits, so none is taken off."""
    return TopicTables(posterior.expected_logits(), np.zeros_like(posterior.s), posterior.log_zeta)


def exact_responsibilities(counts, E, alpha):
    """φ (V, K) of one document by all topics of all tokens:  p(z) ∝ Π_k Γ(α_k + n_k) Π_i E[π_{z_i w_i}]."""
    words = np.repeat(np.arange(len(counts)), counts.astype(int))
    phi, total = np.zeros((len(counts), len(alpha))), 0.0
    for z in product(range(len(alpha)), repeat=len(words)):
        n = np.bincount(z, minlength=len(alpha))
        p = np.exp(gammaln(alpha + n).sum()) * np.prod(E[list(z), words])
        total += p
        np.add.at(phi, (words, list(z)), p)
    return phi / total / np.maximum(counts, 1)[:, None]


def test_a_token_alone_is_judged_by_the_prior_and_its_word(posterior, alpha):
    """A document of one token has nobody to learn from:  φ ∝ α E[π]."""
    docs = documents_at_nodes(sp.csr_array(np.eye(1, 7, 3)), np.array([2]))
    share = alpha * np.exp(posterior.expected_logits()[2, :, 3] - posterior.log_zeta[2])
    stats = sample(docs, posterior, alpha)[1]
    np.testing.assert_allclose(stats.N[2], share / share.sum(), rtol=SINGLE, atol=0)
    np.testing.assert_allclose(stats.n[2, :, 3], share / share.sum(), rtol=SINGLE, atol=0)


def test_sampled_responsibilities_are_those_of_all_topics_of_all_tokens(posterior, alpha):
    rng = np.random.default_rng(5)
    counts = np.zeros((4, 7))
    for row in counts:
        np.add.at(row, rng.integers(0, 7, 6), 1)
    node = np.array([0, 1, 3, 4])
    docs = documents_at_nodes(sp.csr_array(counts), node)
    many = documents_at_nodes(sp.csr_array(np.repeat(counts, COPIES, axis=0)), np.repeat(node, COPIES))
    _, stats = sample(many, posterior, alpha, sweeps=LONG)
    texts = dense_texts(docs, *posterior.m.shape[::2])
    phi = np.stack(
        [exact_responsibilities(row, likelihoods(texts, posterior, d), alpha) for d, row in enumerate(counts)]
    )
    n, N = statistics(texts, phi)
    np.testing.assert_allclose(stats.n / COPIES, n, rtol=0, atol=0.01)
    np.testing.assert_allclose(stats.N / COPIES, N, rtol=0, atol=0.02)


def test_many_tokens_of_a_word_are_sampled_in_groups_and_all_counted(docs, posterior, alpha):
    many = docs._replace(data=docs.data * (10 * TOKENS))
    lam, stats = sample(many, posterior, alpha)
    np.testing.assert_allclose(lam.sum(axis=1), alpha.sum() + many.lengths, rtol=1e-9, atol=0)
    rounding = TOKENS * np.finfo(np.float32).eps  # of so many sums in single precision
    np.testing.assert_allclose(stats.N.sum(), (many.lengths * many.weight.sum(axis=1)).sum(), rtol=rounding, atol=0)


def test_the_document_bound_is_the_elbo_without_the_words(docs, posterior, alpha, rng):
    J, K, V = posterior.m.shape
    texts = dense_texts(docs, J, V)
    phi = rng.dirichlet(np.ones(K), size=(len(docs.left), V))
    lam = alpha + np.einsum("dv,dvk->dk", texts.counts, phi)
    literal = documents_bound(texts, posterior.m, posterior.log_zeta, phi, lam, alpha)
    n, N = statistics(texts, phi)
    words = float((n * posterior.m).sum() - (N * posterior.log_zeta).sum() - (docs.slack * docs.lengths).sum())
    bound = from_python(_document_bound)
    each = [
        bound(row[row > 0], p[row > 0].astype(np.float32).ravel(), alpha, x)
        for row, p, x in zip(texts.counts, phi, lam, strict=True)
    ]
    np.testing.assert_allclose(sum(each) + words, literal, rtol=SINGLE, atol=0)


def test_the_bound_of_a_sampled_look_is_below_the_best(docs, posterior, alpha):
    settings = {local: Settings(local, 1, 0.0, False, 6, 1.0, 1.0) for local in ("sampled", "mean-field")}
    bounds = {local: local_step(docs, posterior, Progress(alpha), Shares.fresh(docs, alpha, local), how).bound
              for local, how in settings.items()}  # fmt: skip
    assert bounds["sampled"] < bounds["mean-field"] + 1e-9
    assert bounds["sampled"] > bounds["mean-field"] - 0.1 * abs(bounds["mean-field"])


def test_the_seed_decides_and_the_number_of_threads_does_not(counts, structure, posterior, alpha):
    docs = place_documents(
        sp.vstack([counts] * 40, "csr"), np.tile(structure.nodes, 48), structure.kernel, structure.nodes, np.zeros(7)
    )
    results = []
    for n in (1, None):
        with threads(n):
            results.append(sample(docs, posterior, alpha))
    np.testing.assert_array_equal(results[0][0], results[1][0])
    np.testing.assert_array_equal(results[0][1].n, results[1][1].n)
    assert np.abs(sample(docs, posterior, alpha, seed=2)[0] - results[0][0]).max() > 1e-3


def test_random_numbers_are_even_and_streams_apart():
    drawn = np.empty((50, 2000))
    for d in range(50):
        x = stream(3, d)
        for i in range(2000):
            x = next_state(np.uint64(x))
            drawn[d, i] = unit(np.uint64(x))
    assert drawn.min() >= 0
    assert drawn.max() < 1
    np.testing.assert_allclose(np.histogram(drawn, 20, (0, 1))[0] / drawn.size, 0.05, rtol=0, atol=0.004)
    assert np.abs(np.corrcoef(drawn)[np.triu_indices(50, 1)]).max() < 0.1
    assert len(np.unique(drawn[:, 0])) == 50


def test_a_word_impossible_under_all_topics_is_judged_by_the_others(posterior, alpha):
    docs = documents_at_nodes(sp.csr_array(np.eye(1, 7, 3) * 5), np.array([0]))
    topics, lam = given_topics(posterior), uniform_lambda(docs, alpha)
    topics.logits[:, :, 3] = -1e6
    stats = sampled_step(docs, topics, alpha, Chains.of(docs), lam, 0, (2, 4))
    np.testing.assert_allclose(lam.sum(), alpha.sum() + 5, rtol=1e-9, atol=0)
    np.testing.assert_allclose(stats.n.sum(), 5.0, rtol=SINGLE, atol=0)


@pytest.mark.parametrize("share", [0.25, 0.01])
def test_fractions_of_tokens_are_counted(posterior, alpha, share):
    docs = documents_at_nodes(sp.csr_array(np.array([[1.0, 0.0, 2.0, 0.0, 0.0, 0.0, 3.0]]) * share), np.array([1]))
    lam, stats = sample(docs, posterior, alpha)
    np.testing.assert_allclose(lam.sum(), alpha.sum() + 6 * share, rtol=SINGLE, atol=0)
    np.testing.assert_allclose(stats.n.sum(axis=(0, 1)), docs_row(docs), rtol=SINGLE, atol=0)


def docs_row(docs):
    """The only document's counts, (V,)."""
    return dense_texts(docs, 5, 7).counts[0]
