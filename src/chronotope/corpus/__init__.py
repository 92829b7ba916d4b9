"""Corpora: word counts of documents, each with its time, in memory or on disk."""

from chronotope.corpus.corpus import Corpus
from chronotope.corpus.disk import CorpusWriter, open_corpus

__all__ = ["Corpus", "CorpusWriter", "open_corpus"]
