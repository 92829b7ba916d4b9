"""Document completion: log-likelihood and perplexity of held-out tokens."""

from __future__ import annotations

from numbers import Integral
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.sparse as sp

from chronotope._typing import Floats, Ints
from chronotope.corpus.corpus import Corpus
from chronotope.inference.state import Local
from chronotope.model.transform import AlphaOf, HasLogits, Learned, by_block, distinct_logits, share_block
from chronotope.topics import CELLS, expected_share

SMALLEST = 1e-300  # lower limit of the probability of a word


class Scorable(Protocol):
    """A fitted model: the attributes that scores need."""

    @property
    def topics_(self) -> HasLogits:
        """What was learned."""

    @property
    def alpha_(self) -> Floats:
        """α, (K,)."""

    @property
    def local(self) -> Local:
        """How shares are inferred."""


def completion_scores(
    model: Scorable, corpus: Corpus, seed: int = 0, *, seen: int | None = None, engine: Any = None
) -> tuple[Floats, Ints]:
    """Document completion: topic shares θ from some of each document's tokens, likelihood of the others.

        log p_d = Σ_v n_dv log Σ_k θ_dk E[π_kv(τ)]        n_dv : counts of the scored tokens

    model : DynamicTopicModel, fitted
    corpus : Corpus of D documents, with the vocabulary of the model
    seed : int, default 0; splits the tokens
    seen : int, default None; tokens of each document that θ follows from, 0 for none, drawn without replacement; None
        for a random half. Documents that have no more than these have nothing to score
    engine : distributed.Client, default None for this process; the cluster on which they are computed

    Returns log p (D,), and the number of scored tokens (D,).
    """
    known = Learned(model.topics_, model.alpha_, model.local)
    own, track = alpha_of_rows(model, corpus), track_of_rows(model, corpus)
    found = by_block(score_block, known, corpus, engine, seed, check_seen(seen), alpha_of=own, track=track)
    log_p, tokens = zip(*found, strict=True)
    return np.concatenate(log_p), np.concatenate(tokens)


def alpha_of_rows(model: Any, corpus: Corpus) -> AlphaOf | None:
    """α of rows of a corpus, by the prevalence of a model; None if it has none."""
    prevalence = getattr(model, "prevalence_", None)
    return None if prevalence is None else prevalence.alpha_of(corpus)


def track_of_rows(model: Any, corpus: Corpus) -> Ints | None:
    """Group or place of each document of a corpus, (D,); None if the words of a model do not differ between them."""
    tracks = getattr(model, "tracks_", None)
    return None if tracks is None else tracks.track_of(corpus)


def score_block(
    known: Learned, counts: sp.csr_array, times: Floats, block: int, seed: int, seen: int | None = None
) -> tuple[Floats, Ints]:
    """Log-likelihood and number of scored tokens of the documents of a block, (D,) each.   counts : (D, V)."""
    given, scored = split_tokens(counts, np.random.default_rng([seed, block] if block else seed), seen)
    theta = share_block(known, given, times, block)
    log_p = np.zeros(len(times))
    probability = mixture_probabilities(known.topics, theta, scored, times, known.track)
    np.add.at(log_p, scored.tocoo().row, scored.data * np.log(np.maximum(probability, SMALLEST)))
    return log_p, np.asarray(scored.sum(axis=1), dtype=np.int64)


