"""Operations on eight numbers at a time against NumPy in double precision."""

import numpy as np
import pytest
from inner_loops import from_python
from numba import njit

from chronotope.inference.lanes import LANES, add_product, add_scaled, dot, mix, padded

SIZE = 3 * LANES
LAST_DIGITS = 8 * np.finfo(np.float32).eps

offsets = pytest.mark.parametrize("j", [0, 3, LANES, SIZE - LANES])


@pytest.fixture
def arrays(rng):
    """Three arrays of single precision, longer than eight."""
    return rng.normal(size=(3, SIZE)).astype(np.float32)


def changed(operation, j, target, *given):
    """The target after an operation on the eight numbers from j on."""
    result = target.copy()
    numbers = [np.float32(x) if np.isscalar(x) else x for x in given]
    from_python(operation)(result, *numbers, j)
    return result


def expected(target, j, values):
    """The target with these values in the place of its eight numbers from j on."""
    result = target.astype(np.float64)
    result[j : j + LANES] = values[j : j + LANES]
    return result


def test_sizes_are_rounded_up_to_eights():
    assert [padded(n) for n in (0, 1, 7, 8, 9, 20, 24)] == [0, 8, 8, 8, 16, 24, 24]


@offsets
def test_a_dot_product_is_that_of_the_eight(arrays, j):
    a, b, _ = arrays
    at = slice(j, j + LANES)
    exact = a[at].astype(np.float64) @ b[at].astype(np.float64)
    np.testing.assert_allclose(from_python(dot)(a, b, j), exact, rtol=0, atol=LAST_DIGITS * np.abs(a[at] * b[at]).sum())


@offsets
def test_a_product_is_added_to_the_eight_and_to_no_other(arrays, j):
    target, a, b = arrays
    exact = expected(target, j, target + 0.3 * a.astype(np.float64) * b)
    np.testing.assert_allclose(changed(add_product, j, target, a, b, 0.3), exact, rtol=0, atol=10 * LAST_DIGITS)


@offsets
def test_a_multiple_is_added_to_the_eight_and_to_no_other(arrays, j):
    target, a, _ = arrays
    exact = expected(target, j, target - 1.7 * a.astype(np.float64))
    np.testing.assert_allclose(changed(add_scaled, j, target, a, -1.7), exact, rtol=0, atol=10 * LAST_DIGITS)


@offsets
def test_a_mixture_replaces_the_eight_and_no_other(arrays, j):
    target, a, b = arrays
    exact = expected(target, j, 0.25 * a.astype(np.float64) + 0.75 * b)
    np.testing.assert_allclose(changed(mix, j, target, a, b, 0.25, 0.75), exact, rtol=0, atol=10 * LAST_DIGITS)


def test_rows_of_a_table_are_taken_as_they_lie(rng):
    """Eight at a time, a whole row of a table is summed."""
    table = rng.random((4, SIZE)).astype(np.float32)

    @njit
    def row_product(x, i, k):
        total = np.float32(0.0)
        for j in range(0, x.shape[1], LANES):
            total += dot(x[i], x[k], j)
        return total

    for i, k in ((0, 0), (1, 3), (3, 2)):
        exact = table[i].astype(np.float64) @ table[k]
        np.testing.assert_allclose(row_product(table, i, k), exact, rtol=2 * LAST_DIGITS, atol=0)
