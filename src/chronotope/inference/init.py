"""Initialisation: the topics that inference starts from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chronotope._typing import Floats, Ints
from chronotope.corpus.counts import Counts
from chronotope.display.progress import progress_bar
from chronotope.gp import MarkovStructure
from chronotope.inference.documents import Documents, DocumentStore, documents_at_nodes
from chronotope.inference.loop import training_loop
from chronotope.inference.posterior import TopicPosterior
from chronotope.inference.state import Progress, Settings, State
from chronotope.kernels import Constant

Init = Literal["samples", "documents", "lda"]
Seeds = Sequence[Ints]  # columns of the seed words, one array for each of the first topics

SAMPLE = 2_000  # tokens of the documents that a starting topic is sampled from
MIXED = 0.5  # weight of the word frequencies of the corpus in each starting topic
WHOLE = 5_000  # maximum number of documents for which a step of the static fit uses all of them
LDA_TOKENS, LDA_EPOCHS = 40_000_000, (10, 20)  # tokens that the static fit processes, limits of its passes
LDA_TRIES, LAST = 3, 3  # static fits of a small corpus, compared by the mean of their last bounds, which are noisy
SHOWN = "initialising with static topics"
LDA_BATCH, LDA_STEPS, LDA_MOST = 1_000, 60, 100_000  # large corpora: batch size, steps, maximum of documents


def starting_topics(
    init: Init,
    docs: Documents | DocumentStore,
    V: int,
    J: int,
    alpha: Floats,
    rng: np.random.Generator,
    dtype: str = "float64",
    verbose: bool | None = False,
    seeds: Seeds = (),
) -> Floats:
    """Starting topics: (K, V), the same at all times, or (J, K, V).

    init : "samples", "documents" or "lda";  alpha : (K,)
    dtype, verbose : of the static fits, and whether their progress is shown
    seeds : columns of the seed words of the first topics, not with "documents"
    """
    counts = docs.matrix(V)
    if init == "samples":
        return topics_from_samples(counts, len(alpha), rng, seeds)
    if init == "documents":
        return topics_from_documents(counts, docs, J, len(alpha), rng)
    if init == "lda":
        return topics_from_lda(counts, alpha, rng, dtype, verbose, seeds)
    raise ValueError(f"init is {init!r}; expected one of {', '.join(get_args(Init))}.")


def word_frequencies(counts: sp.csr_array | Counts) -> Floats:
    """Relative frequency of each word, (V,), after adding 1 to each count: none is zero."""
    totals = np.asarray(counts.sum(axis=0), dtype=np.float64) + 1.0
    shares: Floats = totals / totals.sum()
    return shares


def prior_mean(counts: sp.csr_array | Counts) -> Floats:
    """m₀, the log word frequencies of the corpus, centred.   counts : (D, V).  Returns (V,)."""
    logits = np.log(word_frequencies(counts))
    centred: Floats = logits - logits.mean()
    return centred


def seed_columns(seed_words: Sequence[Sequence[str]] | None, vocabulary: NDArray[np.str_]) -> Seeds:
    """Columns of the seed words; raises an error for words that are not in the vocabulary."""
    column = {str(word): v for v, word in enumerate(vocabulary)} if seed_words else {}
    unknown = [word for words in seed_words or () for word in words if word not in column]
    if unknown:
        raise ValueError(
            f"seed_words has {', '.join(map(repr, unknown))}, not among the {len(vocabulary):,} words of the corpus; "
            "remove them. Stop words and rare words are not in the vocabulary."
        )
    return [np.array([column[word] for word in words]) for words in seed_words or ()]


def topics_from_samples(counts: sp.csr_array, K: int, rng: np.random.Generator, seeds: Seeds = ()) -> Floats:
    """Each topic from the words of a random sample of documents, mixed in equal parts with the whole corpus.

    A topic with seed words has the documents with most of these words instead.   counts : (D, V).  Returns (K, V).
    """
    D = counts.shape[0]
    background = word_frequencies(counts)
    size = int(np.clip(SAMPLE * D / max(float(counts.sum()), 1.0), 1, max(1, D // (4 * K))))
    samples = [rng.choice(D, size=size, replace=False) for _ in range(K)]
    samples[: len(seeds)] = [_richest(counts, words, size) for words in seeds]
    return np.stack([_mix(counts[rows], background) for rows in samples])


def _richest(counts: sp.csr_array, words: Ints, size: int) -> Ints:
    """The documents with most distinct ones of some words, ties by the fraction of their tokens.   words : columns."""
    held, tokens = counts[:, words], np.asarray(counts.sum(axis=1), dtype=np.float64)
    different, part = np.diff(held.indptr), np.asarray(held.sum(axis=1)) / np.maximum(tokens, 1.0)
    best: Ints = np.lexsort((-part, -different))[:size]
    return best


def topics_from_documents(
    counts: sp.csr_array, docs: Documents | DocumentStore, J: int, K: int, rng: np.random.Generator
) -> Floats:
    """The paper's initialisation: K documents at every node, topic k there from the words of the k-th.

    A node without documents uses those of the previous node.  Returns (J, K, V).   [data, preprocessing]
    """
    background = word_frequencies(counts)
    nearest = docs.left + (docs.weight[:, 1] > docs.weight[:, 0])
    topics = np.empty((J, K, counts.shape[1]))
    rows = np.arange(counts.shape[0])
    for j in range(J):
        here = np.flatnonzero(nearest == j)
        rows = here if len(here) else rows
        chosen = rng.choice(rows, size=K, replace=len(rows) < K)
        topics[j] = [_mix(counts[[d]], background) for d in chosen]
    return topics


def topics_from_lda(
    counts: sp.csr_array,
    alpha: Floats,
    rng: np.random.Generator,
    dtype: str = "float64",
    verbose: bool | None = False,
    seeds: Seeds = (),
) -> Floats:
    """Topics of a short static fit to a sample of the documents: the same model with one node.  Returns (K, V).

    It is short, because a converged static fit splits topics by period where their words changed much. Of several fits
    from different samples the one with the highest bound is used; for a large corpus there is only one.
    """
    rows = rng.permutation(counts.shape[0])[:LDA_MOST]
    counts = counts[np.sort(rows)]
    n = counts.shape[0]
    docs = documents_at_nodes(counts, np.zeros(n, np.int64))
    whole = n <= WHOLE
    if whole:
        epochs = int(np.clip(LDA_TOKENS / max(float(counts.sum()), 1.0), *LDA_EPOCHS))
    else:
        epochs = -(-LDA_STEPS * LDA_BATCH // n)
    how = Settings(
        "sampled", epochs, 1e-4, learn_alpha=False, batch_size=n if whole else LDA_BATCH, offset=1.0, decay=0.6
    )
    still, mean = MarkovStructure(Constant(6.0), np.zeros(1)), prior_mean(counts)
    found = []
    for attempt in range(1, (LDA_TRIES if whole else 1) + 1):
        start = topics_from_samples(counts, len(alpha), rng, seeds)
        posterior, progress = TopicPosterior(still, start, mean, dtype), Progress(alpha)
        with progress_bar(0, epochs * n, verbose, f"{SHOWN}, {attempt} of {LDA_TRIES}" if whole else SHOWN) as watch:
            training_loop(how, n)(docs, State(posterior, progress, rng), how, watch)
        found.append((float(np.mean(progress.bounds[-LAST:] or [-np.inf])), posterior))
    best = max(found, key=lambda fit: fit[0])[1]
    topics: Floats = np.exp(best.expected_logits()[0] - best.log_zeta[0][:, None].astype(np.float64))
    return topics


def _mix(counts: sp.csr_array, background: Floats) -> Floats:
    total = np.asarray(counts.sum(axis=0), dtype=np.float64)
    mixed = (1 - MIXED) * total / max(total.sum(), 1.0) + MIXED * background
    shares: Floats = mixed / mixed.sum()
    return shares
