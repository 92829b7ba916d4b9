"""Which times are outlying."""

import numpy as np
import pytest

from chronotope.dates.outlying import main_part

YEARS = np.repeat(np.arange(1950.0, 1960.0), 10)


@pytest.mark.parametrize("outlying", [[195.0], [9952.0], [195.0, 9952.0], [1628.0] * 10])
def test_far_times_are_outlying_and_no_others(outlying):
    times = np.concatenate([outlying, YEARS])
    np.testing.assert_array_equal(main_part(times), ~np.isin(times, outlying))


@pytest.mark.parametrize(
    "times", [YEARS, np.zeros(1), np.zeros(50), np.array([0.0, 1.0]), 2020.0 - np.geomspace(0.5, 9, 99)]
)
def test_an_even_or_a_growing_corpus_has_no_outlying_times(times):
    assert main_part(times).all()


def test_where_most_times_are_equal_no_others_are_outlying():
    assert main_part(np.array([2000.0] * 50 + [1000.0])).all()
