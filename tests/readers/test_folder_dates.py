"""Dates of files: in names, in first lines."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.readers.folder import date_in_name, split_front_matter


@given(st.dates(min_value=dt.date(1000, 1, 1), max_value=dt.date(2099, 12, 31)), st.sampled_from("-_. "))
def test_a_full_date_in_a_name_is_found(day: dt.date, around: str) -> None:
    for form in ("%Y-%m-%d", "%Y_%m_%d", "%Y%m%d", "%Y.%m.%d", "%d%b%Y", "%d_%B_%Y", "%B-%d-%Y"):
        written = day.strftime(form)
        assert date_in_name(written) == day.isoformat()
        assert date_in_name(f"letter{around}{written}{around}to Anne") == day.isoformat()


@pytest.mark.parametrize(
    ("name", "date"),
    [
        ("letter_1862", "1862"),
        ("1790-Washington-1", "1790"),
        ("1862-12", "1862-12"),
        ("letter_1862_01", "1862"),
        ("1862-12-01, written in 1862", "1862-12-01"),
        ("letter", None),
        ("000123", None),
        ("18621", None),
        ("3456", None),
        ("1862_and_1863", None),
        ("1862-12-01_to_1862-12-05", None),
    ],
)
def test_one_date_in_a_name_is_found_and_several_are_not(name: str, date: str | None) -> None:
    assert date_in_name(name) == date


@pytest.mark.parametrize(
    ("text", "head", "rest"),
    [
        (
            '---\ntitle: "War"\ndate: 1862-12-01\n---\nDear Anne\n',
            {"title": "War", "date": "1862-12-01"},
            "Dear Anne\n",
        ),
        (
            "---\nPublished: 1 May 1862\ntags:\n- a\n---\ntext",
            {"published": "1 May 1862", "date": "1 May 1862"},
            "text",
        ),
        ("Date: 1862\nTo: Anne\n\nDear Anne", {"date": "1862", "to": "Anne"}, "Dear Anne"),
        ("Note: this is prose.\n\nMore", {}, "Note: this is prose.\n\nMore"),
        ("Date: 1862\nbut then prose\n\nMore", {}, "Date: 1862\nbut then prose\n\nMore"),
        ("---\nnever closed: 1\n", {}, "---\nnever closed: 1\n"),
        ("", {}, ""),
    ],
)
def test_front_matter_is_taken_off(text: str, head: dict[str, str], rest: str) -> None:
    assert split_front_matter(text) == (head, rest)
