"""The files that decide what is read from a source, so that a change of any of them is seen."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from chronotope._typing import PathLike
from chronotope.corpus.disk import holds_corpus
from chronotope.readers.dispatch import format_of, several_files
from chronotope.readers.folder import folder_files
from chronotope.readers.many import folder_tables
from chronotope.readers.matrix import count_files, holds_counts


class SourceFiles(NamedTuple):
    """Files whose content decides what is read, and notes on others, of which only the names do."""

    files: list[Path]
    notes: list[str]


def source_files(
    source: PathLike | Sequence[PathLike],
    format: str | None = None,
    table: PathLike | None = None,
    follow_links: bool = False,
) -> SourceFiles | None:
    """The files that decide what `read_corpus` reads; None for a Git repository, whose history is in many.

    source : str or path, of a file or a folder that exists; a pattern or a list of paths
    format, table, follow_links : as in `read`
    """
    several = several_files(source)
    if several is not None or not isinstance(source, str | os.PathLike):
        return SourceFiles(several or [], [])
    path = Path(source).expanduser().absolute()
    beside = [] if table is None else [Path(table).expanduser().absolute()]
    if holds_corpus(path):
        return SourceFiles(sorted(file for file in path.iterdir() if file.is_file()), [])
    if holds_counts(path):
        return SourceFiles(count_files(path), [])
    kind = format or format_of(path)
    if kind == "git":
        return None
    if kind == "folder":
        tables, said = folder_tables(path, follow_links) if table is None else ([], [])
        if tables:
            return SourceFiles([file.path for file in tables], said)
        files, notes = folder_files(path, follow_links)
        return SourceFiles(files + beside, notes)
    return SourceFiles([path, *beside], [])
