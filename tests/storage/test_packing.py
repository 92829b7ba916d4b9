"""Strings and tables as arrays come back exactly as they were, or are refused."""

import datetime
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.storage.packing import (
    NotPacked,
    pack_json,
    pack_strings,
    pack_table,
    unpack_json,
    unpack_strings,
    unpack_table,
)

ANY_TEXT = st.text(st.characters())  # also halves of characters
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(ANY_TEXT, max_size=8))
def test_strings_come_back(strings):
    assert unpack_strings(pack_strings(strings)) == strings


@given(PLAIN)
def test_values_of_json_come_back_with_their_types(value):
    assert repr(unpack_json(pack_json(value))) == repr(value)


@pytest.mark.parametrize("value", [(1, 2), np.float64(1.0), {1: "a"}, [b"bytes"], datetime.date(2020, 1, 1)])
def test_other_values_are_refused(value):
    with pytest.raises(NotPacked):
        pack_json(value)


TABLE = pd.DataFrame(
    {
        "whole": [1, 2, 3],
        "number": [0.1, math.nan, -0.0],
        "true": [True, False, True],
        "small": np.array([1, 2, 3], np.uint8),
        "text": ["a", "b\x00", "😀"],
        "gaps": ["a", None, "c"],
        "mixed": pd.Series(["\ud83d", 1, None], dtype=object),
        "lists": [["a", "b"], [], [1]],
        "objects": [{"a": 1}, None, {"b": [1.5]}],
        "when": pd.to_datetime(["2001-02-03", None, "1999-01-01"]),
        "seconds": np.array(["2001-02-03", "NaT", "1999-01-01"], "M8[s]"),
    }
)


@pytest.mark.parametrize("table", [TABLE, TABLE.iloc[:0], TABLE[["text"]], pd.DataFrame(index=pd.RangeIndex(4))])
def test_a_table_comes_back_with_its_types(table):
    found = unpack_table(pack_table(table))
    pd.testing.assert_frame_equal(found, table, check_exact=True)
    assert [[type(value) for value in found[name]] for name in found] == [
        [type(value) for value in table[name]] for name in table
    ]


def test_a_column_that_would_come_back_otherwise_is_refused_by_its_name():
    for values, kind in (
        ([datetime.date(2020, 1, 1)], "date"),
        (pd.Categorical(["a"]), "category"),
        (pd.to_datetime(["2001-02-03"], utc=True), "UTC"),
    ):
        with pytest.raises(NotPacked, match=f"'born' holds .*{kind}"):
            pack_table(pd.DataFrame({"born": values}))
    with pytest.raises(NotPacked, match="not numbered"):
        pack_table(TABLE.iloc[1:])
