"""Files that appear whole or not at all."""

from __future__ import annotations

import glob
import logging
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from chronotope._typing import PathLike

logger = logging.getLogger(__name__)


@contextmanager
def replacing(path: PathLike) -> Iterator[Path]:
    """A path to write to, beside the target and with its ending; it is moved into place when all went well."""
    target = Path(path)
    temporary = target.with_name(f".{target.stem}-{secrets.token_hex(4)}{target.suffix}")
    try:
        yield temporary
        _to_disk(temporary)
        os.umask(mask := os.umask(0))
        os.chmod(temporary, 0o666 & ~mask)  # some writers make files that only their owner can read
        os.replace(temporary, target)
        _to_disk(target.parent)
        logger.info("written: %s", target)
    finally:
        temporary.unlink(missing_ok=True)


def _to_disk(path: Path) -> None:
    """Wait until what was written is on the disk, so that not even a power cut leaves half a file."""
    folder = path.is_dir()
    with suppress(OSError) if folder else nullcontext():  # not every system can do that to a folder
        handle = os.open(path, os.O_RDONLY if folder else os.O_RDWR)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def remove_leftovers(path: PathLike) -> None:
    """Remove the parts of files that a killed program has left beside `path`."""
    target = Path(path)
    for left in target.parent.glob(f".{glob.escape(target.stem)}-{'[0-9a-f]' * 8}{glob.escape(target.suffix)}"):
        left.unlink(missing_ok=True)


@contextmanager
def appearing(path: PathLike) -> Iterator[Path]:
    """A new folder to fill, beside the target; it gets the target's name when all went well, else it is removed."""
    target = Path(path).absolute()
    refuse_existing(target)
    writable_folder(target.parent)
    temporary = target.with_name(f".{target.name}-{secrets.token_hex(4)}")
    temporary.mkdir()
    try:
        yield temporary
        for file in temporary.iterdir():
            _to_disk(file)
        refuse_existing(target)
        with suppress(FileNotFoundError):
            target.rmdir()  # where it is there, it is empty
        temporary.rename(target)
        _to_disk(target.parent)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def refuse_existing(path: Path) -> None:
    """Nothing is ever written over a file, or over a folder that holds something."""
    if path.exists() and not (path.is_dir() and not any(path.iterdir())):
        raise FileExistsError(f"{str(path)!r} exists already; choose another name, or delete it first.")


def writable_folder(path: PathLike) -> Path:
    """The folder, made if need be; refused if nothing can be written in it."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise OSError(f"cannot write in the folder {str(folder)!r} ({error.strerror}); choose another.") from None
    return folder


def writable_file(path: PathLike) -> Path:
    """The path, refused before any work is done if no file can be written there."""
    target = Path(path)
    if target.is_dir():
        raise IsADirectoryError(f"{str(target)!r} is a folder; pass the name of a file.")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(target.parent)!r} to write in; make it first.")
    writable_folder(target.parent)
    return target
