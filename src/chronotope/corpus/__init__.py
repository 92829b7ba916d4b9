"""Corpora: word counts of documents, each with its time, in memory or on disk."""

from chronotope.corpus.corpus import Corpus, open_corpus
from chronotope.corpus.disk import CorpusWriter

__all__ = ["Corpus", "CorpusWriter", "open_corpus"]
