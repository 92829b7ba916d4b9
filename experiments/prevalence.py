"""What prevalence, its bands and P(a > b) are worth, on corpora with planted curves whose topics have to be found too.

python experiments/prevalence.py [--out FOLDER] [--quick] [--seeds 0,1,2]

Of each case: the error of curves, the share of 90% bands of curves and of differences between groups that hold the
truth, and how often a > b where the model says so with a certain probability. The kernel of prevalence is learned, and
nothing is known of the topics: they drift, share words and are matched to the planted ones by least total variation.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from common import options, run, timed, write_table
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.special import softmax

from chronotope import Corpus, DynamicTopicModel
from chronotope.kernels import parse_kernel

Floats = NDArray[np.float64]
TIMES, WORDS, DOCUMENTS = 30, 300, 1200
PARTS = {1: [1.0], 3: [0.6, 0.3, 0.1]}  # of the documents, by group
EMPTY, LEFT = slice(11, 16), 0.03  # years that are almost empty, and the part of their documents that is left
KERNEL, SHARED, A = "constant(0.5) + ou(0.5, 8)", 0.8, 1.0  # of prevalence; groups share this part of the variance
COMMON, OWN, DRIFT = 1.2, 2.0, "ou(0.1, 20)"  # deviations of logits of words that topics share or not, and their change
LEVEL, DRAWS, FOUND = 0.9, 400, 0.15


class Case(NamedTuple):
    """Topics, groups, and tokens of a document."""

    topics: int
    groups: int
    tokens: int

    def __str__(self) -> str:
        groups = "no groups" if self.groups == 1 else f"{self.groups} groups"
        return f"{self.topics} topics, {groups}, {self.tokens} tokens"


CASES = [Case(*each) for each in product((2, 5, 20), (1, 3), (20, 100))]


class Planted(NamedTuple):
    """A corpus, and the truth.   shares : (T, G, K);  words : (T, K, V)."""

    corpus: Corpus
    shares: Floats
    words: Floats


def paths(kernel: str, shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    """Draws of a Gaussian process at the times, (T, ...)."""
    values, vectors = np.linalg.eigh(parse_kernel(kernel)(np.arange(TIMES, dtype=np.float64)))
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return np.tensordot(root, rng.standard_normal((TIMES, *shape)), axes=1)


def plant(case: Case, seed: int, documents: int = DOCUMENTS) -> Planted:
    """A corpus whose prevalence follows time and group.

    π(τ, s) = softmax(√c u(τ) + √(1−c) e_s(τ)),   θ_d ~ Dir(A π(τ_d, s_d)),   n_d ~ Multinomial(Σ_k θ_dk φ_k(τ_d))
    """
    (K, G, length), rng = case, np.random.default_rng(seed)
    shared = SHARED if G > 1 else 0.0
    common, own = paths(KERNEL, (1, K), rng), paths(KERNEL, (G, K), rng)
    shares = softmax(np.sqrt(shared) * common + np.sqrt(1 - shared) * own, axis=2)
    logits = rng.normal(0, COMMON, WORDS) + rng.normal(0, OWN, (K, WORDS)) + paths(DRIFT, (K, WORDS), rng)
    words = softmax(logits, axis=2)
    expected = np.full(TIMES, 1.0)
    expected[EMPTY] = LEFT
    time = np.sort(rng.choice(TIMES, documents, p=expected / expected.sum()))
    group = rng.choice(G, documents, p=PARTS[G])
    theta = np.array([rng.dirichlet(np.maximum(A * pi, 1e-6)) for pi in shares[time, group]])
    mixed = np.einsum("dk,dkv->dv", theta, words[time])
    counts = rng.multinomial(length, mixed / mixed.sum(axis=1, keepdims=True))
    corpus = Corpus(counts, time.astype(np.float64), metadata={"group": np.array(list("abc"))[group]})
    return Planted(corpus, shares, words)


def fitted(case: Case, corpus: Corpus, seed: int, **more: Any) -> DynamicTopicModel:
    """A fit with all defaults."""
    prevalence = "constant + ou + by(group)" if case.groups > 1 else "constant + ou"
    return DynamicTopicModel(case.topics, prevalence=prevalence, seed=seed, verbose=False, **more).fit(corpus)


def matched(model: DynamicTopicModel, words: Floats) -> tuple[NDArray[np.intp], Floats]:
    """Which found topic is which true one, and their total variation, (K,).   words : (T, K, V)."""
    found = model.topics_.probabilities(np.arange(len(words), dtype=np.float64))
    distance = 0.5 * np.abs(found[:, None] - words[:, :, None]).sum(axis=3).mean(axis=0)  # (true, found)
    true, order = linear_sum_assignment(distance)
    return order, distance[true, order]


def judge(drawn: Floats, planted: Planted, distance: Floats) -> tuple[dict[str, float], pd.DataFrame]:
    """Errors and coverage, and P(a > b) with whether it is so.   drawn : (n, T, G, K);  distance : (K,)."""
    truth, found, near = planted.shares, drawn.mean(axis=0), distance < FOUND
    moves, moved = (x - x.mean(axis=0) for x in (truth, found))
    rare = truth.mean(axis=(0, 1)) < 1 / truth.shape[2]
    held = within(drawn, truth)
    row = {
        "distance": distance.mean(),
        "error": np.abs(found - truth).mean(),
        "spread": np.abs(moves).mean(),
        "bias of rare": (found - truth)[..., rare].mean(),
        "slope": (moves * moved).sum() / (moved**2).sum(),
        "held": held.mean(),
        "held if found": held[..., near].mean() if near.any() else np.nan,
        "found": near.mean(),
    }
    if truth.shape[1] == 1:
        return row, pd.DataFrame({"probability": [], "true": []})
    pairs = list(combinations(range(truth.shape[1]), 2))
    one, other = (np.array(side) for side in zip(*pairs, strict=True))
    apart, differs = drawn[:, :, one] - drawn[:, :, other], truth[:, one] - truth[:, other]
    held = within(apart, differs)
    row |= {"differences held": held.mean(), "if found": held[..., near].mean() if near.any() else np.nan}
    return row, pd.DataFrame({"probability": (apart > 0).mean(axis=0).ravel(), "true": (differs > 0).ravel()})


def within(drawn: Floats, truth: Floats) -> NDArray[np.bool_]:
    """Whether each band of draws holds the truth."""
    low, high = np.quantile(drawn, (0.5 - LEVEL / 2, 0.5 + LEVEL / 2), axis=0)
    inside: NDArray[np.bool_] = (low <= truth) & (truth <= high)
    return inside


def learned(model: DynamicTopicModel) -> dict[str, Any]:
    """What a fit has learned of the prior: the kernel, the part that groups share, and A."""
    prior = model.prevalence_.prior
    return {"kernel": str(prior.eta.prior.kernel), "shared": prior.eta.prior.share, "A": prior.A}


def one_fit(case: Case, seed: int, given: Any) -> tuple[dict[str, Any], pd.DataFrame]:
    planted = plant(case, seed, 100 if given.quick else DOCUMENTS)
    model = fitted(case, planted.corpus, seed, **given.epochs)
    order, distance = matched(model, planted.words)
    groups = model.prevalence_.groups or None
    times = np.arange(TIMES, dtype=np.float64)
    if groups is None:
        drawn = model.prevalence_.draws(times, n=DRAWS)[:, :, None]
    else:
        drawn = np.stack(list(model.prevalence_.group_draws(times, groups, n=DRAWS)))
    row, said = judge(drawn[..., order], planted, distance)
    return {"case": str(case), "seed": seed} | row | learned(model), said


def calibration(said: pd.DataFrame) -> pd.DataFrame:
    """P(a > b) in ten bins: their mean, how often it is so, and how many."""
    by = said.groupby(np.minimum((said["probability"] * 10).astype(int), 9))
    return pd.DataFrame({"said": by["probability"].mean(), "true": by["true"].mean(), "number": by.size()})


def means(table: pd.DataFrame) -> str:
    """Means over the seeds of each case, and their number."""
    by = table.groupby("case", sort=False)
    return by.mean(numeric_only=True).drop(columns="seed").assign(seeds=by.size()).round(3).to_string()


def main(argv: Sequence[str] | None = None) -> None:
    given = options("Errors, bands and probabilities of prevalence.", argv)
    rows, said = [], []
    for case, seed in product(CASES[1:3] if given.quick else CASES, given.seeds):
        with timed(f"{case}, seed {seed}"):
            row, pairs = one_fit(case, seed, given)
        rows.append(row)
        said.append(pairs.assign(case=str(case), seed=seed))
    table, pairs = pd.DataFrame(rows), pd.concat(said)
    print(f"Means over seeds; held: share of {LEVEL:.0%} bands that hold the truth")
    print(means(table))
    print(f"Of corpora whose topics are found, with a total variation under {FOUND}")
    print(means(table[table["distance"] < FOUND]))
    print("How often a > b, where it has a certain probability")
    print(calibration(pairs).round(3).to_string())
    write_table(table, given.out / "prevalence.csv")
    write_table(pairs, given.out / "pairs.csv")


if __name__ == "__main__":
    run(main)
