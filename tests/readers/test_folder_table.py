"""Tables of files: found in or beside the folder, used if they name its files, otherwise left aside and said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from chronotope.readers import read


def times(path: Path, **options: Any) -> dict[str, Any]:
    return {record.id: (record.time, record.metadata["dated_by"]) for record in read(path, **options)}


@pytest.mark.parametrize("name", ["metadata.tsv", "letters.csv"])
def test_a_table_beside_the_folder_is_found(write: Any, tmp_path: Path, name: str) -> None:
    delimiter = "\t" if name.endswith("tsv") else ","
    write(name, delimiter.join(["file", "year"]) + "\n" + delimiter.join(["a", "1861"]) + "\n")
    write("letters/a.txt", "war")
    assert times(tmp_path / "letters") == {"a.txt": ("1861", "table")}


def test_a_table_that_is_not_about_the_files_is_left_aside_and_said(write: Any, tmp_path: Path) -> None:
    write("metadata.csv", "filename,date\nother.txt,1861\n")
    write("letters/a_1862.txt", "war")
    write("letters/metadata.jsonl", '{"place": "x"}\n')
    reading = read(tmp_path / "letters")
    assert [record.time for record in reading] == ["1862"]
    assert list(reading.notes) == [
        "metadata.jsonl was not used for the dates: metadata.jsonl has no column of file names; call it 'filename'.",
        "metadata.csv was not used for the dates: it names none of the 1 files.",
        "the column 'time' holds whole numbers, read as years",
    ]


def test_a_given_table_must_fit(write: Any, tmp_path: Path) -> None:
    write("letters/a_1862.txt", "war")
    assert times(tmp_path / "letters", table=write("t.csv", "name,date\na_1862,1900\n")) == {
        "a_1862.txt": ("1900", "table")
    }
    with pytest.raises(ValueError, match=r"it names none of the 1 files"):
        read(tmp_path / "letters", table=write("t.csv", "name,date\nb,1900\n"))
    with pytest.raises(FileNotFoundError, match=r"there is no file or folder"):
        read(tmp_path / "letters", table=tmp_path / "none.csv")
