"""Mailboxes in the mbox format: the plain text of every message at its date."""

from __future__ import annotations

import email
from collections.abc import Iterator
from email.header import decode_header, make_header
from email.message import Message
from email.utils import parsedate_to_datetime
from functools import partial
from pathlib import Path
from typing import IO, Any

from chronotope.readers.encodings import decode
from chronotope.readers.open import decompressed
from chronotope.readers.rows import Bad, Row, Rows, Source
from chronotope.text.tokenize import page_text

_LARGEST = 64 * 2**20  # bytes of one message


def mbox_source(path: Path, max_ratio: float | None = None) -> Source:
    """The messages of an mbox file, in its order; attachments are skipped."""
    with decompressed(path, max_ratio) as file:
        start = file.peek(5)[:5]
    if start != b"From ":
        what = "is empty" if not start else "is not an mbox file"
        raise ValueError(f'{path.name} {what}; expected messages that each start with a line "From ...".')
    return Source(path.name, "mailbox", partial(_rows, path, max_ratio), {"text": "text", "time": "time", "id": "id"})


def _rows(path: Path, max_ratio: float | None) -> Rows:
    with decompressed(path, max_ratio) as file:
        for number, data in enumerate(_messages(file), start=1):
            place = f"message {number}"
            if len(data) > _LARGEST:
                yield Bad(place, f"message over {_LARGEST // 2**20} MB")
                continue
            try:
                yield Row(place, _fields(email.message_from_bytes(data), place))
            except RecursionError:
                yield Bad(place, "parts nested too deeply")


def _fields(message: Message[Any, Any], place: str) -> dict[str, Any]:
    fields = {"text": body(message), "time": _date(message), "subject": _header(message, "Subject")}
    return fields | {"from": _header(message, "From"), "id": _header(message, "Message-ID") or place}


def _messages(file: IO[bytes]) -> Iterator[bytes]:
    """The bytes of each message: a line that starts with "From " after a blank line begins the next."""
    lines: list[bytes] = []
    size, blank = 0, True
    for line in iter(partial(file.readline, 2**20), b""):
        if blank and line.startswith(b"From "):
            if lines:
                yield b"".join(lines)
            lines, size = [], 0
        elif size <= _LARGEST:  # the rest of a message that is too large is not kept
            lines.append(line)
            size += len(line)
        blank = line in (b"\n", b"\r\n")
    if lines:
        yield b"".join(lines)


def body(message: Message[Any, Any]) -> str:
    """The plain text of a message; if there is none, its HTML without the tags."""
    parts = [part for part in message.walk() if not part.is_multipart() and part.get_filename() is None]
    for kind in ("text/plain", "text/html"):
        texts = [_text(part) for part in parts if part.get_content_type() == kind]
        if any(text.strip() for text in texts):
            return "\n\n".join(page_text(text) if kind == "text/html" else text for text in texts).strip()
    return ""


def _text(part: Message[Any, Any]) -> str:
    """The text of one part in its own character set, or in the one found."""
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes):
        return ""
    try:
        return data.decode(part.get_content_charset() or "utf-8")
    except (LookupError, ValueError):
        return decode(data).text


def _date(message: Message[Any, Any]) -> str | None:
    """The date of a message in ISO form, or as it is written if it cannot be read."""
    written = message.get("Date")
    if written is None:
        return None
    try:
        return parsedate_to_datetime(str(written)).isoformat()
    except (TypeError, ValueError, IndexError, ArithmeticError):
        return str(written)


def _header(message: Message[Any, Any], name: str) -> str:
    """A header as readable text."""
    value = message.get(name)
    try:
        return str(make_header(decode_header(value))) if value is not None else ""
    except (LookupError, ValueError):
        return str(value)
