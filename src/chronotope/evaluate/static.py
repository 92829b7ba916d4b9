"""Static topics, constant over time: scikit-learn's LDA as a baseline, scored like dynamic models."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from chronotope._typing import Floats, Ints
from chronotope.corpus.corpus import Corpus
from chronotope.inference.documents import documents_at_nodes, uniform_lambda
from chronotope.inference.meanfield import infer_shares
from chronotope.model.completion import perplexity, perplexity_with_error, split_tokens

PASSES = 30  # default number of passes over the corpus
ALPHAS = (0.1, 0.5)  # the baseline has the better of these


class StaticFit(NamedTuple):
    """A fitted static model.   topics : (K, V);  perplexity, standard_error : held-out;  seconds : of all."""

    topics: Floats
    alpha: float
    perplexity: float
    standard_error: float
    seconds: float


def fit_static(
    train: Corpus,
    test: Corpus,
    n_topics: int,
    alpha: float,
    seed: int,
    passes: int = PASSES,
    halves: int | None = None,
) -> StaticFit:
    """Scikit-learn's latent Dirichlet allocation on the training counts, scored on the test documents.

    passes : over the corpus;  halves : seed that splits the tokens of the test documents into halves, None for `seed`
    """
    from sklearn.decomposition import LatentDirichletAllocation

    start = time.perf_counter()
    lda = LatentDirichletAllocation(n_topics, doc_topic_prior=alpha, max_iter=passes, random_state=seed)
    lda.fit(sp.csr_matrix(train.counts))
    topics = lda.components_ / lda.components_.sum(axis=1, keepdims=True)
    scores = static_scores(topics, alpha, test, seed if halves is None else halves)
    return StaticFit(topics, alpha, *perplexity_with_error(*scores), time.perf_counter() - start)


def static_perplexity(topics: ArrayLike, alpha: float | ArrayLike, corpus: Corpus, seed: int = 0) -> float:
    """Perplexity of static topics by document completion; see `static_scores`."""
    return perplexity(*static_scores(topics, alpha, corpus, seed))


def static_scores(topics: ArrayLike, alpha: float | ArrayLike, corpus: Corpus, seed: int = 0) -> tuple[Floats, Ints]:
    """Document completion with static topics.

        log p_d = Σ_v n_dv log Σ_k θ_dk π_kv        θ by mean field from the other half of the document

    topics : (K, V) π, rows sum to 1;  alpha : float or (K,);  seed : splits tokens as `completion_scores` does
    Returns log p and the number of scored tokens of every document, (D,) each.
    """
    pi = np.asarray(topics, dtype=np.float64)
    if pi.ndim != 2 or pi.shape[1] != corpus.n_words:
        raise ValueError(f"topics has shape {pi.shape} but the corpus has {corpus.n_words:,} words; pass (K, V).")
    seen, scored = split_tokens(corpus.counts, seed)
    theta = _static_shares(pi, np.broadcast_to(np.asarray(alpha, dtype=np.float64), len(pi)).copy(), seen)
    words = scored.tocoo()
    log_p = np.zeros(len(corpus))
    likelihood = np.einsum("nk,kn->n", theta[words.row], pi[:, words.col])
    np.add.at(log_p, words.row, words.data * np.log(likelihood))
    return log_p, np.asarray(scored.sum(axis=1), dtype=np.int64)


def _static_shares(pi: Floats, alpha: Floats, counts: sp.csr_array) -> Floats:
    """Mean topic shares of documents, (D, K): the mean-field local step with one node."""
    docs = documents_at_nodes(counts, np.zeros(counts.shape[0], dtype=np.int64))
    lam = uniform_lambda(docs, alpha)
    logits = np.log(np.maximum(pi, 1e-300)).astype(np.float32)[None]  # the dtype that the loops are compiled for
    infer_shares(docs, logits, np.zeros((1, len(pi))), alpha, lam)
    theta: Floats = lam / lam.sum(axis=1, keepdims=True)
    return theta
