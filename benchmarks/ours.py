"""Chronotope, watched: when each step ends, what part of it was the global step, and the topics by then."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from benchmarks.clock import Clock
from benchmarks.documents import Documents
from benchmarks.peers import Facts, Report
from chronotope import Corpus, DynamicTopicModel, Topics
from chronotope.inference.posterior import TopicPosterior
from chronotope.loops import threads as set_threads
from chronotope.model.training import prepared_fit

WARM, WARM_BATCH = 400, 200  # documents of the fit that compiles the loops, and of its steps
GROWTH = 1.2  # of the steps at which topics are reported: 1, 2, 3, …, 10, 12, 14, …


class Spent(NamedTuple):
    """Seconds, and CPU seconds of all threads."""

    seconds: float
    cpu: float


class Enough(Exception):
    """The steps asked for are done."""


def chronotope(
    train: Documents, report: Report, *, n_topics: int, threads: int, steps: int | None = None, **settings: Any
) -> Facts:
    """Fit, and report topics along the way;  steps : to stop after.  Compiling is not counted: see `first_fit`."""
    corpus = Corpus(train.counts, train.times, train.vocabulary)
    common = {"n_topics": n_topics, "n_threads": threads, "verbose": False, **settings}
    small = corpus[np.linspace(0, len(corpus) - 1, min(WARM, len(corpus))).astype(int)]
    DynamicTopicModel(**common | {"batch_size": _warm_batch(common, corpus), "max_epochs": 2}).fit(small)
    watching, model = Watching(corpus, report, steps), DynamicTopicModel(**common)
    ready = prepared_fit(model.get_params(deep=False), corpus, resume=False)
    with suppress(Enough), watching.clock.running(), set_threads(threads), ready as job:
        watching.begin(job.state.posterior, job.settings.batch_size)
        job.train(job.docs, job.state, job.settings, job.watch)
    watching.end()
    return watching.facts()


def first_fit(train: Documents, report: Report, *, n_topics: int, threads: int) -> Facts:
    """A small default fit as it comes, from the start of the process, compiling included; then the same once more.

    BEGAN in the environment : the time at which the process was started
    """
    corpus, times = Corpus(train.counts, train.times, train.vocabulary), []
    for _ in range(2):
        DynamicTopicModel(n_topics, n_threads=threads, verbose=False).fit(corpus)
        times.append(Spent(time.time() - float(os.environ["BEGAN"]), time.process_time()))
    first, both = times
    return {"first": first._asdict(), "again": Spent(*np.subtract(both, first).tolist())._asdict()}


def _warm_batch(settings: dict[str, Any], corpus: Corpus) -> int | None:
    """Minibatches if the fit itself has them, so that the same loops are compiled."""
    in_batches = DynamicTopicModel(**settings).plan(corpus).settings.batch_size < len(corpus)
    return WARM_BATCH if in_batches else None


class Watching:
    """What is seen of a fit: end of the start, end of every step, seconds of every global step."""

    def __init__(self, corpus: Corpus, report: Report, steps: int | None) -> None:
        self.corpus, self.report, self.most = corpus, report, steps
        self.clock = Clock()
        self.start = 0.0
        self.ends: list[float] = []
        self.globals: list[float] = []
        self.posterior: TopicPosterior | None = None
        self.steps_per_pass = 1
        self._shown, self._next = 0, 1

    def begin(self, posterior: TopicPosterior, batch: int) -> None:
        """The start is done: report its topics, and watch the steps on so many documents each."""
        self.posterior, self.start = posterior, self.clock.seconds
        self.steps_per_pass = -(-len(self.corpus) // batch)
        self._show("start")
        posterior.step_common = self._timed(posterior.step_common, self.globals.append)  # type: ignore[method-assign]
        posterior.step = self._timed(posterior.step, self._after_step)  # type: ignore[method-assign]

    def _timed(self, step: Callable[..., None], after: Callable[[float], None]) -> Callable[..., None]:
        def watched(*given: Any) -> None:
            began = time.perf_counter()
            step(*given)
            after(time.perf_counter() - began)

        return watched

    def _after_step(self, seconds: float) -> None:
        """The topics' own parts have moved, and before them, in the same global step, the part that they share."""
        self.globals[-1] += seconds
        self.ends.append(self.clock.seconds)
        if len(self.ends) == self._next:
            self._shown = self._next
            self._next = max(self._next + 1, round(self._next * GROWTH))
            self._show(f"{len(self.ends)} steps")
        if self.most is not None and len(self.ends) >= self.most:
            raise Enough

    def _show(self, label: str) -> None:
        with self.clock.paused():
            self.report(label, self.clock.seconds, self._topics_at)

    def end(self) -> None:
        """The fit is over: report its topics, unless they were the last ones reported."""
        if self._shown < len(self.ends):
            self.report(f"{len(self.ends)} steps", self.clock.seconds, self._topics_at)

    def _topics_at(self, times: np.ndarray) -> np.ndarray:
        """Word probabilities as the posterior stands, (n, K, V)."""
        q = self.posterior
        assert q is not None
        if not q.started:
            pi = q.probabilities(np.zeros(1, np.int64))[0]
            return np.broadcast_to(pi, (len(times), *pi.shape))
        mass = np.zeros(q.g.shape[:2])
        topics = Topics(q.sites(), q.mean, mass, self.corpus.vocabulary, self.corpus.calendar)
        return topics.probabilities(times)

    def facts(self) -> Facts:
        """Seconds of the start, of each step and each global step, nodes of the grid, and rank of a dense basis."""
        assert self.posterior is not None
        structure, steps = self.posterior.prior.own, np.diff([self.start, *self.ends])
        return {
            "pass": float(steps.mean() * self.steps_per_pass),
            "start": self.start,
            "steps": steps.tolist(),
            "globals": self.globals,
            "nodes": len(structure.nodes),
            "rank": getattr(structure, "rank", None),
            "total": self.clock.seconds,
        }
