"""The papers of the NIPS conference, from whichever collection you have."""

from __future__ import annotations

import re
from pathlib import Path

from chronotope._typing import PathLike
from chronotope.corpus.corpus import Corpus
from chronotope.readers import Reading, read
from chronotope.readers.folder import date_in_name, folder_source
from chronotope.text.options import Preprocessing

_FILES = ("papers.csv", "papers.csv.gz", "docs.jsonl", "docs.jsonl.gz")
_VOLUME = re.compile(r"nips[ _-]?(\d\d)(?!\d)", re.IGNORECASE)


def nips(
    path: PathLike,
    preprocessing: Preprocessing | None = None,
    *,
    limit: int | None = None,
    keep_texts: bool = True,
) -> Corpus:
    """NIPS papers, each at its year. They are not part of this package.

    path : str or path to one of
        a folder with a subfolder of text files for each year, nips00 (1987), nips01, ... or 1987, 1988, ...
        papers.csv with the columns id, year, title and paper_text, as on Kaggle, or its folder
        docs.jsonl, compressed or not, with the fields id, time and text, or its folder
    preprocessing : Preprocessing, default None for `Preprocessing.paper()`   [data and preprocessing]
    limit : int, default None; maximum number of papers, drawn at random
    keep_texts : bool, default True; whether the corpus keeps the texts
    """
    return _reading(Path(path), limit).to_corpus(preprocessing or Preprocessing.paper(), keep_texts=keep_texts)


def _reading(path: Path, limit: int | None) -> Reading:
    """The papers, by what the path is."""
    if path.is_dir():
        file = next((path / name for name in _FILES if (path / name).is_file()), None)
        if file is None:
            return Reading(folder_source(path, name_date=year_of_volume), metadata=[], limit=limit)
        path = file
    if ".jsonl" in path.suffixes:
        return read(path, text="text", time="time", id="id", limit=limit)
    return read(path, text="paper_text", time="year", id="id", metadata=["title"], limit=limit)


def year_of_volume(name: str) -> str | None:
    """The year in the name of a folder; volume 0 is of 1987."""
    volume = _VOLUME.search(name)
    return str(1987 + int(volume[1])) if volume else date_in_name(name)
