"""Scikit-learn's LDA as a baseline: topics that are constant over time, scored as all models are."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from chronotope._typing import Floats, Ints, Values
from chronotope.corpus.corpus import Corpus
from chronotope.inference.state import Local
from chronotope.model.completion import completion_scores, perplexity, perplexity_with_error
from chronotope.topics import CELLS, Logits

PASSES = 30  # default number of passes over the corpus
ALPHAS = (0.1, 0.5)  # the baseline has the better of these


class StaticFit(NamedTuple):
    """A fitted static model.   topics : (K, V);  perplexity, standard_error : held-out;  seconds : of all."""

    topics: Floats
    alpha: float
    perplexity: float
    standard_error: float
    seconds: float


class StaticTopics(NamedTuple):
    """Topics that are the same at all times.   log_pi : (K, V)."""

    log_pi: Values

    def logits(self, times: Floats) -> Iterator[tuple[slice, Logits]]:
        """Logits at times, as `Topics.logits` gives them."""
        size = max(1, CELLS // self.log_pi.size)
        for start in range(0, len(times), size):
            rows = slice(start, min(start + size, len(times)))
            m = np.repeat(self.log_pi[None], rows.stop - rows.start, axis=0)
            yield rows, Logits(m, np.zeros_like(m), np.zeros(m.shape[:2]))


class StaticModel(NamedTuple):
    """What scores need of a model."""

    topics_: StaticTopics
    alpha_: Floats
    local: Local


def fit_static(
    train: Corpus,
    test: Corpus,
    n_topics: int,
    alpha: float,
    seed: int,
    passes: int = PASSES,
    halves: int | None = None,
    local: Local = "sampled",
    seen: int | None = None,
) -> StaticFit:
    """Scikit-learn's latent Dirichlet allocation on the training counts, scored on the test documents.

    passes : over the corpus;  halves : seed that splits the tokens of the test documents, None for `seed`
    local, seen : see `static_scores`
    """
    from sklearn.decomposition import LatentDirichletAllocation

    start = time.perf_counter()
    lda = LatentDirichletAllocation(n_topics, doc_topic_prior=alpha, max_iter=passes, random_state=seed)
    lda.fit(sp.csr_matrix(train.counts))
    topics = lda.components_ / lda.components_.sum(axis=1, keepdims=True)
    scores = static_scores(topics, alpha, test, seed if halves is None else halves, local, seen)
    return StaticFit(topics, alpha, *perplexity_with_error(*scores), time.perf_counter() - start)


def static_perplexity(
    topics: ArrayLike, alpha: float | ArrayLike, corpus: Corpus, seed: int = 0, local: Local = "sampled"
) -> float:
    """Perplexity of static topics by document completion; see `static_scores`."""
    return perplexity(*static_scores(topics, alpha, corpus, seed, local))


def static_scores(
    topics: ArrayLike,
    alpha: float | ArrayLike,
    corpus: Corpus,
    seed: int = 0,
    local: Local = "sampled",
    seen: int | None = None,
) -> tuple[Floats, Ints]:
    """Document completion with static topics, by `completion_scores`.

    topics : (K, V) π, rows sum to 1;  alpha : float or (K,);  seed : splits the tokens
    local : how shares are inferred, as by a DynamicTopicModel with the same `local`;  seen : see `completion_scores`
    Returns log p and the number of scored tokens of every document, (D,) each.
    """
    pi = np.asarray(topics, dtype=np.float64)
    if pi.ndim != 2 or pi.shape[1] != corpus.n_words:
        raise ValueError(f"topics has shape {pi.shape} but the corpus has {corpus.n_words:,} words; pass (K, V).")
    log_pi = np.log(np.maximum(pi, 1e-30)).astype(np.float32)  # the dtype that the loops are compiled for
    own = np.broadcast_to(np.asarray(alpha, dtype=np.float64), len(pi)).copy()
    return completion_scores(StaticModel(StaticTopics(log_pi), own, local), corpus, seed, seen=seen)
