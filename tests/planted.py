"""Corpora drawn from the model itself: what was planted is known, so what is found can be measured against it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment

from chronotope import Corpus
from chronotope.corpus.counts import HeldCounts
from chronotope.gp import Tracks
from chronotope.gp.tracks import TrackCovariance
from chronotope.inference.documents import Documents
from chronotope.inference.store import arrange_documents
from chronotope.kernels import Kernel

Floats = NDArray[np.float64]


class Planted(NamedTuple):
    """A corpus, and what it was drawn from: word probabilities (T, K, V) at the times (T,), topic shares (D, K)."""

    corpus: Corpus
    probabilities: Floats
    times: Floats
    shares: Floats


def plant(
    kernel: Kernel,
    times: ArrayLike,
    n_topics: int = 3,
    n_words: int = 40,
    documents: int = 10,
    length: int = 100,
    alpha: float = 0.3,
    seed: int = 0,
) -> Planted:
    """Draw a corpus with `documents` documents of `length` words at each time.

    β_kv ~ GP(0, κ),   π_k(τ) = softmax(β_k(τ)),   θ_d ~ Dir(α),   n_d ~ Multinomial(length, Σ_k θ_dk π_k(τ_d))
    """
    rng = np.random.default_rng(seed)
    stamps = np.asarray(times, dtype=np.float64)
    probabilities = softmax(draw_functions(kernel, stamps, (n_topics, n_words), rng))
    shares = rng.dirichlet(np.full(n_topics, alpha), size=(len(stamps), documents))
    mixed = np.einsum("tdk,tkv->tdv", shares, probabilities)
    counts = rng.multinomial(length, mixed / mixed.sum(axis=2, keepdims=True)).reshape(-1, n_words)
    corpus = Corpus(sp.csr_array(counts), np.repeat(stamps, documents))
    return Planted(corpus, probabilities, stamps, shares.reshape(-1, n_topics))


def place_documents(counts: sp.csr_array, times: Floats, kernel: Kernel, nodes: Floats, mean: Floats) -> Documents:
    """All documents in memory, sorted by time, placed on the nodes; see `arrange_documents`."""
    return arrange_documents(HeldCounts(counts), times, kernel, nodes, mean).take(np.arange(len(times)))


def draw_functions(
    kernel: Kernel | TrackCovariance, times: Floats, shape: tuple[int, ...], rng: np.random.Generator
) -> Floats:
    """Independent draws of the Gaussian process by the dense covariance matrix.  Returns (T, *shape)."""
    values, vectors = np.linalg.eigh(kernel(times))
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    draws: Floats = np.tensordot(root, rng.standard_normal((len(times), *shape)), axes=1)
    return draws


def softmax(logits: Floats) -> Floats:
    """Probabilities along the last axis."""
    odds = np.exp(logits - logits.max(axis=-1, keepdims=True))
    probabilities: Floats = odds / odds.sum(axis=-1, keepdims=True)
    return probabilities


def total_variation(p: Floats, q: Floats) -> Floats:
    """½ Σ_v |p_v − q_v|, between 0 and 1.   p, q : (..., V)."""
    distance: Floats = 0.5 * np.abs(p - q).sum(axis=-1)
    return distance


def match_topics(found: Floats, truth: Floats) -> NDArray[np.intp]:
    """Which found topic is which true one, least total variation over all times.   found, truth : (T, K, V)."""
    cost = total_variation(found[:, None], truth[:, :, None]).mean(axis=0)  # (true, found)
    order: NDArray[np.intp] = linear_sum_assignment(cost)[1]
    return order


class PlantedTracks(NamedTuple):
    """A corpus of several tracks, and what it was drawn from.

    probabilities : (S, T, K, V) of every track at the times (T,);  track : (D,)
    """

    corpus: Corpus
    probabilities: Floats
    times: Floats
    track: NDArray[np.int64]


def plant_tracks(
    kernel: Kernel,
    tracks: Tracks,
    times: ArrayLike,
    n_topics: int = 2,
    n_words: int = 30,
    documents: int = 6,
    length: int = 80,
    alpha: float = 0.3,
    seed: int = 0,
) -> PlantedTracks:
    """Draw a corpus with `documents` documents of every track at each time; see `plant`.

    Metadata are the column "party", of the names of tracks, or "lat" and "lon" if tracks are places.
    """
    rng = np.random.default_rng(seed)
    stamps = np.asarray(times, dtype=np.float64)
    T, S = len(stamps), tracks.size
    logits = draw_functions(TrackCovariance(kernel, tracks), tracks.points(stamps), (n_topics, n_words), rng)
    probabilities = softmax(logits).reshape(S, T, n_topics, n_words)
    shares = rng.dirichlet(np.full(n_topics, alpha), size=(S, T, documents))
    mixed = np.einsum("stdk,stkv->stdv", shares, probabilities)
    counts = rng.multinomial(length, mixed / mixed.sum(axis=3, keepdims=True)).reshape(-1, n_words)
    track = np.repeat(np.arange(S), T * documents)
    about = {"party": np.array(tracks.names)[track]}
    if tracks.places is not None:
        about = {"lat": tracks.places[track, 0], "lon": tracks.places[track, 1]}
    order = rng.permutation(len(track))
    corpus = Corpus(sp.csr_array(counts), np.tile(np.repeat(stamps, documents), S), metadata=about)
    return PlantedTracks(corpus[order], probabilities, stamps, track[order])
