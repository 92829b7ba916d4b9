"""The collapsed local step without chance, against explicit loops."""

import numpy as np
import pytest
import scipy.sparse as sp
from reference import dense_texts, likelihoods

from chronotope.inference.cvb0 import collapsed_shares
from chronotope.inference.documents import documents_at_nodes, uniform_lambda

TO_THE_END = (5000, 1e-14)


def shares(docs, posterior, alpha, limits=TO_THE_END, dtype=np.float64):
    lam = uniform_lambda(docs, alpha)
    collapsed_shares(docs, posterior.expected_logits().astype(dtype), posterior.log_zeta, alpha, lam, limits)
    return lam


def explicit(docs, posterior, alpha, rounds):
    """λ, word after word:  φ_wk ∝ (λ_k − φ_wk) E[π_kw(τ)],  λ = α + Σ_w n_w φ_w at every moment."""
    J, K, V = posterior.m.shape
    texts, lam = dense_texts(docs, J, V), uniform_lambda(docs, alpha)
    for d, counts in enumerate(texts.counts):
        E, words, phi = likelihoods(texts, posterior, d), np.flatnonzero(counts), np.zeros((V, K))
        for v in words:
            phi[v] = lam[d] * E[:, v]
            phi[v] /= phi[v].sum()
        for _ in range(rounds):
            for v in words:
                phi[v] = (alpha + counts @ phi - phi[v]) * E[:, v]
                phi[v] /= phi[v].sum()
        lam[d] = alpha + counts @ phi
    return lam


@pytest.mark.parametrize(("limits", "rounds"), [((2, 1e-14), 2), (TO_THE_END, 400)], ids=["two rounds", "converged"])
def test_shares_are_those_of_explicit_loops(docs, posterior, alpha, limits, rounds):
    actual = shares(docs, posterior, alpha, limits)
    np.testing.assert_allclose(actual, explicit(docs, posterior, alpha, rounds), rtol=1e-8, atol=0)


def test_a_token_alone_is_judged_by_the_prior_and_its_word(posterior, alpha):
    """A document of one token has nobody to learn from:  φ ∝ α E[π]."""
    docs = documents_at_nodes(sp.csr_array(np.eye(1, 7, 3)), np.array([2]))
    share = alpha * np.exp(posterior.expected_logits()[2, :, 3] - posterior.log_zeta[2])
    found = shares(docs, posterior, alpha)[0] - alpha
    np.testing.assert_allclose(found, share / share.sum(), rtol=1e-9, atol=0)


def test_single_precision_shares_are_close_to_double(docs, posterior, alpha):
    single = shares(docs, posterior, alpha, dtype=np.float32)
    np.testing.assert_allclose(single, shares(docs, posterior, alpha), rtol=1e-4, atol=0)


@pytest.mark.parametrize("K", [8, 16, 20])
def test_the_bits_of_shares_do_not_depend_on_where_arrays_lie_in_memory(K):
    """Small arrays side by side and far apart: sums over topics have one order."""
    rng = np.random.default_rng(K)
    logits = rng.normal(0, 2, (2, K, 30)).astype(np.float32)
    docs = documents_at_nodes(sp.csr_array(rng.poisson(0.4, (100, 30)).astype(float)), np.repeat([0, 1], 50))
    alpha, kept, found = np.full(K, 0.1), [], set()
    for _ in range(40):
        lam = uniform_lambda(docs, alpha)
        collapsed_shares(docs, logits, np.log(np.exp(logits.astype(float)).sum(axis=2)), alpha, lam)
        found.add(lam.tobytes())
        kept.append([np.empty(size) for size in rng.integers(1, 200, rng.integers(0, 40))])
        del kept[: rng.integers(0, 2)]
    assert len(found) == 1


def test_words_impossible_under_all_topics_leave_the_prior(posterior, alpha):
    docs = documents_at_nodes(sp.csr_array(np.eye(1, 7, 3) * 5), np.array([0]))
    logits = posterior.expected_logits()
    logits[:, :, 3] = -1e6
    lam = uniform_lambda(docs, alpha)
    collapsed_shares(docs, logits, posterior.log_zeta, alpha, lam)
    np.testing.assert_allclose(lam[0], alpha, rtol=1e-9, atol=0)
