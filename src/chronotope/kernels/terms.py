"""What prevalence follows, from text such as "constant + ou + by(party) + linear(age)".

terms = term { "+" term },   term = "by" "(" column ")" | "linear" "(" column ")" | a part of a kernel, see `parse`
column = name | quoted

`by` gives every group of a column its own deviation from what all groups share, and `linear` is the effect of a number.
A kernel, such as "linear(0.1)", has numbers where these have the name of a column.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from chronotope.kernels.base import Kernel
from chronotope.kernels.parse import parse_kernel
from chronotope.kernels.presets import Recipe
from chronotope.kernels.tracks import has_tracks, quoted

TERM = re.compile(r"""\s*(?P<kind>by|linear)\s*\(\s*(?P<column>[^\W\d]\w*|'[^']*'|"[^"]*")\s*\)\s*""", re.IGNORECASE)
EXPECTED = 'expected text such as "constant + ou + by(party)"'


class ShareTerms(NamedTuple):
    """What prevalence follows.   kernel : over time;  by : column of groups, None for none;  linear : of numbers."""

    kernel: Recipe
    by: str | None
    linear: tuple[str, ...]

    @property
    def columns(self) -> list[str]:
        """Columns of the metadata that are needed."""
        return [*([] if self.by is None else [self.by]), *self.linear]

    @property
    def text(self) -> str:
        """Text form, which `parse_terms` reads back."""
        groups = [] if self.by is None else [f"by({quoted(self.by)})"]
        return " + ".join([self.kernel.text, *groups, *(f"linear({quoted(column)})" for column in self.linear)])


def parse_terms(text: str) -> ShareTerms:
    """The terms written in a text; ValueError says what is wrong with it.

    text : str, such as "constant + ou", "ou(1, 5 years) + by(party)" or "constant + ou + by('home state') + linear(x)"
    """
    if not isinstance(text, str):
        raise TypeError(f"prevalence is {text!r}; {EXPECTED}.")
    over_time, groups, numbers = list[str](), list[str](), list[str]()
    for part in _summands(text):
        found = TERM.fullmatch(part)
        if found is None:
            over_time.append(part)
        else:
            (groups if found["kind"].lower() == "by" else numbers).append(_column(found["column"]))
    if not "".join(over_time).strip():
        raise ValueError(f"prevalence {text!r} does not say how it changes over time; {EXPECTED}, or constant alone.")
    if len(groups) > 1:
        raise ValueError(f"prevalence {text!r} has {len(groups)} terms by(...); join their columns into one.")
    if len(set(numbers)) < len(numbers):
        raise ValueError(f"prevalence {text!r} has a column twice; name it once.")
    kernel = parse_kernel("+".join(over_time))
    if isinstance(kernel, Kernel) and has_tracks(kernel):
        raise ValueError(
            f"prevalence {text!r} has terms of a kernel of words; write by(party), with the name of a column alone."
        )
    return ShareTerms(kernel, groups[0] if groups else None, tuple(numbers))


def _summands(text: str) -> list[str]:
    """The parts between the plus signs that are in no parentheses and no quotes."""
    parts, depth, quote = [""], 0, ""
    for character in text:
        if quote or character in "'\"":
            quote = "" if character == quote else quote or character
        else:
            depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "+" and not depth and not quote:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def _column(given: str) -> str:
    return given[1:-1] if given[0] in "'\"" else given
