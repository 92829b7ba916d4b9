"""Links to the sources of documents: from a column of addresses, or from a template. Only http and https are links."""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import Formatter
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from numpy.typing import NDArray

from chronotope.dates.columns import is_missing
from chronotope.readers.columns import plain_name

if TYPE_CHECKING:
    from chronotope.corpus.corpus import Corpus

NAMES = ("url", "link", "permalink", "href", "source", "uri")  # likeliest first
PICTURES = {
    "image",
    "img",
    "picture",
    "photo",
    "thumbnail",
    "thumb",
    "avatar",
    "icon",
    "logo",
    "media",
    "video",
    "audio",
}
ID = "id"  # what a template calls the names of the documents
_ADDRESS = re.compile(r"https?://[^\s/?#]+\S*", re.IGNORECASE)
_RESERVED = "!#$%&'()*+,/:;=?@[]~"  # characters of an address that stay as they are

Links = list[str | None]
Column = Sequence[Any] | NDArray[Any]


def safe_link(value: Any) -> str | None:
    """The address with unusual characters escaped if it is one of http or https, else None."""
    text = value.strip() if isinstance(value, str) else ""
    return quote(text, safe=_RESERVED, errors="replace") if _ADDRESS.fullmatch(text) else None


def document_links(corpus: Corpus, link: str | None) -> Links:
    """The address of each document's source, (D,), None where there is none.

    link : column of the metadata that holds addresses, or a template with columns in braces, such as
        "https://archive.example/{id}"; None to find the column by its name and values
    """
    if link is None:
        return _guessed(corpus)
    if "{" in link or "}" in link:
        return _from_template(corpus, link)
    return _from_column(corpus, link)


def _columns(corpus: Corpus) -> dict[str, Column]:
    """The columns that links may be made of, by name: the metadata, and the ids of the documents."""
    columns: dict[str, Column] = {ID: corpus.ids.tolist()}
    for name, column in corpus.metadata.items() if corpus.metadata is not None else ():
        columns[str(name)] = column.to_numpy(dtype=object)
    return columns


def _guessed(corpus: Corpus) -> Links:
    """The addresses in the column that is called so and holds them; else the ids, if they are addresses."""
    columns = _columns(corpus)
    named = [(rank, name) for name in columns if (rank := _rank(name)) is not None]
    for name in [*(name for _, name in sorted(named)), ID]:
        links = [safe_link(value) for value in columns[name]]
        present = sum(not is_missing(value) for value in columns[name])
        if any(links) and 2 * sum(one is not None for one in links) >= present:
            return links
    return [None] * len(corpus)


def _rank(column: str) -> tuple[int, int] | None:
    """How likely a column holds addresses of sources, by its name, the likeliest first; None if it is not called so."""
    name = plain_name(column)
    parts = set(name.split("_"))
    if name in NAMES:
        return 0, NAMES.index(name)
    found = [rank for rank, known in enumerate(NAMES) if known in parts]
    return (1, found[0]) if found and not parts & PICTURES else None


def _from_column(corpus: Corpus, link: str) -> Links:
    columns = _columns(corpus)
    if link not in columns and _rank(link) is not None and any(map(safe_link, columns[ID])):
        link = ID  # a reader took the column of addresses for the documents' names
    _check_column(link, columns)
    links = [safe_link(value) for value in columns[link]]
    if not any(links):
        first = next((value for value in columns[link] if not is_missing(value)), "")
        raise ValueError(
            f"the column {link!r} for link= holds no addresses that start with http:// or https:// (first: "
            f"{str(first)!r:.60}); pass another column, or a template such as 'https://archive.example/{{{link}}}'."
        )
    return links


def _from_template(corpus: Corpus, template: str) -> Links:
    """The template with each document's values, escaped, in place of the names of columns; None if one is missing."""
    columns = _columns(corpus)
    pieces = _checked_pieces(template)
    for _, name in pieces:
        if name is not None:
            _check_column(name, columns)
    return [_filled(pieces, columns, row) for row in range(len(corpus))]


def _checked_pieces(template: str) -> list[tuple[str, str | None]]:
    """The template in pieces of text, each with the name of the column after it."""
    expected = "expected one such as 'https://archive.example/{id}', with names of columns in braces"
    try:
        parsed = list(Formatter().parse(template))
    except ValueError as error:
        raise ValueError(f"link= has the template {template!r}, which cannot be read ({error}); {expected}.") from None
    named = [name for _, name, _, _ in parsed if name is not None]
    plain = all(name and not spec and not how for _, name, spec, how in parsed if name is not None)
    host = re.match(r"https?://[^\s/?#{}]+", template, re.IGNORECASE)
    if not named or not plain or host is None:
        raise ValueError(f"link= has the template {template!r}; {expected}.")
    return [(text, name) for text, name, _, _ in parsed]


def _filled(pieces: list[tuple[str, str | None]], columns: dict[str, Column], row: int) -> str | None:
    values = [columns[name][row] for _, name in pieces if name is not None]
    if any(map(is_missing, values)):
        return None
    filled = (text + ("" if name is None else _escaped(columns[name][row])) for text, name in pieces)
    return safe_link("".join(filled))


def _escaped(value: Any) -> str:
    """A value as a part of an address; a whole number without the ".0" that columns with gaps add."""
    return quote(str(int(value) if isinstance(value, float) and value.is_integer() else value).strip())


def _check_column(name: str, columns: dict[str, Column]) -> None:
    if name not in columns:
        shown = ", ".join(repr(column) for column in columns)
        raise ValueError(f"the corpus has no column {name!r} for link=; it has {shown}.")
