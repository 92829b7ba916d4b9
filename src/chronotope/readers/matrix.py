"""Ready counts: the files of the original C++ dynamic topic model, and Matrix Market files."""

from __future__ import annotations

import io
from array import array
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp

from chronotope._typing import PathLike
from chronotope.corpus.corpus import Corpus
from chronotope.readers.open import COMPRESSED, decompressed
from chronotope.readers.textfile import TextFile

_MULT = "-mult.dat"
_LONGEST_HEAD = 2**20  # bytes
_NAMELESS = 1_000_000  # maximum size of a vocabulary without words
_VOCABULARIES = ("{stem}-vocab.dat", "{stem}-vocab.txt", "{stem}.vocab", "vocab.txt", "vocab.dat", "vocabulary.txt")
_TIMES = ("{stem}-times.txt", "{stem}-times.dat", "{stem}.times", "times.txt", "times.dat")


def holds_counts(path: Path) -> bool:
    """Whether the name is that of a file with counts."""
    name = path.name.lower().removesuffix(path.suffix.lower() if path.suffix.lower() in COMPRESSED else "")
    return name.endswith((_MULT, ".mtx"))


def read_counts(path: PathLike, vocabulary: Any = None, times: Any = None) -> Corpus:
    """A corpus of ready counts, from a file in one of two formats.

        name-mult.dat   one document per line, "n word:count word:count ...", as in the original C++ program; beside it
                        name-seq.dat, the number of documents of each time slice
        name.mtx        Matrix Market, documents × words, or words × documents if only these sizes fit

    path : str or path to the file, compressed or not
    vocabulary : str, path or iterable of str, default None; a file with one word per line, or the words; None looks for
        name-vocab.dat, vocab.txt and similar files beside the counts
    times : str, path or array_like, default None; a file with one time per line, or the times, one per slice of a
        mult.dat (0, 1, 2, ... if there is no file) or one per document of a Matrix Market file
    """
    path = Path(path)
    compressed = path.suffix if path.suffix.lower() in COMPRESSED else ""
    name = path.name.removesuffix(compressed)
    if name.lower().endswith(_MULT):
        return _slices(path, name[: -len(_MULT)], vocabulary, times)
    return _matrix(path, name[: -len(".mtx")], vocabulary, times)


def count_files(path: Path) -> list[Path]:
    """The files that `read_counts` reads for a file of counts: it, and those beside it."""
    name = path.name.removesuffix(path.suffix if path.suffix.lower() in COMPRESSED else "")
    stem = name[: -len(_MULT if name.lower().endswith(_MULT) else ".mtx")]
    beside = (each.format(stem=stem) for each in ("{stem}-seq.dat", *_VOCABULARIES, *_TIMES))
    return [path, *(file for each in beside if (file := path.with_name(each)).is_file())]


def _slices(path: Path, stem: str, vocabulary: Any, times: Any) -> Corpus:
    """The corpus of name-mult.dat and name-seq.dat."""
    words = _entries(vocabulary, path, stem, _VOCABULARIES)
    n_documents = _slice_sizes(path.with_name(f"{stem}-seq.dat"))
    stamps = _entries(times, path, stem, _TIMES) or list(range(len(n_documents)))
    if len(stamps) != len(n_documents):
        raise ValueError(f"there are {len(stamps):,} times for {len(n_documents):,} slices; pass one time per slice.")
    counts = _read_mult(path, None if words is None else len(words))
    if counts.shape[0] != sum(n_documents):
        raise ValueError(
            f"{path.name} has {counts.shape[0]:,} documents but the slices of {stem}-seq.dat hold {sum(n_documents):,}."
        )
    of_document = np.repeat(np.arange(len(stamps)), n_documents).tolist()
    return Corpus(counts, [stamps[at] for at in of_document], words)


