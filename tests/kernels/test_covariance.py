"""Covariance matrices and the parameters they depend on."""

import numpy as np
import pytest
import sklearn.gaussian_process.kernels as sklearn
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.kernels import (
    Cauchy,
    Constant,
    Kernel,
    Linear,
    Matern,
    OrnsteinUhlenbeck,
    Periodic,
    RationalQuadratic,
    SquaredExponential,
    White,
    Wiener,
)

TIMES = st.lists(st.floats(-4, 4).map(lambda t: round(t, 3)), min_size=1, max_size=8).map(np.array)
X = np.array([-2.0, -0.4, 0.3, 0.3, 1.7, 3.1])
Y = np.array([-1.1, 0.3, 2.2])


@settings(max_examples=15, deadline=None)
@given(x=TIMES)
def test_matrix_is_symmetric_positive_semi_definite(kernel, x):
    K = kernel(x)
    np.testing.assert_allclose(K, K.T, rtol=1e-13, atol=1e-13)
    assert np.linalg.eigvalsh(K).min() >= -1e-12 * np.trace(K)


@settings(max_examples=5, deadline=None)
@given(x=TIMES)
def test_diag_is_the_diagonal_of_the_matrix(kernel, x):
    np.testing.assert_allclose(kernel.diag(x), np.diag(kernel(x)), rtol=1e-14, atol=0)


def test_matrix_between_two_sets_of_times_is_a_block_of_the_joint_matrix(kernel):
    joint = kernel(np.concatenate([X, Y]))
    np.testing.assert_allclose(kernel(X, Y), joint[: len(X), len(X) :], rtol=1e-14, atol=0)
    assert kernel(X, Y).dtype == np.float64


def test_theta_holds_logarithms_of_the_named_parameters(kernel):
    named = [kernel.parameters[name] for name in kernel.theta_names]
    np.testing.assert_allclose(np.exp(kernel.theta), named, rtol=1e-15, atol=0)


def test_theta_round_trip(kernel):
    moved = kernel.with_theta(kernel.theta + 0.3)
    np.testing.assert_allclose(moved.theta, kernel.theta + 0.3, rtol=1e-13, atol=1e-13)
    back = moved.with_theta(kernel.theta)
    assert back.theta_names == kernel.theta_names
    np.testing.assert_allclose(back(X), kernel(X), rtol=1e-13, atol=0)


def test_values_are_set_in_the_order_of_the_theta_names(kernel):
    values = np.linspace(0.3, 0.7, len(kernel.theta_names))
    moved = kernel.with_values(values)
    np.testing.assert_array_equal([moved.parameters[name] for name in kernel.theta_names], values)
    assert moved.with_values(np.exp(kernel.theta)) == kernel.with_theta(kernel.theta)
    with pytest.raises(ValueError, match="one number for each of"):
        kernel.with_values(values[1:])


def test_theta_of_the_wrong_length_or_size_is_refused(kernel):
    with pytest.raises(ValueError, match="one number for each of"):
        kernel.with_theta(np.append(kernel.theta, 0.0))
    with pytest.raises(ValueError, match="positive and finite"):
        kernel.with_theta(np.full_like(kernel.theta, 1e5))


