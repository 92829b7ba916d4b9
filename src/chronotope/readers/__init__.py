"""Reading dated texts from files, folders, repositories and tables."""

from chronotope.readers.choose import read, read_corpus
from chronotope.readers.counts import read_counts
from chronotope.readers.reading import Reading, Record

__all__ = ["Reading", "Record", "read", "read_corpus", "read_counts"]