def _slice_sizes(path: Path) -> list[int]:
    """The documents of each slice; the first line says how many slices there are."""
    if not path.is_file():
        raise FileNotFoundError(f"{path.name} is missing; it says how many documents each time slice has.")
    announced, *sizes = [_whole(word, path, number) for number, line in _lines(path) for word in line.split()] or [0]
    if not announced == len(sizes) > 0:
        raise ValueError(f"{path.name} announces {announced:,} slices but lists {len(sizes):,}; expected at least one.")
    return sizes


def _read_mult(path: Path, V: int | None) -> sp.csr_array:
    """Documents × words."""
    indptr, indices, data = array("q", [0]), array("i"), array("i")
    for number, line in _lines(path):
        n, *pairs = line.split()
        if _whole(n, path, number) != len(pairs):
            raise ValueError(f"line {number} of {path.name} announces {n} words but has {len(pairs):,}.")
        for pair in pairs:
            word, _, count = pair.partition(":")
            indices.append(_whole(word, path, number))
            data.append(_whole(count, path, number))
        indptr.append(len(indices))
    largest = max(indices, default=-1)
    if largest >= (_NAMELESS if V is None else V):
        beside = path.name[: path.name.lower().index(_MULT)] + "-vocab.txt"
        missing = f"is not given; put it in {beside}, or pass it as vocabulary="
        held = missing if V is None else f"has only {V:,} words, from 0 on"
        raise ValueError(f"{path.name} has the word {largest:,} but the vocabulary {held}.")
    return sp.csr_array((data, indices, indptr), shape=(len(indptr) - 1, largest + 1 if V is None else V))


def _matrix(path: Path, stem: str, vocabulary: Any, times: Any) -> Corpus:
    """The corpus of a Matrix Market file."""
    words = _entries(vocabulary, path, stem, _VOCABULARIES)
    stamps = _entries(times, path, stem, _TIMES)
    if words is None or stamps is None:
        lacking, them = ("vocabulary", "it") if words is None else ("times", "them")
        raise FileNotFoundError(
            f"no file of the {lacking} was found beside {path.name}; put one there as {stem}-{lacking[:5]}.txt, or "
            f"pass {them} as {lacking}=."
        )
    counts = _read_matrix(path, (len(stamps), len(words)))
    return Corpus(counts if counts.shape == (len(stamps), len(words)) else counts.T, stamps, words)


def _read_matrix(path: Path, expected: tuple[int, int]) -> Any:
    """The matrix of a Matrix Market file, read only if it announces the size expected, either way round."""
    try:
        rows, columns, entries = scipy.io.mminfo(io.BytesIO(_head(path)))[:3]
        if (rows, columns) in (expected, expected[::-1]) and entries <= rows * columns:
            with decompressed(path) as file:
                return scipy.io.mmread(file)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{path.name} cannot be read as a Matrix Market file: {error}.") from None
    raise ValueError(
        f"{path.name} is {rows:,} × {columns:,} with {entries:,} entries, but there are {expected[0]:,} times and "
        f"{expected[1]:,} words; expected documents × words."
    )


def _head(path: Path) -> bytes:
    """The first lines of a Matrix Market file up to the sizes; SciPy may abort the process if it is given the file."""
    head = b""
    with decompressed(path) as file:
        while (line := file.readline(_LONGEST_HEAD)) and len(head) < _LONGEST_HEAD:
            head += line
            if line.strip() and not line.startswith(b"%"):
                break
    return head


def _entries(given: Any, path: Path, stem: str, names: Iterable[str]) -> Sequence[Any] | None:
    """The lines of the file given or found beside the counts; entries themselves are passed through."""
    if given is not None and not isinstance(given, str | Path):
        return list(given)
    beside = (path.with_name(name.format(stem=stem)) for name in names)
    file = Path(given) if given is not None else next((found for found in beside if found.is_file()), None)
    if file is None:
        return None
    lines = [line.strip() for line in TextFile(file)]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, numbered."""
    for number, line in enumerate(TextFile(path), start=1):
        if line.strip():
            yield number, line


def _whole(text: str, path: Path, number: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise ValueError(
            f"line {number} of {path.name} has {text[:20]!r}; expected a whole number of at most 9 digits."
        )
    return int(text)
