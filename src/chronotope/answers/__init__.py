"""Answers from a fitted model, as tables: shares, words, rises, peaks, events, forecasts."""

from chronotope.answers.events import event_documents, events
from chronotope.answers.forecast import forecast
from chronotope.answers.periods import Periods, choose_periods
from chronotope.answers.questions import peak, rise
from chronotope.answers.rolling import rolling_origin, summarise_rolling
from chronotope.answers.shares import representative_documents, topic_shares
from chronotope.answers.words import top_words, topic_names, trajectories
from chronotope.answers.writing import write_table

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
