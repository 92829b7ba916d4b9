"""When groups parted, and whether they did, on planted corpora: at once, gradually, never, and apart from the start.

python experiments/partings.py [--out FOLDER] [--quick] [--seeds 0,1,2]

Groups of different sizes share topics that drift. In the first topic of some corpora a third of the words begin to
differ at a known time; in others no words differ, or as much at all times. The model is fitted as by default, with
`constant + ou + by(ou)`, and asked of every topic. Figures: partings found with a probability of 0.95, how far from the
planted time in nodes, how often the 95% interval holds it, and how often a parting is found where there is none; of
log ratios of words, how often 90% intervals hold the planted value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from common import options, run, write_table
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.special import softmax

from chronotope import Corpus, DynamicTopicModel
from chronotope.analysis import contrast, parting

Floats = NDArray[np.float64]
KINDS = ("never", "from the start", "at once", "at once, different before", "gradually")
SURE, LEVEL, TOKENS = 0.95, 0.9, 10.0
LENGTH = 0.3  # of a gradual parting, in spans


class Planted(NamedTuple):
    """A corpus, the word probabilities of both groups (2, T, K, V) at times (T,), and when they part in topic 0."""

    corpus: Corpus
    probabilities: Floats
    times: Floats
    parting: float | None


def plant(kind: str, seed: int, small: bool = False) -> Planted:
    """A corpus of a kind.

    β_kv = log frequency + level_kv + drift_kv(τ) ± d_kv(τ)/2,   θ ~ Dir(0.2),   80 tokens a document
    """
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    T, K, V = (
        (20, 3, 100)
        if small
        else (int(rng.choice([20, 30, 40])), int(rng.integers(3, 6)), int(rng.choice([100, 200, 300])))
    )
    times = np.arange(T, dtype=np.float64)
    frequency = -0.9 * np.log(1.0 + rng.permutation(V))
    root = np.linalg.cholesky(np.exp(-np.abs(times[:, None] - times) / 20) + 1e-9 * np.eye(T))
    drift = 0.4 * np.tensordot(root, rng.standard_normal((T, K, V)), axes=1)
    d, when = np.zeros((T, K, V)), None
    if kind in ("from the start", "at once, different before"):
        d += 0.5 * rng.standard_normal((K, V))
    if kind in KINDS[2:]:
        when = float(np.floor(rng.uniform(0.3, 0.7) * T)) - 0.5
        width = LENGTH * T if kind == "gradually" else 1e-9
        d[:, 0] += (
            np.clip((times - when) / width + 0.5, 0, 1)[:, None] * rng.standard_normal(V) * (rng.random(V) < 0.35)
        )
    logits = frequency + 1.3 * rng.standard_normal((K, V)) + drift
    pi = softmax(np.stack([logits + d / 2, logits - d / 2]), axis=3)
    sizes = int(rng.integers(8, 21)), int(rng.integers(4, 13))  # documents of each group at every time
    counts = [
        rng.multinomial(80, rng.dirichlet(np.full(K, 0.2), sizes[s]) @ pi[s, t]) for s in range(2) for t in range(T)
    ]
    groups = np.repeat(["a", "b"], [T * sizes[0], T * sizes[1]])
    at = np.concatenate([np.repeat(times, size) for size in sizes])
    return Planted(Corpus(np.concatenate(counts), at, metadata=pd.DataFrame({"group": groups})), pi, times, when)


def in_order(found: Floats, truth: Floats) -> NDArray[np.intp]:
    """Which found topic is which true one, by least total variation.   found, truth : (T, K, V)."""
    distance = np.abs(found[:, None] - truth[:, :, None]).sum(axis=3).mean(axis=0)
    order: NDArray[np.intp] = linear_sum_assignment(distance)[1]
    return order


def judged(planted: Planted, kind: str, seed: int, epochs: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A row for each topic."""
    K = planted.probabilities.shape[2]
    model = DynamicTopicModel(K, "constant + ou + by(ou)", groups="group", seed=seed, verbose=False, **epochs)
    topics = model.fit(planted.corpus).topics_
    at = planted.times[[2, len(planted.times) // 2, -3]]
    for k, found in enumerate(in_order(topics.probabilities(planted.times), planted.probabilities.mean(axis=0))):
        row = parting(topics, int(found), "a", "b", level=SURE).iloc[0]
        parted = planted.parting if k == 0 else None
        kept = {name: row[name] for name in ("probability", "time", "low_time", "high_time", "before", "after")}
        answer = {
            "kind": kind if parted is not None or planted.parting is None else "other topics beside these",
            "seed": seed,
            "topic": k,
            **kept,
        }
        if parted is not None:
            answer |= {
                "planted": parted,
                "off": abs(row.time - parted),
                "inside": row.low_time <= parted <= row.high_time,
            }
        tokens = topics.track_mass[:, :, found].sum(axis=1)[:, None] * planted.probabilities[:, :, k].mean(axis=1)
        words = np.flatnonzero(tokens.min(axis=0) >= TOKENS)
        if len(words):
            table = contrast(topics, int(found), "a", "b", at, words=words.tolist(), level=LEVEL, draws=200)
            pi = planted.probabilities[:, at.astype(int), k][:, :, words]
            ratio = (pi[0] / pi[1]).ravel()
            answer["held"] = float(((table["low"] <= ratio) & (ratio <= table["high"])).mean())
        yield answer


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Figures of each kind of topic."""
    table = table.assign(
        sure=table["probability"] >= SURE, near=np.where(table["off"].isna(), np.nan, table["off"] <= 1)
    )
    table["near_if_sure"] = table["near"].where(table["sure"])
    figures = {
        "topics": ("sure", "size"),
        "sure": ("sure", "mean"),
        "near": ("near", "mean"),
        "near_if_sure": ("near_if_sure", "mean"),
        "off": ("off", "mean"),
        "inside": ("inside", "mean"),
        "held": ("held", "mean"),
    }
    return table.astype({"inside": float}).groupby("kind", sort=False).agg(**figures)


def main(argv: Sequence[str] | None = None) -> None:
    given = options("Planted partings of two groups: found, dated, and false ones.", argv)
    rows: list[dict[str, Any]] = []
    for seed in given.seeds:
        for kind in KINDS:
            rows += judged(plant(kind, seed, given.quick), kind, seed, given.epochs)
            print(f"{kind}, seed {seed}", flush=True)
    table = pd.DataFrame(rows)
    print(summary(table).round(3).to_string())
    write_table(table, given.out / "partings.csv")


if __name__ == "__main__":
    run(main)
