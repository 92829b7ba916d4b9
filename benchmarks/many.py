"""Many topics and words: how the cost of a token grows with the topics, and perplexity against time with many."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.corpora import describe, in_order, part
from benchmarks.cost import middle
from benchmarks.processes import Entry, Run, carry_out
from benchmarks.reach import GIBBS
from benchmarks.scale import Scale
from chronotope import Corpus

NODES = 32  # of the time grid: at those that a fit would choose, each array of many topics and words has a gigabyte
OURS = f"Chronotope, {NODES} nodes"
START, DYNAMIC_PASS = "Chronotope, the whole static start", "Chronotope, a dynamic pass"
ITERATION = f"{GIBBS}, an iteration"


def measure_many(name: str, corpus: Corpus, scale: Scale, threads: int, folder: Path) -> dict[str, Any]:
    """Seconds of a pass with few and with many topics; those with many are also scored."""
    train, test = part(_rounded(corpus, scale.many_times), scale.many_scored)
    title, tokens = describe(name, train, test), int(train.counts.sum())
    print(title, flush=True)
    files = train.save(folder / "train.npz"), test.save(folder / "test.npz")
    few, many = scale.many_topics
    plain = {entry.name: carry_out(entry, files[0], None, threads) for entry in _entries(few, scale)}
    scored = {entry.name: carry_out(entry, *files, threads) for entry in _entries(many, scale)}
    costs = [_cost(what, tokens, [plain, scored]) for what in (START, DYNAMIC_PASS, ITERATION)]
    runs = {label: run.as_dict() for label, run in scored.items()}
    return {"corpus": title, "topics": [few, many], "costs": costs, "runs": runs}


def _rounded(corpus: Corpus, n: int) -> Corpus:
    """Documents at n distinct times at most: with more, topics of many words would take longer to score than to fit."""
    documents = in_order(corpus).rounded(n)
    return Corpus(documents.counts, documents.times, documents.vocabulary)


def _entries(K: int, scale: Scale) -> list[Entry]:
    return [
        Entry(OURS, "chronotope", {"n_topics": K, "n_inducing": NODES, "max_epochs": scale.many_passes}),
        Entry(GIBBS, "tomotopy_lda", {"n_topics": K, "stops": scale.many_gibbs}),
    ]


def _cost(what: str, tokens: int, runs: list[dict[str, Run]]) -> dict[str, Any]:
    """Seconds of a pass with few and with many topics, over so many tokens, and their ratio; None of what failed."""
    seconds = [_seconds(what, each[GIBBS if what == ITERATION else OURS]) for each in runs]
    few, many = seconds
    growth = many / few if few and many else None
    shown = ", ".join("failed" if each is None else f"{each:.3g} s" for each in seconds)
    print(f"  {what}: {shown}", flush=True)
    return {"what": what, "tokens": tokens, "seconds": seconds, "growth": growth}


def _seconds(what: str, run: Run) -> float | None:
    """Seconds of a pass, without what is done once.

    Of dynamic passes by the median step, since one step also learns how quickly words change; of iterations by those
    after the first stop, since the first also arranges the documents.
    """
    facts = run.facts
    if run.failure is not None:
        return None
    if what == START:
        return float(facts["start"])
    if what == ITERATION:
        return float(facts["later"])
    return float(facts["pass"] * middle(facts["steps"]) / np.mean(facts["steps"]))
