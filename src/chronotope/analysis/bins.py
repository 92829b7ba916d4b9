"""The text in time bins, word by word and topic by topic, from the documents at their own dates.

Bins are as fine as the documents allow, whatever the time grid of the model. B is their number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy.sparse as sp

from chronotope._typing import Floats, Ints
from chronotope.analysis.bursts import Windows
from chronotope.analysis.prevalence import document_lengths, topic_tokens
from chronotope.analysis.usual import topic_rates, usual_counts, usual_topics

if TYPE_CHECKING:
    from chronotope.corpus.corpus import Corpus
    from chronotope.model import DynamicTopicModel

MOST = 512  # maximum number of bins
TINY = np.finfo(float).tiny
BLOCKS, BLOCK = 16, 20  # maximum number of blocks of documents, and the least number of documents in one
MENTION = 0.5  # expected tokens from which a document mentions words

Dates = tuple[float, float, float]  # start, peak and end


class TopicCounts(NamedTuple):
    """Expected counts of a topic.

    n : (B, V) sparse, of its words in the bins;  N : (B,) of all of them
    clumping : (V,), see `clumping_of`; a document that repeats a word hardly counts for more than one that has it once
    documents : (D, V) sparse, in each document of the bins; no rows if there are no documents
    """

    n: sp.csr_array
    N: Floats
    clumping: Floats
    documents: sp.csr_array


@dataclass(frozen=True)
class Bins:
    """The text in time bins.

    first, last : (B,), the first and the last time of each
    mass : (B, K), tokens of each topic;  effective : (B,), effective number of documents
    counts : gives the expected counts of a topic
    rows, times, place : (D,), row in the corpus, time and bin of each document; none without documents
    """

    first: Floats
    last: Floats
    mass: Floats
    effective: Floats
    counts: Callable[[int], TopicCounts]
    rows: Ints
    times: Floats
    place: Ints

    @property
    def middle(self) -> Floats:
        """A time of each bin, (B,)."""
        return 0.5 * (self.first + self.last)

    @property
    def tokens(self) -> Floats:
        """All tokens, (B,)."""
        total: Floats = self.mass.sum(axis=1)
        return total

    @property
    def share(self) -> Floats:
        """Prevalence of the topics, (B, K), 0 without text."""
        part: Floats = self.mass / np.maximum(self.tokens, TINY)[:, None]
        return part

    def date(self, counts: TopicCounts, words: list[int], first: int, peak: int, last: int) -> Dates:
        """Start, peak and end of a burst of words of a topic, from its bins and from the dates of the documents.

        It starts and ends with the first and the last document that mentions the words; its peak is the median date of
        the mentions in the highest bin.
        """
        said = np.asarray(counts.documents[:, words].sum(axis=1)).ravel()
        inside = np.flatnonzero((self.place >= first) & (self.place <= last) & (said >= MENTION))
        highest = np.flatnonzero((self.place == peak) & (said > 0.0))
        if not (len(inside) and len(highest)):
            return float(self.first[first]), float(self.middle[peak]), float(self.last[last])
        highest = highest[np.argsort(self.times[highest], kind="stable")]
        mentions = np.cumsum(said[highest])
        middle = float(self.times[highest[np.searchsorted(mentions, 0.5 * mentions[-1])]])
        return min(float(self.times[inside].min()), middle), middle, max(float(self.times[inside].max()), middle)


def node_bins(model: DynamicTopicModel, window: float) -> Bins:
    """The nodes of the time grid as bins, with the counts that the model expects, of a model without its documents.

    All text of a node is taken for one document; see `usual_counts`.   window : its length
    """
    topics = model.topics_
    main = np.flatnonzero(topics.coverage.in_main(topics.times))
    times, mass = topics.times[main], topics.mass[main]
    V, place = len(topics.vocabulary), np.arange(len(times))
    text = np.zeros((len(times), V))
    for k in range(topics.n_topics):
        text += mass[:, [k]] * topic_rates(topics, k, times)
    usual = usual_topics(topics, Windows(times, window))
    expected = usual_counts(usual, model.alpha_, sp.csr_array(text), place)

    def counts(k: int) -> TopicCounts:
        n = expected(k)
        N = _totals(n)
        return TopicCounts(n, N, clumping_over_nodes(n, N), sp.csr_array((0, V)))

    effective = mass.sum(axis=1) * model.n_documents_ / max(topics.mass.sum(), TINY)
    return Bins(times, times, mass, effective, counts, np.empty(0, np.int64), np.empty(0), np.empty(0, np.int64))


def document_bins(model: DynamicTopicModel, corpus: Corpus, theta: Floats, window: float) -> Bins:
    """Bins of about equally many documents, one for each distinct time if there are few; outlying times are left out.

    The tokens of a document's words belong to topics as these usually are in a window of time; see `usual_counts`. So
    they do not follow short changes of the topics, which may be the burst of a few tokens themselves.

    theta : (D, K) topic shares of the documents, for the prevalence;  window : its length
    """
    lengths = document_lengths(corpus).astype(np.float64)
    rows = np.flatnonzero(corpus.coverage.in_main(corpus.times) & (lengths > 0))
    times, lengths, place = corpus.times[rows], lengths[rows], _places(corpus.times[rows])
    B, K = int(place.max(initial=-1)) + 1, theta.shape[1]
    first, last, mass = np.full(B, np.inf), np.full(B, -np.inf), np.zeros((B, K))
    np.minimum.at(first, place, times)
    np.maximum.at(last, place, times)
    np.add.at(mass, place, topic_tokens(model, corpus, theta)[rows])
    effective = np.bincount(place, lengths, B) ** 2 / np.maximum(np.bincount(place, lengths**2, B), 1.0)
    usual = usual_topics(model.topics_, Windows(0.5 * (first + last), window))
    expected = usual_counts(usual, model.alpha_, corpus.counts[rows], place)
    order = np.argsort(place, kind="stable")
    members = sp.csr_array((np.ones(len(rows)), (place, np.arange(len(rows)))), shape=(B, len(rows)))

    def counts(k: int) -> TopicCounts:
        documents = expected(k)
        n = sp.csr_array(members @ documents)
        return TopicCounts(n, _totals(n), clumping_of(documents[order], _totals(documents)[order]), documents)

    return Bins(first, last, mass, effective, counts, rows, times, place)


def _totals(counts: sp.csr_array) -> Floats:
    """Sums of the rows."""
    return np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()


def clumping_of(said: sp.csr_array, lengths: Floats) -> Floats:
    """How much more unevenly words are spread over documents of about the same time than at random, at least 1, (W,).

        Σ_d (c_d − r N_d)² / Σ_d c_d        r = Σ_d c_d / Σ_d N_d

    in each of some blocks of consecutive documents; of these, the median, weighted by the counts. It is 1 for Poisson
    counts, and about the tokens of a mention for a rare word that some documents repeat.

    said : (D, W), counts c of words, or of groups of words;  lengths : (D,), tokens N.  Documents are in order of time
    """
    D, W = said.shape
    edges = np.linspace(0, D, min(BLOCKS, max(D // BLOCK, 1)) + 1).round().astype(np.int64)
    found, weight = np.ones((len(edges) - 1, W)), np.zeros((len(edges) - 1, W))
    for i, (first, last) in enumerate(pairwise(edges.tolist())):
        part, length = said[first:last], lengths[first:last]
        weight[i], squares = (np.asarray(x.sum(axis=0)).ravel() for x in (part, part.power(2)))
        rate = weight[i] / max(float(length.sum()), TINY)
        spread = squares - 2.0 * rate * (part.T @ length) + rate**2 * float(length @ length)
        found[i] = np.maximum(spread / np.maximum(weight[i], TINY), 1.0)
    order = np.argsort(found, axis=0, kind="stable")
    seen = np.cumsum(np.take_along_axis(weight, order, axis=0), axis=0)
    middle = np.argmax(seen >= 0.5 * seen[-1], axis=0)
    clumping: Floats = np.take_along_axis(found, order, axis=0)[middle, np.arange(W)]
    return clumping


def clumping_over_nodes(said: sp.csr_array, lengths: Floats) -> Floats:
    """The clumping of words at nodes in order of time, (W,); 1 for fewer than three blocks, where a burst is a clump.

    said : (J, W);  lengths : (J,), tokens
    """
    return clumping_of(said, lengths) if len(lengths) >= 3 * BLOCK else np.ones(said.shape[1])


def _places(times: Floats) -> Ints:
    """Bin of each document, (D,): one for each distinct time, or up to MOST of about equally many documents."""
    stamps, stamp, number = np.unique(times, return_inverse=True, return_counts=True)
    if len(stamps) <= MOST:
        return stamp.astype(np.int64)
    before = np.cumsum(number) - number
    of_stamp = np.unique((MOST * before) // max(int(number.sum()), 1), return_inverse=True)[1]
    places: Ints = of_stamp[stamp].astype(np.int64)
    return places
