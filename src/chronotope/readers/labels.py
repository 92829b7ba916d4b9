"""Times, ids and places of many documents in little memory: arrays by part, and places as words and numbers."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronotope._typing import Ints, Mask
from chronotope.dates.decimal import format_time
from chronotope.dates.outlying import main_part

OUTLYING = (
    "{n:,} document{s} far from the others in time ({named}): nothing for the others, neither pictures nor kernel nor "
    "time grid, depends on them; correct the dates, or leave them out with start= and end="
)
_NAMED = 10  # outlying documents that are named
_DIGITS = 9  # of a number that is kept as one, in four bytes


class PlaceList:
    """Where documents are, such as "row 12": the words once for all that follow each other, and the numbers."""

    def __init__(self) -> None:
        self._numbers = array("i")
        self._words: list[str] = []
        self._starts: list[int] = []  # the first document that has them

    def append(self, place: str) -> None:
        """Add the place of the next document."""
        words, _, number = place.rpartition(" ")
        if len(number) > _DIGITS or not number.isdecimal() or str(int(number)) != number:
            words, number = place, "-1"
        if not self._words or self._words[-1] != words:
            self._words.append(words)
            self._starts.append(len(self._numbers))
        self._numbers.append(int(number))

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, row: int) -> str:
        words, number = self._words[bisect_right(self._starts, row) - 1], self._numbers[row]
        return words if number < 0 else f"{words} {number}"


def id_array(ids: Any) -> NDArray[Any]:
    """Ids as an array of whole numbers, of UTF-8 bytes if they are text, or of objects, (n,);  ids : list or array"""
    kinds = {type(name) for name in ids}
    numbers = np.array(ids) if kinds <= {int} else np.empty(0)
    if numbers.dtype == np.int64:
        return numbers
    if kinds == {str} and not any(name.endswith("\0") for name in ids):  # which NumPy would cut off
        return np.array([name.encode() for name in ids])
    objects = np.empty(len(ids), dtype=object)
    objects[:] = ids
    return objects


class ByPart:
    """Values of documents by row, in parts that follow each other;  ends : documents of each part and those before."""

    def __init__(self) -> None:
        self.parts: list[Any] = []
        self.ends: list[int] = []

    def append(self, part: Any) -> None:
        """Add the values of the documents of the next part."""
        self.parts.append(part)
        self.ends.append(len(self) + len(part))

    def __len__(self) -> int:
        return self.ends[-1] if self.ends else 0

    def __getitem__(self, row: int) -> Any:
        i = bisect_right(self.ends, row)
        return _plain(self.parts[i][row - (self.ends[i - 1] if i else 0)])


def _plain(value: Any) -> Any:
    """A value of an array as Python has it."""
    value = value.item() if isinstance(value, np.generic) else value
    return value.decode() if isinstance(value, bytes) else value


def kept_ids(ids: ByPart, keep: Mask) -> NDArray[Any]:
    """The ids of the masked documents as np.array makes them of a list, (n,);  ids : as `id_array` gives them."""
    kinds = {part.dtype.kind for part in _kept_parts(ids, keep)}
    if len(kinds) > 1 or "O" in kinds:
        return np.array([_plain(name) for part in _kept_parts(ids, keep) for name in part.tolist()])
    types = {_decoded(part).dtype for part in _kept_parts(ids, keep)}
    found, first = np.empty(int(keep.sum()), dtype=np.result_type(*types)), 0
    for part in _kept_parts(ids, keep):
        found[first : first + len(part)] = _decoded(part)
        first += len(part)
    return found


def _kept_parts(ids: ByPart, keep: Mask) -> Iterator[NDArray[Any]]:
    """The ids of the masked documents of every part that has any."""
    starts = [0, *ids.ends]
    for part, first, end in zip(ids.parts, starts, ids.ends, strict=False):
        if keep[first:end].any():
            yield part[keep[first:end]]


def _decoded(ids: NDArray[Any]) -> NDArray[Any]:
    return np.char.decode(ids, "utf-8") if ids.dtype.kind == "S" else ids


def outlying_note(times: NDArray[np.float64], rows: Ints, calendar: bool, places: Any) -> list[str]:
    """A note on documents whose times are far from the others, with their places; none if there are none.

    times, rows : (n,) of the documents;  places : by row
    """
    found = np.flatnonzero(~main_part(times))
    if not len(found):
        return []
    named = [f"{places[int(rows[at])]}, {format_time(times[at], calendar)}" for at in found[:_NAMED]]
    more = "; ..." if len(found) > _NAMED else ""
    return [OUTLYING.format(n=len(found), s="s are" if len(found) > 1 else " is", named="; ".join(named) + more)]
