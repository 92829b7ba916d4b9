"""Evaluation of models: held-out perplexity, coherence, change, stability, comparison of kernels."""

from chronotope._deprecated import renamed
from chronotope.evaluate.change import diversity, persistence, sample_topics, smoothness, summarise_change
from chronotope.evaluate.coherence import c_v, npmi, topic_coherence
from chronotope.evaluate.comparison import Comparison, compare
from chronotope.evaluate.dates import dating_error, hold_out
from chronotope.evaluate.identity import summarise_identity, topic_identity
from chronotope.evaluate.search import Search, grid_search, tune
from chronotope.evaluate.stability import match_topics, seed_stability
from chronotope.evaluate.windows import count_windows
from chronotope.model.completion import (
    check_weights,
    completion_scores,
    perplexity,
    perplexity_with_error,
    split_tokens,
)

__all__ = [
    "Comparison",
    "Search",
    "c_v",
    "check_weights",
    "compare",
    "completion_scores",
    "count_windows",
    "dating_error",
    "diversity",
    "grid_search",
    "hold_out",
    "match_topics",
    "npmi",
    "perplexity",
    "perplexity_with_error",
    "persistence",
    "sample_topics",
    "seed_stability",
    "smoothness",
    "split_tokens",
    "summarise_change",
    "summarise_identity",
    "topic_coherence",
    "topic_identity",
    "tune",
]

coherence = renamed("evaluate.coherence", "evaluate.topic_coherence", topic_coherence)
stability = renamed("evaluate.stability", "evaluate.seed_stability", seed_stability)
