"""The data of a report, in a size that opens quickly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from chronotope._typing import Floats, Ints
from chronotope.analysis.keywords import distinctive_words, word_uses
from chronotope.analysis.words import Turn, turning_topics
from chronotope.dates.decimal import format_time
from chronotope.dates.periods import Periods
from chronotope.report.about import about_model
from chronotope.report.axis import period_name, time_marks, time_namer
from chronotope.report.bands import prevalence_figures, prevalence_notes
from chronotope.report.contrasts import group_data
from chronotope.report.documents import (
    chosen_documents,
    document_name,
    documents_note,
    report_periods,
    shown_documents,
)
from chronotope.report.encode import FLOOR, rounded
from chronotope.report.links import Links, document_links
from chronotope.report.remarks import (
    UNEXPLAINED_NOTE,
    Remarks,
    mark_sentence,
    related_entries,
    take_remarks,
    unexplained_entries,
)
from chronotope.report.search import SEARCHED, drawn_documents, searched_documents, window_edges
from chronotope.report.survey import NOTHING, Known, Survey, take_survey
from chronotope.report.words import encoded_uses, listed_words

if TYPE_CHECKING:
    from chronotope.corpus.corpus import Corpus
    from chronotope.model import DynamicTopicModel

MOST = 10  # maximum number of events of a topic
NAMED = 4  # words in a topic's name
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


class Wanted(NamedTuple):
    """What of the documents a report shows.

    n_documents : for each topic and period, at most;  search_documents : that can be searched, at most
    links : (D,), addresses of the sources
    """

    n_documents: int
    search_documents: int
    links: Links


def wanted_documents(corpus: Corpus, n_documents: int, search_documents: int | None, link: str | None) -> Wanted:
    """What of the documents a report shows, checked.   Parameters: see `write_report`."""
    if n_documents < 0:
        raise ValueError(f"n_documents is {n_documents!r}; expected 0 or more.")
    if search_documents is None:
        search_documents = SEARCHED if n_documents else 0
    if search_documents < 0:
        raise ValueError(f"search_documents is {search_documents!r}; expected 0 or more.")
    return Wanted(n_documents, search_documents, document_links(corpus, link))


def report_data(
    model: DynamicTopicModel,
    corpus: Corpus,
    title: str,
    level: float,
    wanted: Wanted,
    verbose: bool | None,
    known: Known = NOTHING,
) -> dict[str, Any]:
    """All data of a report, by the names that the scripts of the page use.

    known : what need not be computed again;  others : see `write_report`
    """
    topics = model.topics_
    survey = take_survey(model, corpus, level, verbose, known)
    remarks = take_remarks(model, corpus, survey.shares, verbose)
    frequency = np.asarray(corpus.counts.sum(axis=0), dtype=np.int64).ravel()
    order = listed_words(frequency, np.concatenate([one.words for one in survey.words]))
    place = np.full(len(frequency), -1)
    place[order] = np.arange(len(order))
    uses = np.stack([one.uses for one in survey.words])
    periods = report_periods(corpus)
    chosen = chosen_documents(model, corpus, survey, periods, wanted.n_documents)
    name_time = time_namer(survey.times, topics.calendar)
    probability = f"{100 * level:.6g}%"
    entries = topic_entries(model, corpus, survey, remarks, place, periods, chosen, wanted)
    figures, groups = prevalence_figures(model, survey, level), group_data(model, corpus, survey, level, verbose)
    return {
        "title": title,
        "standfirst": standfirst(model, corpus),
        "level": probability,
        "floor": FLOOR,
        "times": rounded(survey.times, 6),
        "labels": [name_time(time) for time in survey.times],
        "written": [int(here) for here in survey.written],
        "documents": [round(float(n)) for n in survey.documents],
        "ticks": time_marks((survey.times[0], survey.times[-1]), topics.calendar),
        "periods": [
            {"label": name, "end": float(end)} for name, end in zip(periods.names, periods.edges[1:], strict=True)
        ],
        "groups": groups.shown,
        "topics": [entry | more | own for entry, more, own in zip(entries, figures, groups.topics, strict=True)],
        "unexplained": unexplained_entries(model, corpus, remarks.excess, periods, place, wanted.n_documents),
        "vocabulary": [str(word) for word in topics.vocabulary[order]],
        "counts": frequency[order].tolist(),
        "uses": encoded_uses(uses, np.stack([one.peaks for one in survey.words]), order),
        "listed": None if len(order) == len(frequency) else f"{len(order):,} of {len(frequency):,} words",
        **prevalence_notes(model, probability),
        "eventsNote": EVENTS_NOTE,
        "unexplainedNote": UNEXPLAINED_NOTE,
        "documentsNote": documents_note(corpus),
        "search": search_data(model, corpus, survey, chosen, wanted, verbose),
        "about": about_model(model, corpus, probability),
    }


def search_data(
    model: DynamicTopicModel,
    corpus: Corpus,
    survey: Survey,
    chosen: pd.DataFrame,
    wanted: Wanted,
    verbose: bool | None,
) -> dict[str, Any] | None:
    """The documents that can be searched, among them those shown elsewhere; None if there are none.

    chosen : documents of the topics, from `chosen_documents`
    """
    if not wanted.search_documents:
        return None
    named = [row for documents in survey.events["documents"] for row in documents[: wanted.n_documents]]
    first = np.unique(np.concatenate([chosen["document"].to_numpy(), np.array(named, dtype=np.int64)]))
    rows = drawn_documents(corpus.times, first, wanted.search_documents)
    found = searched_documents(corpus, rows, survey.shares, wanted.links, model.preprocessing_, verbose)
    name = time_namer(survey.times, model.topics_.calendar)
    return found | window_edges(survey.times, corpus.times[rows], name)


def standfirst(model: DynamicTopicModel, corpus: Corpus) -> str:
    """The report in a sentence or two."""
    first, last = (format_time(time, model.topics_.calendar) for time in corpus.main_span)
    K = model.topics_.n_topics
    when = f"{first} to {last}" if first != last else first
    return (
        f"{K:,} {'topics' if K > 1 else 'topic'} in {len(corpus):,} {'documents' if len(corpus) > 1 else 'document'} "
        f"with {corpus.n_tokens:,} words, {when}.{outlying_sentence(corpus)}"
    )


def outlying_sentence(corpus: Corpus) -> str:
    """How many documents are at outlying dates, and that the pictures leave them out; nothing if none are."""
    outside = corpus.times[~corpus.coverage.in_main(corpus.times)]
    if not len(outside):
        return ""
    first, last = (format_time(float(time), corpus.calendar) for time in (outside.min(), outside.max()))
    one = len(outside) == 1
    when = f"at {first}" if first == last else f"from {first} to {last}"
    return (
        f" {len(outside):,} {'document' if one else 'documents'} far from the others in time, {when}, "
        f"{'is' if one else 'are'} not in the pictures."
    )


def topic_entries(
    model: DynamicTopicModel,
    corpus: Corpus,
    survey: Survey,
    remarks: Remarks,
    place: Ints,
    periods: Periods,
    chosen: pd.DataFrame,
    wanted: Wanted,
) -> list[dict[str, Any]]:
    """One entry per topic.

    place : (V,), place of each word in the report, −1 for none;  chosen : documents, from `chosen_documents`
    """
    documents = shown_documents(chosen, corpus, survey, periods, wanted.links)
    names = distinctive_words(word_uses(model.topics_), model.topics_.vocabulary, NAMED)  # as everywhere else
    turns = {turn.topic: turn for turn in turning_topics(model)}
    return [
        {
            "name": names[k],
            "turn": turn_sentence(turns[k]) if k in turns else None,
            "mark": mark_sentence(remarks.marks, k),
            "related": related_entries(remarks.related, k),
            "words": place[one.words].tolist(),
            "telling": one.telling,
            "exact": one.exact,
            "curves": survey.curves[k],
            "share": round(float(survey.overall[k]), 5),
            "events": shown_events(
                survey.events[survey.events["topic"] == k],
                model,
                corpus,
                survey.times,
                place,
                wanted.n_documents,
                wanted.links,
            ),
            "documents": documents[k],
        }
        for k, one in enumerate(survey.words)
    ]


def turn_sentence(turn: Turn) -> str:
    """That a topic turns into another one, when, and from what to what."""
    sides = f"from {', '.join(turn.before)} to {', '.join(turn.after)}"
    return f"It turns into another topic around {turn.date}: {sides}."
