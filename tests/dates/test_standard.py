"""Dates in the Extended Date/Time Format are spans of time, doubtful ends reach beyond them, nonsense is refused."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.dates.decimal import decimal_years
from chronotope.dates.standard import edtf_spans, is_out_of_range

INF = math.inf
SPANS = [  # start and end of each piece
    ("185X", [(1850, 1860)]),
    ("18XX", [(1800, 1900)]),
    ("1XXX", [(1000, 2000)]),
    ("000X", [(1, 10)]),
    ("1X50", [(1000 + 100 * n + 50, 1000 + 100 * n + 51) for n in range(10)]),
    ("1851-XX", [(1851, 1852)]),
    ("1850/1855", [(1850, 1856)]),
    ("1914/..", [(1914, INF)]),
    ("1914/", [(1914, INF)]),
    ("../1914", [(-INF, 1915)]),
    ("/1914", [(-INF, 1915)]),
    ("../..", [(-INF, INF)]),
    ("XXXX", [(-INF, INF)]),
    ("185X/1862", [(1850, 1863)]),
    ("[1851..1853]", [(1851, 1854)]),
    ("{1851..1853}", [(1851, 1854)]),
    ("[1851,1853]", [(1851, 1852), (1853, 1854)]),
    ("[1667,1668,1670..1672]", [(1667, 1668), (1668, 1669), (1670, 1673)]),
    ("[..1914]", [(-INF, 1915)]),
    ("[1914..]", [(1914, INF)]),
    ("1950S2", [(1900, 2000)]),
    ("1950S3", [(1950, 1960)]),
    ("Y17E2", [(1700, 1701)]),
    ("Y17E2S1", [(1000, 2000)]),
]
MONTHS = [  # first month, and the first one after, of each piece
    ("1851-06-XX", [("1851-06", "1851-07")]),
    ("1851-1X", [("1851-10", "1852-01")]),
    ("1851-21", [("1851-03", "1851-06")]),
    ("1851-22", [("1851-06", "1851-09")]),
    ("1851-23", [("1851-09", "1851-12")]),
    ("1851-24", [("1851-01", "1851-03"), ("1851-12", "1852-03")]),
    ("1851-29", [("1851-09", "1851-12")]),
    ("1851-33", [("1851-01", "1851-04")]),
    ("1851-41", [("1851-07", "1852-01")]),
    ("1851-06/1852-02", [("1851-06", "1852-03")]),
    ("1850-12/1851-21", [("1850-12", "1851-06")]),
]
REFUSED = [
    "Y-12000",
    "Y12000",
    "Y17E8",
    "Y1E999999999",
    "-0043~",
    "0000~",
    "1851-13~",
    "1851-02-30~",
    "1918/1914",
]
REFUSED += [
    "2001-02-29~",
    "/",
    "//",
    "[1850]",
    "[]",
    "[1850,]",
    "1851~~",
    "1851-06~?",
    "185x",
    "circa 1850",
    "",
    "1851-99",
]


def years(date: str) -> float:
    return float(decimal_years(np.array([np.datetime64(date, "D")]))[0])


@pytest.mark.parametrize(("text", "expected"), SPANS)
def test_spans_of_years(text: str, expected: list[tuple[float, float]]) -> None:
    spans = edtf_spans(text)
    assert spans is not None
    assert [each.corners for each in spans] == [(start, start, end, end) for start, end in expected]


@pytest.mark.parametrize(("text", "expected"), MONTHS)
def test_spans_of_months_and_seasons_begin_and_end_with_the_day(text: str, expected: list[tuple[str, str]]) -> None:
    spans = edtf_spans(text)
    assert spans is not None
    assert [each.corners[1:3] for each in spans] == [(years(first), years(after)) for first, after in expected]


@pytest.mark.parametrize(
    ("text", "corners"),
    [
        ("1851~", (1841, 1849, 1854, 1862)),
        ("1851?", (1846, 1850, 1853, 1857)),
        ("1851%", (1836, 1848, 1855, 1867)),
        ("1914~/1918", (1904, 1912, 1919, 1919)),
        ("1914/1918?", (1914, 1914, 1920, 1924)),
        ("185X~", (1840, 1848, 1862, 1870)),
    ],
)
def test_a_doubtful_year_falls_to_nothing_after_ten_years_or_five_or_fifteen(
    text: str, corners: tuple[float, ...]
) -> None:
    spans = edtf_spans(text)
    assert spans is not None
    np.testing.assert_allclose(spans[0].corners, corners, rtol=0, atol=1e-9)


def test_a_doubtful_month_or_day_reaches_as_many_months_or_days() -> None:
    for text, unit in (("1851-06~", 1 / 12), ("1851-06-04~", 1 / 365), ("2003-06-~11", 1 / 365), ("?2004-06-11", 0.5)):
        spans = edtf_spans(text)
        assert spans is not None
        a, b, c, d = spans[0].corners
        np.testing.assert_allclose([b - a, d - c], 8 * unit, rtol=0.03, err_msg=text)


def test_a_list_with_unspecified_digits_has_all_dates_that_it_can_mean() -> None:
    spans = edtf_spans("1560-XX-25")
    assert spans is not None
    assert [each.start.time for each in spans] == [years(f"1560-{month:02d}-25") for month in range(1, 13)]


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_no_such_date_is_refused(text: str) -> None:
    assert edtf_spans(text) is None


def test_years_out_of_range_are_known_as_such() -> None:
    assert all(map(is_out_of_range, ("Y-12000", "Y12000", "Y17E8", "Y1E999999999", "-0043~", "0000~")))
    assert not any(map(is_out_of_range, ("1851~", "1851-13~", "1918/1914", "circa 1850", "")))


@given(st.text("0123456789XYES?~%/.,-[]{}", max_size=40))
def test_any_text_of_these_signs_is_read_or_refused(text: str) -> None:
    for each in edtf_spans(text) or []:
        assert all(left <= right for left, right in pairwise(each.corners))
