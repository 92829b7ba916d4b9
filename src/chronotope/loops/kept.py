"""Where compiled loops are kept: a temporary folder if there is no other, and files that are sealed by a digest.

numba fails at a file of its cache that is cut or damaged. Here it is as if that file did not exist: the loop is
compiled again, and the file replaced.
"""

from __future__ import annotations

import os
import pickle
import stat
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import IndexDataCacheFile

DIGEST = sha256().digest_size
config: Any = numba.config
Files: Any = IndexDataCacheFile  # numba is not typed


class SealedFiles(Files):  # type: ignore[misc]
    """The files of a loop in numba's cache, each with a digest before its content."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._version = f"{numba.__version__}, sealed"  # numba does not read these files, and no others are read here

    def save(self, key: Any, data: Any) -> None:
        """Keep a compiled loop; where there is no room, it is compiled again next time."""
        with suppress(OSError):
            super().save(key, data)

    def _dump(self, content: Any) -> bytes:
        data: bytes = super()._dump(content)
        return sha256(data).digest() + data

    def _load_index(self) -> dict[Any, str]:
        try:
            with open(self._index_path, "rb") as file:
                version = pickle.load(file)
                if version != self._version:
                    return {}
                stamp, overloads = pickle.loads(_unsealed(file.read()))
        except Exception:  # a damaged file may raise anything
            return {}
        return overloads if stamp == self._source_stamp else {}

    def _load_data(self, name: str) -> Any:
        return pickle.loads(_unsealed(Path(self._data_path(name)).read_bytes()))


def _unsealed(data: bytes) -> bytes:
    """The content of a file; a damaged one is an OSError, as a missing one is."""
    content = data[DIGEST:]
    if data[:DIGEST] != sha256(content).digest():
        raise OSError("it is damaged")
    return content


def seal_files(loop: Any) -> None:
    """Let a loop use sealed files in numba's cache."""
    with suppress(AttributeError):  # another version of numba may have its cache otherwise
        kept = loop._cache
        place = kept.cache_path, kept._impl.filename_base, kept._impl.locator.get_source_stamp()
        kept._cache_file = SealedFiles(*place)


@contextmanager
def spare_cache() -> Iterator[None]:
    """Let numba keep loops in a temporary folder, and say so once: it has found no folder of its own."""
    before, config.CACHE_DIR = config.CACHE_DIR, _spare_folder()
    try:
        yield
    finally:
        config.CACHE_DIR = before


@cache
def _spare_folder() -> str:
    """A folder of the user's among the temporary files: code is loaded from it, so nobody else may write there."""
    folder = Path(tempfile.gettempdir()) / f"chronotope-loops-{os.getuid() if hasattr(os, 'getuid') else 'user'}"
    with suppress(OSError):
        folder.mkdir(mode=0o700)
    if not _is_private(folder):
        folder = Path(tempfile.mkdtemp(prefix="chronotope-loops-"))
    warnings.warn(
        "compiled loops can be kept neither beside the package nor in a home folder; they are kept in "
        f"{str(folder)!r}, as long as that lasts. Set NUMBA_CACHE_DIR to a folder that can be written to, and run "
        "`chronotope compile` once.",
        UserWarning,
        stacklevel=2,
    )
    return str(folder)


def _is_private(folder: Path) -> bool:
    """Whether a folder exists, is the user's, and is closed to others."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    own = not hasattr(os, "getuid") or (found.st_uid == os.getuid() and not found.st_mode & 0o077)
    return stat.S_ISDIR(found.st_mode) and own
