"""Draws and global steps on one core, beside what the core can do: bytes and multiply-adds per second."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.corpora import in_order
from benchmarks.documents import Documents
from benchmarks.limits import measure_bandwidth, measure_multiply_adds
from benchmarks.scale import Scale
from chronotope import Corpus, DynamicTopicModel
from chronotope.inference.documents import uniform_lambda
from chronotope.inference.lanes import padded
from chronotope.inference.posterior import FULL_STEP, TopicPosterior
from chronotope.inference.sampled import sampled_step
from chronotope.inference.shares import known_chains
from chronotope.inference.statistics import Statistics
from chronotope.inference.tables import TopicTables
from chronotope.loops import threads
from chronotope.model.training import Job, prepared_fit

NODES, EPOCHS = 32, 2  # of the fit whose loops are timed
FEW, MANY = 1, 65  # kept sweeps of two visits: their difference is sweeps alone, and large beside the rest of a visit
NUMBER, TOPIC = 4, 2  # bytes of a number in single precision, and of the topic of a token
STEP = {  # arrays (J, K, V) that a global step reads or writes
    "sites: n, m, s read; g, b read and written": 7,
    "marginals: g, b read; m, s written": 4,
    "shift removed: b read; g, m read and written": 5,
    "prior mean added: m read and written": 2,
    "common part added: m, s read and written": 4,
    "log ζ: m, s read": 2,
}


def draw_bytes(K: int) -> int:
    """Bytes of a draw: held and E_v are read, φ_v is read and written, all padded; so is the token's topic."""
    return 4 * NUMBER * padded(K) + 2 * TOPIC


def draw_multiply_adds(K: int) -> int:
    """Multiply-adds of a draw: one for the weight of each padded topic, two for its share of φ."""
    return 3 * padded(K)


def step_bytes(posterior: TopicPosterior) -> int:
    """Bytes of a global step of topics with a common part."""
    return sum(STEP.values()) * posterior.m.nbytes


def measure_roofline(corpus: Corpus, scale: Scale) -> dict[str, Any]:
    """The limits of a core, and draws and global steps beside them for each number of topics."""
    some = in_order(corpus).sample(scale.roof_documents)
    with threads(1):
        limits = {
            "bandwidth": measure_bandwidth(scale.roof_array),
            "multiply_adds": measure_multiply_adds(),
            "array": scale.roof_array * NUMBER,
        }
        print("  a core: {bandwidth:.1f} GB/s, {multiply_adds:.1f} G multiply-adds/s".format(**limits), flush=True)
        loops = [_loops(some, K, limits, scale.roof_repeats) for K in scale.roof_topics]
    return {"limits": limits, "loops": loops}


def _loops(documents: Documents, K: int, limits: dict[str, float], repeats: int) -> dict[str, Any]:
    job = _fit(Corpus(documents.counts, documents.times, documents.vocabulary), K)
    posterior = job.state.posterior
    draws, stats = _time_draws(job, repeats)
    step = _time(lambda: posterior.step(stats, FULL_STEP, 0.0), repeats)
    rate, J = draws["per_second"], len(posterior.m)
    draws |= beside(limits, rate * draw_bytes(K), rate * draw_multiply_adds(K))
    shown = "{:.2f} to {:.2f}".format(*(each / 1e6 for each in draws["range"]))
    print(f"  {K} topics: {rate / 1e6:.2f} million draws/s ({shown}); a global step: {step:.4f} s", flush=True)
    return {
        "topics": K,
        "words": posterior.m.shape[2],
        "nodes": J,
        "draws": draws | {"bytes": draw_bytes(K), "multiply_adds": draw_multiply_adds(K)},
        "step": {"seconds": step, "bytes": step_bytes(posterior), **beside(limits, step_bytes(posterior) / step)},
    }


def beside(limits: dict[str, float], moved: float, computed: float = 0.0) -> dict[str, float]:
    """GB and 10⁹ multiply-adds per second, and the fractions of the limits that they are.

    moved, computed : bytes and multiply-adds per second
    """
    return {
        "bandwidth": moved / 1e9,
        "of_bandwidth": moved / 1e9 / limits["bandwidth"],
        "rate": computed / 1e9,
        "of_rate": computed / 1e9 / limits["multiply_adds"],
    }


def _fit(corpus: Corpus, K: int) -> Job:
    """A fit of a few passes, done: topics and chains as they are while a model is learned."""
    settings = {"n_inducing": NODES, "max_epochs": EPOCHS, "batch_size": len(corpus), "learn_kernel": False}
    model = DynamicTopicModel(K, n_threads=1, verbose=False, **settings)
    with prepared_fit(model.get_params(deep=False), corpus, resume=False) as job:
        job.train(job.docs, job.state, job.settings, job.watch)
    return job


def _time_draws(job: Job, repeats: int) -> tuple[dict[str, Any], Statistics]:
    """Draws per second and their range, seconds of a sweep and of the rest of a visit; statistics of a visit.

    seconds of a sweep = median of (visit of MANY sweeps − visit of FEW) / (MANY − FEW)
    """
    posterior, progress, _ = job.state
    docs, alpha = job.docs.take(np.arange(len(job.docs.stamp))), progress.alpha
    topics = TopicTables(posterior.expected_logits(), posterior.s, posterior.log_zeta)
    chains, lam = known_chains(docs, progress), uniform_lambda(docs, alpha)

    def visit(sweeps: int) -> Statistics:
        return sampled_step(docs, topics, alpha, chains, lam, 0, (0, sweeps))

    stats = visit(FEW)
    pairs = np.array([[_seconds(lambda n=n: visit(n)) for n in (FEW, MANY)] for _ in range(repeats)])
    sweeps, tokens = (pairs[:, 1] - pairs[:, 0]) / (MANY - FEW), len(chains.topic)
    sweep = float(np.median(sweeps))
    fixed = float(np.median(pairs[:, 0])) - FEW * sweep
    rates = {"per_second": tokens / sweep, "range": np.sort(tokens / sweeps)[[0, -1]].tolist()}
    return {"tokens": tokens, "sweep": sweep, "fixed": fixed, **rates}, stats


def _time(work: Callable[[], None], repeats: int) -> float:
    """Median seconds, after a first time that does not count."""
    return float(np.median([_seconds(work) for _ in range(repeats + 1)][1:]))


def _seconds(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
