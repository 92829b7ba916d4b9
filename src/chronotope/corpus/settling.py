"""A corpus whose rough dates are settled as far as they can be before its words are looked at."""

from __future__ import annotations

from copy import copy

from chronotope.corpus.corpus import Corpus
from chronotope.dates.candidates import settled_dates


def settled(corpus: Corpus) -> Corpus:
    """The same documents; a rough date that leaves one candidate time is exact, others are in their middle for now."""
    if corpus.rough is None:
        return corpus
    found = copy(corpus)
    found.times, found.rough = settled_dates(corpus.times, corpus.rough)
    return found
