"""Numbers and tables as text."""

import math

import pandas as pd
import pytest

from chronotope.display.tables import known, markdown_table, number, text_table


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (1450.26, 4, "1,450"),
        (-123456.7, 4, "-123,457"),
        (96.254, 4, "96.25"),
        (0.99996, 4, "1.0000"),
        (0.5, 2, "0.50"),
        (0.012345, 3, "0.0123"),
        (0.0, 4, "0"),
        (math.nan, 4, ""),
        (math.inf, 4, "inf"),
    ],
)
def test_numbers_as_people_write_them(value, digits, text):
    assert number(value, digits) == text


@pytest.mark.parametrize(
    ("value", "width", "text"),
    [
        (0.123456, 0.04, "0.12"),
        (0.123456, 0.039, "0.123"),
        (1234.5, 900.0, "1,234"),
        (-0.0001, 0.1, "0.00"),
        (0.123456, 0.0, "0.1235"),
        (0.123456, math.nan, "0.1235"),
    ],
)
def test_numbers_are_as_fine_as_their_interval_tells(value, width, text):
    assert known(value, width) == text


def test_words_to_the_left_and_numbers_to_the_right():
    table = pd.DataFrame({"kernel": ["1", "wiener"], "score": ["failed", "1,450.2"], "why": ["a 1", ""]})
    assert text_table(table).splitlines() == [
        "kernel    score  why",
        "1        failed  a 1",
        "wiener  1,450.2",
    ]
    assert markdown_table(table.assign(why=["a|b", ""])).splitlines() == [
        "| kernel | score | why |",
        "| --- | ---: | --- |",
        r"| 1 | failed | a\|b |",
        "| wiener | 1,450.2 |  |",
    ]


LONG = pd.DataFrame(
    {"topic": ["0", "1"], "date": ["1900-07-02"] * 2, "words": ["war peace army navy", "[red]tax 戦争 tariff"]}
)


def test_a_table_without_a_width_is_neither_folded_nor_cut(monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    words = " ".join(["reconstruction"] * 30)
    assert text_table(LONG.assign(words=words)).splitlines()[1] == f"0      1900-07-02  {words}"


@pytest.mark.parametrize("columns", ["", "10", "200"])
def test_words_are_folded_to_the_width_and_numbers_are_not(monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    assert text_table(LONG, width=30).splitlines() == [
        "topic        date  words",
        "0      1900-07-02  war peace",
        "                   army navy",
        "1      1900-07-02  [red]tax",
        "                   戦争 tariff",
    ]
    assert text_table(LONG, width=200) == text_table(LONG)
    assert text_table(LONG, width=25) == text_table(LONG)  # no room for words beside the numbers: left to the terminal


def test_wide_letters_take_two_columns():
    assert text_table(pd.DataFrame({"word": ["戦争", "war"], "n": ["1", "22"]})).splitlines() == [
        "word   n",
        "戦争   1",
        "war   22",
    ]
