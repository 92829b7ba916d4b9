"""Opening files: compressed or not, guarded against what is not text."""

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
from chronotope.readers.open import decompressed
from chronotope.readers.textfile import TextFile

TEXT = "Größe und Maß\nÉtat, “quoted”\n"
COMPRESSORS = {"": bytes, "gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}


def lines(path: Path, max_ratio: float | None = None) -> list[str]:
    return list(TextFile(path, None, max_ratio))


@pytest.mark.parametrize("ending", COMPRESSORS)
@pytest.mark.parametrize("named", [True, False])
def test_a_compressed_file_reads_like_a_plain_one_whatever_its_name(write: Any, ending: str, named: bool) -> None:
    path = write(f"a.txt.{ending}" if named else "a.txt", COMPRESSORS[ending](TEXT.encode()))
    assert lines(path) == TEXT.splitlines(keepends=True)


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
    archive = zip_of(**{"__MACOSX/._a": "no", "folder/": "", "folder/a.txt": TEXT, ".hidden": "no"})
    assert "".join(lines(write("a.zip", archive))) == TEXT
    assert "".join(lines(write("a.txt.zst", zstd_bytes(TEXT.encode())))) == TEXT


def test_a_locked_archive_is_refused(write: Any) -> None:
    locked = bytearray(zip_of(a=TEXT))
    at = locked.index(b"PK\x01\x02")
    locked[at + 8] |= 1  # the flag of an encrypted file
    with pytest.raises(ValueError, match=r"a.zip is protected by a password; extract it"):
        lines(write("a.zip", bytes(locked)))


def test_zstd_without_a_reader_is_refused(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("a.zst", zstd_bytes(b"text"))
    monkeypatch.setitem(sys.modules, "compression", None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"compressed with zstd, which needs pyarrow; pip install .*or decompress it"):
        lines(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (zip_of(a="x", b="y"), r"a.txt holds 2 files \(a, b\); extract it and pass one of them, or the folder"),
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
    ids=lambda value: value[:2].hex() if isinstance(value, bytes) else value[:30],
)
def test_what_is_not_text_is_refused_by_name(write: Any, content: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        lines(write("a.txt", content))


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress, zip_bytes, zstd_bytes])
def test_a_file_that_decompresses_to_too_much_is_refused_unless_allowed(
    write: Any, monkeypatch: pytest.MonkeyPatch, compress: Callable[[bytes], bytes]
) -> None:
    monkeypatch.setattr(opening, "_UNGUARDED", 10_000)
    path = write("bomb.txt.gz", compress(b"\n" * 1_000_000))
    with pytest.raises(ValueError, match=r"bomb.txt.gz decompresses to more than 50 times its size.*max_ratio=500"):
        lines(path, max_ratio=50)
    assert len(lines(path, max_ratio=1e6)) == 1_000_000


def test_files_are_closed_when_reading_stops_early(write: Any) -> None:
    path = write("a.txt.gz", gzip.compress(TEXT.encode()))
    with decompressed(path) as file:
        assert file.read(3) == TEXT.encode()[:3]
    assert file.closed
