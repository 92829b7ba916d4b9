"""Events of a topic in a report: bursts of words, with their documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from chronotope._typing import Floats, Ints
from chronotope.report.axis import period_name, time_namer
from chronotope.report.documents import document_name
from chronotope.report.links import Links

if TYPE_CHECKING:
    from chronotope.corpus.corpus import Corpus
    from chronotope.model import DynamicTopicModel

MOST = 10  # maximum number of events of a topic
EVENTS_NOTE = (
    "Times at which words of the topic, or the topic as a whole, were at least twice as frequent as in the time "
    "around. An event’s button moves the slider there and draws its words."
)


def shown_events(
    table: pd.DataFrame,
    model: DynamicTopicModel,
    corpus: Corpus,
    times: Floats,
    place: Ints,
    n_documents: int,
    links: Links,
) -> list[dict[str, Any]]:
    """The strongest events of a topic by date.

    table : its events;  times : (T,), of the report;  place : (V,), place of each word in the report, −1 for none
    n_documents : documents of an event, at most;  links : (D,), addresses of the sources
    """
    name = time_namer(times, model.topics_.calendar)
    column = {str(word): v for v, word in enumerate(model.topics_.vocabulary)}
    strongest: list[Any] = list(table.head(MOST).sort_values("peak", kind="stable").itertuples())
    return [
        {
            "at": int(np.argmin(np.abs(times - event.peak))),
            "date": period_name(event.start, event.end, name),
            "text": event_sentence(event),
            "words": [int(place[column[word]]) for word in event.words],
            "documents": [
                {"name": document_name(corpus, row), "link": links[row]} for row in event.documents[:n_documents]
            ],
        }
        for event in strongest
    ]


def event_sentence(event: Any) -> str:
    """An event in words: the burst, its ratio, and the credible interval of the ratio."""
    what = ", ".join(event.words)
    often = f"{event.ratio:.2g} times as frequent as around that time ({event.low:.2g} to {event.high:.2g})"
    if event.kind == "words":
        return f"{what}: together {often}"
    return f"The whole topic: {often}; most of all {what}"
