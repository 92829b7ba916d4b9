"""Files opened as they come, compressed or not; what decompresses to too much is refused."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple
from zipfile import BadZipFile, ZipFile, ZipInfo

_OFFICE = frozenset({"[Content_Types].xml", "mimetype", "META-INF/MANIFEST.MF"})


def open_zip(path: Path) -> IO[bytes]:
    """The one file in a zip archive; others are refused with what to do."""
    with zip_errors(path.name), ZipFile(path) as archive:
        return archive.open(_only_file(archive, path.name))


@contextmanager
def zip_errors(name: str) -> Iterator[None]:
    """Turn what a zip archive raises into one sentence."""
    try:
        yield
    except (BadZipFile, EOFError, zlib.error, lzma.LZMAError, UnicodeDecodeError) as error:
        raise ValueError(f"{name} is cut short or damaged ({error}); download or compress it again.") from None
    except (NotImplementedError, RuntimeError) as error:
        raise ValueError(
            f"{name} is a zip archive that Python cannot extract ({error}); extract it and pass the file."
        ) from None


def zip_size(path: Path) -> int:
    """Bytes that the one file in a zip archive says it decompresses to; more are never read."""
    with ZipFile(path) as archive:
        return _only_file(archive, path.name).file_size


def open_zstd(path: Path) -> Any:
    """The bytes of a file compressed with zstd."""
    try:
        from compression import zstd  # type: ignore[import-not-found]  # since Python 3.14

        return zstd.open(path)
    except ImportError:
        pass
    try:
        from pyarrow import CompressedInputStream, OSFile
    except ImportError:
        raise ImportError(
            f'{path.name} is compressed with zstd, which needs pyarrow; pip install "chronotope[files]", or '
            'decompress it with "zstd -d".'
        ) from None
    return CompressedInputStream(OSFile(str(path)), "zstd")


def _only_file(archive: ZipFile, name: str) -> ZipInfo:
    """The only file in the archive, not counting folders and hidden files."""
    if is_office(archive):
        raise ValueError(
            f'{name} is an Office file or a program; export it as CSV, or pass format="excel" if it is a spreadsheet.'
        )
    files = visible_files(archive)
    if len(files) != 1:
        shown = ", ".join(entry.filename for entry in files[:3]) + ", ..." * (len(files) > 3)
        raise ValueError(
            f"{name} holds {len(files):,} files ({shown}); extract it and pass one of them, or the folder."
        )
    refuse_locked(files, name)
    return files[0]


def is_office(archive: ZipFile) -> bool:
    """Whether an archive is a document of an Office program, or a program itself."""
    return any(entry.filename in _OFFICE for entry in archive.infolist())


def visible_files(archive: ZipFile) -> list[ZipInfo]:
    """The files of an archive without folders and hidden files."""
    return [entry for entry in archive.infolist() if not (entry.is_dir() or _is_hidden(entry.filename))]


def refuse_locked(files: Iterable[ZipInfo], name: str) -> None:
    """Refuse an archive any of whose files needs a password."""
    if any(entry.flag_bits & 1 for entry in files):
        raise ValueError(f"{name} is protected by a password; extract it and pass the file.")


def _is_hidden(name: str) -> bool:
    return name.startswith("__MACOSX/") or PurePosixPath(name).name.startswith(".")


MAX_RATIO = 200.0
ZIPPED = b"PK\x03\x04"  # the first bytes of a zip archive
_UNGUARDED = 64 * 2**20  # bytes that any compressed file may decompress to
_DECOMPRESSORS: tuple[tuple[bytes, Callable[[Path], Any]], ...] = (
    (b"\x1f\x8b", gzip.open),
    (b"BZh", bz2.open),
    (b"\xfd7zXZ\0", lzma.open),
    (ZIPPED, open_zip),
    (b"\x28\xb5\x2f\xfd", open_zstd),
)
_REFUSED = (
    (b"PK\x05\x06", "an empty zip archive; pass a file of texts"),
    (b"7z\xbc\xaf", "a 7z archive; extract it and pass the file"),
    (b"%PDF", "a PDF; convert it to text and pass that"),
)

COMPRESSED = frozenset({".gz", ".bz2", ".xz", ".zst", ".zip"})


@contextmanager
def decompressed(path: Path, max_ratio: float | None = None) -> Iterator[io.BufferedReader[Any]]:
    """The bytes of a file, decompressed if its first bytes say so.

    max_ratio : how many times its size a compressed file may decompress to; None for 200
    """
    with open(path, "rb") as file:
        start = file.read(6)
    for magic, what in _REFUSED:
        if start.startswith(magic):
            raise ValueError(f"{path.name} is {what}.")
    open_stream = next((opener for magic, opener in _DECOMPRESSORS if start.startswith(magic)), None)
    if open_stream is None:
        with open(path, "rb") as file:
            yield file
        return
    limit = SizeLimit.of(path, max_ratio)
    with open_stream(path) as stream, io.BufferedReader(_Guarded(stream, limit)) as file:
        if open_stream is open_zip:
            limit.check(zip_size(path))
        yield file


def check_ratio(given: float) -> float:
    """Refuse a ratio of sizes that no file can have."""
    if not given >= 1.0:
        raise ValueError(f"max_ratio={given!r} is not possible; expected a number of at least 1, as {MAX_RATIO:g}.")
    return given


class SizeLimit(NamedTuple):
    """How many bytes a compressed file may decompress to: `ratio` times its size, and always 64 MB."""

    name: str
    ratio: float
    most: float

    @classmethod
    def of(cls, path: Path, max_ratio: float | None) -> SizeLimit:
        """The limit of a file; max_ratio : None for 200."""
        ratio = MAX_RATIO if max_ratio is None else check_ratio(max_ratio)
        return cls(path.name, ratio, max(_UNGUARDED, ratio * path.stat().st_size))

    def check(self, size: int) -> None:
        """Refuse this many bytes if they exceed the limit."""
        if size > self.most:
            raise ValueError(
                f"{self.name} decompresses to more than {self.ratio:g} times its size, as a decompression bomb would; "
                f"if it is meant to, allow it with max_ratio={10 * self.ratio:g}."
            )


class _Guarded(io.RawIOBase):
    """The bytes of a compressed file, refused when they are too many for its size."""

    def __init__(self, stream: IO[bytes], limit: SizeLimit) -> None:
        self.stream, self.limit, self.total = stream, limit, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self.stream.read(len(buffer))
        except (EOFError, OSError, zlib.error, lzma.LZMAError, BadZipFile) as error:
            raise ValueError(
                f"{self.limit.name} is cut short or damaged ({error}); download or compress it again."
            ) from None
        self.total += len(data)
        self.limit.check(self.total)
        buffer[: len(data)] = data
        return len(data)
