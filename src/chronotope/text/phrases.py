"""Phrases: pairs of adjacent words that occur together far more often than by chance (bigrams)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from chronotope._typing import Floats, Ints, Mask
from chronotope.text.store import Block, Numbers, TokenFile, TokenStore

JOINER = "_"
_PAIRS = 2**24  # counted at a time, 8 bytes each


@dataclass(frozen=True)
class Phrases:
    """Which pairs of adjacent words are joined into one, such as united_states.

        npmi(a, b) = ln( n_ab M / (n_a n_b) ) / ln( M / n_ab )

    M tokens, n_a and n_b occurrences of the words, n_ab of the pair. It is 1 if neither occurs without the other,
    0 if they are independent.

    min_count : int, default 20; minimum occurrences of a pair, as in gensim's Phrases
    min_score : float from −1 to 1, default 0.5; minimum normalised pointwise mutual information, called threshold in
        gensim's Phrases with scoring="npmi"
    """

    min_count: int = 20
    min_score: float = 0.5

    def __post_init__(self) -> None:
        if self.min_count < 2:
            raise ValueError(f"min_count of Phrases is {self.min_count}; expected at least 2.")
        if not -1 <= self.min_score <= 1:
            raise ValueError(f"min_score of Phrases is {self.min_score}; expected a value from -1 to 1.")


class Joined(NamedTuple):
    """Pairs that are phrases: first << 32 | second, ascending, and the number of each phrase as a word;  (n,) each."""

    codes: Ints
    number: Numbers

    def apply(self, block: Block) -> Block:
        """The block with every phrase one token; of overlapping ones, as in new york city, the first is taken."""
        if not len(self.codes):
            return block
        codes = pair_codes(block)
        at = np.minimum(np.searchsorted(self.codes, codes), len(self.codes) - 1)
        first = _every_other(self.codes[at] == codes)
        word = block.word.copy()
        word[:-1][first] = self.number[at[first]]
        keep = np.ones(len(word), dtype=bool)
        keep[1:][first] = False
        return block._replace(word=word).select(keep)


def pair_codes(block: Block) -> Ints:
    """One number for each token and the next, −1 where they are not two words of one document.  Returns (n − 1,)."""
    word, document = block.word.astype(np.int64), block.document
    paired = (document[1:] == document[:-1]) & (word[1:] >= 0) & (word[:-1] >= 0)
    return np.where(paired, word[:-1] << 32 | np.maximum(word[1:], 0), -1)


def find_phrases(
    store: TokenStore, meaning: Numbers, occurrences: Ints, allowed: Mask, options: Phrases
) -> tuple[Ints, Floats]:
    """Codes of the pairs that are phrases, ascending, and their scores; exact, whatever the size of the collection.

    The pairs are counted in as many parts as fit in memory, with one pass over the tokens for each.
    meaning : (words of the store,) the index of each;  occurrences : (W,) of each index
    allowed : (W,) whether it may be in a phrase
    """
    fit = allowed & (occurrences >= options.min_count)
    fitting = np.where(np.append(fit, False)[meaning], meaning, np.int32(-1))  # the last entry is that of no word
    tokens = int(occurrences.sum())
    parts = 1 + tokens // _PAIRS
    found: list[tuple[Ints, Floats]] = []
    for part in range(parts):
        codes, n = merged_pairs(store.each(count_pairs, (fitting,), part, parts))
        often = n >= options.min_count
        codes, n = codes[often], n[often]
        score = phrase_score(n, occurrences[codes >> 32], occurrences[codes & 0xFFFFFFFF], tokens)
        found.append((codes[score >= options.min_score], score[score >= options.min_score]))
    codes, scores = (np.concatenate(column) for column in zip(*found, strict=True))
    order = np.argsort(codes)
    return codes[order], scores[order]


class PairCounts(NamedTuple):
    """Codes of pairs, ascending, and how often each occurs;  (n,) each."""

    codes: Ints
    n: Ints


def count_pairs(tokens: TokenFile, keep: Mask, fitting: Numbers, part: int, parts: int) -> PairCounts:
    """Occurrences of the pairs whose codes are in one part of all, in some documents."""
    blocks = tokens.blocks(fitting, keep)
    return merged_pairs(PairCounts(*np.unique(_in_part(b, part, parts), return_counts=True)) for b in blocks)


def merged_pairs(counted: Iterable[PairCounts]) -> PairCounts:
    """The sum of counts, with no more in memory than the sum and one of them."""
    total = PairCounts(np.empty(0, np.int64), np.empty(0, np.int64))
    for codes, n in counted:
        if not len(total.codes):
            total = PairCounts(codes, n)
            continue
        both, place = np.unique(np.concatenate([total.codes, codes]), return_inverse=True)
        summed = np.bincount(place, np.concatenate([total.n, n]))  # exact below 2⁵³
        total = PairCounts(both, summed.astype(np.int64))
    return total


def phrase_score(n_ab: Ints, n_a: Ints, n_b: Ints, tokens: int) -> Floats:
    """Normalised pointwise mutual information of pairs, as in `Phrases`.

    n_ab, n_a, n_b : (n,) occurrences of the pairs and of their words;  tokens : M.  Returns (n,).
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        score = (np.log(n_ab) + np.log(tokens) - np.log(n_a) - np.log(n_b)) / (np.log(tokens) - np.log(n_ab))
    return np.where(n_ab < tokens, score, 1.0)


def checked_phrases(given: object) -> tuple[str, ...]:
    """The phrases given, two words each, joined by an underscore or a space."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ValueError(f"phrases is {given!r}; expected True, Phrases(...) or a list such as ['united_states'].")
    phrases = tuple(str(phrase).strip().replace(" ", JOINER) for phrase in given)
    for phrase in phrases:
        if len(phrase.split(JOINER)) != 2 or not all(phrase.split(JOINER)):
            raise ValueError(f"the phrase {phrase!r} does not have two words; pass pairs such as 'united_states'.")
    return phrases


def given_phrases(phrases: Iterable[str], words: Sequence[str]) -> Ints:
    """Codes of the phrases whose two words occur, ascending."""
    number = {word: i for i, word in enumerate(words)}
    pairs = (phrase.split(JOINER) for phrase in phrases if phrase not in number)
    known = {number[p[0]] << 32 | number[p[1]] for p in pairs if len(p) == 2 and p[0] in number and p[1] in number}
    return np.array(sorted(known), dtype=np.int64)


def phrase_names(codes: Ints, words: Sequence[str]) -> list[str]:
    """The phrases as words."""
    return [words[code >> 32] + JOINER + words[code & 0xFFFFFFFF] for code in codes.tolist()]


def _in_part(block: Block, part: int, parts: int) -> Ints:
    """The codes of the pairs of a block that are in one part of all."""
    codes = pair_codes(block)
    codes = codes[codes >= 0]
    return codes if parts == 1 else codes[(codes % 1_000_003) % parts == part]


def _every_other(joins: Mask) -> Ints:
    """Places to join, from the left: in a run of places that would overlap, every other one."""
    at = np.flatnonzero(joins)
    starts = np.ones(len(at), dtype=bool)
    starts[1:] = np.diff(at) > 1
    begin = at[starts][np.cumsum(starts) - 1]
    chosen: Ints = at[(at - begin) % 2 == 0]
    return chosen
