"""From tokens to counts: lemmas, phrases, stop words, and which words of a collection are kept."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chronotope._typing import Floats, Ints, Mask
from chronotope.text.languages import Guess, guess_language, lemmas, stop_words
from chronotope.text.options import Preprocessing
from chronotope.text.phrases import Joined, Phrases, find_phrases, given_phrases, phrase_names
from chronotope.text.report import LISTED, Removed
from chronotope.text.store import Block, Numbers, TokenStore
from chronotope.text.tokenize import BREAK, unspaced_share


class WordTable(NamedTuple):
    """Words, their numbers, occurrences and the documents they are in, (V,) each; n_documents : D."""

    words: NDArray[np.object_]
    number: Ints
    occurrences: Ints
    containing: Ints
    n_documents: int

    def select(self, keep: Mask) -> WordTable:
        """The masked words."""
        words, number, occurrences, containing, D = self
        return WordTable(words[keep], number[keep], occurrences[keep], containing[keep], D)

    def as_removed(self, step: str) -> Removed:
        """All of these words as removed by a step."""
        shown = np.lexsort((self.words, -self.occurrences))[:LISTED]
        listed = zip(
            *(column[shown].tolist() for column in (self.words, self.occurrences, self.containing)), strict=True
        )
        return Removed(step, words=len(self.words), tokens=int(self.occurrences.sum()), listed=tuple(listed))


_WIDESPREAD = 0.5  # share of the documents above which a word is named
_ENOUGH_DOCUMENTS = 20
_SHOWN = 5  # words that are named


def filter_words(table: WordTable, stop: frozenset[str], options: Preprocessing) -> tuple[WordTable, list[Removed]]:
    """The words that every step keeps, and what each removed; a given vocabulary is the only step."""
    removed: list[Removed] = []
    for step, keeps in _steps(stop, options):
        keep = keeps(table)
        removed.append(table.select(~keep).as_removed(step))
        table = table.select(keep)
    return table, removed


def widespread_note(kept: WordTable, options: Preprocessing) -> list[str]:
    """A sentence on the kept words that are in more than half of the documents; none without such words.

    Fewer than 20 documents tell nothing, and a given vocabulary is as it was meant.
    """
    found = kept.select(kept.containing > _WIDESPREAD * kept.n_documents)
    n = len(found.words)
    if not n or kept.n_documents < _ENOUGH_DOCUMENTS or options.vocabulary is not None:
        return []
    shown = ", ".join(found.words[np.lexsort((found.words, -found.containing))[:_SHOWN]])
    words, them = ("word is", "it") if n == 1 else ("words are", "them")
    return [
        f"{n:,} {words} in more than half of all documents ({shown}{', ...' * (n > _SHOWN)}): remove {them} with "
        f"max_document_share={_WIDESPREAD}"
    ]


def global_score(counts: sp.csr_array) -> Floats:
    """Global tf-idf: how characteristic each word is in the whole corpus.

        score(w) = n_w / M · ln(D / n_dw)

    n_w occurrences of w, M tokens, D documents, n_dw documents containing w.
    counts : (D, V).  Returns (V,).   [appendix, global tf-idf score; its text misprints n_dw]
    """
    containing = np.bincount(counts.indices, minlength=counts.shape[1])
    return _score(np.asarray(counts.sum(axis=0)), containing, counts.shape[0])


def _score(occurrences: Ints, containing: Ints, n_documents: int) -> Floats:
    share = occurrences / max(float(occurrences.sum()), 1.0)
    score: Floats = share * np.log(n_documents / np.maximum(containing, 1))
    return score


def _steps(stop: frozenset[str], options: Preprocessing) -> list[tuple[str, Callable[[WordTable], Mask]]]:
    given = options.vocabulary
    if given is not None:
        listed = frozenset(given)
        return [("words not in the vocabulary", lambda table: np.array([word in listed for word in table.words]))]
    return [
        ("stop words", lambda table: _no_stop_word(table, stop)),
        ("rare words", lambda table: _frequent(table, options)),
        ("widespread words", lambda table: table.containing <= options.max_document_share * table.n_documents),
        ("low-score words" if options.rank == "score" else "less frequent words", lambda table: _best(table, options)),
    ]


def _no_stop_word(table: WordTable, stop: frozenset[str]) -> Mask:
    return np.array([word.lower() not in stop for word in table.words], dtype=bool)


def _frequent(table: WordTable, options: Preprocessing) -> Mask:
    least = options.min_count or np.clip(round(np.sqrt(table.occurrences.sum()) / 40), 1, 25)
    frequent: Mask = (table.occurrences >= least) & (table.containing >= options.min_documents)
    return frequent


def _best(table: WordTable, options: Preprocessing) -> Mask:
    """The words of sufficient score, and of them those of highest score or count; ties by count, then by name."""
    score = _score(table.occurrences, table.containing, table.n_documents)
    best = score >= (-np.inf if options.min_score is None else options.min_score)
    if options.max_vocabulary is not None:
        first = -score if options.rank == "score" else np.zeros(len(score))
        best[np.lexsort((table.words, -table.occurrences, first))[options.max_vocabulary :]] = False
    return best


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
            self.notes.append(f"HTML was removed from {store.n_marked:,} of {len(store.lengths):,} texts")
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
        for block in self._blocks():
            counts = _as_counts(block, W)
            containing += np.bincount(counts.indices, minlength=W)
            occurrences += np.bincount(block.word[block.word >= 0], minlength=W)
        words = np.array(self.words, dtype=object)
        table = WordTable(words, np.arange(W), occurrences, containing, int(self.store.keep.sum()))
        return table.select(occurrences > 0)

    def count(self, number: Mapping[str, int], vocabulary: Sequence[str]) -> Iterator[sp.csr_array]:
        """Counts of the words of a vocabulary, (n, V), some documents at a time.

        number : the index in `words` of each word that occurs
        """
        column = np.full(len(self.words) + 1, -1, dtype=np.int32)  # the last entry is that of index −1
        for v, word in enumerate(vocabulary):
            if word in number:
                column[number[word]] = v
        V = len(vocabulary)
        return (_as_counts(block._replace(word=column[block.word]), V) for block in self._blocks())

    def _blocks(self) -> Iterator[Block]:
        """The tokens with their phrases joined."""
        return (self.joined.apply(block) for block in self.store.blocks(self.meaning))

    def _raw_occurrences(self) -> Ints:
        """Of every distinct token."""
        W = len(self.store.words)
        unchanged = np.arange(W, dtype=np.int32)
        counted = (np.bincount(block.word, minlength=W) for block in self.store.blocks(unchanged))
        return sum(counted, np.zeros(W, dtype=np.int64))

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
        codes, scores = find_phrases(lambda: self.store.blocks(self.meaning), occurrences, allowed, options)
        best = phrase_names(codes[np.argsort(-scores, kind="stable")[:5]], self.words)
        shown = f" ({', '.join(best)}{', ...' * (len(codes) > 5)})" if best else ""
        self.notes.append(f"{len(codes):,} {'phrases were' if len(codes) != 1 else 'phrase was'} joined{shown}")
        return codes


def _as_counts(block: Block, V: int) -> sp.csr_array:
    """Counts of the words of a block, (documents, V), int32 and canonical; −1 is not a word."""
    block = block.select(block.word >= 0)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(block.document, minlength=block.n_documents))])
    ones = np.ones(len(block.word), dtype=np.int32)
    counts: sp.csr_array = sp.csr_array((ones, block.word, indptr), shape=(block.n_documents, V))
    counts.sum_duplicates()
    return counts
