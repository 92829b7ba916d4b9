"""Corpora, topics and models in a notebook: small tables and sparklines as HTML, every text escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from chronotope._typing import Floats
from chronotope.dates.decimal import format_time
from chronotope.dates.periods import choose_periods
from chronotope.dates.rough_text import counted_dates
from chronotope.display.describe import FittedModel, describe_model
from chronotope.display.smooth import shares_around

WORDS = 5  # of a topic at the first and at the last time
POINTS = 80  # of a sparkline
WIDTH, HEIGHT = 180, 26
TABLE = '<table style="border-collapse: collapse; font-size: 90%">'
CELL = "text-align: left; padding: 2px 12px 2px 0; vertical-align: middle"


class NotebookDisplay:
    """Mixin of an estimator: a notebook shows its topics once it is fitted, and scikit-learn's display before."""

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        if hasattr(self, "topics_"):
            return {"text/plain": repr(self), "text/html": model_html(self)}  # type: ignore[arg-type]
        shown: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        return shown

    def _repr_html_(self) -> str | None:
        return self._repr_mimebundle_().get("text/html")


def corpus_html(corpus: Any) -> str:
    """Counts and span of a Corpus, and a bar for the documents of each period."""
    coverage = corpus.coverage
    main = coverage.in_main(corpus.times)
    periods = choose_periods(None, coverage.main_span, corpus.calendar)
    documents = np.bincount(periods.place(corpus.times[main]), minlength=len(periods.names))
    first, last = (format_time(time, corpus.calendar) for time in corpus.span)
    rows = [
        (
            "documents",
            f"{corpus.n_documents:,}" + (f", {corpus.n_empty:,} of them without words" if corpus.n_empty else ""),
        ),
        ("words", f"{corpus.n_words:,} in the vocabulary, {corpus.n_tokens:,} tokens"),
        ("times", f"{corpus.n_times:,}, {first} to {last}"),
        *([("dates", dates.removeprefix("dates: "))] if (dates := counted_dates(len(corpus), corpus.rough)) else []),
        ("texts", "not kept" if corpus.texts is None else "kept"),
    ]
    if not main.all():
        rows.append(("outlying", f"{int(np.sum(~main)):,} documents, far from the others in time"))
    title = f"{len(documents)} periods, at most {documents.max():,} documents in one"
    lines = [_row([escape(name), escape(value)]) for name, value in rows]
    lines.append(_row(["documents over time", bars(documents.astype(np.float64), title)]))
    return f"<div><strong>Corpus</strong>{TABLE}{''.join(lines)}</table></div>"


def topics_html(topics: Any) -> str:
    """A row for each of the Topics: its top words at the first and the last time, and its prevalence over time."""
    first, last = topics.main_span
    ends = [first] if first == last else [first, last]
    best = np.argsort(-topics.probabilities(ends), axis=2, kind="stable")[:, :, :WORDS]  # (1 or 2, K, words)
    points = np.linspace(first, last, POINTS)
    share = shares_around(points, topics.times, topics.mass, last - first) * topics.covered(points)[:, None]  # (n, K)
    overall = topics.mass.sum(axis=0) / max(topics.mass.sum(), np.finfo(float).tiny)
    dates = [format_time(time, topics.calendar) for time in ends]
    head = [
        "topic",
        *(f"words at {escape(date)}" for date in dates),
        "share",
        f"share over time, up to {share.max():.0%}",
    ]
    lines = [_row(head, "th")]
    for k in range(topics.n_topics):
        words = [escape(", ".join(str(word) for word in topics.vocabulary[row[k]])) for row in best]
        picture = sparkline(share[:, k] / share.max(), f"share of topic {k}")
        lines.append(_row([str(k), *words, f"{overall[k]:.1%}", picture]))
    return f"<div>{TABLE}{''.join(lines)}</table></div>"


def model_html(model: FittedModel) -> str:
    """A fitted model: a line that describes it, and its topics."""
    facts = describe_model(model)
    line = f"{facts['topics']} topics, {facts['words']} words, {facts['documents']} documents; {facts['fit']}; prior: "
    return f"<div><strong>DynamicTopicModel</strong> {escape(line + facts['kernel'])}</div>{topics_html(model.topics_)}"


def sparkline(heights: Floats, title: str) -> str:
    """A line and the area under it.   heights : (n,), from 0 to 1."""
    x = np.linspace(0, WIDTH, len(heights))
    points = " ".join(f"{a:.1f},{1 + (HEIGHT - 2) * (1 - b):.1f}" for a, b in zip(x, heights, strict=True))
    area = f'<polygon points="0,{HEIGHT} {points} {WIDTH},{HEIGHT}" fill="#0072B2" fill-opacity="0.2"/>'
    return _svg(area + f'<polyline points="{points}" fill="none" stroke="#0072B2" stroke-width="1.3"/>', title)


def bars(heights: Floats, title: str) -> str:
    """A bar for each height.   heights : (n,), at least 0."""
    wide = WIDTH / len(heights)
    tall = (HEIGHT - 1) * heights / max(heights.max(), np.finfo(float).tiny)
    drawn = [
        f'<rect x="{i * wide:.2f}" y="{HEIGHT - high:.2f}" width="{0.85 * wide:.2f}" height="{high:.2f}"/>'
        for i, high in enumerate(tall)
    ]
    return _svg(f'<g fill="#0072B2">{"".join(drawn)}</g>', title)


def _svg(drawn: str, title: str) -> str:
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">'
        f"<title>{escape(title)}</title>{drawn}</svg>"
    )


def _row(cells: Sequence[str], tag: str = "td") -> str:
    """A row of a table.   cells : HTML, escaped by the caller."""
    return "<tr>" + "".join(f'<{tag} style="{CELL}">{cell}</{tag}>' for cell in cells) + "</tr>"
