"""Times at which documents with rough dates may be."""

import numpy as np
import pytest

from chronotope.dates.candidates import CANDIDATES, Candidates, candidate_times, settled_dates
from chronotope.dates.rough import UNKNOWN, RoughDates

YEARS = np.arange(1900.0, 1960.0)


def interval(first, last):
    return [(first, first, last, last)]


def test_years_are_the_candidates_of_a_corpus_of_years():
    times, edges = candidate_times(YEARS, 1900.0, 1960.0)
    np.testing.assert_array_equal(times, YEARS)
    np.testing.assert_array_equal(edges, np.arange(1900.0, 1961.0))


def test_gaps_and_what_is_beyond_exact_dates_have_candidates_too():
    exact = np.delete(YEARS, [*range(20, 40), 50])
    times, edges = candidate_times(exact, 1890.0, 1965.0)
    np.testing.assert_allclose(times, np.arange(1890.0, 1965.0), rtol=0, atol=1e-9)
    assert edges[-1] == 1965.0


def test_candidates_among_many_days_are_some_of_them():
    exact = np.linspace(1900.0, 1960.0, 5_000)
    times, edges = candidate_times(exact, 1900.0, 1960.1)
    assert len(times) == CANDIDATES
    assert np.isin(times, exact).all()
    assert edges[-1] >= 1960.1


def test_a_stray_date_does_not_make_the_candidates_of_the_others_coarser():
    for first in (1000.0, 1900.0):
        times, _ = candidate_times(np.unique(np.append(YEARS, first)), first, 1960.0)
        np.testing.assert_array_equal(times[times >= 1900.0], YEARS)
        assert len(times) <= 130


def test_without_exact_dates_candidates_fill_the_rough_ones():
    rough = RoughDates.of([(0, interval(1930, 1940)), (1, interval(1940, 1950))])
    where = Candidates.of(np.array([1935.0, 1945.0]), rough)
    np.testing.assert_allclose(where.mass[where.date] @ where.times, [1935.0, 1945.0], rtol=0, atol=0.1)
    np.testing.assert_allclose(where.middles, [1935.0, 1945.0], rtol=0, atol=0.1)


def test_a_rough_date_that_leaves_one_candidate_is_exact():
    rough = RoughDates.of([(60, interval(1931, 1932)), (61, interval(1930, 1940))])
    times, left = settled_dates(np.append(YEARS, [1931.5, 1935.0]), rough)
    assert times[60] == 1931.0
    assert left is not None
    np.testing.assert_array_equal(left.document, [61])
    where = Candidates.of(times, left)
    some = where.mass[0] > 0
    np.testing.assert_array_equal(where.times[some], np.arange(1930.0, 1940.0))
    np.testing.assert_allclose(where.mass[0][some], 0.1, rtol=1e-12, atol=0)
    assert settled_dates(times, rough.take(np.arange(61)))[1] is None


def test_an_unknown_date_may_be_anywhere_among_the_exact_ones():
    where = Candidates.of(np.append(YEARS, 1930.0), RoughDates.of([(60, [UNKNOWN])]))
    np.testing.assert_array_equal(where.reach, YEARS[[0, -1]])
    np.testing.assert_allclose(where.mass, 1 / 60, rtol=1e-9, atol=0)


def test_equal_dates_share_their_candidates():
    rough = RoughDates.of([(60, interval(1930, 1940)), (61, [UNKNOWN]), (62, interval(1930, 1940))])
    where = Candidates.of(np.append(YEARS, [1935.0, 1930.0, 1935.0]), rough)
    assert where.date[0] == where.date[2] != where.date[1]
    assert len(where.mass) == 2


@pytest.mark.parametrize("exact", [[], [1900.0], [1900.0, 1900.3, 1947.2], [1900.25, 1930.0]], ids=str)
def test_all_mass_of_a_date_is_at_candidates(exact):
    dates = [interval(1890, 1901), interval(1930.1, 1930.2), [UNKNOWN], interval(1960, 1999)]
    dates += [interval(1890, 1891) + interval(1955, 1957), [(-np.inf, -np.inf, 1910.0, 1915.0)]]
    middle = [1895.0, 1930.0, 1930.0, 1980.0, 1900.0, 1905.0]
    where = Candidates.of(np.append(exact, middle), RoughDates.of(enumerate(dates, len(exact))))
    np.testing.assert_allclose(where.mass.sum(axis=1), 1.0, rtol=1e-9, atol=0)
    assert np.all(np.diff(where.times) > 0)
