"""Many tables as one: in a folder, by a pattern or in a list, in whatever format; places name their files."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from chronotope.readers import read, read_corpus
from chronotope.readers.files import source_files

ROWS = [
    {"date": "1861", "text": "War and peace"},
    {"date": "1862", "text": "Bread and wine"},
    {"date": "n/a", "text": "Nobody dated it"},
    {"date": "1863", "text": "Peace and bread"},
]


def table(path: Path, rows: list[dict[str, str]]) -> Path:
    """Rows as a file, in the format that its ending says."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if ".parquet" in path.name:
        pd.DataFrame(rows).to_parquet(path)
        return path
    lines = [json.dumps(row) for row in rows]
    text = "\n".join(lines) if ".jsonl" in path.name else pd.DataFrame(rows).to_csv(index=False)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


@pytest.fixture(params=["parquet", "jsonl", "csv", "csv.gz", "jsonl.gz"])
def tables(request: Any, tmp_path: Path) -> list[Path]:
    """Two tables, with two rows each."""
    return [table(tmp_path / "docs" / f"part-{i}.{request.param}", ROWS[2 * i : 2 * i + 2]) for i in range(2)]


def texts(source: Any, **options: Any) -> list[str]:
    return [record.text for record in read(source, **options)]


def test_a_folder_a_pattern_and_a_list_of_tables_are_one_corpus(tables: list[Path]) -> None:
    folder = tables[0].parent
    dated = [row["text"] for row in ROWS if row["date"] != "n/a"]
    for source in (
        folder,
        str(folder),
        folder / "part-*",
        str(folder / "part-[01].*"),
        tables,
        [str(t) for t in tables],
    ):
        assert texts(source) == dated
        assert read_corpus(source).times.tolist() == [1861, 1862, 1863]
    reading = read(folder)
    assert [record.id for record in reading] == [0, 1, 3]  # rows are numbered over all files
    assert "unreadable time (part-1." in str(reading.dropped)
    assert str(reading).startswith("docs: folder of 2 tables; ")


def test_a_list_keeps_its_order_and_the_others_are_sorted(tables: list[Path]) -> None:
    assert texts(tables[::-1]) == ["Peace and bread", "War and peace", "Bread and wine"]
    assert read(tables[::-1]).source.name == f"{tables[1].name} and 1 more"


def test_files_of_several_formats_and_folders_are_one_corpus(tmp_path: Path) -> None:
    files = [tmp_path / "a.csv", tmp_path / "b" / "x.jsonl", tmp_path / "c.parquet"]
    for path, row in zip(files, ROWS, strict=False):
        table(path, [row])
    assert texts(tmp_path) == texts(files) == ["War and peace", "Bread and wine"]
    assert str(read(tmp_path / "**" / "*.*")).startswith(f"{tmp_path}/**/*.*: 3 tables")
    assert next(iter(read(files).dropped.examples.values()), None) is None
    reading = read(files)
    assert len(list(reading)) == 2
    assert str(reading.dropped) == "1 × unreadable time (c.parquet, row 0 'n/a')"


def test_texts_are_read_where_they_are_more_or_a_table_has_their_dates(write: Any, tmp_path: Path) -> None:
    write("letters/1861.txt", "war")
    write("letters/1862.txt", "peace")
    write("letters/notes.csv", "date,text\n1900,bread\n")
    assert texts(tmp_path / "letters") == ["war", "peace"]
    write("letters/more.csv", "date,text\n1901,wine\n")
    reading = read(tmp_path / "letters")
    assert [record.text for record in reading] == ["wine", "bread"]
    assert "2 other files in letters skipped (1861.txt, 1862.txt)" in reading.notes
    dates = write("letters/dates.csv", "file,date\n1861.txt,1999\n")
    assert [record.time for record in read(tmp_path / "letters", table=dates)] == ["1999", "1862"]


def test_notes_and_options_of_the_tables_are_those_of_one(write: Any, tmp_path: Path) -> None:
    write("docs/a.csv", "date;text\n1861;War, peace\n")
    write("docs/b.csv", "date;text\n1862;Größe und Maß für alle Straßen\n".encode("cp1252"))
    reading = read(tmp_path / "docs", delimiter=";")
    assert [record.time for record in reading] == ["1861", "1862"]
    assert any(note.startswith("b.csv is not ") for note in reading.notes)
    assert texts(tmp_path / "docs", encoding="cp1252")[1].startswith("Größe")


def test_links_out_of_a_folder_of_tables_are_followed_if_asked_for(write: Any, tmp_path: Path) -> None:
    write("docs/a.csv", "date,text\n1861,war\n")
    (tmp_path / "docs" / "b.csv").symlink_to(write("b.csv", "date,text\n1862,peace\n"))
    reading = read(tmp_path / "docs")
    assert [record.text for record in reading] == ["war"]
    assert "docs: 1 links out of it were not followed; follow them with follow_links=True" in reading.notes
    assert texts(tmp_path / "docs", follow_links=True) == ["war", "peace"]


def test_all_tables_decide_what_is_read(tables: list[Path]) -> None:
    folder = tables[0].parent
    for source in (folder, str(folder / "part-*"), tables):
        assert source_files(source) == (tables, [])
    (folder / "README.md").write_text("About the tables.")
    files = source_files(folder)
    assert files is not None
    assert files == (tables, ["1 other file in docs skipped (README.md)"])


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("docs-*.parquet", r"no file matches the pattern '.*docs-\*.parquet'; expected one of tables"),
        ([], r"the list of files is empty; pass the path of at least one table"),
        (["none.csv"], r"the source is a list, which cannot be read \(there is no file or folder 'none.csv'\); pass"),
        ("*.txt", r"letter.txt is read as csv|no row|no column"),
        (
            "*.mbox",
            r"mail.mbox is read as mbox; expected a table \(CSV, JSON lines or Parquet\) in a pattern or a list",
        ),
        (
            "?.csv",
            r"the tables in .*\?.csv do not have the same columns: a.csv and b.csv differ in 'body', 'text'; pass",
        ),
    ],
)
def test_what_is_not_several_tables_is_refused_with_a_sentence(
    write: Any, tmp_path: Path, source: Any, message: str
) -> None:
    write("a.csv", "date,text\n1861,war\n")
    write("b.csv", "date,body\n1861,war\n")
    write("mail.mbox", "From me\nSubject: war\n\npeace\n")
    write("letter.txt", "war")
    with pytest.raises((ValueError, FileNotFoundError), match=message):
        read(str(tmp_path / source) if isinstance(source, str) else source)


def test_options_that_do_not_apply_are_refused(write: Any, tmp_path: Path) -> None:
    write("docs/a.csv", "date,text\n1861,war\n")
    with pytest.raises(ValueError, match="sheet does not apply to several tables; do not pass it"):
        read([tmp_path / "docs" / "a.csv"], sheet="x")
    write("letters/1861.txt", "war")
    with pytest.raises(ValueError, match="delimiter does not apply to the texts in letters; do not pass it"):
        read(tmp_path / "letters", delimiter=",")
