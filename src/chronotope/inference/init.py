"""Initialisation: the topics that inference starts from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chronotope._typing import Floats, Ints
from chronotope.corpus.counts import Counts
from chronotope.display.progress import progress_bar
from chronotope.gp import topic_prior
from chronotope.inference.chains import Chains
from chronotope.inference.documents import Documents, DocumentStore, documents_at_nodes, sum_statistics
from chronotope.inference.hyper import learn_alpha_from_tokens
from chronotope.inference.loop import Shares, local_step
from chronotope.inference.posterior import FULL_STEP, TopicPosterior, caution
from chronotope.inference.state import Progress, Settings, Watch
from chronotope.kernels import Constant

Init = Literal["samples", "documents", "lda"]
Seeds = Sequence[Ints]  # columns of the seed words, one array for each of the first topics

SAMPLE = 2_000  # tokens of the documents that a starting topic is sampled from
MIXED = 0.5  # weight of the word frequencies of the corpus in each starting topic
LEVEL = 6.0  # variance of the logits of static topics
MOST = 3_000_000  # tokens of the documents of the static fit, at most
PASSES = 50  # of the static fit
BLOCKS, BLOCK = 16, 250  # maximum number of blocks of documents in a pass, and the least number of documents in one
ANNEAL_FROM, ANNEAL_TO, ANNEALED = 2.0, 0.1, 0.5  # α at the start and at the end of the annealed part of the passes
LEARN_EVERY = 4  # passes after which α is learned again
ONE_SWEEP = (0, 1)  # burn-in and kept sweeps in a pass
SHOWN = "initialising with static topics"


class Start(NamedTuple):
    """What a fit starts from.

    topics : (K, V), the same at all times, or (J, K, V);  alpha : (K,)
    topic : (tokens,) topics of the tokens of all documents, None if they are not known; see `Chains`
    """

    topics: Floats
    alpha: Floats
    topic: np.ndarray | None = None


def starting_point(
    init: Init,
    docs: Documents | DocumentStore,
    V: int,
    J: int,
    alpha: Floats,
    learn: bool,
    rng: np.random.Generator,
    dtype: str = "float64",
    verbose: bool | None = False,
    seeds: Seeds = (),
) -> Start:
    """Starting topics, and what a static fit learned beside them.

    init : "samples", "documents" or "lda";  alpha : (K,);  learn : whether a static fit learns it
    dtype, verbose : of the static fit, and whether its progress is shown
    seeds : columns of the seed words of the first topics, not with "documents"
    """
    counts = docs.matrix(V)
    if init == "samples":
        return Start(topics_from_samples(counts, len(alpha), rng, seeds), alpha)
    if init == "documents":
        return Start(topics_from_documents(counts, docs, J, len(alpha), rng), alpha)
    if init == "lda":
        return start_from_lda(counts, alpha, learn, rng, dtype, verbose, seeds)
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


def start_from_lda(
    counts: sp.csr_array,
    alpha: Floats,
    learn: bool,
    rng: np.random.Generator,
    dtype: str = "float64",
    verbose: bool | None = False,
    seeds: Seeds = (),
) -> Start:
    """Topics, α and topics of the tokens of a static fit: the same model with one node.

    Each pass goes through blocks of documents, and the topics are updated after every block with the statistics of
    all blocks, as in incremental EM [Neal, Hinton 1998]. α is large at first, so that documents hold many topics and
    these can still move, and decreases to its value: simulated annealing. Of a large corpus a sample is used.
    """
    D = counts.shape[0]
    part = min(MOST / max(float(counts.sum()), 1.0), 1.0)
    chosen = counts[np.sort(rng.permutation(D)[: max(int(part * D), 1)])]
    n = chosen.shape[0]
    docs = documents_at_nodes(chosen, np.zeros(n, np.int64))
    topics = topics_from_samples(chosen, len(alpha), rng, seeds)
    posterior = TopicPosterior(topic_prior(Constant(LEVEL), np.zeros(1)), topics, prior_mean(chosen), dtype)
    progress = Progress(alpha)
    with progress_bar(0, PASSES * n, verbose, SHOWN) as watch:
        chains = fit_in_blocks(docs, posterior, progress, PASSES, learn, rng, watch)
    found: Floats = np.exp(posterior.expected_logits()[0] - posterior.log_zeta[0][:, None].astype(np.float64))
    return Start(found, progress.alpha, chains.topic if n == D else None)


def fit_in_blocks(
    docs: Documents,
    posterior: TopicPosterior,
    progress: Progress,
    passes: int,
    learn: bool,
    rng: np.random.Generator,
    watch: Watch,
) -> Chains:
    """Annealed passes over blocks of documents; returns their chains.   learn : whether α of `progress` is learned."""
    alpha, chains, D = progress.alpha, Chains.of(docs), len(docs.left)
    blocks = [np.sort(rows) for rows in np.array_split(rng.permutation(D), int(np.clip(D // BLOCK, 1, BLOCKS)))]
    parts, lam, found = [docs.take(rows) for rows in blocks], np.empty((D, len(alpha))), {}
    how = Settings("sampled", passes, 0.0, learn, D, 1.0, 1.0, seed=int(rng.integers(2**31)))
    for epoch in range(passes):
        if epoch < ANNEALED * passes:
            level = ANNEAL_FROM * (ANNEAL_TO / ANNEAL_FROM) ** (epoch / (ANNEALED * passes))
            progress.alpha = np.full_like(alpha, level)
        elif not learn:
            progress.alpha = alpha
        elif epoch % LEARN_EVERY == 0:
            progress.alpha = learn_alpha_from_tokens(progress.alpha, lam - progress.alpha)
        for i, rows in enumerate(blocks):
            own = Shares(lam[rows], chains.take(rows))
            found[i] = local_step(parts[i], posterior, progress, own, how, ONE_SWEEP, measured=False)
            lam[rows], chains.started[rows] = own.lam, True
            seen = sum(len(blocks[j]) for j in found)
            posterior.step(sum_statistics(found.values(), D / seen), FULL_STEP, caution(epoch))
            progress.steps, progress.documents = progress.steps + 1, progress.documents + len(rows)
            watch(progress)
    progress.alpha = progress.alpha if learn else alpha
    return chains


def _mix(counts: sp.csr_array, background: Floats) -> Floats:
    total = np.asarray(counts.sum(axis=0), dtype=np.float64)
    mixed = (1 - MIXED) * total / max(total.sum(), 1.0) + MIXED * background
    shares: Floats = mixed / mixed.sum()
    return shares
