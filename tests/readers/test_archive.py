"""Zip archives of several files: texts are a folder, tables are one table; nothing is written elsewhere."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from chronotope.readers import open as opening
from chronotope.readers import read, read_corpus

A, B = "date,text\n1861,War and peace\n", "text;date\nBread and wine;1862\n"


def zip_of(files: dict[str, str | bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


TEXTS: dict[str, str | bytes] = {
    "1861.txt": "War and peace",
    "sub/1862-03-04.md": "Bread and wine",
    ".hidden.txt": "no",
}


@pytest.mark.parametrize("top", ["", "letters/"])
def test_texts_are_read_as_in_a_folder(write: Any, top: str) -> None:
    for name, content in TEXTS.items():
        write(f"folder/{name}", content)
    archive = write("letters.zip", zip_of({top + name: content for name, content in TEXTS.items()}))
    reading = read(archive)
    assert list(reading) == list(read(archive.parent / "folder"))
    assert [(record.time, record.id) for record in reading] == [
        ("1861", "1861.txt"),
        ("1862-03-04", "sub/1862-03-04.md"),
    ]
    assert str(reading).startswith("letters.zip: archive of 2 texts")


def test_one_folder_that_says_the_date_is_kept(write: Any) -> None:
    path = write("a.zip", zip_of({"1861/a.txt": "War", "1861/b.txt": "Peace"}))
    assert [(record.time, record.id) for record in read(path)] == [("1861", "1861/a.txt"), ("1861", "1861/b.txt")]


@pytest.mark.parametrize("top", ["", "letters/"])
def test_a_table_of_dates_in_the_archive_is_used(write: Any, top: str) -> None:
    files = {"metadata.csv": "file,date\na.txt,1861\nb.txt,1862\n", "a.txt": "War", "b.txt": "Peace"}
    path = write("a.zip", zip_of({top + name: content for name, content in files.items()}))
    assert [record.time for record in read(path)] == ["1861", "1862"]


def test_tables_with_the_same_columns_are_one_table(write: Any) -> None:
    path = write("tables.csv.zip", zip_of({"y/a.csv": A, "y/b.csv": B + "Wine\n", "README.txt": "About the tables."}))
    reading = read(path)
    assert [(record.text, record.time) for record in reading] == [("War and peace", "1861"), ("Bread and wine", "1862")]
    assert str(reading.dropped) == "1 × wrong number of fields (y/b.csv, line 3 '1 instead of 2')"
    assert "1 other file in tables.csv.zip skipped (README.txt)" in reading.notes
    assert read_corpus(path).times.tolist() == [1861, 1862]


def test_json_lines_and_arrays_are_tables(write: Any) -> None:
    rows = [{"date": "1861", "text": "War and peace"}, {"date": "1862", "text": "Bread"}]
    path = write("a.zip", zip_of({"a.jsonl": json.dumps(rows[0]), "b.json": json.dumps(rows[1:])}))
    assert [record.text for record in read(path)] == ["War and peace", "Bread"]


def test_a_table_without_rows_has_no_columns_to_compare(write: Any) -> None:
    path = write("a.zip", zip_of({"a.csv": A, "b.csv": "other,header\n"}))
    assert len(read_corpus(path)) == 1


def test_notes_of_the_tables_are_kept(write: Any) -> None:
    latin = "date,text\n1862,Größe und Maß für alle Straßen\n".encode("cp1252")
    corpus = read_corpus(write("a.zip", zip_of({"a.csv": A, "b.csv": latin})))
    assert any(note.startswith("b.csv is not ") for note in corpus.report.notes)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("files", "options", "message"),
    [
        (
            {"a.csv": A, "b.csv": "date,body\n1861,War\n"},
            {},
            r"the tables in a.zip do not have the same columns: a.csv and b.csv differ in 'body', 'text'; extract it",
        ),
        ({"a.png": "x", "b.png": "y"}, {}, r"a.zip holds 2 files \(a.png, b.png\), neither texts .* nor tables"),
        ({"a.csv": A, "b.csv": A}, {"table": __file__}, r"table does not apply to the tables in a.zip"),
        ({"1861.txt": "x", "1862.txt": "y"}, {"delimiter": ","}, r"delimiter does not apply to the texts in a.zip"),
        ({"a.csv": A, "b.csv": ""}, {}, r"b.csv is empty; expected a table"),
    ],
)
def test_what_is_neither_is_refused(
    write: Any, files: dict[str, str | bytes], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        read(write("a.zip", zip_of(files)), **options)


def test_files_stay_in_the_folder_they_are_extracted_to(write: Any, tmp_path: Path) -> None:
    path = write("in/a.zip", zip_of({"../../1861.txt": "War", "/1862.txt": "Peace"}))
    before = sorted(tmp_path.rglob("*"))
    assert [record.id for record in read(path)] == ["1861.txt", "1862.txt"]
    assert sorted(tmp_path.rglob("*")) == before


def test_an_archive_that_extracts_to_too_much_is_refused(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "_UNGUARDED", 10_000)
    path = write("a.zip", zip_of({"1861.txt": "War " * 100_000, "1862.txt": "Peace " * 100_000}))
    with pytest.raises(ValueError, match=r"a.zip decompresses to more than 50 times its size.*max_ratio=500"):
        read(path, max_ratio=50)
    for ratio in (-1.0, float("nan")):
        with pytest.raises(ValueError, match=r"max_ratio=.* is not possible; expected a number of at least 1"):
            read(path, max_ratio=ratio)
    assert len(list(read(path, max_ratio=1e6))) == 2


def test_a_damaged_and_a_locked_archive_are_refused(write: Any) -> None:
    whole = bytearray(zip_of({"1861.txt": "War " * 99, "1862.txt": "Peace " * 99}))
    damaged = bytearray(whole)
    damaged[40:50] = b"\xff" * 10
    with pytest.raises(ValueError, match=r"a.zip is cut short or damaged"):
        read(write("a.zip", bytes(damaged)))
    whole[whole.index(b"PK\x01\x02") + 8] |= 1  # the flag of an encrypted file
    with pytest.raises(ValueError, match=r"a.zip is protected by a password"):
        read(write("a.zip", bytes(whole)))


def test_names_that_cannot_be_extracted_are_refused(write: Any) -> None:
    path = write("a.zip", zip_of({"1861.txt": "war", "a": "war", "a/1862.txt": "war"}))
    with pytest.raises(ValueError, match=r"a.zip cannot be extracted \(.*\): check its names"):
        read(path)
    data = zip_of({"1861.txt": "war", "\u00fc1862.txt": "war"}).replace("\u00fc".encode(), b"\xff\xff")
    with pytest.raises(ValueError, match=r"b.zip is cut short or damaged .*invalid start byte"):
        read(write("b.zip", data))
