"""The estimator: dynamic topics with a Gaussian process prior."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from chronotope._typing import Floats, PathLike
from chronotope.corpus import Corpus
from chronotope.corpus.align import NewWords, check_new_words
from chronotope.display.notebook import NotebookDisplay
from chronotope.display.progress import counting_bar
from chronotope.gp import Grid, check_prior
from chronotope.inference.init import Init
from chronotope.inference.posterior import TopicPosterior
from chronotope.inference.state import Local, Progress
from chronotope.kernels import Kernel, Recipe, as_kernel, has_by
from chronotope.model.completion import alpha_of_rows, check_weights, completion_scores, perplexity, track_of_rows
from chronotope.model.covariates import ShareColumns, share_terms
from chronotope.model.curves import Prevalence
from chronotope.model.curves_file import prevalence_content
from chronotope.model.dates_texts import DatesTexts
from chronotope.model.dating import dating_content
from chronotope.model.inputs import further_corpus, known_corpus, training_corpus
from chronotope.model.params import LearnKernel, PriorMean, check_parameters, json_value
from chronotope.model.plan import Plan, kernel_span, plan_fit
from chronotope.model.runtime import all_or_nothing, compiled_loops
from chronotope.model.tracks import TrackColumns, group_column, tracks_content
from chronotope.model.training import finish, on_cluster, prepared_fit
from chronotope.model.transform import Learned, by_block, share_block
from chronotope.model.update import first_documents, further_documents, warn_outgrown
from chronotope.storage.digest import as_json
from chronotope.storage.model_file import write_model
from chronotope.text.options import Preprocessing, options_to_json
from chronotope.topics import Topics

QUICK = 2.0  # seconds of `transform` without a progress bar


class DynamicTopicModel(DatesTexts, NotebookDisplay, TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is not typed
    """Topics whose words change over time under a Gaussian process prior.

    n_topics : int, default 20; K, the number of topics (n_components in scikit-learn)
    kernel : Kernel or str, default "constant + ou"; the prior on change, or its text form; unset parameters follow
        from the corpus
    learn_kernel : bool, None or "bound", default None; how quickly words change is learned early in the fit, by
        predicting left-out times. None learns parameters without a value, True all, whatever values were given, False
        nothing. "bound" learns all during the fit, by the ELBO
    alpha : float, K floats or "learn", default "learn"; Dirichlet prior on a document's topic shares (doc_topic_prior
        in scikit-learn)
    prevalence : str, default None; what the topic shares of documents follow, as "constant + ou", a kernel over time,
        "constant + ou + by(party)" with a deviation for each group, or "constant + ou + linear(age)". None for nothing:
        all documents have the same alpha
    groups : str, default None; a column of the corpus' metadata whose groups differ in prevalence, and in words if the
        kernel has by(...), as "constant + ou + by(ou)"
    place : str, default None; columns of latitude and longitude, as "lat,lon", if the kernel has space(...), as
        "constant + ou + space(1, 300 km)"; None to find them by their names
    n_cells : int, default None; number of cells that places are gathered in; None for as many as there is text for
    shared : float, default None; part of the prior variance of change that all topics share, from 0 (independent
        topics, as in the paper) to below 1. With more, topics keep their identity over long times. None for 1/2, and
        for 0 with a kernel that is given in full and has no constant, as "ou(3, 10)"
    local : "sampled" or "mean-field", default "sampled"; the local step, Gibbs sampling with the topic shares
        integrated out, or the paper's mean field
    prior_mean : "frequencies" or "zero", default "frequencies"; mean of the prior on logits, the log word frequencies
        of the corpus or, as in the paper, zero
    init : "lda", "samples" or "documents", default "lda"; start from short static fits, from samples of documents of
        all times, or, as in the paper, from documents at every time; the last two are mixed with as much of the corpus
    seed_words : list of lists of str, default None; words that the first topics start from, as [["war", "army"],
        ["tax", "tariff"]]
    n_inducing : int, default None; J, the number of nodes of the time grid (inducing points); None for every distinct
        time where that is affordable, else as many as the kernel needs
    grid : "adaptive", "even" or "quantile", default "adaptive"; place of the nodes: more of them where there are more
        documents and few in empty time, evenly spaced, or at quantiles of the documents' times
    batch_size : int, default None; documents per step; None for all of them up to 10 million tokens
        or 10,000 documents, minibatches of 4,000 beyond
    max_epochs : int, default None; maximum number of passes over the corpus (max_iter in scikit-learn); None for 50,
        or 8 with minibatches
    tol : float, default 1e-5; relative gain of a pass that counts as none: of the log-likelihood of each token given
        all others, or, with a mean field, of the bound
    learning_offset : float, default 1.0; learning_decay : float, default 0.6; step sizes (t + offset)^−decay of the
        minibatches, as in scikit-learn
    seed : int, default 0; the same seed gives the same model, whatever the number of threads (random_state)
    n_threads : int, default None for all cores (n_jobs in scikit-learn)
    dtype : "float32" or "float64", default "float32"; precision of the posterior
    verbose : bool, default None; whether progress is shown; None shows it if stderr is a terminal or in a notebook
    checkpoint : str or path, default None; a file that saves the fit on the way, so that it can be resumed
    checkpoint_every : float, default 5.0; minutes between two saves, 0 for after every step
    engine : distributed.Client, default None for this process; the Dask cluster whose workers take the local steps of
        `fit`, and on which `transform` and `perplexity` are computed. The results are the same, bit for bit

    Attributes after fit:

    topics_ : Topics, the learned topics;  kernel_ : the kernel with all parameters set;  alpha_ : (K,)
    dating_ : Dating, after `learn_dating`, until the model is fitted to other documents
    prevalence_ : Prevalence, with `prevalence` or `groups`; alpha_ is then the mean over documents
    tracks_ : TrackColumns, how documents are assigned to groups or places, if words differ between them
    kernel_span_ : (first, last), the times that unset parameters of the kernel follow from
    bounds_ : the ELBO, one value per step;  documents_seen_ : documents processed by then
    converged_ : whether a fit ended by `tol`;  diverged_ : whether it ended early, in the last state of finite numbers
    doubt_ : whether the bands of the topics contain the doubt about the topics of tokens
    n_steps_ : number of steps;  n_documents_ : documents fitted
    preprocessing_ : how the words of the texts were counted, None if counts were given
    """

    topics_: Topics
    prevalence_: Prevalence
    tracks_: TrackColumns
    kernel_: Kernel
    kernel_span_: tuple[float, float]
    alpha_: Floats
    bounds_: Floats
    documents_seen_: Floats
    converged_: bool
    diverged_: bool
    doubt_: bool
    n_steps_: int
    preprocessing_: Preprocessing | None
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    n_documents_: int

    def __init__(
        self,
        n_topics: int = 20,
        kernel: Recipe | str = "constant + ou",
        *,
        learn_kernel: LearnKernel = None,
        alpha: float | ArrayLike | Literal["learn"] = "learn",
        prevalence: str | None = None,
        groups: str | None = None,
        place: str | None = None,
        n_cells: int | None = None,
        shared: float | None = None,
        local: Local = "sampled",
        prior_mean: PriorMean = "frequencies",
        init: Init = "lda",
        seed_words: Sequence[Sequence[str]] | None = None,
        n_inducing: int | None = None,
        grid: Grid = "adaptive",
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
        engine: Any = None,
    ) -> None:
        self.n_topics = n_topics
        self.kernel = kernel
        self.learn_kernel = learn_kernel
        self.alpha = alpha
        self.prevalence = prevalence
        self.groups = groups
        self.place = place
        self.n_cells = n_cells
        self.shared = shared
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
        self.engine = engine

    def fit(
        self, X: Any, y: Any = None, times: Any = None, resume: bool = False, *, groups: Any = None
    ) -> DynamicTopicModel:
        """Learn topics.

        X : a Corpus; or counts (D, V), sparse or dense; or raw texts, a list or Series of D strings
        y : ignored
        times : D numbers or dates, one per document, default None; not with a Corpus, which has its own
        resume : bool, default False; continue from the checkpoint, if there is one, to the same result as a fit that
            was never interrupted
        groups : D labels, one per document, or a table of columns by name, which `prevalence` follows; default None;
            not with a Corpus, which has its metadata
        """
        with all_or_nothing(self.__dict__), compiled_loops(self.n_threads, self.verbose):
            self.check_parameters()
            corpus = training_corpus(self, X, times, self._columns(groups))
            with on_cluster(self.engine, corpus) as cluster:
                with prepared_fit(self.get_params(deep=False), corpus, resume, cluster) as job:
                    job.train(job.docs, job.state, job.settings, job.watch)
                finish(job)
            for name in ("topics_", "dating_", "prevalence_", "tracks_"):
                self.__dict__.pop(name, None)
            self._keep(job.state.posterior, job.state.progress, self._share_columns(corpus), job.tracks, corpus)
            self.n_documents_ = len(corpus)
        return self

    def partial_fit(
        self, X: Any, y: Any = None, times: Any = None, *, new_words: NewWords = "add", groups: Any = None
    ) -> DynamicTopicModel:
        """Add documents that came later: they count like those before, the time grid grows, the topics continue.

        X, y, times : as in `fit`; texts are prepared as the model's first documents were
        new_words : "add" (default) the words that the model does not know, or "ignore" them; of a Corpus or texts
        groups : as in `fit`; groups may be new

        Documents that are given twice count twice. For several passes over the same documents use `fit`.
        """
        check_new_words(new_words)
        with all_or_nothing(self.__dict__), compiled_loops(self.n_threads, self.verbose):
            self.check_parameters()
            parameters, before = self.get_params(deep=False), getattr(self, "topics_", None)
            if before is None:
                corpus = training_corpus(self, X, times, self._columns(groups))
                found, self.n_documents_ = first_documents(parameters, corpus), len(corpus)
            else:
                corpus = further_corpus(self, X, times, new_words, self._columns(groups))
                self.n_documents_ += len(corpus)
                columns = self.prevalence_.columns if hasattr(self, "prevalence_") else None
                known = before, self._progress(), corpus, self.n_documents_, columns, getattr(self, "tracks_", None)
                found = further_documents(parameters, *known)
            self.__dict__.pop("dating_", None)
            self._keep(*found, corpus)
            if before is not None and not self.learn_kernel:
                warn_outgrown(as_kernel(self.kernel), self.kernel_span_, before, self.topics_)
        return self

    def transform(self, X: Any, times: Any = None, *, groups: Any = None) -> Floats:
        """Topic shares of documents at any times; rows sum to 1.  Returns (D, K).

        X : a Corpus; or counts (D, V); or raw texts, which are prepared exactly as the model's own documents were
        times : D numbers or dates, one per document, default None; not with a Corpus, and needed without one if the
            model was fitted with times
        groups : as in `fit`, default None; documents without a group have what all groups share
        """
        check_is_fitted(self)
        corpus = known_corpus(self, X, times, self._columns(groups))
        own, track = alpha_of_rows(self, corpus), track_of_rows(self, corpus)
        known, shares = Learned(self.topics_, self.alpha_, self.local), list[Floats]()
        bar = counting_bar(len(corpus), 0, self.verbose, "inferring topics", delay=QUICK)
        with compiled_loops(self.n_threads, self.verbose), bar as done:
            if self.engine is None:
                shares += by_block(share_block, known, corpus, None, done, alpha_of=own, track=track)
            else:
                for part in by_block(share_block, known, corpus, self.engine, alpha_of=own, track=track):
                    shares.append(part)
                    done(len(part))
        return np.concatenate(shares)

    def fit_transform(self, X: Any, y: Any = None, times: Any = None, **fit_params: Any) -> Floats:
        """Fit, then return the topic shares of the same documents, (D, K); parameters as in `fit`."""
        groups = fit_params.get("groups")
        return self.fit(X, y, times=times, **fit_params).transform(X, times=times, groups=groups)

    def perplexity(
        self, X: Any, times: Any = None, sample_weight: Any = None, *, seen: int | None = None, groups: Any = None
    ) -> float:
        """Per-word perplexity by document completion, lower is better: half of a document predicts the other half.

        X, times : documents, as in `transform`
        sample_weight : D numbers of 0 or more, default None for equal weights of the documents
        seen : int, default None for half; number of tokens of each document that predict its others, 0 for none
        groups : as in `transform`
        """
        check_is_fitted(self)
        corpus = known_corpus(self, X, times, self._columns(groups))
        weight = None if sample_weight is None else check_weights(sample_weight, len(corpus))
        with compiled_loops(self.n_threads, self.verbose):
            scores = completion_scores(self, corpus, self.seed, seen=seen, engine=self.engine)
            return perplexity(*scores, weight)

    def score(self, X: Any, y: Any = None, times: Any = None, sample_weight: Any = None) -> float:
        """Log-likelihood per word by document completion, −log perplexity: higher is better.

        X, times, sample_weight : as in `perplexity`
        y : ignored
        """
        return -float(np.log(self.perplexity(X, times, sample_weight)))

    def plan(self, corpus: Corpus) -> Plan:
        """What fitting this corpus would do: kernel, time grid, settings, memory; nothing is fitted."""
        return plan_fit(self.get_params(deep=False), corpus)

    def check_parameters(self) -> Floats:
        """Refuse invalid parameters with a sentence; returns the starting alpha, (K,)."""
        return check_parameters(self.get_params(deep=False))

    def save(self, path: PathLike) -> None:
        """Write the model to one file, atomically; `chronotope.load` reads it.

        path : str or path; the extension is usually .ct
        """
        check_is_fitted(self)
        topics = self.topics_
        settings = self.get_params(deep=False) | {"checkpoint": None, "engine": None}  # they were the fit's
        header = {
            "settings": as_json(settings, json_value),
            "kernel": self.kernel_.text,
            "kernel_span": self.kernel_span_,
            "main_span": topics.coverage.main_span,
            "vocabulary": topics.vocabulary.tolist(),
            "calendar": topics.calendar,
            "steps": self.n_steps_,
            "documents": self.n_documents_,
            "converged": self.converged_,
            "diverged": self.diverged_,
            "doubt": self.doubt_,
            "preprocessing": options_to_json(self.preprocessing_),
            "named_columns": hasattr(self, "feature_names_in_"),
        }
        arrays = {"nodes": topics.times, "mean": topics.mean, "mass": topics.node_mass} | topics.posterior.arrays()
        arrays |= {"covered_times": topics.coverage.times, "covered_documents": topics.coverage.documents}
        check_prior(self.kernel_, topics.times)
        if hasattr(self, "tracks_"):
            header["tracks"], places = tracks_content(self.tracks_)
            arrays |= places
        if hasattr(self, "dating_"):
            header["dating"], dating = dating_content(self.dating_)
            arrays |= dating
        if hasattr(self, "prevalence_"):
            header["shares"], shares = prevalence_content(self.prevalence_)
            arrays |= shares
        fit = {"alpha": self.alpha_, "bounds": self.bounds_, "seen": self.documents_seen_}
        write_model(path, header, arrays | fit)

    @property
    def n_features_out_(self) -> int:
        """Number of columns of `transform`: the topics."""
        return self.topics_.n_topics

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Names of the columns of `transform`: topic0, topic1, …"""
        check_is_fitted(self)
        return np.array([f"topic{k}" for k in range(self.topics_.n_topics)], dtype=object)

    def __sklearn_clone__(self) -> DynamicTopicModel:
        engine, self.engine = self.engine, None  # a connection is not copied
        try:
            copied: DynamicTopicModel = super().__sklearn_clone__()
        finally:
            self.engine = engine
        copied.engine = engine
        return copied

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return state | {"engine": None}  # a connection stays where it is

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.input_tags.categorical = True  # whole numbers
        return tags

    def _columns(self, groups: Any) -> Any:
        """Groups as a table of columns by name; those without a name are the column that prevalence follows."""
        if groups is None or isinstance(groups, Mapping) or hasattr(groups, "columns"):
            return groups
        terms, kernel = share_terms(self.get_params(deep=False)), as_kernel(self.kernel)
        if isinstance(kernel, Kernel) and has_by(kernel):
            return {group_column(kernel, self.groups): list(groups)}
        if terms is None or terms.by is None:
            raise ValueError(
                "groups were given, but neither words nor prevalence follow any; pass "
                'kernel="constant + ou + by(ou, group)" or prevalence="constant + ou + by(group)".'
            )
        return {terms.by: list(groups)}

    def _share_columns(self, corpus: Corpus) -> ShareColumns | None:
        """How prevalence reads the documents fitted; None without."""
        terms = share_terms(self.get_params(deep=False))
        return None if terms is None else ShareColumns.of(corpus, terms, quiet=True)

    def _progress(self) -> Progress:
        """What has been done so far, to continue from."""
        seen = [int(n) for n in self.documents_seen_]
        prevalence = self.prevalence_.prior if hasattr(self, "prevalence_") else None
        done = self.n_steps_, seen[-1] if seen else 0
        return Progress(self.alpha_, *done, list(self.bounds_), seen, prevalence=prevalence)

    def _keep(
        self,
        posterior: TopicPosterior,
        progress: Progress,
        columns: ShareColumns | None,
        tracks: TrackColumns | None,
        corpus: Corpus,
    ) -> None:
        """Set the attributes of a fitted model.   columns, tracks : as in `Updated`"""
        if not hasattr(self, "topics_"):  # documents that come later change neither
            self.preprocessing_ = corpus.report.preprocessing if corpus.report else None
            self.kernel_span_ = kernel_span(as_kernel(self.kernel), corpus)
        self.topics_ = Topics(
            posterior.sites(),
            posterior.mean,
            np.asarray(progress.mass),
            corpus.vocabulary,
            corpus.calendar or (hasattr(self, "topics_") and self.topics_.calendar),
            self.topics_.coverage.joined(corpus.times) if hasattr(self, "topics_") else corpus.coverage,
        )
        if tracks is not None:
            self.tracks_ = tracks
        if progress.prevalence is not None and columns is not None:
            self.prevalence_ = Prevalence(progress.prevalence, columns, self.topics_.calendar, self.topics_.main_span)
        self.alpha_, self.kernel_ = progress.alpha, posterior.prior.kernel
        self.bounds_, self.documents_seen_ = np.array(progress.bounds), np.array(progress.seen, dtype=np.float64)
        self.converged_, self.diverged_, self.doubt_ = progress.converged, progress.diverged, progress.doubt
        self.n_steps_ = progress.steps
