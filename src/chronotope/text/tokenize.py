"""Tokens: what a word is in any script, with or without spaces; and text without HTML."""

from __future__ import annotations

import html
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, Literal

Tokenizer = Literal["words", "pairs"] | Callable[[str], Iterable[str]]
Split = Callable[[str], list[str]]
Find = Callable[[str], list[str]]

BREAK = ""  # a token that is not a word and separates its neighbours

# soft hyphens, the stretching of Arabic letters, and the vowel points that Arabic and Hebrew may omit
_SILENT = re.compile("[\u00ad\u0640\u064b-\u065f\u0670\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]")
_APOSTROPHES = re.compile("[\u2019\u02bc\u2018\u201b\uff07](?=[^\\W\\d_])")
_JOINERS = "\u200c\u200d"  # within words of Persian and of Indic scripts

_CYRILLIC, _HANGUL = "\u0400-\u04ff", "\uac00-\ud7a3"
_HAN, _KATAKANA = "\u3005\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff", "\u30a1-\u30fa\u30fc\u31f0-\u31ff"
_HIRAGANA, _THAI = "\u3041-\u309f", "\u0e00-\u0e7f"
_LAO_TO_KHMER = "\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff"
_UNSPACED = {
    "words": re.compile(f"[{_HAN}{_KATAKANA}{_HIRAGANA}{_THAI}{_LAO_TO_KHMER}]"),
    "pairs": re.compile(f"[{_THAI}{_LAO_TO_KHMER}]"),
}
_EAST_ASIAN = re.compile(f"[{_HAN}]+|[{_KATAKANA}]+|[{_HIRAGANA}]+")
_HIRAGANA_ONLY = re.compile(f"[{_HIRAGANA}]+")


def clean(text: str) -> str:
    """Normalised text (NFKC): composed letters, plain apostrophes, without soft hyphens and optional vowel points."""
    if text.isascii():
        return text
    text = _SILENT.sub("", text)
    if not unicodedata.is_normalized("NFKC", text):
        text = unicodedata.normalize("NFKC", _stacked_marks().sub(r"\1", text))
    return _APOSTROPHES.sub("'", text)


@cache
def _stacked_marks() -> re.Pattern[str]:
    """More than 30 combining marks in a row, which no script has, and which take quadratic time to put in order."""
    mark = "".join(chr(code) for code in range(0x300, sys.maxunicode) if unicodedata.combining(chr(code)))
    return re.compile(f"([{mark}]{{30}})[{mark}]+")


def lowered(text: str) -> str:
    """Text in lower case; the dotted capital I of Turkish becomes a plain i."""
    return text.lower() if text.isascii() else text.lower().replace("i\u0307", "i")


def word_splitter(lowercase: bool, whole: frozenset[str] = frozenset(), breaks: bool = False) -> Split:
    """The default tokeniser: three or more letters in a row, in Korean two, with their combining marks.

    Hyphens split words, words with digits are dropped. An apostrophe splits words too, except in those listed in
    `whole` (don't) and between Cyrillic letters.
    breaks : whether to give a BREAK for anything but spaces and hyphens between two words
    """
    in_ascii = _ascii_finder(breaks)

    def split(text: str) -> list[str]:
        text = clean(text)
        text = lowered(text) if lowercase else text
        words: list[str] = in_ascii(text) if text.isascii() else _finder(breaks)(text)
        if "'" in text:
            words = [part for word in words for part in (_parts(word, whole) if "'" in word else (word,))]
        return words

    return split


def pair_splitter(lowercase: bool, whole: frozenset[str] = frozenset()) -> Split:
    """Chinese and Japanese without a dictionary: all bigrams of characters; other words as usual.

    Katakana words are kept whole; hiragana, which mostly writes endings and particles, is dropped.
    """
    split_words = word_splitter(lowercase, whole)

    def split(text: str) -> list[str]:
        text = clean(text)
        return [*_pairs(text), *split_words(_EAST_ASIAN.sub(" ", text))]

    return split


def pattern_splitter(pattern: str, lowercase: bool) -> Split:
    """The words that a regular expression finds; where it has a group, what the group holds."""
    find = re.compile(pattern).findall
    return lambda text: list(filter(None, find(lowered(clean(text)) if lowercase else clean(text))))


def given_splitter(tokenizer: Callable[[str], Iterable[str]], lowercase: bool) -> Split:
    """A tokeniser of the user's; spaces and punctuation are a BREAK."""

    def split(text: str) -> list[str]:
        words = tokenizer(text)
        if isinstance(words, str) or not isinstance(words, Iterable):
            raise ValueError(f"tokenizer gave {words!r:.60} for {text!r:.60}; expected a list of words.")
        return [_checked(word, lowercase) for word in words]

    return split


def unspaced_share(words: Iterable[tuple[str, int]], tokenizer: Literal["words", "pairs"]) -> float:
    """The share of letters in scripts that the tokenizer cannot split, of words and their occurrences."""
    found = _UNSPACED[tokenizer].search
    unspaced = total = 0
    for word, n in words:
        total += n * len(word)
        if not word.isascii() and found(word):
            unspaced += n * len(word)
    return unspaced / max(total, 1)


