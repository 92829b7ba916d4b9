"""The files that decide what is read from a source, so that a change of any of them is seen."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from chronotope._typing import PathLike
from chronotope.corpus.disk import holds_corpus
from chronotope.readers.dispatch import format_of
from chronotope.readers.folder import folder_files
from chronotope.readers.matrix import count_files, holds_counts


class SourceFiles(NamedTuple):
    """Files whose content decides what is read, and notes on others, of which only the names do."""

    files: list[Path]
    notes: list[str]


def source_files(
    source: PathLike, format: str | None = None, table: PathLike | None = None, follow_links: bool = False
) -> SourceFiles | None:
    """The files that decide what `read_corpus` reads; None for a Git repository, whose history is in many.

    source : str or path; a file or a folder that exists
    format, table, follow_links : as in `read`
    """
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
        files, notes = folder_files(path, follow_links)
        return SourceFiles(files + beside, notes)
    return SourceFiles([path, *beside], [])
