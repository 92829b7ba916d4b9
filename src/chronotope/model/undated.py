"""Texts without dates as a corpus with the words of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from chronotope.corpus import Corpus
from chronotope.corpus.align import preparation
from chronotope.dates.rough import RoughDates


def undated_corpus(
    model: Any, texts: Sequence[str], ids: Sequence[Any] | None = None, rough: RoughDates | None = None
) -> Corpus:
    """The texts, counted as those of a fitted model were; all have its last time, which nobody is to look at.

    rough : what is known of their dates, or None
    """
    words = model.topics_.vocabulary
    times = np.full(len(texts), model.topics_.span[1])
    options = replace(preparation(model.preprocessing_, words), vocabulary=words.tolist())
    found = Corpus.from_texts(texts, times, preprocessing=options, ids=ids)
    found.rough = rough
    return found
