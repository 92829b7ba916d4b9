"""Everything a report shows, in a size that opens quickly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from chronotope._typing import Floats, Ints
from chronotope.dates.decimal import format_time
from chronotope.dates.periods import Periods
from chronotope.report.about import about
from chronotope.report.axis import period_name, time_marks, time_namer
from chronotope.report.documents import document_name, documents_note, report_periods, shown_documents
from chronotope.report.encode import FLOOR, rounded
from chronotope.report.survey import Looked, look
from chronotope.report.words import listed_words, packed_uses, topic_names

if TYPE_CHECKING:
    from chronotope.corpus.corpus import Corpus
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
    times: Floats,
    place: Ints,
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


SHARES_NOTE = "Shares are parts of all words around a time, smoothed over about a fiftieth of the span."


def collect(
    model: DynamicTopicModel, corpus: Corpus, title: str, level: float, n_documents: int, verbose: bool | None
) -> dict[str, Any]:
    """The data of a report, as the scripts of the page read it."""
    topics = model.topics_
    seen = look(model, corpus, level, verbose)
    frequency = np.asarray(corpus.counts.sum(axis=0), dtype=np.int64).ravel()
    order = listed_words(frequency, np.concatenate([one.words for one in seen.words]))
    uses = np.stack([one.uses for one in seen.words])
    periods = report_periods(corpus)
    name_time = time_namer(seen.times, topics.calendar)
    certain = f"{100 * level:.6g}%"
    return {
        "title": title,
        "standfirst": standfirst(model, corpus),
        "level": certain,
        "floor": FLOOR,
        "times": rounded(seen.times, 6),
        "labels": [name_time(time) for time in seen.times],
        "ticks": time_marks(topics.span, topics.calendar),
        "periods": [
            {"label": name, "end": float(end)} for name, end in zip(periods.names, periods.edges[1:], strict=True)
        ],
        "topics": topic_entries(model, corpus, seen, uses, order, periods, n_documents),
        "vocabulary": [str(word) for word in topics.vocabulary[order]],
        "counts": frequency[order].tolist(),
        "uses": packed_uses(uses, np.stack([one.peaks for one in seen.words]), order),
        "listed": None if len(order) == len(frequency) else f"{len(order):,} of {len(frequency):,} words",
        "sharesNote": SHARES_NOTE,
        "eventsNote": EVENTS_NOTE,
        "documentsNote": documents_note(corpus),
        "about": about(model, corpus, certain),
    }


def standfirst(model: DynamicTopicModel, corpus: Corpus) -> str:
    """What the report is about, in a sentence."""
    first, last = (format_time(time, model.topics_.calendar) for time in corpus.span)
    K = model.topics_.n_topics
    when = f"{first} to {last}" if first != last else first
    return (
        f"{K:,} {'topics' if K > 1 else 'topic'} in {len(corpus):,} {'documents' if len(corpus) > 1 else 'document'} "
        f"with {corpus.n_tokens:,} words, {when}."
    )


def topic_entries(
    model: DynamicTopicModel,
    corpus: Corpus,
    seen: Looked,
    uses: Floats,
    order: Ints,
    periods: Periods,
    n_documents: int,
) -> list[dict[str, Any]]:
    """One entry for each topic; words are places in `order`."""
    place = np.full(uses.shape[1], -1)
    place[order] = np.arange(len(order))
    documents = shown_documents(model, corpus, seen, periods, n_documents)
    names = topic_names(uses, model.topics_.vocabulary)
    return [
        {
            "name": names[k],
            "words": place[one.words].tolist(),
            "telling": one.telling,
            "exact": one.exact,
            "curves": seen.curves[k],
            "share": round(float(seen.overall[k]), 5),
            **share_figures(seen.part[:, k]),
            "events": shown_events(
                seen.events[seen.events["topic"] == k], model, corpus, seen.times, place, n_documents
            ),
            "documents": documents[k],
        }
        for k, one in enumerate(seen.words)
    ]


def share_figures(share: Floats) -> dict[str, Any]:
    """A topic's share over time, its peak, and its average over the first and the last tenth."""
    tenth = max(1, len(share) // 10)
    return {
        "shares": rounded(share),
        "peak": int(np.argmax(share)),
        "early": round(float(share[:tenth].mean()), 5),
        "late": round(float(share[-tenth:].mean()), 5),
    }
