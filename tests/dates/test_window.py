"""Windows of time: from one date to another, both included."""

import numpy as np
import pytest

from chronotope.dates.decimal import decimal_years
from chronotope.dates.window import time_window

DATES = np.array(["1949-12-31", "1950-01-01", "1959-03-04", "1959-12-31", "1960-01-01"], "datetime64[us]")


@pytest.mark.parametrize(
    ("start", "end", "inside"),
    [
        ("1950", "1959", [1, 2, 3]),
        (1950, 1959, [1, 2, 3]),
        (None, "1959-03", [0, 1, 2]),
        ("1959-03-04", "1959-03-04", [2]),
        ("March 1959", None, [2, 3, 4]),
        (np.datetime64("1959-12-31"), None, [3, 4]),
    ],
)
def test_the_last_year_month_or_day_is_included_whole(start, end, inside):
    window = time_window(start, end)
    np.testing.assert_array_equal(np.flatnonzero([window.holds(date) for date in DATES]), inside)
    np.testing.assert_array_equal(np.flatnonzero(window.chosen(decimal_years(DATES), calendar=True)), inside)


def test_numbers_are_compared_as_numbers():
    window, times = time_window(2.5, 4), np.array([2.0, 2.5, 4.0, 4.5])
    np.testing.assert_array_equal(window.chosen(times, calendar=False), [False, True, True, False])
    assert [window.holds(time) for time in times] == [False, True, True, False]


def test_no_bounds_are_no_window():
    assert time_window() is None


@pytest.mark.parametrize(("start", "end", "words"), [("n.d.", None, "start is 'n.d.'"), (1960, 1950, "not before")])
def test_what_is_no_window_is_refused(start, end, words):
    with pytest.raises(ValueError, match=words):
        time_window(start, end)
