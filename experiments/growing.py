"""A corpus that grows part by part, against a fit on the whole.

python experiments/growing.py [--corpus sotu|nips|arxiv] [--out FOLDER] [--quick] [--topics 20] [--seeds 0,1,2]

All ways have the kernel of the whole span and are judged on the same held-out time stamps. A growing one begins with a
fit on the first parts of the span, and `partial_fit` takes in the others one by one. Similarity and identity are to the
whole fit of the same seed; "whole, next seed" says how alike two whole fits are.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from common import fit, load, options, run, timed, write_table
from scipy.optimize import linear_sum_assignment

from chronotope import Corpus, DynamicTopicModel
from chronotope.evaluate.change import affinity
from chronotope.kernels import Kernel, as_kernel

PARTS, BEGINNINGS = 20, (1, 5, 10)  # of the span: into how many it is cut, and how many the first fit has
SAMPLED = 20  # times at which topics are compared


def grown(parts: list[Corpus], first: Corpus, kernel: Kernel, given: Namespace, seed: int) -> DynamicTopicModel:
    """A fit on the first documents, and the others taken in part by part."""
    model = fit(first, kernel, given, seed)
    with timed(f"Taking in {len(parts)} parts"):
        for part in parts:
            model.partial_fit(part)
    return model


def likeness(model: DynamicTopicModel, whole: DynamicTopicModel, times: np.ndarray) -> tuple[float, float]:
    """Mean similarity of topics matched over all times, and how often a single time would match them alike."""
    alike = affinity(model.topics_.probabilities(times), whole.topics_.probabilities(times))  # (n, K, K)
    first, second = linear_sum_assignment(alike.mean(axis=0), maximize=True)
    each = [linear_sum_assignment(at, maximize=True)[1] for at in alike]
    return float(alike.mean(axis=0)[first, second].mean()), float(np.mean(np.array(each) == second))


def ways(train: Corpus, kernel: Kernel, given: Namespace, seed: int) -> Iterator[tuple[str, DynamicTopicModel]]:
    """A model for each way to see the corpus."""
    yield "whole, next seed", fit(train, kernel, given, seed + 1)
    start, end = train.span
    part = np.minimum((PARTS * (train.times - start) / (end - start)).astype(int), PARTS - 1)
    for beginning in BEGINNINGS:
        later = [train[part == p] for p in range(beginning, PARTS) if np.any(part == p)]
        yield f"from {beginning}/{PARTS} on", grown(later, train[part < beginning], kernel, given, seed)


def main(argv: Sequence[str] | None = None) -> None:
    given = options("A growing corpus against a fit on the whole.", argv, corpus=True)
    train, test = load(given.corpus, given).split_times(seed=0)
    kernel = as_kernel("constant + ou").resolve(*train.span)
    times, rows = np.linspace(*train.span, SAMPLED), []
    for seed in given.seeds:
        whole = fit(train, kernel, given, seed)
        for name, model in [("whole", whole), *ways(train, kernel, given, seed)]:
            similarity, identity = likeness(model, whole, times)
            rows.append((seed, name, model.perplexity(test), similarity, identity))
    table = pd.DataFrame(rows, columns=["seed", "way", "perplexity", "similarity", "identity"])
    print(table.groupby("way", sort=False).mean().drop(columns="seed").round(3).to_string())
    write_table(table, given.out / "growing.csv")


if __name__ == "__main__":
    run(main)
