"""Runs of a comparison, sequential in this process, parallel in several, or on the workers of a cluster."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import scipy.sparse as sp

from chronotope.cluster.workers import Workers
from chronotope.corpus.corpus import Corpus
from chronotope.corpus.placed import CountsPlace, counts_for_workers
from chronotope.dates.rough import RoughDates
from chronotope.evaluate.runs import Failure, Results, Run, Task, run_task

MOST = 4  # default maximum number of processes: each holds a model in memory
WORTH = 10_000_000  # tokens × topics × runs from which parallel processes are faster
KILLED = "its process was killed, probably for lack of memory; run again with fewer jobs."

Outcome = Run | Failure


class Split(NamedTuple):
    """A split of a corpus.

    test_size : fraction of the time stamps that is held out;  seed : of their choice
    seen : tokens of a held-out document that are seen, None for half; see `completion_scores`
    """

    test_size: float
    seed: int
    seen: int | None = None

    def part(self, corpus: Corpus) -> tuple[Corpus, Corpus]:
        """Training and test part; raises an error if the test part has fewer than 2 documents."""
        train, test = corpus.split_times(self.test_size, self.seed)
        if len(test) < 2:
            raise ValueError(
                f"test_size is {self.test_size:g}, which holds out {len(test)} document of {len(corpus):,}; "
                "a standard error needs at least 2. Pass a larger test_size."
            )
        return train, test


def run_tasks(
    tasks: Sequence[Task], corpus: Corpus, split: Split, results: Results | None, jobs: int | None, engine: Any = None
) -> Iterator[Outcome]:
    """The outcome of every task, as they finish.

    results : where to store runs;  jobs : see `choose_jobs`;  engine : a client of a cluster, None for this machine
    """
    if engine is not None:
        yield from _on_cluster(tasks, corpus, split, results, engine)
        return
    jobs = choose_jobs(jobs, tasks, corpus)
    threads = max(1, _cores() // jobs)
    if jobs > 1:
        yield from _in_parallel(tasks, corpus, split, results, jobs, threads)
        return
    train, test = split.part(corpus)
    for task in tasks:
        yield _attempt(task, train, test, split, results, threads)


def choose_jobs(jobs: int | None, tasks: Sequence[Task], corpus: Corpus) -> int:
    """Number of processes: `jobs`, or for None a default from cores, memory and amount of work."""
    if jobs is not None:
        if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1:
            raise ValueError(f"jobs is {jobs!r}; expected a whole number of at least 1, or None.")
        return max(1, min(jobs, len(tasks)))
    work = corpus.n_tokens * sum(task.n_topics for task in tasks)
    return max(1, min(MOST, _cores(), len(tasks))) if work >= WORTH else 1


def _cores() -> int:
    return int(numba.config.NUMBA_NUM_THREADS)  # type: ignore[attr-defined]


def _attempt(task: Task, train: Corpus, test: Corpus, split: Split, results: Results | None, threads: int) -> Outcome:
    """A run, stored if `results` is given; an error becomes a Failure, and the other runs continue."""
    try:
        threads = int(task.options.get("n_threads") or threads)
        run = run_task(task, train, test, split.seed, split.seen, threads)
        if results is not None:
            results.write(task, run)
        return run
    except Exception as error:
        known = isinstance(error, ValueError | OSError | ImportError | MemoryError)
        return Failure(task.name, task.seed, str(error) if known else f"{type(error).__name__}: {error}")


def _in_parallel(
    tasks: Iterable[Task], corpus: Corpus, split: Split, results: Results | None, jobs: int, threads: int
) -> Iterator[Outcome]:
    """Run tasks in new processes that read the corpus from one file; if one is killed, the unfinished tasks fail."""
    from sklearn.utils.parallel import Parallel, delayed

    left = {(task.name, task.seed): task for task in tasks}
    with tempfile.TemporaryDirectory(prefix="chronotope-") as folder:
        path = Path(folder) / "corpus.npz"
        _save_corpus(corpus, path)
        calls = [delayed(_in_process)(os.getpid(), task, path, split, results, threads) for task in left.values()]
        try:
            for outcome in Parallel(n_jobs=jobs, batch_size=1, return_as="generator_unordered")(calls):
                del left[outcome.name, outcome.seed]
                yield outcome
        except BrokenExecutor:
            yield from (Failure(name, seed, KILLED) for name, seed in left)


def _on_cluster(
    tasks: Sequence[Task], corpus: Corpus, split: Split, results: Results | None, engine: Any
) -> Iterator[Outcome]:
    """Run tasks on the workers of a cluster, one call each; finished runs are stored here."""
    workers = Workers(engine)
    with counts_for_workers(corpus.stored, workers) as place:
        about = workers.share((corpus.times, corpus.vocabulary, corpus.calendar, corpus.rough, place.rows))
        calls = ((task, place.without_rows(), about, split) for task in tasks)
        for task, outcome in zip(tasks, workers.map(run_on_worker, calls), strict=True):
            if results is not None and isinstance(outcome, Run):
                results.write(task, outcome)
            yield outcome


def run_on_worker(task: Task, place: CountsPlace, about: tuple[Any, ...], split: Split) -> Outcome:
    """One run on a worker, whose counts it reads.   about : times, words, calendar and rough dates, rows of counts."""
    times, vocabulary, calendar, rough, rows = about
    corpus = Corpus(place.read(rows), times, vocabulary, calendar=calendar, rough=rough)
    return _attempt(task, *split.part(corpus), split, None, 1)


def _in_process(parent: int, task: Task, path: Path, split: Split, results: Results | None, threads: int) -> Outcome:
    _end_with(parent)
    return _attempt(task, *_load_split(path, split), split, results, threads)


@lru_cache(maxsize=1)
def _end_with(parent: int) -> None:
    """End this process soon after its parent ends, so that a killed comparison leaves no process behind."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _save_corpus(corpus: Corpus, path: Path) -> None:
    """Save counts, times and vocabulary of a corpus."""
    counts = corpus.counts
    rough = {} if corpus.rough is None else corpus.rough._asdict()
    np.savez(
        path,
        data=counts.data,
        indices=counts.indices,
        indptr=counts.indptr,
        shape=counts.shape,
        times=corpus.times,
        vocabulary=corpus.vocabulary,
        calendar=corpus.calendar,
        **rough,
    )


@lru_cache(maxsize=1)
def _load_split(path: Path, split: Split) -> tuple[Corpus, Corpus]:
    """Training and test part of a saved corpus, read once per process."""
    with np.load(path) as arrays:
        counts = sp.csr_array((arrays["data"], arrays["indices"], arrays["indptr"]), shape=tuple(arrays["shape"]))
        rough = RoughDates(arrays["document"], arrays["corners"]) if "document" in arrays else None
        words, calendar = arrays["vocabulary"], bool(arrays["calendar"])
        corpus = Corpus(counts, arrays["times"], words, calendar=calendar, rough=rough)
    return split.part(corpus)
