"""Hyperparameters learned from starts ten times off, against the paper's way, a grid.

python experiments/learning.py [--corpus sotu|nips|arxiv] [--out FOLDER] [--quick] [--topics 20] [--seeds 0,1,2]

The grid chooses by time stamps put aside within the training part; all are judged on the same test part, which had no
say. learn_kernel=True starts at the defaults whatever values it is given, so the library's own learning cannot be led
astray by a start; `FromHere` takes that safeguard away, to see what the search itself makes of a bad one.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import pandas as pd
from common import fit, load, options, run, timed, write_table

from chronotope import Corpus, DynamicTopicModel, OrnsteinUhlenbeck
from chronotope.evaluate import grid_search
from chronotope.evaluate.search import grid_kernels
from chronotope.kernels import Kernel, as_kernel

KERNEL = "ou"
NAMES = ("length_scale", "variance")
FACTORS = ("x0.1", "x0.3", "x1", "x3", "x10")


class FromHere(OrnsteinUhlenbeck):
    """A kernel whose learning starts at the values given."""

    def forget(self) -> Kernel:
        return self


def fits(train: Corpus, own: Kernel, best: Kernel, given: Namespace, seed: int) -> Iterator[tuple[str, Any]]:
    """A model for each way to choose hyperparameters: the grid's, the defaults, learned, learned from bad starts."""
    yield "grid", fit(train, best, given, seed)
    yield "defaults", fit(train, own, given, seed)
    yield "learned", fit(train, own, given, seed, learn_kernel=True)
    for factors in product(("x0.1", "x10"), repeat=2):
        if given.quick and len(set(factors)) > 1:
            continue
        at = dict(zip(NAMES, ([factor] for factor in factors), strict=True))
        start = next(iter(grid_kernels(own, at).values()))[0]
        here = FromHere(**start.parameters)
        model = DynamicTopicModel(given.topics, here, learn_kernel=True, seed=seed, verbose=False, **given.epochs)
        name = "learned from " + ", ".join(f"{key} {value}" for key, value in zip(NAMES, factors, strict=True))
        with timed(f"{name}, seed {seed}"):
            model.fit(train)
        yield name, model


def main(argv: Sequence[str] | None = None) -> None:
    given = options("Learned hyperparameters against a grid.", argv, corpus=True)
    train, test = load(given.corpus, given).split_times(seed=0)
    own = as_kernel(KERNEL).resolve(*train.span)
    grid = dict.fromkeys(NAMES, ("x0.1", "x10") if given.quick else FACTORS)
    more = {"jobs": 1} if given.quick else {}
    with timed("Searching the grid"):
        runs = given.out / f"runs-{given.corpus}"
        search = grid_search(train, own, grid, given.seeds[:1], n_topics=given.topics, out=runs, **given.epochs, **more)
    print(search.table().to_string(index=False))
    rows = [
        {"way": way, "seed": seed, "kernel": model.kernel_.text, "perplexity": model.perplexity(test)}
        for seed in given.seeds
        for way, model in fits(train, own, search.best, given, seed)
    ]
    table = pd.DataFrame(rows)
    best = table[table["way"] == "grid"].set_index("seed")["perplexity"]
    table["ratio"] = table["perplexity"] / table["seed"].map(best)  # to the grid's best, seed by seed
    print(table.to_string(index=False))
    print(table.groupby("way", sort=False)[["perplexity", "ratio"]].mean().round(4).to_string())
    write_table(search.table(), given.out / "grid.csv")
    write_table(table, given.out / "learning.csv")


if __name__ == "__main__":
    run(main)
