"""Ids and places of many documents are in little memory what they are in lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.readers.labels import ByPart, PlaceList, id_array, kept_ids

words = st.sampled_from(["row", "line", "a.csv, row", "file", ""])
numbered = st.builds("{} {}".format, words, st.integers(0, 10**20))
places = st.lists(st.one_of(numbered, st.sampled_from(["row 007", "file a 1861", "x", "", " ", "row ٣", "row -1"])))


@given(places)
def test_places_are_given_back_as_they_were(listed: list[str]) -> None:
    kept = PlaceList()
    for place in listed:
        kept.append(place)
    assert [kept[row] for row in range(len(kept))] == listed


NAMES = [0, 7, -1, 2**40, 2**63, "a", "bcd", "größe", "", "x\0", "y\0z", True]


@given(st.lists(st.lists(st.tuples(st.sampled_from(NAMES), st.booleans()))))
def test_ids_are_those_of_one_list(parts: list[list[tuple[Any, bool]]]) -> None:
    joined, keep, names = ByPart(), [], []
    for part in parts:
        joined.append(id_array([name for name, _ in part]))
        names += [name for name, _ in part]
        keep += [kept for _, kept in part]
    assert [joined[row] for row in range(len(joined))] == names
    assert [type(joined[row]) for row in range(len(joined))] == [type(name) for name in names]
    if any(keep):
        found = kept_ids(joined, np.array(keep))
        expected = np.array([name for name, kept in zip(names, keep, strict=True) if kept])
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("ids", "kind"), [([1, 2], "i"), (["a", "bc"], "S"), ([1, "a"], "O"), ([], "O")])
def test_ids_of_one_kind_are_small_arrays(ids: list[Any], kind: str) -> None:
    assert id_array(ids).dtype.kind == kind
