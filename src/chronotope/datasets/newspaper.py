"""The New York Times Annotated Corpus (LDC2008T19), read from the archives in which it is published."""

from __future__ import annotations

import os
import tarfile
import warnings
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from chronotope.corpus import Corpus
from chronotope.datasets.nitf import Article, parse_article
from chronotope.readers import Reading
from chronotope.readers.opening import unpacked
from chronotope.readers.rows import Bad, Dropped, Row, Rows, Source
from chronotope.text import Preprocessing

_LARGEST = 16 * 2**20  # bytes of one article
_ROLES = {"text": "text", "time": "date", "id": "id"}


def new_york_times(
    path: str | os.PathLike[str],
    years: Iterable[int] | None = None,
    preprocessing: Preprocessing | None = None,
    *,
    limit: int | None = None,
    keep_texts: bool = False,
) -> Corpus:
    """Articles of the New York Times from 1987 to 2007, each at its day, as the Linguistic Data Consortium gives them.

    The corpus is not part of this package. `path` is its folder, or the folder `data` in it, with an archive for each
    month: 1987/01.tgz and so on. Nothing is unpacked to disk. Metadata: headline.
    years : by default all;  preprocessing : the paper's by default.   [data and preprocessing]
    """
    reading = Reading(_source(Path(path), years), metadata=["headline"], limit=limit)
    return reading.to_corpus(preprocessing or Preprocessing.paper(), keep_texts=keep_texts)


def articles(path: str | os.PathLike[str], years: Iterable[int] | None = None) -> Iterator[Article]:
    """The articles (id, date, headline, text), one at a time; files that cannot be used are counted in a warning."""
    dropped = Dropped()
    for row in _source(Path(path), years).rows():
        if isinstance(row, Bad):
            dropped.add(row)
        elif row.fields["date"] and row.fields["text"]:
            yield Article(**row.fields)
        else:
            dropped.add(Bad(row.place, "no text" if row.fields["date"] else "no time"))
    if dropped.total:
        warnings.warn(f"{dropped.total:,} files were left out: {dropped}", stacklevel=2)


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
    """The articles of all archives; a damaged archive is left at the damage."""
    for archive in archives:
        place = f"{archive.parent.name}/{archive.name}"
        try:
            for member in _members(archive):
                yield _row(f"{place}/{member.name}", member)
        except (tarfile.TarError, ValueError) as error:
            yield Bad(place, "damaged archive", str(error))


class _Member(NamedTuple):
    """A file of an archive; data is empty where it is too large."""

    name: str
    data: bytes


def _members(archive: Path) -> Iterator[_Member]:
    """The XML files of an archive, read from its stream."""
    with unpacked(archive) as file, tarfile.open(fileobj=file, mode="r|") as tar:
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
