"""Text files, compressed or not and in whatever encoding, one line at a time in bounded memory."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from chronotope.readers.encodings import HEAD, check_encoding, decode_line, find_encoding, is_binary, reads_by_line
from chronotope.readers.open import decompressed

_LONGEST_LINE = 64 * 2**20  # characters
_ESCAPED = re.compile("[\udc80-\udcff]")  # bytes that are not UTF-8, as `surrogateescape` marks them


class TextFile:
    """The lines of a text file with their ends, one at a time; every loop reads the file again.

    path : of the file, compressed or not
    encoding : as Python calls it; None to find it, see `find_encoding`
    max_ratio : see `decompressed`;  say : called with a sentence if the text is not UTF-8
    """

    def __init__(
        self,
        path: Path,
        encoding: str | None = None,
        max_ratio: float | None = None,
        say: Callable[[str], None] = lambda note: None,
    ) -> None:
        check_encoding(encoding)
        self.path, self.max_ratio, self.say = path, max_ratio, say
        self.is_given = encoding is not None
        self.encoding = encoding or self._find_encoding()

    def __iter__(self) -> Iterator[str]:
        with decompressed(self.path, self.max_ratio) as file:
            if self.is_given or self.encoding in ("utf-16", "utf-32"):
                yield from (line for _, line in self._numbered(file, self.encoding, "strict"))
            elif reads_by_line(self.encoding):
                yield from self._by_line(file)
            else:
                yield from self._legacy(file)

    def _find_encoding(self) -> str:
        """That of the first bytes; binary files are refused."""
        with decompressed(self.path, self.max_ratio) as file:
            start = file.read(HEAD)
            is_all = not file.peek(1)
        if is_binary(start[:4096]):
            raise ValueError(
                f"{self.path.name} is a binary file; expected text. If it is text, give its encoding with encoding=."
            )
        return find_encoding(start, is_all)

    def _by_line(self, file: IO[bytes]) -> Iterator[str]:
        """Lines in UTF-8; those that are not, in Windows-1252."""
        name, is_said = self.path.name, False
        encoding = "utf-8-sig" if self.encoding == "utf-8-sig" else "utf-8"
        for number, line in self._numbered(file, encoding, "surrogateescape"):
            if line.isascii() or not _ESCAPED.search(line):
                yield line
                continue
            if not is_said:
                self.say(
                    f"{name} is not all UTF-8; lines that are not were read as Windows-1252 (first: line {number})"
                )
                is_said = True
            yield decode_line(line.encode("utf-8", "surrogateescape"))

    def _legacy(self, file: IO[bytes]) -> Iterator[str]:
        """Lines in the encoding found; bytes that are not of it are replaced."""
        self.say(f"{self.path.name} is not UTF-8; read as {self.encoding}")
        is_said = False
        for number, line in self._numbered(file, self.encoding, "replace"):
            if "\ufffd" in line and not is_said:
                self.say(
                    f"{self.path.name} is not all {self.encoding}; other bytes were replaced (first: line {number})"
                )
                is_said = True
            yield line

    def _numbered(self, file: IO[bytes], encoding: str, errors: str) -> Iterator[tuple[int, str]]:
        stream = io.TextIOWrapper(file, encoding=encoding, errors=errors, newline="")
        number = 1
        while line := _next_line(stream, self.path.name, number, encoding):
            yield number, line
            number += 1


def _next_line(stream: io.TextIOWrapper, name: str, number: int, encoding: str) -> str:
    """One line, of bounded length."""
    try:
        line = stream.readline(_LONGEST_LINE + 1)
    except UnicodeError as error:
        why = error.reason if isinstance(error, UnicodeDecodeError) else error
        where = f" after line {number - 1:,}" if number > 1 else ""
        raise ValueError(f"{name} is not {encoding}{where} ({why}); try another encoding=.") from None
    if len(line) > _LONGEST_LINE:
        raise ValueError(f"line {number} of {name} holds more than {_LONGEST_LINE:,} characters; split it.")
    return line
