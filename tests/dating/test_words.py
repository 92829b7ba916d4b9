"""What words say about dates: tables against plain sums, regressions against their gradients."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import approx_fprime
from scipy.special import log_softmax

from chronotope.dating import regression
from chronotope.dating.regression import class_scores, fit_classes, near_bins
from chronotope.dating.usage import PULL, date_prior, usage_counts, usage_table
from chronotope.dating.weights import damped, inverse_frequencies, profiles
from chronotope.dating.words import CURVES, WordDates, between, cell_of

D, V, C = 60, 12, 10
TIMES = np.arange(1900.0, 1900.0 + C)
EDGES = np.append(TIMES, 1900.0 + C)


@pytest.fixture
def counts(rng):
    """Words that rise and fall, and a document without words."""
    cell = np.arange(D) % C
    peak = np.linspace(0, C, V)
    dense = rng.poisson(3.0 * np.exp(-0.5 * ((cell[:, None] - peak) / 1.5) ** 2) + 0.1)
    dense[7] = 0
    return sp.csr_array(dense)


@pytest.fixture
def times():
    return TIMES[np.arange(D) % C]


def test_a_second_token_says_less_than_the_first(counts):
    np.testing.assert_allclose(damped(counts).toarray(), np.log2(1 + counts.toarray()), rtol=1e-12, atol=0)


def test_profiles_have_length_one_or_no_words(counts):
    dense = counts.toarray()
    idf = 1 + np.log((1 + D) / (1 + (dense > 0).sum(axis=0)))
    np.testing.assert_allclose(inverse_frequencies(counts), idf, rtol=1e-12, atol=0)
    expected = np.log1p(dense) * idf
    expected /= np.maximum(np.linalg.norm(expected, axis=1, keepdims=True), 1e-12)
    np.testing.assert_allclose(profiles(counts, idf).toarray(), expected, rtol=1e-10, atol=1e-15)


def test_usage_is_that_of_plain_sums(counts, times):
    used = usage_counts(counts, cell_of(times, EDGES), C)
    dense = np.log2(1 + counts.toarray())
    np.testing.assert_allclose(used, [dense[times == t].sum(axis=0) for t in TIMES], rtol=1e-12, atol=1e-12)
    table = usage_table(used, TIMES, 1.5)
    whole = (used.sum(axis=0) + 0.5) / (used.sum() + 0.5 * V)
    for c in range(C):
        near = np.exp(-0.5 * ((TIMES[c] - TIMES) / 1.5) ** 2) @ used
        np.testing.assert_allclose(table[c], np.log((near + PULL * whole) / (near.sum() + PULL)), rtol=1e-10, atol=0)
    np.testing.assert_allclose(np.exp(table).sum(axis=1), 1.0, rtol=1e-10, atol=0)


def test_the_prior_on_dates_follows_the_documents():
    documents = np.array([0.0, 0, 30, 1, 0, 0, 0, 0, 0, 0])
    prior = np.exp(date_prior(documents, TIMES, 1.0))
    assert prior.argmax() == 2
    assert prior.min() > 0.0
    assert prior.sum() == pytest.approx(1.0)


def test_the_regression_is_at_its_optimum(counts, times, monkeypatch):
    monkeypatch.setattr(regression, "STEPS", 2_000)
    X, targets = profiles(counts, inverse_frequencies(counts)), near_bins(times, TIMES[::3])
    np.testing.assert_allclose(targets.sum(axis=1), 1.0, rtol=1e-12, atol=0)
    penalty = 0.3
    W = fit_classes(X, targets, penalty)

    def loss(flat):
        weights = flat.reshape(W.shape)
        return -(targets * class_scores(X, weights)).sum() / D + 0.5 * penalty * (weights[:-1] ** 2).sum() / D

    np.testing.assert_allclose(approx_fprime(W.ravel(), loss, 1e-6), 0.0, rtol=0, atol=2e-5)
    logits = X.toarray() @ W[:-1] + W[-1]
    np.testing.assert_allclose(class_scores(X, W), log_softmax(logits, axis=1), rtol=1e-10, atol=1e-12)


def test_times_stand_in_the_cell_that_begins_before_them():
    np.testing.assert_array_equal(cell_of(np.array([1899.0, 1900.0, 1900.9, 1901.0, 1950.0]), EDGES), [0, 0, 0, 1, 9])


def test_between_nodes_values_are_linear_and_flat_beyond():
    found = between(np.array([[0.0, 2.0, 1.0]]), np.array([0.0, 1.0, 3.0]), np.array([-1.0, 0.5, 1.0, 2.0, 9.0]))
    np.testing.assert_allclose(found, [[0.0, 1.0, 2.0, 1.5, 1.0]], rtol=1e-12, atol=0)
    np.testing.assert_array_equal(between(np.array([[4.0]]), np.array([1.0]), TIMES), np.full((1, C), 4.0))


def test_curves_peak_at_the_date_and_say_nothing_of_a_document_without_words(counts, times):
    words = WordDates.learn(counts, times, TIMES, EDGES)
    curves = words.curves(counts)
    assert len(curves) == len(CURVES) - 1
    assert curves[0].argmax(axis=1)[0] in (0, 1)
    np.testing.assert_array_equal(curves[:-1, 7], 0.0)
    np.testing.assert_allclose(curves[-1, 7], words.prior, rtol=1e-12, atol=0)
    errors = np.abs(TIMES[curves[:-1].argmax(axis=2)] - times)
    assert errors.mean(axis=1).max() < 2.5
