"""A folder of text files: dates from a table beside them, from their first lines, or from their names."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from chronotope.readers.file_dates import date_in_name, split_front_matter
from chronotope.readers.file_table import FileTable, find_table
from chronotope.readers.opening import PACKED, check_encoding, decode, is_binary, unpacked
from chronotope.readers.rows import Bad, Notes, Row, Rows, Source, is_missing

_ENDINGS = frozenset({".txt", ".text", ".md", ".markdown", ""})
_LARGEST = 64 * 2**20  # bytes of one file

NameDate = Callable[[str], str | None]


def folder(
    path: Path, encoding: str | None = None, table: Path | None = None, name_date: NameDate = date_in_name
) -> Source:
    """Every text file in the folder and below.

    Its date is that in the table (metadata.csv in or beside the folder, or `table`), else that of a line "date: ..." at
    its start, else that in its name, else that in the names of the folders it is in.
    """
    check_encoding(encoding)
    notes = Notes()
    paths = _text_files(path, notes)
    names = [file.relative_to(path).as_posix() for file in paths]
    listed = find_table(path, table, names, notes)
    rows = partial(_rows, dict(zip(names, paths, strict=True)), encoding, listed, name_date, notes)
    return Source(
        path.name, f"folder of {len(paths):,} texts", rows, {"text": "text", "time": "time", "id": "id"}, notes
    )


def _text_files(path: Path, notes: Notes) -> list[Path]:
    """The text files in order of their paths; hidden ones are passed over, others counted."""
    texts: list[Path] = []
    others: Counter[str] = Counter()
    for parent, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for file in (Path(parent, name) for name in sorted(names) if not name.startswith(".")):
            ending = _ending(file)
            if ending in _ENDINGS and file.is_file():
                texts.append(file)
            elif file.stem != "metadata":
                others[ending] += 1
    endings = ", ".join(ending for ending, _ in others.most_common(5))
    if not texts:
        held = f"it holds {others.total():,} other files ({endings}); pass one of them" if others else "it is empty"
        raise ValueError(f"there are no text files (.txt, .md) in the folder {path.name!r}: {held}.")
    if others:
        notes.say(f"{others.total():,} files in {path.name} were left unread for their endings ({endings})")
    return texts


def _ending(file: Path) -> str:
    """The ending that tells what a file is: that of letter.txt.gz is .txt."""
    return (file.with_suffix("") if file.suffix.lower() in PACKED else file).suffix.lower()


def _rows(
    paths: Mapping[str, Path], encoding: str | None, listed: FileTable | None, name_date: NameDate, notes: Notes
) -> Rows:
    for name, path in paths.items():
        try:
            text = _read(path, encoding, notes)
        except (OSError, ValueError) as error:
            yield Bad(f"file {name}", "unreadable file", str(error))
            continue
        head, text = split_front_matter(text)
        known = listed.fields_of(name) if listed else {}
        yield Row(f"file {name}", {"text": text, "id": name} | _dated(name, known, head, name_date))


def _dated(name: str, known: Mapping[str, Any], head: Mapping[str, str], name_date: NameDate) -> dict[str, Any]:
    """The time of a file, where it was found, and what else the table and its first lines say."""
    path = PurePosixPath(name)
    in_name = name_date(path.name.removesuffix(path.suffix if path.suffix in _ENDINGS else ""))
    in_folders = name_date("-".join(path.parts[:-1]))
    if in_folders and in_name and len(in_name) == 4:  # in 1987/2001.txt the second is a mere number
        in_name = None
    times: dict[str, Any] = {
        "table": known.get("time"),
        "front matter": head.get("date"),
        "file name": in_name,
        "folder name": in_folders,
    }
    found = next((where for where, time in times.items() if not is_missing(time)), None)
    others = {key: value for key, value in {**head, **known}.items() if key not in ("text", "id", "time", "date")}
    return {"time": times[found] if found else None, "dated_by": found} | others


def _read(path: Path, encoding: str | None, notes: Notes) -> str:
    """The text of one file."""
    with unpacked(path) as file:
        data = file.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise ValueError(f"it holds more than {_LARGEST // 2**20} MB")
    if encoding:
        return data.decode(encoding)
    if is_binary(data[:4096]):
        raise ValueError("it is a binary file")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        notes.say(f"not all files are UTF-8; {path.name} was read otherwise, and so may be others")
        return decode(data)
