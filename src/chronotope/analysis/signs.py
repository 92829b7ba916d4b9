"""Signs that a topic is no subject: how its words and its text are spread over the documents."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from chronotope._typing import Floats, Ints
from chronotope.analysis.keywords import TINY

BLOCKS, BLOCK = (
    16,
    100,
)  # maximum number of blocks of documents of one time, and documents in one at least
LENGTHS = 32  # groups of documents of about the same length
MET = 1.0  # documents with both words that chance has to bring about before two words are judged
DEVIATIONS = 1.0  # standard deviations below chance from which two words are apart


class Blocks(NamedTuple):
    """Documents in blocks of about the same time.   place : (D,), the block of each;  sizes : (B,), their numbers."""

    place: Ints
    sizes: Ints


class Pairs(NamedTuple):
    """Pairs of words of one topic: how many were judged, the part that is apart, and the two that are most so."""

    judged: int
    apart: float
    farthest: tuple[str, str]


def time_blocks(times: Floats) -> Blocks:
    """At most 16 blocks of equally many documents, in order of time.   times : (D,)."""
    D = len(times)
    B = int(np.clip(D // BLOCK, 1, BLOCKS))
    place = np.empty(D, dtype=np.int64)
    place[np.argsort(times, kind="stable")] = np.arange(D) * B // max(D, 1)
    return Blocks(place, np.bincount(place, minlength=B))


def clumping_in_documents(counts: sp.csr_array, lengths: Floats, blocks: Blocks) -> Floats:
    """In how many fewer documents words are than tokens thrown at random would be, as a log ratio, (V,).

        log(Σ_d (1 − exp(−n_d r_v)) / D_v)      r_v : rate of the word in the block of d;  D_v : documents with the word

    It is about 0 for words of a way of speaking, and large for names and for words of a subject, which some documents
    repeat and most do not have. [residual inverse document frequency, Church and Gale 1995]
    """
    expected, found = np.zeros(counts.shape[1]), np.zeros(counts.shape[1])
    for b in range(len(blocks.sizes)):
        rows = np.flatnonzero(blocks.place == b)
        part, n = counts[rows], np.sort(lengths[rows])
        rate = np.asarray(part.sum(axis=0)).ravel() / max(float(n.sum()), TINY)
        found += np.bincount(part.indices, minlength=counts.shape[1])
        for group in np.array_split(n, min(LENGTHS, max(len(n), 1))):
            expected += len(group) * -np.expm1(-rate * (group.mean() if len(group) else 0.0))
    clumping: Floats = np.log(np.maximum(expected, TINY) / np.maximum(found, 1.0)) * (found > 0)
    return clumping


def pairs_apart(counts: sp.csr_array, words: list[list[int]], names: list[list[str]], blocks: Blocks) -> list[Pairs]:
    """How many pairs of a topic's words are clearly less often in the same documents than by chance.

        together_ij ≤ c_ij − √c_ij,      c_ij = Σ_b D_ib D_jb / D_b

    D_b are the documents of a block of time, D_ib those of them with word i. One pair in six of words that have nothing
    to do with each other is that far apart. Only pairs with c ≥ 1 are judged, so words of different times are not held
    against a topic.

    counts : (D, V);  words : columns of the words of each topic;  names : the words themselves
    """
    columns, place = np.unique(np.concatenate([np.array(own, dtype=np.int64) for own in words]), return_inverse=True)
    has = sp.csr_array((counts[:, columns] > 0).astype(np.float64))
    member = sp.csr_array((np.ones(len(blocks.place)), (blocks.place, np.arange(len(blocks.place)))))
    per_block = (member @ has).toarray() / np.sqrt(np.maximum(blocks.sizes, 1))[:, None]
    together, chance = (has.T @ has).toarray(), per_block.T @ per_block
    found, start = [], 0
    for own, named in zip(words, names, strict=True):
        here = np.ix_(*(place[start : start + len(own)],) * 2)
        found.append(_judge(together[here], chance[here], named))
        start += len(own)
    return found


def _judge(together: Floats, chance: Floats, names: list[str]) -> Pairs:
    """The pairs of W words.   together, chance : (W, W)."""
    i, j = np.triu_indices(len(names), 1)
    likely = np.flatnonzero(chance[i, j] >= MET)
    i, j = i[likely], j[likely]
    if not len(likely):
        return Pairs(0, 0.0, ("", ""))
    distance = (chance[i, j] - together[i, j]) / np.sqrt(chance[i, j])
    worst = int(np.argmax(distance))
    return Pairs(len(likely), float(np.mean(distance >= DEVIATIONS)), (names[i[worst]], names[j[worst]]))


def spread_over_documents(tokens: Floats, lengths: Floats) -> Floats:
    """The part of the text that a topic would be in if it were evenly in some documents and in no others, (K,).

        (Σ_d n_dk)² / (Σ_d n_d Σ_d n_dk² / n_d)

    It is 1 for a topic with the same share in every document.   tokens : (D, K) n_dk;  lengths : (D,) n_d
    """
    squares = (tokens**2 / np.maximum(lengths, 1.0)[:, None]).sum(axis=0)
    spread: Floats = tokens.sum(axis=0) ** 2 / np.maximum(lengths.sum() * squares, TINY)
    return spread


def documents_with_half(tokens: Floats) -> Ints:
    """The least number of documents that hold half of a topic's tokens, (K,).   tokens : (D, K)."""
    held = np.cumsum(-np.sort(-tokens, axis=0), axis=0)
    number: Ints = (held < 0.5 * held[-1]).sum(axis=0) + 1
    return number
