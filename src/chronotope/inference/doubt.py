"""The doubt about the topics of tokens: the posterior of a fit, widened by what its statistics leave open.

The variational posterior is that of known expected counts. But which topic a token belongs to is itself in doubt, and
more so the more topics share their words and documents mix them. So after a fit, topics and tokens are drawn in turn:

    β ~ q(β | n),   z ~ p(z | β, documents),   n = counts of z,   q(β | n) by a few global steps        [Tanner, Wong 1987]

The variance of a logit is then the mean of s over the rounds plus the variance of m between them. Draws from q follow
the skewness of the posterior of rare words: a Gaussian would make them too frequent, and blur the topics.
"""

from __future__ import annotations

import numpy as np

from chronotope._typing import Floats, Ints, Values
from chronotope.inference.chains import Chains
from chronotope.inference.documents import Documents, DocumentStore, Statistics
from chronotope.inference.natural_gradient import log_normaliser
from chronotope.inference.posterior import FULL_STEP, TopicPosterior
from chronotope.inference.sampled import sampled_step
from chronotope.inference.state import Progress
from chronotope.inference.tables import TopicTables

WORK = 6e7  # tokens and cells, these CELL times, of all rounds together
CELL = 3
FEWEST, MOST, BURN_IN = 5, 200, 4  # rounds, and those before
SWEEPS, STEPS = 2, 2  # of the tokens and of the posterior in a round
AT_ONCE = 20_000  # documents read at once
MOST_SKEWED = 1.2
CLASSES = 10.0 ** np.arange(-2.0, 2.5, 0.5)  # limits of expected counts between which cells share what is found
SHRUNK = 10.0  # rounds that what is found in its class is worth beside what is found in a cell
WIDEST = 25.0  # maximum factor of a variance
LEAST = 0.02  # least part of a site's precision that is left
SOLVED = 6  # steps to the sites of the wider posterior


