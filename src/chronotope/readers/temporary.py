"""Temporary folders for what must be a file to be read several times."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path


def temporary_folder() -> Path:
    """A new folder that is removed when the process ends."""
    folder = tempfile.mkdtemp(prefix="chronotope-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)
