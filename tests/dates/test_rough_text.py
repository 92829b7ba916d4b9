"""Any text is read as a rough date or refused, quickly; what was understood is said in words."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.dates import rough_words
from chronotope.dates.columns import choose_time_format
from chronotope.dates.decimal import parse_times
from chronotope.dates.rough import UNKNOWN, RoughDate, RoughDates
from chronotope.dates.rough_text import Examples, counted_dates, date_notes, density_in_words, read_rough, rough_date

WORDS = sorted(
    {*rough_words.thirds(), *rough_words.fractions(), *rough_words.ordinals(), *rough_words.seasons()}.union(
        *(rough_words.words_of(role) for role in ("circa", "before", "to", "or", "century", "decade", "decade_suffix"))
    )
)
PARTS = st.sampled_from([*WORDS, "1850", "1914", "18", "xix", "march", "4", "1930s", "-", "–", "/", ",", ".", "?", "["])


def check(text: str) -> None:
    pieces = rough_date(text)
    for piece in pieces or ():
        assert all(left <= right for left, right in pairwise(piece))
    if pieces is not None:
        assert density_in_words(pieces)


@given(st.text(max_size=100))
def test_any_text_is_read_or_refused(text: str) -> None:
    check(text)


@given(st.lists(PARTS, max_size=14), st.sampled_from(["", " "]))
def test_any_words_of_dates_are_read_or_refused(parts: list[str], space: str) -> None:
    check(space.join(parts))


@given(st.integers(1000, 2999), st.integers(1, 40))
def test_an_interval_is_whole_years_from_its_first_to_its_last(year: int, length: int) -> None:
    for text in (f"between {year} and {year + length}", f"{year}–{year + length}", f"{year}/{year + length}"):
        if year + length < 3000:
            assert rough_date(text) == ((year, year, year + length + 1, year + length + 1),)


@pytest.mark.parametrize(
    "text", ["1790", "2004-05", "March 4, 1861", "1861-03-04T12:00", "2004Q2", "1914-12", "1901-02"]
)
def test_dates_that_are_exact_stay_what_they_were(text: str) -> None:
    exact, used = parse_times([text]), parse_times([text], rough_dates="use")
    assert used.rough is None
    np.testing.assert_array_equal(exact.values, used.values)


def test_values_that_are_no_text_are_no_rough_dates() -> None:
    date = RoughDate("circa 1850", ((1840.0, 1848.0, 1853.0, 1861.0),))
    assert read_rough(date) is date
    assert read_rough(" circa 1850 ") == date
    assert [read_rough(value) for value in (None, 1850.5, float("nan"), b"circa 1850", ["circa 1850"])] == [None] * 5


def test_examples_are_of_different_forms() -> None:
    written = ["circa 1850", "circa 1851", "n.d.", "1930s", "1940s", "before 1914", "after 1918", "1914-18", "18--"]
    found = Examples.of(date for text in written if (date := read_rough(text)))
    assert [date.written for date in found.values()] == ["circa 1850", "1930s", "before 1914", "after 1918", "1914-18"]
    (note,) = found.notes
    assert note.startswith("rough dates were read as densities over time: 'circa 1850' as 1840 to 1860, most likely 18")
    assert Examples().notes == []


def test_dates_are_counted_by_what_is_known_of_them() -> None:
    rough = RoughDates.of([(1, [(1, 1, 2, 2), (3, 3, 4, 4)]), (4, [UNKNOWN])])
    assert counted_dates(6, rough) == "dates: 4 exact, 1 rough, 1 unknown"
    assert counted_dates(6, None) == ""
    assert date_notes(6, None, Examples()) == []
    assert date_notes(6, rough, Examples()) == ["dates: 4 exact, 1 rough, 1 unknown"]


def test_open_pieces_in_words() -> None:
    inf = np.inf
    assert (
        density_in_words([(-inf, -inf, 1914.0, 1914.0), (1919.0, 1919.0, inf, inf), UNKNOWN])
        == "before 1914 or 1919 or later or any time"
    )


def test_the_1900s_are_a_decade_beside_other_decades_and_a_century_alone():
    alone, beside = (
        parse_times(["1850", "1900s"], rough_dates="use"),
        parse_times(["1890s", "1900s"], rough_dates="use"),
    )
    assert alone.rough is not None
    assert alone.rough.corners[0].tolist() == [1900.0, 1900.0, 2000.0, 2000.0]
    assert beside.rough is not None
    assert beside.rough.corners[1].tolist() == [1900.0, 1900.0, 1910.0, 1910.0]
    assert choose_time_format(["1890s", "1910"], rough_dates="use").read("1800-talet").pieces[0][3] == 1810.0
    assert choose_time_format(["1890", "1910"], rough_dates="use").read("the 1800s").pieces[0][3] == 1900.0
