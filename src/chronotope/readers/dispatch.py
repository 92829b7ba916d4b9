"""The entry point: which reader a path or a table needs, and from there to records or to a corpus."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from chronotope._typing import PathLike
from chronotope.corpus.corpus import Corpus, open_corpus
from chronotope.corpus.disk import holds_corpus
from chronotope.dates.decimal import UseRough, check_rough_dates
from chronotope.readers.archive import archive_source, holds_many
from chronotope.readers.git import git_source, is_repository
from chronotope.readers.many import (
    TABLE_ENDINGS,
    TABLE_READERS,
    folder_of_texts_or_tables,
    is_pattern,
    listed_tables,
    matching_files,
    tables_source,
)
from chronotope.readers.matrix import holds_counts, read_counts
from chronotope.readers.mbox import mbox_source
from chronotope.readers.open import COMPRESSED, check_ratio, decompressed
from chronotope.readers.records import Reading
from chronotope.readers.rows import Notes, Shard, Source
from chronotope.readers.sheets import sheet_source
from chronotope.readers.stdin import STDIN, copy_of_stdin
from chronotope.readers.tables import frame_source
from chronotope.text.options import Preprocessing

_READERS: dict[str, tuple[Callable[..., Source], frozenset[str]]] = TABLE_READERS | {
    "excel": (sheet_source, frozenset({"sheet", "max_ratio"})),
    "mbox": (mbox_source, frozenset({"max_ratio"})),
    "folder": (
        folder_of_texts_or_tables,
        frozenset({"encoding", "delimiter", "table", "follow_links", "max_ratio"}),
    ),
    "zip": (archive_source, frozenset({"encoding", "delimiter", "table", "max_ratio"})),
    "git": (git_source, frozenset()),
}
_ENDINGS = TABLE_ENDINGS | {".mbox": "mbox", ".mbx": "mbox", ".xlsx": "excel", ".xls": "excel", ".ods": "excel"}
_STARTS = ((b"PAR1", "parquet"), (b"\xd0\xcf\x11\xe0", "excel"), (b"From ", "mbox"), (b"{", "jsonl"), (b"[", "jsonl"))


def read(
    source: Any,
    *,
    text: str | Sequence[str] | None = None,
    time: str | Sequence[str] | None = None,
    id: str | None = None,
    metadata: Sequence[str] | None = None,
    day_first: bool | None = None,
    century_start: int | None = None,
    limit: int | None = None,
    start: Any = None,
    end: Any = None,
    rough_dates: UseRough = "use",
    format: str | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    table: PathLike | None = None,
    sheet: str | None = None,
    follow_links: bool | None = None,
    max_ratio: float | None = None,
) -> Reading:
    """Dated texts of a file, a folder, a Git repository or a table in memory, one record at a time.

    source : str, path, list of paths, or table; a path to CSV, TSV, JSON lines, JSON, Parquet, a spreadsheet or mbox,
        also compressed with gzip, bzip2, xz, zip or zstd; to a folder or a zip archive of text files, or of tables with
        the same columns, which are read one after another in the order of their names; a pattern such as
        "docs-*.parquet" or a list of paths, in its own order, for such tables; a path to a Git repository; or a table
        of pandas, polars or Arrow; "-" for standard input, a file of any of these formats
    text : str or list of str, default None to guess it; the column of the texts; several columns are joined
    time : str or list of str, default None to guess it; the column of the times, or those of year, month and day
    id : str, default None to guess it; the column of the documents' names
    metadata : list of str, default None for all others; columns to keep with the documents
    day_first : bool, default None to find it in the column; whether 03/04/1861 is 3 April
    century_start : int, default None for 1930; the first of the hundred years that two-digit years mean
    limit : int, default None; maximum number of records, drawn at random from the whole source, the same ones every
        time, in their order
    start, end : number or date, default None; only records from this time to that one, both included: an end of 1959,
        or of 1959-03, includes all of it; a rough date is inside if the middle of its density is, one with an open end
        only if it is for certain
    rough_dates : "use" or "drop", default "use"; whether dates that are known only roughly, such as "circa 1850", are
        kept as densities over time, or count as unreadable
    format : str, default None to find it by the path; "csv", "jsonl", "parquet", "excel" (.xlsx, .xls and .ods),
        "mbox", "folder", "zip" (of several files) or "git"
    encoding : str, default None to find it by a byte-order mark, as UTF-8 or with charset-normalizer; of text files
    delimiter : str, default None to find it; one character between the fields of a CSV file, called sep in pandas
    table : str or path, default None to look for metadata.csv; the table of a folder, with file names and dates
    sheet : str, default None for the first that has rows; the sheet of a spreadsheet, called sheet_name in pandas
    follow_links : bool, default None for False; whether symbolic links out of a folder are followed
    max_ratio : float, default None for 200; how many times its size a compressed file may decompress to
    """
    options: dict[str, Any] = {"encoding": encoding, "delimiter": delimiter, "sheet": sheet, "max_ratio": max_ratio}
    options["follow_links"] = follow_links
    options["table"] = None if table is None else _existing(table)
    given = {name: value for name, value in options.items() if value is not None}
    if max_ratio is not None:
        check_ratio(max_ratio)
    opened = open_source(source, format, given)
    dates: dict[str, Any] = {"time": time, "day_first": day_first, "century_start": century_start}
    dates |= {"start": start, "end": end, "rough_dates": rough_dates}
    return Reading(opened, text=text, id=id, metadata=metadata, limit=limit, **dates)


def read_corpus(
    source: Any,
    preprocessing: Preprocessing | None = None,
    *,
    keep_texts: bool = True,
    vocabulary: Any = None,
    times: Any = None,
    folder: PathLike | None = None,
    engine: Any = None,
    **options: Any,
) -> Corpus:
    """The corpus of a source; `corpus.report` says what was decided and dropped.

    source : str, path or table; as in `read`, also ready counts (name-mult.dat or name.mtx, see `read_counts`) or a
        folder written by `Corpus.save`
    preprocessing : Preprocessing, default None for `Preprocessing()`; which words and documents are kept
    keep_texts : bool, default True; False if the texts do not fit in memory
    vocabulary, times : of ready counts, default None; as in `read_counts`
    folder : str or path, default None; a new folder to build the corpus in, if even its counts do not fit in memory:
        they stay there, without texts, and with those metadata alone that are named; see `chronotope.open_corpus`
    engine : dask.distributed.Client, default None; its workers read the files into the folder, see `Reading.to_corpus`
    options : text, time, id and all other parameters of `read`
    """
    path = Path(source).expanduser() if isinstance(source, str | os.PathLike) else None
    if path is None or not holds_ready_counts(path):
        if vocabulary is not None or times is not None:
            raise ValueError("vocabulary= and times= belong to files of counts; name the columns with text= and time=.")
        return read(source, **options).to_corpus(preprocessing, keep_texts=keep_texts, folder=folder, engine=engine)
    window = {name: options.pop(name) for name in ("start", "end") if name in options}
    rough_dates = options.pop("rough_dates", "use")
    check_rough_dates(rough_dates)
    if preprocessing is not None or options:
        raise ValueError(f"{path.name} holds ready counts; pass no preprocessing and no options of texts.")
    corpus = open_corpus(path) if holds_corpus(path) else read_counts(_existing(path), vocabulary, times)
    if rough_dates == "drop" and corpus.rough is not None:
        corpus = corpus[corpus.exact]
    corpus = corpus.between(**window)
    if folder is None:
        return corpus
    corpus.save(folder)
    return open_corpus(folder)


def holds_ready_counts(path: Path) -> bool:
    """Whether a path holds counts instead of texts."""
    return holds_counts(path) or holds_corpus(path)


def open_source(source: Any, format: str | None, given: dict[str, Any]) -> Source:
    """The rows of the source, by the reader it needs."""
    paths = several_files(source)
    if paths is not None:
        return _open_several(source, paths, format, given)
    if not isinstance(source, str | os.PathLike):
        _refuse_others(given, frozenset(), "a table in memory")
        return frame_source(source)
    path = copy_of_stdin() if source == STDIN else _existing(source)
    kind = format or format_of(path)
    if kind not in _READERS:
        raise ValueError(f"format is {kind!r}; expected one of {', '.join(_READERS)}.")
    reader, accepted = _READERS[kind]
    _refuse_others(given, accepted, f"a source read as {kind}")
    opened = reader(path, **given)
    return opened if opened.shards else replace(opened, shards=(Shard("", partial(reader, path, **given)),))


def several_files(source: Any) -> list[Path] | None:
    """The files of a pattern, in order of their paths, or of a list of paths, in its own; None for other sources."""
    if is_pattern(source):
        return matching_files(source)
    if not isinstance(source, list | tuple) or not all(isinstance(path, str | os.PathLike) for path in source):
        return None
    if not source:
        raise ValueError("the list of files is empty; pass the path of at least one table.")
    try:
        return [_existing(path) for path in source]
    except FileNotFoundError as error:
        raise ValueError(
            f"the source is a {type(source).__name__}, which cannot be read ({str(error).partition(';')[0]}); pass a "
            "path, or a table of pandas, polars or Arrow, or a list of paths that exist."
        ) from None


def _open_several(source: Any, paths: list[Path], format: str | None, given: dict[str, Any]) -> Source:
    """The rows of several tables."""
    accepted = frozenset[str]().union(*(options for _, options in TABLE_READERS.values()))
    _refuse_others(given, accepted, "several tables")
    files = listed_tables(paths, lambda path: format or format_of(path))
    more = f" and {len(files) - 1:,} more" if len(files) > 1 else ""
    name = os.fspath(source) if is_pattern(source) else files[0].name + more
    return tables_source(name, "", files, given, Notes())


def _existing(path: PathLike) -> Path:
    """The path of a file or folder, which can be read more than once; refused if there is none."""
    found = Path(path).expanduser().absolute()
    if not found.exists():
        raise FileNotFoundError(f"there is no file or folder {str(path)!r}; check the path.")
    if not (found.is_file() or found.is_dir()):
        raise ValueError(f"{str(path)!r} is neither a file nor a folder; save its content to a file and pass that.")
    return found


def format_of(path: Path) -> str:
    """The format of a path: a folder, an archive of many files, else by its ending or its first bytes, else CSV."""
    if path.is_dir():
        return "git" if is_repository(path) else "folder"
    if holds_counts(path):
        raise ValueError(f"{path.name} holds ready counts, not texts; read it with read_corpus().")
    if holds_many(path):
        return "zip"
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in COMPRESSED]
    if suffixes and suffixes[-1] in _ENDINGS:
        return _ENDINGS[suffixes[-1]]
    with decompressed(path) as file:
        start = file.peek(64).lstrip(b"\xef\xbb\xbf \t\r\n")
    return next((kind for first, kind in _STARTS if start.startswith(first)), "csv")


def _refuse_others(given: dict[str, Any], accepted: frozenset[str], what: str) -> None:
    others = sorted(set(given) - accepted)
    if others:
        raise ValueError(f"{', '.join(others)} does not apply to {what}; do not pass it.")
