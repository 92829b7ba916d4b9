"""The kernel and the time grid that a fit chooses, against others around them.

python experiments/learning.py [--corpus sotu|nips|arxiv] [--out FOLDER] [--quick] [--topics 20] [--seeds 0,1,2]

The default fit learns its kernel from left-out times within the training part. The length scale and the variance of
the change are then multiplied by factors, and so is the number of nodes, one at a time; all are scored on the same test
part.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from common import fit, load, options, run, write_table

from chronotope import Corpus, DynamicTopicModel
from chronotope.kernels import Kernel, changing_parameters

KERNEL = "constant + ou"
LENGTHS, VARIANCES, NODES = (0.1, 0.3, 3.0, 10.0), (0.25, 4.0), (0.5, 2.0, 8.0)
QUICK = (3.0,)


def scaled(kernel: Kernel, names: frozenset[str], factor: float) -> Kernel:
    """The kernel with some parameters multiplied by a factor."""
    chosen = np.array([name in names for name in kernel.theta_names])
    return kernel.with_theta(kernel.theta + np.log(factor) * chosen)


def around(
    train: Corpus, chosen: DynamicTopicModel, given: Namespace, seed: int
) -> Iterator[tuple[str, float, DynamicTopicModel]]:
    """Fits with one thing changed: what, by which factor, the model."""
    kernel, J = chosen.kernel_, len(chosen.topics_.times)
    variances, lengths, _ = changing_parameters(kernel)
    fixed: dict[str, Any] = {"n_inducing": J}
    for what, names, factors in (("length scale", lengths, LENGTHS), ("variance", variances, VARIANCES)):
        for factor in QUICK if given.quick else factors:
            yield what, factor, fit(train, scaled(kernel, names, factor), given, seed, **fixed)
    for factor in QUICK if given.quick else NODES:
        if max(2, round(factor * J)) <= train.n_times:
            yield "nodes", factor, fit(train, kernel, given, seed, n_inducing=max(2, round(factor * J)))


def main(argv: Sequence[str] | None = None) -> None:
    given = options("The kernel and the grid that a fit chooses, against others around them.", argv, corpus=True)
    train, test = load(given.corpus, given).split_times(seed=0)
    rows = []
    for seed in given.seeds:
        chosen = fit(train, KERNEL, given, seed)
        own = chosen.perplexity(test)
        rows.append({"seed": seed, "what": "chosen", "factor": 1.0, "kernel": chosen.kernel_.text, "perplexity": own})
        for what, factor, model in around(train, chosen, given, seed):
            found = {"kernel": model.kernel_.text, "perplexity": model.perplexity(test)}
            rows.append({"seed": seed, "what": what, "factor": factor, **found})
    table = pd.DataFrame(rows)
    own_of = table[table["what"] == "chosen"].set_index("seed")["perplexity"]
    table["ratio"] = table["perplexity"] / table["seed"].map(own_of)  # to what the fit chose, seed by seed
    print(table.to_string(index=False))
    print(table.groupby(["what", "factor"], sort=False)[["perplexity", "ratio"]].mean().round(4).to_string())
    write_table(table, given.out / "learning.csv")


if __name__ == "__main__":
    run(main)
