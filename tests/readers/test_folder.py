"""A folder of texts: dates from the table, the first lines, the names; what is no text is said."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import pytest

from chronotope.readers import read, read_corpus
from chronotope.readers.files import source_files


def test_dates_come_from_the_nearest_source(write: Any, tmp_path: Path) -> None:
    write(
        "letters/metadata.csv",
        "filename,date,who\na_1862.txt,1 May 1861,Anne\nsub/b,2 May 1861,Bert\nlost.txt,1870,C\n",
    )
    write("letters/a_1862.txt", "---\ndate: 1863-01-01\n---\nwar and peace")
    write("letters/sub/b.md", "bread and wine")
    write("letters/c_1862.txt", "Date: 4 March 1865\nWho: Carl\n\nwar")
    write("letters/d_1862-12-01.txt.gz", gzip.compress(b"peace"))
    write("letters/1871/03/e.txt", "peace")
    write("letters/f.txt", "undated")
    write("letters/.hidden_1900.txt", "hidden")
    write("letters/picture.png", b"\x89PNG\0")
    reading = read(tmp_path / "letters")
    assert {record.id: (record.time, record.metadata["dated_by"]) for record in reading} == {
        "1871/03/e.txt": ("1871-03-01", "folder name"),
        "a_1862.txt": ("1861-05-01", "table"),
        "c_1862.txt": ("1865-03-04", "front matter"),
        "d_1862-12-01.txt.gz": ("1862-12-01", "file name"),
        "sub/b.md": ("1861-05-02", "table"),
    }
    assert str(reading.dropped) == "1 × no time (file f.txt)"
    assert list(reading.notes) == [
        "1 files in letters were skipped because of their endings (.png)",
        "dates are taken from metadata.csv where it names the file",
        "1 of the 3 files named in metadata.csv are not in the folder",
    ]
    people = {record.id: (record.metadata.get("who"), record.text) for record in reading}
    assert people["a_1862.txt"] == ("Anne", "war and peace")
    assert people["c_1862.txt"] == ("Carl", "war")


def test_files_that_cannot_be_read_are_counted(write: Any, tmp_path: Path) -> None:
    write("letters/1861.txt", "größer war".encode("cp1252"))
    write("letters/1862.txt", b"\0\1\2")
    write("letters/1863.txt", gzip.compress(b"war" * 1000)[:-15])
    write("letters/1864.txt", "größer war".encode("utf-16"))
    reading = read(tmp_path / "letters")
    assert [record.text for record in reading] == ["größer war", "größer war"]
    assert reading.dropped.counts == {"unreadable file": 2}
    assert "file 1862.txt 'it is a binary file'" in str(reading.dropped)
    assert "not all files are UTF-8; 1861.txt was read as cp1252, and so may be others" in reading.notes
    assert read_corpus(tmp_path / "letters", encoding="cp1252", end=1861).vocabulary.tolist() == ["größer", "war"]


def test_an_unknown_encoding_is_refused(write: Any, tmp_path: Path) -> None:
    write("1861.txt", "war")
    with pytest.raises(ValueError, match=r"encoding is 'klingon', which Python does not know"):
        read(tmp_path, encoding="klingon")


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([], "there are no text files .* in the folder 'letters': it is empty"),
        (["a.png", "b.png", "c.pdf"], r"it holds 3 other files \(.png, .pdf\); pass one of them"),
    ],
)
def test_a_folder_without_texts_is_refused(write: Any, tmp_path: Path, names: list[str], message: str) -> None:
    (tmp_path / "letters").mkdir()
    for name in names:
        write(f"letters/{name}", "x")
    with pytest.raises(ValueError, match=message):
        read(tmp_path / "letters")


@pytest.fixture
def linked(write: Any, tmp_path: Path) -> Path:
    """A folder with links out of it, into it, to itself and to nowhere."""
    write("secret/1870.txt", "secret")
    write("secret/metadata.csv", "filename,date\n1861.txt,1999\n")
    path: Path = write("letters/1861.txt", "war").parent
    (path / "1871.txt").symlink_to(tmp_path / "secret" / "1870.txt")
    (path / "metadata.csv").symlink_to("../secret/metadata.csv")
    (path / "more").symlink_to("../secret")
    (path / "again").symlink_to(".")
    (path / "1862.txt").symlink_to("1861.txt")
    (path / "1863.txt").symlink_to("1863.txt")
    (path / "1864.txt").symlink_to("nowhere")
    return path


def test_links_out_of_a_folder_are_not_followed(linked: Path) -> None:
    reading = read(linked)
    assert [(record.id, record.text) for record in reading] == [("1861.txt", "war"), ("1862.txt", "war")]
    assert "letters: 3 links out of it were not followed; follow them with follow_links=True" in reading.notes
    files = source_files(linked)
    assert files is not None
    assert [file.name for file in files.files] == ["1861.txt", "1862.txt"]


def test_links_are_followed_if_asked_for_and_circles_end(linked: Path) -> None:
    reading = read(linked, follow_links=True)
    assert [record.id for record in reading] == ["1861.txt", "1862.txt", "1871.txt", "more/1870.txt"]
    assert not any("links" in note for note in reading.notes)
    files = source_files(linked, follow_links=True)
    assert files is not None
    assert "metadata.csv" in [file.name for file in files.files]


def test_a_folder_of_links_says_what_to_do(write: Any, tmp_path: Path) -> None:
    write("letters/.hidden", "x")
    (tmp_path / "letters" / "1861.txt").symlink_to(write("1861.txt", "war"))
    with pytest.raises(
        ValueError, match=r"no text files .* in the folder 'letters': 1 links out of it were not followed"
    ):
        read(tmp_path / "letters")


def test_names_that_are_not_utf8_are_written_out(tmp_path: Path) -> None:
    for name in (b"1861-\xff.txt", b"1861-\xfe.txt"):
        try:
            (tmp_path / os.fsdecode(name)).write_text("war")
        except OSError:
            pytest.skip("this file system has no such names")
    assert sorted(record.id for record in read(tmp_path)) == ["1861-\\xfe.txt", "1861-\\xff.txt"]
