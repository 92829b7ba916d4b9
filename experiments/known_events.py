"""Dates of known events by counting, against those that `find_events` gives with the default kernel.

python experiments/known_events.py [--out FOLDER] [--quick] [--topics 20] [--seeds 0] [--data FOLDER]

The words were chosen before any events were looked at: one for each event, in press releases of senators by the day and
in speeches at the United Nations by the year. A word's date by counting is the median date of the documents with it in
the period in which most documents have it, beyond what is expected of their number, in standard deviations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from common import fit, load, options, run, write_table

from chronotope import Corpus
from chronotope.analysis import find_events
from chronotope.dates.decimal import format_time


class Known(NamedTuple):
    """Words of known events in a corpus.   period : in which mentions are counted, in years."""

    period: float
    words: tuple[str, ...]


WORDS = 20  # of an event that are looked at
EVENTS: Mapping[str, Known] = {
    "senate": Known(30 / 365, ("katrina", "miers", "dubai", "hezbollah", "spinach", "tsunami")),
    "un": Known(1.0, ("suez", "congo", "kuwait", "kosovo", "ebola", "ukraine")),
}


def counted_date(corpus: Corpus, word: str, period: float) -> float:
    """The date of a word by counting; NaN if no document has it."""
    column = np.flatnonzero(corpus.vocabulary == word)
    if not len(column):
        return np.nan
    has = np.zeros(len(corpus), bool)
    has[corpus.counts[:, column].nonzero()[0]] = True
    place = np.floor((corpus.times - corpus.times.min()) / period + 1e-9).astype(int)
    expected = has.mean() * np.bincount(place)
    excess = (np.bincount(place, has) - expected) / np.sqrt(np.maximum(expected, 1.0))
    return float(np.median(corpus.times[has & (place == excess.argmax())]))


def dated(corpus: Corpus, events: pd.DataFrame, known: Known) -> Iterator[dict[str, Any]]:
    """A row for each word: its date by counting, and the nearest event that has it among its words."""
    for word in known.words:
        date = counted_date(corpus, word, known.period)
        own = events[np.array([word in words for words in events["words"]], dtype=bool)]
        off = np.maximum(np.maximum(own["start"] - date, date - own["end"]), 0.0)
        best = own.loc[off.idxmin()] if len(own) and np.isfinite(date) else None
        row = {"word": word, "counted": format_time(date, corpus.calendar) if np.isfinite(date) else ""}
        if best is not None:
            row |= {name: format_time(float(best[name]), corpus.calendar) for name in ("start", "peak", "end")}
            row |= {"off": abs(float(best["peak"]) - date), "found": bool(off.min() <= known.period)}
        yield {"found": False} | row


def main(argv: Sequence[str] | None = None) -> None:
    given = options("Dates of known events by counting, and those of the events that are found.", argv)
    rows: list[dict[str, Any]] = []
    for name, known in EVENTS.items():
        corpus = load(name, given)
        for seed in given.seeds:
            model = fit(corpus, "constant + ou", given, seed)
            events = find_events(model, corpus, n_words=WORDS, verbose=False)
            rows += [{"corpus": name, "seed": seed, **row} for row in dated(corpus, events, known)]
    table = pd.DataFrame(rows)
    print(table.to_string(index=False))
    print(f"{table['found'].sum()} of {len(table)} are found within a period of their date by counting")
    write_table(table, given.out / "known_events.csv")


if __name__ == "__main__":
    run(main)
