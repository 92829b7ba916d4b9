"""A kernel times a number, with the number in the variances of the kernel itself."""

import numpy as np
import pytest

from chronotope.kernels import Constant, FunctionKernel, Matern, OrnsteinUhlenbeck, Product, Sum, Wiener, scaled

X, Y = np.array([-1.3, 0.0, 0.4, 2.0, 2.0]), np.array([-0.7, 0.4, 3.1])


@pytest.mark.parametrize("factor", [1 / 3, 2.0])
def test_a_scaled_kernel_is_the_kernel_times_the_factor(kernel, factor):
    times = scaled(kernel, factor)
    np.testing.assert_allclose(times(X, Y), factor * kernel(X, Y), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(times(X), factor * kernel(X), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(times.diag(X), factor * kernel.diag(X), rtol=1e-12, atol=1e-14)


def test_a_scaled_kernel_stays_markov_with_the_same_state(markov):
    assert scaled(markov, 0.3).state_space().size == markov.state_space().size


def test_a_scaled_kernel_that_is_not_markov_stays_so(not_markov):
    assert scaled(not_markov, 0.3).state_space() is None


def test_the_factor_is_in_the_variances_and_nowhere_else():
    assert scaled(OrnsteinUhlenbeck(6.0, 50.0), 0.5) == OrnsteinUhlenbeck(3.0, 50.0)
    assert scaled(Constant(2.0) + OrnsteinUhlenbeck(6.0, 50.0), 0.5) == Constant(1.0) + OrnsteinUhlenbeck(3.0, 50.0)
    assert scaled(Wiener(0.7, 2.0, 0.5), 0.5) == Wiener(0.35, 1.0, 0.5)
    assert scaled(2.0 * OrnsteinUhlenbeck(6.0, 50.0), 0.5) == 1.0 * OrnsteinUhlenbeck(6.0, 50.0)


def test_what_a_functions_parameters_mean_is_not_guessed():
    def bumps(x, y, variance):
        return np.exp(-((x - y) ** 2)) * variance**2

    kernel = FunctionKernel(bumps, "bumps", variance=3.0)
    np.testing.assert_allclose(scaled(kernel, 0.25)(X, Y), 0.25 * kernel(X, Y), rtol=1e-12, atol=0)
    both = scaled(Sum(kernel, Constant(1.0)), 0.25)
    np.testing.assert_allclose(both(X, Y), 0.25 * (kernel(X, Y) + 1.0), rtol=1e-12, atol=0)


def test_a_product_whose_state_would_be_large_has_none():
    m = Matern(1.0, 2.0, 2.5)
    assert (m * m * m).state_space().size == 27
    assert Product(*[m] * 4).state_space() is None
    assert Product(*[m] * 50).state_space() is None
    assert (Product(*[m] * 4) + Constant(1.0)).state_space() is None
