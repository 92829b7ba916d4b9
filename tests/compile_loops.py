"""Compile the loops of the library before the tests are run, so that every process of tests finds them in the cache.

Two processes share the work: loops of the Gaussian processes, loops of the documents and sites. No loop is compiled
by both, since numba's cache cannot take two versions of one loop at the same moment. Fits of a moment follow, for
what is left.
"""

from __future__ import annotations

import subprocess
import sys
from itertools import product

import conftest  # noqa: F401   the threads and the cache of the tests
import numpy as np
from planted import place_documents, plant
from reference import mild_sites

import chronotope as ct
from chronotope.evaluate import count_windows
from chronotope.gp import TopicPrior, Tracks, choose_structure
from chronotope.gp.base import Marginals
from chronotope.inference.chains import Chains
from chronotope.inference.cvb0 import collapsed_shares
from chronotope.inference.documents import uniform_lambda
from chronotope.inference.meanfield import meanfield_step
from chronotope.inference.posterior import TopicPosterior
from chronotope.inference.sampled import sampled_step
from chronotope.inference.tables import TopicTables
from chronotope.model.ahead import compile_ahead

DTYPES = ("float32", "float64")
KERNELS = ("ou(2, 10)", "matern32(2, 10)", "cauchy(2, 6)")  # one state, several states, a basis
NODES = np.arange(6.0)
TRACKS = 2, 14  # groups of which all are one chain, and those that are parts
CORPUS = plant(ct.OrnsteinUhlenbeck(2, 10), NODES, 2, 8, documents=4, length=20).corpus


class Independent:
    """A prior of independent values: no loop of a Gaussian process is needed for its posterior."""

    nodes = NODES

    def condition(self, g, b):
        s = 1 / (1 + b)
        return Marginals(g * s, s, np.zeros(g.shape[1]))


def compile_gp() -> None:
    for kernel, dtype in product(KERNELS, DTYPES):
        g, b = (x.astype(dtype) for x in mild_sites(np.random.default_rng(0), len(NODES), 2, 8))
        structure = choose_structure(ct.parse_kernel(kernel), NODES)
        structure.condition(g, b)
        structure.predict(NODES, g, b)
        structure.draw(NODES, g, b, np.random.default_rng(0))
    for S, dtype in product(TRACKS, DTYPES):
        tracks = Tracks(tuple(map(str, range(S))))
        g, b = (x.astype(dtype) for x in mild_sites(np.random.default_rng(0), S * len(NODES), 2, 8))
        structure = choose_structure(ct.parse_kernel("constant(2) + ou(2, 10) + by(ou(1, 10))"), NODES, tracks)
        structure.condition(g, b)
        structure.predict(tracks.points(NODES), g, b)
        structure.draw(tracks.points(NODES), g, b, np.random.default_rng(0))


def compile_inference() -> None:
    docs = place_documents(CORPUS.counts, CORPUS.times, ct.OrnsteinUhlenbeck(2, 10), NODES, np.zeros(8))
    prior = TopicPrior(ct.OrnsteinUhlenbeck(2, 10), 0.5, Independent(), Independent())
    for dtype in DTYPES:
        posterior = TopicPosterior(prior, np.full((2, 8), 1 / 8), np.zeros(8), dtype)
        alpha = np.full(2, 0.3)
        lam = uniform_lambda(docs, alpha)
        given = posterior.expected_logits(), posterior.log_zeta, alpha, lam
        collapsed_shares(docs, *given)
        topics = TopicTables(posterior.expected_logits(), posterior.s, posterior.log_zeta)
        sampled = sampled_step(docs, topics, alpha, Chains.of(docs), lam, 0, (1, 1))
        for stats in (meanfield_step(docs, *given), sampled):
            with posterior.no_descent(stats):
                posterior.step(stats, 1.0, 1.0)
            posterior.step_common(stats, 1.0)
    count_windows([["war", "peace", "war"]], ["war", "peace"], 2)


def fit_models() -> None:
    for dtype, local in product(DTYPES, ("sampled", "mean-field")):
        compile_ahead(dtype=dtype, local=local, learn_kernel=True)


PARTS = {"gp": compile_gp, "inference": compile_inference}


def main() -> None:
    if sys.argv[1:]:
        return PARTS[sys.argv[1]]()
    running = [subprocess.Popen([sys.executable, __file__, part]) for part in PARTS]
    failed = [process.args for process in running if process.wait()]
    if failed:
        sys.exit(f"could not compile: {failed}")
    fit_models()


if __name__ == "__main__":
    main()
