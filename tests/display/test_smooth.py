"""Tokens and shares around a time."""

import numpy as np

from chronotope.display.smooth import shares_around, tokens_around

TIMES = np.array([0.0, 10.0, 100.0])
MASS = np.array([[3.0, 1.0], [1.0, 1.0], [0.0, 5.0]])


def test_tokens_are_weighted_by_a_gaussian_of_a_fiftieth_of_the_span():
    at = np.array([0.0, 9.0])
    weight = np.exp(-0.5 * ((at[:, None] - TIMES) / 2.0) ** 2) + 1e-12
    np.testing.assert_allclose(tokens_around(at, TIMES, MASS, 100.0), weight @ MASS, rtol=1e-12)


def test_shares_sum_to_one_also_in_gaps_and_at_a_single_time():
    shares = shares_around(np.linspace(0.0, 100.0, 21), TIMES, MASS, 100.0)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(shares[10], MASS.sum(axis=0) / MASS.sum(), rtol=1e-6)  # far from all: the average
    np.testing.assert_allclose(
        shares_around(np.array([5.0]), np.array([5.0]), MASS[:1], 0.0), [[0.75, 0.25]], rtol=1e-9
    )


def test_a_span_without_length_has_times_apart_from_each_other_without_a_warning():
    times, mass = np.array([5.0, 6.0, 1e300]), np.array([[3.0, 1.0], [1.0, 1.0], [0.0, 2.0]])
    near = np.eye(3) + 1e-12
    np.testing.assert_allclose(tokens_around(times, times, mass, 0.0), near @ mass, rtol=1e-12, atol=0)


def test_far_times_have_the_weight_that_the_gaussian_gives():
    at, times = np.zeros(1), np.linspace(0.0, 100.0, 1001)
    weight = np.exp(-0.5 * ((at[:, None] - times) / 2.0) ** 2) + 1e-12
    np.testing.assert_array_equal(tokens_around(at, times, np.eye(1001), 100.0), weight @ np.eye(1001))


def test_shares_without_any_tokens_are_equal():
    np.testing.assert_array_equal(shares_around(TIMES, TIMES, np.zeros((3, 4)), 100.0), np.full((3, 4), 0.25))