def mixture_probabilities(
    topics: HasLogits, theta: Floats, counts: sp.csr_array, times: Floats, track: Ints | None = None
) -> Floats:
    """Probability of each word of each document under its mixture of topics, Σ_k θ_dk E[π_kv(τ_d)].

    topics : Topics of a fitted model
    theta : (D, K) topic shares
    counts : (D, V) sparse; its stored entries say which words
    times : (D,) floats
    track : (D,) group or place of each, default None if topics have none

    Returns one probability per stored entry of the counts, in their order.
    """
    stamp, logits = distinct_logits(topics, times, track)
    words = counts.tocoo()
    at = stamp[words.row]
    probability = np.empty(len(words.data))
    for rows, (m, s, log_zeta) in logits:
        inside = np.flatnonzero((at >= rows.start) & (at < rows.stop))
        for here in np.array_split(inside, len(inside) * theta.shape[1] // CELLS + 1):
            j, v, d = at[here] - rows.start, words.col[here], words.row[here]
            pi = expected_share(m[j, :, v], s[j, :, v], log_zeta[j])  # (entries, K)
            probability[here] = (theta[d] * pi).sum(axis=1)
    return probability


def split_tokens(
    counts: sp.csr_array, seed: int | np.random.Generator, seen: int | None = None
) -> tuple[sp.csr_array, sp.csr_array]:
    """Divide the tokens of each document at random: those that are seen, and those that are scored.

    counts : (D, V) sparse
    seed : int or numpy Generator
    seen : int, default None; tokens of each document that are seen, all of a shorter one; None for each token with
        probability 1/2

    Returns the two parts, (D, V) sparse each; their sum is counts.
    """
    rng = np.random.default_rng(seed)
    first = rng.binomial(counts.data, 0.5) if seen is None else _some_tokens(counts, seen, rng)
    parts = []
    for data in (first, counts.data - first):
        part = sp.csr_array((data, counts.indices.copy(), counts.indptr.copy()), shape=counts.shape)
        part.eliminate_zeros()
        parts.append(part)
    return parts[0], parts[1]


def _some_tokens(counts: sp.csr_array, seen: int, rng: np.random.Generator) -> Ints:
    """Counts of so many tokens of each document, drawn without replacement, one for each stored entry."""
    entry = np.repeat(np.arange(len(counts.data)), counts.data)  # of each token
    ends = np.concatenate([[0], np.cumsum(counts.data)])[counts.indptr]
    document = np.repeat(np.arange(counts.shape[0]), np.diff(ends))
    order = np.lexsort((rng.random(len(entry)), document))
    rank = np.arange(len(entry)) - ends[document]
    found: Ints = np.bincount(entry[order[rank < seen]], minlength=len(counts.data)).astype(counts.data.dtype)
    return found


def check_seen(given: Any) -> int | None:
    """The number of tokens that are seen, or None; raises an error for anything else."""
    number = -1 if isinstance(given, bool) or not isinstance(given, Integral) else int(given)
    if given is None or number >= 0:
        return None if given is None else number
    raise ValueError(f"seen is {given!r}; expected a number of tokens, 0 or more, or None for half of a document.")


def perplexity(log_p: Floats, tokens: Ints, weight: Floats | None = None) -> float:
    """Per-word perplexity, exp(−Σ_d log p_d / Σ_d n_d), lower is better.

    log_p : (D,) log-likelihoods of documents, from `completion_scores`
    tokens : (D,) n_d, numbers of scored tokens, from `completion_scores`
    weight : (D,) floats, default None; weights of the documents in both sums; None for equal weights

    Returns a float.
    """
    weight = np.ones(len(log_p)) if weight is None else weight
    total = float(weight @ tokens)
    if not total > 0:
        raise ValueError("no tokens are left to score; pass documents with words, and more than are seen.")
    return float(np.exp(-(weight @ log_p) / total))


class Perplexity(NamedTuple):
    """A perplexity.   value : the perplexity;  standard_error : over documents."""

    value: float
    standard_error: float


def perplexity_with_error(log_p: Floats, tokens: Ints) -> Perplexity:
    """Perplexity and its standard error over documents, that of a ratio by the delta method.

        r = Σ log p / Σ n,   perplexity = e^−r,   standard error = e^−r √(D/(D−1) Σ_d (log p_d − r n_d)²) / Σ n

    Documents count as independent; the error does not include the split into halves, nor the fit.

    log_p : (D,) log-likelihoods of documents, from `completion_scores`
    tokens : (D,) n, numbers of scored tokens, from `completion_scores`

    Returns a named tuple: value, standard_error.
    """
    log_p, n = np.asarray(log_p, dtype=np.float64), np.asarray(tokens)
    D = len(log_p)
    if n.shape != (D,):
        raise ValueError(f"log_p has {D:,} entries and tokens has shape {n.shape}; pass one of each per document.")
    if D < 2:
        raise ValueError(f"log_p has {D} document; a standard error needs at least 2.")
    value = perplexity(log_p, n)
    residual = log_p + np.log(value) * n
    return Perplexity(value, value * float(np.sqrt(D / (D - 1) * (residual @ residual)) / n.sum()))


def check_weights(given: Any, D: int) -> Floats:
    """Weights of documents as an array; raises an error unless there is one finite weight of 0 or more per document.

    given : D numbers
    D : int, number of documents

    Returns (D,) floats.
    """
    weight = np.asarray(given, dtype=np.float64)
    if weight.shape != (D,):
        raise ValueError(f"sample_weight has shape {weight.shape} but there are {D:,} documents; pass one for each.")
    if not np.all(np.isfinite(weight) & (weight >= 0)):
        raise ValueError("sample_weight has entries that are negative or not finite; pass finite weights of 0 or more.")
    return weight
