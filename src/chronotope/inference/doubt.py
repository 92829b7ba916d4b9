"""The doubt about the topics of tokens: the posterior of a fit, widened by what its statistics leave open.

The variational posterior is that of known expected counts. But which topic a token belongs to is itself in doubt, and
more so the more topics share their words and documents mix them. So after a fit, topics and tokens are drawn in turn:

    β ~ q(β | n),   z ~ p(z | β, documents),   n = counts of z        [data augmentation; Tanner, Wong 1987]

The variance of a logit is then the mean of s over the rounds plus the variance of m between them. Draws from q follow
the skewness of the posterior of rare words: a Gaussian would make them too frequent, and blur the topics.

Tokens drawn like this are also what α is learned from best. The chains of a fit start anew every few passes and leave
out their own document, so its α is too large where topics overlap.
"""

from __future__ import annotations

import numpy as np

from chronotope._typing import Floats, Values
from chronotope.gp import Sites, Structure
from chronotope.inference.chains import Chains
from chronotope.inference.documents import Batch, Documents
from chronotope.inference.hyper import SAMPLE, learn_alpha_from_tokens
from chronotope.inference.natural_gradient import log_normaliser
from chronotope.inference.posterior import FULL_STEP, TopicPosterior
from chronotope.inference.share_tables import Covariates
from chronotope.inference.spread import sample_batch
from chronotope.inference.state import Progress, Settings
from chronotope.inference.statistics import Statistics
from chronotope.inference.store import DocumentStore
from chronotope.inference.tables import TopicTables

WORK = 6e7  # tokens and cells, these CELL times, of all rounds together
CELL = 3
FEWEST, MOST, BURN_IN = 4, 200, 4  # rounds, and those before
PER_STEP = 4  # maximum number of rounds for each step of the fit
SWEEPS, STEPS = 2, 2  # of the tokens and of the posterior in a round
AVERAGED = 20, 60  # rounds from which on their mean counts begin to replace those of the fit, and do so wholly
ALPHA_STEPS = 10  # fixed-point steps of α in a round
SETTLED = 10, 0.05  # rounds in which the sum of α changes by less than this part once it has settled
SAME = 0.2  # total variation between a topic and its mean over the rounds up to which it is taken to be the same
FARTHEST, MOST_SKEWED = 4.0, 1.2  # limits of a draw, in standard deviations, and of its skewness
CLASSES = 10.0 ** np.arange(-2.0, 2.5, 0.5)  # limits of expected counts between which cells share what is found
SHRUNK = 10.0  # rounds that what is found in its class is worth beside what is found in a cell
WIDEST = 25.0  # maximum factor of a variance
LEAST = 0.02  # least part of a site's precision that is left
SOLVED = 6  # steps to the sites of the wider posterior


class Rounds:
    """Sums over the rounds of drawing: of m and s, as far as they differ from a posterior's, and of the counts; α.

    tables : of each round, as far as prevalence has any; see `Tables.n`
    """

    def __init__(self, posterior: TopicPosterior, number: int, alpha: Floats) -> None:
        self.start, self.number, self.alpha = posterior.m, number, alpha
        self.tables = list[Floats]()
        self.m, self.squares = np.zeros_like(posterior.m), np.zeros_like(posterior.m)
        self.n = np.zeros_like(posterior.m if number > AVERAGED[0] else posterior.m[:0])

    def add(self, walk: TopicPosterior, stats: Statistics) -> None:
        """Add a round: its posterior, and the counts it follows from."""
        for j in range(len(self.start)):  # one node at a time, to take little memory
            change = walk.m[j] - self.start[j]
            self.m[j] += change
            self.squares[j] += change**2 + walk.s[j] * ((self.number - 1) / self.number)
        if len(self.n):
            self.n += stats.n

    def between(self) -> Floats | float:
        """Variance of the tables of each topic between the rounds, (K,), over all nodes and groups."""
        return np.var(self.tables, axis=0, ddof=1).sum(axis=(0, 1)) if len(self.tables) > 1 else 0.0

    def variance(self) -> Values:
        """Variance of the logits over the rounds, (J, K, V): mean of s, plus variance of m. Sums are overwritten."""
        variance, square = self.squares, self.m
        square *= square
        square /= self.number
        variance -= square
        variance /= self.number - 1
        return variance


