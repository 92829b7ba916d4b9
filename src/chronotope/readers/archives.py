"""Archives of one file: zip, and zstd where Python or pyarrow can unpack it."""

from __future__ import annotations

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
