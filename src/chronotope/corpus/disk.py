"""Corpora in folders of memory-mapped files, larger than memory if need be. Nothing in them is ever executed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from chronotope._typing import Floats, PathLike
from chronotope._version import __version__
from chronotope.corpus.arrays import GrowingArray, GrowingCounts, mapped_array
from chronotope.corpus.counts import Arrays, MappedCounts
from chronotope.corpus.dated import checked_rough, followed_by, read_rough_dates, write_rough_dates
from chronotope.corpus.metadata import coded, read_metadata, write_metadata
from chronotope.corpus.validation import canonical_counts, check_length, checked_column, checked_vocabulary
from chronotope.dates.decimal import parse_unplaced
from chronotope.dates.rough import RoughDates
from chronotope.storage.atomic import appearing
from chronotope.storage.digest import as_json, check_seal, file_digest, parse_json, sealed
from chronotope.text.report import PreprocessingReport, report_from_json, report_to_json

FORMAT, UNSEALED = 2, 1  # the format that is written, and the older one without digests
WITH_ROUGH = 3  # the format of a corpus with rough dates, which older versions would take for exact ones
HEADER, WORDS = "corpus.json", "vocabulary.json"
TYPES = {"indptr": ("int64",), "indices": ("int32",), "data": ("uint8", "uint16", "int32"), "times": ("float64",)}


class CorpusWriter:
    """Writes a corpus larger than memory to a folder, some documents at a time; the folder appears atomically.

        with CorpusWriter("papers", words) as writer:
            writer.add(counts, times)  # again and again
        corpus = open_corpus("papers")

    folder : str or path; must not exist, or be empty
    vocabulary : iterable of str, (V,), the words of the columns
    calendar : bool, default False; whether numbers given as times are decimal years

    report : PreprocessingReport or None;  metadata : DataFrame of D rows or None; what is set is kept with the corpus
    rough : RoughDates or None, dates that are known only roughly, of those that are written so far
    n_documents, n_tokens : int; documents and word occurrences written so far
    """

    def __init__(self, folder: PathLike, vocabulary: Iterable[str], *, calendar: bool = False) -> None:
        self.folder, self.vocabulary, self.calendar = Path(folder), list(vocabulary), calendar
        self.report: PreprocessingReport | None = None
        self.metadata: pd.DataFrame | None = None
        self.rough: RoughDates | None = None
        self.n_documents = self.n_tokens = 0
        self._ids: list[NDArray[Any]] = []

    def __enter__(self) -> CorpusWriter:
        with ExitStack() as begun:
            self._path = begun.enter_context(appearing(self.folder))
            self._counts = begun.enter_context(GrowingCounts(self._path))
            self._times = begun.enter_context(GrowingArray(self._path / "times.npy", np.float64))
            self._end = begun.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if kind is not None:
            self._end.__exit__(kind, error, at)
            return
        with self._end:
            self._counts.close()
            self._times.close()
            self._finish()

    def add(self, counts: Any, times: Any, ids: Any = None) -> None:
        """Write n documents.

        counts : array_like or sparse, (n, V), whole numbers; a row per document
        times : array_like, (n,), numbers or dates, exact or rough ones, the same kind in every call
        ids : array_like, (n,), default None for the numbers of the documents
        """
        canonical = canonical_counts(counts)
        n, V = canonical.shape
        values, _, dated, rough, _ = parse_unplaced(times, rough_dates="use")
        check_length("times", len(values), "counts", n)
        checked_vocabulary(self.vocabulary, V)
        number = np.arange(self.n_documents, self.n_documents + n)
        names = number if ids is None else checked_column("ids", ids, "counts", n)
        if self.n_documents and dated and not self.calendar:
            raise ValueError("these times are dates, and those before were numbers; pass one kind of them.")
        self.calendar = self.calendar or dated
        if rough is not None:
            self.rough = followed_by(self.rough, rough, self.n_documents)
        self.add_rows(canonical, values, names)

    def add_rows(self, counts: sp.csr_array, times: Floats, ids: NDArray[Any]) -> None:
        """Write n documents without checks.

        counts : (n, V) csr_array, canonical;  times : (n,) float64;  ids : (n,)
        """
        self._counts.add(counts)
        self._times.append(times)
        self._ids.append(ids.astype(np.str_) if ids.dtype.hasobject else ids)
        self.n_documents += len(times)
        self.n_tokens += int(counts.data.sum(dtype=np.int64))

    def _finish(self) -> None:
        """Write what is known only at the end; the header is last."""
        if not self.n_documents:
            raise ValueError(f"no documents were given for {str(self.folder)!r}; add at least one.")
        with GrowingArray(self._path / "ids.npy", np.result_type(*{ids.dtype for ids in self._ids})) as written:
            for ids in self._ids:
                written.append(ids)
        if self.rough is not None:
            write_rough_dates(checked_rough(self.rough, self.n_documents), self._path)
        if self.metadata is not None:
            check_length("metadata", len(self.metadata), "counts", self.n_documents)
            write_metadata(coded(self.metadata), self._path)
        (self._path / WORDS).write_text(json.dumps(self.vocabulary, ensure_ascii=False), encoding="utf-8")
        header = {
            "format": FORMAT if self.rough is None else WITH_ROUGH,
            "version": __version__,
            "documents": self.n_documents,
            "words": len(self.vocabulary),
            "entries": self._counts.n_entries,
            "tokens": self.n_tokens,
            "calendar": self.calendar,
            "metadata": self.metadata is not None,
            "report": None if self.report is None else report_to_json(self.report),
            "files": {file.name: file_digest(file) for file in sorted(self._path.iterdir())},
        }
        text = json.dumps(sealed(as_json(header, str)), ensure_ascii=False, indent=1)  # ids may be of any type
        (self._path / HEADER).write_text(text, encoding="utf-8")


class StoredCorpus(NamedTuple):
    """What a folder holds: mapped counts (D, V), times (D,), words (V,), ids (D,), what was removed, and so on."""

    counts: MappedCounts
    times: Floats
    vocabulary: list[str]
    ids: NDArray[Any]
    calendar: bool
    report: PreprocessingReport | None
    metadata: pd.DataFrame | None
    rough: RoughDates | None


def holds_corpus(path: Path) -> bool:
    """Whether a path is that of a folder written by a `CorpusWriter`."""
    return (path / HEADER).is_file() and (path / "indptr.npy").is_file()


def read_folder(folder: PathLike) -> StoredCorpus:
    """The content of a folder, checked; counts stay on disk until they are used."""
    path = Path(folder)
    if not path.is_dir():
        raise FileNotFoundError(f"there is no folder {str(path)!r}; check the path.")
    if not (path / HEADER).is_file():
        raise ValueError(f"{str(path)!r} is not a corpus: it has no {HEADER}; pass a folder written by corpus.save().")
    header = _read_header(path)
    try:
        check_seal(header, needed=header["format"] > UNSEALED)
        _check_files(path, header.get("files", {}))
        return _read_content(path, header)
    except (KeyError, TypeError, ValueError, OSError, EOFError, AttributeError, OverflowError) as error:
        raise _damaged(path, f"{type(error).__name__}: {error}") from None


def _read_header(path: Path) -> dict[str, Any]:
    try:
        header = parse_json((path / HEADER).read_bytes())
    except (OSError, ValueError) as error:
        raise _damaged(path, f"its header cannot be read, {type(error).__name__}") from None
    if not isinstance(header, dict):
        raise _damaged(path, "its header is not a table")
    if header.get("format") not in (WITH_ROUGH, FORMAT, UNSEALED):
        raise ValueError(
            f"{str(path)!r} has format {header.get('format')!r} of Chronotope {header.get('version')}; "
            f"this is {__version__}, which reads format {WITH_ROUGH}. Build it anew, or install that version."
        )
    return header


def _check_files(path: Path, digests: dict[str, str]) -> None:
    """Refuse files that are not those which were written; each is read once, a piece at a time."""
    for name, digest in digests.items():
        if file_digest(path / Path(name).name) != digest:
            raise ValueError(f"{name} has changed since it was written")


def _read_content(path: Path, header: dict[str, Any]) -> StoredCorpus:
    D, V, entries = (int(header[name]) for name in ("documents", "words", "entries"))
    sizes = {"indptr": D + 1, "indices": entries, "data": entries, "times": D}
    indptr, indices, data, times = (_read_array(path, name, size) for name, size in sizes.items())
    times = np.array(times)
    if D < 1 or indptr[0] != 0 or indptr[-1] != entries or np.any(np.diff(indptr) < 0):
        raise ValueError("indptr does not increase from 0 to the number of entries")
    if not np.isfinite(times).all():
        raise ValueError("a time is not finite")
    words = parse_json((path / WORDS).read_bytes())
    if not isinstance(words, list) or len(words) != V or len({word for word in words if isinstance(word, str)}) != V:
        raise ValueError(f"the vocabulary is not a list of {V:,} different words")
    counts = MappedCounts(Arrays(indptr, indices, data), V, path)
    ids = _read_array(path, "ids", D)
    metadata = read_metadata(path, D) if header.get("metadata") else None
    report = report_from_json(header["report"])
    rough = checked_rough(read_rough_dates(path), D) if header["format"] == WITH_ROUGH else None
    return StoredCorpus(counts, times, words, ids, bool(header["calendar"]), report, metadata, rough)


def _read_array(path: Path, name: str, size: int) -> NDArray[Any]:
    """A mapped array of a folder, refused if it is not what the header says."""
    array = mapped_array(path, name)
    if array.shape != (size,) or array.dtype.name not in TYPES.get(name, (array.dtype.name,)):
        raise ValueError(f"{name}.npy holds {array.dtype} of shape {array.shape}, not {size:,} values")
    return array


def _damaged(path: Path, why: str) -> ValueError:
    return ValueError(f"{str(path)!r} cannot be read as a corpus ({why}); the folder is damaged, build it anew.")
