"""Parquet: rows in order over many batches, packed again or not; what is no Parquet is named."""

from __future__ import annotations

import datetime as dt
import gzip
import sys
from pathlib import Path
from typing import Any

import pytest

from chronotope.readers.rows import Row
from chronotope.readers.tables import parquet_source

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

TABLE = {"text": [f"text {n}" for n in range(2500)], "date": [dt.date(1790, 1, 8)] * 2500, "n": list(range(2500))}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table(TABLE), path, row_group_size=700)
    return path


@pytest.mark.parametrize("packed", [False, True])
def test_all_rows_are_read_in_order(path: Path, packed: bool) -> None:
    if packed:
        path = path.with_suffix(".parquet.gz")
        path.write_bytes(gzip.compress(path.with_suffix("").read_bytes()))
    rows = list(parquet_source(path).rows())
    assert rows[1234] == Row("row 1234", {"text": "text 1234", "date": dt.date(1790, 1, 8), "n": 1234})
    assert [row.fields["n"] for row in rows if isinstance(row, Row)] == TABLE["n"]


def test_an_empty_table_is_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": pa.array([], pa.string())}), tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=r"a.parquet is empty; expected one row per document"):
        parquet_source(tmp_path / "a.parquet")


@pytest.mark.parametrize("content", [b"", b"text", b"PAR1" + b"x" * 100])
def test_what_is_no_parquet_is_refused(write: Any, content: bytes) -> None:
    with pytest.raises(ValueError, match=r"a.parquet is not a Parquet file or is damaged"):
        parquet_source(write("a.parquet", content))


def test_a_file_damaged_inside_is_refused(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4:400] = b"\xff" * 396
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"a.parquet is not a Parquet file or is damaged"):
        list(parquet_source(path).rows())


def test_a_missing_package_says_how_to_get_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ImportError, match=r'Parquet files need pyarrow; pip install "chronotope\[files\]"'):
        parquet_source(path)
