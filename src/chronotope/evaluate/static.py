"""Topics that never change, scored like the others: the baseline a dynamic model has to beat."""

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

PASSES = 30
ALPHAS = (0.1, 0.5)  # the baseline is given the better one


class StaticFit(NamedTuple):
    """Topics of a static model (K, V), their alpha, held-out perplexity and its error, and the seconds it all took."""

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

    halves : seed that parts the test documents into the half that is seen and the one that is scored; `seed` if None
    """
    from sklearn.decomposition import LatentDirichletAllocation

    start = time.perf_counter()
    lda = LatentDirichletAllocation(n_topics, doc_topic_prior=alpha, max_iter=passes, random_state=seed)
    lda.fit(sp.csr_matrix(train.counts))
    topics = lda.components_ / lda.components_.sum(axis=1, keepdims=True)
    scores = static_scores(topics, alpha, test, seed if halves is None else halves)
    return StaticFit(topics, alpha, *perplexity_with_error(*scores), time.perf_counter() - start)


def static_perplexity(topics: ArrayLike, alpha: float | ArrayLike, corpus: Corpus, seed: int = 0) -> float:
    """Perplexity by document completion of topics that are the same at all times; see `static_scores`."""
    return perplexity(*static_scores(topics, alpha, corpus, seed))


def static_scores(topics: ArrayLike, alpha: float | ArrayLike, corpus: Corpus, seed: int = 0) -> tuple[Floats, Ints]:
    """Document completion with topics that are the same at all times.

        log p = Σ_w n_w log Σ_k θ_k π_kw        θ from the other half of the document, by a mean field

    topics : (K, V), rows sum to 1;  alpha : a number or (K,).  With one seed the halves are those of every other model.
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
    logits = np.log(np.maximum(pi, 1e-300)).astype(np.float32)[None]  # the type the models' loops are compiled for
    infer_shares(docs, logits, np.zeros((1, len(pi))), alpha, lam)
    theta: Floats = lam / lam.sum(axis=1, keepdims=True)
    return theta
