"""Zip archives of several files: texts are read as in a folder, tables with the same columns as one table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from chronotope.readers.folder import date_in_name, folder_source
from chronotope.readers.many import note_others, refuse_options, tables_among, tables_source, texts_among
from chronotope.readers.open import ZIPPED, SizeLimit, is_office, refuse_locked, visible_files, zip_errors
from chronotope.readers.rows import Notes, Source
from chronotope.readers.temporary import temporary_folder


def holds_many(path: Path) -> bool:
    """Whether a file is a zip archive of several files, and not a document of an Office program."""
    with path.open("rb") as file:
        if file.read(len(ZIPPED)) != ZIPPED:
            return False
    try:
        with ZipFile(path) as archive:
            return len(visible_files(archive)) > 1 and not is_office(archive)
    except (BadZipFile, NotImplementedError, UnicodeDecodeError):  # refused with a sentence when it is opened
        return False


def archive_source(
    path: Path,
    encoding: str | None = None,
    delimiter: str | None = None,
    table: Path | None = None,
    max_ratio: float | None = None,
) -> Source:
    """The texts or the tables of an archive, which is extracted to a temporary folder."""
    folder = _extracted(path, max_ratio)
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    tables, notes = tables_among(files, folder), Notes()
    if tables:
        refuse_options(f"the tables in {path.name}", table=table)
        note_others(path.name, files, tables, notes)
        options, advice = {"encoding": encoding, "delimiter": delimiter}, "extract it and pass one of them"
        source = tables_source(path.name, "archive of ", tables, options, notes, advice)
        return replace(source, shards=())  # of this process alone
    texts = texts_among(files)
    if not texts:
        shown = ", ".join(file.name for file in files[:3]) + ", ..." * (len(files) > 3)
        raise ValueError(
            f"{path.name} holds {len(files):,} files ({shown}), neither texts (.txt, .md) nor tables (.csv, .jsonl); "
            "extract it and pass one of them."
        )
    refuse_options(f"the texts in {path.name}", delimiter=delimiter)
    source = folder_source(folder, encoding, table)  # of files: extracting makes no links
    return replace(source, name=path.name, kind=f"archive of {len(texts):,} texts")


def _extracted(path: Path, max_ratio: float | None) -> Path:
    """The folder with the files of an archive; if all are in one folder without a date in its name, that."""
    folder = temporary_folder() / path.name
    with zip_errors(path.name), ZipFile(path) as archive:
        files = visible_files(archive)
        refuse_locked(files, path.name)
        SizeLimit.of(path, max_ratio).check(sum(entry.file_size for entry in files))
        try:
            for entry in files:
                archive.extract(entry, folder)
        except OSError as error:
            raise ValueError(f"{path.name} cannot be extracted ({error.strerror or error}): check its names.") from None
    while len(inside := list(folder.iterdir())) == 1 and inside[0].is_dir() and not date_in_name(inside[0].name):
        folder = inside[0]
    return folder
