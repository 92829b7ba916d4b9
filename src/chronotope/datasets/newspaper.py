"""The New York Times Annotated Corpus (LDC2008T19), read from the archives in which it is published."""

from __future__ import annotations

import re
import tarfile
import warnings
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple
from xml.parsers import expat

from chronotope._typing import PathLike
from chronotope.corpus.corpus import Corpus
from chronotope.readers import Reading
from chronotope.readers.open import decompressed
from chronotope.readers.rows import Bad, Dropped, Row, Rows, Source
from chronotope.text.options import Preprocessing

_COMPACT = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T\d{6}.*)?", re.ASCII)
_META = ("publication_year", "publication_month", "publication_day_of_month")


class Article(NamedTuple):
    """An article of the New York Times.

    id : str, its number;  date : str, ISO, or empty if it has none
    headline : str;  text : str, plain, paragraphs separated by blank lines
    """

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
    """Allow a reference to nitf-3-3.dtd, which is never followed; refuse declarations in the file itself."""
    if has_internal_subset:
        raise ValueError("XML with declarations of its own")


def _refuse_entity(*declaration: object) -> None:
    raise ValueError("XML that declares entities")


class _Collector:
    """Collects the parts of an article while the parser goes through it."""

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
        """What was collected; the lead paragraph replaces a missing full text."""
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
    """Paragraphs separated by blank lines, each on one line."""
    paragraphs = (" ".join(part.split()) for part in text.split("\n\n"))
    return "\n\n".join(part for part in paragraphs if part)


_LARGEST = 16 * 2**20  # bytes of one article
_ROLES = {"text": "text", "time": "date", "id": "id"}


def new_york_times(
    path: PathLike,
    years: Iterable[int] | None = None,
    preprocessing: Preprocessing | None = None,
    *,
    limit: int | None = None,
    keep_texts: bool = False,
) -> Corpus:
    """Articles of the New York Times from 1987 to 2007, each at its day, as the Linguistic Data Consortium gives them.

    The corpus is not part of this package. Its archives are read as they are; nothing is extracted to disk.
    Metadata: headline.

    path : str or path; the corpus' folder, or the folder `data` in it, with an archive for each month: 1987/01.tgz, ...
    years : iterable of int, default None for all
    preprocessing : Preprocessing, default None for `Preprocessing.paper()`   [data and preprocessing]
    limit : int, default None; maximum number of articles, drawn at random
    keep_texts : bool, default False; whether the corpus keeps the texts, which takes memory
    """
    reading = Reading(_source(Path(path), years), metadata=["headline"], limit=limit)
    return reading.to_corpus(preprocessing or Preprocessing.paper(), keep_texts=keep_texts)


def articles(path: PathLike, years: Iterable[int] | None = None) -> Iterator[Article]:
    """The articles, one `Article` (id, date, headline, text) at a time; unusable files are counted in a warning.

    path : str or path, as in `new_york_times`;  years : iterable of int, default None for all
    """
    dropped = Dropped()
    for row in _source(Path(path), years).rows():
        if isinstance(row, Bad):
            dropped.add(row)
        elif row.fields["date"] and row.fields["text"]:
            yield Article(**row.fields)
        else:
            dropped.add(Bad(row.place, "no text" if row.fields["date"] else "no time"))
    if dropped.total:
        warnings.warn(f"{dropped.total:,} files were dropped: {dropped}", stacklevel=2)


def _source(path: Path, years: Iterable[int] | None) -> Source:
    archives = _archives(path, years)
    return Source(path.name, f"{len(archives):,} monthly archives", partial(_rows, archives), _ROLES)


def _archives(path: Path, years: Iterable[int] | None) -> list[Path]:
    """The monthly archives of the years, in order."""
    root = path / "data" if (path / "data").is_dir() else path
    found = sorted(root.glob("[12][0-9][0-9][0-9]/[01][0-9].t*gz"))
    if not found:
        raise FileNotFoundError(
            f"there are no archives such as 1987/01.tgz in {str(root)!r}; pass the corpus's folder."
        )
    if years is None:
        return found
    wanted = {str(year) for year in years}
    missing = wanted - {archive.parent.name for archive in found}
    if missing:
        raise ValueError(f"there are no archives of {', '.join(sorted(missing))} in {str(root)!r}; check years=.")
    return [archive for archive in found if archive.parent.name in wanted]


def _rows(archives: Sequence[Path]) -> Rows:
    """The articles of all archives; a damaged archive is read up to the damage."""
    for archive in archives:
        place = f"{archive.parent.name}/{archive.name}"
        try:
            for member in _members(archive):
                yield _row(f"{place}/{member.name}", member)
        except (tarfile.TarError, ValueError) as error:
            yield Bad(place, "damaged archive", str(error))


class _Member(NamedTuple):
    """A file of an archive; data is empty if it is too large."""

    name: str
    data: bytes


def _members(archive: Path) -> Iterator[_Member]:
    """The XML files of an archive, read from its stream."""
    with decompressed(archive) as file, tarfile.open(fileobj=file, mode="r|") as tar:
        for info in tar:
            if info.isfile() and info.name.endswith(".xml"):
                content = tar.extractfile(info) if info.size <= _LARGEST else None
                yield _Member(info.name, content.read() if content else b"")


def _row(place: str, member: _Member) -> Row | Bad:
    """The article of a file, or why there is none."""
    if not member.data:
        return Bad(place, f"empty file, or over {_LARGEST // 2**20} MB")
    try:
        article = parse_article(member.data)
    except ValueError as error:
        return Bad(place, "unreadable article", str(error))
    if not article.id:
        article = article._replace(id=Path(member.name).stem)
    return Row(place, article._asdict())
