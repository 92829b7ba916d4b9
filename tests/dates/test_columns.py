"""Time formats: a column of times is read as what it is, and one wrong guess is noticed."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.dates.columns import TimeFormat, choose_time_format, write_time
from chronotope.dates.decimal import parse_times


def read_all(values: list[Any], day_first: bool | None = None) -> list[Any]:
    found = choose_time_format(values, day_first)
    return [written(found, value) for value in values]


def written(found: TimeFormat, value: Any) -> str | float | None:
    time = found.read(value)
    return None if time is None else write_time(time)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["1861-03-04", "March 5, 1861", "1862", 1863], ["1861-03-04", "1861-03-05", "1862", "1863"]),
        (["1864-05", "2004-05-01T10:30+02:00"], ["1864-05-01", "2004-05-01T08:30:00"]),
        (["1861", "1862"], ["1861", "1862"]),
        ([1861, 1862.0, np.int64(1863)], ["1861", "1862", "1863"]),
        (["18610304", "18620304"], ["1861-03-04", "1862-03-04"]),
        ([18610304, 18611332], [18610304.0, 18611332.0]),  # the second is no day, so they are numbers
        ([0.5, "12.5", 3], [0.5, 12.5, 3.0]),
        ([1234567890, 1234567890.5], ["2009-02-13T23:31:30", "2009-02-13T23:31:30.500000"]),
        (["1234567890123"], ["2009-02-13T23:31:30.123000"]),
        ([dt.date(1861, 3, 4), pd.Timestamp("1861-03-04 10:00")], ["1861-03-04", "1861-03-04T10:00:00"]),
        ([np.datetime64("1861-03-04"), "n.d."], ["1861-03-04", None]),
        ([Decimal("1861"), "unknown"], ["1861", None]),
        (["-0044-03-15", "0044-03-15"], ["-0044-03-15", "0044-03-15"]),
        (["1861-03-04", 5, 12.5], ["1861-03-04", None, None]),
    ],
)
def test_times_are_read_as_what_the_column_holds(values: list[Any], expected: list[Any]) -> None:
    assert read_all(values) == expected


@given(st.lists(st.datetimes(min_value=dt.datetime(1000, 1, 1)), min_size=1))
def test_dates_mean_what_parse_times_makes_of_them(moments: list[dt.datetime]) -> None:
    read = read_all([moment.isoformat() for moment in moments])
    np.testing.assert_array_equal(parse_times(read).values, parse_times(moments).values)


@pytest.mark.parametrize(
    "values",
    [
        ["1861-03-04", "March 5, 1861", "1862", 1863],
        ["2004-05-01T10:30+02:00", "2004-05-01 10:30:15.123456789", "-0044-03-15", "0044-03"],
        ["1861", 1862],
        ["18610304", "18620304"],
        [1234567890, 1234567890.5, 1234483200],
        [0.5, "12.5", 3],
    ],
)
def test_a_time_that_was_read_need_not_be_read_again(values: list[Any]) -> None:
    found = choose_time_format(values)
    times = [time for value in values if (time := found.read(value)) is not None]
    once, twice = parse_times(found.column(times)), parse_times([write_time(time) for time in times])
    np.testing.assert_array_equal(once.values, twice.values)
    assert once.calendar == twice.calendar == (found.kind != "numbers")


def test_an_hour_before_our_era_is_kept() -> None:
    found = choose_time_format(["-0044-03-15T12:00"])
    assert written(found, "-0044-03-15T12:00") == "-0044-03-15T12:00:00"
    np.testing.assert_allclose(
        parse_times(found.column([found.read("-0044-03-15T12:00")])).values, -44 + (74 + 0.5) / 366, rtol=1e-12
    )


def test_missing_values_tell_nothing() -> None:
    found = choose_time_format([None, "", float("nan"), pd.NaT, 1861])
    assert found.kind == "years"
    assert found.notes == ["whole numbers, read as years"]


def test_the_order_of_day_and_month_is_looked_for_in_the_whole_column() -> None:
    found = choose_time_format(["03/04/1861"] * 5000 + ["25/04/1861"])
    assert written(found, "03/04/1861") == "1861-04-03"
    assert found.notes == ["dates with the day first, as '25/04/1861' shows"]


def test_an_order_that_nothing_tells_is_refused_unless_given() -> None:
    with pytest.raises(ValueError, match=r"no date decides; say which with day_first=True or day_first=False"):
        choose_time_format(["03/04/1861"] * 5)
    assert read_all(["03/04/1861"], day_first=True) == ["1861-04-03"]
    assert read_all(["03/04/1861", "13/04/1861"], day_first=False) == ["1861-03-04", None]


def test_a_later_date_that_contradicts_the_order_is_refused() -> None:
    found = choose_time_format(["03/25/1861"] * 1000 + ["25/03/1861"])
    with pytest.raises(
        ValueError, match=r"'25/03/1861' has its day first but earlier dates have their month first; say"
    ):
        found.read("25/03/1861")
    assert found.read("99/99/1861") is None


def test_years_of_two_digits_are_those_of_a_hundred_years_that_are_said() -> None:
    found = choose_time_format(["03/25/29", "March 4, 30", "4 Mar '99", "1.2.00"])
    read = [written(found, value) for value in ["03/25/29", "March 4, 30", "4 Mar '99", "1.2.00", "03/25/1861"]]
    assert read == ["2029-03-25", "1930-03-04", "1999-03-04", "2000-02-01", "1861-03-25"]
    assert found.notes[1] == (
        "two-digit years, such as '03/25/29', read as 1930 to 2029; say otherwise with century_start="
    )
    older = choose_time_format(["4 Mar 61"], century_start=1850)
    assert [written(older, text) for text in ("4 Mar 61", "4 Mar 49")] == ["1861-03-04", "1949-03-04"]
    with pytest.raises(ValueError, match="century_start is 0; expected a year such as 1930"):
        choose_time_format(["4 Mar 61"], century_start=0)


def test_years_of_two_digits_that_come_late_are_left_unread() -> None:
    assert choose_time_format(["4 March 1861"] * 1000 + ["4 March 61"]).read("4 March 61") is None


def test_contradicting_orders_are_refused_with_their_numbers() -> None:
    with pytest.raises(ValueError, match=r"day first × 2 \('25/03/1861'\), month first × 1,500 \('03/25/1861'\); say"):
        choose_time_format(["03/25/1861"] * 500 + ["25/03/1861"] * 2 + ["03/25/1861"] * 1000)


def test_a_moment_beyond_the_calendar_is_unreadable() -> None:
    assert read_all([1e9, 1e9, 9e13])[1:] == ["2001-09-09T01:46:40", None]


def serial(values: list[Any]) -> list[Any]:
    found = choose_time_format(values, may_be_serial=True)
    return [written(found, value) for value in values]


def test_serial_dates_are_days_since_the_first_of_a_spreadsheet() -> None:
    assert serial([36526, "40179.5", 25569.0]) == ["2000-01-01", "2010-01-01T12:00:00", "1970-01-01"]
    assert serial([20000, 60000]) == ["1954-10-03", "2064-04-08"]
    notes = choose_time_format([36526], may_be_serial=True).notes
    assert notes == [
        "numbers from 20,000 to 60,000, read as days since 1899-12-30, which is how spreadsheets count them"
    ]


@given(st.datetimes(min_value=dt.datetime(1955, 1, 1), max_value=dt.datetime(2063, 1, 1)))
def test_a_serial_date_is_read_to_the_second(moment: dt.datetime) -> None:
    moment = moment.replace(microsecond=0)
    number = (moment - dt.datetime(1899, 12, 30)) / dt.timedelta(days=1)
    time = choose_time_format([number], may_be_serial=True).read(number)
    assert np.datetime64(moment) == time


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1861, 2999], "years"),
        ([1861, 36526], "numbers"),
        ([36526, 60001], "numbers"),
        ([19999.5, 36526], "numbers"),
        ([36526, "2001-01-01"], "dates"),
        ([1234567890], "seconds"),
        ([18610304], "days"),
    ],
)
def test_other_columns_are_not_taken_for_serial_dates(values: list[Any], kind: str) -> None:
    assert choose_time_format(values, may_be_serial=True).kind == kind


def test_numbers_are_serial_dates_only_if_they_may_be() -> None:
    assert choose_time_format([36526, 40179]).kind == "numbers"


def test_a_year_in_a_column_of_serial_dates_is_not_read_as_one() -> None:
    assert choose_time_format([36526], may_be_serial=True).read(1999) is None
