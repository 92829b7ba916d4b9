"""Metadata in little memory and in folders: what is kept is what was given, for grouping documents and as numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from chronotope import Corpus
from chronotope.corpus import metadata as kept
from chronotope.corpus.groups import groups_of, numbers_of
from chronotope.corpus.metadata import ColumnCoder, chosen_rows, coded, joined, read_metadata, write_metadata

GIVEN = pd.DataFrame(
    {
        "party": ["Whig", None, "Whig", "Democrat", ""],
        "mixed": [1, "1", 2.5, True, np.nan],
        "born": pd.to_datetime(["1801-01-02", "1790-05-06", "1801-01-02", None, "1799-01-01"]),
        "age": [40.0, 51.5, np.nan, 9.0, 40.0],
        "names": [["a", "b"], ["a", "b"], [], None, ["c"]],
    }
)


def corpus_with(table: pd.DataFrame) -> Corpus:
    return Corpus(np.ones((len(table), 2), dtype=int), range(len(table)), metadata=table)


@pytest.mark.parametrize("column", ["party", "mixed", "names"])
def test_groups_are_the_same_after_a_folder(tmp_path: Path, column: str) -> None:
    write_metadata(coded(GIVEN), tmp_path)
    names, group = groups_of(corpus_with(read_metadata(tmp_path, len(GIVEN))), column)
    expected, of_each = groups_of(corpus_with(GIVEN), column)
    assert names == expected
    np.testing.assert_array_equal(group, of_each)


def test_numbers_and_dates_are_the_same_after_a_folder(tmp_path: Path) -> None:
    write_metadata(coded(GIVEN), tmp_path)
    found = corpus_with(read_metadata(tmp_path, len(GIVEN)))
    np.testing.assert_array_equal(numbers_of(found, "age"), GIVEN["age"])
    assert found.metadata is not None
    assert found.metadata["born"][0] == "1801-01-02 00:00:00"
    assert found.metadata["born"].isna().tolist() == [False, False, False, True, False]


def test_numbers_in_text_are_numbers(tmp_path: Path) -> None:
    table = pd.DataFrame({"n": ["3", " 4.5 ", None, "1e2", "3"]})
    write_metadata(coded(table), tmp_path)
    np.testing.assert_array_equal(
        numbers_of(corpus_with(read_metadata(tmp_path, 5)), "n"), [3.0, 4.5, np.nan, 100.0, 3.0]
    )


def test_columns_of_too_many_values_must_be_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "MOST", 3)
    write_metadata(coded(pd.DataFrame({"n": ["1", "2", "3", "4", None]})), tmp_path)
    np.testing.assert_array_equal(read_metadata(tmp_path, 5)["n"], [1.0, 2.0, 3.0, 4.0, np.nan])
    with pytest.raises(ValueError, match="'url' has 4 different values, the maximum on disk is 3"):
        write_metadata(coded(pd.DataFrame({"url": list("abcd")})), tmp_path)


def test_parts_and_chosen_rows_are_those_of_the_whole() -> None:
    values = ["b", "a", None, "c", "a", "b"]

    def part(some: list[Any]) -> pd.DataFrame:
        coder = ColumnCoder()
        for value in some:
            coder.append(value)
        return pd.DataFrame({"x": coder.column()})

    whole, together = part(values), joined([part(values[:2]), part(values[2:3]), part(values[3:])])
    pd.testing.assert_frame_equal(whole, together)
    keep = np.array([False, True, True, False, True, True])
    pd.testing.assert_frame_equal(chosen_rows(whole, keep), chosen_rows(together, keep))
    assert chosen_rows(whole, keep)["x"].cat.categories.tolist() == ["b", "a"]


@pytest.mark.parametrize(
    "about",
    [
        {"name": "x", "values": ["a", ["b"]]},
        {"name": "x", "values": ["a", "a"]},
        {"name": "x", "values": ["a"]},
        {"name": "x", "values": None},
        {"name": 3, "values": ["a", "b"]},
    ],
)
def test_damaged_columns_are_refused(tmp_path: Path, about: dict[str, Any]) -> None:
    write_metadata(coded(pd.DataFrame({"x": ["a", "b", None]})), tmp_path)
    (tmp_path / "columns.json").write_text(json.dumps([about]))
    with pytest.raises(ValueError, match=r"."):
        read_metadata(tmp_path, 3)


def test_many_documents_of_few_groups_need_a_byte_each() -> None:
    found = coded(pd.DataFrame({"party": np.array(["Whig", "Democrat"])[np.arange(1000) % 2]}))
    assert found["party"].cat.codes.to_numpy().nbytes == 1000
