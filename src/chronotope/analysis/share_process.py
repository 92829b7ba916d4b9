"""A Gaussian process over time for the prevalence of every topic, learned from the shares of periods.

    logit π_k(τ) = f_k(τ),   f_k − c_k ~ GP(0, κ),      log p(share_pk | f) = w_pk [share_pk f − log(1 + e^f)]

The likelihood is that of w_pk = m_p / φ_k documents of one topic each, see `share_counts`. Sites of the posterior are
its second-order expansion at the mode (Laplace), found by Newton steps; a topic without text in a period is no special
case, and a period without text has no site. All topics have one kernel, learned by the marginal likelihood.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import Bounds, minimize
from scipy.special import expit, logit

from chronotope._typing import Floats
from chronotope.analysis.share_counts import PeriodShares
from chronotope.gp import Sites, Structure, choose_structure
from chronotope.kernels import Kernel

STEPS, CLOSE = 40, 1e-4  # maximum number of Newton steps, and the change of f below which they end
LONGEST = 2.0  # maximum change of f in a Newton step
FLAT = 1e-10  # least curvature of the likelihood of one document
SPREAD = 1.4  # standard deviation of the prior on log parameters, around their defaults
RANGE, EVALUATIONS, STEP = 6.0, 100, 1e-3  # of log parameters from the start; maximum number; of finite differences


class ShareProcess(NamedTuple):
    """The posterior of the logits f of prevalence.

    structure : the prior of f − c on the periods;  centre : (K,) c;  sites : (P, 1, K)
    evidence : logarithm of the marginal likelihood of the shares
    """

    structure: Structure
    centre: Floats
    sites: Sites
    evidence: float

    def predict(self, times: Floats) -> tuple[Floats, Floats]:
        """Mean and variance of the logits at any times (T,), (T, K) each."""
        m, s = self.structure.predict(times, *self.sites)
        return self.centre + m[:, 0], s[:, 0].astype(np.float64)


def learn_process(observed: PeriodShares, kernel: Kernel) -> ShareProcess:
    """The process with the unset parameters of a kernel learned from the shares, all but periods.

    kernel : Kernel; numbers it has stay as they are
    """
    start = kernel.resolve(observed.times[0], observed.times[-1])
    learned = (kernel.parameters[name] is None and not name.endswith("period") for name in start.theta_names)
    free = np.fromiter(learned, dtype=bool)
    theta = start.theta[free]

    def process(logs: Floats) -> ShareProcess:
        values = start.learnable
        values[free] = np.exp(logs)
        return condition(observed, start.with_values(values))

    def loss(logs: Floats) -> float:
        penalty = 0.5 * float(np.sum((logs - theta) ** 2)) / SPREAD**2
        return (penalty - process(logs).evidence) / len(observed.dispersion)

    if not free.any():
        return condition(observed, start)
    found = minimize(
        loss,
        theta,
        method="L-BFGS-B",
        bounds=Bounds(theta - RANGE, theta + RANGE),
        options={"maxfun": EVALUATIONS, "eps": STEP},
    )
    return process(found.x)


def condition(observed: PeriodShares, kernel: Kernel) -> ShareProcess:
    """The process with a resolved kernel, given the shares.

    b = w π (1 − π),   g = w (share − π) + b (f − c)        at the mode of f
    log p(shares) ≈ Σ w [share f − log(1 + e^f)] − Σ b s/2 − KL
    """
    share, w = observed.share, observed.weight
    structure = choose_structure(kernel, observed.times)
    c = logit(((w * share).sum(axis=0) + 0.5) / (w.sum(axis=0) + 1.0))  # half a document of each kind: no infinities
    m = np.zeros_like(share)
    for _ in range(STEPS):
        change = structure.condition(*_sites(share, w, c, m)).m[:, 0] - m
        m += np.clip(change, -LONGEST, LONGEST)
        if np.abs(change).max() < CLOSE:
            break
    sites = _sites(share, w, c, m)
    _, s, kl = structure.condition(*sites)
    f = c + m
    likelihood = (w * (share * f - np.logaddexp(0.0, f))).sum()
    return ShareProcess(structure, c, sites, float(likelihood - 0.5 * (sites.b * s).sum() - kl.sum()))


def _sites(share: Floats, w: Floats, c: Floats, m: Floats) -> Sites:
    """Sites of the likelihood expanded at f = c + m, (P, 1, K).   share, w, m : (P, K);  c : (K,)."""
    p = expit(c + m)
    b = w * np.maximum(p * (1.0 - p), FLAT)
    return Sites((w * (share - p) + b * m)[:, None], b[:, None])
