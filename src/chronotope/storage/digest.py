"""Digests: a few characters by which a change of content is seen."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any

import numpy as np

PIECE = 1 << 20  # numbers of an array digested at a time


def seal(content: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> str:
    """A digest of the content of a file, to detect any change since it was written."""
    found = sha256(json.dumps(content, sort_keys=True).encode())
    for name in sorted(arrays):
        found.update(f"{name} {arrays[name].shape} ".encode())
        values = arrays[name].ravel()
        for start in range(0, len(values), PIECE):
            found.update(np.ascontiguousarray(values[start : start + PIECE]).tobytes())
    return found.hexdigest()


def as_json(content: dict[str, Any], default: Callable[[Any], Any] | None = None) -> dict[str, Any]:
    """The content as it will be read back;  default : makes JSON values of others."""
    same: dict[str, Any] = json.loads(json.dumps(content, default=default))
    return same
