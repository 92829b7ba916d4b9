"""Fits on a cluster of this machine: seconds beside those of one process, bytes of a step, and a model of its time.

A step with W workers takes about

    tokens · token / W  +  (bytes sent + bytes received) / bandwidth  +  calls · latency  +  global step

whose parts are measured one by one: seconds per token and step on one core, bytes per second to a worker and back,
seconds of an empty call, and seconds of the driver's own part. The model is compared with steps on 1 and 2 workers.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks.scale import Scale
from chronotope import Corpus, DynamicTopicModel
from chronotope.cluster import connect
from chronotope.cluster.workers import LOGGED, Workers
from chronotope.cluster.workers import logger as call_logger
from chronotope.inference.loop import local_step
from chronotope.inference.posterior import FULL_STEP
from chronotope.inference.shares import known_shares
from chronotope.inference.statistics import Statistics
from chronotope.loops import threads as one_thread
from chronotope.model.plan import cluster_step
from chronotope.model.training import prepared_fit

WORKERS = (1, 2)
EMPTY, ECHOES, ECHO = 64, 16, 2**20  # empty calls; echoed arrays, and the numbers in each
NETWORK = 1.25e9  # bytes per second of a network of 10 Gbit/s, for the forecast
FORECAST_DOCUMENTS, FORECAST_WORKERS = (10_000_000, 100_000_000), (8, 64, 256)
STEPS_OF_A_PASS = 50  # of the forecast: batches are large enough that sending topics does not dominate


class Costs(NamedTuple):
    """Measured parts of a step: seconds per token, bytes per second, seconds per call, seconds per value (J, K, V)."""

    token: float
    bandwidth: float
    latency: float
    cell: float

    def step(self, tokens: float, moved: float, calls: float, cells: float, workers: int) -> float:
        """Seconds of a step."""
        return self.local(tokens, moved, calls, workers) + cells * self.cell

    def local(self, tokens: float, moved: float, calls: float, workers: int) -> float:
        """Seconds of its part on the workers."""
        return tokens * self.token / workers + moved / self.bandwidth + calls * self.latency


class Step(NamedTuple):
    """A local step as it was logged: calls, bytes sent and received, seconds."""

    calls: int
    sent: int
    received: int
    seconds: float


def nothing() -> None:
    """An empty call."""


def echo(values: np.ndarray) -> np.ndarray:
    """A call that returns what it was given."""
    return values


def measure_cluster(corpus: Corpus, scale: Scale, threads: int) -> dict[str, Any]:
    """The same fit in one process and on the workers of a cluster, and the parts of its steps."""
    options = {"n_topics": scale.topics, "max_epochs": scale.cluster_passes, "verbose": False}
    options |= {"batch_size": len(corpus), "init": "samples", "learn_kernel": False}
    model = _warmed(DynamicTopicModel(**options, n_threads=threads), corpus)
    alone = _seconds(lambda: model.fit(corpus))
    print(f"  one process, {threads} threads: {alone:.2f} s", flush=True)
    runs, costs = [], None
    for n in WORKERS:
        with connect(f"local:{n}") as client:
            costs = costs or _costs(client, corpus, options)
            model = _warmed(DynamicTopicModel(**options, engine=client), corpus)
            with logged_steps() as steps:
                seconds = _seconds(partial(model.fit, corpus))
            passes = steps[: scale.cluster_passes]  # those after them are rounds of drawing
            runs.append(_run(n, seconds, passes, costs, corpus.n_tokens))
    assert costs is not None
    return {
        "alone": alone,
        "runs": runs,
        "costs": costs._asdict(),
        "forecast": _forecast(corpus, scale, costs, threads),
    }


def _warmed(model: DynamicTopicModel, corpus: Corpus) -> DynamicTopicModel:
    """The model, after another fit of a moment that compiles and imports what it needs."""
    few = model.get_params(deep=False) | {"max_epochs": 1}
    DynamicTopicModel(**few).fit(corpus[: min(200, len(corpus))])
    return model


def _run(n: int, seconds: float, steps: list[Step], costs: Costs, tokens: float) -> dict[str, Any]:
    """A fit on n workers, its steps beside the model's; the first one is left out, as its chains have just started."""
    later = np.array(steps[1:] or steps, dtype=float)
    calls, sent, received, taken = np.median(later, axis=0)
    model = costs.local(tokens, sent + received, calls, n)
    print(f"  {n} workers: {seconds:.2f} s; a local step {taken:.3f} s, by the model {model:.3f} s", flush=True)
    facts = {"workers": n, "seconds": seconds, "calls": calls, "sent": sent, "received": received}
    return facts | {"local": taken, "model": model}


@contextmanager
def logged_steps() -> Iterator[list[Step]]:
    """The local steps that are logged meanwhile."""
    steps: list[Step] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.msg == LOGGED and isinstance(record.args, tuple) and record.args[3] == "sample_part":
                calls, sent, received, _, seconds = record.args
                steps.append(Step(calls, sent, received, seconds))  # type: ignore[arg-type]

    listener, level = Listener(), call_logger.level
    call_logger.addHandler(listener)
    call_logger.setLevel(logging.INFO)
    try:
        yield steps
    finally:
        call_logger.removeHandler(listener)
        call_logger.setLevel(level)


def _costs(client: Any, corpus: Corpus, options: dict[str, Any]) -> Costs:
    """The parts of a step, measured one by one; on one worker, and in this process on one thread."""
    workers, values = Workers(client), np.zeros(ECHO, np.float32)
    list(workers.map(nothing, [()] * EMPTY))
    latency = _seconds(lambda: list(workers.map(nothing, [()] * EMPTY))) / EMPTY
    moving = _seconds(lambda: list(workers.map(echo, [(values,)] * ECHOES))) - ECHOES * latency
    given = DynamicTopicModel(**options).get_params(deep=False)
    with one_thread(1), prepared_fit(given, corpus, resume=False) as (train, docs, state, settings, watch, *_):
        train(docs, state, settings, watch)
        posterior, progress, _ = state
        batch = docs.batch()
        shares = known_shares(docs, batch, progress, settings.local)
        local = _seconds(lambda: local_step(batch, posterior, progress, shares, settings, 0))
        N = np.asarray(progress.mass)
        stats = Statistics(posterior.implied_counts(N), N, np.nan)
        own = _seconds(lambda: (posterior.step_common(stats, 0.0), posterior.step(stats, FULL_STEP, 0.0)))
    bandwidth = 2.0 * ECHOES * values.nbytes / max(moving, 1e-6)
    return Costs(local / corpus.n_tokens, bandwidth, latency, own / posterior.m.size)


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _forecast(corpus: Corpus, scale: Scale, costs: Costs, cores: int) -> list[dict[str, Any]]:
    """Seconds of a pass over more documents like these, with more workers, on a network of 10 Gbit/s."""
    D = len(corpus)
    size = len(DynamicTopicModel(n_topics=scale.topics).plan(corpus).nodes), scale.topics, corpus.n_words
    network = costs._replace(bandwidth=min(NETWORK, costs.bandwidth), cell=costs.cell / cores)
    rows = []
    for documents in FORECAST_DOCUMENTS:
        B = documents // STEPS_OF_A_PASS
        tokens = corpus.n_tokens * B / D
        step = cluster_step(B, corpus.stored.sizes.sum() * B / D, tokens, size)
        for workers in FORECAST_WORKERS:
            seconds = network.step(tokens, step.sent + step.received, step.calls, float(np.prod(size)), workers)
            rows.append({"documents": documents, "workers": workers, "batch": B, "pass": seconds * STEPS_OF_A_PASS})
    return rows
