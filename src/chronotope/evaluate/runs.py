"""One run of a comparison: a model fitted with one kernel and one seed, its score, and the file that stores it."""

from __future__ import annotations

import hashlib
import json
import re
import time
import warnings
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from chronotope._typing import Floats
from chronotope._version import __version__
from chronotope.corpus.corpus import Corpus
from chronotope.evaluate.static import ALPHAS, PASSES, StaticFit, fit_static
from chronotope.kernels import Recipe
from chronotope.model import DynamicTopicModel
from chronotope.model.completion import completion_scores, perplexity_with_error
from chronotope.model.params import result_parameters
from chronotope.storage.atomic import replacing
from chronotope.storage.digest import as_json

SKLEARN = "scikit-learn"  # its LDA, whose topics are constant
SMALL = 40  # documents of the fit that compiles the loops


@dataclass(frozen=True)
class Task:
    """One run to do.

    name : row of the table;  kernel : None for scikit-learn's LDA;  options : other parameters of the model
    """

    name: str
    kernel: Recipe | None
    seed: int
    n_topics: int
    options: Mapping[str, Any]

    def model(self, **changed: Any) -> DynamicTopicModel:
        """The model, not fitted; the kernel is the default one for scikit-learn.   changed : other parameters."""
        chosen = {} if self.kernel is None else {"kernel": self.kernel}
        return DynamicTopicModel(self.n_topics, seed=self.seed, **{**chosen, **self.options, **changed})

    @property
    def static_passes(self) -> int:
        """Number of passes of scikit-learn: max_epochs of the models, or a default."""
        return int(self.options.get("max_epochs") or PASSES)


@dataclass(frozen=True)
class Run:
    """Result of a run.

    name, seed : of its task
    perplexity, standard_error : of the held-out documents
    seconds : of fit and scoring;  threads : number of threads
    steps, converged, bounds, documents_seen : of the model; scikit-learn's has no bounds
    kernel, parameters : as fitted;  alpha : lowest, mean and highest α_k
    """

    name: str
    seed: int
    perplexity: float
    standard_error: float
    seconds: float
    threads: int
    steps: int
    converged: bool | None
    kernel: str
    parameters: dict[str, float]
    alpha: dict[str, float]
    bounds: list[float] = field(default_factory=list)
    documents_seen: list[float] = field(default_factory=list)

    @property
    def bound(self) -> float:
        """The final bound; NaN if there is none."""
        return self.bounds[-1] if self.bounds else float("nan")


class Failure(NamedTuple):
    """A run that failed.   sentence : the error message."""

    name: str
    seed: int
    sentence: str


def run_task(task: Task, train: Corpus, test: Corpus, halves: int, seen: int | None, threads: int) -> Run:
    """Fit and score.

    halves : seed that splits the tokens of the test documents, the same for all runs;  seen : see `completion_scores`
    """
    if task.kernel is None:
        return _sklearn_run(task, train, test, halves, seen)
    _warm_up(task, train, test)
    start = time.perf_counter()
    model = task.model(n_threads=threads, verbose=False).fit(train)
    value, error = perplexity_with_error(*completion_scores(model, test, halves, seen=seen))
    return Run(
        name=task.name,
        seed=task.seed,
        perplexity=value,
        standard_error=error,
        seconds=time.perf_counter() - start,
        threads=threads,
        steps=model.n_steps_,
        converged=model.converged_,
        kernel=model.kernel_.text,
        parameters={name: float(number) for name, number in model.kernel_.parameters.items() if number is not None},
        alpha=_summary(model.alpha_),
        bounds=model.bounds_.tolist(),
        documents_seen=np.asarray(model.documents_seen_, dtype=np.float64).tolist(),
    )


def _sklearn_run(task: Task, train: Corpus, test: Corpus, halves: int, seen: int | None) -> Run:
    """Scikit-learn's LDA, with the α of `ALPHAS` that scores best on the test documents, which favours it."""
    how = task.static_passes, halves, task.model().local, seen
    fits = [fit_static(train, test, task.n_topics, alpha, task.seed, *how) for alpha in ALPHAS]
    best: StaticFit = min(fits, key=lambda fit: fit.perplexity)
    return Run(
        name=task.name,
        seed=task.seed,
        perplexity=best.perplexity,
        standard_error=best.standard_error,
        seconds=best.seconds,
        threads=1,
        steps=task.static_passes,
        converged=None,
        kernel=SKLEARN,
        parameters={},
        alpha=_summary(np.array([best.alpha])),
    )


def _summary(alpha: Floats) -> dict[str, float]:
    return {"lowest": float(alpha.min()), "mean": float(alpha.mean()), "highest": float(alpha.max())}


def _warm_up(task: Task, train: Corpus, test: Corpus) -> None:
    """Fit a few documents, so that compiling the loops is not timed."""
    with suppress(ValueError):  # a few documents may be too few; errors are raised by the full fit
        completion_scores(task.model(max_epochs=2, verbose=False).fit(train[:SMALL]), test[:SMALL])


FORMAT = 1


@dataclass(frozen=True)
class Results:
    """Stored runs of one corpus and one split.

    folder : of the files;  corpus : its digest;  span : its first and last time, see `Corpus.main_span`
    test_size, split_seed : fraction of held-out time stamps, and seed of their choice
    seen : tokens of a held-out document that are seen, None for half
    """

    folder: Path
    corpus: str
    span: tuple[float, float]
    test_size: float
    split_seed: int
    seen: int | None = None

    def path(self, task: Task) -> Path:
        """File of a run: its name has the kernel, the seed, and a digest of all settings of the result."""
        kernel = SKLEARN if task.kernel is None else task.kernel.text
        readable = re.sub(r"[^A-Za-z0-9.]+", "-", kernel).strip("-")[:40]
        return self.folder / f"{readable}-seed{task.seed}-{_digest(self.settings(task))[:12]}.json"

    def settings(self, task: Task) -> dict[str, Any]:
        """All settings that a result depends on, as JSON values."""
        shared = {"format": FORMAT, "version": __version__, "corpus": self.corpus}
        shared |= {"test_size": self.test_size, "split_seed": self.split_seed, "seen": self.seen}
        if task.kernel is None:
            own = {"kernel": SKLEARN, "n_topics": task.n_topics, "seed": task.seed, "passes": task.static_passes}
            own |= {"local": task.model().local}
        else:
            own = result_parameters(task.model().get_params(deep=False), self.span)
        return as_json(shared | own)

    def read(self, task: Task) -> Run | None:
        """The stored run; None if there is none, or if it is not valid, with a warning."""
        path = self.path(task)
        if not path.exists():
            return None
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            if content["settings"] != self.settings(task):
                raise ValueError("it belongs to another corpus or other settings")
            if content["digest"] != _digest([content["settings"], content["run"]]):
                raise ValueError("it was changed after it was written")
            return Run(**(content["run"] | {"name": task.name}))
        except (ValueError, KeyError, TypeError, OSError, RecursionError) as error:
            why = error if type(error) is ValueError else "it cannot be read as one"
            warnings.warn(f"{path} is not used as a result: {why}. The run is repeated.", UserWarning, stacklevel=2)
            return None

    def write(self, task: Task, run: Run) -> None:
        """Store a finished run; the file is written atomically."""
        settings, values = self.settings(task), asdict(run)
        content = {"settings": settings, "run": values, "digest": _digest([settings, values])}
        with replacing(self.path(task)) as path:
            path.write_text(json.dumps(content, indent=1), encoding="utf-8")


def _digest(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
