"""The one way in: which reader a path or a table needs, and from there to records or to a corpus."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from chronotope._typing import PathLike
from chronotope.corpus.corpus import Corpus, open_corpus
from chronotope.corpus.disk import holds_corpus
from chronotope.readers.folder import folder_source
from chronotope.readers.git import git_source, is_repository
from chronotope.readers.matrix import holds_counts, read_counts
from chronotope.readers.mbox import mbox_source
from chronotope.readers.open import COMPRESSED, decompressed
from chronotope.readers.records import Reading
from chronotope.readers.rows import Source
from chronotope.readers.tables import csv_source, frame_source, json_source, parquet_source
from chronotope.text.options import Preprocessing

_READERS: dict[str, tuple[Callable[..., Source], frozenset[str]]] = {
    "csv": (csv_source, frozenset({"encoding", "delimiter", "max_ratio"})),
    "jsonl": (json_source, frozenset({"encoding", "max_ratio"})),
    "parquet": (parquet_source, frozenset({"max_ratio"})),
    "mbox": (mbox_source, frozenset({"max_ratio"})),
    "folder": (folder_source, frozenset({"encoding", "table"})),
    "git": (git_source, frozenset()),
}
_ENDINGS = {".csv": "csv", ".tsv": "csv", ".tab": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl"}
_ENDINGS |= {".parquet": "parquet", ".pq": "parquet", ".mbox": "mbox", ".mbx": "mbox"}
_STARTS = ((b"PAR1", "parquet"), (b"From ", "mbox"), (b"{", "jsonl"))


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
    format: str | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    table: PathLike | None = None,
    max_ratio: float | None = None,
) -> Reading:
    """Dated texts of a file, a folder, a Git repository or a table in memory, one record at a time.

    source : a path to CSV, TSV, JSON lines, Parquet or mbox, also packed with gzip, bzip2, xz, zip or zstd; to a folder
        of text files; to a Git repository; or a table of pandas, polars or Arrow
    text, time, id : columns, guessed if not given; several columns of text are joined, and the columns of year, month
        and day are put together, in this order
    metadata : columns to keep beside them, by default all
    day_first : whether 03/04/1861 is in April; by default what the column tells
    century_start : the first of the hundred years that years of two digits mean, by default 1930
    limit : the most records to read
    format : "csv", "jsonl", "parquet", "mbox", "folder" or "git" where the path does not tell
    encoding, delimiter : of text files, found by looking if not given
    table : of a folder, the table with file names and dates
    max_ratio : how many times its size a packed file may unpack to, by default 200
    """
    options: dict[str, Any] = {"encoding": encoding, "delimiter": delimiter, "max_ratio": max_ratio}
    options["table"] = None if table is None else _existing(table)
    given = {name: value for name, value in options.items() if value is not None}
    opened = _open(source, format, given)
    dates: dict[str, Any] = {"time": time, "day_first": day_first, "century_start": century_start}
    return Reading(opened, text=text, id=id, metadata=metadata, limit=limit, **dates)


def read_corpus(
    source: Any,
    preprocessing: Preprocessing | None = None,
    *,
    keep_texts: bool = True,
    vocabulary: Any = None,
    times: Any = None,
    folder: PathLike | None = None,
    **options: Any,
) -> Corpus:
    """The corpus of a source, with the options of `read`; `corpus.report` says what was decided and left out.

    Also of ready counts, name-mult.dat or name.mtx, with `vocabulary` and `times` as in `read_counts`, and of a folder
    written by `Corpus.save`.
    keep_texts : False where the texts do not fit in memory
    folder : a new one, where not even their counts do: the corpus is built there, and its counts stay there
    """
    path = Path(source).expanduser() if isinstance(source, str | os.PathLike) else None
    if path is None or not holds_ready_counts(path):
        if vocabulary is not None or times is not None:
            raise ValueError("vocabulary= and times= belong to files of counts; name the columns with text= and time=.")
        return read(source, **options).to_corpus(preprocessing, keep_texts=keep_texts, folder=folder)
    if preprocessing is not None or options:
        raise ValueError(f"{path.name} holds ready counts; pass no preprocessing and no options of texts.")
    corpus = open_corpus(path) if holds_corpus(path) else read_counts(_existing(path), vocabulary, times)
    if folder is None:
        return corpus
    corpus.save(folder)
    return open_corpus(folder)


def holds_ready_counts(path: Path) -> bool:
    """Whether a path leads to counts instead of texts."""
    return holds_counts(path) or holds_corpus(path)


def _open(source: Any, format: str | None, given: dict[str, Any]) -> Source:
    """The rows of the source, by the reader it needs."""
    if not isinstance(source, str | os.PathLike):
        _refuse_others(given, frozenset(), "a table in memory")
        return frame_source(source)
    path = _existing(source)
    kind = format or _format_of(path)
    if kind not in _READERS:
        raise ValueError(f"format is {kind!r}; expected one of {', '.join(_READERS)}.")
    reader, accepted = _READERS[kind]
    _refuse_others(given, accepted, f"a source read as {kind}")
    return reader(path, **given)


def _existing(path: PathLike) -> Path:
    """The path, if there is something that can be read more than once."""
    found = Path(path).expanduser().absolute()
    if not found.exists():
        raise FileNotFoundError(f"there is no file or folder {str(path)!r}; check the path.")
    if not (found.is_file() or found.is_dir()):
        raise ValueError(f"{str(path)!r} is neither a file nor a folder; save what it gives to a file and pass that.")
    return found


def _format_of(path: Path) -> str:
    """What a path is: by being a folder, by its ending, by its first bytes, else a table of text."""
    if path.is_dir():
        return "git" if is_repository(path) else "folder"
    if holds_counts(path):
        raise ValueError(f"{path.name} holds ready counts, not texts; read it with read_corpus().")
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in COMPRESSED]
    if suffixes and suffixes[-1] in _ENDINGS:
        return _ENDINGS[suffixes[-1]]
    with decompressed(path) as file:
        start = file.peek(64).lstrip(b"\xef\xbb\xbf \t\r\n")
    return next((kind for first, kind in _STARTS if start.startswith(first)), "csv")


def _refuse_others(given: dict[str, Any], accepted: frozenset[str], what: str) -> None:
    others = sorted(set(given) - accepted)
    if others:
        raise ValueError(f"{', '.join(others)} does not apply to {what}; leave it out.")
