"""Relations of topics: which have the same words, and which occur in the same documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from chronotope._typing import Floats
from chronotope.analysis.keywords import TINY, shares_at
from chronotope.analysis.prevalence import document_lengths, topic_tokens
from chronotope.analysis.words import topics_of
from chronotope.corpus.corpus import Corpus
from chronotope.topics import Topics, expected_share

if TYPE_CHECKING:
    from chronotope.model import DynamicTopicModel

SHARED = 5  # words that two topics have in common, in the table
WEIGHT = 0.5  # documents added to both sides of a ratio, so that few documents say little
ROUNDS, TOLERANCE = 1_000, 1e-9  # maximum iterations for the tendencies of the topics, and their accuracy


class Usage(NamedTuple):
    """Words of topics over the whole time, weighted by their text.

    own : (K, V), average probabilities in the topics;  usual : (K, V), in the whole text at the times of each topic
    """

    own: Floats
    usual: Floats

    @property
    def excess(self) -> Floats:
        """What the topics have more of than the whole text, max(own − usual, 0), rows that sum to 1; (K, V)."""
        more = np.maximum(self.own - self.usual, 0.0)
        share: Floats = more / np.maximum(more.sum(axis=1, keepdims=True), TINY)
        return share


def related_topics(
    model: DynamicTopicModel | Topics, corpus: Corpus | None = None, n: int = 5, *, shares: Floats | None = None
) -> pd.DataFrame:
    """Which topics are related: by their words, and by the documents they are in.

        similarity_kl = Σ_v min(x_kv, x_lv)            x_kv ∝ max(π̄_kv − p̄_kv, 0)
        together_kl = (O_kl + ½) / (E_kl + ½)          O_kl = Σ_d θ_dk θ_dl

    π̄ is the average probability of a word in the topic, p̄ that in the whole text at the same times, both weighted by
    the topic's tokens. So x is what the topic has beyond the common background, and similarity the part of it that two
    topics share: 0 for none, 1 for all.

    O is how far two topics are in the same documents, θ the shares of topics in a document's tokens. E is the same for
    topics that are mixed at random at each time,  E_kl = a_k a_l Σ_d s_k(τ_d) s_l(τ_d),  with the prevalences s at the
    time of the document, and tendencies a to be mixed at all that make Σ_l≠k E_kl = Σ_l≠k O_kl. So together is 2 for
    topics that meet twice as often as others of their size and time do. Of two topics alone it is always 1.

    model : DynamicTopicModel or Topics, fitted; with a corpus, a DynamicTopicModel
    corpus : Corpus of D documents, default None; None to compare words only
    n : int, default 5; other topics for each topic, the closest ones
    shares : (D, K) floats, default None; the result of model.transform(corpus), to avoid computing it again

    Returns a table with n rows per topic, in decreasing order of similarity × together, or of similarity without a
    corpus:
    topic, other : their numbers;  similarity : of their words, from 0 to 1
    together : how much more often they are in the same documents than by chance; only with a corpus
    words : list of str, at most 5, those with the largest min(x_kv, x_lv)
    """
    if n < 1:
        raise ValueError(f"n is {n!r}; expected at least 1 other topic.")
    topics = topics_of(model)
    excess = word_usage(topics).excess
    similarity = word_similarity(excess)
    together = np.ones_like(similarity) if corpus is None else meetings(model, corpus, shares)  # type: ignore[arg-type]
    closeness = similarity * together
    np.fill_diagonal(closeness, -1.0)
    other = np.argsort(-closeness, axis=1, kind="stable")[:, : min(n, topics.n_topics - 1)]
    first, second = np.repeat(np.arange(topics.n_topics), other.shape[1]), other.ravel()
    table = pd.DataFrame({"topic": first, "other": second, "similarity": similarity[first, second]})
    if corpus is not None:
        table["together"] = together[first, second]
    table["words"] = [_shared(topics, excess[[k, o]]) for k, o in zip(first, second, strict=True)]
    return table


def word_usage(topics: Topics) -> Usage:
    """Words of all topics over the whole time; see `Usage`."""
    own, usual = (np.zeros((topics.n_topics, len(topics.vocabulary))) for _ in range(2))
    for rows, (m, s, log_zeta) in topics.logits(topics.times):
        mass = topics.mass[rows]
        pi = expected_share(m, s, log_zeta[:, :, None])
        own += np.einsum("jk,jkv->kv", mass, pi)
        whole = np.einsum("jk,jkv->jv", mass, pi) / np.maximum(mass.sum(axis=1), TINY)[:, None]
        usual += mass.T @ whole
    tokens = np.maximum(topics.mass.sum(axis=0), TINY)[:, None]
    return Usage(own / tokens, usual / tokens)


def word_similarity(excess: Floats) -> Floats:
    """Σ_v min(x_kv, x_lv) of all pairs, (K, K).   excess : (K, V), see `Usage`."""
    return np.array([np.minimum(row, excess).sum(axis=1) for row in excess])


def meetings(model: DynamicTopicModel, corpus: Corpus, shares: Floats | None = None) -> Floats:
    """How much more often two topics are in the same documents than by chance, (K, K); see `related_topics`."""
    lengths = document_lengths(corpus)
    used = lengths > 0
    part = topic_tokens(model, corpus, shares)[used] / lengths[used, None]
    stamps, documents = np.unique(corpus.times[used], return_counts=True)
    share = shares_at(model.topics_, stamps)
    observed, expected = part.T @ part, share.T @ (documents[:, None] * share)
    for table in (observed, expected):
        np.fill_diagonal(table, 0.0)
    ratio: Floats = (observed + WEIGHT) / (_with_margins(expected, observed.sum(axis=1)) + WEIGHT)
    return ratio


def _with_margins(table: Floats, margin: Floats) -> Floats:
    """a_k a_l table_kl with the a > 0 that give its rows these sums, as far as there are such; both symmetric."""
    a = np.ones(len(table))
    for _ in range(ROUNDS if len(table) > 2 else 1):
        step = np.sqrt(margin / np.maximum(a * (table @ a), TINY))
        a *= step
        if np.max(np.abs(step - 1.0)) < TOLERANCE:
            break
    scaled: Floats = a[:, None] * table * a
    return scaled


def _shared(topics: Topics, excess: Floats) -> list[str]:
    """The words that two topics have in common.   excess : (2, V)."""
    both = excess.min(axis=0)
    best = np.argsort(-both, kind="stable")[:SHARED]
    return [str(topics.vocabulary[v]) for v in best if both[v] > 0.0]