def add_doubt(docs: Documents | DocumentStore, posterior: TopicPosterior, progress: Progress, seed: int) -> None:
    """Widen the posterior of a fit by the doubt about the topics of tokens, in place; predictions stay the same.

    progress : of the fit, with the chains of the documents; they go on from there
    """
    N = np.asarray(progress.mass)
    J, K, V = posterior.m.shape
    if K == 1:
        return
    work = float(docs.per_document(lambda counts: counts).sum()) + CELL * posterior.m.size
    rounds = int(np.clip(WORK / work, FEWEST, MOST))
    mean, square, own, n = (np.zeros((J, K, V)) for _ in range(4))
    walk, rng = posterior.reordered(np.tile(np.arange(K), (J, 1))), np.random.default_rng(seed)
    chains, totals = Chains.of(docs, progress.topic, progress.started).apart(), N
    batch = docs.take_all() if isinstance(docs, Documents) or len(docs.left) <= AT_ONCE else docs
    for r in range(-min(BURN_IN, rounds // 4), rounds):
        logits = skewed(walk.sites().draw(walk.prior.nodes, rng) + walk.mean, walk, totals)
        stats = drawn_counts(batch, logits, progress.alpha, chains, int(rng.integers(2**40)))
        for _ in range(STEPS):
            walk.step_common(stats, 1.0)
            walk.step(stats, FULL_STEP, 1.0)
        walk.settle(stats.N)
        totals = stats.N
        if r >= 0:
            change = walk.m.astype(np.float64) - posterior.m
            mean += change
            square += change**2
            own += walk.s
            n += stats.n
    between = np.maximum(square / rounds - (mean / rounds) ** 2, 0.0) * rounds / (rounds - 1)
    expected = posterior.expected_counts(N)
    factor = pooled_factor((own / rounds + between) / posterior.s, expected, rounds)
    force = posterior.g - posterior.b * (posterior.m - posterior.own_mean()[:, None])
    part = np.clip((rounds - 20) / 60, 0, 1)
    counts = (1 - part) * (force + expected) + part * n / rounds
    widen(posterior, counts, (1 - part) * N + part * n.sum(axis=2) / rounds, factor)


def skewed(drawn: Values, posterior: TopicPosterior, N: Floats) -> Values:
    """Draws of the logits with the skewness γ of their posterior, to first order [Cornish, Fisher 1938].

        x = (β − m)/√s,   β = m + √s (x + γ (x² − 1)/6),   γ = −b* √s³,   b* = N exp(m + s/2 − log ζ)

    drawn : (J, K, V) from the Gaussian posterior;  N : (J, K) tokens of each topic at the nodes
    """
    m, s = posterior.m, posterior.s
    sd = np.sqrt(s)
    expected = posterior.expected_counts(N)
    gamma = -np.minimum(np.minimum(expected * s, 1.0) * sd, MOST_SKEWED)
    x = np.clip((drawn - m) / sd, -4.0, 4.0)
    most = np.log((expected + 5.0 * np.sqrt(expected + 1.0)) / np.maximum(N, 1.0)[:, :, None])
    draws = np.minimum(m + sd * (x + gamma / 6.0 * (x**2 - 1.0)), most + posterior.log_zeta[:, :, None])
    logits: Values = np.ascontiguousarray(draws, dtype=m.dtype)
    return logits


def drawn_counts(
    docs: Documents | DocumentStore, logits: Values, alpha: Floats, chains: Chains, seed: int
) -> Statistics:
    """Counts of tokens whose topics are drawn anew, given the logits of the topics (J, K, V), by a few sweeps."""
    certain = np.zeros_like(logits)
    topics = TopicTables(logits, certain, log_normaliser(logits, certain))
    J, K, _ = logits.shape
    n, N = np.zeros_like(logits), np.zeros((J, K))
    for rows in _blocks(docs):
        part = docs if isinstance(docs, Documents) else docs.take(rows)
        lam = np.empty((len(rows), K))
        stats = sampled_step(part, topics, alpha, chains.take(rows), lam, seed, (SWEEPS, 0), measured=False)
        n += stats.n
        N += stats.N
    return Statistics(n, N, np.nan)


def _blocks(docs: Documents | DocumentStore) -> list[Ints]:
    """Rows of the documents, in blocks that are read at once; all of them if they are in memory."""
    D = len(docs.left)
    size = D if isinstance(docs, Documents) else AT_ONCE
    return [np.arange(start, min(start + size, D)) for start in range(0, D, max(size, 1))]


def pooled_factor(found: Floats, expected: Floats, rounds: int) -> Floats:
    """Factors of the variances, each between that found for the cell and that of cells with as many expected tokens.

    found : (J, K, V) factors;  expected : (J, K, V) tokens;  rounds : that the factors were found in
    """
    classes = np.digitize(expected, CLASSES)
    number = np.bincount(classes.ravel(), minlength=len(CLASSES) + 1)
    mean = np.bincount(classes.ravel(), found.ravel(), len(CLASSES) + 1) / np.maximum(number, 1)
    factor: Floats = (rounds * found + SHRUNK * mean[classes]) / (rounds + SHRUNK)
    return np.clip(factor, 1.0, WIDEST)


def widen(posterior: TopicPosterior, counts: Floats, N: Floats, factor: Floats) -> None:
    """Multiply the variances by a factor, about, and keep the expected counts; in place.

        K⁻¹ m' = K⁻¹ m + b* − N exp(m' + s'/2 − log ζ')        so E π' is what E π was as far as the documents say

    expected : (J, K, V) b*;  factor : (J, K, V)
    """
    prior, dtype = posterior.prior.own, posterior.m.dtype
    shift = posterior.own_mean()[:, None]
    common = posterior.common.s if posterior.prior.common is not None else np.zeros((1, 1, 1), dtype)
    target = np.minimum(posterior.s * factor, np.maximum(prior.kernel.diag(prior.nodes)[:, None, None] + common, posterior.s)).astype(dtype)
    own = target - common
    b, s = posterior.b, posterior.s - common
    for _ in range(SOLVED):
        b = np.clip(b * (s / own), LEAST * posterior.b, posterior.b).astype(dtype)
        s = prior.condition(posterior.g, b).s
    m, totals = posterior.m, N[:, :, None]
    for _ in range(SOLVED):
        now = totals * np.exp(m + 0.5 * (s + common) - log_normaliser(m, s + common)[:, :, None])
        pull = (counts - now).astype(dtype)
        curvature = now.astype(dtype)
        m = prior.condition(pull + curvature * (m - shift), curvature).m + shift
    posterior.g, posterior.b = (pull + b * (m - shift)).astype(dtype), b
    posterior.refresh()
