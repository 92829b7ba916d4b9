"""Arrays and a JSON header in one safetensors file, sealed by a digest. Reading it never executes code."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from safetensors import SafetensorError, safe_open

from chronotope._typing import PathLike
from chronotope._version import __version__
from chronotope.storage.atomic import replacing
from chronotope.storage.digest import check_seal, parse_json, sealed
from chronotope.storage.pages import byte_pieces

Arrays = dict[str, np.ndarray]
Header = dict[str, Any]

LONGEST = 100_000_000  # bytes of the header that a reader of safetensors accepts
TYPES = {"bool": "BOOL", "float16": "F16", "float32": "F32", "float64": "F64"}
TYPES |= {f"{kind}int{bits}": f"{kind.upper() or 'I'}{bits}" for kind in ("", "u") for bits in (8, 16, 32, 64)}
UNREADABLE = (SafetensorError, OSError, KeyError, TypeError, ValueError, AttributeError, OverflowError, MemoryError)


class Kind(NamedTuple):
    """Kind of a file.

    name, writer : in messages;  key : of its header;  format, also : numbers written, and read
    sealed : the first format with a digest
    """

    name: str
    key: str
    format: int
    writer: str
    also: tuple[int, ...] = ()
    sealed: int = 1


def write_tensors(path: PathLike, kind: Kind, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Write arrays and header, with format, version and digest added, atomically and one array after the other."""
    tensors = {name: _little_endian(array) for name, array in arrays.items()}
    text = _text(sealed({"format": kind.format, "version": __version__, **header}, tensors))
    names = sorted(tensors, key=lambda name: (-tensors[name].itemsize, name))  # aligned, and in the same order always
    head = _layout({kind.key: text}, {name: tensors[name] for name in names})
    if len(head) > LONGEST:
        raise ValueError(f"{os.fspath(path)!r} is not written: its header, with all words, has {len(head):,} bytes.")
    with replacing(path) as temporary, open(temporary, "wb") as file:
        file.write(len(head).to_bytes(8, "little"))
        file.write(head)
        for name in names:
            file.writelines(byte_pieces(tensors[name]))


def read_header(path: PathLike, kind: Kind) -> Header:
    """Read the header only; the digest is not checked."""
    with _opened(path, kind) as (_, header):
        return header


def read_tensors(path: PathLike, kind: Kind) -> tuple[Header, Arrays]:
    """Read header and arrays; a file that has changed since it was written is refused."""
    with _opened(path, kind) as (file, header):
        try:
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            check_seal(header, arrays, needed=header["format"] >= kind.sealed)
        except UNREADABLE as error:
            raise damaged(path, kind, str(error)) from None
        return header, arrays


def damaged(path: PathLike, kind: Kind, why: str) -> ValueError:
    """The error for a file that cannot be read as its kind.   why : the reason."""
    return ValueError(
        f"{os.fspath(path)!r} cannot be read as a {kind.name} ({why}); the file is damaged or of another kind."
    )


@contextmanager
def _opened(path: PathLike, kind: Kind) -> Iterator[tuple[Any, Header]]:
    """The open file and its header; a file that cannot be read becomes a ValueError with a clear message."""
    name = os.fspath(path)
    if not os.path.exists(name):
        raise FileNotFoundError(f"there is no file {name!r}; check the path.")
    try:
        opened: Any = safe_open(name, framework="numpy")
        text = (opened.metadata() or {}).get(kind.key)
    except UNREADABLE as error:
        raise damaged(path, kind, str(error)) from None
    with opened as file:
        if text is None:
            raise ValueError(f"{name!r} is not a Chronotope {kind.name}; pass a file written by {kind.writer}.")
        yield file, _header(text, name, kind)


def _header(text: str, name: str, kind: Kind) -> Header:
    try:
        header = parse_json(text)
    except ValueError as error:
        raise damaged(name, kind, f"its header is not JSON: {error}") from None
    if not isinstance(header, dict):
        raise damaged(name, kind, "its header is not a table")
    if header.get("format") not in (kind.format, *kind.also):
        raise ValueError(
            f"{name!r} has format {header.get('format')!r} of Chronotope {header.get('version')}; "
            f"this is {__version__}, which reads format {kind.format}. Install that version to read it."
        )
    return header


def _text(header: Header) -> str:
    """The header as JSON; halves of characters, which UTF-8 cannot hold, are escaped."""
    text = json.dumps(header, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(header)
    return text


def _layout(metadata: dict[str, str], tensors: Arrays) -> bytes:
    """The header of the format, with types, shapes and places of the arrays; padded to whole words of 8 bytes."""
    layout: dict[str, Any] = {"__metadata__": metadata}
    start = 0
    for name, array in tensors.items():
        end = start + array.nbytes
        layout[name] = {"dtype": TYPES[array.dtype.name], "shape": list(array.shape), "data_offsets": [start, end]}
        start = end
    head = json.dumps(layout, ensure_ascii=False, separators=(",", ":")).encode()
    return head + b" " * (-len(head) % 8)


def _little_endian(array: np.ndarray) -> np.ndarray:
    """The array as it is written, row by row; refused if the format has no such numbers."""
    if array.dtype.name not in TYPES:
        raise ValueError(f"numbers of type {array.dtype} cannot be written.")
    return np.require(array, array.dtype.newbyteorder("<"), "C")
