"""Patterns of words that people use are quick; those that can take for ever are not."""

from __future__ import annotations

import pytest

from chronotope.text.patterns import is_quick

QUICK = [
    r"(?u)\b\w\w+\b",
    r"\b\w+\b",
    r"\w+",
    r"\S+",
    r"[a-z]{2,}",
    r"(?i)[a-z]+",
    r"\b[^\W\d_]{3,}\b",
    r"[A-Za-z]+(?:-[A-Za-z]+)*",
    r"[A-Za-z]+(?:['-][A-Za-z]+)*",
    r"\b([a-z]+)\b",
    r"[a-z]+(?:'[a-z]+)?",
    r"[a-z]+|\d+",
    r"#?\w+",
    r"[a-zäöüß]{3,30}",
    r"[a-z][a-z0-9]*[a-z]",
    r"(?<!\w)[a-z]+(?!\w)",
    r"[^,]+",
    r"\w+(?:\.\w+)*",
    r"\d{4}|[a-z]+",
    r"[一-鿿]",
    "(?:a|b" * 70 + ")" * 70 + "*",
]
SLOW = [
    r"(a+)+$",
    r"(\w+)+x",
    r"(\w*)*x",
    r"(?:\w+\s?)+$",
    r"(a|a)*b",
    r"(a|ab|b)*c",
    r"\w*\w*\w*x",
    r".*.*x",
    r"[^x]+x",
    r".*?x",
    r"\s+x",
    r"(?:a?){40}a{40}",
    r"a?a?a?a?a?a?a?aaaaaaa",
    r"(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)x",
    r"(\w)\1+",
    r"(?=\w+x)\w+",
    r"(?:(?:a{1,9}){1,9}){1,9}b",
    r"(?i:a)+A+b+B+",
    r"(?i)(?:ſ+s?)+x",
    r"(?:[a-z]+[a-z0-9]*)+!",
    r"((a)+)+b",
    r"(?:ab?)+a*c",
    "(?:" * 90 + "a" + ")+" * 90,
    "(?:" * 90 + "a" + ")?" * 90 + "a",
    "(" * 400,
    "a" * 501,
    "(",
    "[" * 100,
]


@pytest.mark.parametrize("pattern", QUICK)
def test_patterns_that_people_use_are_quick(pattern: str) -> None:
    assert is_quick(pattern)


@pytest.mark.parametrize("pattern", SLOW, ids=range(len(SLOW)))
def test_patterns_that_may_take_for_ever_are_not(pattern: str) -> None:
    assert not is_quick(pattern)
