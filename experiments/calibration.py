"""What bands and statements are worth, on corpora drawn from the model: topics apart, mixed and overlapping.

python experiments/calibration.py [--out FOLDER] [--quick] [--seeds 0,1,2]

Of each case: the share of 90% bands that hold the true probability of a word, the share of right ones among statements
"this word has risen" (or fallen) from the first to the last time with a probability of 0.95 or more, and the same of
Hamiltonian Monte Carlo in the smallest case. The model is told the kernel and alpha the corpus was drawn with.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from common import options, run, timed, write_table
from hamiltonian import sample_topics
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.special import softmax

from chronotope import Corpus, DynamicTopicModel
from chronotope.kernels import parse_kernel

Floats = NDArray[np.float64]
LEVEL, SURE, DRAWS = 0.9, 0.95, 200


class Case(NamedTuple):
    """A kind of corpus: its kernel, times, topics and words; documents at each time, their tokens and their alpha.

    common : part of the variance that all topics share
    """

    kernel: str
    times: int
    topics: int
    words: int
    documents: int
    tokens: int
    alpha: float
    common: float = 0.0


SMALLEST = "two topics, mixed"
CASES = {
    "two topics, apart": Case("ou(3, 10)", 6, 2, 20, 20, 60, 0.3),
    SMALLEST: Case("ou(3, 10)", 6, 2, 20, 20, 60, 1.0),
    "two topics, overlapping": Case("ou(3, 10)", 6, 2, 20, 20, 60, 0.3, 0.8),
    "two topics, long documents": Case("ou(3, 10)", 6, 2, 20, 20, 300, 0.3),
    "two topics, long and mixed": Case("ou(3, 10)", 6, 2, 20, 20, 300, 1.0),
    "two topics, mixed, Cauchy": Case("cauchy(3, 15)", 20, 2, 40, 10, 500, 1.0),
    "four topics, apart": Case("ou(3, 60)", 20, 4, 80, 15, 100, 0.1),
    "four topics, mixed": Case("ou(3, 60)", 20, 4, 80, 15, 100, 1.0),
    "four topics, overlapping": Case("ou(3, 60)", 20, 4, 80, 15, 100, 0.3, 0.8),
    "four topics, Cauchy": Case("cauchy(3, 15)", 20, 4, 80, 15, 100, 0.3),
    "four topics, squared exponential": Case("se(3, 8)", 20, 4, 80, 15, 100, 0.3),
    "one topic, 400 times, Cauchy": Case("cauchy(3, 40)", 400, 1, 30, 1, 1000, 1.0),
    "one topic, 400 times, squared exponential": Case("se(2, 5)", 400, 1, 30, 1, 1000, 1.0),
    "one topic, 400 times, constant + OU": Case("constant(2) + ou(1, 40)", 400, 1, 30, 1, 1000, 1.0),
}


def draw(case: Case, seed: int) -> tuple[Corpus, Floats, Floats]:
    """A corpus, its word probabilities (T, K, V) and its times.

    β_kv = √(1−c) GP_kv + √c GP_v,   π_k(τ) = softmax(β_k(τ)),   θ_d ~ Dir(α),   c : the common part
    """
    rng, times = np.random.default_rng(seed), np.arange(case.times, dtype=np.float64)
    values, vectors = np.linalg.eigh(parse_kernel(case.kernel)(times))
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    own, shared = (
        np.tensordot(root, rng.standard_normal((case.times, k, case.words)), axes=1) for k in (case.topics, 1)
    )
    pi = softmax(np.sqrt(1 - case.common) * own + np.sqrt(case.common) * shared, axis=2)
    theta = rng.dirichlet(np.full(case.topics, case.alpha), (case.times, case.documents))
    mixed = np.einsum("tdk,tkv->tdv", theta, pi)
    counts = rng.multinomial(case.tokens, mixed / mixed.sum(axis=2, keepdims=True)).reshape(-1, case.words)
    return Corpus(counts, np.repeat(times, case.documents)), pi, times


def in_order(found: Floats, truth: Floats) -> NDArray[np.intp]:
    """Which found topic is which true one, by least total variation.   found, truth : (T, K, V)."""
    distance = np.abs(found[:, None] - truth[:, :, None]).sum(axis=3).mean(axis=0)  # (true, found)
    order: NDArray[np.intp] = linear_sum_assignment(distance)[1]
    return order


def judge(low: Floats, high: Floats, rising: Floats, truth: Floats) -> dict[str, float]:
    """Coverage of bands, and how many sure statements are right.   rising : (K, V) P(rise);  others : (T, K, V)."""
    risen = truth[-1] > truth[0]
    sure = (rising >= SURE) | (rising <= 1 - SURE)
    right = (rising > 0.5) == risen
    held = ((low <= truth) & (truth <= high)).mean()
    return {"held": float(held), "right": float(right[sure].mean()) if sure.any() else np.nan, "sure": sure.mean()}


def ours(case: Case, corpus: Corpus, truth: Floats, times: Floats, seed: int) -> dict[str, float]:
    """The bands and statements of a fit."""
    model = DynamicTopicModel(
        case.topics, case.kernel, prior_mean="zero", alpha=case.alpha, seed=seed, verbose=False
    ).fit(corpus)
    topics, words = model.topics_, range(case.words)
    low, high, rising = np.empty(truth.shape), np.empty(truth.shape), np.empty(truth.shape[1:])
    for k, found in enumerate(in_order(topics.probabilities(times), truth)):
        bands = topics.trajectories(int(found), words, times, LEVEL)
        low[:, k], high[:, k] = (bands[side].to_numpy().reshape(case.words, -1).T for side in ("low", "high"))
        draws = topics.draws(int(found), times[[0, -1]], n=DRAWS, seed=seed)
        rising[k] = (draws[:, 1] > draws[:, 0]).mean(axis=0)
    return judge(low, high, rising, truth)


def hamiltonian(case: Case, corpus: Corpus, truth: Floats, times: Floats, seed: int) -> dict[str, float]:
    """The same of Hamiltonian Monte Carlo, started from the truth."""
    draws = sample_topics(corpus, parse_kernel(case.kernel)(times), truth, case.alpha, seed)
    low, high = np.quantile(draws, (0.5 - LEVEL / 2, 0.5 + LEVEL / 2), axis=0)
    return judge(low, high, (draws[:, -1] > draws[:, 0]).mean(axis=0), truth)


def main(argv: Sequence[str] | None = None) -> None:
    given = options("Coverage of bands, and how many sure statements are right.", argv, topics=2)
    cases = dict(list(CASES.items())[:2]) if given.quick else CASES
    rows = []
    for name, case in cases.items():
        with timed(name):
            for seed in given.seeds:
                corpus, truth, times = draw(case, seed)
                rows.append({"case": name, "by": "Chronotope", "seed": seed} | ours(case, corpus, truth, times, seed))
                if name == SMALLEST and not given.quick:
                    found = hamiltonian(case, corpus, truth, times, seed)
                    rows.append({"case": name, "by": "HMC", "seed": seed} | found)
    table = pd.DataFrame(rows)
    print(f"Share of {LEVEL:.0%} bands that hold the truth; of statements with P ≥ {SURE} that are right; how many are")
    grouped = table.groupby(["case", "by"], sort=False)
    means = grouped[["held", "right", "sure"]].mean()
    print(means.assign(held_error=grouped["held"].sem()).round(3).to_string())
    write_table(table, given.out / "calibration.csv")


if __name__ == "__main__":
    run(main)
