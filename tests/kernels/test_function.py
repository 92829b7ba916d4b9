"""Custom kernels, from a function of the user."""

import numpy as np
import pytest

from chronotope.kernels import FunctionKernel, SquaredExponential

X = np.array([-1.0, 0.0, 0.4, 2.0])


def smooth(x, y, variance, length):
    return variance * np.exp(-0.5 * ((x - y) / length) ** 2)


def test_a_custom_kernel_equals_the_built_in_kernel_of_the_same_formula():
    own, built_in = FunctionKernel(smooth, variance=3, length=0.7), SquaredExponential(3, 0.7)
    np.testing.assert_allclose(own(X, X[:2]), built_in(X, X[:2]), rtol=1e-14, atol=0)
    np.testing.assert_allclose(own.theta, built_in.theta, rtol=1e-15, atol=0)


def test_diagonal_of_many_times_never_needs_the_whole_matrix():
    sizes = []

    def noted(x, y):
        sizes.append(max(x.size, y.size))
        return np.exp(-np.abs(x - y))

    np.testing.assert_array_equal(FunctionKernel(noted).diag(np.arange(1000.0)), np.ones(1000))
    assert max(sizes) <= 128


def test_negative_and_zero_parameters_are_kept_and_not_learned():
    kernel = FunctionKernel(lambda x, y, a, b, c: a * np.exp(-((x - y) ** 2)) + b + c, "mine", a=2, b=0, c=-0.5)
    assert kernel.theta_names == ("a",)
    assert kernel.with_theta([0.0]).parameters == {"a": 1.0, "b": 0.0, "c": -0.5}
    assert kernel.text == "mine(a=2, b=0, c=-0.5)"
    assert kernel.is_resolved
    assert kernel.resolve(0, 1) is kernel


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (lambda x, y: 1.0, r"returned shape \(\) for"),
        (lambda x, y: x, r"return one covariance for each pair"),
        (lambda x, y: x + y + np.nan, "not finite real numbers"),
        (lambda x, y: np.exp(1j * (x - y)), "not finite real numbers"),
        (lambda x, y: x - y, "not symmetric"),
    ],
)
def test_functions_that_are_not_covariances_are_refused_at_the_first_call(function, sentence):
    with pytest.raises(ValueError, match=sentence):
        FunctionKernel(function)(X, X[:3])


@pytest.mark.parametrize("name", ["ou", "Matern32", "two words", "", "1st", None])
def test_names_that_text_could_not_bring_back_are_refused(name):
    with pytest.raises(ValueError, match="pass one word"):
        FunctionKernel(smooth, name, variance=1, length=1)


@pytest.mark.parametrize("value", [None, np.nan, "1", True])
def test_parameters_that_are_not_finite_numbers_are_refused(value):
    with pytest.raises(ValueError, match=r"^length is .*; give each parameter of a custom kernel a finite number"):
        FunctionKernel(smooth, length=value)


def test_something_that_is_not_a_function_is_refused():
    with pytest.raises(ValueError, match="pass a function of x"):
        FunctionKernel("smooth")
