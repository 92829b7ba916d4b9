"""Tables in memory: pandas, polars and Arrow give the same corpus."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import pytest

from chronotope.readers import read, read_corpus

COLUMNS = {
    "id": [7, 8, 9],
    "body": ["war and peace", "bread and wine", None],
    "date": [dt.date(1790, 1, 8), dt.date(1800, 3, 4), dt.date(1801, 1, 1)],
    "who": ["a", "b", "c"],
}


def tables() -> dict[str, Any]:
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    frame = polars.DataFrame(COLUMNS)
    return {
        "pandas": pd.DataFrame(COLUMNS, index=[3, 2, 1]),
        "pandas stamps": pd.DataFrame(COLUMNS).assign(date=pd.to_datetime(pd.Series(COLUMNS["date"]))),
        "polars": frame,
        "polars lazy": frame.lazy(),
        "Arrow": pyarrow.table(COLUMNS),
    }


@pytest.mark.parametrize("kind", ["pandas", "pandas stamps", "polars", "polars lazy", "Arrow"])
def test_every_table_gives_the_same_corpus(kind: str) -> None:
    corpus = read_corpus(tables()[kind])
    assert corpus.ids.tolist() == [7, 8]
    assert corpus.vocabulary.tolist() == ["bread", "peace", "war", "wine"]
    np.testing.assert_allclose(corpus.times, [1790 + 7 / 365, 1800 + 62 / 365], rtol=1e-15)
    assert corpus.calendar
    assert corpus.metadata is not None
    assert corpus.metadata["who"].tolist() == ["a", "b"]
    assert corpus.report is not None
    assert corpus.report["no text"].documents == 1


def test_missing_values_of_pandas_are_missing() -> None:
    table = pd.DataFrame(
        {"text": ["war", np.nan, pd.NA, "peace", ""], "date": [pd.NaT, "1790", "1790", "1791", "1790"]}
    )
    reading = read(table)
    assert [(record.text, record.time, record.id) for record in reading] == [("peace", "1791", 3)]
    assert dict(reading.dropped.counts) == {"no text": 3, "no time": 1}
    assert "no time (row 0)" in str(reading.dropped)


@pytest.mark.parametrize("bad", [5, ["a", "b"], {"text": ["a"]}, None], ids=repr)
def test_what_is_neither_a_path_nor_a_table_is_refused(bad: Any) -> None:
    with pytest.raises(ValueError, match=r"the source is a \w+, which cannot be read .* pass a path, or a table"):
        read(bad)


@pytest.mark.parametrize("empty", [pd.DataFrame(), pd.DataFrame({"text": [], "date": []})])
def test_an_empty_table_is_refused(empty: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match=r"the table is empty; expected one row per document"):
        read(empty)


def test_two_columns_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match=r"the source is a DataFrame, which cannot be read"):
        read(pd.DataFrame([["a", "b"]], columns=["text", "text"]))


def test_options_of_files_do_not_apply() -> None:
    with pytest.raises(ValueError, match=r"delimiter does not apply to a table in memory; do not pass it"):
        read(pd.DataFrame({"text": ["a"], "date": ["1790"]}), delimiter=",")
