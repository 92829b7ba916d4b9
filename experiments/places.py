"""What places gain: perplexity in regions that were left out, of markers in Texas and of storms in the USA.

python experiments/places.py [--collections markers,storms] [--data FOLDER] [--out FOLDER] [--quick] [--seeds 0,1,2]

Documents are gathered in regions with about as many of them each, and one region in five is left out, others with every
seed. The topic shares of a document there follow from a random half of its tokens; the others are scored. Markers have
places but no times: all are given the same one. Maps of some words are drawn from fits of all documents.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from common import fit, options, run, write_figure, write_table

from chronotope import Corpus, DynamicTopicModel, Preprocessing
from chronotope.analysis.keywords import find_topic
from chronotope.corpus.places import cells_of
from chronotope.plots import plot_map

REGIONS, PART = 60, 5  # regions, and one of how many is left out
QUICK_STEP = 12  # one document of so many
TIME = "2000"  # of all markers


class Collection(NamedTuple):
    """A collection.   file : in the folder of data;  kernels : the first is without places

    mapped : kernel of the maps;  words : to map
    """

    file: str
    preprocessing: Preprocessing
    kernels: tuple[str, ...]
    mapped: str
    words: tuple[str, ...]


COLLECTIONS = {
    "markers": Collection(
        "texas_historical_markers/docs.jsonl.gz",
        Preprocessing.paper(),
        ("constant", "constant + space", "constant + space(0.1, 500 km)"),
        "constant + space",
        ("cotton", "oil", "mission", "german"),
    ),
    "storms": Collection(
        "noaa_storm_narratives_2019q1/episodes.jsonl.gz",
        Preprocessing(),
        ("constant + ou", "constant + ou + space", "constant + ou + ou * space"),
        "constant + ou + space",
        ("snow", "tornado", "flooding"),
    ),
}


def load(name: str, given: argparse.Namespace) -> Corpus:
    """The documents of a collection, with latitude and longitude as metadata."""
    path = Path(given.data) / COLLECTIONS[name].file
    if not path.is_file():
        raise FileNotFoundError(f"there is no folder {str(path.parent)!r}; say where it is with --data FOLDER.")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file][:: QUICK_STEP if given.quick else 1]
    times = [TIME if name == "markers" else row["time"] for row in rows]
    places = pd.DataFrame({column: [row[column] for row in rows] for column in ("lat", "lon")})
    preprocessing = Preprocessing(max_vocabulary=600) if given.quick else COLLECTIONS[name].preprocessing
    corpus = Corpus.from_texts([row["text"] for row in rows], times, preprocessing=preprocessing, metadata=places)
    print(corpus, flush=True)
    return corpus


def left_out(corpus: Corpus, seed: int) -> np.ndarray:
    """Whether each document is in a region that is left out, (D,)."""
    places = corpus.metadata[["lat", "lon"]].to_numpy(dtype=float)  # type: ignore[index]
    cells = cells_of(places, REGIONS)
    part = np.random.default_rng(seed).permutation(len(cells.middle)) % PART
    found: np.ndarray = part[cells.nearest(places)] == 0
    return found


def scores(name: str, corpus: Corpus, given: argparse.Namespace) -> pd.DataFrame:
    """Perplexities in regions that were left out: a row per kernel and seed."""
    rows = []
    for seed in given.seeds:
        out = left_out(corpus, seed)
        train, test = corpus[np.flatnonzero(~out)], corpus[np.flatnonzero(out)]
        for kernel in COLLECTIONS[name].kernels:
            model = fit(train, kernel, given, seed)
            cells = len(model.topics_.groups)
            learned = model.topics_.kernel.text
            row = {"collection": name, "seed": seed, "kernel": kernel, "cells": cells, "learned": learned}
            rows.append(row | {"perplexity": model.perplexity(test)})
            print(f"  {rows[-1]['perplexity']:.2f}", flush=True)
    table = pd.DataFrame(rows)
    base = table[table["kernel"] == COLLECTIONS[name].kernels[0]].set_index("seed")["perplexity"]
    return table.assign(change=table["perplexity"] / table["seed"].map(base) - 1)


def means(table: pd.DataFrame) -> str:
    """Means over seeds, and the change against the model without places in percent, with that of each seed."""
    by = table.groupby(["collection", "kernel"], sort=False)
    each = by["change"].agg(lambda x: ", ".join(f"{100 * value:+.2f}" for value in x))
    found = by.agg(cells=("cells", "max"), perplexity=("perplexity", "mean"), change=("change", "mean"))
    return found.assign(change=(100 * found["change"]).round(2), seeds=each).round(2).to_string()


def draw_maps(name: str, model: DynamicTopicModel, out: Path) -> None:
    """A map of each word, in the topic that is most about it."""
    for word in COLLECTIONS[name].words:
        if word in model.topics_.vocabulary:
            topic = find_topic(model.topics_, {word: 1.0})
            write_figure(plot_map(model, topic, word).figure, out / f"{name}-{word}.png")


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--collections", default=",".join(COLLECTIONS))
    chosen, others = parser.parse_known_args(argv)
    given = options("What places gain.", others, topics=10)
    tables = []
    for name in chosen.collections.split(","):
        corpus = load(name, given)
        tables.append(scores(name, corpus, given))
        print(means(tables[-1]), flush=True)
        if not given.quick:
            draw_maps(name, fit(corpus, COLLECTIONS[name].mapped, given, given.seeds[0]), given.out)
    table = pd.concat(tables)
    print("Means over seeds; change in percent against the first kernel, which knows no places")
    print(means(table))
    write_table(table, given.out / "places.csv")


if __name__ == "__main__":
    run(main)
