"""The documents that can be searched in a report: which ones, and what of them is in the file."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from chronotope._typing import Floats, Ints
from chronotope.display.progress import counting_bar
from chronotope.report.compact import (
    LETTERS,
    UNSPACED,
    Numbering,
    common_length,
    encode_numbers,
    gaps,
    pieces,
    plain_text,
    words,
)
from chronotope.report.documents import document_name
from chronotope.report.links import Links
from chronotope.report.rough import document_date
from chronotope.text.languages import lemmas
from chronotope.text.options import Preprocessing

if TYPE_CHECKING:
    from chronotope.corpus.corpus import Corpus

SEARCHED = 10_000  # documents, if nothing is said
CHARACTERS = 22_000_000  # of all texts together
MAIN = 3  # topics of a document
LEAST = 0.05  # minimum share of a topic that is shown
NEARBY = 40  # characters before the end of a text that is cut
BLOCK = 500  # documents per update of the bar


def drawn_documents(times: Floats, first: Ints, n: int) -> Ints:
    """Rows of up to n documents in order of time: those that come first, and others drawn evenly over time.

    times : (D,);  first : rows of representative documents.  Of as many equal parts of the others, in order of time, as
    there are places, one document each is drawn; the same ones every time.
    """
    order = np.argsort(times, kind="stable")
    ahead = order[np.isin(order, first)]
    others = order[~np.isin(order, first)]
    chosen = np.concatenate([one_of_each(ahead, n), one_of_each(others, max(0, n - len(ahead)))])
    return order[np.isin(order, chosen)]


def one_of_each(rows: Ints, n: int) -> Ints:
    """One of each of n equal parts of the rows, at random; all if there are no more than n."""
    if len(rows) <= n:
        return rows
    edges = np.linspace(0, len(rows), n + 1).astype(np.int64)
    return rows[np.random.default_rng(0).integers(edges[:-1], edges[1:])]


def searched_documents(
    corpus: Corpus,
    rows: Ints,
    shares: Floats,
    links: Links,
    preprocessing: Preprocessing | None,
    verbose: bool | None,
) -> dict[str, Any]:
    """What the page needs to find documents by their words, by the names that its scripts use.

    rows : (n,), in order of time;  shares : (D, K), topic shares;  links : (D,), addresses of the sources
    preprocessing : of the model, whose lemmas are found in the texts too;  verbose : see `is_shown`
    """
    dates = [document_date(corpus, row) for row in rows]
    found = [links[row] for row in rows]
    return {
        "note": search_note(corpus, len(rows)),
        "letters": LETTERS,
        "unspaced": UNSPACED,
        "dates": [(date, len(list(same))) for date, same in groupby(dates)],
        "names": [document_name(corpus, row) for row in rows],
        "links": found if any(found) else None,
        "topics": [main_topics(line) for line in shares[rows]],
        **(stored_counts(corpus, rows) if corpus.texts is None else stored_texts(corpus, rows, preprocessing, verbose)),
    }


def search_note(corpus: Corpus, n: int) -> str:
    """Which documents are searched."""
    D = len(corpus)
    some = (
        f"{n:,} of {D:,} documents can be searched here, drawn evenly over time; those of the topic pages come first."
    )
    each = f"All {D:,} documents can be searched here." if D > 1 else "The one document can be searched here."
    what = "" if corpus.texts is not None else " The corpus has no texts: the words of the model are found."
    return (each if n == D else some) + what


def main_topics(shares: Floats) -> list[int]:
    """The largest topics of a document, each followed by its share in percent.   shares : (K,)"""
    best = [k for k in np.argsort(-shares, kind="stable")[:MAIN] if shares[k] >= LEAST]
    return [number for k in best for number in (int(k), round(100 * float(shares[k])))]


def stored_texts(
    corpus: Corpus, rows: Ints, preprocessing: Preprocessing | None, verbose: bool | None
) -> dict[str, Any]:
    """Texts as characters, up to a common length; of what comes after it, the words that are not before it."""
    assert corpus.texts is not None
    texts = [plain_text(str(corpus.texts[row])) for row in rows]
    cut = common_length(np.array([len(text) for text in texts]), CHARACTERS)
    numbering = Numbering()
    kept, later = [], []
    with counting_bar(-(-len(texts) // BLOCK), 0, verbose, "indexing documents") as done:
        for at, text in enumerate(texts):
            end = cut_between_words(text, cut)
            kept.append(numbering.numbers(pieces(text[:end])))
            later.append(numbering.numbers(sorted(words(text[end:]) - words(text[:end])) if end < len(text) else ()))
            if at % BLOCK == 0:
                done()
    entries, rank = numbering.ranked([*kept, *later])
    return {
        "dictionary": entries,
        "lemmas": other_forms(entries, preprocessing),
        "texts": [encode_numbers(rank[numbers]) for numbers in kept],
        "words": [encode_numbers(gaps(np.unique(rank[numbers]))) for numbers in later],
        "cut": f"{cut:,}" if any(len(text) > cut for text in texts) else None,
    }


def cut_between_words(text: str, most: int) -> int:
    """Where a text is cut to have at most so many characters: at a space, if there is one nearby."""
    if len(text) <= most:
        return len(text)
    return max(text.rfind(" ", 0, most + 1), most - NEARBY, 0)


def stored_counts(corpus: Corpus, rows: Ints) -> dict[str, Any]:
    """Words of the documents as characters, and how often each occurs."""
    table = corpus.counts[rows]
    order = np.argsort(-np.asarray(table.sum(axis=0)).ravel(), kind="stable")
    table = table[:, order]
    table.sort_indices()
    indices = table.indices.astype(np.int64)
    each = list(zip(table.indptr[:-1], table.indptr[1:], strict=True))
    return {
        "dictionary": [str(word) for word in corpus.vocabulary[order]],
        "lemmas": [],
        "texts": None,
        "words": [encode_numbers(gaps(indices[start:end])) for start, end in each],
        "counts": [encode_numbers(table.data[start:end]) for start, end in each],
        "cut": None,
    }


def other_forms(entries: list[str], preprocessing: Preprocessing | None) -> list[tuple[int, str]]:
    """Numbers of words whose lemma is another word, each with its lemma."""
    if preprocessing is None or preprocessing.lemmatize is None:
        return []
    numbers = [n for n, entry in enumerate(entries) if entry.isalpha()]
    lowered = [entries[n].lower() for n in numbers]
    found = lemmas(lowered, preprocessing.lemmatize, True)
    return [(n, lemma) for n, word, lemma in zip(numbers, lowered, found, strict=True) if lemma != word]


def window_edges(times: Floats, dates: Floats, name: Callable[[float], str]) -> dict[str, list[int]]:
    """Where the documents of each time of the report start and end, in order of time; a label holds all of its time.

    times : (T,), of the report;  dates : (n,), of the documents, rising;  name : labels a time, such as its year
    """
    labels = np.array([name(float(time)) for time in dates])
    starts = [int(np.sum((dates < time) & (labels != name(float(time))))) for time in times]
    ends = [int(np.sum((dates <= time) | (labels == name(float(time))))) for time in times]
    return {"starts": starts, "ends": ends}
