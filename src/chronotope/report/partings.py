"""How far groups are apart in the words of a topic, and when they parted, on the page."""

from __future__ import annotations

from typing import Any

import numpy as np

from chronotope.analysis.differences import shortest_interval
from chronotope.analysis.parted import compared as compared_words
from chronotope.report.axis import some_of, time_namer
from chronotope.report.bands import banded
from chronotope.report.encode import rounded
from chronotope.report.pairs import GroupPairs
from chronotope.report.survey import Survey
from chronotope.topics import Topics

WEIGHED = 60  # pairs of groups that are examined, of all topics together: each takes a second or two
CURVE = 24  # times of a curve, at most
DRAWS = 60
INTERVAL = 0.9  # probability of the interval of a parting's time
PARTINGS_NOTE = (
    "How far the words of the two are apart: the Jensen-Shannon divergence, from 0 for the same words to 1 bit for "
    "words that have nothing in common. They part if many words begin to differ at about the same time and go on to "
    "differ; a difference from the start is no parting. That other members write for a group, or few are left, also "
    "changes its words: see how much text there is around that time."
)


def examined_pairs(compared: GroupPairs, K: int) -> list[int]:
    """Numbers of the pairs that are examined in all K topics, those of large groups first."""
    own = np.flatnonzero((compared.tracks[compared.pairs] >= 0).all(axis=1))
    smaller = compared.sizes[compared.pairs[own]].min(axis=1) if len(own) else own
    examined: list[int] = own[np.argsort(-smaller, kind="stable")[: max(1, WEIGHED // K)]].tolist()
    return examined


def pair_parting(topics: Topics, k: int, a: int, b: int, survey: Survey, level: float) -> dict[str, Any] | None:
    """Divergence of two groups with its band, and when they parted; None if they have too little text in common.

    a, b : numbers of the groups;  level : of the band
    """
    pair = compared_words(topics, k, a, b)
    if pair is None:
        return None
    seen = pair.seen.times
    first, last = seen[[0, -1]]
    inside = np.flatnonzero(survey.written & (survey.times >= first) & (survey.times <= last))
    if not len(inside):
        return None
    inside = some_of(inside, CURVE)
    drawn = banded(pair.divergences(survey.times[inside], DRAWS, k), level)
    middles, chance = pair.weights.when()
    low, high = shortest_interval(middles, chance, INTERVAL)
    when = [  # between two times that were compared, a parting has no date of its own
        float(middles[np.searchsorted(np.cumsum(chance), 0.5 * chance.sum())]),
        float(seen[seen < low].max(initial=first)),
        float(seen[seen > high].min(initial=last)),
    ]
    name = time_namer(survey.times, topics.calendar)
    return {
        "times": inside.tolist(),
        "divergence": [rounded(row, 4) for row in drawn],
        "probability": round(pair.weights.parted, 4),
        "when": rounded(when, 6),
        "dates": [name(time) for time in when],
    }
