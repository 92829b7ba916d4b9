"""Fits to interrupt: a few small cases, and a program that does them one after the other and stops in the middle."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from planted import plant

import chronotope as ct
from chronotope.inference import loop

CORPUS = plant(ct.OrnsteinUhlenbeck(2, 20), np.arange(10.0), n_topics=2, n_words=8, documents=3, length=30).corpus
CASES: dict[str, dict[str, Any]] = {
    "whole, sampled": {"alpha": "learn", "learn_kernel": True},
    "whole, mean-field": {"local": "mean-field", "kernel": "ou(2, 10)", "dtype": "float64"},
    "minibatches, sampled": {"batch_size": 8, "alpha": "learn", "learn_kernel": "bound", "kernel": "wiener"},
    "minibatches, sampled without a static start": {"batch_size": 8, "init": "samples"},
    "whole, nothing shared": {"shared": 0.0, "learn_kernel": True},
    "minibatches, nothing shared": {"batch_size": 8, "shared": 0.0},
    "minibatches, nodes between times": {"batch_size": 8, "n_inducing": 4, "grid": "even"},
    "minibatches, mean-field": {"batch_size": 8, "local": "mean-field", "kernel": "cauchy(2, 10)"},
}


def model(case: str, path: Path | None = None, **changed: Any) -> ct.DynamicTopicModel:
    given = {"n_topics": 2, "max_epochs": 6, "seed": 3, "n_threads": 1, **CASES[case]}
    kept = {} if path is None else {"checkpoint": path, "checkpoint_every": 0}
    return ct.DynamicTopicModel(**given | kept | changed)


def assert_same(one: ct.DynamicTopicModel, other: ct.DynamicTopicModel) -> None:
    """Bitwise the same model."""
    sites, others = one.topics_.posterior.arrays(), other.topics_.posterior.arrays()
    assert sites.keys() == others.keys()
    for name, values in sites.items():
        np.testing.assert_array_equal(values, others[name])
    np.testing.assert_array_equal(one.topics_.mass, other.topics_.mass)
    for name in ("alpha_", "bounds_", "documents_seen_", "n_steps_", "converged_", "kernel_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def stop_for_good_at(step: int) -> None:
    """From now on a fit goes no further than this step: it waits there to be killed."""
    real = loop.local_step

    def slow(docs: Any, posterior: Any, progress: Any, *rest: Any, **more: Any) -> Any:
        while len(posterior.g) > 1 and progress.steps >= step:  # one node: the static fit before the first step
            time.sleep(0.01)
        return real(docs, posterior, progress, *rest, **more)

    loop.local_step = slow


if __name__ == "__main__":
    folder, last, step = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    for case in CASES:
        if case == last:
            stop_for_good_at(step)
        model(case, folder / case).fit(CORPUS, resume=True)
