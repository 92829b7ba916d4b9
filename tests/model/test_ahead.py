"""Loops that are compiled ahead are all that is used, and each of them is compiled once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from chronotope import Corpus, DynamicTopicModel, open_corpus
from chronotope.loops import on_compile
from chronotope.model.ahead import PRIORS, compile_ahead

FIT = """
import numpy as np
from chronotope import DynamicTopicModel
from chronotope.loops import LOOPS, on_compile

compiled, counts = [], np.random.default_rng(1).poisson(0.3, (60, 40))
with on_compile(compiled.append):
    model = DynamicTopicModel(3, verbose=False).fit(counts, times=np.linspace(1900, 2000, 60))
"""
ONE_PRIOR = """
from chronotope.model import ahead
ahead.PRIORS = {"one state": "constant + ou"}
print(len(ahead.compile_ahead()), len(ahead.compile_ahead()))
"""


def answer_of(code: str, **environment: str) -> str:
    """What a new process prints."""
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    rng = np.random.default_rng(2)
    counts = sp.csr_array(rng.poisson(0.2, (90, 70)))
    groups = {"side": [f"s{d % 3}" for d in range(90)], "speaker": [f"p{d % 15}" for d in range(90)]}
    return Corpus(counts, np.sort(rng.uniform(1900, 1950, 90)), [f"w{v}" for v in range(70)], metadata=groups)


@pytest.mark.slow
@pytest.mark.parametrize("kernel", [*PRIORS.values(), "ou", "constant", "matern52 + periodic(period=7)"])
def test_fits_of_other_sizes_and_priors_need_no_loop_that_was_not_compiled_ahead(
    kernel: str, corpus: Corpus, tmp_path: Path
) -> None:
    compile_ahead()
    corpus.save(tmp_path / "corpus")
    compiled: list[str] = []
    with on_compile(compiled.append):
        for given, options in (
            (corpus, {"n_topics": 5}),
            (corpus, {"batch_size": 30, "init": "samples", "shared": 0.0}),
            (open_corpus(tmp_path / "corpus"), {"n_inducing": 9, "alpha": 0.1, "prior_mean": "zero"}),
        ):
            model = DynamicTopicModel(**{"n_topics": 3, "max_epochs": 3, "kernel": kernel, "verbose": False, **options})
            topics = model.fit(given).topics_
            model.transform(given)
            model.perplexity(given)
            topics.posterior.draw(topics.posterior.prior.at(topics.times + 1.0, 0), np.random.default_rng(0))
    assert compiled == []


@pytest.mark.slow
def test_a_default_fit_uses_one_version_of_each_loop() -> None:
    code = FIT + "print(max(len(loop.signatures) for loop in LOOPS), sum(len(loop.signatures) for loop in LOOPS))"
    most, loops = map(int, answer_of(code).split())
    assert most == 1
    assert loops < 12


@pytest.mark.slow
def test_what_was_compiled_ahead_is_found_by_a_new_process(tmp_path: Path) -> None:
    cache = {"NUMBA_CACHE_DIR": str(tmp_path)}
    first, again = map(int, answer_of(ONE_PRIOR, **cache).split())
    assert first > 8
    assert again == 0
    assert answer_of(FIT + "print(compiled)", **cache) == "[]"
