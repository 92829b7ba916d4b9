"""Digests: a few characters by which a change of content is seen, and the JSON that they seal."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any

import numpy as np

from chronotope._typing import PathLike
from chronotope.storage.pages import PIECE, byte_pieces

SEAL = "sha256"  # the entry of a header that seals the others, and the arrays that belong to them


def sealed(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray] | None = None) -> dict[str, Any]:
    """The header with a seal, by which `check_seal` detects any change of header and arrays."""
    return {**header, SEAL: _digest(header, arrays or {})}


def check_seal(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray] | None = None, needed: bool = True) -> None:
    """Refuse a header and arrays that are not those which were sealed.   needed : whether there must be a seal."""
    if not needed and SEAL not in header:
        return
    content = {name: value for name, value in header.items() if name != SEAL}
    if header.get(SEAL) != _digest(content, arrays or {}):
        raise ValueError("its content has changed since it was written")


def file_digest(path: PathLike) -> str:
    """SHA-256 of the content of a file, in hexadecimal."""
    found = sha256()
    with open(path, "rb") as file:
        while piece := file.read(PIECE):
            found.update(piece)
    return found.hexdigest()


def as_json(content: dict[str, Any], default: Callable[[Any], Any] | None = None) -> dict[str, Any]:
    """The content as it will be read back;  default : makes JSON values of others."""
    same: dict[str, Any] = json.loads(json.dumps(content, default=default))
    return same


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text; ValueError if it is none, is nested too deeply, or gives an entry twice."""
    try:
        return json.loads(text, object_pairs_hook=_table)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("it gives an entry twice")
    return found


def _digest(content: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> str:
    found = sha256(json.dumps(content, sort_keys=True).encode())
    for name in sorted(arrays):
        array = arrays[name]
        found.update(f"{name} {array.shape} {array.dtype.name} ".encode())
        for piece in byte_pieces(array):
            found.update(piece)
    return found.hexdigest()
