"""The paper's figure of convergence: the bound against the documents seen, for all kernels.

python experiments/convergence.py [--corpus sotu|nips|arxiv] [--out FOLDER] [--quick] [--topics 20] [--seeds 0]
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from common import KERNELS, fit, load, options, run, write_figure, write_table

from chronotope.plots import plot_bounds

ALL = {**KERNELS, "squared exponential": "se", "constant + OU": "constant + ou"}


def main(argv: Sequence[str] | None = None) -> None:
    given = options("The bound against the documents seen.", argv, corpus=True)
    corpus = load(given.corpus, given)
    models = {name: fit(corpus, kernel, given, given.seeds[0]) for name, kernel in ALL.items()}
    for name, model in models.items():
        ended = "converged" if model.converged_ else "stopped before it converged"
        print(f"{name}: bound {model.bounds_[-1]:,.0f} after {model.n_steps_} steps, {ended}")
    curves = [
        pd.DataFrame({"kernel": name, "documents_seen": model.documents_seen_, "bound": model.bounds_})
        for name, model in models.items()
    ]
    write_table(pd.concat(curves), given.out / "bounds.csv")
    write_figure(plot_bounds(models).figure, given.out / "bounds.png")


if __name__ == "__main__":
    run(main)
