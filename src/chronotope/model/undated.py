"""Texts without dates as a corpus with the words of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from chronotope.corpus import Corpus
from chronotope.corpus.align import preparation, with_vocabulary
from chronotope.dates.rough import RoughDates


def undated_corpus(model: Any, texts: Sequence[str], ids: Sequence[Any] | None, rough: RoughDates | None) -> Corpus:
    """The texts, counted as those of a fitted model were; all have its last time, which nobody is to look at.

    rough : what is known of their dates, or None
    """
    words = model.topics_.vocabulary
    times = np.full(len(texts), model.topics_.span[1])
    corpus = Corpus.from_texts(texts, times, preprocessing=preparation(model.preprocessing_, words), ids=ids)
    found = with_vocabulary(corpus, words)
    found.rough = rough
    return found
