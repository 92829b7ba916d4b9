"""Files opened as they come: compressed or not, in whatever encoding, one line at a time."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any
from zipfile import BadZipFile, ZipFile, ZipInfo

_OFFICE = frozenset({"[Content_Types].xml", "mimetype", "META-INF/MANIFEST.MF"})


def open_zip(path: Path) -> IO[bytes]:
    """The one file in a zip archive; others are refused with what to do."""
    try:
        with ZipFile(path) as archive:
            return archive.open(_only_file(archive, path.name))
    except (BadZipFile, EOFError) as error:
        raise ValueError(f"{path.name} is cut short or damaged ({error}); fetch or pack it again.") from None
    except (NotImplementedError, RuntimeError) as error:
        raise ValueError(f"{path.name} is a zip archive that Python cannot unpack ({error}); unpack it.") from None


def zip_size(path: Path) -> int:
    """Bytes that the one file in a zip archive says it unpacks to; more are never read."""
    with ZipFile(path) as archive:
        return _only_file(archive, path.name).file_size


def open_zstd(path: Path) -> Any:
    """The bytes of a file packed with zstd."""
    try:
        from compression import zstd  # type: ignore[import-not-found]  # since Python 3.14

        return zstd.open(path)
    except ImportError:
        pass
    try:
        from pyarrow import CompressedInputStream, OSFile
    except ImportError:
        raise ImportError(
            f'{path.name} is packed with zstd, which needs pyarrow; pip install "chronotope[files]", or unpack it with '
            '"zstd -d".'
        ) from None
    return CompressedInputStream(OSFile(str(path)), "zstd")


def _only_file(archive: ZipFile, name: str) -> ZipInfo:
    """The file in the archive that is not there for the sake of a system."""
    entries = archive.infolist()
    if any(entry.filename in _OFFICE for entry in entries):
        raise ValueError(f"{name} is an Office file or a program; export it as CSV and pass that.")
    files = [entry for entry in entries if not (entry.is_dir() or _is_hidden(entry.filename))]
    if len(files) != 1:
        shown = ", ".join(entry.filename for entry in files[:3]) + ", ..." * (len(files) > 3)
        raise ValueError(f"{name} holds {len(files):,} files ({shown}); unpack it and pass one of them, or the folder.")
    if files[0].flag_bits & 1:
        raise ValueError(f"{name} is locked with a password; unpack it and pass the file.")
    return files[0]


def _is_hidden(name: str) -> bool:
    return name.startswith("__MACOSX/") or PurePosixPath(name).name.startswith(".")


MAX_RATIO = 200.0
_UNGUARDED = 64 * 2**20  # bytes that may come out of any packed file
_LONGEST_LINE = 64 * 2**20  # characters
_BOMS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\0\0", "utf-32"),
    (b"\0\0\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_UNPACKERS: tuple[tuple[bytes, Callable[[Path], Any]], ...] = (
    (b"\x1f\x8b", gzip.open),
    (b"BZh", bz2.open),
    (b"\xfd7zXZ\0", lzma.open),
    (b"PK\x03\x04", open_zip),
    (b"\x28\xb5\x2f\xfd", open_zstd),
)
_REFUSED = (
    (b"PK\x05\x06", "an empty zip archive; pass a file of texts"),
    (b"7z\xbc\xaf", "a 7z archive; unpack it and pass the file"),
    (b"%PDF", "a PDF; convert it to text and pass that"),
)
_ESCAPED = re.compile("[\udc80-\udcff]")  # bytes that are not UTF-8, as `surrogateescape` marks them

PACKED = frozenset({".gz", ".bz2", ".xz", ".zst", ".zip"})


@contextmanager
def unpacked(path: Path, max_ratio: float | None = None) -> Iterator[io.BufferedReader[Any]]:
    """The bytes of a file, unpacked if it is packed in a known way, and not more of them than the guard allows."""
    with open(path, "rb") as file:
        start = file.read(6)
    for magic, what in _REFUSED:
        if start.startswith(magic):
            raise ValueError(f"{path.name} is {what}.")
    unpack = next((unpack for magic, unpack in _UNPACKERS if start.startswith(magic)), None)
    if unpack is None:
        with open(path, "rb") as file:
            yield file
        return
    with unpack(path) as packed, io.BufferedReader(_Guarded(packed, path, max_ratio)) as file:
        if unpack is open_zip:
            file.raw.check(zip_size(path))
        yield file


class _Guarded(io.RawIOBase):
    """The bytes of a packed file, refused when they are too many for its size."""

    def __init__(self, stream: IO[bytes], path: Path, max_ratio: float | None) -> None:
        self.stream, self.name, self.total = stream, path.name, 0
        self.ratio = MAX_RATIO if max_ratio is None else max_ratio
        self.most = max(_UNGUARDED, self.ratio * path.stat().st_size)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self.stream.read(len(buffer))
        except (EOFError, OSError, zlib.error, lzma.LZMAError, BadZipFile) as error:
            raise ValueError(f"{self.name} is cut short or damaged ({error}); fetch or pack it again.") from None
        self.total += len(data)
        self.check(self.total)
        buffer[: len(data)] = data
        return len(data)

    def check(self, size: int) -> None:
        """Refuse so many bytes if they are too many."""
        if size > self.most:
            raise ValueError(
                f"{self.name} unpacks to more than {self.ratio:g} times its size, as a file made to fill a disk would; "
                f"if it is meant to, allow it with max_ratio={10 * self.ratio:g}."
            )


def text_lines(path: Path, encoding: str | None, max_ratio: float | None, say: Callable[[str], None]) -> Iterator[str]:
    """Lines with their ends. Without an encoding: that of a byte-order mark, else UTF-8, else Windows-1252 by line."""
    with unpacked(path, max_ratio) as file:
        check_encoding(encoding)
        found = encoding or _encoding_of(file.peek(4096)[:4096], path.name)
        errors = "strict" if encoding or not found.startswith("utf-8") else "surrogateescape"
        stream = io.TextIOWrapper(file, encoding=found, errors=errors, newline="")
        number = first = 0
        while line := _next_line(stream, path.name, number + 1, found):
            number += 1
            if not line.isascii() and _ESCAPED.search(line):
                first = first or number
                say(f"{path.name} is not all UTF-8; lines that are not were read as Windows-1252 (first: line {first})")
                line = decode(line.encode("utf-8", "surrogateescape"))
            yield line


def decode(data: bytes) -> str:
    """Text of bytes by their byte-order mark, as UTF-8, or as Windows-1252."""
    encoding = next((name for mark, name in _BOMS if data.startswith(mark)), "utf-8")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def check_encoding(encoding: str | None) -> None:
    """Refuse an encoding that Python does not know."""
    try:
        io.TextIOWrapper(io.BytesIO(), encoding=encoding or "utf-8")
    except LookupError:
        raise ValueError(f"encoding is {encoding!r}, which Python does not know; try 'utf-8' or 'cp1252'.") from None


def is_binary(start: bytes) -> bool:
    """Whether bytes at the start of a file are no text."""
    return b"\0" in start and not any(start.startswith(mark) for mark, _ in _BOMS)


def _encoding_of(start: bytes, name: str) -> str:
    """The encoding a byte-order mark gives, else UTF-8; binary files are refused."""
    if is_binary(start):
        raise ValueError(
            f"{name} is a binary file; expected text. If it is text, say how it is written with encoding=."
        )
    return next((encoding for mark, encoding in _BOMS if start.startswith(mark)), "utf-8")


def _next_line(stream: io.TextIOWrapper, name: str, number: int, encoding: str) -> str:
    """One line, of bounded length."""
    try:
        line = stream.readline(_LONGEST_LINE + 1)
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{name} is not {encoding} after line {number - 1} ({error.reason}); try another encoding=."
        ) from None
    if len(line) > _LONGEST_LINE:
        raise ValueError(f"line {number} of {name} holds more than {_LONGEST_LINE:,} characters; split it.")
    return line
