"""Initialisation: the topics that inference starts from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chronotope._typing import Floats, Ints
from chronotope.corpus.counts import Counts, Reordered
from chronotope.display.progress import progress_bar
from chronotope.gp import topic_prior
from chronotope.inference.chains import Chains
from chronotope.inference.documents import Documents, documents_at_nodes
from chronotope.inference.posterior import TopicPosterior
from chronotope.inference.static import ANNEALED, COOLED, LAST, TRIAL, TRIALS, StartingFit, number_of_starts
from chronotope.inference.store import DocumentStore
from chronotope.kernels import Constant

Init = Literal["samples", "documents", "lda"]
Seeds = Sequence[Ints]  # columns of the seed words, one array for each of the first topics

SAMPLE = 2_000  # tokens of the documents that a starting topic is sampled from
MIXED = 0.5  # weight of the word frequencies of the corpus in each starting topic
LEVEL = 6.0  # variance of the logits of static topics
ENOUGH = 2_000_000  # tokens that a static fit has, of a larger corpus
FEWEST, MOST = 10_000, 6_000_000  # documents that it has all the same, and the tokens that it has then at most
AT_ONCE = 10_000  # documents read at once to look for seed words
SHOWN = "initialising with static topics"


class Start(NamedTuple):
    """What a fit starts from.

    topics : (K, V), the same at all times, or (J, K, V);  alpha : (K,)
    chains : of the documents, with the topics of their tokens as far as they are known; None if none are
    """

    topics: Floats
    alpha: Floats
    chains: Chains | None = None


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
        return start_from_lda(docs, V, alpha, learn, rng, dtype, verbose, seeds)
    raise ValueError(f"init is {init!r}; expected one of {', '.join(get_args(Init))}.")


def word_frequencies(counts: sp.csr_array | Counts | Reordered) -> Floats:
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


def topics_from_samples(
    counts: sp.csr_array | Reordered, K: int, rng: np.random.Generator, seeds: Seeds = ()
) -> Floats:
    """Each topic from the words of a random sample of documents, mixed in equal parts with the whole corpus.

    A topic with seed words has the documents with most of these words instead.   counts : (D, V).  Returns (K, V).
    """
    D = counts.shape[0]
    background = word_frequencies(counts)
    size = int(np.clip(SAMPLE * D / max(float(counts.sum()), 1.0), 1, max(1, D // (4 * K))))
    samples = [rng.choice(D, size=size, replace=False) for _ in range(K)]
    samples[: len(seeds)] = [_richest(counts, words, size) for words in seeds]
    return np.stack([_mix(counts[rows], background) for rows in samples])


def _richest(counts: sp.csr_array | Reordered, words: Ints, size: int) -> Ints:
    """The documents with most distinct ones of some words, ties by the fraction of their tokens.   words : columns."""
    tokens = np.asarray(counts.sum(axis=1), dtype=np.float64)
    held = [counts[i : i + AT_ONCE][:, words] for i in range(0, len(tokens), AT_ONCE)]
    different = np.concatenate([np.diff(x.indptr) for x in held])
    part = np.concatenate([x.sum(axis=1) for x in held]) / np.maximum(tokens, 1.0)
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


def static_part(D: int, tokens: float) -> float:
    """The part of D documents with so many tokens that a static fit has: many short ones, or few long ones."""
    tokens = max(tokens, 1.0)
    return min(max(ENOUGH / tokens, min(FEWEST / max(D, 1), MOST / tokens)), 1.0)


def start_from_lda(
    docs: Documents | DocumentStore,
    V: int,
    alpha: Floats,
    learn: bool,
    rng: np.random.Generator,
    dtype: str = "float64",
    verbose: bool | None = False,
    seeds: Seeds = (),
) -> Start:
    """Topics, α and chains of a static fit: the same model with one node.

    The best of several annealed fits is improved by moves of whole topics; see `StartingFit`. Of a large corpus a
    sample is used. Documents at outlying times have no part in it.
    """
    main, counts = docs.main, docs.matrix(V)
    rows = np.sort(rng.permutation(main)[: max(int(static_part(len(main), float(counts.sum())) * len(main)), 1)])
    chosen, n = counts[rows], len(rows)
    single, mean, starts = documents_at_nodes(chosen, np.zeros(n, np.int64)), prior_mean(chosen), number_of_starts(n)

    def annealed(i: int) -> tuple[float, StartingFit]:
        topics = topics_from_samples(chosen, len(alpha), rng, seeds)
        posterior = TopicPosterior(topic_prior(Constant(LEVEL), np.zeros(1)), topics, mean, dtype)
        fit = StartingFit(single, posterior, alpha, learn, rng, watch)
        fit.progress.documents = i * ANNEALED * n
        return fit.anneal(), fit

    with progress_bar(0, (starts * ANNEALED + COOLED + LAST + TRIALS * TRIAL) * n, verbose, SHOWN) as watch:
        _, best = max((annealed(i) for i in range(starts)), key=lambda found: found[0])
        best.progress.documents = starts * ANNEALED * n
        best.continued(COOLED)
        best.improve(len(seeds))
        best.progress.converged = True
        watch(best.progress)
    return Start(best.topics(), best.progress.alpha, _continued(docs, rows, best.chains) if n == len(main) else None)


def _continued(docs: Documents | DocumentStore, rows: Ints, known: Chains) -> Chains:
    """Chains of all documents, of which those of some rows are known."""
    chains = Chains.of(docs)
    chains.started[rows] = True
    chains.topic[np.repeat(chains.started, chains.size)] = known.topic
    return chains


def _mix(counts: sp.csr_array, background: Floats) -> Floats:
    total = np.asarray(counts.sum(axis=0), dtype=np.float64)
    mixed = (1 - MIXED) * total / max(total.sum(), 1.0) + MIXED * background
    shares: Floats = mixed / mixed.sum()
    return shares
