"""Hidden folders for unfinished files: each is held by its process, and removed by the next one if that was killed."""

from __future__ import annotations

import errno
import glob
import os
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType

from chronotope._typing import PathLike

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC), errno.EFBIG)
OLD = 3600.0  # seconds without a change after which a folder is one of a killed process, where that cannot be told


@contextmanager
def own_folder(path: PathLike) -> Iterator[Path]:
    """A new hidden folder beside `path`, removed at the end; what killed processes have left is removed first."""
    target = Path(path)
    remove_leftovers(target)
    folder, held = _new_folder(target)
    try:
        yield folder
    except OSError as error:
        if not _is_full(error):
            raise
        raise OSError(
            f"{target} could not be written to the end: the disk is full, or a limit of it is reached. Nothing was "
            "left there; make room, or choose another folder."
        ) from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if held is not None:
            os.close(held)


def _is_full(error: OSError) -> bool:
    """Whether an error is that of a full disk, which NumPy reports as "8 requested and 0 written"."""
    return error.errno in FULL or (error.errno is None and "requested and" in str(error))


def remove_leftovers(path: PathLike) -> None:
    """Remove what killed processes have left of writing `path`; what a living one writes is left alone."""
    target = Path(path)
    for folder in target.parent.glob(f".{glob.escape(target.name)}-{'[0-9a-f]' * 8}"):
        with suppress(OSError), _if_left(folder) as left:
            if left:
                shutil.rmtree(folder, ignore_errors=True)


def _new_folder(target: Path) -> tuple[Path, int | None]:
    """A folder and the lock on it; another one if a process that clears up was faster."""
    while True:
        folder = target.with_name(f".{target.name}-{secrets.token_hex(4)}")
        folder.mkdir()
        try:
            held = _locked(folder, "LOCK_SH")
        except (BlockingIOError, FileNotFoundError):
            continue
        if folder.exists():
            return folder, held
        if held is not None:
            os.close(held)


@contextmanager
def _if_left(folder: Path) -> Iterator[bool]:
    """Whether the process that made a folder has ended; nobody else holds the folder meanwhile."""
    try:
        held = _locked(folder, "LOCK_EX")
    except BlockingIOError:
        yield False
        return
    if held is None:
        yield time.time() - max(file.stat().st_mtime for file in (folder, *folder.rglob("*"))) > OLD
        return
    try:
        yield True
    finally:
        os.close(held)


def _locked(folder: Path, kind: str) -> int | None:
    """A lock on a folder, which ends with the process; None where there are no such locks.

    kind : LOCK_SH or LOCK_EX.  A BlockingIOError if another process has it.
    """
    if fcntl is None:
        return None
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, getattr(fcntl, kind) | fcntl.LOCK_NB)
    except OSError as error:
        os.close(handle)
        if isinstance(error, BlockingIOError):
            raise
        return None  # not every file system has locks
    return handle
