"""How quickly words change: the kernel parameters that predict documents at left-out times best.

Some times are left out. The documents of the others are classified once, and each kernel gives topics at the left-out
times, by a few global steps. The score of a kernel is the log-likelihood of the left-out documents, each token given
all others of its document: the same question that held-out perplexity asks. Between nodes, topics are geometric means
of those at the nodes and of softmax m₀, whose sum is below 1: a kernel that is too quick for its nodes scores less.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from chronotope._typing import Floats, Mask, Values
from chronotope.gp import TopicPrior, is_allowed
from chronotope.inference.chains import Chains
from chronotope.inference.documents import Documents, uniform_lambda
from chronotope.inference.posterior import TopicPosterior, caution
from chronotope.inference.sampled import sampled_step
from chronotope.inference.statistics import Statistics
from chronotope.inference.store import DocumentStore
from chronotope.inference.tables import TopicTables
from chronotope.kernels import Kernel, changing_parameters

SAMPLE, NODES = 20_000, 48  # maximum number of documents and nodes that kernels are tried with
LEFT_OUT = 0.15  # of the distinct times
FEWEST = 8  # distinct times below which nothing is learned
FACTOR, FARTHEST = 2.0, 5  # step of a parameter's search, and the maximum number of steps in a direction
GAIN = 2e-4  # least gain in log-likelihood per token of a step that is taken
STEPS, RHO = 4, 0.9  # global steps for each kernel, and their size
SWEEPS = 4, 2  # burn-in and kept sweeps of the documents
TOGETHER = 12  # nodes whose documents are classified at once


class Pace(NamedTuple):
    """Which of P kernel parameters are learned together, each group by one factor.

    variances, lengths, differences : (P,), the last of what tracks have of their own
    """

    variances: Mask
    lengths: Mask
    differences: Mask

    @classmethod
    def of(cls, kernel: Kernel, unset: frozenset[str]) -> Pace | None:
        """The `unset` parameters of a resolved kernel that say how words change; None if there are none."""
        groups = [group & unset for group in changing_parameters(kernel)]
        masks = [np.array([name in group for name in kernel.theta_names], bool) for group in groups]
        return cls(*masks) if any(groups) else None


class Trial(NamedTuple):
    """What kernels are tried with: topics (J, K, V), m₀ (V,), α (K,), and the documents.

    prior : with the first kernel, on few nodes;  known : statistics of most documents;  left_out : the others
    """

    topics: Values
    mean: Floats
    alpha: Floats
    prior: TopicPrior
    known: Statistics
    left_out: Documents
    dtype: str

    def score(self, kernel: Kernel) -> float:
        """Log-likelihood of the left-out documents per token, with topics predicted from the others."""
        prior = self.prior.with_kernel(kernel)
        posterior = TopicPosterior(prior, self.topics, self.mean, self.dtype)
        for step in range(STEPS):
            posterior.step_common(self.known, caution(step))
            posterior.step(self.known, RHO, caution(step))
        docs = self.left_out.placed(kernel, prior.nodes)
        found = classify(docs, posterior, self.alpha)
        residual = docs.slack - (1.0 - docs.weight.sum(axis=1)) * docs.surprise  # κ̃/2 is the bound's alone
        return (found.predicted + float(residual @ docs.lengths)) / max(float(docs.data.sum()), 1.0)


def classify(docs: Documents, posterior: TopicPosterior, alpha: Floats) -> Statistics:
    """Statistics of documents that the topics were not learned from."""
    n, N, predicted = np.zeros_like(posterior.m), np.zeros_like(posterior.log_zeta), 0.0
    for first in range(0, len(n), TOGETHER):  # to take little memory
        rows = np.flatnonzero((docs.left >= first) & (docs.left < first + TOGETHER))
        if not len(rows):
            continue
        part, nodes = docs.take(rows), slice(first, first + TOGETHER + 1)
        part = part._replace(left=part.left - first)
        m, s, log_zeta = posterior.m[nodes], posterior.s[nodes], posterior.log_zeta[nodes]
        topics, lam = TopicTables(m + m.dtype.type(0.5) * s, np.zeros_like(s), log_zeta), uniform_lambda(part, alpha)
        stats = sampled_step(part, topics, alpha, Chains.of(part), lam, 0, SWEEPS, measured=False)
        n[nodes] += stats.n
        N[nodes] += stats.N
        predicted += stats.predicted
    return Statistics(n, N, np.nan, predicted)


def prepare_trial(docs: Documents | DocumentStore, posterior: TopicPosterior, alpha: Floats, seed: int) -> Trial | None:
    """The trial of kernels on a sample of the documents, none at outlying times; None if there are too few times."""
    rng, prior = np.random.default_rng(seed), posterior.prior
    rows = docs.settled
    sample = docs.take(np.sort(rng.permutation(rows)[:SAMPLE]))
    stamps = np.unique(sample.times)
    if len(stamps) < FEWEST:
        return None
    main = docs.times[rows]
    inside = np.flatnonzero((prior.nodes >= main.min()) & (prior.nodes <= main.max()))
    chosen = inside[np.unique(np.linspace(0, len(inside) - 1, min(len(inside), NODES)).round().astype(int))]
    few, tracks = prior.on(prior.nodes[chosen]), len(prior.points) // len(prior.nodes)
    topics = posterior.probabilities(np.concatenate([chosen + s * len(prior.nodes) for s in range(tracks)]))
    out = np.isin(sample.times, rng.choice(stamps, max(1, int(LEFT_OUT * len(stamps))), replace=False))
    rest, left_out = (sample.take(np.flatnonzero(rows)) for rows in (~out, out))
    dtype = posterior.m.dtype.name
    start = TopicPosterior(few, topics, posterior.mean, dtype)
    known = classify(rest.placed(few.kernel, few.nodes), start, alpha)
    return Trial(topics, posterior.mean, alpha, few, known, left_out, dtype)


def learn_pace(trial: Trial, pace: Pace) -> Kernel:
    """The kernel that predicts best: one factor for the variances of the change, one for its length scales, and one for
    the variances of what tracks have of their own, one after the other.

    Each is doubled or halved as long as that gains.
    """
    best = trial.prior.kernel
    reached = trial.score(best)
    for mask in pace:
        for factor in (FACTOR, 1.0 / FACTOR):
            moved = False
            for _ in range(FARTHEST if mask.any() else 0):
                kernel = multiplied(best, mask, factor)
                value = trial.score(kernel) if is_allowed(kernel, trial.prior.nodes) else -np.inf
                if value < reached + GAIN:
                    break
                best, reached, moved = kernel, value, True
            if moved:
                break
    return best


def multiplied(kernel: Kernel, mask: Mask, factor: float) -> Kernel:
    """The kernel with some of its parameters multiplied by a factor; others keep every digit.   mask : (P,)."""
    return kernel.with_values(np.where(mask, factor * kernel.learnable, kernel.learnable))
