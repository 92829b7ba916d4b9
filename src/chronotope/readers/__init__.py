"""Reading dated texts from files, folders, repositories and tables."""

from chronotope.readers.dispatch import read, read_corpus
from chronotope.readers.matrix import read_counts
from chronotope.readers.records import Reading, Record

__all__ = ["Reading", "Record", "read", "read_corpus", "read_counts"]
