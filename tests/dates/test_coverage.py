"""Where there is text: stretches of time, gaps, the main span, and the resolution of a grid."""

import numpy as np
import pytest

from chronotope.dates.coverage import MOST, Coverage

DAYS = 1861.0 + np.arange(0, 40, 1 / 100)


def test_far_documents_are_stretches_of_their_own_and_not_in_the_main_span():
    coverage = Coverage.of(np.concatenate([[1628.0], DAYS, [9952.0]]))
    assert coverage.main_span == (DAYS[0], DAYS[-1])
    starts, ends = coverage.stretches()
    np.testing.assert_array_equal(starts, [1628.0, DAYS[0], 9952.0])
    np.testing.assert_array_equal(ends, [1628.0, DAYS[-1], 9952.0])
    np.testing.assert_array_equal(coverage.in_main(np.array([1628.0, 1870.0, 9952.0])), [False, True, False])


def test_nothing_is_held_in_a_gap_and_everything_outside_of_it():
    years = np.concatenate([DAYS[DAYS < 1870], DAYS[DAYS > 1880]])
    held = Coverage.of(years).holds(np.array([1850.0, 1861.0, 1869.9, 1872.0, 1879.0, 1880.5, 1900.9, 1902.0]))
    np.testing.assert_array_equal(held, [False, True, True, False, False, True, True, False])


def test_a_lonely_document_is_within_reach_of_its_place_on_a_grid():
    coverage, at = Coverage.of(np.concatenate([DAYS, [1930.3]])), np.array([1929.0, 1930.0, 1931.0])
    np.testing.assert_array_equal(coverage.holds(at), [False, False, False])
    np.testing.assert_array_equal(coverage.holds(at, 0.5), [False, True, False])


@pytest.mark.parametrize(
    "times",
    [
        1800.0 + np.arange(100.0),  # years
        np.concatenate([1990.9 + year + np.arange(10) / 365 for year in range(17)]),  # a meeting of ten days every year
        1900.0 + np.cumsum(np.random.default_rng(0).exponential(3.0, 30)),  # a few documents at random
        np.array([5.0]),
        np.array([5.0, 9.0]),
    ],
)
def test_usual_pauses_are_no_gaps(times):
    starts, ends = Coverage.of(times).stretches()
    assert (starts, ends) == ([times.min()], [times.max()])


def test_of_many_times_some_are_kept_with_all_documents_and_the_gaps():
    times = np.concatenate([np.linspace(0.0, 4.0, 3 * MOST), np.linspace(6.0, 10.0, 3 * MOST)])
    coverage = Coverage.of(times)
    assert len(coverage.times) <= MOST
    assert coverage.documents.sum() == len(times)
    starts, ends = coverage.stretches()
    np.testing.assert_allclose(np.concatenate([starts, ends]), [0.0, 6.0, 4.0, 10.0], rtol=0, atol=2e-3)


def test_documents_that_come_later_join():
    whole = Coverage.of(DAYS)
    joined = Coverage.of(DAYS[: len(DAYS) // 2]).joined(DAYS[len(DAYS) // 2 :])
    np.testing.assert_array_equal(joined.times, whole.times)
    np.testing.assert_array_equal(joined.documents, whole.documents)
    assert joined.main_span == whole.main_span


def test_the_resolution_is_the_distance_of_nodes_around_most_documents_and_0_if_every_time_is_a_node():
    coverage = Coverage.of(np.repeat(1900.0 + np.arange(21.0), 2))
    assert coverage.resolution(1900.0 + np.arange(21.0)) == 0.0
    assert coverage.resolution(1900.0 + 4.0 * np.arange(6)) == 4.0
    assert Coverage.of(np.array([1000.0, *1900.0 + np.arange(21.0)])).resolution(1900.0 + np.arange(21.0)) == 0.0


def test_documents_around_times_are_those_that_are_nearest():
    coverage = Coverage.of(np.array([0.0, 0.4, 0.6, 1.0, 1.0, 2.0, 50.0]))
    np.testing.assert_array_equal(coverage.around(np.array([0.0, 1.0, 2.0])), [2, 3, 1])
