"""The chains of documents: the topic of every token, kept between the passes over a corpus."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chronotope._typing import Ints
from chronotope.inference.documents import Documents, DocumentStore
from chronotope.inference.gibbs import TOKENS


class Chains(NamedTuple):
    """Topics of the tokens of D documents.

    topic : (tokens,) topic of each sampled token, document by document, a document's words in their order
    first : (D,) the first token of each document;  started : (D,) whether its topics have been drawn
    """

    topic: np.ndarray
    first: Ints
    started: np.ndarray

    @classmethod
    def of(
        cls, docs: Documents | DocumentStore, topic: np.ndarray | None = None, started: np.ndarray | None = None
    ) -> Chains:
        """Chains of all documents: with these topics, in all documents or in those that have started; else new ones."""
        ends = np.concatenate([[0], np.cumsum(docs.per_document(sampled_tokens))]).astype(np.int64)
        if topic is None:
            return cls(np.zeros(ends[-1], np.uint16), ends[:-1], np.zeros(len(docs.left), np.bool_))
        if len(topic) != ends[-1]:
            raise ValueError(f"topics of {len(topic):,} tokens are given, but the documents have {ends[-1]:,}.")
        return cls(topic, ends[:-1], np.ones(len(docs.left), np.bool_) if started is None else started)

    def take(self, rows: np.ndarray) -> Chains:
        """The chains of some documents; the array of topics is shared."""
        return Chains(self.topic, self.first[rows], self.started[rows])

    def apart(self) -> Chains:
        """The same chains with an array of topics of their own."""
        return self._replace(topic=self.topic.copy(), started=self.started.copy())


def sampled_tokens(counts: np.ndarray) -> np.ndarray:
    """Sampled tokens of words with these counts, in single precision like `count_tokens`."""
    return np.minimum(np.ceil(counts.astype(np.float32)), TOKENS)
