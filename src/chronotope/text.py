"""From raw text to word counts: the paper's preprocessing, every step an option, every removal counted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer

Mask = NDArray[np.bool_]
Words = NDArray[np.object_]


@dataclass(frozen=True)
class Preprocessing:
    """Which words and documents to keep; the steps run in this order.

        stop words → rare words → widespread words → low-score words → empty and short documents

    The defaults suit a corpus of any size: min_count=None asks for √M / 40 occurrences, at least 1 and at most the
    paper's 25, M being the tokens left after the stop words (1 below 2,000 tokens, 8 at 100,000, 25 from 1,000,000);
    the 10,000 words of highest score are kept; only documents without a word are dropped.

    stop_words : "english" (scikit-learn's list), None, or words
    token_pattern : what a word is; by default three or more letters of any script
    min_count, min_documents : fewest occurrences, fewest documents of a word
    max_document_share : largest share of the documents a word may be in
    min_score, max_vocabulary : lowest score, number of words kept by score; see `global_score`
    min_document_words : shortest document; 0 keeps empty ones
    """

    stop_words: str | Iterable[str] | None = "english"
    lowercase: bool = True
    token_pattern: str = r"(?u)\b[^\W\d_]{3,}\b"
    min_count: int | None = None
    min_documents: int = 1
    max_document_share: float = 1.0
    min_score: float | None = None
    max_vocabulary: int | None = 10_000
    min_document_words: int = 1

    def __post_init__(self) -> None:
        if isinstance(self.stop_words, str) and self.stop_words != "english":
            raise ValueError(f'stop_words is {self.stop_words!r}; expected "english", None or a list of words.')
        if self.stop_words is not None and not isinstance(self.stop_words, str):
            object.__setattr__(self, "stop_words", frozenset(self.stop_words))
        for name, least in (("min_count", 1), ("min_documents", 1), ("max_vocabulary", 1), ("min_document_words", 0)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise ValueError(f"{name} is {value}; expected at least {least}.")
        if not 0 < self.max_document_share <= 1:
            raise ValueError(f"max_document_share is {self.max_document_share}; expected a share above 0, at most 1.")
        _check_pattern(self.token_pattern)

    @classmethod
    def paper(cls, *, max_vocabulary: int | None = None, min_score: float | None = None) -> Preprocessing:
        """The paper's values: stop words, 25 occurrences, 10 words a document, a vocabulary limited by score.

        The paper gives no threshold; without one the 5,000 words of highest score are kept.   [data and preprocessing]
        """
        if max_vocabulary is None and min_score is None:
            max_vocabulary = 5_000
        return cls(min_count=25, min_document_words=10, max_vocabulary=max_vocabulary, min_score=min_score)


_COUNTED = ("documents", "words", "tokens")


@dataclass(frozen=True)
class Removed:
    """What one step took away."""

    step: str
    words: int = 0
    tokens: int = 0
    documents: int = 0

    @property
    def removed_any(self) -> bool:
        """Whether the step took anything."""
        return bool(self.words or self.tokens or self.documents)

    def __str__(self) -> str:
        counted = [(getattr(self, what), what) for what in _COUNTED]
        parts = [f"{n:,} {what if n != 1 else what[:-1]}" for n, what in counted if n]
        return f"{self.step}: {', '.join(parts) or 'nothing'}"


@dataclass(frozen=True)
class PreprocessingReport:
    """What was read, and what each step removed; `print(report)` shows it, `report[step]` is one step.

    notes : what was decided while reading a file, one sentence each
    """

    documents: int
    words: int
    tokens: int
    removed: tuple[Removed, ...]
    notes: tuple[str, ...] = ()

    def __getitem__(self, step: str) -> Removed:
        return next((entry for entry in self.removed if entry.step == step), Removed(step))

    def after(self, *earlier: Removed, notes: Iterable[str] = ()) -> PreprocessingReport:
        """The report with steps that came first, whose documents were left out before their words were counted."""
        documents = self.documents + sum(step.documents for step in earlier)
        return replace(self, documents=documents, removed=(*earlier, *self.removed), notes=(*notes, *self.notes))

    def __str__(self) -> str:
        read = f"read {self.documents:,} documents, {self.words:,} words, {self.tokens:,} tokens"
        left = (getattr(self, what) - sum(getattr(e, what) for e in self.removed) for what in _COUNTED)
        kept = "kept " + ", ".join(f"{n:,} {what}" for n, what in zip(left, _COUNTED, strict=True))
        return "\n".join(
            [*self.notes, read, *(f"  removed {entry}" for entry in self.removed if entry.removed_any), kept]
        )


class CountedWords(NamedTuple):
    """counts : (kept documents, V) int32;  vocabulary : (V,);  keep : (D,) mask of the documents given."""

    counts: sp.csr_array
    vocabulary: NDArray[np.str_]
    keep: Mask
    report: PreprocessingReport


def count_words(texts: Iterable[str], preprocessing: Preprocessing | None = None) -> CountedWords:
    """Tokenise once, then filter words, then documents; texts are taken one at a time and not kept."""
    options = preprocessing or Preprocessing()
    counts, words = _tokenise(TextStream(texts), options)
    read = (counts.shape[0], len(words), int(counts.sum()))
    removed: list[Removed] = []
    for step, keeps in _WORD_STEPS:
        counts, words = _drop_words(counts, words, keeps(counts, words, options), step, removed)
    counts, keep = _drop_documents(counts, options.min_document_words, removed)
    used = np.asarray(counts.sum(axis=0)) > 0  # a word of dropped documents only says nothing
    counts, words = _drop_words(counts, words, used, "words of dropped documents", removed)
    report = PreprocessingReport(*read, tuple(removed))
    if not (len(words) and keep.any()):
        raise ValueError(_nothing_left_message(report, options))
    return CountedWords(counts, words.astype(np.str_), keep, report)


def global_score(counts: sp.csr_array) -> NDArray[np.float64]:
    """How telling each word is in the whole corpus, a global tf-idf.

        score(w) = n_w / M · ln(D / n_dw)

    n_w occurrences of w, M tokens, D documents, n_dw documents containing w.
    counts : (D, V).  Returns (V,).   [appendix, global tf-idf score; its text misprints n_dw]
    """
    occurrences = np.asarray(counts.sum(axis=0), dtype=np.float64)
    containing = np.maximum(_documents_with(counts), 1)
    score: NDArray[np.float64] = occurrences / max(occurrences.sum(), 1.0) * np.log(counts.shape[0] / containing)
    return score


class TextStream:
    """Texts one at a time, each of them a string: `taken` says how many there were so far, `done` whether all."""

    def __init__(self, texts: Any) -> None:
        if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
            raise ValueError(f"texts is {_short(texts)}; pass a list with one string per document.")
        self.texts: Iterable[Any] = texts
        self.taken = 0
        self.done = False

    def __iter__(self) -> Iterator[str]:
        for text in self.texts:
            if not isinstance(text, str):
                raise ValueError(
                    f"texts[{self.taken}] is {_short(text)}; expected a string. Drop the row or pass its text."
                )
            self.taken += 1
            yield text
        if not self.taken:
            raise ValueError("texts is empty; pass at least one document.")
        self.done = True


def check_texts(texts: Any) -> list[str]:
    """The texts as a list of strings, or an error that names the first that is none."""
    return list(TextStream(texts))


def _tokenise(texts: TextStream, options: Preprocessing) -> tuple[sp.csr_array, Words]:
    """Counts of every token, columns in alphabetical order."""
    vectorizer = CountVectorizer(lowercase=options.lowercase, token_pattern=options.token_pattern, dtype=np.int32)
    try:
        counts: sp.csr_array = sp.csr_array(vectorizer.fit_transform(texts))
    except ValueError:
        if not texts.done:  # a text was no string, or could not be read
            raise
        return sp.csr_array(np.empty((texts.taken, 0), dtype=np.int32)), np.empty(0, dtype=object)
    return counts, vectorizer.get_feature_names_out()


def _no_stop_word(counts: sp.csr_array, words: Words, options: Preprocessing) -> Mask:
    listed = ENGLISH_STOP_WORDS if options.stop_words == "english" else options.stop_words or ()
    stop_words = {word.lower() for word in listed}
    return np.array([word.lower() not in stop_words for word in words], dtype=bool)


def _frequent(counts: sp.csr_array, words: Words, options: Preprocessing) -> Mask:
    occurrences = np.asarray(counts.sum(axis=0))
    least = options.min_count or np.clip(round(np.sqrt(occurrences.sum()) / 40), 1, 25)
    frequent: Mask = (occurrences >= least) & (_documents_with(counts) >= options.min_documents)
    return frequent


def _specific(counts: sp.csr_array, words: Words, options: Preprocessing) -> Mask:
    specific: Mask = _documents_with(counts) <= options.max_document_share * counts.shape[0]
    return specific


def _telling(counts: sp.csr_array, words: Words, options: Preprocessing) -> Mask:
    score = global_score(counts)
    telling = score >= (-np.inf if options.min_score is None else options.min_score)
    if options.max_vocabulary is not None:
        best_first = np.lexsort((words, -np.asarray(counts.sum(axis=0)), -score))  # ties: frequent first, then by name
        telling[best_first[options.max_vocabulary :]] = False
    return telling


_WORD_STEPS: tuple[tuple[str, Callable[[sp.csr_array, Words, Preprocessing], Mask]], ...] = (
    ("stop words", _no_stop_word),
    ("rare words", _frequent),
    ("widespread words", _specific),
    ("low-score words", _telling),
)


def _documents_with(counts: sp.csr_array) -> NDArray[np.int64]:
    """In how many documents each word occurs: (V,)."""
    return np.bincount(counts.indices, minlength=counts.shape[1])


def _drop_words(
    counts: sp.csr_array, words: Words, keep: Mask, step: str, removed: list[Removed]
) -> tuple[sp.csr_array, Words]:
    """Keep the masked columns, and note what went."""
    kept = counts[:, keep]
    removed.append(Removed(step, words=int(np.sum(~keep)), tokens=int(counts.sum() - kept.sum())))
    return kept, words[keep]


def _drop_documents(counts: sp.csr_array, least: int, removed: list[Removed]) -> tuple[sp.csr_array, Mask]:
    """Keep the documents of at least `least` tokens, and note what went."""
    lengths = np.asarray(counts.sum(axis=1))
    short = lengths < least
    removed.append(Removed("empty documents", documents=int(np.sum(short & (lengths == 0)))))
    short_tokens = int(lengths[short].sum())
    removed.append(Removed("short documents", tokens=short_tokens, documents=int(np.sum(short & (lengths > 0)))))
    return counts[~short], ~short


def _nothing_left_message(report: PreprocessingReport, options: Preprocessing) -> str:
    """Which step removed what, and what to relax."""
    if not report.words:
        return (
            f"no words were found in {report.documents:,} texts; token_pattern is {options.token_pattern!r}, relax it."
        )
    steps = "; ".join(str(entry) for entry in report.removed if entry.removed_any)
    return (
        f"nothing is left of {report.documents:,} documents and {report.tokens:,} tokens. Removed {steps}. "
        "Relax stop_words, min_count, min_documents, max_document_share, min_score or min_document_words."
    )


def _check_pattern(pattern: str) -> None:
    """The pattern compiles and has at most one group, as the tokeniser needs."""
    try:
        groups = re.compile(pattern).groups
    except re.error as error:
        raise ValueError(f"token_pattern is {pattern!r}; expected a regular expression ({error}).") from None
    if groups > 1:
        raise ValueError(f"token_pattern {pattern!r} has {groups} groups; use at most one, and (?:...) for the others.")


def _short(value: Any) -> str:
    """A value cut to a readable length."""
    text = repr(value)
    return f"{text if len(text) <= 60 else text[:57] + '...'} ({type(value).__name__})"
