"""How often 90% bands hold the true probability of a word, on corpora drawn from the model itself.

python experiments/coverage.py [--out FOLDER] [--quick] [--topics 2] [--seeds 0,1,2]

The model is told the kernel and alpha the corpus was drawn with. Times without documents are looked at apart.
Values of one path go together, so the standard error is that over seeds: one number a seed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from common import options, run, timed, write_table
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.special import softmax

from chronotope import Cauchy, Corpus, DynamicTopicModel, OrnsteinUhlenbeck, Wiener
from chronotope.kernels import Kernel

Floats = NDArray[np.float64]

KERNELS = {"OU": OrnsteinUhlenbeck(3, 100), "Wiener": Wiener(0.03, 3, origin=0), "Cauchy": Cauchy(3, 40)}
ALPHA, LEVEL = 0.05, 0.9


def draw(kernel: Kernel, times: Floats, K: int, V: int, documents: int, seed: int) -> tuple[Corpus, Floats]:
    """A corpus from the model, and its word probabilities (T, K, V); every document has 300 words.

    β_kv ~ GP(0, κ),   π_k(τ) = softmax(β_k(τ)),   θ_d ~ Dir(α),   n_d ~ Multinomial(300, Σ_k θ_dk π_k(τ_d))
    """
    rng = np.random.default_rng(seed)
    values, vectors = np.linalg.eigh(kernel(times))
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    pi = softmax(np.tensordot(root, rng.standard_normal((len(times), K, V)), axes=1), axis=2)
    theta = rng.dirichlet(np.full(K, ALPHA), (len(times), documents))
    mixed = np.einsum("tdk,tkv->tdv", theta, pi)
    counts = rng.multinomial(300, mixed / mixed.sum(axis=2, keepdims=True)).reshape(-1, V)
    return Corpus(counts, np.repeat(times, documents)), pi


def covered(model: DynamicTopicModel, truth: Floats, times: Floats) -> NDArray[np.bool_]:
    """Whether each band holds the truth, (T, K, V); topics are matched by least total variation."""
    found = model.topics_.probabilities(times)
    distance = np.abs(found[:, None] - truth[:, :, None]).sum(axis=3).mean(axis=0)  # (true, found)
    inside = np.empty(truth.shape, dtype=bool)
    for k, other in enumerate(linear_sum_assignment(distance)[1]):
        for v in range(truth.shape[2]):
            band = model.topics_.trajectory(int(other), v, times, LEVEL)
            inside[:, k, v] = (band["low"] <= truth[:, k, v]) & (truth[:, k, v] <= band["high"])
    return inside


def main(argv: Sequence[str] | None = None) -> None:
    given = options("Coverage of the bands on corpora drawn from the model.", argv, topics=2)
    T, V, documents = (10, 12, 6) if given.quick else (30, 40, 20)
    times = np.arange(T, dtype=np.float64)
    hidden = (times >= 0.4 * T) & (times < 0.55 * T)
    rows = []
    for name, kernel in KERNELS.items():
        for seed in given.seeds:
            corpus, truth = draw(kernel, times, given.topics, V, documents, seed)
            settings = {"alpha": ALPHA, "prior_mean": "zero", "dtype": "float64", "tol": 1e-6, "max_epochs": 100}
            model = DynamicTopicModel(given.topics, kernel, seed=seed, verbose=False, **(settings | given.epochs))
            with timed(f"{name}, seed {seed}"):
                inside = covered(model.fit(corpus[~np.isin(corpus.times, times[hidden])]), truth, times)
            rows.append({"kernel": name, "seed": seed, "seen": inside[~hidden].mean(), "unseen": inside[hidden].mean()})
    table = pd.DataFrame(rows)
    print(f"Share of {LEVEL:.0%} bands that hold the truth, at times with documents and without")
    print(table.groupby("kernel", sort=False)[["seen", "unseen"]].agg(["mean", "sem"]).round(3).to_string())
    write_table(table, given.out / "coverage.csv")


if __name__ == "__main__":
    run(main)
