"""Symbolic links in a folder: those that lead out of it are followed only if asked for, circles never."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path


class LinkedFolder:
    """A folder and those below it, each of them once, however links lead there.

    path : of the folder;  follow_links : whether links to folders, and out of the folder, are followed
    left_out : number of links that were not followed
    """

    def __init__(self, path: Path, follow_links: bool) -> None:
        self.path, self.follow_links, self.left_out = path, follow_links, 0
        self._top = path.resolve()

    def folders(self) -> Iterator[tuple[str, list[str]]]:
        """Every folder that is not hidden, and the names of its files."""
        seen: set[tuple[int, int]] = set()
        for parent, folders, names in os.walk(self.path, followlinks=self.follow_links):
            state = os.stat(parent)
            if (state.st_dev, state.st_ino) in seen:
                folders.clear()
                continue
            seen.add((state.st_dev, state.st_ino))
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in folders:
                self.may_read(Path(parent, name))  # counts a link that is not followed
            yield parent, names

    def may_read(self, file: Path) -> bool:
        """Whether a file is in the folder, or links are followed; if not, it is counted."""
        if self.follow_links or not file.is_symlink() or self._is_inside(file):
            return True
        self.left_out += 1
        return False

    def _is_inside(self, link: Path) -> bool:
        """Whether a link leads into the folder; one that leads to itself leads nowhere."""
        try:
            return link.resolve().is_relative_to(self._top)
        except (OSError, RuntimeError):
            return True
