"""What a report says of the topics themselves: their relations, their marks, and what none of them explains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from chronotope._typing import Floats, Ints
from chronotope.analysis import find_excess, related_topics, topic_marks
from chronotope.analysis.marks import mark_text
from chronotope.analysis.unexplained import Excess, unexplained_documents, unexplained_words
from chronotope.dates.periods import Periods
from chronotope.report.documents import document_name
from chronotope.report.rough import document_date

if TYPE_CHECKING:
    from chronotope.corpus.corpus import Corpus
    from chronotope.model import DynamicTopicModel

RELATED = 4  # maximum number of related topics of a topic
SIMILAR, TOGETHER = 0.2, 1.25  # of two topics that are related: similarity of words, or meetings in documents
SEEN = 1.05  # meetings in documents from which a relation says so
WORDS, DOCUMENTS = 8, 2  # of a period that no topic explains, at most
UNEXPLAINED = 0.1  # share of a document's words from which it is listed
UNEXPLAINED_NOTE = (
    "Words that several documents of a period have far more often than their topics predict, those first that are not "
    "so at other times, and the documents that are explained least: subjects too small for a topic, lists, other "
    "languages."
)


class Remarks(NamedTuple):
    """Tables about the topics.   related : from `related_topics`;  marks : from `topic_marks`;  excess : of words."""

    related: pd.DataFrame
    marks: pd.DataFrame
    excess: Excess


def take_remarks(model: DynamicTopicModel, corpus: Corpus, shares: Floats, verbose: bool | None) -> Remarks:
    """Relations, marks, and words in excess.   shares : (D, K), topic shares of the documents."""
    return Remarks(
        related_topics(model, corpus, RELATED, shares=shares),
        topic_marks(model, corpus, shares=shares),
        find_excess(model, corpus, shares, verbose),
    )


def related_entries(related: pd.DataFrame, k: int) -> list[dict[str, Any]]:
    """The topics that are related to topic k, each with the reason."""
    close = (related["similarity"] >= SIMILAR) | (related["together"] >= TOGETHER)
    rows: list[Any] = list(related[close & (related["topic"] == k)].itertuples())
    return [{"topic": int(row.other), "why": relation_sentence(row)} for row in rows]


def relation_sentence(row: Any) -> str:
    """Why two topics are related.   row : of the table of `related_topics`."""
    often = f"{row.together:.1f} times as often in the same documents as by chance" if row.together >= SEEN else ""
    words = f"in common: {', '.join(row.words)}" if row.words else ""
    return "; ".join(filter(None, (often, words)))


def mark_sentence(marks: pd.DataFrame, k: int) -> str | None:
    """The mark of topic k with its reason, as "Register. A way of speaking …"; None without a mark."""
    text = mark_text(marks["mark"].iloc[k], int(marks["other"].iloc[k]))
    return f"{text.capitalize()}. {marks['why'].iloc[k]}" if text else None


def unexplained_entries(
    model: DynamicTopicModel, corpus: Corpus, excess: Excess, periods: Periods, place: Ints, n_documents: int
) -> list[dict[str, Any]]:
    """What no topic explains in each period that has any of it.

    place : (V,), place of each word in the report, −1 for none;  n_documents : documents of a period, at most
    """
    words = unexplained_words(model, corpus, periods.edges, WORDS, excess=excess)
    documents = unexplained_documents(model, corpus, periods.edges, DOCUMENTS, excess=excess)
    documents = documents[(documents["unexplained"] >= UNEXPLAINED) & (documents["rank"] <= n_documents)]
    column = {str(word): v for v, word in enumerate(corpus.vocabulary)}
    entries = []
    for name in periods.names:
        shown = [int(place[column[word]]) for word in words.loc[words["period"] == name, "word"]]
        rows: list[Any] = list(documents[documents["period"] == name].itertuples())
        found = {"words": [v for v in shown if v >= 0], "documents": [_document(corpus, row) for row in rows]}
        if any(found.values()):
            entries.append({"period": name, **found})
    return entries


def _document(corpus: Corpus, row: Any) -> dict[str, Any]:
    """One document for the page."""
    return {
        "date": document_date(corpus, row.document),
        "name": document_name(corpus, row.document),
        "share": round(float(row.unexplained), 4),
        "words": row.words,
    }
