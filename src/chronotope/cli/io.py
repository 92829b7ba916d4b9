"""Files that commands read and write: documents, tables and pictures."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from chronotope.cli.options import SOTU, STDIN, CorpusOptions, flag
from chronotope.cli.output import in_options, note, shown, working

if TYPE_CHECKING:
    import pandas as pd

    from chronotope.corpus.corpus import Corpus
    from chronotope.text.options import Preprocessing

TABLES = (".csv", ".parquet")
LOST_SAID, LOST_MOST = 0.05, 0.5  # shares of the documents above which a loss is always said, and is an error


@contextmanager
def engine_of(address: str | None, quiet: bool) -> Iterator[Any]:
    """A client of the cluster at an address, closed in the end; None without one."""
    if address is None:
        yield None
        return
    from chronotope.cluster import connect

    with connect(address) as client:
        note(f"Working on the cluster {address}", quiet)
        yield client


def read_documents(
    source: CorpusOptions,
    preprocessing: Preprocessing | None = None,
    *,
    keep_texts: bool = True,
    quiet: bool = False,
    on_disk: Path | None = None,
    metadata: Sequence[str] | None = None,
    engine: Any = None,
) -> Corpus:
    """The corpus of a path, or the State of the Union; what was guessed and removed is noted.

    on_disk : a new folder for the counts; None to keep them in memory
    metadata : columns that are kept; None for all, and for none on disk
    engine : a client of a cluster whose workers read the files, into that folder; None for none
    """
    from chronotope import datasets
    from chronotope.readers import read_corpus

    given, window = source.reading, source.window
    if source.corpus == SOTU and given:
        raise ValueError(f"{' and '.join(map(flag, given))} is about reading a file, which {SOTU} is not; remove it.")
    if source.corpus == SOTU and on_disk:
        raise ValueError(f"--on-disk is for corpora larger than memory; {SOTU} is small, remove it.")
    name = "standard input" if source.corpus == STDIN else source.corpus
    with working(f"Reading {name}", quiet, has_bar=on_disk is not None):
        if source.corpus == SOTU:
            corpus = datasets.state_of_the_union(preprocessing).between(**window)
        else:
            options = given | window | ({} if metadata is None else {"metadata": metadata})
            corpus = read_corpus(
                source.corpus, preprocessing, keep_texts=keep_texts, folder=on_disk, engine=engine, **options
            )
    for line in what_was_read(corpus):
        note(f"  {line}", quiet)
    check_loss(corpus, source.allow_loss)
    return corpus


def check_loss(corpus: Corpus, allowed: bool) -> None:
    """Say how many documents were lost, quiet or not, if they are many; refuse if more than half were.

    Documents outside the time asked for are not lost, nor are those that were not drawn and duplicates.
    """
    from chronotope.readers.documents import OUTSIDE
    from chronotope.readers.draw import NOT_DRAWN
    from chronotope.text.duplicates import DUPLICATES

    if corpus.report is None:
        return
    steps = {step.step: step.documents for step in corpus.report.removed if step.documents and step.step != OUTSIDE}
    others = steps.pop(NOT_DRAWN, 0) + steps.pop(DUPLICATES, 0)
    lost = sum(steps.values())
    total = len(corpus) + others + lost
    why = ", ".join(f"{n:,} × {step}" for step, n in steps.items())
    sentence = f"{lost:,} of {total:,} documents were dropped: {why}"
    if lost > total * LOST_MOST and not allowed:
        raise ValueError(
            f"{sentence}. Are these the right columns and options? Pass --allow-loss to go on all the same."
        )
    if lost > total * LOST_SAID:
        typer.echo(shown(f"chronotope: {in_options(sentence)}."), err=True)


def what_was_read(corpus: Corpus) -> list[str]:
    """Columns guessed, what was removed and why, and the size of the corpus, one line each."""
    from chronotope.readers.draw import NOT_DRAWN
    from chronotope.text.duplicates import DUPLICATES

    notes = corpus.report.notes if corpus.report else ()
    steps = corpus.report.removed if corpus.report else ()
    removed = [step for step in steps if step.removed_any and step.step not in (NOT_DRAWN, DUPLICATES)]  # noted
    unmentioned = [f"removed: {step}" for step in removed if not any(f"× {step.step} (" in line for line in notes)]
    last = repr(corpus)
    return [*(note for note in notes if note not in last), *unmentioned, last]


def check_output(path: Path | None, force: bool) -> None:
    """Refuse a file that cannot be written, or that already exists and must not be replaced."""
    if path is None:
        return
    folder = path.parent
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder {str(folder)!r} to write in; make it first.")
    if path.is_dir():
        raise ValueError(f"{str(path)!r} is a folder; give the name of a file in it.")
    if path.exists() and not path.is_file():
        raise ValueError(f"{str(path)!r} is a device or a pipe; give the name of a file.")
    if path.exists() and not force:
        raise ValueError(f"{str(path)!r} already exists; pass --force to replace it, or another name.")
    if not os.access(folder, os.W_OK):
        raise PermissionError(f"cannot write in the folder {str(folder)!r}; choose another.")


def check_distinct(written: Mapping[str, Path | None], read: Mapping[str, Path | None]) -> None:
    """Refuse two outputs that are one file, and an output that is an input, however their paths are written.

    written, read : paths by what they are called in the message
    """
    seen: dict[str, Path] = {name: path for name, path in read.items() if path is not None}
    for name, path in written.items():
        if path is None:
            continue
        for other, before in seen.items():
            if _is_same(path, before):
                raise ValueError(f"{name} and {other} are the same file, {str(path)!r}; give each its own.")
        seen[name] = path


def _is_same(one: Path, other: Path) -> bool:
    """Whether two paths lead to one file, by links or by another spelling; a file need not exist."""
    try:
        return one.resolve() == other.resolve() or one.samefile(other)
    except (OSError, RuntimeError):
        return False


def check_table(path: Path | None, force: bool) -> None:
    """The same for a table, whose kind is given by its extension."""
    if path is not None and path.suffix.lower() not in TABLES:
        raise ValueError(f"{str(path)!r} does not end in {' or '.join(TABLES)}, the tables that can be written.")
    check_output(path, force)


def check_picture(path: Path, force: bool) -> None:
    """The same for a picture, before anything is computed for it."""
    from matplotlib.backend_bases import FigureCanvasBase

    kinds = FigureCanvasBase.get_supported_filetypes()
    if path.suffix.lower().lstrip(".") not in kinds:
        raise ValueError(
            f"{str(path)!r} is a kind of picture that is not supported; it has to end in .png, .svg or .pdf."
        )
    check_output(path, force)


def write_if_wanted(table: pd.DataFrame, path: Path | None, quiet: bool) -> list[str]:
    """Write a table if a file is given, and note it; returns the names of the files written."""
    if path is None:
        return []
    from chronotope.analysis import write_table

    write_table(table, path)
    note(f"Written: {path}, {len(table):,} rows", quiet)
    return [str(path)]
