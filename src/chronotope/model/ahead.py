"""Compiling ahead: fits of a moment with every kind of prior, so that later ones find their loops in the cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from chronotope.corpus import Corpus
from chronotope.loops import LOOPS, on_compile
from chronotope.model.estimator import DynamicTopicModel

PRIORS = {
    "one state": "constant + ou",
    "several states": "constant + matern32",
    "a dense basis": "constant + se",
    "few groups": "constant + ou + by(ou, side)",
    "many groups": "constant + ou + by(ou, speaker)",
}
DOCUMENTS, WORDS, BATCH = 26, 8, 12
GROUPS = {"side": 2, "speaker": 13}  # of the documents


def compile_ahead(tell: Callable[[str], None] = lambda what: None, **options: Any) -> list[str]:
    """Compile what fits, topic shares, perplexities, forecasts and draws need; returns the loops that were compiled.

    tell : called with a description of each kind of prior before its loops are compiled
    options : parameters of the model, such as dtype="float64"; else its defaults
    """
    compiled: list[str] = []
    names = {loop.py_func.__qualname__ for loop in LOOPS}
    with on_compile(compiled.append):
        for kind, kernel in PRIORS.items():
            tell(f"priors with {kind}, such as {kernel}")
            _use(DynamicTopicModel(**{"n_topics": 2, "kernel": kernel, "max_epochs": 2, "verbose": False, **options}))
    return [name for name in compiled if name in names]


def _use(model: DynamicTopicModel) -> None:
    """Everything that runs compiled loops, on a few documents: all at once, in minibatches, and more of them."""
    corpus = _few_documents()
    topics = model.fit(corpus).topics_
    prior = topics.posterior.prior
    topics.posterior.predict(prior.at(topics.times + 0.5, 0))
    topics.posterior.draw(prior.at(topics.times, 0), np.random.default_rng(0))
    model.transform(corpus)
    model.perplexity(corpus)
    model.set_params(batch_size=BATCH).fit(corpus)
    model.partial_fit(corpus)


def _few_documents() -> Corpus:
    """Documents at and between the nodes."""
    counts = 1 + np.random.default_rng(0).poisson(1.0, (DOCUMENTS, WORDS))
    groups = {name: [str(d % n) for d in range(DOCUMENTS)] for name, n in GROUPS.items()}
    return Corpus(sp.csr_array(counts), np.arange(DOCUMENTS) / 3.0, [f"word{v}" for v in range(WORDS)], metadata=groups)
