"""The data of a report, in a size that opens quickly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from chronotope._typing import Ints
from chronotope.analysis.keywords import distinctive_words, word_uses
from chronotope.analysis.words import Turn, turning_topics
from chronotope.dates.decimal import format_time
from chronotope.report.about import about_model
from chronotope.report.axis import time_marks, time_namer
from chronotope.report.bands import prevalence_figures, prevalence_notes
from chronotope.report.contrasts import group_data
from chronotope.report.dated import DatedDocuments, candidate_data, dated_documents
from chronotope.report.dating import dating_data
from chronotope.report.documents import chosen_documents, documents_note, report_periods, shown_documents
from chronotope.report.encode import FLOOR, rounded
from chronotope.report.events import EVENTS_NOTE, shown_events
from chronotope.report.links import Links, document_links
from chronotope.report.places import place_data
from chronotope.report.remarks import (
    UNEXPLAINED_NOTE,
    Remarks,
    mark_sentence,
    related_entries,
    take_remarks,
    unexplained_entries,
)
from chronotope.report.rough import date_bars, documents_around
from chronotope.report.search import SEARCHED, drawn_documents, searched_documents, window_edges
from chronotope.report.survey import NOTHING, Known, Survey, take_survey
from chronotope.report.wording import wording_data
from chronotope.report.words import encoded_uses, listed_words

if TYPE_CHECKING:
    from chronotope.corpus.corpus import Corpus
    from chronotope.model import DynamicTopicModel

NAMED = 4  # words in a topic's name


class Wanted(NamedTuple):
    """What a report shows of the documents, and of what the model can do with others.

    n_documents : for each topic and period, at most;  search_documents : that can be searched, at most
    links : (D,), addresses of the sources;  dating : whether there is a page that dates texts
    """

    n_documents: int
    search_documents: int
    links: Links
    dating: bool = False


def wanted_documents(
    corpus: Corpus, n_documents: int, search_documents: int | None, link: str | None, dating: bool = False
) -> Wanted:
    """What a report shows of the documents, checked.   Parameters: see `write_report`."""
    if n_documents < 0:
        raise ValueError(f"n_documents is {n_documents!r}; expected 0 or more.")
    if search_documents is None:
        search_documents = SEARCHED if n_documents else 0
    if search_documents < 0:
        raise ValueError(f"search_documents is {search_documents!r}; expected 0 or more.")
    return Wanted(n_documents, search_documents, document_links(corpus, link), dating)


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
    searched = searched_rows(corpus, survey, chosen, wanted)
    shown = pd.unique(np.concatenate([chosen["document"].to_numpy(), searched]))
    dated = dated_documents(model, corpus, shown, wanted.links, verbose)
    documents = shown_documents(chosen, corpus, survey, periods, wanted.links, dated.number)
    name_time = time_namer(survey.times, topics.calendar)
    probability = f"{100 * level:.6g}%"
    entries = topic_entries(model, corpus, survey, remarks, place, documents, wanted)
    figures, groups = prevalence_figures(model, survey, level), group_data(model, corpus, survey, level, verbose)
    wording = wording_data(model, corpus, survey, place, level, verbose)
    places = place_data(model, corpus, survey, place, level, verbose)
    parts = zip(entries, figures, groups.topics, wording.topics, places.topics, strict=True)
    return {
        "title": title,
        "standfirst": standfirst(model, corpus),
        "level": probability,
        "floor": FLOOR,
        "times": rounded(survey.times, 6),
        "labels": [name_time(time) for time in survey.times],
        "written": [int(here) for here in survey.written],
        "documents": rounded(documents_around(corpus, survey.times), 2),
        "ticks": time_marks((survey.times[0], survey.times[-1]), topics.calendar),
        "periods": [
            {"label": name, "end": float(end)} for name, end in zip(periods.names, periods.edges[1:], strict=True)
        ],
        "groups": groups.shown,
        "wording": wording.shown,
        "places": places.shown,
        "topics": [entry | more | own | {"wording": words, "places": maps} for entry, more, own, words, maps in parts],
        "unexplained": unexplained_entries(model, corpus, remarks.excess, periods, place, wanted.n_documents),
        "vocabulary": [str(word) for word in topics.vocabulary[order]],
        "counts": frequency[order].tolist(),
        "uses": encoded_uses(uses, np.stack([one.peaks for one in survey.words]), order),
        "listed": None if len(order) == len(frequency) else f"{len(order):,} of {len(frequency):,} words",
        **prevalence_notes(model, probability),
        "eventsNote": EVENTS_NOTE,
        "unexplainedNote": UNEXPLAINED_NOTE,
        "documentsNote": documents_note(corpus),
        "search": search_data(model, corpus, survey, searched, dated, wanted, verbose),
        "bars": date_bars(corpus, shown, (survey.times[0], survey.times[-1])),
        "dated": dated.entries,
        **dating_parts(model, order, dated, wanted),
        "about": about_model(model, corpus, probability),
    }


def searched_rows(corpus: Corpus, survey: Survey, chosen: pd.DataFrame, wanted: Wanted) -> Ints:
    """Rows of the documents that can be searched, in order of time, among them those shown elsewhere.

    chosen : documents of the topics, from `chosen_documents`
    """
    if not wanted.search_documents:
        return np.empty(0, dtype=np.int64)
    named = [row for documents in survey.events["documents"] for row in documents[: wanted.n_documents]]
    first = np.unique(np.concatenate([chosen["document"].to_numpy(), np.array(named, dtype=np.int64)]))
    return drawn_documents(corpus.times, first, wanted.search_documents)


def search_data(
    model: DynamicTopicModel,
    corpus: Corpus,
    survey: Survey,
    rows: Ints,
    dated: DatedDocuments,
    wanted: Wanted,
    verbose: bool | None,
) -> dict[str, Any] | None:
    """The documents that can be searched; None if there are none.   rows : from `searched_rows`"""
    if not len(rows):
        return None
    found = searched_documents(corpus, rows, survey.shares, wanted.links, model.preprocessing_, verbose)
    name = time_namer(survey.times, model.topics_.calendar)
    numbers = [(d, dated.number[row]) for d, row in enumerate(rows.tolist()) if row in dated.number]
    return found | {"dated": numbers} | window_edges(survey.times, corpus.times[rows], name)


def dating_parts(model: DynamicTopicModel, listed: Ints, dated: DatedDocuments, wanted: Wanted) -> dict[str, Any]:
    """What the pages about dates need of the model, None if there are none.   listed : columns of the report's words"""
    needed = wanted.dating or dated.entries
    return {
        "candidates": candidate_data(model.dating_, model.topics_.calendar) if needed else None,
        "dating": dating_data(model, listed) if wanted.dating else None,
    }


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
    documents: list[list[list[dict[str, Any]]]],
    wanted: Wanted,
) -> list[dict[str, Any]]:
    """One entry per topic.

    place : (V,), place of each word in the report, −1 for none;  documents : of topics, from `shown_documents`
    """
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
