"""Table 2 of the paper: held-out perplexities of the kernels on one corpus.

python experiments/table2.py --corpus sotu|nips|arxiv [--data FOLDER] [--out FOLDER] [--quick] [--topics 20] [--seeds 0]
"""

from __future__ import annotations

from collections.abc import Sequence

from common import load, options, run, write_figure, write_text

from chronotope.evaluate import compare
from chronotope.plots import plot_comparison

KERNELS = ["wiener", "ou", "cauchy", "se", "constant + ou", "static"]


def main(argv: Sequence[str] | None = None) -> None:
    given = options("Table 2: held-out perplexities of the kernels.", argv, corpus=True)
    corpus = load(given.corpus, given)
    jobs = {"jobs": 1} if given.quick else {}
    runs = given.out / f"runs-{given.corpus}"  # finished ones are kept, so that a long table may be taken up again
    found = compare(corpus, KERNELS, given.seeds, n_topics=given.topics, out=runs, **given.epochs, **jobs)
    print(found.to_text())
    write_text(found.to_text(), given.out / "table.txt")
    write_text(found.to_markdown(), given.out / "table.md")
    found.to_csv(given.out / "table.csv")
    if found.runs:
        write_figure(plot_comparison(found).figure, given.out / "comparison.png")


if __name__ == "__main__":
    run(main)
