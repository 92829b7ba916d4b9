"""The passage of a text that says most of a topic."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

LENGTH = 420  # characters of an excerpt
READ = 20_000  # characters of a text that are looked through for it
_WORD = re.compile(r"\w+")

Weights = dict[str, float]


def excerpt(text: str, weights: Weights) -> list[str]:
    """The passage that says most of the topic: pieces of it, every second one a word of the topic."""
    text = " ".join(text[:READ].split())
    found = list(_WORD.finditer(text))
    weight = np.array([_weight(match[0], weights) for match in found])
    start, end = _best_window(found, weight)
    start, end = _whole_words(text, start, end)
    pieces: list[str] = []
    at = start
    for match, w in zip(found, weight, strict=True):
        if w > 0 and start <= match.start() and match.end() <= end:
            pieces += [text[at : match.start()], match[0]]
            at = match.end()
    pieces.append(text[at:end])
    pieces[0] = ("… " if start > 0 else "") + pieces[0]
    pieces[-1] += " …" if end < len(text) else ""
    return pieces


def _weight(token: str, weights: Weights) -> float:
    return weights.get(token) or weights.get(token.lower(), 0.0)


def _best_window(found: list[re.Match[str]], weight: NDArray[np.float64]) -> tuple[int, int]:
    """Start and end of the stretch of so many characters with the highest sum of weights, the first of equals."""
    if not found:
        return 0, LENGTH
    starts = np.array([match.start() for match in found])
    ends = np.array([match.end() for match in found])
    total = np.concatenate(
        [[0.0], np.cumsum(np.sqrt(weight))]
    )  # roots: many words of the topic before one frequent one
    last = np.searchsorted(ends, starts + LENGTH, side="right")
    best = int(np.argmax(total[last] - total[:-1]))
    return (0, LENGTH) if starts[best] < LENGTH // 4 else (int(starts[best]), int(starts[best]) + LENGTH)


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """The stretch moved back to the start of a sentence nearby, and cut between words."""
    if start > 0:
        stop = max(text.rfind(mark, max(0, start - 120), start) for mark in (". ", "! ", "? ", "; "))
        if stop >= 0:
            start = stop + 2
    end = min(end, start + LENGTH)
    if end < len(text):
        space = text.rfind(" ", start + LENGTH // 2, end)
        end = space if space > 0 else end
    return start, min(end, len(text))
