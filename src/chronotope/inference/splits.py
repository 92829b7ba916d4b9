"""Moves of static topics: one topic is divided in two, and two others become one.

Gibbs sampling alone rarely does that: two topics that share a subject, and one that mixes two, stay as they are. A
move is chosen by two estimates: what a division gains, and what a merger loses, of the log-likelihood of the documents.
It is only a proposal: it is kept if the documents are predicted better after some passes.

In this module T is the number of sampled tokens, see `Chains`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from chronotope._typing import Floats, Ints, Mask
from chronotope.inference.chains import sampled_tokens
from chronotope.inference.documents import Documents

SAMPLE = 50_000  # tokens that mergers are compared on
TOPICS = 20  # for which there is one move at a time
PAIRS = 4  # pairs of topics for each topic whose mergers are compared: those that are most alike
ROUNDS = 12  # of the divisions
EXTRA = 0.05  # tokens of each word that a topic has to explain beside its own: small topics are not divided
SMOOTHING = 200.0  # tokens of the whole topic that are added to each of its halves while it is divided
TIRED = 5e-4  # part of the tokens' number that is taken from the estimates of topics whose moves failed


def sums_of(place: NDArray[np.integer], values: NDArray[np.floating], size: int) -> Floats:
    """Sums of the values of each place, (size,).   place, values : of the same length."""
    sums: Floats = np.bincount(place, values, minlength=size).astype(np.float64, copy=False)
    return sums


class Tokens(NamedTuple):
    """The sampled tokens of D documents, in the order of their chains.

    document, word : (T,);  size : (T,) weight of each;  length : (D,) tokens of each document;  V : number of words
    """

    document: NDArray[np.int32]
    word: NDArray[np.int32]
    size: NDArray[np.float32]
    length: Floats
    V: int

    @classmethod
    def of(cls, docs: Documents, V: int) -> Tokens:
        """The tokens of these documents."""
        times = sampled_tokens(docs.data).astype(np.int64)
        rows = np.repeat(np.arange(len(docs.left), dtype=np.int32), docs.sizes)
        size = np.repeat((docs.data / np.maximum(times, 1)).astype(np.float32), times)  # 1, or whole 256ths: exact
        return cls(np.repeat(rows, times), np.repeat(docs.indices, times), size, docs.lengths, V)

    def counts(self, topic: np.ndarray, K: int, chosen: Mask | slice = slice(None)) -> Floats:
        """Counts of each word in each topic, (K, V).   topic : (T,);  chosen : the tokens that are counted."""
        cells = topic[chosen].astype(np.int64) * self.V + self.word[chosen]
        return sums_of(cells, self.size[chosen], K * self.V).reshape(K, self.V)

    def shares(self, topic: np.ndarray, K: int) -> Floats:
        """Tokens of each topic in each document, (D, K).   topic : (T,)."""
        cells = self.document.astype(np.int64) * K + topic
        return sums_of(cells, self.size, len(self.length) * K).reshape(-1, K)


class Move(NamedTuple):
    """Topic `freed` becomes part of topic `into`; then it takes over one half of topic `divided`.

    direction : (V,) log odds of the words of that half
    """

    into: int
    freed: int
    divided: int
    direction: Floats

    def apply(self, tokens: Tokens, topic: np.ndarray) -> float:
        """Give the tokens their new topics, in place; returns the part of the divided topic that was given away."""
        topic[topic == self.freed] = self.into
        held = np.flatnonzero(topic == self.divided)
        words, documents, sizes = tokens.word[held], tokens.document[held], tokens.size[held]
        odds = sums_of(documents, sizes * self.direction[words], len(tokens.length))
        given = odds[documents] > 0.0
        topic[held[given]] = self.freed
        return float(sizes[given].sum(dtype=np.float64) / max(sizes.sum(dtype=np.float64), 1e-12))


class Moves:
    """Chooses moves, and remembers which ones failed since the last that did not."""

    def __init__(self, tokens: Tokens, K: int, fixed: int, rng: np.random.Generator) -> None:
        """fixed : number of the first topics that keep their subject."""
        self.tokens, self.fixed, self.rng, self.failed = tokens, fixed, rng, np.zeros((K, K, K))

    def propose(self, topic: np.ndarray, topics: Floats, alpha: Floats) -> list[Move]:
        """The best moves by their estimates, of different topics; none if no topic is worth dividing.

        topic : (T,) topics of the tokens;  topics : (K, V);  alpha : (K,)
        """
        K = len(alpha)
        gain, direction = divide_topics(self.tokens, topic, K, self.rng)
        pairs, loss = compare_mergers(self.tokens, topic, topics, alpha, self.rng)
        score = np.where(gain > 0.0, gain - loss[:, None] - self.failed[pairs[:, 0], pairs[:, 1]], -np.inf)
        busy, moves = set(range(self.fixed)), list[Move]()
        for best in np.argsort(-score, axis=None, kind="stable")[: np.isfinite(score).sum()]:
            pair, k = divmod(int(best), K)
            into, freed = pairs[pair].tolist()
            if len({into, freed, k}) == 3 and busy.isdisjoint((into, freed, k)):
                moves.append(Move(into, freed, k, direction[k]))
                busy |= {into, freed, k}
            if len(moves) >= max(1, K // TOPICS):
                break
        return moves

    def record(self, moves: list[Move], succeeded: bool) -> None:
        """Remember the outcome: moves that failed are not proposed again, and those of their topics less readily."""
        if succeeded:
            self.failed[:] = 0.0
            return
        less = TIRED * float(self.tokens.length.sum())
        for into, freed, divided, _ in moves:
            self.failed[into, freed] += less
            self.failed[:, :, divided] += less
            self.failed[into, freed, divided] = np.inf


def divide_topics(tokens: Tokens, topic: np.ndarray, K: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Every topic divided in two by documents: a mixture of two distributions of words, by EM from random halves.

    Each document's tokens of a topic belong to one half. Returns the gain of log-likelihood of the tokens, (K,), less 1
    for each document, which has to be told its half, and the log odds of words between the halves, (K, V).
    """
    cell, pair = topic.astype(np.int64) * tokens.V + tokens.word, tokens.document.astype(np.int64) * K + topic
    whole = tokens.counts(topic, K)
    several = tokens.shares(topic, K) > 1.0
    prior = SMOOTHING * whole / np.maximum(whole.sum(axis=1, keepdims=True), 1e-12) + 1e-9
    side = rng.integers(0, 2, several.size).astype(np.float64)
    for _ in range(ROUNDS):
        half = sums_of(cell, tokens.size * side[pair], whole.size).reshape(whole.shape)
        direction = _log_shares(half + prior) - _log_shares(np.maximum(whole - half, 0.0) + prior)
        odds = sums_of(pair, tokens.size * direction.ravel()[cell], several.size).reshape(several.shape)
        part = (side.reshape(several.shape) * several).sum(axis=0) + 1.0
        side = expit(odds + np.log(part / np.maximum(several.sum(axis=0) + 2.0 - part, 1e-9))).ravel()
    half = sums_of(cell, tokens.size * (side[pair] > 0.5), whole.size).reshape(whole.shape)
    parts = _log_likelihood(half) + _log_likelihood(np.maximum(whole - half, 0.0))
    return parts - _log_likelihood(whole) - several.sum(axis=0), direction


