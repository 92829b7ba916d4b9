"""Articles in the News Industry Text Format, read without trust: no entities, nothing from outside the file."""

from __future__ import annotations

import re
from typing import NamedTuple
from xml.parsers import expat

_COMPACT = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T\d{6}.*)?", re.ASCII)
_META = ("publication_year", "publication_month", "publication_day_of_month")


class Article(NamedTuple):
    """An article: its number, its ISO date or nothing, and plain text, paragraphs parted by blank lines."""

    id: str
    date: str
    headline: str
    text: str


def parse_article(data: bytes) -> Article:
    """The article of an NITF file; a ValueError says why there is none."""
    collector = _Collector()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = collector.start
    parser.EndElementHandler = collector.end
    parser.CharacterDataHandler = collector.characters
    parser.StartDoctypeDeclHandler = _check_doctype
    parser.EntityDeclHandler = _refuse_entity
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, LookupError) as error:
        raise ValueError(f"broken XML ({error})") from None
    return collector.article()


def _check_doctype(name: str, system: str | None, public: str | None, has_internal_subset: int) -> None:
    """A reference to nitf-3-3.dtd is fine, for it is never followed; declarations in the file itself are not."""
    if has_internal_subset:
        raise ValueError("XML with declarations of its own")


def _refuse_entity(*declaration: object) -> None:
    raise ValueError("XML that declares entities")


class _Collector:
    """Gathers what an article needs while the parser walks through it."""

    def __init__(self) -> None:
        self.path: list[str] = []
        self.block = ""  # class of the block of the body the parser is in
        self.id = self.published = ""
        self.meta: dict[str, str] = {}
        self.pieces: dict[str, list[str]] = {"headline": [], "full_text": [], "lead_paragraph": []}

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Note where the parser is, and what the head of the article says."""
        self.path.append(tag)
        if tag == "block":
            self.block = attributes.get("class", "")
        elif tag == "meta":
            self.meta[attributes.get("name", "")] = attributes.get("content", "")
        elif tag == "doc-id":
            self.id = attributes.get("id-string", "")
        elif tag == "pubdata":
            self.published = attributes.get("date.publication", "")

    def end(self, tag: str) -> None:
        """Close a paragraph with a blank line."""
        self.path.pop()
        if tag == "block":
            self.block = ""
        elif tag == "p" and self.block in self.pieces:
            self.pieces[self.block].append("\n\n")

    def characters(self, text: str) -> None:
        """Keep text of the headline and of the blocks that hold the article."""
        if self.block in self.pieces and "body.content" in self.path:
            self.pieces[self.block].append(text)
        elif self.path[-1] == "hl1":
            self.pieces["headline"].append(text)

    def article(self) -> Article:
        """What was gathered; the lead paragraph stands in for a full text that is missing."""
        full, lead = (_tidy("".join(self.pieces[block])) for block in ("full_text", "lead_paragraph"))
        headline = " ".join("".join(self.pieces["headline"]).split())
        return Article(self.id, self._date(), headline, full or lead)

    def _date(self) -> str:
        """The day of publication, or the one the meta tags give."""
        if match := _COMPACT.fullmatch(self.published):
            return "-".join(match.groups())
        year, month, day = (self.meta.get(name, "") for name in _META)
        return f"{year}-{month:0>2}-{day:0>2}" if year and month and day else ""


def _tidy(text: str) -> str:
    """Paragraphs parted by blank lines, each on one line."""
    paragraphs = (" ".join(part.split()) for part in text.split("\n\n"))
    return "\n\n".join(part for part in paragraphs if part)
