"""Texts in few bytes: a dictionary of their pieces, and one character of the file for each piece, frequent ones short.

UTF-8 needs one byte for the first 90 characters used here, two for the next 1,900, three for 60,000 more. English
comes to about a third of its size, and a browser decodes it with no library.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from chronotope._typing import Ints

# scripts that put no space between words, each character a piece of its own: Thai to Khmer, kana and Han
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff"
_UNSPACED = re.compile(f"[{UNSPACED}]")
_PIECES = re.compile(rf"[{UNSPACED}]|[^\W_{UNSPACED}]+|(?:[^\w{UNSPACED}]|_)+")
_WORDS = re.compile(rf"[{UNSPACED}]|[^\W_{UNSPACED}]+")

# characters that JSON and HTML leave alone: without quotes, backslashes, <, >, &, controls, line separators, surrogates
LETTERS = (
    (0x20, 0x21),
    (0x23, 0x25),
    (0x27, 0x3B),
    (0x3D, 0x3D),
    (0x3F, 0x5B),
    (0x5D, 0x7E),
    (0xA1, 0x2027),
    (0x2030, 0xD7FF),
    (0xE000, 0xFDCF),
    (0xFDF0, 0xFEFE),
    (0xFF00, 0xFFFD),
    *((plane + 0x0000, plane + 0xFFFD) for plane in range(0x10000, 0x100000, 0x10000)),
)
MOST = sum(last - first + 1 for first, last in LETTERS)  # pieces of a dictionary, and the highest number, at most
UNKNOWN = "…"


def plain_text(text: str) -> str:
    """Text in composed letters (NFC), with single spaces."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def pieces(text: str) -> list[str]:
    """A plain text as words and what is between them; a single space between two words is left out.

    Next to a character of a script without spaces nothing is left out: there, no space is the rule.
    """
    found: list[str] = _PIECES.findall(text)
    if not _UNSPACED.search(text):
        return [piece for piece in found if piece != " "]
    alone = [bool(_UNSPACED.match(piece)) for piece in found]
    inside = range(1, len(found) - 1)
    left_out = {at for at in inside if found[at] == " " and not alone[at - 1] and not alone[at + 1]}
    return [piece for at, piece in enumerate(found) if at not in left_out]


def words(text: str) -> set[str]:
    """The words of a plain text, in lower case."""
    return {word.lower() for word in _WORDS.findall(text)}


def common_length(lengths: Ints, budget: int) -> int:
    """The length to cut texts to so that all of them together have at most `budget` characters."""
    rising = np.sort(np.asarray(lengths, dtype=np.int64))
    D = len(rising)
    before = np.concatenate([[0], np.cumsum(rising)[:-1]])
    over = np.flatnonzero(before + rising * np.arange(D, 0, -1) > budget)  # cut to its length, all would be too many
    return int(rising[-1]) if not len(over) else int((budget - before[over[0]]) // (D - over[0]))


class Numbering:
    """Numbers for pieces, in the order in which they come; `ranked` gives them new ones, frequent pieces first."""

    def __init__(self) -> None:
        self.known: defaultdict[str, int] = defaultdict()
        self.known.default_factory = self.known.__len__

    def numbers(self, some: Iterable[str]) -> Ints:
        """The numbers of the pieces; a new piece has the next one."""
        return np.fromiter(map(self.known.__getitem__, some), dtype=np.int64)

    def ranked(self, used: Sequence[Ints]) -> tuple[list[str], Ints]:
        """The pieces by how often their numbers are used, at most one per character; and their new numbers.

        used : numbers of all pieces of all texts
        """
        often = np.bincount(np.concatenate(used), minlength=len(self.known))
        order = np.argsort(-often, kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.minimum(np.arange(len(order)), MOST - 1)
        entries = np.array(list(self.known), dtype=object)[order[:MOST]].tolist()
        return entries if len(order) <= MOST else [*entries[:-1], UNKNOWN], rank


def encode_numbers(numbers: Ints) -> str:
    """Numbers from 0 as characters; one too high becomes the highest there is."""
    return str(_characters()[np.minimum(numbers, MOST - 1)].tobytes().decode("utf-32-le"))


def gaps(rising: Ints) -> Ints:
    """The first of rising numbers, and the differences between the others."""
    return np.diff(rising, prepend=0)


@cache
def _characters() -> NDArray[np.uint32]:
    """The code points of all characters, (MOST,), little-endian."""
    return np.concatenate([np.arange(first, last + 1) for first, last in LETTERS]).astype("<u4")
