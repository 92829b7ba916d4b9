"""Options of preprocessing: what a word is, and which words and documents are kept; the paper's and others."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

from chronotope.text.languages import check_lemmatizer, contractions, language_codes
from chronotope.text.patterns import is_quick
from chronotope.text.phrases import JOINER, Phrases, checked_phrases
from chronotope.text.tokenize import Split, Tokenizer, given_splitter, pair_splitter, pattern_splitter, word_splitter


@dataclass(frozen=True)
class Preprocessing:
    """How texts become words: what a word is, and which words and documents are kept. The steps run in this order.

        words → duplicates → lemmas → phrases → stop words → rare words → widespread words → low-score words → short
        documents

    stop_words : str, iterable of str or None, default "english"; a language ("de", "German"), several ("de, fr"),
        "auto" to detect it, words of your own, or None to keep all
    lowercase : bool, default True; whether words are converted to lower case, as in CountVectorizer
    tokenizer : "words", "pairs" or callable, default "words"; three or more letters of any script, bigrams of
        characters for Chinese and Japanese, or a function from a text to a list of words, as in CountVectorizer
    token_pattern : str, default None; a regular expression for words in place of a tokenizer, as in CountVectorizer
    lemmatize : str or callable, default None; a language, or a function from a word to its lemma
    phrases : bool, Phrases or iterable of str, default False; whether to join adjacent words that belong together; how,
        as `Phrases`; or which, as ["united_states"]
    min_count : int, default None for √M / 40, at least 1 and at most the paper's 25, M being the tokens left after
        the stop words (1 below 2,000 tokens, 8 at 100,000, 25 from 1,000,000); minimum occurrences of a word, as in
        gensim's Phrases and Word2Vec
    min_documents : int, default 1; minimum number of documents that have a word, called min_df in CountVectorizer,
        no_below in gensim
    max_document_share : float, default 1.0; maximum share of the documents that have a word, called max_df in
        CountVectorizer, no_above in gensim
    min_score : float, default None; minimum global tf-idf of a word, see `global_score`
    max_vocabulary : int or None, default 10,000; maximum number of words, called max_features in CountVectorizer,
        keep_n in gensim
    rank : "score" or "count", default "score"; whether these are the words of highest global tf-idf or the most
        frequent ones
    vocabulary : iterable of str, default None; exactly these words, in this order, in place of all steps that choose
        words, as in CountVectorizer
    min_document_words : int, default 1; minimum number of kept words in a document; 0 keeps empty documents
    duplicates : "keep", "drop" or None, default "keep"; documents of 20 or more words that repeat an earlier one,
        exactly or nearly, are counted, or dropped as well; None does not look for them
    """

    stop_words: str | Iterable[str] | None = "english"
    lowercase: bool = True
    tokenizer: Tokenizer = "words"
    token_pattern: str | None = None
    lemmatize: str | Callable[[str], str] | None = None
    phrases: bool | Phrases | Iterable[str] = False
    min_count: int | None = None
    min_documents: int = 1
    max_document_share: float = 1.0
    min_score: float | None = None
    max_vocabulary: int | None = 10_000
    rank: Literal["score", "count"] = "score"
    vocabulary: Iterable[str] | None = None
    min_document_words: int = 1
    duplicates: Literal["keep", "drop"] | None = "keep"

    def __post_init__(self) -> None:
        if isinstance(self.stop_words, str):
            if self.stop_words != "auto":
                language_codes(self.stop_words)
        elif self.stop_words is not None:
            object.__setattr__(self, "stop_words", frozenset(self.stop_words))
        for name, least in (("min_count", 1), ("min_documents", 1), ("max_vocabulary", 1), ("min_document_words", 0)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise ValueError(f"{name} is {value}; expected at least {least}.")
        if not 0 < self.max_document_share <= 1:
            raise ValueError(f"max_document_share is {self.max_document_share}; expected a share above 0, at most 1.")
        if self.rank not in ("score", "count"):
            raise ValueError(f'rank is {self.rank!r}; expected "score" or "count".')
        if self.duplicates not in ("keep", "drop", None):
            raise ValueError(f'duplicates is {self.duplicates!r}; expected "keep", "drop" or None.')
        if self.vocabulary is not None:
            object.__setattr__(self, "vocabulary", _checked_vocabulary(self.vocabulary))
        if not isinstance(self.phrases, bool | Phrases):
            object.__setattr__(self, "phrases", checked_phrases(self.phrases))
        check_lemmatizer(self.lemmatize)
        _check_tokenizer(self)

    def splitter(self) -> Split:
        """The function that splits a text, by `tokenizer` or `token_pattern`; empty strings separate phrases."""
        if callable(self.tokenizer):
            return given_splitter(self.tokenizer, self.lowercase)
        if self.token_pattern is not None:
            return pattern_splitter(self.token_pattern, self.lowercase)
        whole = contractions(self.stop_words)
        if self.tokenizer == "pairs":
            return pair_splitter(self.lowercase, whole)
        return word_splitter(self.lowercase, whole, breaks=bool(self.phrases or self.known_phrases))

    @property
    def what_is_a_word(self) -> str:
        """A few words on tokens, for messages."""
        if callable(self.tokenizer):
            return f"a word is what {getattr(self.tokenizer, '__name__', 'tokenizer')} gives"
        if self.token_pattern is not None:
            return f"a word is what {self.token_pattern!r} finds"
        return "a word is three or more letters"

    @property
    def known_phrases(self) -> tuple[str, ...]:
        """The phrases that were given, alone or in a vocabulary."""
        given = self.phrases if isinstance(self.phrases, tuple) else ()
        return (*given, *(word for word in self.vocabulary or () if JOINER in word))

    @classmethod
    def paper(cls, *, max_vocabulary: int | None = None, min_score: float | None = None) -> Preprocessing:
        """The paper's values: English stop words, 25 occurrences of a word, 10 words per document, and a score.

        max_vocabulary : int, default None for 5,000 if min_score is not given either; words of highest score to keep
        min_score : float, default None; minimum global tf-idf. The paper gives no threshold.   [data and preprocessing]
        """
        if max_vocabulary is None and min_score is None:
            max_vocabulary = 5_000
        return cls(min_count=25, min_document_words=10, max_vocabulary=max_vocabulary, min_score=min_score)


def options_to_json(preprocessing: Preprocessing | None) -> dict[str, Any] | None:
    """Options as a JSON object; None, with a warning, if functions of the user are among them."""
    if preprocessing is None:
        return None
    own = [name for name in ("tokenizer", "lemmatize") if callable(getattr(preprocessing, name))]
    if own:
        warnings.warn(
            f"how texts were prepared is not saved: {' and '.join(own)} is a function, which no file can hold. Count "
            "the words of new documents yourself.",
            UserWarning,
            stacklevel=2,
        )
        return None
    return {name: _as_list(value) for name, value in asdict(preprocessing).items()}


def options_from_json(options: dict[str, Any] | None) -> Preprocessing | None:
    """The options that `options_to_json` wrote, checked again; None, with a warning, if their pattern may be slow."""
    if options is None:
        return None
    pattern = options["token_pattern"]
    if pattern is not None and not is_quick(pattern):
        warnings.warn(
            f"how texts were prepared is not taken from the file: on some texts its token_pattern {pattern!r:.80} may "
            "take for ever. New texts are prepared as by default; to use that pattern, if you trust it, pass a Corpus "
            "made with Preprocessing(token_pattern=...).",
            UserWarning,
            stacklevel=2,
        )
        return None
    phrases = options["phrases"]
    return Preprocessing(**(options | {"phrases": Phrases(**phrases) if isinstance(phrases, dict) else phrases}))


def _as_list(value: Any) -> Any:
    return sorted(value) if isinstance(value, frozenset) else list(value) if isinstance(value, tuple) else value


def _check_tokenizer(options: Preprocessing) -> None:
    """Refuse two ways to find words, and a pattern that does not compile or has more than one group."""
    if not callable(options.tokenizer) and options.tokenizer not in ("words", "pairs"):
        raise ValueError(f'tokenizer is {options.tokenizer!r}; expected "words", "pairs" or a function of a text.')
    if options.tokenizer == "pairs" and options.phrases:
        raise ValueError('phrases are made of words, and tokenizer="pairs" finds none; pass one of them.')
    pattern = options.token_pattern
    if pattern is None:
        return
    if options.tokenizer != "words":
        raise ValueError("token_pattern and tokenizer both say what a word is; pass one of them.")
    try:
        groups = re.compile(pattern).groups
    except re.error as error:
        raise ValueError(f"token_pattern is {pattern!r}; expected a regular expression ({error}).") from None
    if groups > 1:
        raise ValueError(f"token_pattern {pattern!r} has {groups} groups; use at most one, and (?:...) for the others.")
    if not is_quick(pattern):
        warnings.warn(
            f"token_pattern {pattern!r:.80} may take very long on some texts, as there are many ways in which it can "
            "match the same letters. Patterns such as '[a-z]+' do not.",
            UserWarning,
            stacklevel=4,
        )


def _checked_vocabulary(given: Iterable[str]) -> tuple[str, ...]:
    """The words given, once each and in their order."""
    if isinstance(given, str):
        raise ValueError(f"vocabulary is {given!r:.60}, a string; pass a list of words.")
    words = tuple(str(word) for word in given)
    if not words or len(set(words)) < len(words):
        raise ValueError(f"vocabulary has {len(words):,} words, {len(set(words)):,} of them different; pass each once.")
    return words
