"""All tokens of a collection as integers, in memory if they are few and on disk if they are many."""

from __future__ import annotations

import tempfile
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import IO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope._typing import Ints, Mask
from chronotope.text.tokenize import Split, without_markup

Numbers = NDArray[np.int32]

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


class TokenStore:
    """The tokens of texts in their order, each text split once and not kept.

    words : every distinct token, in order of appearance;  lengths : (D,) tokens per document
    keep : (D,) mask of the documents that have not been dropped;  n_marked : texts with markup, which was removed
    """

    def __init__(self, texts: Iterable[str], split: Split, folder: str | None = None) -> None:
        """folder : for the tokens, if they are many; by default that of temporary files."""
        self._file: IO[bytes] = tempfile.SpooledTemporaryFile(_IN_MEMORY, dir=folder)  # noqa: SIM115
        self.n_marked = 0
        try:
            self.words, self.lengths = self._take(texts, split)
        except BaseException:
            self._file.close()
            raise
        self.keep: Mask = np.ones(len(self.lengths), dtype=bool)

    def __enter__(self) -> TokenStore:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def _take(self, texts: Iterable[str], split: Split) -> tuple[list[str], Numbers]:
        """Number the tokens of every text; the texts are not kept."""
        number: defaultdict[str, int] = defaultdict()
        number.default_factory = number.__len__
        lengths, tokens = array("i"), array("i")
        for text in texts:
            plain = without_markup(text)
            self.n_marked += plain is not text
            words = split(plain)
            lengths.append(len(words))
            tokens.extend(map(number.__getitem__, words))
            if len(tokens) >= _BLOCK:
                self._file.write(tokens.tobytes())
                tokens = array("i")
        self._file.write(tokens.tobytes())
        return list(number), np.array(lengths, dtype=np.int32)

    def drop(self, rows: Ints) -> None:
        """Leave documents out of all blocks from now on;  rows : (n,)"""
        self.keep[rows] = False

    def blocks(self, meaning: Numbers, size: int | None = None) -> Iterator[Block]:
        """Whole documents at a time.

        meaning : (words,) the index of each word
        size : tokens of a block, default None for some millions; more if a document has more
        """
        size = size or _BLOCK
        ends = np.cumsum(self.lengths, dtype=np.int64)
        self._file.seek(0)
        first = start = 0
        while first < len(ends):
            stop = max(int(np.searchsorted(ends, start + size, side="right")), first + 1)
            n = int(ends[stop - 1]) - start
            raw = np.frombuffer(self._file.read(4 * n), dtype=np.int32)
            document = np.repeat(np.arange(stop - first), self.lengths[first:stop])
            block, keep = Block(meaning[raw], document, stop - first), self.keep[first:stop]
            if keep.any():
                yield block if keep.all() else block.of_documents(keep)
            first, start = stop, start + n
