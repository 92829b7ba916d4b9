"""Polynomials against NumPy in double precision."""

import numpy as np
import pytest
from inner_loops import from_python

from chronotope.inference.simd import HIGHEST, LOWEST, entropies, exponentials

LAST_DIGITS = 4 * np.finfo(np.float32).eps


def run(f, x):
    result = x.copy()
    from_python(f)(result)
    return result


def test_exponentials_are_accurate_to_the_last_digits():
    x = np.linspace(LOWEST, HIGHEST, 100_001).astype(np.float32)
    np.testing.assert_allclose(run(exponentials, x), np.exp(x.astype(np.float64)), rtol=LAST_DIGITS, atol=0)


def test_exponentials_beyond_single_precision_stay_finite_and_positive():
    ends = run(exponentials, np.array([-1e6, -np.inf, 1e6, np.inf], np.float32))
    np.testing.assert_allclose(ends, np.exp(np.array([LOWEST, LOWEST, HIGHEST, HIGHEST], float)), rtol=1e-6, atol=0)


def test_double_precision_is_left_to_the_exponential_of_the_machine():
    x = np.random.default_rng(0).normal(0, 5, 100)
    np.testing.assert_allclose(run(exponentials, x), np.exp(x), rtol=4 * np.finfo(np.float64).eps, atol=0)


@pytest.mark.parametrize("low", [1e-30, 1e-3, 0.5])
def test_entropies_are_accurate_and_nothing_has_none(low):
    x = np.geomspace(low, 1.0, 10_001).astype(np.float32)
    exact = -x.astype(np.float64) * np.log(x.astype(np.float64))
    np.testing.assert_allclose(run(entropies, x), exact, rtol=1e-6, atol=1e-7)
    assert run(entropies, np.zeros(3, np.float32)).tolist() == [0.0, 0.0, 0.0]
