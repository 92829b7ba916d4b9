"""Times: dates become decimal years, numbers stay numbers, unreadable ones are named."""

from __future__ import annotations

import calendar
import datetime as dt
import math
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.dates.decimal import (
    cut_date,
    decimal_years,
    format_time,
    has_dates,
    parse_duration,
    parse_times,
    read_time,
)


def decimal_year(moment: dt.datetime) -> float:
    """The reference: year + (day of the year − 1 + fraction of the day) / days in the year."""
    day = moment.timetuple().tm_yday - 1
    fraction = (moment - dt.datetime(moment.year, moment.month, moment.day)) / dt.timedelta(days=1)
    return moment.year + (day + fraction) / (366 if calendar.isleap(moment.year) else 365)


@given(st.datetimes())
def test_every_form_of_a_moment_is_its_decimal_year(moment: dt.datetime) -> None:
    forms = [moment, moment.isoformat(), moment.isoformat(sep=" "), np.datetime64(moment), moment.isoformat() + "Z"]
    parsed = parse_times(forms)
    assert parsed.calendar
    assert parsed.keep.all()
    np.testing.assert_allclose(parsed.values, decimal_year(moment), rtol=0, atol=2e-12)
    np.testing.assert_allclose(decimal_years(np.array([moment], "datetime64[us]")), parsed.values[:1], rtol=0, atol=0)


@given(st.dates())
def test_a_date_survives_formatting_and_parsing(day: dt.date) -> None:
    value = parse_times([day]).values[0]
    assert format_time(value, calendar=True) == day.isoformat()


@given(st.datetimes(max_value=dt.datetime(9999, 12, 30)))
def test_a_formatted_moment_is_within_half_a_day(moment: dt.datetime) -> None:
    value = parse_times([moment]).values[0]
    again = dt.datetime.fromisoformat(format_time(value, calendar=True))
    assert abs(again - moment) <= dt.timedelta(hours=12, seconds=1)


@given(st.lists(st.dates(), min_size=2, max_size=20))
def test_order_in_time_is_kept(days: list[dt.date]) -> None:
    values = parse_times(days).values
    assert [days[i] for i in np.argsort(values, kind="stable")] == sorted(days)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**9), 10**9), min_size=1))
def test_numbers_stay_as_they_are(numbers: list[float]) -> None:
    for form in (numbers, np.array(numbers, float), pd.Series(numbers), [repr(float(x)) for x in numbers]):
        parsed = parse_times(form)
        assert not parsed.calendar
        np.testing.assert_allclose(parsed.values, np.array(numbers, float), rtol=0, atol=0)


@pytest.mark.parametrize("text", ["2004-05-01T01:30:00+02:00", "2004-05-01T01:30+0200", "2004-04-30T18:30:00.0-05"])
def test_an_offset_is_moved_to_utc(text: str) -> None:
    np.testing.assert_allclose(parse_times([text]).values, decimal_year(dt.datetime(2004, 4, 30, 23, 30)), rtol=1e-15)


def test_offset_datetimes_and_timestamps_agree() -> None:
    moment = dt.datetime(2004, 12, 31, 23, tzinfo=dt.timezone(dt.timedelta(hours=-2)))
    stamps = pd.Series(pd.DatetimeIndex([moment, moment]).tz_convert("Europe/Berlin"))
    for form in ([moment], [pd.Timestamp(moment)], stamps):
        np.testing.assert_allclose(parse_times(form).values, decimal_year(dt.datetime(2005, 1, 1, 1)), rtol=1e-15)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("1790", 1790.0),
        ("2004-05", 2004 + 121 / 366),
        ("1790-01-08", 1790 + 7 / 365),
        ("1790/01/08", 1790 + 7 / 365),
        (" 1790-01-08 ", 1790 + 7 / 365),
        ("2004-05-01T12", 2004 + 121.5 / 366),
        ("2004-05-01T12:00:00.000000999", 2004 + 121.5 / 366),
        ("1600-02-29", 1600 + 59 / 366),
        ("1900-03-01", 1900 + 59 / 365),
        ("0001-01-01", 1.0),
        ("-0044-03-15", -44 + 74 / 366),
        (pd.Period("2004-05", "M"), 2004 + 121 / 366),
        (pd.Period("1500", "Y"), 1500.0),
        (pd.Period("2004Q2", "Q"), 2004 + 91 / 366),
        (np.datetime64("2400-07"), 2400 + 182 / 366),
    ],
)
def test_a_date_means_the_start_of_what_is_written(given: Any, expected: float) -> None:
    parsed = parse_times([given])
    assert parsed.calendar
    np.testing.assert_allclose(parsed.values, expected, rtol=1e-15)


def test_nanosecond_stamps_do_not_overflow() -> None:
    edges = np.array(["1677-09-22", "2262-04-11"], "datetime64[ns]")
    for form in (edges, pd.Series(edges), pd.DatetimeIndex(edges)):
        np.testing.assert_allclose(parse_times(form).values, [1677 + 264 / 365, 2262 + 100 / 365], rtol=1e-15)


def test_period_index_far_from_today_is_read() -> None:
    np.testing.assert_allclose(
        parse_times(pd.period_range("1500", "1502", freq="Y")).values, [1500, 1501, 1502], rtol=0
    )


