"""Held-out perplexity against time: every system on the same documents, one after another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.corpora import describe, part
from benchmarks.documents import Documents
from benchmarks.processes import Entry, carry_out
from benchmarks.scale import Scale
from chronotope import Corpus

SKLEARN, GIBBS, TOPICA, DYNAMIC = "scikit-learn online LDA", "tomotopy LDAModel", "topica LDA", "tomotopy DTModel"
STATIC = SKLEARN, GIBBS, TOPICA
DEFAULT = "Chronotope, default"
OURS = {
    DEFAULT: {},
    "Chronotope, ou": {"kernel": "ou"},
    "Chronotope, ou, batches of 1,000": {"kernel": "ou", "batch_size": 1_000},
}


def race(name: str, corpus: Corpus, scale: Scale, threads: int, folder: Path) -> dict[str, Any]:
    """All systems on the corpus; of Chronotope also a fit that nobody looks into, for its memory and time."""
    train, test = part(corpus, scale.scored)
    K = scale.topics
    limit = {} if scale.passes is None else {"max_epochs": scale.passes}
    ours = [Entry(label, "chronotope", {"n_topics": K, **limit, **more}) for label, more in OURS.items()]
    peers = [
        Entry(SKLEARN, "sklearn_lda", {"n_topics": K, "epochs": scale.epochs}),
        Entry(GIBBS, "tomotopy_lda", {"n_topics": K, "stops": scale.gibbs}),
        Entry(TOPICA, "topica_lda", {"n_topics": K, "iterations": scale.topica}),
        Entry(DYNAMIC, "tomotopy_dtm", {"n_topics": K, "stops": scale.dynamic, "slices": scale.slices}),
    ]
    result = _run_all(describe(name, train, test), train, test, [*ours, *peers], threads, folder)
    alone = carry_out(ours[0], folder / "train.npz", None, threads)
    result["alone"] = alone.as_dict()
    return result


def small_race(name: str, corpus: Corpus, scale: Scale, threads: int, folder: Path) -> dict[str, Any]:
    """A case so small that gensim ends: its LdaSeqModel, tomotopy's dynamic model and Chronotope."""
    train, test = part(corpus, scale.scored)
    train = train.sample(scale.small_documents).frequent(scale.small_words)
    test = test.with_words(train.vocabulary)
    K, slices = scale.small_topics, scale.small_slices
    entries = [
        Entry(DEFAULT, "chronotope", {"n_topics": K}),
        Entry("gensim LdaSeqModel", "gensim_dtm", _of_gensim(K, slices, scale)),
        Entry(DYNAMIC, "tomotopy_dtm", {"n_topics": K, "stops": scale.dynamic[-1:], "slices": slices}),
    ]
    title = f"{describe(name, train, test)}; {slices} slices, {K} topics"
    return _run_all(title, train, test, entries, threads, folder)


def _of_gensim(K: int, slices: int, scale: Scale) -> dict[str, Any]:
    return {"n_topics": K, "slices": slices, "iterations": scale.small_iterations}


def _run_all(
    title: str, train: Documents, test: Documents, entries: list[Entry], threads: int, folder: Path
) -> dict[str, Any]:
    print(title, flush=True)
    files = train.save(folder / "train.npz"), test.save(folder / "test.npz")
    runs = {entry.name: carry_out(entry, *files, threads).as_dict() for entry in entries}
    return {"corpus": title, "runs": runs}


def best_static(runs: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """The static system of the best perplexity, and the point at which it had it; None if none was measured."""
    points = [(name, point) for name in STATIC if name in runs for point in runs[name]["points"]]
    return min(points, key=lambda found: found[1]["perplexity"], default=None)


def seconds_to_reach(run: dict[str, Any], goal: float) -> float | None:
    """When a system was first seen at the goal or under it; None if it never was."""
    return next((point["seconds"] for point in run["points"] if point["perplexity"] <= goal), None)
