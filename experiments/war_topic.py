"""The paper's figure of the war topic, and the years in which words of wars peak, in the State of the Union.

python experiments/war_topic.py [--out FOLDER] [--quick] [--topics 20] [--seeds 0,1,2]

Writes war.png (first seed), peaks.csv and wars.csv (all seeds). Words of wars were chosen before their peaks were
looked at. With several words to a war, one of them may peak near it by luck: `chance` says how often that would be.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from common import KERNELS, fit, load, options, run, theme_picture, write_figure, write_table
from numpy.typing import NDArray

from chronotope import Topics
from chronotope.cli.demo_run import DATING, WAR

PRIORS = {**KERNELS, "constant + OU": "constant + ou"}
WORDS = ("texas", "mexico", "japanese", "spain", "confederate", "rebellion", "germany", "vietnam", "iraq")
WARS = {
    1812: ("british", "britain", "militia"),
    1846: ("texas", "mexico", "mexican"),
    1861: ("confederate", "rebellion", "insurrection"),
    1898: ("spain", "cuba", "philippine"),
    1917: ("germany", "german", "submarine"),
    1941: ("japanese", "japan", "nazis"),
}
NEAR = 6.0  # years
PIECE = 20  # times looked at together


class Peaks(NamedTuple):
    """Of each word, (V,): the highest probability in any topic at any time, the topic, and the year."""

    probability: NDArray[np.float64]
    topic: NDArray[np.intp]
    year: NDArray[np.float64]


def find_peaks(topics: Topics) -> Peaks:
    """Where each word is strongest."""
    nodes = topics.times
    best, topic, year = (np.zeros(len(topics.vocabulary), dtype) for dtype in (np.float64, np.intp, np.float64))
    for start in range(0, len(nodes), PIECE):
        for time, pi in zip(nodes[start:], topics.probabilities(nodes[start : start + PIECE]), strict=False):  # (K, V)
            higher = pi.max(axis=0) > best
            best = np.maximum(best, pi.max(axis=0))
            topic[higher], year[higher] = pi.argmax(axis=0)[higher], time
    return Peaks(best, topic, year)


def word_rows(peaks: Peaks, topics: Topics) -> list[dict[str, object]]:
    """A row for each of the words; empty for one the corpus has not."""
    index = {str(word): v for v, word in enumerate(topics.vocabulary)}
    return [
        {"word": word}
        | ({"topic": peaks.topic[v], "peak": peaks.year[v], "probability": peaks.probability[v]} if v >= 0 else {})
        for word, v in ((word, index.get(word, -1)) for word in WORDS)
    ]


def war_rows(peaks: Peaks, topics: Topics) -> list[dict[str, object]]:
    """A row for each war with words in the corpus: those that peak near it, and the chance that one of as many would.

    chance = 1 − (1 − share of the vocabulary that peaks near the war)^(words of the war)
    """
    index = {str(word): v for v, word in enumerate(topics.vocabulary)}
    rows = []
    for war, words in WARS.items():
        near = np.abs(peaks.year - war) <= NEAR
        known = [word for word in words if word in index]
        if not known:
            continue  # nothing is known of it, which is not the same as not found
        hits = [word for word in known if near[index[word]]]
        chance = 1.0 - (1.0 - near.mean()) ** len(known)
        rows.append(
            {"war": war, "found": bool(hits), "by": " ".join(hits), "of": " ".join(known), "chance": round(chance, 3)}
        )
    return rows


def print_wars(rows: pd.DataFrame, seeds: Sequence[int]) -> None:
    counted = rows.groupby(["war", "kernel"], sort=False).agg(found=("found", "sum"), chance=("chance", "mean"))
    print(f"In how many of {len(seeds)} seeds a word of the war peaks within {NEAR:.0f} years of it, and the chance")
    print(counted.unstack().to_string())


def main(argv: Sequence[str] | None = None) -> None:
    given = options("The war topic of the State of the Union under several kernels.", argv)
    corpus = load("sotu", given)
    words, wars, models = [], [], {}
    for name, kernel in PRIORS.items():
        for seed in given.seeds:
            model = fit(corpus, kernel, given, seed)
            models.setdefault(name, model)  # the picture is of the first seed
            peaks = find_peaks(model.topics_)
            words += [{"kernel": name, "seed": seed, **row} for row in word_rows(peaks, model.topics_)]
            wars += [{"kernel": name, "seed": seed, **row} for row in war_rows(peaks, model.topics_)]
    by_word, by_war = pd.DataFrame(words), pd.DataFrame(wars)
    first = by_word[by_word["seed"] == given.seeds[0]]
    if "peak" in first:
        shown = first.pivot_table(index="word", columns="kernel", values="peak", sort=False)
        print(f"Year of the highest probability, seed {given.seeds[0]}", shown.round().astype("Int64"), sep="\n")
    untold = [str(war) for war in WARS if by_war.empty or war not in set(by_war["war"])]
    print(f"Wars without any of their words in the vocabulary: {', '.join(untold) or 'none'}")
    if not by_war.empty:
        print_wars(by_war, given.seeds)
    write_table(by_word, given.out / "peaks.csv")
    write_table(by_war, given.out / "wars.csv")
    title = "The war topic in the State of the Union, 90% bands"
    write_figure(theme_picture(models, WAR, title, DATING), given.out / "war.png")


if __name__ == "__main__":
    run(main)