def compare_mergers(
    tokens: Tokens, topic: np.ndarray, topics: Floats, alpha: Floats, rng: np.random.Generator
) -> tuple[Ints, Floats]:
    """Loss of log-likelihood of the tokens if two topics become one, with all other probabilities as they are.

    Returns the pairs compared, (P, 2), those of most similar topics, and the losses, (P,).
    """
    K = len(alpha)
    shares = tokens.shares(topic, K)
    pairs = _most_similar(shares.sum(axis=0) + alpha, topics)
    theta = (shares + alpha) / (shares.sum(axis=1, keepdims=True) + alpha.sum())
    some = rng.integers(0, len(topic), SAMPLE) if len(topic) > SAMPLE else np.arange(len(topic))
    mass, theta, words = theta.sum(axis=0), theta[tokens.document[some]], topics[:, tokens.word[some]].T
    own, size = theta * words, tokens.size[some]
    p, losses = own.sum(axis=1), np.empty(len(pairs))
    for n, (i, j) in enumerate(pairs):
        merged = (theta[:, i] + theta[:, j]) * (mass[i] * words[:, i] + mass[j] * words[:, j]) / (mass[i] + mass[j])
        losses[n] = -(size * np.log1p((merged - own[:, i] - own[:, j]) / p)).sum()
    return pairs, losses * float(tokens.size.sum(dtype=np.float64) / max(size.sum(dtype=np.float64), 1e-12))


def _most_similar(mass: Floats, topics: Floats) -> Ints:
    """Pairs of topics, (P, 2), with the least mᵢmⱼ/(mᵢ + mⱼ) (1 − Σ_v √(pᵢ pⱼ)): alike, or one of them small."""
    root = np.sqrt(topics)
    i, j = np.tril_indices(len(mass), -1)
    distance = mass[i] * mass[j] / (mass[i] + mass[j]) * (1.0 - (root @ root.T)[i, j])
    order = np.argsort(distance, kind="stable")[: PAIRS * len(mass)]
    return np.stack([i[order], j[order]], axis=1)


def _log_shares(counts: Floats) -> Floats:
    shares: Floats = np.log(counts / counts.sum(axis=1, keepdims=True))
    return shares


def _log_likelihood(counts: Floats) -> Floats:
    """Log-likelihood of each topic's words, with a few more of each word, Σ_v n log(n / Σ n), (K,)."""
    counts = counts + EXTRA
    total: Floats = (counts * _log_shares(counts)).sum(axis=1)
    return total
