"""What a result depends on, in a few characters: the same fingerprints, the same result."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from chronotope.corpus.corpus import Corpus
from chronotope.corpus.counts import blocks

PIECE = 1 << 20  # numbers of an array looked at together


def fingerprint(corpus: Corpus) -> str:
    """A digest of counts, times and words: two corpora have the same if a model cannot tell them apart."""
    found = sha256()
    _add(found, np.concatenate([[0], np.cumsum(corpus.stored.sizes)]), np.int64)
    for name in ("indices", "data"):
        for _, counts in blocks(corpus.stored):
            _add(found, getattr(counts, name), np.int64)
    _add(found, corpus.times, np.float64)
    found.update(json.dumps([corpus.vocabulary.tolist(), corpus.calendar]).encode())
    return found.hexdigest()


def seal(content: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> str:
    """A digest of what a file holds, by which it is seen whether anything in it has changed since."""
    found = sha256(json.dumps(content, sort_keys=True).encode())
    for name in sorted(arrays):
        found.update(f"{name} {arrays[name].shape} ".encode())
        _add(found, arrays[name].ravel(), arrays[name].dtype)
    return found.hexdigest()


def as_json(content: dict[str, Any], default: Callable[[Any], Any] | None = None) -> dict[str, Any]:
    """The content as it will be read back;  default : makes JSON values of others."""
    same: dict[str, Any] = json.loads(json.dumps(content, default=default))
    return same


def _add(found: Any, array: np.ndarray, dtype: DTypeLike) -> None:
    for start in range(0, len(array), PIECE):
        found.update(np.ascontiguousarray(array[start : start + PIECE], dtype=dtype).tobytes())
