"""Tables in files are whole, and no cell of them runs in a spreadsheet."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from chronotope.analysis import write_table

TEXTS = ["=HYPERLINK(1)", "+1", "-ing", "@sum", "\t=1", "plain", 'quote "and", comma', "ünïcode", "＝1"]
TABLE = pd.DataFrame({"word": TEXTS, "change": np.linspace(-1, 1, 9), "n": range(9), "words": [["-a", "b"]] * 9})


def test_texts_that_look_like_formulas_get_an_apostrophe_in_csv(tmp_path: Path) -> None:
    path = write_table(TABLE, tmp_path / "table.csv")
    back = pd.read_csv(path)
    assert back["word"].tolist() == [f"'{text}" if text[0] in "=+-@\t＝" else text for text in TEXTS]
    np.testing.assert_allclose(back["change"], TABLE["change"], rtol=1e-15)
    assert back["words"].tolist() == ["'-a, b"] * 9


def test_parquet_holds_every_value_as_it_is(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    back = pd.read_parquet(write_table(TABLE, tmp_path / "table.parquet"))
    assert back["word"].tolist() == TEXTS
    assert back["words"].map(list).tolist() == TABLE["words"].tolist()


def test_a_table_that_cannot_be_written_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("old")

    class Unwritable:
        def __str__(self) -> str:
            raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        write_table(pd.DataFrame({"a": [[Unwritable()]]}), path)
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["table.csv"]


def test_other_endings_and_missing_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"'table.xlsx'; expected a name that ends in .csv or .parquet"):
        write_table(TABLE, tmp_path / "table.xlsx")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        write_table(TABLE, tmp_path / "nowhere" / "table.csv")


@pytest.mark.parametrize("text", ["war\r=1+1", "\r=1+1", "war\r\n=1+1"])
def test_a_carriage_return_begins_no_row(tmp_path: Path, text: str) -> None:
    table = pd.DataFrame({"text": [text, "peace"], "n": [1.5, 2.5]})
    path = write_table(table, tmp_path / "a.csv")
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(io.StringIO(file.read(), newline="")))
    assert rows == [["text", "n"], [f"'{text}" if text.startswith("\r") else text, "1.5"], ["peace", "2.5"]]
    content = path.read_bytes()
    assert content.index(b'"') < content.index(b"\r")
    assert b"1.5\n" in content  # numbers are not quoted
