"""What prevalence gains on documents of which little has been seen, and what it costs, at held-out dates.

python experiments/completion.py --corpus sotu|arxiv|senate|un [--data FOLDER] [--out FOLDER] [--quick] [--seeds 0,1,2]

The default model against the same with prevalence, each by the same tokens seen of the same documents. They are fitted
in turn, and seconds are those of processors, so that what else a machine does hardly counts.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import pandas as pd
from common import load, options, run, write_table

from chronotope import Corpus, DynamicTopicModel

PREVALENCE = {"default": None, "prevalence": "constant + ou"}
SEEN = {"0": 0, "8": 8, "30": 30, "half": None}  # tokens of a document
DOCUMENTS, QUICK_DOCUMENTS = 20_000, 100  # at most, spread evenly


def scores(model: DynamicTopicModel, train: Corpus, test: Corpus) -> dict[str, float]:
    """Perplexities by the number of tokens seen, and the seconds of processors that the fit takes."""
    start = time.process_time()
    model.fit(train)
    seconds = time.process_time() - start
    return {name: model.perplexity(test, seen=seen) for name, seen in SEEN.items()} | {"seconds": seconds}


def compared(table: pd.DataFrame) -> pd.DataFrame:
    """The change of perplexities by prevalence, in percent, and of the time as a ratio, by seed."""
    default, other = (table[table["prevalence"] == name].set_index("seed") for name in PREVALENCE)
    change = 100 * (other[list(SEEN)] / default[list(SEEN)] - 1)
    return change.assign(seconds=other["seconds"] / default["seconds"])


def main(argv: Sequence[str] | None = None) -> None:
    given = options("Held-out perplexity with and without prevalence, by tokens seen.", argv, corpus=True)
    corpus = load(given.corpus, given)
    corpus = corpus[:: -(-len(corpus) // (QUICK_DOCUMENTS if given.quick else DOCUMENTS))]
    train, test = corpus.split_times()
    print(f"{len(train):,} documents, {len(test):,} at held-out dates", flush=True)

    def model(prevalence: str | None, seed: int, **more: Any) -> DynamicTopicModel:
        settings = given.epochs | more
        return DynamicTopicModel(given.topics, prevalence=prevalence, seed=seed, verbose=False, **settings)

    for prevalence in PREVALENCE.values():  # so that loops are compiled
        model(prevalence, 0, max_epochs=1).fit(train[:50])
    rows = []
    for i, seed in enumerate(given.seeds):
        for name, prevalence in list(PREVALENCE.items())[:: 1 - 2 * (i % 2)]:
            found = scores(model(prevalence, seed), train, test)
            rows.append({"corpus": given.corpus, "prevalence": name, "seed": seed} | found)
            print(rows[-1], flush=True)
    table = pd.DataFrame(rows)
    print(table.groupby("prevalence", sort=False)[[*SEEN, "seconds"]].mean().round(1).to_string())
    print("Change in percent, and ratio of seconds")
    print(compared(table).round(2).to_string())
    write_table(table, given.out / f"completion-{given.corpus}.csv")


if __name__ == "__main__":
    run(main)
