"""Times on the axes of a report."""

from __future__ import annotations

import numpy as np

from chronotope.report.axis import time_marks, time_namer


def test_times_beyond_all_dates_are_numbers_on_axes() -> None:
    for times in (np.array([2000.0, 1e20]), np.array([-1e18, 2000.0])):
        assert [time_namer(times, True)(time) for time in times] == [f"{time:.2g}" for time in times]
    assert time_marks((1e15, 1e15 + 2.0), True)[0] == (1e15, "1e+15")
