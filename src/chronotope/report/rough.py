"""Dates that are known roughly, as a report shows them: in words, as bars over their spans, spread over time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from chronotope._typing import Floats
from chronotope.dates.coverage import Coverage
from chronotope.dates.decimal import format_time
from chronotope.dates.rough import UNKNOWN, Corners, RoughDates
from chronotope.dates.rough_text import density_in_words

if TYPE_CHECKING:
    from chronotope.corpus.corpus import Corpus

NOT_KNOWN = "unknown"
AT_ONCE = 10_000  # documents that are spread over time

Bar = tuple[float, float, float, float]  # from where to where a date can be, the likeliest part between the inner two


def date_pieces(corpus: Corpus, row: int) -> tuple[Corners, ...]:
    """The pieces of the density of a document's date; none if it is exact."""
    if corpus.rough is None:
        return ()
    first, end = np.searchsorted(corpus.rough.document, (row, row + 1))
    a, b, c, d = corpus.rough.corners[first:end].T.tolist()
    return tuple(zip(a, b, c, d, strict=True))


def document_date(corpus: Corpus, row: int) -> str:
    """A document's date as it is known: "1931-05-01", "1930 to 1939", "before 1914" or "unknown"."""
    pieces = date_pieces(corpus, row)
    if not pieces:
        return format_time(float(corpus.times[row]), corpus.calendar)
    return NOT_KNOWN if UNKNOWN in pieces else density_in_words(pieces)


def date_bars(corpus: Corpus, rows: Iterable[int], span: tuple[float, float]) -> dict[str, list[Bar]]:
    """Bars of the rough dates of some documents on an axis, by their text, see `document_date`.

    span : first and last time of the axis; pieces outside are left out
    """
    found: dict[str, list[Bar]] = {}
    for row in rows:
        pieces = date_pieces(corpus, row)
        text = document_date(corpus, row)
        if pieces and text not in found:
            found[text] = [_on_axis(one, span) for one in pieces if one[0] <= span[1] and one[3] >= span[0]]
    return found


def _on_axis(corners: Corners, span: tuple[float, float]) -> Bar:
    a, b, c, d = (round(min(max(end, span[0]), span[1]), 6) for end in corners)
    return a, b, c, d


def documents_around(corpus: Corpus, times: Floats) -> Floats:
    """Documents that are nearest to each of some times, (n,); one whose date is rough is spread over its span.

    times : (n,), evenly spaced
    """
    exact = corpus.times[corpus.exact]
    found = Coverage.of(exact).around(times) if len(exact) else np.zeros(len(times))
    if corpus.rough is None or len(times) < 2:
        return found if corpus.rough is None else found + len(corpus.rough.documents)
    half = 0.5 * (times[1] - times[0])
    edges = np.append(times - half, times[-1] + half)
    closed = corpus.rough.within(edges[0], edges[-1])
    for start in range(0, len(closed.documents), AT_ONCE):
        found = found + _some(closed, start).mass(edges).sum(axis=0)
    return found


def _some(rough: RoughDates, start: int) -> RoughDates:
    """The rough dates of some of the documents that have them."""
    return rough.take(rough.documents[start : start + AT_ONCE])
