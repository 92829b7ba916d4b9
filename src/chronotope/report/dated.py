"""When the documents whose dates are rough were probably written: what their own pages in a report show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from chronotope._typing import Ints
from chronotope.dates.decimal import cut_date
from chronotope.dating.dated import EDGE
from chronotope.display.progress import counting_bar
from chronotope.model.dating import MOST
from chronotope.report.axis import time_marks
from chronotope.report.documents import document_name
from chronotope.report.encode import bytes_to_base64, significant
from chronotope.report.links import Links
from chronotope.report.rough import document_date

if TYPE_CHECKING:
    from chronotope.corpus.corpus import Corpus
    from chronotope.dating import Dated, Dating
    from chronotope.model import DynamicTopicModel

DATED = 1_000  # documents with a page, at most
EXPLAINED = 100  # of these, with the words that say when; each takes a part of a second
WORDS = 8
LEVEL = 0.8  # of the interval
STEPS = 255


class DatedDocuments(NamedTuple):
    """Documents that have a page.   entries : what it shows of each;  number : of each, by its row in the corpus."""

    entries: list[dict[str, Any]]
    number: dict[int, int]


def dated_documents(
    model: DynamicTopicModel, corpus: Corpus, rows: Ints, links: Links, verbose: bool | None
) -> DatedDocuments:
    """Those of some documents whose dates are rough, if the model has learned to date; the first ones of many.

    rows : (n,), different, the most important first;  links : (D,), addresses of the sources
    """
    rough = rows[~corpus.exact[rows]][:DATED]
    if not (len(rough) and hasattr(model, "dating_")):
        return DatedDocuments([], {})
    found, place = _dated(model, corpus, rough)
    said = [row for row in rough.tolist() if row in place]
    words = _words(found, [place[row] for row in said], verbose)
    entries = dated_entries(found, [place[row] for row in said])
    for row, entry, telling in zip(said, entries, words, strict=True):
        entry |= {"name": document_name(corpus, row), "link": links[row], "words": telling}
        entry["date"] = document_date(corpus, row)
    return DatedDocuments(entries, {row: number for number, row in enumerate(said)})


def _dated(model: DynamicTopicModel, corpus: Corpus, rough: Ints) -> tuple[Dated, dict[int, int]]:
    """The documents, dated by the others if the model was fitted on them; and the place of each, by its row.

    rough : rows of documents with rough dates
    """
    others = np.flatnonzero(corpus.exact)
    fitted = len(others) > 0 and len(corpus) >= model.n_documents_
    if len(others) > MOST:
        others = np.random.default_rng(0).choice(others, MOST, replace=False)
    rows = np.union1d(rough, others) if fitted else np.sort(rough)
    some = corpus[rows]
    some.ids = rows  # the names under which they come back
    found = model.date(some, level=LEVEL, fitted=fitted)
    return found, {int(row): i for i, row in enumerate(found.ids)}


def _words(found: Dated, documents: list[int], verbose: bool | None) -> list[list[tuple[str, float]] | None]:
    """The words that say most for the date of each, with their weights; None for those that come too late."""
    said: list[list[tuple[str, float]] | None] = [None] * len(documents)
    with counting_bar(min(len(documents), EXPLAINED), 0, verbose, "dating documents") as done:
        for i, document in enumerate(documents[:EXPLAINED]):
            table = found.why(document, WORDS)
            said[i] = list(zip(map(str, table["word"]), significant(table["weight"], 4), strict=True))
            done()
    return said


def dated_entries(found: Dated, documents: list[int]) -> list[dict[str, Any]]:
    """The most probable date of each document, its interval, None at ends that are open, and its distribution.

    The distribution is that of candidate times from `start` on, a byte for each, as a part of the highest.
    """
    table: list[Any] = list(found.table.iloc[documents].itertuples())
    entries = []
    for document, line in zip(documents, table, strict=True):
        mass = found.probabilities[document]
        q = np.rint(STEPS * mass / mass.max()).astype(np.uint8)
        inside = np.flatnonzero(q)
        entries.append(
            {
                "best": line.date,
                "beyond": line.beyond,
                "interval": [None if np.isinf(end) else float(end) for end in (line.low, line.high)],
                "start": int(inside[0]),
                "curve": bytes_to_base64(q[inside[0] : inside[-1] + 1]),
            }
        )
    return entries


def candidate_data(dating: Dating, calendar: bool) -> dict[str, Any]:
    """The times at which documents can be, as the page needs them to draw and to name dates.

    inner : where the edges of the dates that the model knows begin;  cut : characters of a date to leave out
    """
    edges = dating.words.edges
    n = max(1, round(EDGE * len(dating.words.times)))
    apart = float(np.median(np.diff(edges)))
    return {
        "times": significant(dating.words.times, 10),
        "edges": significant(edges, 10),
        "inner": significant(np.array([edges[n], edges[-1 - n]]), 10),
        "calendar": calendar,
        "cut": len("2000-01-01") - len(cut_date("2000-01-01", apart)),
        "ticks": time_marks((float(edges[0]), float(edges[-1])), calendar),
    }
