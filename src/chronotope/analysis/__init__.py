"""Tables computed from a fitted model: prevalence, words, relations, rises, peaks, events, forecasts, what is left."""

from chronotope.analysis.events import event_documents, find_events
from chronotope.analysis.export import write_table
from chronotope.analysis.forecast import forecast_words, rolling_origin, summarise_rolling
from chronotope.analysis.groups import contrast, group_differences
from chronotope.analysis.keywords import find_topic, telling_words
from chronotope.analysis.marks import topic_marks
from chronotope.analysis.parted import divergence, parting, partings
from chronotope.analysis.places import to_geojson, topic_map, word_map
from chronotope.analysis.prevalence import representative_documents, topic_shares
from chronotope.analysis.questions import peak, rise
from chronotope.analysis.relations import related_topics
from chronotope.analysis.share_backtest import rolling_shares, summarise_rolling_shares
from chronotope.analysis.share_forecast import forecast_shares
from chronotope.analysis.unexplained import Excess, find_excess, unexplained_documents, unexplained_words
from chronotope.analysis.words import top_words_table, topic_names, trajectory_table, turning_topics
from chronotope.dates.periods import Periods, choose_periods

__all__ = [
    "Excess",
    "Periods",
    "choose_periods",
    "contrast",
    "divergence",
    "event_documents",
    "find_events",
    "find_excess",
    "find_topic",
    "forecast_shares",
    "forecast_words",
    "group_differences",
    "parting",
    "partings",
    "peak",
    "related_topics",
    "representative_documents",
    "rise",
    "rolling_origin",
    "rolling_shares",
    "summarise_rolling",
    "summarise_rolling_shares",
    "telling_words",
    "to_geojson",
    "top_words_table",
    "topic_map",
    "topic_marks",
    "topic_names",
    "topic_shares",
    "trajectory_table",
    "turning_topics",
    "unexplained_documents",
    "unexplained_words",
    "word_map",
    "write_table",
]
