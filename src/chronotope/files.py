"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A path to write to, beside the target and with its ending; it is moved into place when all went well."""
    target = Path(path)
    temporary = target.with_name(f".{target.stem}-{secrets.token_hex(4)}{target.suffix}")
    try:
        yield temporary
        os.umask(mask := os.umask(0))
        os.chmod(temporary, 0o666 & ~mask)  # some writers make files that only their owner can read
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def writable_folder(path: str | os.PathLike[str]) -> Path:
    """The folder, made if need be; refused if nothing can be written in it."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise OSError(f"cannot write in the folder {str(folder)!r} ({error.strerror}); choose another.") from None
    return folder
