"""What every reader gives: rows one at a time, a reason for those that cannot be used, and notes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from chronotope.readers.encodings import storable

_EXAMPLES = 3  # of each reason
_SHOWN = 40  # characters of a value
SPREADSHEET = "spreadsheet"  # the kind of a source whose dates may be numbers


class Row(NamedTuple):
    """One row: its place, such as "line 12", and its values by column."""

    place: str
    fields: dict[str, Any]


class Bad(NamedTuple):
    """A row that cannot be used, and why."""

    place: str
    reason: str
    shown: str = ""


Rows = Generator[Row | Bad, None, None]


class Notes(list[str]):
    """What was decided on the way, one sentence each."""

    def say(self, note: str) -> None:
        """Add a sentence, unless it is there."""
        note = storable(note)
        if note not in self:
            self.append(note)


@dataclass(frozen=True)
class Source:
    """Rows of a file, a folder, a repository or a table; every call of `rows()` starts from the beginning.

    name, kind : for messages;  rows : gives the rows
    roles : the columns of text, time and id, if the format defines them; others are guessed
    notes : what was decided, one sentence each
    shards : parts that other processes can read, in their order, if there are any
    columns : names of the columns, if they are known without reading a row
    """

    name: str
    kind: str
    rows: Callable[[], Rows]
    roles: Mapping[str, str] = field(default_factory=dict)
    notes: Notes = field(default_factory=Notes)
    shards: tuple[Shard, ...] = ()
    columns: frozenset[str] = frozenset()


class Shard(NamedTuple):
    """A part of a source that can be read by itself: its name, "" if it is all of it, and what opens it."""

    name: str
    open: Callable[[], Source]

    def rows(self, notes: Notes) -> Rows:
        """Its rows, whose places begin with its name; its notes are added to the others at the end."""
        source = self.open()
        with closing(source.rows()) as rows:
            for row in rows:
                yield row._replace(place=f"{self.name}, {row.place}") if self.name else row
        for note in source.notes:
            notes.say(note)


def check_shards(source: Source, limit: int | None, folder: object) -> None:
    """Refuse a source that workers cannot read."""
    if folder is None:
        raise ValueError("engine= builds a corpus in a folder, but none is given; pass folder= too, or no engine=.")
    if limit is not None:
        raise ValueError(
            f"limit={limit} draws records from the whole source, which workers cannot do; read it without engine=, or "
            "pass no limit=."
        )
    if not source.shards:
        raise ValueError(
            f"{source.name} ({source.kind}) is not a file that workers can read; pass paths, or no engine=."
        )


class Dropped:
    """Rows that were dropped, counted by reason, the first few of each with their place; `print(dropped)` shows them.

    counts : number of rows by reason;  examples : places by reason
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.examples: defaultdict[str, list[str]] = defaultdict(list)

    def add(self, bad: Bad) -> None:
        """Count one row."""
        self.counts[bad.reason] += 1
        if len(self.examples[bad.reason]) < _EXAMPLES:
            self.examples[bad.reason].append(bad.place + (f" {shorten(bad.shown)!r}" if bad.shown else ""))

    def add_all(self, later: Dropped) -> None:
        """Count those that were dropped after these."""
        for reason, n in later.counts.items():
            self.counts[reason] += n
            self.examples[reason] = [*self.examples[reason], *later.examples[reason]][:_EXAMPLES]

    @property
    def total(self) -> int:
        """Number of all dropped rows."""
        return self.counts.total()

    def __str__(self) -> str:
        return "; ".join(
            f"{n:,} × {reason} ({', '.join(self.examples[reason])}{', ...' if n > len(self.examples[reason]) else ''})"
            for reason, n in self.counts.most_common()
        )


def shorten(value: Any) -> str:
    """A value on one line, cut to a readable length."""
    text = " ".join(str(value)[: 4 * _SHOWN].split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
