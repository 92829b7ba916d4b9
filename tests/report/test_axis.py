"""Times on the axes of a report."""

from __future__ import annotations

import numpy as np

from chronotope.report.axis import some_of, time_marks, time_namer


def test_times_beyond_all_dates_are_numbers_on_axes() -> None:
    for times in (np.array([2000.0, 1e20]), np.array([-1e18, 2000.0])):
        assert [time_namer(times, True)(time) for time in times] == [f"{time:.2g}" for time in times]
    assert time_marks((1e15, 1e15 + 2.0), True)[0] == (1e15, "1e+15")


def test_some_of_the_times_are_even_and_have_both_ends() -> None:
    places = np.array([0, 1, 2, 3, 10, 11, 12, 13, 14])
    assert some_of(places, 3).tolist() == [0, 10, 14]
    assert some_of(places, 100).tolist() == places.tolist()
    assert some_of(places[:1], 1).tolist() == [0]
    assert some_of(places, 1).tolist() == [0, 14]
