"""The estimator: dynamic topics with a Gaussian process prior."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from chronotope._typing import Floats, PathLike
from chronotope.corpus.align import NewWords, check_new_words, with_new_words
from chronotope.corpus.corpus import Corpus
from chronotope.corpus.counts import blocks
from chronotope.display.notebook import ShowsItself
from chronotope.display.progress import progress_bar
from chronotope.evaluate import check_weights, completion_scores, perplexity
from chronotope.gp import Grid, choose_nodes, choose_structure
from chronotope.inference.cvb0 import collapsed_shares
from chronotope.inference.documents import Shelf, documents_at_nodes, shelve_documents
from chronotope.inference.growth import take_in
from chronotope.inference.hyper import what_to_learn
from chronotope.inference.init import Init, prior_mean, seed_columns, starting_topics
from chronotope.inference.loop import Local, Progress, Settings, State, cold_shares, train
from chronotope.inference.meanfield import infer_shares
from chronotope.inference.posterior import TopicPosterior
from chronotope.kernels import Kernel, as_kernel
from chronotope.model.memory import available_memory, check_memory, memory_needed
from chronotope.model.params import LearnKernel, PriorMean, check_parameters, choose_settings
from chronotope.model.runtime import all_or_nothing, threads
from chronotope.model.update import resume, warn_outgrown
from chronotope.storage.checkpoint import Checkpoint
from chronotope.text.options import Preprocessing
from chronotope.topics import Topics

NO_TIMES = "no times were given: all documents share one time, and the topics will not change; pass times=..."


class DynamicTopicModel(ShowsItself, TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is not typed
    """Topics whose words change over time under a Gaussian process prior.

    n_topics : K, the number of topics
    kernel : the prior on change, a kernel or its text form; parameters left out are taken from the corpus' span
    learn_kernel : True to learn the kernel's parameters from what the other times predict of each time; "bound" to
        learn them by the bound. The search starts at the defaults, whatever values were given
    alpha : prior on a document's topic shares, one number or one for each topic; "learn" to learn them
    local : how a document's tokens find their topics, "sampled" with its shares integrated out, or "mean-field" as in
        the paper
    prior_mean : what topics are expected around, the corpus' word "frequencies" or, as in the paper, "zero" logits
    init : short static fits ("lda"), "samples" of documents of all times, or the paper's "documents" at every time
    seed_words : lists of words for the first topics to start from, as [["war", "army"], ["tax", "tariff"]]
    n_inducing : nodes of the time grid; None for every distinct time where that is affordable
    grid : "even" nodes, or at "quantile"s of the documents' times
    batch_size : documents of a step; None for all of them up to 10,000 documents, minibatches of 4,000 beyond
    max_epochs : most passes over the corpus;  tol : relative gain of the bound under which a pass counts as none
    learning_offset, learning_decay : step sizes (t + offset)^−decay of the minibatches
    seed : the same seed gives the same model, whatever the number of threads
    n_threads : None for all cores;  dtype : of the posterior;  verbose : progress on the screen, None to show it there
        only where somebody is watching
    checkpoint : a file to save a fit in on the way, so that it can be resumed;  checkpoint_every : minutes between two
        saves, 0 for after every step

    After fit: topics_, alpha_, kernel_, bounds_ (the ELBO, one value a step), documents_seen_ (by then), converged_,
    n_steps_, preprocessing_ (how the words of the texts were counted; None if counts were given).
    """

    topics_: Topics
    kernel_: Kernel
    alpha_: Floats
    bounds_: Floats
    documents_seen_: Floats
    converged_: bool
    n_steps_: int
    preprocessing_: Preprocessing | None
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    _documents_seen: int

    def __init__(
        self,
        n_topics: int = 20,
        kernel: Kernel | str = "constant + ou",
        *,
        learn_kernel: LearnKernel = False,
        alpha: float | ArrayLike | Literal["learn"] = 0.05,
        local: Local = "sampled",
        prior_mean: PriorMean = "frequencies",
        init: Init = "lda",
        seed_words: Sequence[Sequence[str]] | None = None,
        n_inducing: int | None = None,
        grid: Grid = "even",
        batch_size: int | None = None,
        max_epochs: int | None = None,
        tol: float = 1e-5,
        learning_offset: float = 1.0,
        learning_decay: float = 0.6,
        seed: int = 0,
        n_threads: int | None = None,
        dtype: str = "float32",
        verbose: bool | None = None,
        checkpoint: PathLike | None = None,
        checkpoint_every: float = 5.0,
    ) -> None:
        self.n_topics = n_topics
        self.kernel = kernel
        self.learn_kernel = learn_kernel
        self.alpha = alpha
        self.local = local
        self.prior_mean = prior_mean
        self.init = init
        self.seed_words = seed_words
        self.n_inducing = n_inducing
        self.grid = grid
        self.batch_size = batch_size
        self.max_epochs = max_epochs
        self.tol = tol
        self.learning_offset = learning_offset
        self.learning_decay = learning_decay
        self.seed = seed
        self.n_threads = n_threads
        self.dtype = dtype
        self.verbose = verbose
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every

    def fit(self, X: Any, y: Any = None, times: Any = None, resume: bool = False) -> DynamicTopicModel:
        """Learn topics from a Corpus, or from counts (D, V) with one time per document.

        resume : go on from the checkpoint, if there is one, to the very result of a fit that was never interrupted
        """
        with self._all_or_nothing(), self._threads():
            alpha = self._check_parameters()
            corpus = self._corpus(X, times, reset=True)
            checkpoint = Checkpoint(self.get_params(deep=False), corpus, resume)
            docs, posterior, rng = self._start(corpus, alpha, resumed=checkpoint.found)
            state = State(posterior, Progress(alpha), rng)
            learning = what_to_learn(posterior.structure.kernel, self.learn_kernel)
            settings = replace(self._settings(len(corpus)), learning=learning)
            docs = checkpoint.restore(state, docs, settings)
            done, total = state.progress.documents, settings.epochs * len(corpus)
            with (
                progress_bar(done, total, self.verbose, f"fitting {as_kernel(self.kernel)}") as show,
                checkpoint.kept(state, show) as watch,
            ):
                train(docs, state, settings, watch)
            self.__dict__.pop("topics_", None)
            self._keep(posterior, state.progress, corpus)
            self._documents_seen = len(corpus)
        return self

    def partial_fit(
        self, X: Any, y: Any = None, times: Any = None, *, new_words: NewWords = "add"
    ) -> DynamicTopicModel:
        """Take in documents that came since: they add to those before, the time grid grows to hold them, topics stay.

        new_words : "add" the words of a Corpus that the model does not know, or "ignore" them
        Documents that are given twice count twice; to go over the same ones many times, use `fit`.
        """
        check_new_words(new_words)
        with self._all_or_nothing(), self._threads():
            alpha, before = self._check_parameters(), getattr(self, "topics_", None)
            if before is None:
                corpus = self._corpus(X, times, reset=True)
                shelf, posterior, _ = self._start(corpus, alpha)
                docs, known, progress, self._documents_seen = shelf.take_all(), None, Progress(alpha), 0
            else:
                corpus, progress = self._further_corpus(X, times, new_words), self._progress()
                docs, posterior, known = resume(before, corpus, self.n_inducing, self.grid, self.prior_mean)
            self._documents_seen += len(corpus)
            take_in(docs, self._documents_seen, known, posterior, progress, self._settings(len(corpus)))
            self._keep(posterior, progress, corpus)
            if before is not None and not self.learn_kernel:
                warn_outgrown(as_kernel(self.kernel), before, self.topics_)
        return self

    def transform(self, X: Any, times: Any = None) -> Floats:
        """Topic shares of documents, at any times;  rows sum to 1.  Returns (D, K)."""
        check_is_fitted(self)
        corpus = self._corpus(X, times, reset=False)
        with self._threads():
            return np.concatenate([self._shares(counts, corpus.times[at]) for at, counts in blocks(corpus.stored)])

    def fit_transform(self, X: Any, y: Any = None, times: Any = None, **fit_params: Any) -> Floats:
        """Fit, then the topic shares of the same documents.  Returns (D, K)."""
        return self.fit(X, y, times=times, **fit_params).transform(X, times=times)

    def perplexity(self, X: Any, times: Any = None, sample_weight: Any = None) -> float:
        """Per-word perplexity by document completion, lower is better: half of a document predicts the other half."""
        check_is_fitted(self)
        corpus = self._corpus(X, times, reset=False)
        weight = None if sample_weight is None else check_weights(sample_weight, len(corpus))
        with self._threads():
            return perplexity(*completion_scores(self, corpus, self.seed), weight)

    def score(self, X: Any, y: Any = None, times: Any = None, sample_weight: Any = None) -> float:
        """Log-likelihood per word by document completion, −log perplexity: higher is better."""
        return -float(np.log(self.perplexity(X, times, sample_weight)))

    def save(self, path: PathLike) -> None:
        """Write the model to one file; see `chronotope.load`."""
        from chronotope.model.files import save_model

        save_model(self, path)

    @property
    def n_features_out_(self) -> int:
        """Number of columns of `transform`: the topics."""
        return self.topics_.n_topics

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Names of the columns of `transform`: topic0, topic1, …"""
        check_is_fitted(self)
        return np.array([f"topic{k}" for k in range(self.topics_.n_topics)], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.input_tags.categorical = True  # whole numbers
        return tags

    def _corpus(self, X: Any, times: Any, reset: bool) -> Corpus:
        """The documents given, checked against what the model was fitted on."""
        if not isinstance(X, Corpus):
            return self._corpus_of_counts(X, times, reset)
        if times is not None:
            raise ValueError("times was given along with a Corpus, which has its own; pass one of them.")
        if reset:
            self.n_features_in_ = X.n_words
            self.__dict__.pop("feature_names_in_", None)
        elif X.n_words != self.n_features_in_:
            raise ValueError(
                f"the corpus has {X.n_words:,} words but the model was fitted on {self.n_features_in_:,}; "
                "count its words with the model's vocabulary."
            )
        elif not np.array_equal(X.vocabulary, self.topics_.vocabulary):
            raise ValueError("the corpus has other words than the model; count its words with the model's vocabulary.")
        return X

    def _further_corpus(self, X: Any, times: Any, new_words: NewWords) -> Corpus:
        """New documents with the model's words as their first columns; a Corpus may have others."""
        if not isinstance(X, Corpus):
            return self._corpus(X, times, reset=False)
        named = hasattr(self, "feature_names_in_")
        corpus = self._corpus(with_new_words(X, self.topics_.vocabulary, new_words), times, reset=True)
        if named:
            self.feature_names_in_ = corpus.vocabulary.astype(object)
        return corpus

    def _corpus_of_counts(self, X: Any, times: Any, reset: bool) -> Corpus:
        counts = validate_data(self, X, reset=reset, accept_sparse="csr", dtype="numeric")
        if times is None:
            fixed = reset or len(self.topics_.structure.nodes) == 1
            if not fixed:
                raise ValueError("no times were given; pass one time per document.")
            warnings.warn(NO_TIMES, UserWarning, stacklevel=3)
            times = np.full(counts.shape[0], 0.0 if reset else self.topics_.span[0])
        words = getattr(self, "feature_names_in_", None) if reset else self.topics_.vocabulary
        return Corpus(counts, times, words)

    def _check_parameters(self) -> Floats:
        """Refuse what cannot work; returns the starting alpha, (K,)."""
        return check_parameters(self.get_params(deep=False))

    def _settings(self, D: int) -> Settings:
        return choose_settings(self.get_params(deep=False), D)

    def _start(
        self, corpus: Corpus, alpha: Floats, resumed: bool = False
    ) -> tuple[Shelf, TopicPosterior, np.random.Generator]:
        """Time grid, prior and starting topics for a corpus; no topics yet where a fit is resumed."""
        if corpus.n_empty == len(corpus):
            raise ValueError(f"all {len(corpus):,} documents are empty; pass documents with words.")
        rng = np.random.default_rng(self.seed)
        given = as_kernel(self.kernel)
        kernel = (given.forget() if self.learn_kernel else given).resolve(*corpus.span)
        structure = choose_structure(kernel, choose_nodes(kernel, corpus.times, self.n_inducing, self.grid))
        settings = replace(self._settings(len(corpus)), learning=what_to_learn(kernel, self.learn_kernel))
        need = memory_needed(structure, self.n_topics, corpus, self.dtype, settings)
        check_memory(need, available_memory(), self.verbose)
        mean = prior_mean(corpus.stored) if self.prior_mean == "frequencies" else np.zeros(corpus.n_words)
        docs = shelve_documents(corpus.stored, corpus.times, kernel, structure.nodes, mean)
        if resumed:
            topics = np.full((len(alpha), corpus.n_words), 1.0 / corpus.n_words)
        else:
            size = corpus.n_words, len(structure.nodes)
            seeds = seed_columns(self.seed_words, corpus.vocabulary)
            topics = starting_topics(self.init, docs, *size, alpha, rng, self.dtype, self.verbose, seeds)
        return docs, TopicPosterior(structure, topics, mean, self.dtype), rng

    def _progress(self) -> Progress:
        """What has been done so far, to go on from."""
        seen = [int(n) for n in self.documents_seen_]
        return Progress(self.alpha_, self.n_steps_, seen[-1] if seen else 0, list(self.bounds_), seen)

    def _keep(self, posterior: TopicPosterior, progress: Progress, corpus: Corpus) -> None:
        if not hasattr(self, "topics_"):  # documents that come later are counted as the first ones were
            self.preprocessing_ = corpus.report.preprocessing if corpus.report else None
        self.topics_ = Topics(
            posterior.structure,
            posterior.g,
            posterior.b,
            posterior.mean,
            np.asarray(progress.mass),
            corpus.vocabulary,
            corpus.calendar or (hasattr(self, "topics_") and self.topics_.calendar),
        )
        self.alpha_, self.kernel_ = progress.alpha, posterior.structure.kernel
        self.bounds_, self.documents_seen_ = np.array(progress.bounds), np.array(progress.seen, dtype=np.float64)
        self.converged_ = progress.converged
        self.n_steps_ = progress.steps

    def _shares(self, counts: sp.csr_array, times: Floats) -> Floats:
        """Mean topic shares of documents at any times, each distinct time a node of its own.  Returns (D, K)."""
        order = np.argsort(times, kind="stable")
        stamps, stamp = np.unique(times[order], return_inverse=True)
        counts = counts[order]
        lam = np.empty((len(times), len(self.alpha_)))
        for rows, (m, s, log_zeta) in self.topics_.logits(stamps):
            here = np.flatnonzero((stamp >= rows.start) & (stamp < rows.stop))
            docs = documents_at_nodes(counts[here], stamp[here] - rows.start)
            shares = cold_shares(docs, self.alpha_)
            if self.local == "sampled":
                collapsed_shares(docs, m + m.dtype.type(0.5) * s, log_zeta, self.alpha_, shares)
            else:
                infer_shares(docs, m, log_zeta, self.alpha_, shares)
            lam[order[here]] = shares
        lam /= lam.sum(axis=1, keepdims=True)
        return lam

    def _all_or_nothing(self) -> AbstractContextManager[None]:
        return all_or_nothing(self.__dict__)

    def _threads(self) -> AbstractContextManager[None]:
        return threads(self.n_threads)
