"""Periods begin at round times, cover every document and are called what people call them."""

from __future__ import annotations

import numpy as np
import pytest

from chronotope.analysis import choose_periods
from chronotope.dates.decimal import parse_times

DATES = (1790.02, 2026.15)


def dates(*texts: str) -> np.ndarray:
    return parse_times(texts).values


def test_decades_begin_at_round_years() -> None:
    periods = choose_periods("decade", DATES, True)
    np.testing.assert_array_equal(periods.edges, np.arange(1790, 2031, 10))
    assert periods.names[:2] == ["1790 to 1799", "1800 to 1809"]
    assert len(periods.names) == 24


@pytest.mark.parametrize(
    ("given", "first", "edges"),
    [
        ("year", "2001", ["2001", "2002", "2003"]),
        ("quarter", "2001-01 to 2001-03", ["2001-01-01", "2001-04-01", "2001-07-01"]),
        ("month", "2001-02", ["2001-02-01", "2001-03-01", "2001-04-01"]),
        ("2 months", "2001-01 to 2001-02", ["2001-01-01", "2001-03-01", "2001-05-01"]),
        ("week", "2001-02-12 to 2001-02-18", ["2001-02-12", "2001-02-19", "2001-02-26"]),  # Mondays
        ("day", "2001-02-14", ["2001-02-14", "2001-02-15", "2001-02-16"]),
    ],
)
def test_calendar_periods_begin_where_the_calendar_does(given: str, first: str, edges: list[str]) -> None:
    start, end = dates("2001-02-14", "2002-12-31")
    periods = choose_periods(given, (start, end), True)
    assert periods.names[0] == first
    np.testing.assert_allclose(periods.edges[:3], dates(*edges), rtol=1e-12)
    assert periods.edges[-1] > end


@pytest.mark.parametrize("span", [DATES, (2001.1, 2001.2), (2001.0, 2001.0), (1.0, 2020.0), (1999.5, 2009.3)])
@pytest.mark.parametrize("calendar", [True, False])
def test_a_length_left_open_makes_at_most_forty_periods_that_cover_the_span(
    span: tuple[float, float], calendar: bool
) -> None:
    periods = choose_periods(None, span, calendar)
    assert 1 <= len(periods.names) <= 41
    assert len(set(periods.names)) == len(periods.names)
    assert periods.edges[0] <= span[0] + 1e-9
    assert periods.edges[-1] > span[1]


def test_numbers_stay_numbers() -> None:
    periods = choose_periods(2.5, (0.0, 7.0), False)
    np.testing.assert_array_equal(periods.edges, [0, 2.5, 5, 7.5])
    assert periods.names == ["0 to 2.5", "2.5 to 5", "5 to 7.5"]
    assert list(periods.columns(False).columns) == ["period", "start", "end", "time"]


def test_edges_are_taken_as_given_and_the_last_holds_its_end() -> None:
    periods = choose_periods(["1800", "1850-06-01", "1900"], DATES, True)
    placed = periods.place(np.array([1799.0, 1800.0, 1850.5, 1900.0, 1900.1]))
    np.testing.assert_array_equal(placed, [-1, 0, 1, 1, -1])
    assert periods.columns(True)["start_date"].tolist() == ["1800-01-01", "1850-06-01"]


@pytest.mark.parametrize("given", ["", "soon", 0, -1, "0 years", float("nan"), [1800.0], "0 days"])
def test_what_is_no_period_is_refused(given: object) -> None:
    with pytest.raises(ValueError, match=r"periods|duration"):
        choose_periods(given, DATES, True)


def test_too_many_periods_are_refused() -> None:
    with pytest.raises(ValueError, match="choose a longer one"):
        choose_periods(1e-9, (0.0, 10.0), False)


def test_periods_of_the_calendar_are_refused_where_times_have_no_dates() -> None:
    with pytest.raises(ValueError, match=r'"1 month", but times up to 1e\+20 have no dates; pass edges'):
        choose_periods("month", (2000.0, 1e20), True)
