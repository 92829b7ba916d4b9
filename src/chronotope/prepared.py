"""New documents for a model: prepared as its own were, and counted with its words."""

from __future__ import annotations

import warnings
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronotope.corpus import Corpus
from chronotope.phrases import JOINER, Phrases
from chronotope.text import Preprocessing
from chronotope.vocabulary import every_word, with_vocabulary

if TYPE_CHECKING:
    from chronotope.model import DynamicTopicModel


def stored(preprocessing: Preprocessing | None) -> dict[str, Any] | None:
    """Preprocessing as JSON has it; None, with a warning, where functions of the user's are part of it."""
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
    return {name: _listed(value) for name, value in asdict(preprocessing).items()}


def restored(options: dict[str, Any] | None) -> Preprocessing | None:
    """What `stored` made of it, read back and checked."""
    if options is None:
        return None
    phrases = options["phrases"]
    return Preprocessing(**(options | {"phrases": Phrases(**phrases) if isinstance(phrases, dict) else phrases}))


def preparation(model: DynamicTopicModel) -> Preprocessing:
    """How to count new texts for a model: words told apart as in its own texts, nothing dropped but stop words.

    Where it is not known how the model's words came about, they are taken to be runs of three or more letters.
    """
    words = [str(word) for word in model.topics_.vocabulary]
    if model.preprocessing_ is None:
        return every_word(words)
    return replace(
        model.preprocessing_,
        phrases=[word for word in words if JOINER in word] if model.preprocessing_.phrases else False,
        min_count=1,
        min_documents=1,
        max_document_share=1.0,
        min_score=None,
        max_vocabulary=None,
        vocabulary=None,
        min_document_words=0,
    )


def _listed(value: Any) -> Any:
    return sorted(value) if isinstance(value, frozenset) else list(value) if isinstance(value, tuple) else value


class Prepared(NamedTuple):
    """Documents counted with a model's words, and how many of each one's tokens the model does not know, (D,)."""

    corpus: Corpus
    unknown: NDArray[np.int64]

    @property
    def known_share(self) -> float:
        """Share of the tokens that are words of the model."""
        known = self.corpus.n_tokens
        return known / max(1, known + int(self.unknown.sum()))


def prepare(found: Corpus, model: DynamicTopicModel) -> Prepared:
    """Documents as columns of the model's words."""
    if np.array_equal(found.vocabulary, model.topics_.vocabulary):
        return Prepared(found, np.zeros(len(found), dtype=np.int64))
    corpus = with_vocabulary(found, model.topics_.vocabulary)
    corpus.report = found.report
    tokens = [np.asarray(counts.sum(axis=1), dtype=np.int64) for counts in (found.counts, corpus.counts)]
    return Prepared(corpus, tokens[0] - tokens[1])
