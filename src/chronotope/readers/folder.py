"""A folder of text files: dates from a table beside them, from their first lines, or from their names."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from chronotope.dates.columns import is_missing
from chronotope.dates.parse import iso_date
from chronotope.readers.columns import choose_columns, plain_name
from chronotope.readers.encodings import UNICODE, Decoded, check_encoding, decode, is_binary
from chronotope.readers.json import json_source
from chronotope.readers.links import LinkedFolder
from chronotope.readers.open import COMPRESSED, decompressed
from chronotope.readers.rows import Bad, Notes, Row, Rows, Source
from chronotope.readers.tables import csv_source

_YEAR = r"(?P<year>1\d{3}|20\d\d)"
_MONTH, _DAY = r"(?P<month>0[1-9]|1[0-2])", r"(?P<day>0[1-9]|[12]\d|3[01])"
_NUMBERS = (
    re.compile(rf"(?<!\d){_YEAR}(?P<sep>[-_.]?){_MONTH}(?P=sep){_DAY}(?!\d)"),
    re.compile(rf"(?<!\d){_YEAR}-{_MONTH}(?!\d)"),
    re.compile(rf"(?<!\d){_YEAR}(?!\d)"),
)
_WORDS = re.compile(
    r"(?<!\d)\d{1,2}[ _.-]{0,2}[^\W\d_]{3,12}[ _-]?\d{4}(?!\d)|[^\W\d_]{3,12}[ _-]\d{1,2}[ _-]\d{4}(?!\d)"
)
_ENTRY = re.compile(r"(?P<key>[A-Za-z][\w -]{0,30}):[ \t]+(?P<value>\S.*)")
_DATE_KEYS = ("date", "published", "created", "written", "year", "time")


def date_in_name(name: str) -> str | None:
    """The one date in a name: 1862-12-01, 18621201, 1Dec1862, 1862-12 or 1862; None if there is none, or several."""
    worded = {iso for found in _WORDS.findall(name) if (iso := iso_date(re.sub("[_-]", " ", found)))}
    for found in (worded, *({_iso(match) for match in form.finditer(name)} for form in _NUMBERS)):
        if found:
            return next(iter(found)) if len(found) == 1 else None
    return None


def _iso(match: re.Match[str]) -> str:
    parts = match.groupdict()
    return "-".join(parts[key] for key in ("year", "month", "day") if parts.get(key))


def split_front_matter(text: str) -> tuple[dict[str, str], str]:
    """The entries `key: value` at the start of a text, and the text after them.

    They stand between two lines `---`, or before the first blank line if one of them is a date.
    """
    lines = text.lstrip("\ufeff").splitlines(keepends=True)
    fenced = bool(lines) and lines[0].strip() == "---"
    end = next((at for at, line in enumerate(lines[1:100], start=1) if line.strip() == ("---" if fenced else "")), None)
    if end is None:
        return {}, text
    matches = [_ENTRY.fullmatch(line.strip()) for line in lines[1 if fenced else 0 : end]]
    entries = {plain_name(match["key"]): match["value"].strip().strip("\"'") for match in matches if match}
    dated = next((key for key in _DATE_KEYS if key in entries), None)
    if not fenced and (dated is None or not all(matches)):
        return {}, text
    if dated:
        entries["date"] = entries[dated]
    return entries, "".join(lines[end + 1 :])


_FILE_COLUMNS = ("filename", "file_name", "file", "path", "name", "document", "doc", "id")
_TABLE_ENDINGS = (".csv", ".tsv", ".jsonl")
METADATA = "metadata"  # the name of a table about files, without its ending


class FileTable:
    """Rows of a table about files, looked up by path, by name, or by name without the ending."""

    def __init__(self, path: Path) -> None:
        self.path = path
        source = json_source(path) if path.suffix == ".jsonl" else csv_source(path)
        rows = [row.fields for row in source.rows() if isinstance(row, Row)]
        columns = {plain_name(column): column for row in rows for column in row}
        file = next((columns[key] for key in _FILE_COLUMNS if key in columns), None)
        if file is None:
            raise ValueError(f"{path.name} has no column of file names; call it 'filename'.")
        time = choose_columns(rows, {}, {"text": file, "id": file}, path.name, Notes())["time"]
        self.rows = {
            str(row[file]).removeprefix("./"): {
                "time" if column == time else column: value for column, value in row.items()
            }
            for row in rows
        }
        for fields in self.rows.values():
            del fields[file]

    def fields_of(self, name: str) -> Mapping[str, Any]:
        """The row of a file, its date under `time`; empty if the table does not name it."""
        return next((self.rows[key] for key in _keys(name) if key in self.rows), {})

    def count_missing(self, names: Iterable[str]) -> int:
        """How many rows name none of the files."""
        known = {key for name in names for key in _keys(name)}
        return sum(key not in known for key in self.rows)


def find_table(
    folder: Path, given: Path | None, names: list[str], follow_links: bool, notes: Notes
) -> FileTable | None:
    """The table given, or metadata.csv (.tsv, .jsonl) in or beside the folder if it names any of the files."""
    if given is not None:
        return _checked(FileTable(given), names, notes)
    for path in _tables_of(folder, follow_links):
        try:
            return _checked(FileTable(path), names, notes)
        except ValueError as error:
            notes.say(f"{path.name} was not used for the dates: {error}")
    return None


def _tables_of(folder: Path, follow_links: bool) -> Iterator[Path]:
    """The tables in or beside a folder that may be about its files, in the order in which they are tried."""
    here = folder.absolute()
    stems = (here / METADATA, here.parent / METADATA, here)
    beside = (stem.with_name(stem.name + ending) for stem in stems for ending in _TABLE_ENDINGS)
    walk = LinkedFolder(here, follow_links)
    return (path for path in beside if path.is_file() and (path.parent != here or walk.may_read(path)))


def _checked(table: FileTable, names: list[str], notes: Notes) -> FileTable:
    """The table, if it names any of the files; files that do not exist are counted in a note."""
    missing = table.count_missing(names)
    if missing == len(table.rows):
        raise ValueError(f"it names none of the {len(names):,} files.")
    notes.say(f"dates are taken from {table.path.name} where it names the file")
    if missing:
        notes.say(f"{missing:,} of the {len(table.rows):,} files named in {table.path.name} are not in the folder")
    return table


def _keys(name: str) -> tuple[str, ...]:
    """What a table may call a file: letters/a.txt, a.txt, letters/a or a."""
    path = PurePosixPath(name)
    return name, path.name, str(path.with_suffix("")), path.stem


TEXT_ENDINGS = frozenset({".txt", ".text", ".md", ".markdown", ""})
_LARGEST = 64 * 2**20  # bytes of one file

NameDate = Callable[[str], str | None]


def folder_source(
    path: Path,
    encoding: str | None = None,
    table: Path | None = None,
    name_date: NameDate = date_in_name,
    follow_links: bool = False,
) -> Source:
    """Every text file in the folder and below, also out of it by links if these are followed.

    Its date is that in the table (metadata.csv in or beside the folder, or `table`), else that of a line "date: ..." at
    its start, else that in its name, else that in the names of the folders it is in.
    """
    check_encoding(encoding)
    notes = Notes()
    paths = _text_files(path, follow_links, notes)
    names = [shown_name(file.relative_to(path)) for file in paths]
    listed = find_table(path, table, names, follow_links, notes)
    rows = partial(_rows, dict(zip(names, paths, strict=True)), encoding, listed, name_date, notes)
    return Source(
        path.name, f"folder of {len(paths):,} texts", rows, {"text": "text", "time": "time", "id": "id"}, notes
    )


def shown_name(path: Path) -> str:
    """The path with slashes; bytes of a name that are not UTF-8 are written out, as \\xff."""
    return os.fsencode(path.as_posix()).decode("utf-8", "backslashreplace")


def folder_files(path: Path, follow_links: bool = False) -> tuple[list[Path], Notes]:
    """The files of a folder that decide what is read: texts and tables about them; and what is noted of others."""
    notes = Notes()
    return [*_text_files(path, follow_links, notes), *_tables_of(path, follow_links)], notes


def readable_files(path: Path, follow_links: bool) -> tuple[list[Path], int]:
    """All files of a folder that are not hidden, and the number of links out of it that were not followed."""
    walk = LinkedFolder(path, follow_links)
    files = (Path(parent, name) for parent, names in walk.folders() for name in sorted(names) if name[0] != ".")
    return [file for file in files if walk.may_read(file) and file.is_file()], walk.left_out


def _text_files(path: Path, follow_links: bool, notes: Notes) -> list[Path]:
    """The text files in order of their paths; hidden ones are skipped, others counted in a note."""
    texts: list[Path] = []
    others: Counter[str] = Counter()
    walk = LinkedFolder(path, follow_links)
    for parent, names in walk.folders():
        for file in (Path(parent, name) for name in sorted(names) if not name.startswith(".")):
            ending = file_ending(file)
            if not walk.may_read(file):
                continue
            if ending in TEXT_ENDINGS and file.is_file():
                texts.append(file)
            elif file.stem != METADATA:
                others[ending] += 1
    endings = ", ".join(ending for ending, _ in others.most_common(5))
    left = f"{walk.left_out:,} links out of it were not followed; follow them with follow_links=True"
    if not texts and walk.left_out:
        raise ValueError(f"there are no text files (.txt, .md) in the folder {path.name!r}: {left}.")
    if walk.left_out:
        notes.say(f"{path.name}: {left}")
    if not texts:
        held = f"it holds {others.total():,} other files ({endings}); pass one of them" if others else "it is empty"
        raise ValueError(
            f"there are no text files (.txt, .md) and no tables (.csv, .jsonl, .parquet) in the folder {path.name!r}: "
            f"{held}."
        )
    if others:
        notes.say(f"{others.total():,} files in {path.name} were skipped because of their endings ({endings})")
    return texts


def file_ending(file: Path) -> str:
    """The ending before that of the compression: that of letter.txt.gz is .txt."""
    return (file.with_suffix("") if file.suffix.lower() in COMPRESSED else file).suffix.lower()


def _rows(
    paths: Mapping[str, Path], encoding: str | None, listed: FileTable | None, name_date: NameDate, notes: Notes
) -> Rows:
    said = {encoding, *UNICODE}
    for name, path in paths.items():
        try:
            text, found = _read(path, encoding)
        except (OSError, ValueError) as error:
            yield Bad(f"file {name}", "unreadable file", str(error))
            continue
        if found not in said:
            notes.say(f"not all files are UTF-8; {name} was read as {found}, and so may be others")
            said.add(found)
        head, text = split_front_matter(text)
        known = listed.fields_of(name) if listed else {}
        yield Row(f"file {name}", {"text": text, "id": name} | _dated(name, known, head, name_date))


def _dated(name: str, known: Mapping[str, Any], head: Mapping[str, str], name_date: NameDate) -> dict[str, Any]:
    """The time of a file, where it was found, and what else the table and its first lines say."""
    path = PurePosixPath(name)
    in_name = name_date(path.name.removesuffix(path.suffix if path.suffix in TEXT_ENDINGS else ""))
    in_folders = name_date("-".join(path.parts[:-1]))
    if in_folders and in_name and len(in_name) == 4:  # in 1987/2001.txt the second is a number, not a year
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


def _read(path: Path, encoding: str | None) -> Decoded:
    """The text of one file."""
    with decompressed(path) as file:
        data = file.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise ValueError(f"it holds more than {_LARGEST // 2**20} MB")
    if encoding:
        return Decoded(data.decode(encoding), encoding)
    if is_binary(data[:4096]):
        raise ValueError("it is a binary file")
    return decode(data)
