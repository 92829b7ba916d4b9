"""Answers from a fitted model, as tables: shares, words, rises, peaks, events, forecasts."""

from chronotope.analysis.events import event_documents, events
from chronotope.analysis.export import write_table
from chronotope.analysis.forecast import forecast, rolling_origin, summarise_rolling
from chronotope.analysis.prevalence import representative_documents, topic_shares
from chronotope.analysis.questions import peak, rise
from chronotope.analysis.words import top_words, topic_names, trajectories
from chronotope.dates.periods import Periods, choose_periods

__all__ = [
    "Periods",
    "choose_periods",
    "event_documents",
    "events",
    "forecast",
    "peak",
    "representative_documents",
    "rise",
    "rolling_origin",
    "summarise_rolling",
    "top_words",
    "topic_names",
    "topic_shares",
    "trajectories",
    "write_table",
]
