"""Prevalence: a prior on topic shares that follows the time of a document, its group and its numbers.

    θ_d ~ Dir(α_d),   α_d = A π_d,   π_d = softmax(η(τ_d, s_d) + Σ_p x_dp β_p),   η_k(τ, s) = m₀_k + u_k(τ) + e_ks(τ)

With θ integrated out, a document with n_dk tokens of topic k is Dirichlet-multinomial: that is a Chinese restaurant.
Tokens of a topic sit at t_dk tables, and given these the likelihood of π is multinomial               [Antoniak 1974]

    p(t_d | π_d) ∝ Π_k π_dk^t_dk,      E t_dk = α_dk [ψ(α_dk + n_dk) − ψ(α_dk)]

So tables are to prevalence what tokens are to topics: the global step is the same, with a group s in place of a topic
and topics in place of words. Its gradient is that of the likelihood, Σ_d [E t_dk − π_dk Σ_l E t_dl].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.optimize import Bounds, minimize
from scipy.special import digamma, expit, logit, polygamma, softmax

from chronotope._typing import Floats, Ints, Mask
from chronotope.gp import Sites, TopicPrior, choose_structure, joint_evidence, sites_of_sums
from chronotope.gp.grid import Growth
from chronotope.inference.documents import Placement
from chronotope.inference.hyper import evidence
from chronotope.inference.posterior import TopicPosterior, caution
from chronotope.inference.share_tables import Covariates, Tables, learn_concentration
from chronotope.inference.statistics import Statistics
from chronotope.kernels import Kernel, scaled

INNER = 2  # global steps for each local one: they cost little
SETTLE = 20  # of them, twice, on a grid or with groups that have grown
SHARED = 0.8  # part of the variance that groups share, before it is learned
LEARN = (2, 3, 4, 6, 9, 13, 17, 21, 26, 31, 41)  # updates after which the kernel is learned
LEARN_GROUPED = (2, 4, 9, 21, 41)  # the same with groups, where that takes longer
SPREAD, RANGE = 1.4, 6.0  # standard deviation of the prior on log parameters around their start, and their limits
SHORTEST = 2.0  # least length scale, in distances of nodes
EVALUATIONS, STEP = 100, 1e-3  # maximum number of evaluations; of finite differences
LOWEST = 1e-5  # least α
PRECISION = 1.0  # of the prior on β, of numbers with standard deviation 1
SITES = ("g", "b", "m", "s")
GROUPS = 40  # those with most tables, that the kernel is learned from
NO_SITES = Sites(np.zeros((0, 1, 0)), np.zeros((0, 1, 0)))
RECENT = 0.3  # part of the last pass in the variance between passes
LEAST = 0.05  # least part of the information that is left where tables are in doubt


@dataclass
class SharePrior:
    """The prior on shares, as far as it is learned.

    eta : posterior of η, with a row for each of G groups in place of topics;  A : concentration
    beta, precision : (P, K) mean and precision of β
    free, start : (parameters,) which of the kernel's are learned, and the logarithms they start from
    tables : of the corpus, running averages over the updates;  updates : number of them so far
    """

    eta: TopicPosterior
    A: float
    beta: Floats
    precision: Floats
    free: Mask
    start: Floats
    tables: Tables
    updates: int = 0

    @classmethod
    def new(cls, kernel: Kernel, free: Mask, nodes: Floats, G: int, P: int, alpha: Floats) -> SharePrior:
        """The prior before the first document: α, (K,), for all, with G groups and P numbers.   free : see above."""
        mean, K = np.log(alpha), len(alpha)
        mean = mean - mean.mean()
        prior = group_prior(kernel, nodes, SHARED if G > 1 else 0.0)
        eta = TopicPosterior(prior, np.tile(softmax(mean), (G, 1)), mean, "float64")
        none, cells = np.zeros((P, K)), np.zeros((len(nodes), G, K))
        tables = Tables(cells, cells, cells.sum(axis=2), np.zeros(K), np.zeros(K), none, none)
        return cls(eta, float(alpha.sum()), none, np.full((P, K), PRECISION), free, kernel.theta, tables)

    def alpha(self, at: Covariates) -> Floats:
        """α of documents, (D, K); one of a group that is not known has what all groups share."""
        left, weight = self._placed(at)
        logits, group = self._logits(), at.group  # the last row is that of −1
        right = np.minimum(left + 1, len(logits) - 1)
        f = weight[:, :1] * logits[left, group] + weight[:, 1:] * logits[right, group]
        f += (1.0 - weight.sum(axis=1, keepdims=True)) * self.eta.mean + at.numbers @ self.beta
        found: Floats = np.maximum(self.A * softmax(f, axis=1), LOWEST)
        return found

    def update(self, at: Covariates, lam: Floats, alpha: Floats, D: int, rho: float) -> None:
        """One global step, from some documents of a corpus of D.

        lam, alpha : (documents, K) λ = α + tokens of each topic, and α;  rho : size of the step, 1 for the whole corpus
        """
        found = self._beside(self.tables_of(at, lam, alpha).scaled(D / len(lam)))
        between = self._between(found.n) if rho == 1.0 else self.tables.between
        self.tables = self.tables.mixed(found, rho if self.updates else 1.0)._replace(between=between)
        self._step(self.tables, caution(self.updates))
        self.precision = PRECISION + self.tables.curvature
        self.beta = self.beta + rho * (found.gradient - PRECISION * self.beta) / self.precision
        self.A += rho * (learn_concentration(self.A, lam - alpha, alpha / self.A) - self.A)
        self.updates += 1
        if self.updates in (LEARN if self.eta.prior.common is None else LEARN_GROUPED):
            self.learn_kernel()

    def grown(self, growth: Growth, G: int) -> SharePrior:
        """The same prior on a grid that has grown, with G groups, of which later ones have no documents yet."""
        prior, old = self.eta.prior, self.eta.m.shape[1]
        share = 0.0 if G == 1 else prior.share or SHARED
        mean, ends = self.eta.mean, (growth.before, growth.after)
        eta = TopicPosterior(
            group_prior(prior.kernel, growth.nodes, share), np.tile(softmax(mean), (G, 1)), mean, "float64"
        )
        n, expected, N = (
            np.pad(x, [ends, (0, G - old)] + [(0, 0)] * (x.ndim - 2))
            for x in (self.tables.n, self.tables.expected, self.tables.N)
        )
        tables = self.tables._replace(n=n, expected=expected, N=N)
        found = SharePrior(eta, self.A, self.beta, self.precision, self.free, self.start, tables, self.updates)
        for i in range(SETTLE):
            found._step(tables, caution(i))
        return found

    def add(self, known: SharePrior, at: Covariates, lam: Floats, alpha: Floats, D: int) -> None:
        """One global step, from new documents of a corpus of D so far, and from what `known` has of earlier ones.

        known : the prior before the new documents;  lam, alpha : as in `update`;  the kernel stays
        """
        found = self._beside(self.tables_of(at, lam, alpha))
        moved = known.tables.curvature * (self.beta - known.beta)
        self.tables = Tables(*(old + new for old, new in zip(known.tables, found, strict=True)))
        self._step(self.tables, caution(self.updates))
        self.precision = PRECISION + self.tables.curvature
        gradient = self.tables.gradient - moved - PRECISION * self.beta
        self.beta = self.beta + gradient / self.precision
        learned = learn_concentration(self.A, lam - alpha, alpha / self.A)
        self.A = known.A + len(lam) / D * (learned - known.A)

    def _beside(self, found: Tables) -> Tables:
        """Tables whose n is what the nodes would have, though π of the documents is not that of the nodes."""
        return found._replace(n=found.n - found.expected + self.eta.expected_counts(found.N))

    def _step(self, tables: Tables, careful: float) -> None:
        """Global steps on η.   careful : see `caution`."""
        stats = Statistics(tables.n, tables.N, 0.0)
        for _ in range(INNER):
            self.eta.step_common(stats, careful)
            with self.eta.no_descent(stats):
                self.eta.step(stats, self.eta.step_size, careful)

    def _between(self, n: Floats) -> Floats:
        """The variance of tables between draws of tokens, (K,), with those of one more pass, (J, G, K).

        Half of the squared change from pass to pass, 0 where the topics of tokens are certain. The first passes, where
        topics still become others, are soon forgotten.
        """
        if not self.updates:
            return np.zeros(n.shape[2])
        found = 0.5 * ((n - self.tables.n) ** 2).sum(axis=(0, 1))
        between: Floats = self.tables.between + (RECENT if self.updates > 1 else 1.0) * (found - self.tables.between)
        return between

    def tables_of(self, at: Covariates, lam: Floats, alpha: Floats) -> Tables:
        """Tables of documents; those of groups that are not known have no part in η.   lam, alpha : see `update`."""
        left, weight = self._placed(at)
        (J, G, K), D = self.eta.m.shape, len(left)
        t = alpha * (digamma(lam) - digamma(alpha))
        variance = np.maximum(t + alpha**2 * (polygamma(1, lam) - polygamma(1, alpha)), 0.0)
        T, pi = t.sum(axis=1, keepdims=True), alpha / alpha.sum(axis=1, keepdims=True)
        known = np.tile(at.group, 2) >= 0
        row = np.concatenate([left, np.minimum(left + 1, J - 1)]) * G + np.tile(at.group, 2)
        places = row[known], np.tile(np.arange(D), 2)[known]
        gather = sp.csr_array((weight.T.ravel()[known], places), shape=(J * G, D))
        return Tables(
            n=(gather @ t).reshape(J, G, K),
            expected=(gather @ (T * pi)).reshape(J, G, K),
            N=(gather @ T).reshape(J, G),
            missing=variance.sum(axis=0),
            between=np.zeros(K),
            gradient=at.numbers.T @ (t - T * pi),
            curvature=(at.numbers**2).T @ (T * pi * (1.0 - pi)),
        )

    def learn_kernel(self) -> None:
        """Learn the free parameters of the kernel, and the part that groups share, by the evidence of the sites.

        Sites have the information of the documents, not that of known tables and tokens, which would hide how much η
        varies: what is in doubt is where the prior expects it. All topics of a node can shift together without a change
        of shares: in that direction η is zero by definition, which is no evidence that it varies little, so that of one
        topic without sites' means is taken off. The parts that groups share and have of their own are taken together:
        taken apart, groups seem more alike than they are.
        """
        prior, free, grouped = self.eta.prior, self.free, self.eta.prior.common is not None
        start = np.concatenate([self.start[free], np.full(int(grouped), logit(SHARED))])
        now = np.concatenate([prior.kernel.theta[free], np.full(int(grouped), logit(prior.share) if grouped else 0.0)])
        if not len(start):
            return
        sites, shifts = self._learned_from()

        def parts_of(values: Floats) -> tuple[Kernel, float]:
            theta = prior.kernel.theta
            theta[free] = values[: int(free.sum())]
            return prior.kernel.with_theta(theta), float(expit(values[-1])) if grouped else 0.0

        def log_evidence(values: Floats, sites: Sites) -> float:
            kernel, share = parts_of(values)
            if grouped:
                return joint_evidence(kernel, share, prior.nodes, sites)
            return evidence(group_prior(kernel, prior.nodes, share), sites, NO_SITES)

        def loss(values: Floats) -> float:
            penalty = 0.5 * float(np.sum((values - start) ** 2)) / SPREAD**2
            return penalty - log_evidence(values, sites) + log_evidence(values, shifts)

        limits = Bounds(np.maximum(start - RANGE, np.minimum(self._shortest(), start)), start + RANGE)
        found = minimize(loss, now, method="L-BFGS-B", bounds=limits, options={"maxfun": EVALUATIONS, "eps": STEP})
        if found.fun < loss(now):
            kernel, share = parts_of(found.x)
            self.eta.replace_prior(group_prior(kernel, prior.nodes, share))

    def _shortest(self) -> Floats:
        """Lower limits of the logarithms of what is learned: length scales that the nodes can still resolve.

        What changes more quickly, such as the documents of one day about one event, is no change of prevalence.
        """
        prior = self.eta.prior
        lengths = np.array([name.endswith("length_scale") for name in prior.kernel.theta_names], dtype=bool)
        spacing = float(np.median(np.diff(prior.nodes))) if len(prior.nodes) > 1 else 1.0
        lowest = np.where(lengths, np.log(SHORTEST * spacing), -np.inf)[self.free]
        return np.append(lowest, np.full(int(prior.common is not None), -np.inf))

    def _learned_from(self) -> tuple[Sites, Sites]:
        """Sites on η that the kernel is learned from, and those of shifts of all topics, (J, groups, topics)."""
        sites, _ = self._sites(self.information(self.tables.between))
        if self.eta.prior.common is not None:
            sites = sites_of_sums(sites, self.eta.common.m)
            largest = np.sort(np.argsort(-sites.b.sum(axis=(0, 2)), kind="stable")[:GROUPS])
            sites = Sites(sites.g[:, largest], sites.b[:, largest])
        return sites, Sites(np.zeros_like(sites.b[..., :1]), sites.b.mean(axis=2, keepdims=True))

    def information(self, between: float | Floats = 0.0) -> Floats:
        """The part of the information of known tables that the documents have, (K,).

        It is less by the variance of the tables, given the documents [Louis 1982]: of tables given tokens, and of
        tokens, by what `between` adds: (K,) variance of the tables of each topic between draws of the tokens.
        """
        if not self.updates:
            return np.ones(len(self.eta.mean))
        complete = self.tables.expected.sum(axis=(0, 1))
        part: Floats = np.clip(1.0 - (self.tables.missing + between) / np.maximum(complete, 1e-12), LEAST, 1.0)
        return part

    def add_doubt(self, between: float | Floats = 0.0) -> None:
        """Widen η and β by what tables leave open, in place; their means stay.   between : see `information`."""
        part = self.information(between)
        own, common = self._sites(part)
        self.eta.g, self.eta.b = own
        self.eta.common.g, self.eta.common.b = common
        self.eta.refresh()
        self.precision = PRECISION + part * (self.precision - PRECISION)

    def arrays(self) -> dict[str, Floats]:
        """All that was learned, by name; `restore` reads them."""
        eta, prior = self.eta, self.eta.prior
        found = {name: getattr(eta, name) for name in (*SITES, "mean", "kl", "log_zeta", "step_size")}
        found |= {f"common_{name}": np.atleast_1d(getattr(eta.common, name)) for name in (*SITES, "kl", "step_size")}
        found |= {
            "kernel": prior.kernel.learnable,
            "shared": np.array([prior.share]),
            "concentration": np.array([self.A]),
        }
        found |= {"beta": self.beta, "precision": self.precision, "updates": np.array([float(self.updates)])}
        found |= {"started": np.array([float(eta.started)])}
        return found | {f"tables_{name}": values for name, values in self.tables._asdict().items()}

    def restore(self, arrays: Mapping[str, Floats]) -> None:
        """Set everything to what `arrays` gave, of a prior with the same sizes; ValueError where that is impossible."""
        for name, now in self.arrays().items():
            if name not in arrays or arrays[name].shape != now.shape or arrays[name].dtype != now.dtype:
                raise ValueError(f"what prevalence has learned, {name}, is missing or of another size")
        eta, given = self.eta, {name: np.array(values) for name, values in arrays.items()}
        kernel = eta.prior.kernel.with_values(given["kernel"])
        eta.prior = group_prior(kernel, eta.prior.nodes, float(given["shared"][0]))
        for name in (*SITES, "mean", "kl", "log_zeta", "step_size"):
            setattr(eta, name, given[name])
        for name in SITES:
            setattr(eta.common, name, given[f"common_{name}"])
        eta.common.kl, eta.common.step_size = (float(given[f"common_{name}"][0]) for name in ("kl", "step_size"))
        eta.started, self.updates = bool(given["started"][0]), int(given["updates"][0])
        self.A, self.beta, self.precision = float(given["concentration"][0]), given["beta"], given["precision"]
        self.tables = Tables(*(given[f"tables_{name}"] for name in Tables._fields))

    @property
    def is_sound(self) -> bool:
        """Whether all numbers are finite, and variances not negative."""
        eta = self.eta
        finite = (eta.kl, eta.log_zeta, eta.common.kl, self.A, self.beta, self.precision)
        return all(np.isfinite(x).all() for x in finite) and min(eta.b.min(), eta.common.b.min(initial=0.0)) >= 0.0

    def _sites(self, part: Floats) -> tuple[Sites, Sites]:
        """Sites of η, and of what groups share, with so much of their curvature, (K,); means stay as they are."""
        eta, common = self.eta, self.eta.common
        own = Sites(eta.g - (1.0 - part) * eta.b * (eta.m - eta.own_mean()[:, None]), part * eta.b)
        if eta.prior.common is None:
            return own, Sites(common.g, common.b)
        return own, Sites(common.g - (1.0 - part) * common.b * common.m, part * common.b)

    def _logits(self) -> Floats:
        """log E exp η at the nodes, of each group, and in the last row of one that is not known, (J, G + 1, K)."""
        eta = self.eta
        own = eta.prior.own.kernel.diag(eta.prior.nodes)[:, None]
        unknown = eta.own_mean() + 0.5 * (eta.common_variance[:, 0] + own)
        return np.concatenate([eta.expected_logits(), unknown[:, None]], axis=1)

    def _placed(self, at: Covariates) -> tuple[Ints, Floats]:
        """Node and weights of documents, (D,) and (D, 2)."""
        prior = self.eta.prior
        distinct, stamp = np.unique(at.times, return_inverse=True)
        placed = Placement.of(distinct, prior.kernel, prior.nodes)
        return placed.left[stamp], placed.weight[stamp]


def group_prior(kernel: Kernel, nodes: Floats, share: float) -> TopicPrior:
    """The prior of η on these nodes: of the variance κ, groups share a part, and each has the rest as its own.

    share : that part, 0 for groups that share nothing, or for one alone
    """
    if share == 0.0:
        return TopicPrior(kernel, share, choose_structure(kernel, nodes), None)
    own, common = (choose_structure(scaled(kernel, part), nodes) for part in (1.0 - share, share))
    return TopicPrior(kernel, share, own, common)