def _checked(word: Any, lowercase: bool) -> str:
    if not isinstance(word, str):
        raise ValueError(f"tokenizer gave {word!r:.60} ({type(word).__name__}) as a word; expected strings.")
    word = word.strip()
    if not word.isalnum() and all(unicodedata.category(letter)[0] in "PZC" for letter in word):
        return BREAK
    return lowered(word) if lowercase else word


def _parts(word: str, whole: frozenset[str]) -> tuple[str, ...]:
    """A word with an apostrophe, kept if it is listed or Cyrillic, else its parts of three or more letters."""
    if word.lower() in whole or "\u0400" <= word[0] <= "\u04ff":
        return (word,)
    return tuple(part for part in word.split("'") if len(part) >= 3)


def _pairs(text: str) -> Iterator[str]:
    """Bigrams of every run of Chinese characters, and runs of katakana."""
    for run in _EAST_ASIAN.findall(text):
        if _HIRAGANA_ONLY.fullmatch(run):
            continue
        if "\u30a1" <= run[0] <= "\u31ff" or len(run) <= 2:
            yield run
        else:
            yield from (run[i : i + 2] for i in range(len(run) - 1))


@cache
def _ascii_finder(breaks: bool) -> Find:
    """Finds words in ASCII text; with breaks, what is not a word is found as an empty group."""
    word = r"\b[a-zA-Z]{3,}+(?:'[a-zA-Z]+)?\b"
    return re.compile(rf"({word})|\w+|[^\s\w-]" if breaks else word, re.ASCII).findall


@cache
def _finder(breaks: bool) -> Find:
    """Finds words in any text; with breaks, what is not a word is found as an empty group."""
    letter = _letters_and_marks()
    word = (
        rf"(?<![{letter}\d_])(?:[{_CYRILLIC}]++'[{_CYRILLIC}]++|[{letter}]{{3,}}+(?:'[{letter}]++)?|[{_HANGUL}]{{2}}+)"
        rf"(?![{letter}\w])"
    )
    return re.compile(rf"({word})|[{letter}\w]+|[^\s\w-]" if breaks else word).findall


@cache
def _letters_and_marks() -> str:
    """All letters and their combining marks, as the inside of a character class."""
    spans: list[list[int]] = []
    for code in range(0x41, 0x20000):
        kind = unicodedata.category(chr(code))
        if not (kind[0] == "L" or kind in ("Mn", "Mc")) or 0xFE00 <= code <= 0xFE0F:  # variants of emoji
            continue
        if spans and spans[-1][1] == code - 1:
            spans[-1][1] = code
        else:
            spans.append([code, code])
    return "".join(f"{chr(a)}-{chr(b)}" for a, b in spans) + _JOINERS + "\U00020000-\U0003ffff"


_UNSEEN = frozenset({"script", "style", "head"})  # elements without text
_NAMES = """
a abbr article aside b blockquote body br button caption center cite code col dd del div dl dt em figure font footer
form h1 h2 h3 h4 h5 h6 head header hr html i iframe img input ins li link main meta nav ol option p pre s script section
select small span strike strong style sub sup table tbody td tfoot th thead title tr tt u ul
"""
_KNOWN = frozenset(_NAMES.split()) | {"!doctype", "!--"}
_ENTITY = re.compile(r"&(?:[a-z]{2,8}|#\d{1,6}|#x[0-9a-f]{1,5});", re.IGNORECASE)


def without_markup(text: str) -> str:
    """Text without the usual tags of HTML and with its entities written out; the same object if it has none.

    A "<" that begins no such tag is left alone: "if a <b" is not markup unless a ">" follows.
    """
    if "<" in text:
        text = _without_tags(text, _KNOWN)
    return html.unescape(text) if "&" in text and _ENTITY.search(text) else text


def page_text(text: str) -> str:
    """The text of what is known to be a page of HTML, without its tags."""
    return html.unescape(_without_tags(text, None))


def _without_tags(text: str, known: frozenset[str] | None) -> str:
    """Text between the tags of these names, or between all tags, in one pass; elements never closed are kept."""
    before, *pieces = text.split("<")
    shown, unseen, within, found = [before], [""], "", False
    for piece in pieces:
        tag, closed, after = piece.partition(">")
        name = _name(tag)
        if within:
            unseen.append(after)
            if name == "/" + within:
                within, unseen = "", [""]
                shown.append(" " + after)
        elif not closed or (known is not None and name.strip("/") not in known):
            shown.append("<" + piece)
        elif name in _UNSEEN:
            within, found = name, True
            unseen.append(after)
        else:
            found = True
            shown.append(" " + after)
    return " ".join(["".join(shown), *unseen]) if found else text


def _name(tag: str) -> str:
    """The name of what stands between < and >, with a slash before it if it closes an element."""
    if tag.startswith("!--"):
        return "!--"
    return "" if tag[:1].isspace() else (tag.split(None, 1) or [""])[0].lower()
