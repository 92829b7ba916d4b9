"""Opening files: packed or not, in any encoding, guarded against what is no text."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chronotope.readers import open as opening
from chronotope.readers.open import decode, text_lines, unpacked

TEXT = "Größe und Maß\nÉtat, “quoted”\n"
PACKERS = {"": bytes, "gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}


def lines(path: Path, encoding: str | None = None, max_ratio: float | None = None) -> tuple[list[str], list[str]]:
    notes: list[str] = []
    return list(text_lines(path, encoding, max_ratio, notes.append)), notes


@pytest.mark.parametrize("ending", PACKERS)
@pytest.mark.parametrize("named", [True, False])
def test_a_packed_file_reads_like_a_plain_one_whatever_its_name(write: Any, ending: str, named: bool) -> None:
    path = write(f"a.txt.{ending}" if named else "a.txt", PACKERS[ending](TEXT.encode()))
    assert lines(path) == (TEXT.splitlines(keepends=True), [])


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
    with pytest.raises(ValueError, match=r"a.txt is not ascii after line 0 \(.*\); try another encoding="):
        lines(path, "ascii")
    with pytest.raises(ValueError, match=r"encoding is 'klingon', which Python does not know"):
        lines(path, "klingon")
    with pytest.raises(ValueError, match=r"encoding is 'hex', which Python does not know"):
        lines(path, "hex")


def test_bytes_are_decoded_by_mark_by_utf8_or_by_windows_1252() -> None:
    assert decode("é".encode()) == decode("é".encode("utf-16")) == decode("é".encode("cp1252")) == "é"
    assert decode(b"\x81") == "\ufffd"


def test_all_three_kinds_of_line_ends_part_lines(write: Any) -> None:
    assert lines(write("a.txt", b"a\r\nb\rc\nd"))[0] == ["a\r\n", "b\r", "c\n", "d"]


def zip_of(**files: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def zip_bytes(data: bytes) -> bytes:
    return zip_of(a=data.decode())


def zstd_bytes(data: bytes) -> bytes:
    pyarrow = pytest.importorskip("pyarrow")
    return bytes(pyarrow.compress(data, codec="zstd", asbytes=True))


def test_the_one_file_of_an_archive_is_read(write: Any) -> None:
    packed = zip_of(**{"__MACOSX/._a": "no", "folder/": "", "folder/a.txt": TEXT, ".hidden": "no"})
    assert "".join(lines(write("a.zip", packed))[0]) == TEXT
    assert "".join(lines(write("a.txt.zst", zstd_bytes(TEXT.encode())))[0]) == TEXT


def test_a_locked_archive_is_refused(write: Any) -> None:
    locked = bytearray(zip_of(a=TEXT))
    at = locked.index(b"PK\x01\x02")
    locked[at + 8] |= 1  # the flag of an encrypted file
    with pytest.raises(ValueError, match=r"a.zip is locked with a password; unpack it"):
        lines(write("a.zip", bytes(locked)))


def test_zstd_without_a_reader_is_refused(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("a.zst", zstd_bytes(b"text"))
    monkeypatch.setitem(sys.modules, "compression", None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"packed with zstd, which needs pyarrow; pip install .*or unpack it"):
        lines(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (zip_of(a="x", b="y"), r"a.txt holds 2 files \(a, b\); unpack it and pass one of them, or the folder"),
        (
            zip_of(**{"[Content_Types].xml": "x", "sheet": "y"}),
            "a.txt is an Office file or a program; export it as CSV",
        ),
        (zip_of(a="x" * 99)[:-20], "a.txt is cut short or damaged"),
        (b"PK\x05\x06" + bytes(18), "a.txt is an empty zip archive"),
        (b"\x28\xb5\x2f\xfd....", "a.txt is cut short or damaged"),
        (b"%PDF-1.7\n", "a.txt is a PDF; convert it to text"),
        (b"text\0\1\2 with zeros", "a.txt is a binary file; expected text"),
        (gzip.compress(b"text\0"), "a.txt is a binary file; expected text"),
        (gzip.compress(TEXT.encode() * 100)[:-20], "a.txt is cut short or damaged"),
        (gzip.compress(TEXT.encode())[:8] + b"\xff" * 40, "a.txt is cut short or damaged"),
        (lzma.compress(TEXT.encode())[:-20], "a.txt is cut short or damaged"),
    ],
)
def test_what_is_no_text_is_refused_by_name(write: Any, content: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        lines(write("a.txt", content))


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, zip_bytes, zstd_bytes])
def test_a_file_that_unpacks_to_too_much_is_refused_unless_allowed(
    write: Any, monkeypatch: pytest.MonkeyPatch, pack: Callable[[bytes], bytes]
) -> None:
    monkeypatch.setattr(opening, "_UNGUARDED", 10_000)
    path = write("bomb.txt.gz", pack(b"\n" * 1_000_000))
    with pytest.raises(ValueError, match=r"bomb.txt.gz unpacks to more than 50 times its size.*max_ratio=500"):
        lines(path, max_ratio=50)
    assert len(lines(path, max_ratio=1e6)[0]) == 1_000_000


def test_an_endless_line_is_refused(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "_LONGEST_LINE", 100)
    with pytest.raises(ValueError, match=r"line 2 of a.txt holds more than 100 characters; split it"):
        lines(write("a.txt", "short\n" + "x" * 101))


def test_files_are_closed_when_reading_stops_early(write: Any) -> None:
    path = write("a.txt.gz", gzip.compress(TEXT.encode()))
    with unpacked(path) as file:
        assert file.read(3) == TEXT.encode()[:3]
    assert file.closed
