"""Files and folders that are written atomically."""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import IO
from uuid import uuid4

from chronotope._typing import PathLike
from chronotope.storage.leftovers import own_folder

logger = logging.getLogger(__name__)


@contextmanager
def replacing(path: PathLike) -> Iterator[Path]:
    """A temporary path to write to, with the target's name; the file replaces the target at the end.

    path : the target; after an error it is unchanged

    The temporary file is in a folder of its own beside the target, where writers may keep temporary files of theirs.
    """
    target = Path(path)
    with own_folder(target) as folder:
        temporary = folder / target.name
        yield temporary
        _to_disk(temporary)
        os.umask(mask := os.umask(0))
        os.chmod(temporary, 0o666 & ~mask)  # some libraries create files that only the owner can read
        os.replace(temporary, target)
        _to_disk(target.parent)
        logger.info("written: %s", target)


def _to_disk(path: Path) -> None:
    """Flush a file or folder to disk, so that a power cut cannot leave an incomplete file."""
    folder = path.is_dir()
    with suppress(OSError) if folder else nullcontext():  # not every system can flush a folder
        handle = os.open(path, os.O_RDONLY if folder else os.O_RDWR)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def scratch_file(folder: PathLike, ending: str) -> Iterator[tuple[IO[bytes], str]]:
    """A new file, of a name that no other process uses, and its path, where it appears when it is complete."""
    path = os.path.join(folder, f"{uuid4().hex}.{ending}")
    with open(f"{path}.unfinished", "wb") as file:
        yield file, path
    os.replace(f"{path}.unfinished", path)


@contextmanager
def appearing(path: PathLike) -> Iterator[Path]:
    """A temporary folder to fill; it is renamed to the target at the end, and removed after an error.

    path : the target; it does not exist, or is an empty folder
    """
    target = Path(path).absolute()
    refuse_existing(target)
    writable_folder(target.parent)
    with own_folder(target) as temporary:
        yield temporary
        for file in temporary.iterdir():
            _to_disk(file)
        refuse_existing(target)
        with suppress(FileNotFoundError):
            target.rmdir()  # if it exists, it is empty
        temporary.rename(target)
        _to_disk(target.parent)


def refuse_existing(path: Path) -> None:
    """Raise an error if `path` is a file, or a folder that is not empty."""
    if path.exists() and not (path.is_dir() and not any(path.iterdir())):
        raise FileExistsError(f"{str(path)!r} already exists; choose another name, or delete it first.")


def writable_folder(path: PathLike) -> Path:
    """The folder, created if needed; raises an error if it is not writable."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise OSError(f"cannot write in the folder {str(folder)!r} ({error.strerror}); choose another.") from None
    return folder


def writable_file(path: PathLike) -> Path:
    """The path of a file; raises an error, before any work is done, if it cannot be written."""
    target = Path(path)
    if target.is_dir():
        raise IsADirectoryError(f"{str(target)!r} is a folder; pass the name of a file.")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(target.parent)!r} to write in; make it first.")
    writable_folder(target.parent)
    return target
