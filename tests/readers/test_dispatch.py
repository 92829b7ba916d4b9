"""The way in: every kind of source is recognised, and options that do not apply are refused."""

from __future__ import annotations

import bz2
import gzip
import lzma
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chronotope
from chronotope.readers import read, read_corpus

CSV = "date,text\n1861,war\n1862,peace\n"
JSONL = '{"date": "1861", "text": "war"}\n{"date": "1862", "text": "peace"}\n'
MBOX = "From a\nDate: 1 Jan 1861 00:00:00 +0000\n\nwar\n\nFrom a\nDate: 1 Jan 1862 00:00:00 +0000\n\npeace\n"


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", CSV),
        ("a.tsv", CSV.replace(",", "\t")),
        ("a.jsonl", JSONL),
        ("a.ndjson", JSONL),
        ("a.json", JSONL),
        ("a.mbox", MBOX),
        ("a", CSV),
        ("a.txt", JSONL),
        ("a.data", MBOX),
        ("A.CSV", CSV),
    ],
)
def test_every_file_gives_the_same_corpus(write: Any, name: str, content: str, pack: Any) -> None:
    path = write(name, pack(content.encode()))
    for form in (path, str(path)):
        corpus = read_corpus(form)
        assert corpus.vocabulary.tolist() == ["peace", "war"]
        assert corpus.times.tolist() == [1861, 1862]
        assert corpus.calendar


@settings(max_examples=200)
@given(
    st.sampled_from(["a.csv", "a.tsv", "a.jsonl", "a.mbox", "a", "a-mult.dat", "a.mtx", "folder/1862.txt"]),
    st.sampled_from([b"", b"date,text\n1861,war\n", JSONL.encode(), MBOX.encode(), b"\x1f\x8b\x08\0", b"\xff\xfe"]),
    st.binary() | st.text('0123456789:/-,;\t\n"{}[] abcMar').map(str.encode),
)
@pytest.mark.slow
def test_any_bytes_are_read_or_refused_in_a_sentence(
    tmp_path_factory: Any, name: str, start: bytes, rest: bytes
) -> None:
    path = tmp_path_factory.mktemp("any") / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(start + rest)
    try:
        assert len(read_corpus(path if path.parent.name != "folder" else path.parent)) > 0
    except (ValueError, OSError) as error:
        assert len(str(error).split()) > 3  # noqa: PT017


def test_parquet_is_known_by_its_first_bytes(tmp_path: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"year": [1861, 1862], "text": ["war", "peace"]}), tmp_path / "table")
    assert read_corpus(tmp_path / "table").times.tolist() == [1861, 1862]


def test_the_format_can_be_said(write: Any) -> None:
    assert len(read_corpus(write("a.csv", JSONL), format="jsonl")) == 2
    with pytest.raises(
        ValueError, match=r"format is 'xls'; expected one of csv, jsonl, parquet, excel, mbox, folder, zip, git"
    ):
        read(write("a.csv", CSV), format="xls")


def test_a_device_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'/dev/null' is neither a file nor a folder; save its content"):
        read("/dev/null")


def test_a_missing_path_is_named() -> None:
    with pytest.raises(FileNotFoundError, match=r"there is no file or folder 'nowhere.csv'; check the path"):
        read("nowhere.csv")


@pytest.mark.parametrize(
    ("name", "content", "options", "message"),
    [
        ("a.jsonl", JSONL, {"delimiter": ","}, "delimiter does not apply to a source read as jsonl; do not pass it"),
        ("a.mbox", MBOX, {"encoding": "utf-8"}, "encoding does not apply to a source read as mbox"),
    ],
)
def test_options_that_do_not_apply_are_refused(
    write: Any, name: str, content: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        read(write(name, content), **options)


def test_options_of_counts_do_not_apply_to_texts(write: Any) -> None:
    with pytest.raises(ValueError, match=r"vocabulary= and times= belong to files of counts"):
        read_corpus(write("a.csv", CSV), times=[1, 2])


def test_texts_need_not_be_kept(write: Any) -> None:
    assert read_corpus(write("a.csv", CSV), keep_texts=False).texts is None


def test_the_readers_are_part_of_the_library() -> None:
    assert chronotope.read_corpus is read_corpus
    assert chronotope.readers.read is read
