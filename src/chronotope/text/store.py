"""All tokens of a collection as integers, in memory if they are few and on disk if they are many.

A collection is made of parts, such as the files that its texts were read from. What passes over all tokens is a
function of one part. It is called for each of them, on the workers of a cluster if there is one, and the results are
reduced in the order of the parts.
"""

from __future__ import annotations

import tempfile
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import starmap
from typing import IO, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from chronotope._typing import Ints, Mask, PathLike
from chronotope.storage.atomic import scratch_file
from chronotope.text.tokenize import Split, without_markup

R = TypeVar("R")
Numbers = NDArray[np.int32]
Map = Callable[[Callable[..., Any], Iterable[tuple[Any, ...]]], Iterator[Any]]  # as itertools.starmap

_IN_MEMORY = 2**28  # bytes of tokens, 4 each
_BLOCK = 2**22  # tokens processed at a time


class Block(NamedTuple):
    """Tokens of some whole documents: word, −1 for none, and document, from 0 to n_documents;  (n,) each."""

    word: Numbers
    document: Ints
    n_documents: int

    def select(self, keep: Mask) -> Block:
        """The masked tokens of the same documents."""
        return Block(self.word[keep], self.document[keep], self.n_documents)

    def of_documents(self, keep: Mask) -> Block:
        """The tokens of the masked documents, numbered anew;  keep : (n_documents,)"""
        kept = self.select(keep[self.document])
        return Block(kept.word, (np.cumsum(keep) - 1)[kept.document], int(keep.sum()))


class TokenFile:
    """The tokens of some documents, as numbers of the words of their part.

    file : an open file, or the path of one, which other processes can read too;  lengths : (D,) tokens per document
    """

    def __init__(self, file: IO[bytes] | str, lengths: Numbers) -> None:
        self.file, self.lengths = file, lengths

    def blocks(self, meaning: Numbers, keep: Mask, size: int | None = None) -> Iterator[Block]:
        """Whole documents at a time.

        meaning : (words,) the index of each word;  keep : (D,) the documents that are wanted
        size : tokens of a block, default None for some millions; more if a document has more
        """
        size = size or _BLOCK
        ends = np.cumsum(self.lengths, dtype=np.int64)
        first = start = 0
        with self._opened() as file:
            while first < len(ends):
                stop = max(int(np.searchsorted(ends, start + size, side="right")), first + 1)
                n = int(ends[stop - 1]) - start
                raw = np.frombuffer(file.read(4 * n), dtype=np.int32)
                document = np.repeat(np.arange(stop - first), self.lengths[first:stop])
                block, kept = Block(meaning[raw], document, stop - first), keep[first:stop]
                if kept.any():
                    yield block if kept.all() else block.of_documents(kept)
                first, start = stop, start + n

    @contextmanager
    def _opened(self) -> Iterator[IO[bytes]]:
        if isinstance(self.file, str):
            with open(self.file, "rb") as file:
                yield file
            return
        self.file.seek(0)
        yield self.file


class SplitTexts(NamedTuple):
    """Texts that were split: their tokens, every distinct word in order of appearance, and how many had markup."""

    tokens: TokenFile
    words: list[str]
    n_marked: int


def split_texts(texts: Iterable[str], split: Split, file: IO[bytes]) -> SplitTexts:
    """Write the tokens of texts to a file; the texts are taken one at a time and not kept."""
    number: defaultdict[str, int] = defaultdict()
    number.default_factory = number.__len__
    lengths, tokens, n_marked = array("i"), array("i"), 0
    for text in texts:
        plain = without_markup(text)
        n_marked += plain is not text
        words = split(plain)
        lengths.append(len(words))
        tokens.extend(map(number.__getitem__, words))
        if len(tokens) >= _BLOCK:
            file.write(tokens.tobytes())
            tokens = array("i")
    file.write(tokens.tobytes())
    return SplitTexts(TokenFile(file, np.array(lengths, dtype=np.int32)), list(number), n_marked)


def split_to_file(texts: Iterable[str], split: Split, folder: PathLike) -> SplitTexts:
    """The same with a new file in a folder, which other processes can read."""
    with scratch_file(folder, "tokens") as (file, path):
        found = split_texts(texts, split, file)
    return found._replace(tokens=TokenFile(path, found.tokens.lengths))


class StorePart(NamedTuple):
    """A part of a store: its tokens, the number of each of its words among all, and its documents among all."""

    tokens: TokenFile
    numbers: Numbers
    rows: slice


class TokenStore:
    """The tokens of texts in their order, each text split once and not kept.

    words : every distinct token, in order of appearance
    keep : (D,) mask of the documents that have not been dropped;  n_marked : texts with markup, which was removed
    parts : the tokens, some documents each
    """

    def __init__(self, texts: Iterable[str], split: Split, folder: str | None = None) -> None:
        """folder : for the tokens, if they are many; by default that of temporary files."""
        file: IO[bytes] = tempfile.SpooledTemporaryFile(_IN_MEMORY, dir=folder)  # noqa: SIM115
        try:
            self._begin([split_texts(texts, split, file)], starmap)
        except BaseException:
            file.close()
            raise

    @classmethod
    def of_parts(cls, parts: Iterable[SplitTexts], run: Map = starmap) -> TokenStore:
        """The tokens of parts, whose words are numbered in order of appearance in all of them.

        run : calls a function for each of some arguments, in this process or elsewhere; results are in their order
        """
        store = cls.__new__(cls)
        store._begin(parts, run)
        return store

    def _begin(self, parts: Iterable[SplitTexts], run: Map) -> None:
        number: dict[str, int] = {}
        self.parts, self._run, self.n_marked, first = list[StorePart](), run, 0, 0
        for tokens, words, n_marked in parts:
            numbers = np.array([number.setdefault(word, len(number)) for word in words], dtype=np.int32)
            rows = slice(first, first := first + len(tokens.lengths))
            self.parts.append(StorePart(tokens, numbers, rows))
            self.n_marked += n_marked
        self.words = list(number)
        self.keep: Mask = np.ones(first, dtype=bool)

    @property
    def lengths(self) -> Numbers:
        """Tokens of each document, (D,)."""
        return np.concatenate([np.empty(0, np.int32), *(part.tokens.lengths for part in self.parts)])

    def __enter__(self) -> TokenStore:
        return self

    def __exit__(self, *error: object) -> None:
        for part in self.parts:
            if not isinstance(part.tokens.file, str):
                part.tokens.file.close()

    def drop(self, rows: Ints) -> None:
        """Leave documents out of all blocks from now on;  rows : (n,)"""
        self.keep[rows] = False

    def each(self, function: Callable[..., R], by_word: Sequence[NDArray[Any]], *others: Any) -> Iterator[R]:
        """function(tokens, keep, *by_word, *others) for every part, in order; all but the others are the part's.

        by_word : arrays with a value for each word, (words,)
        """
        calls = (
            (part.tokens, self.keep[part.rows], *(values[part.numbers] for values in by_word), *others)
            for part in self.parts
        )
        return self._run(function, calls)