@pytest.mark.parametrize(
    ("given", "values", "calendar"),
    [
        (["1790", "1795"], [1790, 1795], True),
        ([1790, 1795], [1790, 1795], False),
        (["1790", 1795], [1790, 1795], False),
        (["1790", "12.5", 3], [1790, 12.5, 3], False),
        (["1790-01-01", 1795], [1790, 1795], True),
        ([Decimal("1.5"), np.float32(2), np.int8(3)], [1.5, 2, 3], False),
        (pd.Series([1, 2], dtype="Int64"), [1, 2], False),
        (pd.Series(["1790", "1795"], dtype="string"), [1790, 1795], True),
        (range(2), [0, 1], False),
        (["March 4, 1861", "1862", 1863], [1861 + 62 / 365, 1862, 1863], True),
        (["31/12/1860", "01/01/1861"], [1860 + 365 / 366, 1861], True),
        (["20040501", "20040502"], [20040501, 20040502], False),
        (["１８６１"], [1861], False),
    ],
)
def test_dates_and_numbers_are_told_apart(given: Any, values: list[float], calendar: bool) -> None:
    parsed = parse_times(given)
    assert parsed.calendar is calendar
    np.testing.assert_allclose(parsed.values, values, rtol=0, atol=0)


BAD_ITEMS: list[Any] = [
    "n.d.",
    "",
    None,
    float("nan"),
    float("inf"),
    "nan",
    pd.NaT,
    pd.NA,
    np.datetime64("NaT"),
    "1790-02-30",
]
BAD_ITEMS += ["1790-13-01", "2004-05-01T25:00", "2004-05-01T1230", "2004-5", True, b"1790", np.timedelta64(1, "D"), [1]]


@pytest.mark.parametrize("bad", BAD_ITEMS, ids=repr)
@pytest.mark.parametrize("good", [1.5, "1790", dt.date(1790, 1, 1)], ids=repr)
def test_an_unreadable_time_is_named_or_dropped(bad: Any, good: Any) -> None:
    with pytest.raises(ValueError, match=r"1 of 3 (dates|times) could not be read \(first: row 1, .*on_bad_time"):
        parse_times([good, bad, good])
    parsed = parse_times([good, bad, good], on_bad="drop")
    assert parsed.keep.tolist() == [True, False, True]
    assert np.isnan(parsed.values[1])


def test_the_message_shows_count_row_and_value() -> None:
    times = ["1790-01-08"] * 5000
    times[12:49] = ["n.d."] * 37
    with pytest.raises(ValueError, match=r"^37 of 5,000 dates could not be read \(first: row 12, 'n.d.'\); drop them"):
        parse_times(times)


def test_a_number_among_dates_is_unreadable_unless_it_is_a_year() -> None:
    assert parse_times(["1790-01-08", 12, "0", 1795], on_bad="drop").keep.tolist() == [True, False, False, True]


@pytest.mark.parametrize("bad", ["1790", b"1790", 5, None, np.zeros((2, 2))], ids=repr)
def test_times_that_are_no_column_are_refused(bad: Any) -> None:
    with pytest.raises(ValueError, match=r"times (is|has shape) .* one time per document"):
        parse_times(bad)


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(ValueError, match="on_bad_time is 'skip'"):
        parse_times([1], on_bad="skip")  # type: ignore[arg-type]


def test_the_given_array_is_not_changed() -> None:
    times = np.array([1.0, np.inf, 2.0])
    parsed = parse_times(times, on_bad="drop")
    parsed.values[:] = 0
    assert times.tolist() == [1.0, np.inf, 2.0]


@pytest.mark.parametrize(
    ("given", "years"),
    [
        ("30 days", 30 / 365.2425),
        ("30d", 30 / 365.2425),
        ("1 Day", 1 / 365.2425),
        ("2 weeks", 14 / 365.2425),
        ("2 w", 14 / 365.2425),
        ("24 hours", 1 / 365.2425),
        ("6 months", 0.5),
        ("1 quarter", 0.25),
        ("1.5 years", 1.5),
        ("3 y", 3),
        ("3 yrs", 3),
        ("2 decades", 20),
        ("1 century", 100),
        ("2 centuries", 200),
        (5, 5),
        (np.float32(2.5), 2.5),
        ("12.5", 12.5),
    ],
)
def test_durations_are_years_and_bare_numbers_stay(given: float | str, years: float) -> None:
    np.testing.assert_allclose(parse_duration(given), years, rtol=1e-12)


@pytest.mark.parametrize("bad", ["30 parsecs", "days", "", "nan", float("inf"), None, "three years"], ids=repr)
def test_an_unreadable_duration_is_refused(bad: Any) -> None:
    with pytest.raises(ValueError, match="the duration"):
        parse_duration(bad)


def test_numbers_are_formatted_plainly() -> None:
    assert format_time(1846.0, calendar=False) == "1846"
    assert format_time(12.5, calendar=False) == "12.5"
    assert format_time(1846.0, calendar=True) == "1846-01-01"
    assert format_time(parse_times(["-0044-03-15"]).values[0], calendar=True) == "-0044-03-15"
    assert format_time(float("nan"), calendar=True) == "nan"


@pytest.mark.parametrize("year", [1e20, -1e18, 1e300, 2e13, float("inf")])
def test_years_beyond_all_dates_are_formatted_as_numbers_and_others_have_their_own_date(year: float) -> None:
    assert format_time(year, calendar=True) == cut_date(format_time(year, calendar=True), 1.0) == f"{year:.10g}"
    assert format_time(1e13, calendar=True) == "10000000000000-01-01"
    assert format_time(-1e13, calendar=True) == "-10000000000000-01-01"
    assert cut_date("-10000000000000-01-01", 1.0) == "-10000000000000"
    assert not has_dates([2000.0, year])


def test_a_whole_number_beyond_all_floats_is_no_time() -> None:
    assert math.isnan(read_time(10**400)[0])
