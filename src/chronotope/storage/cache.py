"""What is kept beside a model so that the next command need not compute it again; safe to delete at any time.

`model.ct.cache` has a folder for each of the latest corpora, with a file for each part that is kept. A part is sealed
by a digest of everything that decides it. Files are written atomically, and nothing in them is ever executed.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from chronotope._typing import PathLike
from chronotope.storage.atomic import replacing
from chronotope.storage.digest import as_json, parse_json
from chronotope.storage.fingerprints import NONE, Fingerprints, take_fingerprints
from chronotope.storage.tensors import Arrays, Header, Kind, damaged, read_header, read_tensors, write_tensors

CACHE = Kind("cache", "chronotope cache", 2, "a command that reads documents for a saved model", also=(1,), sealed=2)
KEPT = 3  # corpora of a model, the latest
INDEX, PART = "index.json", ".part"
_NAME = re.compile(r"[0-9a-f]{16}")


def cache_path(model: PathLike) -> Path:
    """The folder beside a model file, `model.ct.cache`."""
    path = Path(model)
    return path.with_name(f"{path.name}.cache")


class Slot:
    """Room for what is kept of one corpus beside a model.

    model : path of the model file, which is one of the files that decide
    source : JSON, which corpus it is, and how it is read;  name : of the corpus, for people
    others : JSON, all else that decides, such as versions
    files : the files that decide, by name

    seal : digest of all of that; a part with another seal is not used, and is replaced when it is written
    """

    def __init__(
        self, model: PathLike, source: Header, name: str, others: Header, files: Mapping[str, Path] | None = None
    ) -> None:
        self.model, self.name = Path(model), name
        self.files = {"model": self.model, **(files or {})}
        self.folder = cache_path(model) / _digest(source)[:16]
        before = self._known()
        self.fingerprints = take_fingerprints(self.files, before)
        self._settled = self.fingerprints == before
        self.seal = _digest({"source": source, "others": others, "files": self.fingerprints.digests})

    def read(self, part: str, arguments: Header | None = None) -> tuple[Header, Arrays] | None:
        """Header and arrays of a part; None if there is none of this seal and these arguments. Damage is a ValueError.

        arguments : JSON, what else was asked for
        """
        path = self._path(part)
        if not path.exists():
            return None
        for folder in (self.folder.parent, self.folder):
            _refuse_foreign(folder, self.model)
        header, arrays = read_tensors(path, CACHE)
        content = header.get("content")
        if header.get("seal") != self.seal or header.get("arguments") != as_json(arguments or {}):
            return None
        if not isinstance(content, dict):
            raise damaged(path, CACHE, "its content is not a table")
        if not self._settled:
            self._write_index()
        with suppress(OSError):
            os.utime(self.folder / INDEX)  # the latest corpora are kept
        return content, arrays

    def write(self, part: str, content: Header, arrays: Arrays, arguments: Header | None = None) -> bool:
        """Keep a part; returns whether it was, which it is not if a file changed meanwhile. Failure is an OSError."""
        if not self.fingerprints.still_hold(self.files):
            return False
        _make_private(self.folder, self.model)
        header = {"seal": self.seal, "arguments": as_json(arguments or {}), "content": as_json(content)}
        path = self._path(part)
        write_tensors(path, CACHE, header, arrays)
        os.chmod(path, _mode(self.model))
        self._write_index()
        self._drop_others()
        _drop_oldest(self.folder.parent)
        return True

    def _drop_others(self) -> None:
        """Remove parts with another seal: nobody will use them, and they may hold texts."""
        for path in self.folder.glob(f"*{PART}"):
            try:
                stale = read_header(path, CACHE).get("seal") != self.seal
            except (ValueError, OSError):
                stale = True
            if stale:
                path.unlink(missing_ok=True)

    def _path(self, part: str) -> Path:
        return self.folder / f"{part}{PART}"

    def _known(self) -> Fingerprints:
        """The fingerprints that were taken before, none if they cannot be read."""
        try:
            return Fingerprints.from_json(parse_json((self.folder / INDEX).read_bytes())["fingerprints"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return NONE

    def _write_index(self) -> None:
        with suppress(OSError), replacing(self.folder / INDEX) as temporary:
            about = {"name": self.name, "fingerprints": self.fingerprints.to_json()}
            temporary.write_text(json.dumps(about), encoding="utf-8")
        with suppress(OSError):
            os.chmod(self.folder / INDEX, _mode(self.model))


class CacheContent(NamedTuple):
    """What is kept beside a model.   path : of the folder;  names : of the corpora, latest first;  bytes : total."""

    path: Path
    names: list[str]
    bytes: int


def kept_beside(model: PathLike) -> CacheContent | None:
    """What is kept beside a model; None if nothing is."""
    folder = cache_path(model)
    slots = _slots(folder)
    if not slots:
        return None
    return CacheContent(folder, [_name_of(slot) for slot in slots], sum(map(_bytes_of, slots)))


def forget_kept(model: PathLike) -> None:
    """Remove what is kept beside a model, as after another fit; anything else in the folder is left alone."""
    folder = cache_path(model)
    for slot in _slots(folder):
        shutil.rmtree(slot, ignore_errors=True)
    with suppress(OSError):
        folder.rmdir()


def _slots(folder: Path) -> list[Path]:
    """The folders of corpora, the latest first."""
    try:
        found = [path for path in folder.iterdir() if _NAME.fullmatch(path.name) and (path / INDEX).is_file()]
        return sorted(found, key=lambda path: (path / INDEX).stat().st_mtime_ns, reverse=True)
    except OSError:
        return []


def _bytes_of(slot: Path) -> int:
    """Bytes of the files in a folder, 0 if another process removes it meanwhile."""
    try:
        return sum(file.stat().st_size for file in slot.rglob("*") if file.is_file())
    except OSError:
        return 0


def _drop_oldest(folder: Path) -> None:
    for slot in _slots(folder)[KEPT:]:
        shutil.rmtree(slot, ignore_errors=True)


def _name_of(slot: Path) -> str:
    try:
        return str(parse_json((slot / INDEX).read_bytes())["name"])
    except (OSError, ValueError, KeyError, TypeError):
        return "unknown"


def _digest(content: Any) -> str:
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _mode(model: Path) -> int:
    """Permissions of the model file: what it may not show, its texts may not."""
    return model.stat().st_mode & 0o666


def _make_private(folder: Path, model: Path) -> None:
    """The folder and the one above it, open to those who may read the model."""
    mode = _mode(model)
    for each in (folder.parent, folder):
        with suppress(FileExistsError):
            each.mkdir(mode=0o700)
        _refuse_foreign(each, model)
        os.chmod(each, mode | (mode & 0o444) >> 2 | 0o700)


def _refuse_foreign(folder: Path, model: Path) -> None:
    """Refuse a folder that belongs neither to the user nor to the owner of the model."""
    if hasattr(os, "getuid") and folder.lstat().st_uid not in (os.getuid(), model.stat().st_uid):
        raise PermissionError(f"{str(folder)!r} belongs to another user.")