def test_time_shift_changes_nothing_for_stationary_kernels(stationary):
    np.testing.assert_allclose(stationary(X + 512.0, Y + 512.0), stationary(X, Y), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(
    ("single", "formula"),
    [
        (Wiener(0.7, 2.0, -4.0), lambda s, t: 2.0 + 0.7 * min(s + 4, t + 4)),
        (Wiener(0.7, 0.0, 4.0), lambda s, t: 0.7 * min(4 - s, 4 - t)),
        (Wiener(0.7, 2.0, 0.0), lambda s, t: 2.0 + (0.7 * min(abs(s), abs(t)) if s * t > 0 else 0)),
        (OrnsteinUhlenbeck(6, 1.5), lambda s, t: 6 * np.exp(-abs(s - t) / 1.5)),
        (SquaredExponential(3, 0.9), lambda s, t: 3 * np.exp(-((s - t) ** 2) / (2 * 0.9**2))),
        (Cauchy(4, 1.1), lambda s, t: 4 / (1 + (s - t) ** 2 / 1.1**2)),
        (RationalQuadratic(2, 0.6, 0.7), lambda s, t: 2 * (1 + (s - t) ** 2 / (2 * 0.7 * 0.6**2)) ** -0.7),
        (Matern(2, 0.8, 0.5), lambda s, t: 2 * np.exp(-abs(s - t) / 0.8)),
        (Matern(2, 0.8, 1.5), lambda s, t: matern32(abs(s - t) / 0.8)),
        (Matern(2, 0.8, 2.5), lambda s, t: matern52(abs(s - t) / 0.8)),
        (Periodic(1.5, 0.8, 2.3), lambda s, t: 1.5 * np.exp(-2 * np.sin(np.pi * (s - t) / 2.3) ** 2 / 0.8**2)),
        (Constant(2.5), lambda s, t: 2.5),
        (Linear(0.4, 0.3), lambda s, t: 0.4 * (s - 0.3) * (t - 0.3)),
        (White(0.1), lambda s, t: 0.1 * (s == t)),
        (
            OrnsteinUhlenbeck(6, 2) * Linear(1, 0) + 2.5 * White(0.1),
            lambda s, t: 6 * np.exp(-abs(s - t) / 2) * s * t + 0.25 * (s == t),
        ),
    ],
    ids=lambda value: "" if callable(value) and not isinstance(value, Kernel) else str(value),
)
def test_matrix_equals_the_closed_form(single, formula):
    expected = [[formula(s, t) for t in Y] for s in X]
    np.testing.assert_allclose(single(X, Y), expected, rtol=1e-13, atol=1e-15)


def matern32(r):
    return 2 * (1 + np.sqrt(3) * r) * np.exp(-np.sqrt(3) * r)


def matern52(r):
    return 2 * (1 + np.sqrt(5) * r + 5 * r**2 / 3) * np.exp(-np.sqrt(5) * r)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (OrnsteinUhlenbeck(1, 0.8), sklearn.Matern(0.8, nu=0.5)),
        (Matern(1, 0.8, 1.5), sklearn.Matern(0.8, nu=1.5)),
        (Matern(1, 0.8, 2.5), sklearn.Matern(0.8, nu=2.5)),
        (SquaredExponential(1, 0.8), sklearn.RBF(0.8)),
        (RationalQuadratic(1, 0.8, 0.7), sklearn.RationalQuadratic(0.8, alpha=0.7)),
        (Cauchy(1, 0.8), sklearn.RationalQuadratic(0.8 / np.sqrt(2), alpha=1)),
        (Periodic(1, 0.8, 2.3), sklearn.ExpSineSquared(0.8, periodicity=2.3)),
        (Constant(2.5), sklearn.ConstantKernel(2.5)),
        (White(0.1), sklearn.WhiteKernel(0.1)),
        (Linear(1, 0), sklearn.DotProduct(sigma_0=0)),
    ],
    ids=str,
)
def test_kernels_are_those_of_scikit_learn_that_the_docstrings_name(ours, theirs):
    times = np.unique(X)
    np.testing.assert_allclose(ours(times), theirs(times[:, None]), rtol=1e-12, atol=1e-15)


def test_rational_quadratic_of_shape_one_and_cauchy_are_the_same_family():
    np.testing.assert_allclose(RationalQuadratic(2, 1, 1)(X), Cauchy(2, np.sqrt(2))(X), rtol=1e-14, atol=0)


def test_no_times_give_an_empty_matrix(kernel):
    assert kernel([]).shape == (0, 0)
    assert kernel.diag([]).shape == (0,)


@pytest.mark.parametrize(("times", "sentence"), [([[1.0]], "one-dimensional"), ([1.0, np.nan], "1 of 2 times")])
def test_times_that_are_not_finite_numbers_in_a_row_are_refused(times, sentence):
    with pytest.raises(ValueError, match=sentence):
        OrnsteinUhlenbeck(1, 1)(times)
