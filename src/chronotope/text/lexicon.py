"""The words that tokens mean: lemmas, phrases and stop words, and how often each word occurs."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from chronotope._typing import Ints, Mask
from chronotope.text.build import WordTable
from chronotope.text.languages import Guess, guess_language, lemmas, stop_words
from chronotope.text.options import Preprocessing
from chronotope.text.phrases import Joined, Phrases, find_phrases, given_phrases, phrase_names
from chronotope.text.store import Block, Numbers, TokenFile, TokenStore
from chronotope.text.tokenize import BREAK, unspaced_share

_MOSTLY, _PARTLY = 0.5, 0.05  # shares of letters in scripts without spaces
_ADVICE = (
    "pass a tokenizer that knows the words, such as tokenizer=jieba.lcut for Chinese, janome or fugashi for Japanese, "
    'pythainlp.word_tokenize for Thai, or tokenizer="pairs" for pairs of Chinese or Japanese characters'
)


class Lexicon:
    """The words that the tokens of a store mean: lemmas and phrases.

    words : every word and phrase;  stop_words : the list that applies;  notes : what was decided, one sentence each
    """

    def __init__(self, store: TokenStore, options: Preprocessing) -> None:
        self.store, self.notes = store, list[str]()
        if store.n_marked:
            self.notes.append(f"HTML was removed from {store.n_marked:,} of {len(store.keep):,} texts")
        occurrences = self._raw_occurrences()
        if not callable(options.tokenizer) and options.token_pattern is None:
            self._check_spaces(unspaced_share(zip(store.words, occurrences.tolist(), strict=True), options.tokenizer))
        self.stop_words = self._stop_words(occurrences, options)
        self.words, self.meaning = self._meanings(options)
        self.joined = self._phrases(occurrences, options)

    def word_table(self) -> WordTable:
        """Occurrences of every word and the documents it is in."""
        W = len(self.words)
        occurrences, containing = np.zeros(W, dtype=np.int64), np.zeros(W, dtype=np.int64)
        for found in self.store.each(tally, (self.meaning,), self.joined, W):
            occurrences[found.number] += found.occurrences
            containing[found.number] += found.containing
        words = np.array(self.words, dtype=object)
        table = WordTable(words, np.arange(W), occurrences, containing, int(self.store.keep.sum()))
        return table.select(occurrences > 0)

    def columns(self, kept: WordTable, vocabulary: Sequence[str]) -> Columns:
        """Where the words of a vocabulary are counted.   kept : those of them that occur"""
        column = {word: v for v, word in enumerate(vocabulary)}
        at = np.array([column[word] for word in kept.words], dtype=np.int32)
        return Columns(kept.number, at, len(self.words), len(vocabulary))

    def _raw_occurrences(self) -> Ints:
        """Of every distinct token."""
        W = len(self.store.words)
        total = np.zeros(W, dtype=np.int64)
        counted = self.store.each(raw_occurrences, (np.arange(W, dtype=np.int32),))
        for part, occurrences in zip(self.store.parts, counted, strict=True):
            total[part.numbers] += occurrences
        return total

    def _check_spaces(self, share: float) -> None:
        """Refuse, or warn of, texts in scripts without spaces between words; share : of the letters."""
        what = f"{share:.0%} of the letters are in a script without spaces between words (Chinese, Japanese, Thai, ...)"
        if share >= _MOSTLY:
            raise ValueError(f"{what}; {_ADVICE}.")
        if share >= _PARTLY:
            self._warn(f"{what}, and everything between two punctuation marks was taken for a word; {_ADVICE}")

    def _warn(self, note: str) -> None:
        self.notes.append(note)
        warnings.warn(note, stacklevel=2)

    def _stop_words(self, occurrences: Ints, options: Preprocessing) -> frozenset[str]:
        """The list asked for; that of a language is compared with the language of the texts."""
        given = options.stop_words
        if given is None or options.vocabulary is not None:
            return frozenset()
        if not isinstance(given, str):
            return frozenset(word.lower() for word in given)
        guess = guess_language([word.lower() for word in self.store.words], occurrences)
        if given == "auto":
            self.notes.append(guess.checked())
            return stop_words(guess.code)
        listed = stop_words(given)
        if guess.clear and not listed >= stop_words(guess.code):
            self._warn_of_language(guess, listed, occurrences, given)
        return listed

    def _warn_of_language(self, guess: Guess, listed: frozenset[str], occurrences: Ints, given: str) -> None:
        """Warn if the texts are in another language than the stop words."""
        among = np.array([word.lower() in listed for word in self.store.words])
        share = occurrences[among].sum() / occurrences.sum()
        if share < guess.share / 3:
            self._warn(
                f"the texts look {guess.name}: {guess.share:.0%} of their words are stop words of it, {share:.0%} of "
                f"{given!r}; pass stop_words={guess.code!r} if they are, or a list of your own"
            )

    def _meanings(self, options: Preprocessing) -> tuple[list[str], Numbers]:
        """All words, and for every token the index of the word it means, −1 for none; stop words stay."""
        tokens = self.store.words
        words = list(tokens)
        if options.lemmatize is not None:
            at = [i for i, word in enumerate(tokens) if word != BREAK and word.lower() not in self.stop_words]
            for i, lemma in zip(at, lemmas((tokens[i] for i in at), options.lemmatize, options.lowercase), strict=True):
                words[i] = lemma
            self.notes.append(f"{len(set(tokens)):,} forms were brought to {len(set(words)):,} lemmas")
        number = {word: i for i, word in enumerate(dict.fromkeys(word for word in words if word != BREAK))}
        meaning = np.array([number.get(word, -1) for word in words], dtype=np.int32)
        return list(number), meaning

    def _phrases(self, raw: Ints, options: Preprocessing) -> Joined:
        """The phrases found, or those of a given vocabulary, added to the words."""
        if options.vocabulary is None and isinstance(options.phrases, bool | Phrases) and options.phrases:
            codes = self._found_phrases(raw, Phrases() if options.phrases is True else options.phrases)
        else:
            codes = given_phrases(options.known_phrases, self.words)
        number = {word: i for i, word in enumerate(self.words)}
        names = phrase_names(codes, self.words)
        found = np.array([number.setdefault(name, len(number)) for name in names], dtype=np.int32)
        self.words = list(number)
        return Joined(codes, found)

    def _found_phrases(self, raw: Ints, options: Phrases) -> Ints:
        word = self.meaning >= 0
        occurrences = np.bincount(self.meaning[word], weights=raw[word], minlength=len(self.words)).astype(np.int64)
        allowed = np.array([word.lower() not in self.stop_words for word in self.words], dtype=bool)
        codes, scores = find_phrases(self.store, self.meaning, occurrences, allowed, options)
        best = phrase_names(codes[np.argsort(-scores, kind="stable")[:5]], self.words)
        shown = f" ({', '.join(best)}{', ...' * (len(codes) > 5)})" if best else ""
        self.notes.append(f"{len(codes):,} {'phrases were' if len(codes) != 1 else 'phrase was'} joined{shown}")
        return codes


def as_counts(block: Block, V: int) -> sp.csr_array:
    """Counts of the words of a block, (documents, V), int32 and canonical; −1 is not a word."""
    block = block.select(block.word >= 0)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(block.document, minlength=block.n_documents))])
    ones = np.ones(len(block.word), dtype=np.int32)
    counts: sp.csr_array = sp.csr_array((ones, block.word, indptr), shape=(block.n_documents, V))
    counts.sum_duplicates()
    return counts


class Columns(NamedTuple):
    """The columns in which words are counted: number and column of each of them, (n,);  W words, V columns."""

    number: Ints
    column: Numbers
    W: int
    V: int

    def by_number(self) -> Numbers:
        """The column of every word, (W + 1,), −1 for none; the last entry is that of no word, −1."""
        column = np.full(self.W + 1, -1, dtype=np.int32)
        column[self.number] = self.column
        return column


class Tally(NamedTuple):
    """Words that occur, their occurrences and the number of documents they are in;  (n,) each."""

    number: Ints
    occurrences: Ints
    containing: Ints


def raw_occurrences(tokens: TokenFile, keep: Mask, numbers: Numbers) -> Ints:
    """Occurrences of the distinct tokens of some documents.   numbers : (n,) of the tokens.  Returns (n,)."""
    W = len(numbers)
    own = np.arange(W, dtype=np.int32)
    return sum((np.bincount(block.word, minlength=W) for block in tokens.blocks(own, keep)), np.zeros(W, np.int64))


def tally(tokens: TokenFile, keep: Mask, meaning: Numbers, joined: Joined, W: int) -> Tally:
    """The words that occur in some documents, phrases joined.   meaning : the index of each token among W words"""
    occurrences, containing = np.zeros(W, dtype=np.int64), np.zeros(W, dtype=np.int64)
    for block in tokens.blocks(meaning, keep):
        block = joined.apply(block)
        containing += np.bincount(as_counts(block, W).indices, minlength=W)
        occurrences += np.bincount(block.word[block.word >= 0], minlength=W)
    number = np.flatnonzero(occurrences)
    return Tally(number, occurrences[number], containing[number])
