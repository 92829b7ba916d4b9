"""JSON: one object per line, an array of objects, or an object that holds one list of objects."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from chronotope.readers.encodings import storable
from chronotope.readers.open import COMPRESSED
from chronotope.readers.rows import Bad, Notes, Row, Rows, Source
from chronotope.readers.textfile import TextFile

_LONGEST = 512 * 2**20  # characters of one document, which is read into memory
_MOST_DIGITS = 300  # of a whole number; Python refuses to read some thousands
_HALF = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")  # an escape of half a character, or half a character
_DEEPEST = 100  # levels of lists and objects
_LINES = frozenset({".jsonl", ".ndjson"})  # endings that promise one object per line


def json_source(path: Path, encoding: str | None = None, max_ratio: float | None = None) -> Source:
    """The objects of a file of JSON lines, one at a time, or of one JSON document, which is kept in memory."""
    notes = Notes()
    lines = TextFile(path, encoding, max_ratio, notes.say)
    first = _first_lines(lines)
    if not first:
        raise ValueError(f"{path.name} is empty; expected one JSON object per line.")
    objects = _document_objects(path, lines, first, notes)
    if objects is None:
        return Source(path.name, "JSON lines", partial(_line_rows, lines), notes=notes)
    return Source(path.name, "JSON array", partial(_object_rows, objects), notes=notes)


def _document_objects(path: Path, lines: TextFile, first: list[str], notes: Notes) -> list[Any] | None:
    """The objects of a file that is one JSON document; None if it is JSON lines."""
    must_be = first[0].startswith("[") or first[0] == "{"
    if not (must_be or _may_be_document(path, first)):
        return None
    try:
        document = _load(_whole(lines, path.name))
    except ValueError as error:
        if not must_be:
            return None
        raise ValueError(
            f"{path.name} is not valid JSON ({error}); expected an array of objects, or one object per line."
        ) from None
    if len(first) == 1 and isinstance(document, dict) and not _lists(document):
        return None  # one object on one line
    objects = document if isinstance(document, list) else _only_list(document, path.name, notes)
    if not any(isinstance(value, dict) for value in objects):
        raise ValueError(f"{path.name} is a JSON array without objects; expected one object per document.")
    return objects


def _first_lines(lines: Iterable[str]) -> list[str]:
    """The first two lines that are not blank, or as many as there are."""
    found: list[str] = []
    for line in lines:
        if line.strip():
            found.append(line.strip())
        if len(found) == 2:
            break
    return found


def _may_be_document(path: Path, first: list[str]) -> bool:
    """Whether the first line is all there is, or is not an object of its own, and the ending is not that of lines."""
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in COMPRESSED]
    if not first[0].startswith("{") or (suffixes and suffixes[-1] in _LINES):
        return False
    return len(first) == 1 or not _is_json(first[0])


def _is_json(line: str) -> bool:
    try:
        _load(line)
    except ValueError:
        return False
    return True


def _load(text: str) -> Any:
    """The value of a JSON text, halves of characters replaced; nesting that is too deep is an error like any other."""
    try:
        value = json.loads(text, parse_int=_whole_number)
        return storable(value) if _HALF.search(text) else value
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} on line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _whole_number(digits: str) -> float:
    """A whole number; infinity if it is larger than any time can be, as 1e999 is."""
    return int(digits) if len(digits) <= _MOST_DIGITS else float(digits)


def _whole(lines: Iterable[str], name: str) -> str:
    """The whole text, of bounded length."""
    parts: list[str] = []
    length = 0
    for line in lines:
        parts.append(line)
        length += len(line)
        if length > _LONGEST:
            raise ValueError(f"it holds more than {_LONGEST:,} characters; convert it: jq -c '.[]' {name}")
    return "".join(parts)


def _lists(document: Any) -> list[str]:
    """The keys of an object whose values are lists of objects."""
    entries = document.items() if isinstance(document, dict) else ()
    return [
        key for key, value in entries if isinstance(value, list) and any(isinstance(entry, dict) for entry in value)
    ]


def _only_list(document: Any, name: str, notes: Notes) -> list[Any]:
    """The one list of objects in an object."""
    keys = _lists(document)
    if len(keys) != 1:
        found = f"{len(keys)} lists of objects ({', '.join(map(repr, keys[:5]))})" if keys else "no list of objects"
        raise ValueError(
            f"{name} is one JSON object with {found}; expected one. Convert it: "
            f"jq -c '.{keys[0] if keys else ''}{'[]' if keys else ''}' {name} > texts.jsonl."
        )
    notes.say(f"the objects are in the list {keys[0]!r} of {name}")
    objects: list[Any] = document[keys[0]]
    return objects


def _object_rows(objects: list[Any]) -> Rows:
    for number, value in enumerate(objects, start=1):
        yield _row(f"object {number}", value, value)


def _line_rows(lines: Iterable[str]) -> Rows:
    """The objects of lines; blank lines are skipped."""
    for number, line in _filled(lines):
        try:
            value = _load(line)
        except ValueError:
            yield Bad(f"line {number}", "broken JSON", line)
        else:
            yield _row(f"line {number}", value, line)


def _row(place: str, value: Any, shown: Any) -> Row | Bad:
    if _is_deep(value):
        return Bad(place, "nested too deeply")
    return Row(place, value) if isinstance(value, dict) else Bad(place, "not a JSON object", str(shown))


def _is_deep(value: Any) -> bool:
    """Whether lists and objects are nested deeper than what is made of them later can follow."""
    level = [value]
    for _ in range(_DEEPEST):
        inner = [
            entry.values() if isinstance(entry, dict) else entry for entry in level if isinstance(entry, dict | list)
        ]
        if not inner:
            return False
        level = [entry for entries in inner for entry in entries]
    return True


def _filled(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in enumerate(lines, start=1) if line.strip())
