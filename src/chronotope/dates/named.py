"""Single spans of time as people name them: the 1930s, early 19th century, spring 1851, 185-, or an exact date."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from chronotope.dates.instants import precision_of, read_time
from chronotope.dates.rough_words import fractions, ordinals, seasons, thirds, words_of
from chronotope.dates.spans import UNSURE, Span, date_span, every, months, season, years

_LAST_CENTURY = 21
_LIKELY = range(1000, 3000)  # years that may stand alone, without a word such as "circa"
_ROMAN = re.compile(r"(?P<tens>x{0,2})(?P<ones>i[xv]|v?i{0,3})(?:e|eme|ieme|er|ere|th|st|nd|rd)?")
_ONES = {"": 0, "i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6, "vii": 7, "viii": 8, "ix": 9}
_BLANK = re.compile(r"(?P<decade>[12][0-9]{2})[-_xu?](?P<unsure>\??)|(?P<century>[12][0-9])[-_xu?]{2}(?P<maybe>\??)")
_SHORT = re.compile(r"[0-9]{2}(?P<short>[0-9]{2})-(?P<month>[0-9]{2})")
_QUIET = frozenset(".,':")  # signs that say nothing
_LETTERS = frozenset("adenr")  # before a year they mean more than articles: d. 1850 is a death
_HUNDREDS = frozenset({"s", "talet", "tal", "tallet"})  # "1800s" and "1800-talet" are centuries


class DateWord(NamedTuple):
    """A word, a number or a sign: without accents, as it was written, and whether a space is before it."""

    word: str
    text: str
    spaced: bool


class Way(NamedTuple):
    """How dates are written that are exact, see `iso_date`.

    circa : whether such a word is before them;  decades : whether the 1800s are a decade, and not a century
    """

    day_first: bool | None
    century_start: int | None
    circa: bool = False
    decades: bool = False


def named_spans(tokens: Sequence[DateWord], way: Way) -> list[Span] | None:
    """The spans of one date, None if it cannot be read;  a winter of a year has two."""
    text = "".join(" " * token.spaced + token.text for token in tokens).strip()
    if blank := _blank_digits(text):
        return [blank]
    if exact := _exact(text, way):
        return [exact]
    words = _kept(tokens)
    for number, of, rest in (*_parts(words), (0, 1, words)):
        if found := _whole(rest, way):
            return found if of == 1 else [found[-1].part(number, of)]
    return None


def _blank_digits(text: str) -> Span | None:
    """The decade or the century of a year with blank digits, as libraries write them: 185-, 185-?, 18--."""
    match = _BLANK.fullmatch(text)
    if match is None:
        return None
    first, number = (int(match["decade"]) * 10, 10) if match["decade"] else (int(match["century"]) * 100, 100)
    found = years(first, number)
    return found and found.doubted(UNSURE if match["unsure"] or match["maybe"] else 0)


def _exact(text: str, way: Way) -> Span | None:
    """The span of a date that is exact: a year, a month or a day. "circa 1910-12" is no month, but 1910 to 1912."""
    short = _SHORT.fullmatch(text)
    if way.circa and short and int(short["month"]) > int(short["short"]):
        return None
    _, instant = read_time(text, way.day_first, way.century_start)
    if np.isnat(instant):
        return None
    year, month, day = (int(part) for part in str(instant.astype("datetime64[D]")).rsplit("-", 2))
    unit = precision_of(text, way.day_first, way.century_start)
    return date_span(year, None if unit == "Y" else month, None if unit in "YM" else day)


def _kept(tokens: Sequence[DateWord]) -> list[str]:
    """The words that say something, such as numbers and seasons, without articles, endings and quiet signs."""
    kept: list[str] = []
    for at, token in enumerate(tokens):
        after = tokens[at + 1].word if at + 1 < len(tokens) else ""
        if _says_something(token, kept[-1] if kept else "", after):
            kept.append(token.word)
    return kept


def _says_something(token: DateWord, before: str, after: str) -> bool:
    """Whether a word is no article, ending or quiet sign.   before : the last one that did;  after : the next one"""
    word, number = token.word, _number(before)
    if word in words_of("dash"):
        return not (before and after)
    if not word.isalnum():
        return word not in _QUIET
    if word == "s" and (token.spaced or not before):
        return number is not None or bool(_ROMAN.fullmatch(after))
    if number is not None and word != "s" and word in words_of("century"):
        return True
    if before.isdigit() and before.endswith("0") and not token.spaced and word in words_of("decade_suffix"):
        return len(before) in (2, 4)
    if not before and (word == "do" or (word in _LETTERS and after[:1].isdigit())):  # do 1918 is Polish for until it
        return True
    return word not in words_of("filler") and not (before.isdigit() and word in words_of("ordinal_suffix"))


def _number(word: str) -> int | None:
    """A number up to 21, in digits, as a word or in Roman numerals."""
    if word.isdigit():
        return int(word) if len(word) <= 2 and 1 <= int(word) <= _LAST_CENTURY else None
    roman = _ROMAN.fullmatch(word)
    found = ordinals().get(word, 0)
    if roman and (roman["tens"] or roman["ones"]):
        found = 10 * len(roman["tens"]) + _ONES[roman["ones"]]
    return found if 1 <= found <= _LAST_CENTURY else None


def _parts(words: list[str]) -> list[tuple[int, int, list[str]]]:
    """The part of a time that words may begin or end with: its number, how many there are, and the other words."""
    found = []
    for first, rest in ((words[:2], words[2:]), (words[-2:], words[:-2])):
        if len(first) == 2 and rest and (of := fractions().get(first[1])):
            number = of if ordinals().get(first[0]) == -1 else _number(first[0]) or 0
            found += [(number - 1, of, rest)] if 1 <= number <= of else []
    for first, rest in ((words[:1], words[1:]), (words[-1:], words[:-1])):
        if rest and first[0] in thirds():
            found.append((thirds()[first[0]], 3, rest))
    return found


def _whole(words: list[str], way: Way) -> list[Span] | None:
    """A season, a decade, a century, a year or an exact date; None if the words are none of these."""
    if found := _season(words):
        return found
    return every([_century(words) or _decade(words, way) or _year(words, way) or _exact(" ".join(words), way)])


def _season(words: list[str]) -> list[Span] | None:
    """A season of a year, or that of two years, "winter 1851-52"."""
    if len(words) == 2 and words[1] in seasons():
        words = words[::-1]
    if len(words) < 2 or words[0] not in seasons() or not _is_year(words[1]):
        return None
    number, year = seasons()[words[0]], int(words[1])
    if len(words) == 2:
        return season(year, number)
    next_year = words[2] in (str(year + 1), f"{(year + 1) % 100:02d}")
    return every([months(year, 12, 14)]) if len(words) == 3 and next_year and number in (22, 24) else None


def _century(words: list[str]) -> Span | None:
    """A century: the 19th of 1800 to 1899."""
    if len(words) != 2:
        return None
    for number, word in ((_number(words[0]), words[1]), (_number(words[1]), words[0])):
        alone = word == words[0] and len(word) < 3 and not (word == "s" and words[1].isalpha())  # c. 12 is no century
        if number is not None and word in words_of("century") and not alone:
            return years(100 * (number - 1), 100) if number > 1 else years(1, 99)
    return None


def _decade(words: list[str], way: Way) -> Span | None:
    """A decade: the 1930s, années 1930, 1930er Jahre; the 1800s are a century unless they are among decades."""
    if not (words and any(word in words_of("decade") | words_of("decade_suffix") for word in words[:2])):
        return None
    marks = words_of("decade") | words_of("decade_suffix")
    at = 0 if words[0].isdigit() else 1
    rest = [word for word in words[:at] + words[at + 1 :] if word not in marks]
    if at >= len(words) or not words[at].isdigit() or int(words[at]) % 10:
        return None
    if _is_year(words[at]) and not rest:
        hundred = not way.decades and words[at].endswith("00") and _HUNDREDS & set(words)
        return years(int(words[at]), 100 if hundred else 10)
    of = _century(rest) if len(words[at]) == 2 else None
    return of and years(int(of.start.time) + int(words[at]), 10)


def _year(words: list[str], way: Way) -> Span | None:
    """A year alone, of three digits only if a word such as "circa" is before it."""
    if len(words) != 1 or not (_is_year(words[0]) or (way.circa and words[0].isdigit() and len(words[0]) == 3)):
        return None
    return years(int(words[0]))


def _is_year(word: str) -> bool:
    return word.isdigit() and len(word) == 4 and int(word) in _LIKELY
