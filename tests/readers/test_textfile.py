"""Text files: line by line, in Unicode or an encoding that is given, and what was decided is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from chronotope.readers import textfile
from chronotope.readers.textfile import TextFile

TEXT = "Größe und Maß\nÉtat, “quoted”\n"


def lines(path: Path, encoding: str | None = None) -> tuple[list[str], list[str]]:
    notes: list[str] = []
    return list(TextFile(path, encoding, None, notes.append)), notes


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_is_recognised(write: Any, encoding: str) -> None:
    assert lines(write("a.txt", TEXT.encode(encoding))) == (TEXT.splitlines(keepends=True), [])


def test_lines_that_are_not_utf8_are_windows_1252_and_said(write: Any) -> None:
    mixed = b"plain\n" + "Größe\n".encode() + "Größe, “x”\n".encode("cp1252") * 2
    read, notes = lines(write("a.txt", mixed))
    assert read == ["plain\n", "Größe\n", "Größe, “x”\n", "Größe, “x”\n"]
    assert list(dict.fromkeys(notes)) == [
        "a.txt is not all UTF-8; lines that are not were read as Windows-1252 (first: line 3)"
    ]


def test_a_given_encoding_is_used_or_refused(write: Any) -> None:
    path = write("a.txt", "налог\nвойна\n".encode("koi8-r"))
    assert lines(path, "koi8-r")[0] == ["налог\n", "война\n"]
    with pytest.raises(ValueError, match=r"a.txt is not ascii \(.*\); try another encoding="):
        lines(path, "ascii")
    with pytest.raises(ValueError, match=r"encoding is 'klingon', which Python does not know"):
        lines(path, "klingon")
    with pytest.raises(ValueError, match=r"encoding is 'hex', which Python does not know"):
        lines(path, "hex")


def test_all_three_kinds_of_line_ends_part_lines(write: Any) -> None:
    assert lines(write("a.txt", b"a\r\nb\rc\nd"))[0] == ["a\r\n", "b\r", "c\n", "d"]


def test_an_endless_line_is_refused(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(textfile, "_LONGEST_LINE", 100)
    with pytest.raises(ValueError, match=r"line 2 of a.txt holds more than 100 characters; split it"):
        lines(write("a.txt", "short\n" + "x" * 101))


def test_what_an_encoding_refuses_in_its_own_way_is_a_sentence(write: Any) -> None:
    with pytest.raises(ValueError, match=r"a.txt is not punycode \(.*\); try another encoding="):
        lines(write("a.txt", "date-,text\n"), "punycode")
