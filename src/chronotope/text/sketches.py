"""Sketches of documents: a digest that only equal ones share, and bytes that tell how similar two of them are.

The sketch is MinHash with one permutation (Li, Owen and Zhang 2012): the shingles of a document, each three words in a
row, are hashed into 128 bins, and the smallest hash of a bin is kept, cut to one byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from chronotope._typing import Floats, Ints, Mask
from chronotope.storage.atomic import scratch_file
from chronotope.text.store import Block, Numbers, TokenFile, TokenStore
from chronotope.text.tokenize import BREAK

Bytes = NDArray[np.uint8]
Hashes = NDArray[np.uint32]
Digests = NDArray[np.uint64]
Rows = Ints | Numbers

SHINGLE = 3  # words
BINS = 128
BANDS = BINS // 8  # of eight bins
BLOCK = 2**17  # tokens at a time, few enough for the processor's cache
PIECE = 2**15  # sketches that are read at a time, of 128 bytes
_NONE = np.uint32(2**32 - 1)  # the hash of no shingle
_ODD = tuple(np.uint32(factor) for factor in (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D))  # one for each word of a shingle


class StoredSketches:
    """Sketches in files, those of some documents in each; they are read when they are used, and not kept.

    paths : of the files;  ends : number of documents in each file and those before it
    """

    def __init__(self, paths: Sequence[str], ends: Sequence[int]) -> None:
        self.paths, self.ends = list(paths), list(ends)

    def __getitem__(self, rows: Rows) -> Bytes:
        """The sketches of these documents, (n, 128)."""
        found = np.empty((len(rows), BINS), dtype=np.uint8)
        file = np.searchsorted(self.ends, rows, side="right")
        for i in np.unique(file).tolist():
            here, first = file == i, self.ends[i - 1] if i else 0
            found[here] = np.memmap(self.paths[i], np.uint8, "r").reshape(-1, BINS)[rows[here] - first]
        return found

    def band(self, band: int) -> Digests:
        """Eight bins of every document as one number, (D,)."""
        return np.concatenate([np.empty(0, np.uint64), *(piece[:, band].copy() for piece in self._pieces())])

    def _pieces(self) -> Iterator[Digests]:
        for path in self.paths:
            with open(path, "rb") as file:
                while len(piece := np.fromfile(file, np.uint64, PIECE * BANDS)):
                    yield piece.reshape(-1, BANDS)


class Sketches(NamedTuple):
    """What is known of documents: words (D,), digests (D,), and sketches (D, 128), 0 for a bin without a shingle."""

    lengths: Numbers
    digests: Digests
    sketches: Bytes | StoredSketches

    def band(self, band: int) -> Digests:
        """Eight bins of every document as one number, (D,)."""
        if isinstance(self.sketches, StoredSketches):
            return self.sketches.band(band)
        bands: Digests = self.sketches.view(np.uint64)
        return bands[:, band]

    def similarity(self, one: Rows, other: Rows) -> Floats:
        """Estimated Jaccard similarity of the shingles of pairs of documents, (n,) each; 128 bins err by about 0.04.

        |A ∩ B| / |A ∪ B| ≈ bins with the same hash / bins in which A or B has one
        """
        a, b = self.sketches[one], self.sketches[other]
        either = (a | b) != 0
        share: Floats = np.sum((a == b) & either, axis=1) / np.maximum(either.sum(axis=1), 1)
        return share


def sketch_documents(store: TokenStore, advance: Callable[[], object], folder: Path | None = None) -> Sketches:
    """Sketches of all documents of a store, 144 bytes each; BREAK is not a word.

    advance : called for each document;  folder : for the sketches, if they shall not be in memory
    """
    numbers = np.array([-1 if word == BREAK else i for i, word in enumerate(store.words)], dtype=np.int32)
    found: list[Sketches] = []
    for part in store.each(sketch_part, (numbers, word_codes(store.words)), folder):
        found.append(part)
        for _ in part.lengths:
            advance()
    return found[0] if len(found) == 1 else _joined(found)


def _joined(parts: Sequence[Sketches]) -> Sketches:
    """The sketches of all parts, in order; those in files stay there."""
    lengths = np.concatenate([part.lengths for part in parts])
    digests = np.concatenate([part.digests for part in parts])
    held = [part.sketches for part in parts if isinstance(part.sketches, np.ndarray)]
    if held:
        return Sketches(lengths, digests, np.concatenate(held))
    paths = [path for part in parts if isinstance(part.sketches, StoredSketches) for path in part.sketches.paths]
    return Sketches(lengths, digests, StoredSketches(paths, np.cumsum([len(part.lengths) for part in parts]).tolist()))


def sketch_part(tokens: TokenFile, keep: Mask, numbers: Numbers, codes: Hashes, folder: Path | None) -> Sketches:
    """Sketches of the documents of one part, in a file of the folder if there is one.

    numbers, codes : (words,) number of each word among all, −1 for BREAK, and hash of the word itself
    """
    own = np.where(numbers < 0, np.int32(-1), np.arange(len(numbers), dtype=np.int32))
    words = mixed(int(numbers.max(initial=0)) + 1)[numbers]
    places = mixed(int(tokens.lengths.max(initial=0)))
    D, first = int(keep.sum()), 0
    n_words, named = np.empty(D, np.int32), np.empty(D, np.uint64)
    held = np.empty((0 if folder else D, BINS), np.uint8)
    with nullcontext((None, "")) if folder is None else scratch_file(folder, "sketches") as (file, path):
        for block in tokens.blocks(own, keep, BLOCK):
            rows = slice(first, first := first + block.n_documents)
            block = block.select(block.word >= 0)
            lengths = np.bincount(block.document, minlength=block.n_documents)
            n_words[rows], named[rows] = lengths, digests(words[block.word], lengths, places)
            sketches = min_hashes(codes[block.word], block)
            if file is None:
                held[rows] = sketches
            else:
                sketches.tofile(file)
    return Sketches(n_words, named, StoredSketches([path], [D]) if folder else held)


def mixed(n: int) -> Digests:
    """A hash of each number from 0 to n − 1, by the last step of splitmix64."""
    x = (np.arange(n, dtype=np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixture: Digests = x ^ (x >> np.uint64(31))
    return mixture


def word_codes(words: Sequence[str]) -> Hashes:
    """A hash of each word, whatever the others are, so that two documents always have the same similarity."""
    x = np.array([crc32(word.encode("utf-8", "surrogatepass")) for word in words], dtype=np.uint32)
    x = (x ^ (x >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    x = (x ^ (x >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    codes: Hashes = x ^ (x >> np.uint32(16))
    return codes


def digests(hashes: Digests, lengths: Ints, places: Digests) -> Digests:
    """A number for the words of each document in their order.

        digest(d) = Σ_i hash(word i of d) · hash(i)   modulo 2⁶⁴

    hashes : (n,) of the tokens;  lengths : (D,) tokens of each document;  places : hash(i).  Returns (D,).
    """
    ends = np.concatenate([[0], np.cumsum(lengths)])
    place = np.arange(len(hashes)) - np.repeat(ends[:-1], lengths)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(hashes * places[place], dtype=np.uint64)])
    found: Digests = sums[ends[1:]] - sums[ends[:-1]]
    return found


def min_hashes(codes: Hashes, block: Block) -> Bytes:
    """The sketches of the documents of a block, (documents, 128); codes : (n,) of its tokens."""
    least = np.full(block.n_documents * BINS, _NONE, dtype=np.uint32)
    if len(codes) >= SHINGLE:
        document = block.document[: 1 - SHINGLE]
        shingle = codes[:-2] * _ODD[0] + codes[1:-1] * _ODD[1] + codes[2:] * _ODD[2]
        shingle[document != block.document[SHINGLE - 1 :]] = _NONE  # of two documents
        np.minimum.at(least, document * BINS + (shingle % np.uint32(BINS)), shingle)
    lowest = np.maximum((least // np.uint32(BINS)).astype(np.uint8), 1)  # of the rest of the hash, the lowest byte
    return np.where(least == _NONE, np.uint8(0), lowest).reshape(-1, BINS)
