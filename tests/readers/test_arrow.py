"""Parquet: rows in order over many batches, packed again or not; what is no Parquet is named."""

from __future__ import annotations

import datetime as dt
import gzip
import sys
from pathlib import Path
from typing import Any

import pytest

from chronotope.readers import open as opening
from chronotope.readers import read
from chronotope.readers.arrow import parquet_source
from chronotope.readers.rows import Row

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


REPEATED = pa.DictionaryArray.from_arrays(pa.array([0] * 3000, pa.int32()), pa.array(["war " * 25_000]))


def test_what_a_repeated_value_unfolds_to_is_limited(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"date": ["1861-03-04"] * 3000, "text": REPEATED}), path)
    assert path.stat().st_size < 100_000  # for 300 MB of text
    with pytest.raises(ValueError, match=r"a.parquet decompresses to more than 200 times its size.*max_ratio=2000"):
        list(parquet_source(path).rows())
    texts = [row.fields["text"] for row in parquet_source(path, max_ratio=1e6).rows() if isinstance(row, Row)]
    assert len(texts) == 3000
    assert len(set(map(id, texts))) <= 3  # in memory once for each batch


def test_rows_that_take_no_room_in_the_file_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "_UNGUARDED", 1000)
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": ["war"] * 500_000}), path)
    with pytest.raises(ValueError, match=r"a.parquet decompresses to more than 200 times its size"):
        next(parquet_source(path).rows())


FAR = {  # numbers of a type, of which the last two are not in Python's calendar
    "date32": (pa.date32(), pa.int32(), [0, 2**31 - 1, -(2**31)]),
    "date64": (pa.date64(), pa.int64(), [0, 86_400_000 * 10**9, -86_400_000 * 10**9]),
    "s": (
        pa.timestamp("s"),
        pa.int64(),
        [0, 9_405_000_000_000, -9_405_000_000_000],
    ),  # the second is of the year 300000
    "ms": (pa.timestamp("ms", "UTC"), pa.int64(), [0, 2**62, -(2**62)]),
    "us": (pa.timestamp("us"), pa.int64(), [0, 2**62, -(2**62)]),
}


@pytest.mark.parametrize("column", ["date", "seen"])
@pytest.mark.parametrize("kind", FAR)
@pytest.mark.parametrize("in_memory", [False, True])
def test_a_date_out_of_range_costs_its_row(tmp_path: Path, column: str, kind: str, in_memory: bool) -> None:
    of, stored, numbers = FAR[kind]
    columns: dict[str, Any] = {"date": [f"186{n}-03-04" for n in range(3)], "text": ["war and peace"] * 3}
    table = pa.table(columns | {column: pa.array(numbers, stored).cast(of)})
    pq.write_table(table, tmp_path / "a.parquet")
    reading = read(table if in_memory else tmp_path / "a.parquet")
    assert len(list(reading)) == 1
    assert reading.dropped.counts == {f"unreadable value of {column!r}": 2}


def test_nanoseconds_hold_no_date_out_of_range(tmp_path: Path) -> None:
    numbers = pa.array([0, 2**63 - 1, -(2**63) + 1], pa.int64())
    table = pa.table({"date": numbers.cast(pa.timestamp("ns")), "text": ["war and peace"] * 3})
    assert [str(record.time)[:4] for record in read(table)] == ["1970", "2262", "1677"]


def test_bytes_that_are_not_utf8_cost_their_row(tmp_path: Path) -> None:
    ends = pa.py_buffer(b"\0\0\0\0\x03\0\0\0\x06\0\0\0")
    texts = pa.Array.from_buffers(pa.string(), 2, [None, ends, pa.py_buffer(b"war\xff\xfe\xff")])
    pq.write_table(pa.table({"date": ["1861", "1862"], "text": texts}), tmp_path / "a.parquet")
    reading = read(tmp_path / "a.parquet")
    assert [record.text for record in reading] == ["war"]
    assert reading.dropped.counts == {"unreadable value of 'text'": 1}
