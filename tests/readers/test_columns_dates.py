"""Dates over several columns are joined, up to the first missing part."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from chronotope.readers import read
from chronotope.readers.columns import join_parts


@pytest.mark.parametrize(
    ("values", "written"),
    [
        ([1861, 3, 4], "1861-03-04"),
        (["1861", "03", "4"], "1861-03-04"),
        ([1861.0, 3.0, float("nan")], "1861-03"),
        ([1861, None, 4], "1861"),
        ([1861, "March", 4], "1861 March 4"),
        ([None, 3, 4], None),
        (["c. 1861", 3], "c. 1861 3"),
    ],
)
def test_a_date_is_joined_from_its_parts(values: list[Any], written: str | None) -> None:
    assert join_parts(values) == written


def table(**columns: list[Any]) -> pd.DataFrame:
    n = len(next(iter(columns.values())))
    return pd.DataFrame({"body": ["a few words of text"] * n} | columns)


def test_year_month_and_day_are_found_and_said() -> None:
    reading = read(table(day=[4, 5, 31], month=[3, 4, 12], Year=[1861, 1862, 1863], place=["x", "y", "z"]))
    assert [record.time for record in reading] == ["1861-03-04", "1862-04-05", "1863-12-31"]
    assert "the time is joined from the columns 'Year', 'month', 'day'" in reading.notes
    assert [list(record.metadata) for record in reading] == [["place"]] * 3


def test_names_of_months_and_gaps_are_read() -> None:
    reading = read(table(Jahr=[1861, 1862], Monat=["März", None], Tag=[4, None]), time=["Jahr", "Monat", "Tag"])
    assert [record.time for record in reading] == ["1861-03-04", "1862"]
    assert reading.columns["time"] == "Jahr + Monat + Tag"


def test_a_column_that_holds_no_month_is_left_alone() -> None:
    reading = read(table(year=[1861, 1862], month=[3, 99]))
    assert [record.time for record in reading] == ["1861", "1862"]
    assert [record.metadata for record in reading] == [{"month": 3}, {"month": 99}]


def test_a_year_that_was_asked_for_is_only_a_year() -> None:
    assert [record.time for record in read(table(year=[1861, 1862], month=[3, 4]), time="year")] == ["1861", "1862"]


def test_a_day_that_does_not_exist_is_counted() -> None:
    reading = read(table(year=[1861, 1862], month=[2, 3], day=[30, 1]))
    assert [record.time for record in reading] == ["1862-03-01"]
    assert str(reading.dropped) == "1 × unreadable time (row 0 '1861-02-30')"


def test_a_missing_column_is_named() -> None:
    with pytest.raises(ValueError, match=r"the table has no column 'day' for time=; it has the columns"):
        read(table(year=[1861], month=[2]), time=["year", "month", "day"])


@pytest.mark.parametrize("name", ["date", "Date", "published_date", "letterDate", "date of the letter"])
def test_a_column_called_date_may_hold_serial_dates(write: Any, name: str) -> None:
    reading = read(write("a.csv", f"no,{name},text\n30001,36526,War and peace\n30002,40179,Bread and wine\n"))
    assert reading.columns["time"] == name
    assert [record.time for record in reading] == ["2000-01-01", "2010-01-01"]
    assert f"the column {name!r} holds numbers from 20,000 to 60,000, read as days since 1899-12-30" in str(reading)


@pytest.mark.parametrize("name", ["issue", "year", "year of the date", "date_year"])
def test_other_columns_hold_numbers(write: Any, name: str) -> None:
    reading = read(write("a.csv", f"{name},text\n36526,War and peace\n40179,Bread and wine\n"), time=name)
    assert [record.time for record in reading] == [36526.0, 40179.0]


def test_years_in_a_column_called_date_are_years(write: Any) -> None:
    reading = read(write("a.csv", "date,text\n1861,War and peace\n2999,Bread and wine\n"))
    assert [record.time for record in reading] == ["1861", "2999"]
