"""Fingerprints of files: digests of their content, taken again only if a file may have changed."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from chronotope._typing import PathLike
from chronotope.storage.digest import file_digest

RECENT = 10.0  # seconds after a change in which another could leave size and date as they are

State = tuple[int, int, int, int]


def state_of(path: PathLike) -> State:
    """Size, date of the content, date of any change, and number of a file; nobody sets the third at will."""
    found = os.stat(path)
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


class Fingerprints(NamedTuple):
    """Of some files by name: their states, the digests of their content, and when these were taken.

    taken : seconds since 1970, before the first file was read
    """

    states: dict[str, State]
    digests: dict[str, str]
    taken: float

    def to_json(self) -> dict[str, Any]:
        """As JSON has it."""
        return self._asdict()

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Fingerprints:
        """What `to_json` gave; invalid content is an error of type, key or value."""
        states = {str(name): _state(state) for name, state in given["states"].items()}
        return cls(states, {str(name): str(digest) for name, digest in given["digests"].items()}, float(given["taken"]))

    def still_hold(self, files: Mapping[str, Path]) -> bool:
        """Whether no file has been touched since."""
        try:
            return self.states == {name: state_of(path) for name, path in files.items()}
        except OSError:
            return False

    def settled(self, name: str, state: State) -> bool:
        """Whether a file in this state has the content that was digested: untouched, and not just before either."""
        latest = max(state[1], state[2]) / 1e9
        return self.states.get(name) == state and name in self.digests and latest < self.taken - RECENT


NONE = Fingerprints({}, {}, 0.0)


def take_fingerprints(files: Mapping[str, Path], before: Fingerprints = NONE) -> Fingerprints:
    """The fingerprints of files by name.

    before : those of an earlier time; a file is not read again if size, dates and number are those of then, and the
        dates were not recent then
    """
    taken = time.time()
    states = {name: state_of(path) for name, path in files.items()}
    settled = {name: before.settled(name, state) for name, state in states.items()}
    digests = {name: before.digests[name] if settled[name] else file_digest(path) for name, path in files.items()}
    return Fingerprints(states, digests, before.taken if settled and all(settled.values()) else taken)


def _state(given: Any) -> State:
    size, modified, changed, number = (int(value) for value in given)
    return size, modified, changed, number
