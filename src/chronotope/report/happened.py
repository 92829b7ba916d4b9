"""Events as the page shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chronotope.report.axis import period_name, time_namer
from chronotope.report.documents import document_name

if TYPE_CHECKING:
    from chronotope.corpus import Corpus
    from chronotope.model import DynamicTopicModel

MOST = 10  # events of a topic, the strongest
EVENTS_NOTE = (
    "Times at which words of the topic, or the topic as a whole, were at least twice as frequent as in the time "
    "around. An event’s button moves the slider there and draws its words."
)


def shown_events(
    table: pd.DataFrame,
    model: DynamicTopicModel,
    corpus: Corpus,
    times: NDArray[np.float64],
    place: NDArray[np.int64],
    n_documents: int,
) -> list[dict[str, Any]]:
    """The strongest events of a topic by date;  place : each word's place in the report, −1 for none."""
    name = time_namer(times, model.topics_.calendar)
    column = {str(word): v for v, word in enumerate(model.topics_.vocabulary)}
    strongest: list[Any] = list(table.head(MOST).sort_values("peak", kind="stable").itertuples())
    return [
        {
            "at": int(np.argmin(np.abs(times - event.peak))),
            "date": period_name(event.start, event.end, name),
            "text": event_sentence(event),
            "words": [int(place[column[word]]) for word in event.words],
            "documents": [document_name(corpus, row) for row in event.documents[:n_documents]],
        }
        for event in strongest
    ]


def event_sentence(event: Any) -> str:
    """What happened, by how much, and how sure that is."""
    what = ", ".join(event.words)
    often = f"{event.ratio:.3g} times as frequent as around that time ({event.low:.2g} to {event.high:.2g})"
    if event.kind == "words":
        return f"{what}: together {often}"
    return f"The whole topic: {often}; most of all {what}"
