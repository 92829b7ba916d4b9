"""Encodings of text: by byte-order mark, as UTF-8, or as charset-normalizer finds; Windows-1252 is the fallback."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterable
from typing import Any, NamedTuple

HEAD = 2**20  # bytes by which the encoding of a file is found
WESTERN = "cp1252"

_SAMPLE = 2**18  # bytes of lines beyond ASCII that are enough for a guess
_SHORTEST, _FEWEST = 48, 10  # bytes, and those beyond ASCII, that tell one legacy encoding from another
_UTF8_SHARE = 0.2  # of the lines beyond ASCII: a legacy encoding gives valid UTF-8 only by accident
_KANA_SHARE = 0.3  # of the characters beyond ASCII, in Japanese
_MARGIN = 0.02  # of coherence, from 0 to 1, by which another Latin alphabet must fit a language better
_BEYOND_ASCII = bytes(range(0x80, 0x100))
_BOMS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\0\0", "utf-32"),
    (b"\0\0\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
UNICODE = frozenset({"utf-8", *(encoding for _, encoding in _BOMS)})
_CENTRAL = frozenset({"Polish", "Czech", "Slovak", "Hungarian", "Romanian", "Croatian", "Slovene"})
_LATIN = {"cp1250": _CENTRAL, "iso8859_2": _CENTRAL, "cp1254": frozenset({"Turkish"})}  # and who writes in them
_OTHER_SCRIPTS = (
    *("cp1251", "koi8_r", "koi8_u", "cp866", "iso8859_5"),  # Cyrillic
    *("cp1253", "iso8859_7", "cp1255", "cp1256", "cp874"),  # Greek, Hebrew, Arabic, Thai
    *("cp932", "euc_jp", "gb18030", "big5", "cp949"),  # Japanese, Chinese, Korean
)


class Decoded(NamedTuple):
    """Text, and the encoding it was in; that of text with lines in Windows-1252 is cp1252."""

    text: str
    encoding: str


def decode(data: bytes) -> Decoded:
    """The text of bytes in whatever encoding; what cannot be decoded becomes U+FFFD."""
    encoding = find_encoding(data)
    if not reads_by_line(encoding):
        return Decoded(data.decode(encoding, "replace"), encoding)
    if _is_utf8(data):
        return Decoded(data.decode("utf-8-sig"), encoding)
    text = "".join(map(decode_line, data.splitlines(keepends=True)))
    return Decoded(text.removeprefix("\ufeff"), WESTERN)


def decode_line(line: bytes) -> str:
    """One line, as UTF-8 if it is valid, else as Windows-1252."""
    return line.decode("utf-8" if _is_utf8(line) else WESTERN, "replace")


def reads_by_line(encoding: str) -> bool:
    """Whether text found to be in this encoding is UTF-8 or Windows-1252, line by line, as `decode_line` reads it."""
    return encoding in ("utf-8", "utf-8-sig", WESTERN)


def find_encoding(start: bytes, is_all: bool = True) -> str:
    """The encoding that a text seems to be in, as Python calls it.

        byte-order mark → UTF-8, also with single lines that are not → charset-normalizer → Windows-1252

    start : first bytes of the text;  is_all : whether there are no more
    """
    for mark, encoding in _BOMS:
        if start.startswith(mark):
            return encoding
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start, final=is_all)
    except UnicodeDecodeError:
        lines = start.splitlines()
        lines = lines if is_all or len(lines) == 1 else lines[:-1]  # the last may end within a character
        return _legacy_encoding([line for line in lines if not line.isascii()])
    return "utf-8"


def check_encoding(encoding: str | None) -> None:
    """Refuse an encoding that Python does not know."""
    try:
        io.TextIOWrapper(io.BytesIO(), encoding=encoding or "utf-8")
    except LookupError:
        raise ValueError(f"encoding is {encoding!r}, which Python does not know; try 'utf-8' or 'cp1252'.") from None


def is_binary(start: bytes) -> bool:
    """Whether bytes at the start of a file are not text."""
    return b"\0" in start and not any(start.startswith(mark) for mark, _ in _BOMS)


def storable(value: Any) -> Any:
    """A value whose strings UTF-8 can hold: halves of characters, which JSON allows, become U+FFFD; in keys \\ud800."""
    if isinstance(value, str):
        return value if value.isascii() else _whole_characters(value)
    if isinstance(value, dict):
        return {_written_out(key): storable(entry) for key, entry in value.items()}
    return [storable(entry) for entry in value] if isinstance(value, list) else value


def _written_out(key: Any) -> Any:
    """A key that stays different from others."""
    return key.encode("utf-8", "backslashreplace").decode() if isinstance(key, str) else key


def _whole_characters(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _legacy_encoding(lines: list[bytes]) -> str:
    """The encoding of lines beyond ASCII, not all of them UTF-8."""
    if sum(map(_is_utf8, lines)) >= _UTF8_SHARE * len(lines):
        return "utf-8"
    sample = _cut(lines)
    if len(sample) < _SHORTEST or len(sample) - len(sample.translate(None, _BEYOND_ASCII)) < _FEWEST:
        return WESTERN
    if _is_euc_japanese(sample):
        return "euc_jp"
    best = _best_match(sample, (WESTERN, *_LATIN, *_OTHER_SCRIPTS))
    if best is None or (best.encoding in _LATIN and not _is_clear(best, _best_match(sample, (WESTERN,)))):
        return WESTERN
    return str(best.encoding)


def _cut(lines: Iterable[bytes]) -> bytes:
    """The lines up to the size of a sample, not ending within a character."""
    text = b"\n".join(lines)
    if len(text) <= _SAMPLE:
        return text
    cut = text[:_SAMPLE]
    return cut.rstrip(_BEYOND_ASCII) or cut


def _is_euc_japanese(sample: bytes) -> bool:
    """Whether bytes are EUC-JP with kana, which in short texts is easily taken for Korean."""
    try:
        text = codecs.getincrementaldecoder("euc_jp")().decode(sample)
    except UnicodeDecodeError:
        return False
    kana = sum("\u3041" <= letter <= "\u30fe" for letter in text)
    return kana >= _KANA_SHARE * sum(not letter.isascii() for letter in text)


def _best_match(sample: bytes, encodings: Iterable[str]) -> Any:
    """The best of the encodings, as charset-normalizer finds, None if none reads well."""
    from charset_normalizer import from_bytes

    found = from_bytes(sample, cp_isolation=list(encodings), preemptive_behaviour=False, enable_fallback=False)
    return found.best()


def _is_clear(other: Any, western: Any) -> bool:
    """Whether text is in another Latin alphabet: many texts are plausible in two, and most are Western."""
    if _LATIN[other.encoding].isdisjoint(other.languages):
        return False
    return western is None or bool(other.coherence > western.coherence + _MARGIN)