def add_doubt(
    docs: Documents | DocumentStore, posterior: TopicPosterior, progress: Progress, settings: Settings
) -> None:
    """Widen the posterior of a fit by the doubt about the topics of tokens, in place.

    progress, settings : of the fit, with the chains of the documents, which the rounds go on with

    Predictions stay those of the fit, E π = exp(m + s/2 − log ζ). Of a small corpus there are many rounds, and their
    mean counts and α, which are better, replace those of the fit.
    """
    K, N = posterior.m.shape[1], np.asarray(progress.mass)
    tokens = float(N.sum())
    if K == 1 or tokens == 0.0:
        progress.doubt = True  # there is none to add
        return
    learned = settings.learn_alpha and progress.prevalence is None
    number = number_of_rounds(tokens, posterior.m.size, progress.steps)
    rounds = draw_rounds(docs, posterior, progress, number, settings)
    expected = posterior.expected_counts(N)
    part = averaged_part(rounds, expected / np.maximum(N, 1e-12)[:, :, None]) if len(rounds.n) else 0.0
    counts = posterior.implied_counts(N)
    factor = found_factor(rounds, posterior.s, expected)
    del expected
    if part > 0.0:
        counts += part * (rounds.n / rounds.number - counts)
        N = (1.0 - part) * N + part * rounds.n.sum(axis=2, dtype=np.float64) / rounds.number
    if learned:
        progress.alpha = rounds.alpha if part > 0.0 else np.minimum(progress.alpha, rounds.alpha)
    if progress.prevalence is not None:
        progress.prevalence.add_doubt(rounds.between())
    widen(posterior, counts, N, factor)
    progress.mass, progress.doubt = N, True


def averaged_part(rounds: Rounds, fitted: Values) -> float:
    """The part that the means of the rounds have in the counts of the posterior.

    None of few rounds, and none if a topic has become another on the way: its mean would be no topic at all.
    fitted : (J, K, V) word probabilities of the fit
    """
    first, last = AVERAGED
    part = float(np.clip((rounds.number - first) / (last - first), 0.0, 1.0))
    tokens = np.maximum(rounds.n.sum(axis=2), 1e-12)
    moved = 0.5 * np.abs(rounds.n / tokens[:, :, None] - fitted).sum(axis=2)
    mean = (moved * tokens).sum(axis=0) / tokens.sum(axis=0)
    return part if mean.max() < SAME else 0.0


def number_of_rounds(tokens: float, cells: int, steps: int) -> int:
    """How many rounds are affordable, for so many tokens and cells of the posterior, after so many steps."""
    return int(np.clip(min(WORK / (tokens + CELL * cells), PER_STEP * steps), FEWEST, MOST))


