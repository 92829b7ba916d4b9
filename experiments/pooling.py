"""Groups at held-out dates: one model for all, a model for each, and words that differ between groups.

python experiments/pooling.py --corpora sotu,senate,un,arxiv [--documents N] [--data FOLDER] [--out FOLDER] [--quick]

*Pooled* has the same words for all groups, *separate* one model per group, with the vocabulary of all, and *partial*
words that differ between groups by as much as is learned. All have as many topics. The documents of each group are
scored by the same halves of their tokens. A separate model of S groups has S times as many topics in all.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from common import folder_of, options, run, timed, write_table
from groups import bloc_of, party_of

from chronotope import Corpus, DynamicTopicModel, Preprocessing, datasets
from chronotope._typing import Floats
from chronotope.kernels import own_kernel
from chronotope.model.completion import completion_scores
from chronotope.readers import read_corpus

POOLED, PARTIAL = "constant + ou", "constant + ou + by(ou, side)"
LEAST = 0.02  # of the documents, below which a group is one of the others
QUICK_DOCUMENTS, QUICK_LEAST = 200, 0.1
OTHERS = "others"
COLUMN = {"senate": "senator", "un": "country", "arxiv": "category"}
SIDE = {"senate": party_of, "un": bloc_of, "arxiv": lambda category: category.split(".")[0]}


class Fitted(NamedTuple):
    """Fits of one kind.   models : by group;  seconds : of processors"""

    models: dict[str, DynamicTopicModel]
    seconds: float


def load(name: str, given: Any) -> Corpus:
    """A corpus whose documents have a side: party, bloc or archive."""
    paper = Preprocessing.paper(max_vocabulary=600 if given.quick else 5_000)
    with timed(f"Reading {name}"):
        if name == "sotu":
            corpus = datasets.state_of_the_union(paper)
            sides = corpus.metadata["party"].astype(str).to_numpy()
        else:
            file = folder_of(name, given) / "docs.jsonl.gz"
            corpus = read_corpus(file, paper, text="text", time="time", metadata=[COLUMN[name]], keep_texts=False)
            sides = np.array([SIDE[name](value) for value in corpus.metadata[COLUMN[name]]])
    most = QUICK_DOCUMENTS if given.quick else given.documents or len(corpus)
    rows = np.unique(np.linspace(0, len(corpus) - 1, min(most, len(corpus))).round().astype(int))
    corpus, sides = corpus[rows], sides[rows]
    names, count = np.unique(sides, return_counts=True)
    large = names[count >= (QUICK_LEAST if given.quick else LEAST) * len(corpus)]
    corpus.metadata["side"] = np.where(np.isin(sides, large), sides, OTHERS)
    print(corpus, corpus.metadata["side"].value_counts().to_dict(), flush=True)
    return corpus


def fits(train: Corpus, given: Any, seed: int) -> dict[str, Fitted]:
    """The three kinds of fits to the same documents."""
    side = train.metadata["side"].to_numpy()
    groups = np.unique(side)

    def fit(kernel: str, part: Corpus) -> tuple[DynamicTopicModel, float]:
        start = time.process_time()
        model = DynamicTopicModel(given.topics, kernel, seed=seed, verbose=False, **given.epochs).fit(part)
        return model, time.process_time() - start

    (pooled, first), (partial, last) = fit(POOLED, train), fit(PARTIAL, train)
    each = {group: fit(POOLED, train[side == group]) for group in groups}
    return {
        "pooled": Fitted(dict.fromkeys(groups, pooled), first),
        "separate": Fitted({group: model for group, (model, _) in each.items()}, sum(s for _, s in each.values())),
        "partial": Fitted(dict.fromkeys(groups, partial), last),
    }


def scored(fitted: Fitted, test: Corpus) -> tuple[Floats, Floats]:
    """Log-likelihoods and tokens of the groups, (groups,) each."""
    side = test.metadata["side"].to_numpy()
    parts = [(model, side == group) for group, model in fitted.models.items() if (side == group).any()]
    found = [completion_scores(model, test[rows]) for model, rows in parts]
    return np.array([log_p.sum() for log_p, _ in found]), np.array([tokens.sum() for _, tokens in found])


def compared(name: str, train: Corpus, test: Corpus, given: Any, seed: int) -> dict[str, Any]:
    """Perplexities of the three kinds, their seconds, and what was learned of the groups' own change."""
    found = fits(train, given, seed)
    row: dict[str, Any] = {"corpus": name, "groups": len(found["pooled"].models), "seed": seed}
    for kind, fitted in found.items():
        log_p, tokens = scored(fitted, test)
        row[kind] = float(np.exp(-log_p.sum() / tokens.sum()))
    row["ratio"] = row["partial"] / min(row["pooled"], row["separate"])
    row |= {f"seconds {kind}": round(fitted.seconds, 1) for kind, fitted in found.items()}
    kernel = next(iter(found["partial"].models.values())).kernel_
    own = own_kernel(kernel)
    return row | {"variance": float("nan") if own is None else float(own.diag([0.0])[0]), "kernel": kernel.text}


def main(argv: Sequence[str] | None = None) -> None:
    given = options("Pooled, separate and partially pooled groups.", argv, corpora=True, documents=True)
    without = sorted(set(given.corpora) - {"sotu", *COLUMN})
    if without:
        raise ValueError(f"{', '.join(without)} has no groups; pass --corpora with some of sotu, {', '.join(COLUMN)}.")
    rows = []
    for name in given.corpora:
        corpus = load(name, given)
        train, test = corpus.split_times()
        test = test[np.isin(test.metadata["side"], train.metadata["side"])]
        print(f"{len(train):,} documents, {len(test):,} at held-out dates", flush=True)
        for seed in given.seeds:
            rows.append(compared(name, train, test, given, seed))
            print(pd.DataFrame(rows[-1:]).round(4).T.to_string(header=False), flush=True)
    write_table(pd.DataFrame(rows), given.out / "pooling.csv")


if __name__ == "__main__":
    run(main)
