"""Marks on topics that are no subjects of their own: the archive's way of speaking, junk, and twins."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import entr

from chronotope._typing import Floats, Ints
from chronotope.analysis.keywords import TINY, distinctive_words
from chronotope.analysis.prevalence import document_lengths, topic_tokens
from chronotope.analysis.relations import Usage, word_similarity, word_usage
from chronotope.analysis.signs import (
    Pairs,
    clumping_in_documents,
    documents_with_half,
    pairs_apart,
    spread_over_documents,
    time_blocks,
)
from chronotope.analysis.words import topics_of
from chronotope.corpus.corpus import Corpus
from chronotope.topics import Topics

if TYPE_CHECKING:
    from chronotope.model import DynamicTopicModel

TWIN = 0.5  # similarity of words from which two topics are twins
SPREAD = 0.15  # spread over the documents from which a topic may be a register
EVEN = 0.6  # clumping of its words at most, relative to the median topic
BROAD = 1.25  # breadth of its words at least, relative to the median topic
APART = 0.15  # part of the pairs of its words that are apart from which a topic is junk
JUDGED = 10  # pairs that have to be judged for it
HANDFUL = 5  # documents with half of a topic's tokens up to which it is junk
FEW = 0.1  # and at most this part of D / K, the documents that a topic has on average
WORDS = 10  # words of a topic whose pairs are judged


class Signs(NamedTuple):
    """What marks are given by, of K topics.

    similarity, other : (K,), to the most similar topic, and its number, −1 if there is none
    breadth : (K,), effective number of its words
    pairs : of its words;  documents : (K,), with half of its tokens;  spread, clumping : (K,); all four with a corpus
    """

    similarity: Floats
    other: Ints
    breadth: Floats
    pairs: list[Pairs]
    documents: Ints
    spread: Floats
    clumping: Floats


def topic_marks(
    model: DynamicTopicModel | Topics, corpus: Corpus | None = None, *, shares: Floats | None = None
) -> pd.DataFrame:
    """Marks on topics that are no subjects, each with the reason; most topics have none.

    "register" : a way of speaking in place of a subject, if it is spread over at least 15% of the text, and beside the
        median topic its clumping is at most 0.6 times and its breadth at least 1.25 times as large: many words, found
        evenly in many documents
    "junk" : a mixture, if at least 15% of the pairs of its ten naming words are apart: in the same documents less often
        than by chance, by a standard deviation or more, as of words that have nothing to do with each other. Or words
        of a few documents, if half of its tokens are in at most 5 of the D documents, and in at most a tenth of D / K
    "twin" : another topic has a similarity of words of at least 0.5; see `related_topics`

        spread_k = (Σ_d n_dk)² / (Σ_d n_d Σ_d n_dk² / n_d)      n_dk : tokens of topic k in document d
        clumping_k = Σ_v x_kv log(D̂_v / D_v)                    x_kv : what the topic has beyond the whole text
        breadth_k = exp(−Σ_v x_kv log x_kv)                     effective number of words

    D_v are the documents with a word, D̂_v those that as many tokens thrown at random would hit. Chance, here and for
    pairs of words, is that among documents of about the same time, so change over time is not held against a topic.
    A topic has the first mark of these that applies. Without a corpus only twins are found.

    model : DynamicTopicModel or Topics, fitted; with a corpus, a DynamicTopicModel
    corpus : Corpus of D documents, default None
    shares : (D, K) floats, default None; the result of model.transform(corpus), to avoid computing it again

    Returns a table with one row per topic:
    topic : its number;  share : its share of the whole text;  mark : "register", "junk", "twin" or ""
    other : number of the twin, −1 for no twin;  why : the reason in a sentence, "" without a mark
    similarity, breadth : of its words to those of the most similar topic, and how many they are
    apart, documents, spread, clumping : part of the pairs of its words that are apart, documents that hold half of it,
        its spread and its clumping; only with a corpus
    """
    topics = topics_of(model)
    usage = word_usage(topics)
    if corpus is None:
        signs = _of_words(usage)
    else:
        signs = _of_documents(model, corpus, usage, shares)  # type: ignore[arg-type]
    rows = [_judge(signs, k, 0 if corpus is None else len(corpus)) for k in range(topics.n_topics)]
    table = pd.DataFrame(rows, columns=["mark", "other", "why"])
    table.insert(0, "topic", np.arange(topics.n_topics))
    table.insert(1, "share", topics.mass.sum(axis=0) / max(float(topics.mass.sum()), TINY))
    table = table.assign(similarity=signs.similarity, breadth=signs.breadth)
    if corpus is None:
        return table
    apart = [pairs.apart for pairs in signs.pairs]
    return table.assign(apart=apart, documents=signs.documents, spread=signs.spread, clumping=signs.clumping)


def mark_text(mark: str, other: int) -> str:
    """A mark in a word or two, as "register" or "twin of 7".   mark, other : as in the table of `topic_marks`."""
    return f"{mark} of {other}" if mark == "twin" else mark


def _of_words(usage: Usage) -> Signs:
    """What the words say."""
    excess = usage.excess
    alike, breadth = word_similarity(excess), np.exp(entr(excess).sum(axis=1))
    np.fill_diagonal(alike, -1.0)
    K = len(alike)
    nearest = np.argmax(alike, axis=1) if K > 1 else np.full(K, -1)
    similarity = np.maximum(alike.max(axis=1), 0.0)
    return Signs(similarity, nearest.astype(np.int64), breadth, [], np.empty(0, np.int64), np.empty(0), np.empty(0))


def _of_documents(model: DynamicTopicModel, corpus: Corpus, usage: Usage, shares: Floats | None) -> Signs:
    """What words and documents say."""
    topics, counts = model.topics_, corpus.counts
    lengths = document_lengths(corpus).astype(np.float64)
    tokens, blocks = topic_tokens(model, corpus, shares), time_blocks(corpus.times)
    names, excess = _own_words(topics, usage), usage.excess
    columns = [[topics.index(word) for word in own] for own in names]
    return _of_words(usage)._replace(
        pairs=pairs_apart(counts, columns, names, blocks),
        documents=documents_with_half(tokens),
        spread=spread_over_documents(tokens, lengths),
        clumping=excess @ clumping_in_documents(counts, lengths, blocks),
    )


def _own_words(topics: Topics, usage: Usage) -> list[list[str]]:
    """At most ten words that name each topic, none that it has less often than the whole text; K lists."""
    names = distinctive_words(usage.own * topics.mass.sum(axis=0)[:, None], topics.vocabulary, WORDS)
    return [
        [word for word in named if row[topics.index(word)] > 0.0]
        for named, row in zip(names, usage.excess, strict=True)
    ]


def _judge(signs: Signs, k: int, D: int) -> tuple[str, int, str]:
    """Mark, twin and reason of topic k.   D : number of documents, 0 without a corpus."""
    if D and _is_register(signs, k):
        over = f"it is spread over {signs.spread[k]:.0%} of the text, in many words that documents seldom repeat"
        return "register", -1, f"A way of speaking rather than a subject: {over}."
    if D and signs.pairs[k].judged >= JUDGED and signs.pairs[k].apart >= APART:
        return "junk", -1, _mixture_sentence(signs.pairs[k])
    if D and signs.documents[k] <= min(HANDFUL, FEW * D / len(signs.documents)):
        n = int(signs.documents[k])
        return "junk", -1, f"Words of a few documents: half of it is in {n:,} of {D:,}."
    if signs.similarity[k] >= TWIN:
        other = int(signs.other[k])
        same = f"{signs.similarity[k]:.0%} of what sets them apart from the rest is the same"
        return "twin", other, f"Its words are those of topic {other}: {same}."
    return "", -1, ""


def _is_register(signs: Signs, k: int) -> bool:
    even = signs.clumping[k] <= EVEN * float(np.median(signs.clumping))
    broad = signs.breadth[k] >= BROAD * float(np.median(signs.breadth))
    return bool(signs.spread[k] >= SPREAD and even and broad)


def _mixture_sentence(pairs: Pairs) -> str:
    first, second = pairs.farthest
    return (
        f"A mixture: {pairs.apart:.0%} of the pairs of its words are clearly less often in the same documents than by "
        f"chance, as {first} and {second}."
    )
