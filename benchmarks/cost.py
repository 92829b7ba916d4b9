"""What a step costs as documents, times, nodes, topics and words grow, and under which kernel."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.corpora import in_order
from benchmarks.documents import Documents
from benchmarks.processes import Entry, carry_out
from benchmarks.scale import Scale
from chronotope import Corpus

BATCH = 2_000
NODES = 100  # of the time grid while other things are varied
SOME = 5 * BATCH  # documents while other things than their number are varied
WIDE_K, WIDE_V = 10, 1_000  # topics and words while the grid grows to many nodes: its arrays must fit in memory
KERNELS = ("ou", "constant + ou", "se", "cauchy")
AXES = {
    "D": "documents",
    "T": "distinct times",
    "M": "nodes of the time grid",
    "K": "topics",
    "V": "words",
}
WHAT = {"D": "a pass", "T": "a step", "M": "a global step", "K": "a step", "V": "a step"}


class Measure:
    """Fits of a few steps in processes of their own; seconds are medians over the steps but the first."""

    def __init__(self, corpus: Corpus, scale: Scale, threads: int, folder: Path) -> None:
        self.documents, self.scale, self.threads, self.folder = in_order(corpus), scale, threads, folder
        self.batch = min(BATCH, max(1, len(self.documents) // 3))

    def fit(self, documents: Documents, *, whole_pass: bool = False, **settings: Any) -> dict[str, Any]:
        """The facts of a fit."""
        options = {"n_topics": self.scale.topics, "n_inducing": NODES, "batch_size": self.batch, "max_epochs": 1}
        limit = {} if whole_pass else {"steps": self.scale.steps, "max_epochs": self.scale.steps}
        entry = Entry("Chronotope", "chronotope", {**options, **limit, **settings})
        run = carry_out(entry, documents.save(self.folder / "cost.npz"), None, self.threads)
        if run.failure is not None:
            raise ValueError(f"a fit of Chronotope failed: {run.failure}")
        return run.facts

    def documents_curve(self) -> dict[str, Any]:
        """Seconds of a whole pass against D."""
        sizes = np.unique(np.minimum(self.scale.reach_D, len(self.documents)))
        facts = [self.fit(self.documents.sample(int(n)), whole_pass=True) for n in sizes]
        return curve("D", sizes, [float(np.sum(each["steps"])) for each in facts])

    def times_curve(self) -> dict[str, Any]:
        """Seconds of a step against T: the same documents, their times rounded."""
        rounded = [self.documents.rounded(n) for n in self.scale.reach_T[:-1]] + [self.documents]
        facts = [self.fit(each) for each in rounded]
        return curve("T", [len(np.unique(each.times)) for each in rounded], [step(each) for each in facts])

    def nodes_curve(self) -> dict[str, Any]:
        """Seconds of a global step against M."""
        some = self.documents.sample(SOME).frequent(WIDE_V)
        K = min(WIDE_K, self.scale.topics)
        facts = [self.fit(some, n_inducing=M, n_topics=K) for M in self.scale.reach_M]
        return curve("M", [each["nodes"] for each in facts], [middle(each["globals"]) for each in facts])

    def topics_curve(self) -> dict[str, Any]:
        """Seconds of a step against K."""
        facts = [self.fit(self.documents.sample(SOME), n_topics=K) for K in self.scale.reach_K]
        return curve("K", self.scale.reach_K, [step(each) for each in facts])

    def words_curve(self) -> dict[str, Any]:
        """Seconds of a step against V: the documents with their most frequent words alone."""
        some = [self.documents.sample(SOME).frequent(V) for V in self.scale.reach_V]
        return curve("V", [each.counts.shape[1] for each in some], [step(self.fit(each)) for each in some])

    def kernels(self) -> dict[str, dict[str, Any]]:
        """Seconds of a step, nodes and rank under each kernel, the grid left to the kernel."""
        some, result = self.documents.sample(SOME), {}
        for kernel in KERNELS:
            facts = self.fit(some, kernel=kernel, n_inducing=None)
            result[kernel] = {"seconds": step(facts), "nodes": facts["nodes"], "rank": facts["rank"]}
            print(f"  {kernel}: {step(facts):.4f} s a step", flush=True)
        return result


def measure_cost(corpus: Corpus, scale: Scale, threads: int, folder: Path) -> dict[str, Any]:
    """All curves, and the kernels."""
    measure = Measure(corpus, scale, threads, folder)
    curves = (
        measure.documents_curve,
        measure.times_curve,
        measure.nodes_curve,
        measure.topics_curve,
        measure.words_curve,
    )
    return {"curves": [each() for each in curves], "kernels": measure.kernels()}


def step(facts: dict[str, Any]) -> float:
    """Seconds of a step."""
    return middle(facts["steps"])


def middle(seconds: Sequence[float]) -> float:
    """The median of all but the first, which is unlike the others."""
    return float(np.median(seconds[1:] or seconds))


def curve(letter: str, x: Sequence[int] | np.ndarray, seconds: Sequence[float]) -> dict[str, Any]:
    """A curve and its slope on logarithmic axes, sorted, each x once."""
    x, first = np.unique(np.asarray(x, dtype=float), return_index=True)
    y = np.asarray(seconds)[first]
    slope = float(np.polyfit(np.log(x), np.log(y), 1)[0]) if len(x) > 1 else None
    told = ", ".join(f"{a:,.0f}: {b:.4f} s" for a, b in zip(x, y, strict=True))
    print(f"  {WHAT[letter]} against {AXES[letter]}: {told}", flush=True)
    return {"letter": letter, "x": x.tolist(), "seconds": y.tolist(), "slope": slope}
