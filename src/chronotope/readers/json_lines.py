"""JSON lines: one object a line, its keys the columns."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from chronotope.readers.opening import text_lines
from chronotope.readers.rows import Bad, Notes, Row, Rows, Source


def json_lines(path: Path, encoding: str | None = None, max_ratio: float | None = None) -> Source:
    """The objects of a file of JSON lines; blank lines are no rows."""
    notes = Notes()
    lines = partial(text_lines, path, encoding, max_ratio, notes.say)
    first = next((line.strip() for line in lines() if line.strip()), "")
    if not first:
        raise ValueError(f"{path.name} is empty; expected one JSON object per line.")
    if first.startswith("[") or first == "{":
        command = "jq -c '.[]'" if first.startswith("[") else "jq -c ."
        raise ValueError(
            f"{path.name} is one JSON document over many lines; expected one object per line. "
            f"Convert it: {command} {path.name} > texts.jsonl."
        )
    return Source(path.name, "JSON lines", partial(_rows, lines), notes=notes)


def _rows(lines: Callable[[], Iterator[str]]) -> Rows:
    for number, line in enumerate(lines(), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            yield Bad(f"line {number}", "broken JSON", line)
            continue
        if isinstance(value, dict):
            yield Row(f"line {number}", value)
        else:
            yield Bad(f"line {number}", "no JSON object", line)
