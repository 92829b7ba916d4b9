"""The peers, each learning from the same documents: report(label, seconds, topics at any times) along the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.clock import Clock
from benchmarks.documents import Documents

Report = Callable[[str, float, Callable[[np.ndarray], np.ndarray]], Any]
Facts = dict[str, Any]

LEAST = 1e-9  # probability of a word a peer has dropped


def sklearn_lda(train: Documents, report: Report, *, n_topics: int, threads: int, epochs: int) -> Facts:
    """Scikit-learn's online variational LDA: topics that never change."""
    from sklearn.decomposition import LatentDirichletAllocation

    settings = {"doc_topic_prior": 0.1, "topic_word_prior": 0.01, "batch_size": 2_000, "learning_method": "online"}
    model = LatentDirichletAllocation(n_topics, max_iter=epochs, n_jobs=threads, random_state=0, **settings)
    clock = Clock()
    with clock.running():
        model.fit(train.counts)
    report(f"{epochs} epochs", clock.seconds, _static(model.components_))
    return {"pass": clock.seconds / epochs}


def tomotopy_lda(train: Documents, report: Report, *, n_topics: int, threads: int, stops: Sequence[int]) -> Facts:
    """Tomotopy's Gibbs sampler: topics that never change."""
    import tomotopy

    model = tomotopy.LDAModel(k=n_topics, alpha=0.1, eta=0.01, seed=1)
    for words in _words(train):
        model.add_doc(words)
    column = _Columns(train)

    def topics() -> Callable[[np.ndarray], np.ndarray]:
        return _static(np.stack([column.of(model, k) for k in range(n_topics)]))

    return _train(model, topics, report, threads, stops)


def tomotopy_dtm(
    train: Documents, report: Report, *, n_topics: int, threads: int, stops: Sequence[int], slices: int
) -> Facts:
    """Tomotopy's dynamic topic model, on slices of equal length; a held-out time gets the slice nearest to it."""
    import tomotopy

    which, middles = slice_times(train.times, slices)
    model = tomotopy.DTModel(k=n_topics, t=len(middles), seed=1)
    for words, t in zip(_words(train), which, strict=True):
        model.add_doc(words, timepoint=int(t))
    column = _Columns(train)

    def topics() -> Callable[[np.ndarray], np.ndarray]:
        pi = np.stack([[column.of(model, k, t) for k in range(n_topics)] for t in range(len(middles))])
        return _sliced(pi, middles)

    return _train(model, topics, report, threads, stops)


def topica_lda(train: Documents, report: Report, *, n_topics: int, threads: int, iterations: int) -> Facts:
    """Topica's Gibbs sampler, an asymmetric alpha learned: topics that never change."""
    import topica

    model, documents, clock = topica.LDA(n_topics, seed=1, num_threads=threads), list(_words(train)), Clock()
    with clock.running():
        model.fit(documents, iters=iterations)
    own = np.column_stack([model.topic_word, np.full(n_topics, LEAST)])
    report(f"{iterations} iterations", clock.seconds, _static(own[:, _places(model.vocabulary, train.vocabulary)]))
    return {"pass": clock.seconds / iterations}


def gensim_dtm(train: Documents, report: Report, *, n_topics: int, threads: int, iterations: int, slices: int) -> Facts:
    """Gensim's LdaSeqModel, which runs on one core, whatever `threads` says."""
    from gensim.matutils import Sparse2Corpus
    from gensim.models import LdaSeqModel

    which, middles = slice_times(train.times, slices)
    texts = list(Sparse2Corpus(train.counts, documents_columns=False))
    words = dict(enumerate(map(str, train.vocabulary)))
    limits = {"em_min_iter": iterations, "em_max_iter": iterations}
    clock = Clock()
    with clock.running():
        sizes = np.bincount(which).tolist()
        model = LdaSeqModel(texts, sizes, words, num_topics=n_topics, random_state=0, **limits)
    pi = np.exp(np.stack([chain.e_log_prob.T for chain in model.topic_chains], axis=1))  # (T, K, V)
    report(f"{iterations} iterations", clock.seconds, _sliced(pi / pi.sum(axis=2, keepdims=True), middles))
    return {"pass": clock.seconds / iterations}


def slice_times(times: np.ndarray, slices: int) -> tuple[np.ndarray, np.ndarray]:
    """The slice of each document, among those of equal length that hold any, and the slices' mean times."""
    edges = np.linspace(times.min(), times.max(), slices + 1)[1:-1]
    which = np.unique(np.searchsorted(edges, times, side="right"), return_inverse=True)[1]
    return which, np.bincount(which, times) / np.bincount(which)


def _train(model: Any, topics: Callable[[], Any], report: Report, threads: int, stops: Sequence[int]) -> Facts:
    """Train a model of tomotopy, and report at every stop.

    Its facts: seconds of an iteration, and of one after the first stop, without what precedes the first.
    """
    clock, done, ends = Clock(), 0, []
    for stop in stops:
        with clock.running():
            model.train(stop - done, workers=threads)
        done = stop
        ends.append(clock.seconds)
        report(f"{stop} iterations", clock.seconds, topics())
    later = (ends[-1] - ends[0]) / (done - stops[0]) if len(stops) > 1 else None
    return {"pass": clock.seconds / done, "later": later}


def _words(train: Documents) -> Any:
    """The words of each document as a list, each as often as it occurs."""
    c = train.counts
    for first, end in zip(c.indptr, c.indptr[1:], strict=False):
        yield np.repeat(train.vocabulary[c.indices[first:end]], c.data[first:end]).tolist()


class _Columns:
    """Topics of a model of tomotopy, which orders words its own way and drops those it never saw."""

    def __init__(self, train: Documents) -> None:
        self.vocabulary = train.vocabulary

    def of(self, model: Any, *which: int) -> np.ndarray:
        """A topic's word probabilities in our order, (V,)."""
        own = np.array([*model.get_topic_word_dist(*which), LEAST])
        pi: np.ndarray = own[_places(model.used_vocabs, self.vocabulary)]
        return pi / pi.sum()


def _places(theirs: Sequence[str], ours: Sequence[str]) -> list[int]:
    """Where each of our words is among theirs, −1 where it is not."""
    place = {word: i for i, word in enumerate(theirs)}
    return [place.get(word, -1) for word in ours]


def _static(weights: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """The same topics at all times.   weights : (K, V)"""
    pi = weights / weights.sum(axis=1, keepdims=True)
    return lambda times: np.broadcast_to(pi, (len(times), *pi.shape))


def _sliced(pi: np.ndarray, middles: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """At every time the topics of the slice nearest to it.   pi : (T, K, V)"""
    return lambda times: pi[np.abs(times[:, None] - middles).argmin(axis=1)]
