"""Patterns that are quick on any text: only these are taken from a file.

A regular expression of the wrong kind, such as (a+)+b, takes longer than anybody waits on a text of thirty letters.
Here a pattern is quick if every step of it is decided by the next character, with few exceptions of small cost:

- what a repetition repeats never begins with a character that can also follow it, except in one of them, of single
  characters that are no spaces, as in [a-z][a-z0-9]*[a-z]
- a repetition that takes spaces is at the end, so that it always succeeds
- alternatives begin with different characters, or there are few of them, and they are not repeated
"""

from __future__ import annotations

import re
import warnings
from importlib import import_module
from typing import Any

LONGEST = 500  # characters of a pattern
MANY = 32  # repetitions from which on they count as unlimited
WAYS = 64  # maximum number of ways to match the same text, apart from repetitions
SAMPLE = "".join(map(chr, range(256))) + "ĀıſßКω中あア가اى٣ก\u0301\u200d\u2019\u2028\u3000\ufb01𝒜"

Chars = frozenset[str]
NONE: Chars = frozenset()
SINGLE = {"LITERAL", "NOT_LITERAL", "IN", "ANY"}
REPEATS = {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}


class _Slow(Exception):
    """A pattern that may be slow, as far as can be told."""


def is_quick(pattern: str) -> bool:
    """Whether finding a pattern is sure to take time in proportion to the text, times the length of its words."""
    if len(pattern) > LONGEST:
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parsed = import_module("re._parser").parse(pattern)
        _Reader(parsed, pattern).check(parsed)
    except (_Slow, re.error, ImportError, AttributeError, TypeError, ValueError, OverflowError, RecursionError):
        return False
    return True


class _Reader:
    """Reads a parsed pattern from its end to its beginning."""

    def __init__(self, parsed: Any, pattern: str) -> None:
        self.parsed, self.ways, self.doubtful = parsed, 1, 0
        self.alphabet = sorted(set(SAMPLE + pattern + pattern.swapcase()))
        self.known: dict[tuple[str, str], Chars] = {}

    def check(self, items: Any, follow: Chars = NONE, looped: bool = False, last: bool = True) -> None:
        """Refuse items one after the other that may be slow.

        follow : the characters that may come after them;  looped : whether they are repeated
        last : whether nothing that could fail comes after them
        """
        for op, given in reversed(list(items)):
            name = str(op)
            if name in REPEATS:
                self.check_repeat(given, follow, looped, last)
            elif name == "BRANCH":
                begins = [first | (follow if empty else NONE) for first, empty in map(self.begin, given[1])]
                self.decide(sum(map(len, begins)) == len(frozenset().union(*begins)), len(begins), looped)
            if name not in REPEATS and name not in SINGLE:
                for part in _inside(name, given):
                    self.check(part, follow, looped, last)
            first, empty = self.begin_of(name, given)
            follow = first | (follow if empty else NONE)
            last = last and empty and name in REPEATS

    def check_repeat(self, given: Any, follow: Chars, looped: bool, last: bool) -> None:
        """Refuse a repetition that does not end with any character that does not begin it."""
        least, most, items = given
        endless, again = int(most) > MANY, int(most) > 1
        first, empty = self.begin(items)
        self.check(items, follow | (first if again else NONE), looped or endless, last=False)
        if empty and again:
            raise _Slow("an empty repetition")
        if endless and not last and self.takes_spaces(items):
            raise _Slow("spaces before the end")
        if first & follow and endless:
            self.doubtful += 1
            if looped or self.doubtful > 1 or [str(op) in SINGLE for op, _ in items] != [True]:
                raise _Slow("an undecided repetition")
        elif first & follow:
            self.decide(False, int(most) - least + 1, looped)

    def begin(self, items: Any) -> tuple[Chars, bool]:
        """The characters that items one after the other begin with, and whether they may be empty."""
        found = NONE
        for op, given in items:
            first, empty = self.begin_of(str(op), given)
            found |= first
            if not empty:
                return found, False
        return found, True

    def begin_of(self, op: str, given: Any) -> tuple[Chars, bool]:
        """The same of one item."""
        if op in SINGLE:
            return self.chars(op, given), False
        parts = [self.begin(part) for part in _inside(op, given)]
        first: Chars = frozenset().union(*(first for first, _ in parts))
        return first, not parts or any(empty for _, empty in parts) or (op in REPEATS and given[0] == 0)

    def decide(self, is_so: bool, ways: int, looped: bool) -> None:
        """Count the ways to match the same text where the next character does not decide."""
        self.ways *= 1 if is_so else ways
        if self.ways > WAYS or (looped and not is_so):
            raise _Slow("undecided")

    def takes_spaces(self, items: Any) -> bool:
        """Whether any single character of these items may be a space."""
        for op, given in items:
            name = str(op)
            if name in SINGLE and any(c.isspace() for c in self.chars(name, given)):
                return True
            if name not in SINGLE and any(map(self.takes_spaces, _inside(name, given))):
                return True
        return False

    def chars(self, op: str, given: Any) -> Chars:
        """The characters that one item matches, of those in the sample and in the pattern."""
        key = op, str(given)
        if key not in self.known:
            one = type(self.parsed)(self.parsed.state, [(getattr(import_module("re._constants"), op), given)])
            self.known[key] = frozenset(filter(import_module("re._compiler").compile(one).fullmatch, self.alphabet))
        return self.known[key]


def _inside(op: str, given: Any) -> list[Any]:
    """The sequences within an item; of conditions none, if they are of single characters."""
    if op == "AT" or (op in ("ASSERT", "ASSERT_NOT") and all(str(part) in SINGLE for part, _ in given[1])):
        return []
    if op == "SUBPATTERN" and not given[1] and not given[2]:  # without flags of its own
        return [given[3]]
    if op == "BRANCH":
        return list(given[1])
    if op in REPEATS:
        return [given[2]]
    if op == "ATOMIC_GROUP":
        return [given]
    raise _Slow(op)