def draw_rounds(
    docs: Documents | DocumentStore, posterior: TopicPosterior, progress: Progress, number: int, settings: Settings
) -> Rounds:
    """Topics and tokens drawn in turn, from the end of a fit on; its posterior is not changed.

    α is learned on the way if the fit learns it and the rounds are many; those before it has settled do not count.
    """
    walk, rounds, N = posterior.copy(), Rounds(posterior, number, progress.alpha), np.asarray(progress.mass)
    chains, rng = Chains.of(docs, progress.topic, progress.started), np.random.default_rng(settings.seed)
    near = docs.batch() if len(docs.left) <= settings.batch_size else docs
    follows = progress.prevalence is not None and docs.covariates is not None
    learned, learns = [progress.alpha], settings.learn_alpha and number > AVERAGED[0] and not follows
    counted, least, most = 0, min(BURN_IN, number // 4), number if learns else 0
    while counted < number:
        drawn = skewed(walk.sites().draw(walk.prior.points, rng) + walk.mean.astype(walk.m.dtype), walk, N)
        prior = progress if follows else Progress(learned[-1])
        own = prior, docs.covariates
        stats, held, tables = drawn_counts(near, drawn, own, chains, int(rng.integers(2**40)), settings.batch_size)
        walk.step_common(stats, 1.0)
        for _ in range(STEPS):
            walk.step(stats, FULL_STEP, 1.0)  # with all caution: where s is large, a single token is a long step
        walk.settle(stats.N)
        N = stats.N
        if learns:
            learned.append(learn_alpha_from_tokens(learned[-1], held, ALPHA_STEPS))
        if counted or (least <= 0 and (most <= 0 or has_settled(learned))):
            rounds.add(walk, stats)
            rounds.tables += tables
            counted += 1
        del drawn, stats  # memory for the next ones
        least, most = least - 1, most - 1
    if learns:
        rounds.alpha = np.mean(learned[-(number // 2) :], axis=0)
    return rounds


def has_settled(alpha: list[Floats]) -> bool:
    """Whether the sum of α has changed little in the last rounds.   alpha : (K,) of each round so far."""
    rounds, part = SETTLED
    if len(alpha) <= rounds:
        return False
    return bool(abs(np.log(alpha[-1].sum() / alpha[-1 - rounds].sum())) < part)


def skewed(drawn: Values, posterior: TopicPosterior, N: Floats) -> Values:
    """Draws of the logits with the skewness γ of their posterior, to first order, in place [Cornish, Fisher 1938].

        x = (β − m)/√s,   β = m + √s (x + γ (x² − 1)/6),   γ = −b* √s³,   b* = N exp(m + s/2 − log ζ)

    No word is drawn so frequent that its few tokens would be a miracle, N π ≤ b* + 5 √(b* + 1).
    drawn : (J, K, V) from the Gaussian posterior;  N : (J, K) tokens of each topic at the nodes
    """
    for j in range(len(drawn)):  # one node at a time, to take little memory
        some = slice(j, j + 1), slice(None)
        m, s, expected = posterior.m[some], posterior.s[some], posterior.expected_counts(N, some)
        sd = np.sqrt(np.maximum(s, np.finfo(s.dtype).tiny))
        x = np.clip((drawn[some] - m) / sd, -FARTHEST, FARTHEST)
        gamma = np.minimum(np.minimum(expected * s, 1) * sd, MOST_SKEWED)
        x -= gamma * (x**2 - 1) / 6
        limit = posterior.log_zeta[some] - np.log(np.maximum(N[some], 1.0))
        most = np.log(expected + 5 * np.sqrt(expected + 1)) + limit.astype(m.dtype)[:, :, None]
        drawn[some] = np.minimum(m + sd * x, most)
    return drawn


def drawn_counts(
    docs: Batch | DocumentStore,
    logits: Values,
    prior: tuple[Progress, Covariates | None],
    chains: Chains,
    seed: int,
    at_once: int,
) -> tuple[Statistics, Floats, list[Floats]]:
    """Counts of tokens whose topics are drawn anew, given the logits of the topics (J, K, V), by a few sweeps.

    prior : α or prevalence, and what that follows;  at_once : documents read at once, unless they are given as a batch
    Returns the statistics, the tokens of each topic in some documents, (documents, K), and the tables of prevalence, if
    shares follow it.
    """
    progress, covariates = prior
    certain = np.zeros_like(logits)
    topics = TopicTables(logits, certain, log_normaliser(logits, certain))
    J, K, _ = logits.shape
    n, N, tables = np.zeros_like(logits), np.zeros((J, K)), list[Floats]()
    D, held = len(docs.left), list[Floats]()
    size = at_once if isinstance(docs, DocumentStore) else D
    for start in range(0, D, size):
        rows = np.arange(start, min(start + size, D))
        part = docs.batch(rows) if isinstance(docs, DocumentStore) else docs
        at = None if covariates is None or progress.prevalence is None else covariates.take(rows)
        alpha, lam = progress.alpha_of(at), np.empty((len(rows), K))
        stats = sample_batch(part, topics, alpha, chains.take(rows), lam, seed, (SWEEPS, 0), measured=False)
        n += stats.n
        N += stats.N
        some = slice(None, None, max(1, D // SAMPLE))
        held.append(lam[some] - (alpha if at is None else alpha[some]))
        if at is not None and progress.prevalence is not None:
            tables.append(progress.prevalence.tables_of(at, lam, alpha).n)
    return Statistics(n, N, np.nan), np.concatenate(held), [sum(tables[1:], tables[0])] if tables else []


def found_factor(rounds: Rounds, s: Values, expected: Values) -> Values:
    """Factors of the variances that the rounds have found.   s, expected : (J, K, V) variances, and expected tokens."""
    found = rounds.variance()
    for j in range(len(found)):
        found[j] /= _not_below(s[j], found[j])  # a variance is 0 where the prior's is
    return pooled_factor(found, expected, rounds.number)


def pooled_factor(found: Values, expected: Values, rounds: int) -> Values:
    """Factors of the variances, each between that found for the cell and that of cells with as many expected tokens.

    found : (J, K, V) factors, overwritten;  expected : (J, K, V) tokens;  rounds : that the factors were found in
    """
    number, total = np.zeros(len(CLASSES) + 1), np.zeros(len(CLASSES) + 1)
    for j in range(len(found)):  # one node at a time, to take little memory
        classes = np.digitize(expected[j], CLASSES).ravel()
        number += np.bincount(classes, minlength=len(number))
        total += np.bincount(classes, found[j].ravel(), len(number))
    mean = (SHRUNK * total / np.maximum(number, 1)).astype(found.dtype)
    for j in range(len(found)):
        factor = (rounds * found[j] + mean[np.digitize(expected[j], CLASSES)]) / (rounds + SHRUNK)
        found[j] = np.clip(factor, 1, WIDEST)
    return found


def widen(posterior: TopicPosterior, counts: Values, N: Floats, factor: Values) -> None:
    """Multiply the variances by a factor, and let the means follow from the counts, in place.

        K⁻¹ m' = n − N exp(m' + s'/2 − log ζ')        so that E π' is what it was as far as the documents say

    counts : (J, K, V) n;  N : (J, K) tokens;  factor : (J, K, V).  No variance exceeds that of the prior.
    """
    mean, common = posterior.own_mean()[:, None], posterior.common_variance
    for k in range(counts.shape[1]):  # one topic at a time, to take little memory
        one = slice(None), slice(k, k + 1)
        sites = Sites(*(np.ascontiguousarray(x[one]) for x in (posterior.g, posterior.b)))
        marginals = np.ascontiguousarray(posterior.m[one]), posterior.s[one]
        found = _widened(posterior.prior.own, sites, marginals, (mean, common), (counts[one], N[one]), factor[one])
        posterior.g[one], posterior.b[one] = found
    posterior.refresh()


def _widened(
    prior: Structure,
    sites: Sites,
    marginals: tuple[Values, Values],
    others: tuple[Values, Values],
    statistics: tuple[Values, Floats],
    factor: Values,
) -> Sites:
    """The sites of one topic, (J, 1, V), with wider variances; see `widen`.

    marginals : m, s;  others : mean apart from the topic's own part, and variance of the common one
    statistics : counts n, tokens N
    """
    (m, whole), (mean, common), (counts, N), dtype = marginals, others, statistics, sites.g.dtype
    own: Values = np.maximum(whole - common, 0)
    most = np.maximum(prior.kernel.diag(prior.nodes).astype(dtype)[:, None, None], own)
    target = np.maximum(np.minimum((whole * factor).astype(dtype) - common, most), 0)
    b, s = sites.b, own
    for _ in range(SOLVED):
        b = np.minimum(np.maximum(b * (s / _not_below(target, s)), LEAST * sites.b), sites.b)
        s = prior.condition(sites.g, b).s
    tokens: Values = N.astype(dtype)[:, :, None]
    for _ in range(SOLVED):
        log_zeta = log_normaliser(m, s + common).astype(dtype)
        expected = tokens * np.exp(m + (s + common) / 2 - log_zeta[:, :, None])
        pull = (counts - expected).astype(dtype)
        curvature = np.maximum(counts, expected).astype(dtype)  # with all caution
        m = prior.condition(pull + curvature * (m - mean), curvature).m + mean
    return Sites(pull + b * (m - mean), b)


def _not_below(x: Values, part: Values) -> Values:
    """x, but large enough for part / x not to overflow, and above 0: larger factors are cut off anyway."""
    info = np.finfo(x.dtype)
    least: Values = np.maximum(x, np.maximum(info.eps * part, info.tiny))
    return least
