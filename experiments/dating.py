"""How well documents are dated by their words, held out by documents and by whole dates, beside what is usual.

python experiments/dating.py [--corpora sotu,un,nips,arxiv,senate,commits] [--seeds 0] [--data FOLDER] [--out FOLDER]

Of each corpus at most 8,000 documents, spread evenly. Errors are in years. An interval holds a date that is a whole
year by the part of that year that is in it.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from common import load, options, run, timed, write_table

from chronotope import Corpus, DynamicTopicModel
from chronotope.evaluate import dating_error
from chronotope.evaluate.dates import HELD_OUT

DOCUMENTS, QUICK_DOCUMENTS = 8_000, 300


def measured(name: str, corpus: Corpus, model: DynamicTopicModel, seed: int) -> pd.DataFrame:
    """Errors and coverage of all methods, one row for each and what is held out."""
    tables = []
    for held_out in HELD_OUT:
        with timed(f"{name}, {held_out} held out"):
            table = dating_error(model, corpus, held_out, seed=seed)
        print(table.round(3).to_string(index=False), flush=True)
        tables.append(table.assign(corpus=name, held_out=held_out, seed=seed))
    return pd.concat(tables)


def main(argv: Sequence[str] | None = None) -> None:
    given = options("Errors of dates found from words alone.", argv, corpora=True)
    tables = []
    for name in given.corpora:
        corpus = load(name, given)
        corpus = corpus[:: -(-len(corpus) // (QUICK_DOCUMENTS if given.quick else DOCUMENTS))]
        for seed in given.seeds:
            model = DynamicTopicModel(given.topics, seed=seed, verbose=False, **given.epochs)
            tables.append(measured(name, corpus, model, seed))
            write_table(pd.concat(tables), given.out / "dating.csv")


if __name__ == "__main__":
    run(main)
