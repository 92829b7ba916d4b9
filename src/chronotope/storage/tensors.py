"""Arrays and a JSON header in one safetensors file. Reading it never executes code."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from chronotope._typing import PathLike
from chronotope._version import __version__
from chronotope.storage.atomic import replacing

Arrays = dict[str, np.ndarray]
Header = dict[str, Any]


class Kind(NamedTuple):
    """Kind of a file.   name, writer : in messages;  key : of its header;  format, also : numbers written, and read."""

    name: str
    key: str
    format: int
    writer: str
    also: tuple[int, ...] = ()


def write_tensors(path: PathLike, kind: Kind, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Write arrays and header, with format and version added, atomically."""
    full = {"format": kind.format, "version": __version__, **header}
    tensors = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    try:
        with replacing(path) as temporary:
            save_file(tensors, temporary, metadata={kind.key: json.dumps(full, ensure_ascii=False)})
    except SafetensorError as error:
        raise OSError(f"{os.fspath(path)!r} could not be written ({error}).") from None


def read_header(path: PathLike, kind: Kind) -> Header:
    """Read the header only."""
    with _opened(path, kind) as (_, header):
        return header


def read_tensors(path: PathLike, kind: Kind, names: Iterable[str] | None = None) -> tuple[Header, Arrays]:
    """Read header and arrays.   names : of the arrays, None for all."""
    with _opened(path, kind) as (file, header):
        return header, {name: file.get_tensor(name) for name in names or file.keys()}


@contextmanager
def _opened(path: PathLike, kind: Kind) -> Iterator[tuple[Any, Header]]:
    """The open file and its header; errors while reading become a ValueError with a clear message."""
    name = os.fspath(path)
    if not os.path.exists(name):
        raise FileNotFoundError(f"there is no file {name!r}; check the path.")
    try:
        with safe_open(name, framework="numpy") as file:
            text = (file.metadata() or {}).get(kind.key)
            if text is None:
                raise ValueError(f"{name!r} is not a Chronotope {kind.name}; pass a file written by {kind.writer}.")
            yield file, _header(text, name, kind)
    except (SafetensorError, OSError, KeyError) as error:
        raise damaged(path, kind, str(error)) from None


def _header(text: str, name: str, kind: Kind) -> Header:
    try:
        header = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise damaged(name, kind, f"its header is not JSON, {type(error).__name__}") from None
    if not isinstance(header, dict):
        raise damaged(name, kind, "its header is not a table")
    if header.get("format") not in (kind.format, *kind.also):
        raise ValueError(
            f"{name!r} has format {header.get('format')!r} of Chronotope {header.get('version')}; "
            f"this is {__version__}, which reads format {kind.format}. Install that version to read it."
        )
    return header


def damaged(path: PathLike, kind: Kind, why: str) -> ValueError:
    """The error for a file that cannot be read as its kind.   why : the reason."""
    return ValueError(
        f"{os.fspath(path)!r} cannot be read as a {kind.name} ({why}); the file is damaged or of another kind."
    )
