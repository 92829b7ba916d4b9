"""What prevalence follows, and the tables of documents: what is known of their shares."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import digamma

from chronotope._typing import Floats, Ints

CONCENTRATIONS = (1e-2, 1e3)  # limits of A
SAMPLE, ROUNDS = 5_000, 3  # documents that A is learned from, and fixed-point steps


class Covariates(NamedTuple):
    """What the shares of D documents depend on.

    times : (D,);  group : (D,), −1 for one that is not known;  numbers : (D, P), each with mean 0 and deviation 1
    """

    times: Floats
    group: Ints
    numbers: Floats

    def take(self, rows: np.ndarray) -> Covariates:
        """Those of some documents."""
        return Covariates(*(column[rows] for column in self))


class Tables(NamedTuple):
    """Expected tables of documents.

    n : (J, G, K) at the nodes, by group and topic;  expected : (J, G, K) the same under the prior;  N : (J, G) all
    missing : (K,) variance of the tables of each topic, given the topics of tokens
    between : (K,) their variance between draws of these, found from pass to pass over the whole corpus
    gradient, curvature : (P, K) of β
    """

    n: Floats
    expected: Floats
    N: Floats
    missing: Floats
    between: Floats
    gradient: Floats
    curvature: Floats

    def scaled(self, factor: float) -> Tables:
        """Those of so many times as many documents."""
        return Tables(*(factor * values for values in self))

    def mixed(self, new: Tables, rho: float) -> Tables:
        """(1 − ρ) times these, plus ρ times new ones."""
        return Tables(*((1.0 - rho) * old + rho * values for old, values in zip(self, new, strict=True)))


def learn_concentration(A: float, tokens: Floats, pi: Floats, rounds: int = ROUNDS) -> float:
    """The A under which the tokens of documents are most probable, by fixed-point steps.   tokens, pi : (D, K).

    A ← A Σ_dk π_dk [ψ(n_dk + A π_dk) − ψ(A π_dk)] / Σ_d [ψ(n_d + A) − ψ(A)]        [Minka 2000, eq. 55]
    """
    some = slice(None, None, max(1, len(tokens) // SAMPLE))
    tokens, pi = tokens[some], pi[some]
    lengths = tokens.sum(axis=1)
    for _ in range(rounds):
        together = float((digamma(lengths + A) - digamma(A)).sum())
        if together > 0.0:
            own = float((pi * (digamma(tokens + A * pi) - digamma(A * pi))).sum())
            A = float(np.clip(A * own / together, *CONCENTRATIONS))
    return A
