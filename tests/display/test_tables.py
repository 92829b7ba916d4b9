"""Numbers and tables as text."""

import math

import pandas as pd
import pytest

from chronotope.display.tables import markdown_table, number, text_table


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
