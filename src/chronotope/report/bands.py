"""Prevalence over time on the page: the model's own curve with its band if it has one, else the share of the text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from chronotope._typing import Floats, Mask, Values
from chronotope.report.survey import Survey

if TYPE_CHECKING:
    from chronotope.model import DynamicTopicModel

SHARES_NOTE = (
    "A topic’s prevalence is its share of the text: of all words around a time, smoothed over about a fiftieth of the "
    "span."
)
COUNTED_NOTE = (
    "These shares of the text are counted: of all words around a time, smoothed over about a fiftieth of the span."
)


def banded(drawn: Values, level: float) -> Floats:
    """Median, low and high of draws along the first axis, (3, ...).   level : part of the draws in the band"""
    return np.asarray(np.quantile(drawn, (0.5, 0.5 - 0.5 * level, 0.5 + 0.5 * level), axis=0), dtype=np.float64)


def prevalence_figures(model: DynamicTopicModel, survey: Survey, level: float) -> list[dict[str, Any]]:
    """What the page draws and says of each topic's prevalence: one entry per topic.

    shares : of the text, counted;  prevalence : the model's median, low and high, None without
    peak, early, late : of the curve that is drawn, see `share_figures`
    """
    written, K = survey.written, model.topics_.n_topics
    if not hasattr(model, "prevalence_"):
        return [_entry(survey.prevalence[:, k], survey.prevalence[:, k], written, None) for k in range(K)]
    bands = np.full((3, len(written), K), np.nan)
    bands[:, written] = banded(model.prevalence_.draws(survey.times[written]), level)
    entries = []
    for k in range(K):
        drawn = {name: _listed(band[:, k], written) for name, band in zip(("share", "low", "high"), bands, strict=True)}
        entries.append(_entry(survey.prevalence[:, k], bands[0, :, k], written, drawn))
    return entries


def _entry(counted: Floats, drawn: Floats, written: Mask, prevalence: dict[str, Any] | None) -> dict[str, Any]:
    return {"shares": _listed(counted, written), "prevalence": prevalence, **share_figures(drawn, written)}


def _listed(values: Floats, written: Mask) -> list[float | None]:
    """Values for the page, None in gaps."""
    return [round(float(value), 5) if here else None for value, here in zip(values, written, strict=True)]


def share_figures(share: Floats, written: Mask) -> dict[str, Any]:
    """The peak of a topic's prevalence over time, and its average over the first and the last tenth of the times.

    written : (T,), where there are documents; elsewhere there is no prevalence, and no peak
    """
    known = share[written]
    tenth = max(1, len(known) // 10)
    return {
        "peak": int(np.argmax(np.where(written, share, -1.0))),
        "early": round(float(known[:tenth].mean()), 5),
        "late": round(float(known[-tenth:].mean()), 5),
    }


def prevalence_notes(model: DynamicTopicModel, probability: str) -> dict[str, str | None]:
    """What is drawn, and what is counted beside it.   probability : of the bands, in percent"""
    if not hasattr(model, "prevalence_"):
        return {"sharesNote": SHARES_NOTE, "countedNote": None}
    terms = model.prevalence_.columns.terms
    note = f"The curve is the model’s prevalence: a topic’s expected share of a document, with its {probability} band."
    if model.prevalence_.groups:
        note += f" It is what all groups by “{terms.by}” share."
    if terms.linear:
        columns = ", ".join(f"“{column}”" for column in terms.linear)
        note += f" {columns} {'are at their means' if len(terms.linear) > 1 else 'is at its mean'}."
    return {"sharesNote": note, "countedNote": COUNTED_NOTE}
