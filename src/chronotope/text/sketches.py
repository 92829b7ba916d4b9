"""Sketches of documents: a digest that only equal ones share, and bytes that tell how similar two of them are.

The sketch is MinHash with one permutation (Li, Owen and Zhang 2012): the shingles of a document, each three words in a
row, are hashed into 128 bins, and the smallest hash of a bin is kept, cut to one byte.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from chronotope._typing import Floats, Ints
from chronotope.text.store import Block, TokenStore
from chronotope.text.tokenize import BREAK

Bytes = NDArray[np.uint8]
Hashes = NDArray[np.uint32]
Digests = NDArray[np.uint64]

SHINGLE = 3  # words
BINS = 128
BLOCK = 2**17  # tokens at a time, few enough for the processor's cache
_NONE = np.uint32(2**32 - 1)  # the hash of no shingle
_ODD = tuple(np.uint32(factor) for factor in (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D))  # one for each word of a shingle


class Sketches(NamedTuple):
    """What is known of documents: words (D,), digests (D,), and sketches (D, 128), 0 for a bin without a shingle."""

    lengths: Ints
    digests: Digests
    sketches: Bytes

    def similarity(self, one: Ints, other: Ints) -> Floats:
        """Estimated Jaccard similarity of the shingles of pairs of documents, (n,) each; 128 bins err by about 0.04.

        |A ∩ B| / |A ∪ B| ≈ bins with the same hash / bins in which A or B has one
        """
        a, b = self.sketches[one], self.sketches[other]
        either = (a | b) != 0
        share: Floats = np.sum((a == b) & either, axis=1) / np.maximum(either.sum(axis=1), 1)
        return share


def sketch_documents(store: TokenStore, advance: Callable[[], object]) -> Sketches:
    """Sketches of all documents of a store, 144 bytes each; BREAK is not a word.   advance : called for each of them"""
    meaning = np.array([-1 if word == BREAK else i for i, word in enumerate(store.words)], dtype=np.int32)
    words, codes = mixed(len(store.words)), word_codes(store.words)
    places = mixed(int(store.lengths.max(initial=0)))
    broken = bool(np.any(meaning < 0))
    D = len(store.lengths)
    found = Sketches(np.empty(D, np.int64), np.empty(D, np.uint64), np.empty((D, BINS), np.uint8))
    first = 0
    for block in store.blocks(meaning, BLOCK):
        block = block.select(block.word >= 0) if broken else block
        rows = slice(first, first + block.n_documents)
        lengths = np.bincount(block.document, minlength=block.n_documents)
        found.lengths[rows] = lengths
        found.digests[rows] = digests(words[block.word], lengths, places)
        found.sketches[rows] = min_hashes(codes[block.word], block)
        first = rows.stop
        for _ in range(block.n_documents):
            advance()
    return found


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
