"""The chains of documents: the topic of every token, kept between the passes over a corpus."""

from __future__ import annotations

import mmap
import tempfile
from typing import NamedTuple

import numpy as np

from chronotope._typing import Ints
from chronotope.corpus.counts import index_type, range_places
from chronotope.inference.documents import Documents
from chronotope.inference.gibbs import TOKENS
from chronotope.inference.store import DocumentStore
from chronotope.storage.pages import leave_pages

MANY = 2**26  # tokens from which on their topics are in a file


class Chains(NamedTuple):
    """Topics of the tokens of D documents.

    topic : (tokens,) topic of each sampled token, document by document, a document's words in their order
    first : (D,) the first token of each document;  started : (D,) whether its topics have been drawn
    size : (D,) sampled tokens of each document
    """

    topic: np.ndarray
    first: Ints
    started: np.ndarray
    size: np.ndarray

    @classmethod
    def of(
        cls, docs: Documents | DocumentStore, topic: np.ndarray | None = None, started: np.ndarray | None = None
    ) -> Chains:
        """Chains of all documents: with these topics, in all documents or in those that have started; else new ones."""
        size = docs.per_document(sampled_tokens).astype(np.int32)
        ends = np.concatenate([[0], np.cumsum(size, dtype=np.int64)])
        if topic is None:
            topic, started = new_topics(int(ends[-1])), np.zeros(len(size), np.bool_)
        if len(topic) != ends[-1]:
            raise ValueError(f"topics of {len(topic):,} tokens are given, but the documents have {ends[-1]:,}.")
        first = ends[:-1].astype(index_type(len(topic)))
        return cls(topic, first, np.ones(len(size), np.bool_) if started is None else started, size)

    @property
    def loops(self) -> tuple[np.ndarray, ...]:
        """The arrays of compiled loops: topic, first, started."""
        return self.topic, self.first.astype(np.int64, copy=False), self.started

    def tokens(self) -> np.ndarray:
        """A copy of the topics of all tokens of these documents, one after another."""
        found: np.ndarray = np.array(self.topic[self._places()])
        leave_pages(self.topic)
        return found

    def held(self, K: int) -> Ints:
        """Sampled tokens of each of K topics, (D, K); none of documents whose chains have not started."""
        document = np.repeat(np.arange(len(self.size)), self.size)
        held: Ints = np.bincount(document * K + self.tokens(), minlength=len(self.size) * K).reshape(-1, K)
        held[~self.started] = 0
        return held

    def put(self, tokens: np.ndarray) -> None:
        """Set the topics of all tokens of these documents."""
        self.topic[self._places()] = tokens
        leave_pages(self.topic)

    def take(self, rows: np.ndarray | slice) -> Chains:
        """The chains of some documents; the array of topics is shared."""
        return Chains(self.topic, self.first[rows], self.started[rows], self.size[rows])

    def _places(self) -> Ints | slice:
        """Where the tokens of the documents are in the array of topics."""
        return range_places(self.first, self.first + self.size)

    def apart(self) -> Chains:
        """The same chains with an array of topics of their own."""
        return self._replace(topic=self.topic.copy(), started=self.started.copy())


def new_topics(tokens: int) -> np.ndarray:
    """Topics of so many tokens, (tokens,): in memory, or of many in a temporary file that has no name."""
    if tokens < MANY:
        return np.zeros(tokens, np.uint16)
    with tempfile.TemporaryFile() as file:
        file.truncate(2 * tokens)
        return np.frombuffer(mmap.mmap(file.fileno(), 2 * tokens), np.uint16)


def sampled_tokens(counts: np.ndarray) -> np.ndarray:
    """Sampled tokens of words with these counts, in single precision like `count_tokens`."""
    return np.minimum(np.ceil(counts.astype(np.float32)), TOKENS)
