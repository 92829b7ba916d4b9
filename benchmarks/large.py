"""A corpus of the size of the paper's largest, 1.8 million documents of 7,475 days: drawn, written and trained on.

    python benchmarks/large.py [--quick] [--folder FOLDER] [--documents 1800000] [--days 7475] ...

Documents come from the model itself: topics around Zipf's frequencies, each word with a level of its own and an
Ornstein-Uhlenbeck process of 10 years around it; topic shares from a Dirichlet distribution; lengths log-normal.
One day in a hundred is held out. The folder, of about 5 bytes for each different word of a document, is kept if it is
named, and used again as it is.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import chronotope as ct
from chronotope.display.progress import counting_bar
from chronotope.evaluate import perplexity
from chronotope.inference.cvb0 import collapsed_shares
from chronotope.inference.documents import documents_at_nodes, uniform_lambda
from chronotope.model.completion import split_tokens

Floats = NDArray[np.floating]

START = np.datetime64("1987-01-01")
LEVEL, VARIANCE, LENGTH_SCALE = 4.0, 1.0, 10.0  # of the topics' logits: constant(4) + ou(1, 10 years)
ALPHA, SPREAD = 0.1, 0.6  # of topic shares; of the logarithm of lengths
HELD_OUT = 100  # one day in so many
DAYS_AT_ONCE = 20
FULL = {"documents": 1_800_000, "days": 7_475, "topics": 20, "words": 5_000, "length": 200, "batch": 8_000}
QUICK = {"documents": 20_000, "days": 400, "topics": 5, "words": 400, "length": 30, "batch": 4_000}


class Drawn(NamedTuple):
    """Counts of documents, their days, and the word probabilities of every day, (days, K, V)."""

    counts: sp.csr_array
    day: NDArray[np.int64]
    probabilities: Floats


def draw(given: argparse.Namespace) -> Iterator[Drawn]:
    """Documents of some days at a time, from the first day to the last."""
    rng = np.random.default_rng(given.seed)
    K, V = given.topics, given.words
    level = np.sqrt(LEVEL) * rng.standard_normal((K, V)) - np.log(np.arange(V) + 10.0)
    keep = np.exp(-1.0 / (365.25 * LENGTH_SCALE))
    drift = np.sqrt(VARIANCE) * rng.standard_normal((K, V))
    ends = np.linspace(0, given.documents, given.days + 1).astype(np.int64)
    for first in range(0, given.days, DAYS_AT_ONCE):
        days = range(first, min(first + DAYS_AT_ONCE, given.days))
        counts, probabilities = [], []
        for day in days:
            pi = np.exp(level + drift)
            pi /= pi.sum(axis=1, keepdims=True)
            counts.append(_documents(pi, int(ends[day + 1] - ends[day]), given.length, rng))
            probabilities.append(pi)
            drift = keep * drift + np.sqrt(VARIANCE * (1.0 - keep**2)) * rng.standard_normal((K, V))
        yield Drawn(sp.vstack(counts, format="csr"), np.repeat(days, np.diff(ends)[days]), np.stack(probabilities))


def _documents(pi: Floats, n: int, length: float, rng: np.random.Generator) -> sp.csr_array:
    """Counts of n documents of one day, (n, V).

    θ ~ Dir(α),   length ~ log-normal,   tokens of each topic ~ multinomial(θ),   words by the inverse of their sums
    """
    K, V = pi.shape
    lengths = np.ceil(rng.lognormal(np.log(length) - 0.5 * SPREAD**2, SPREAD, n)).astype(np.int64)
    tokens = rng.multinomial(lengths, rng.dirichlet(np.full(K, ALPHA), n))  # (n, K)
    document = np.concatenate([np.repeat(np.arange(n), tokens[:, k]) for k in range(K)])
    sums = np.cumsum(pi, axis=1)
    words = [np.searchsorted(sums[k], rng.random(int(tokens[:, k].sum()))) for k in range(K)]
    word = np.minimum(np.concatenate(words), V - 1)
    return sp.csr_array((np.ones(len(word), np.int32), (document, word)), shape=(n, V))


def build(given: argparse.Namespace, folder: Path) -> None:
    """Draw the corpus straight to disk, and beside it the topics of the days held out."""
    vocabulary = [f"word{v}" for v in range(given.words)]
    held_out = []
    with (
        ct.CorpusWriter(folder / "corpus", vocabulary) as writer,
        counting_bar(-(-given.days // DAYS_AT_ONCE), 0, None, "drawing") as advance,
    ):
        for counts, day, probabilities in draw(given):
            writer.add(counts, START + day)
            first = int(day[0])
            held_out += [pi for at, pi in enumerate(probabilities, start=first) if at % HELD_OUT == HELD_OUT // 2]
            advance()
    np.save(folder / "topics.npy", np.stack(held_out).astype(np.float32))


def floor(test: ct.Corpus, pi: Floats) -> float:
    """Perplexity of the held-out documents under the topics they were drawn from, (days, K, V)."""
    node = np.unique(test.times, return_inverse=True)[1]
    seen, scored = split_tokens(test.counts, 0)
    docs, alpha = documents_at_nodes(seen, node), np.full(pi.shape[1], ALPHA)
    theta = uniform_lambda(docs, alpha)
    collapsed_shares(docs, np.log(np.maximum(pi, 1e-30)), np.zeros(pi.shape[:2]), alpha, theta)
    theta /= theta.sum(axis=1, keepdims=True)
    words, log_p = scored.tocoo(), np.zeros(len(test))
    for at in np.array_split(np.arange(words.nnz), words.nnz // 1_000_000 + 1):
        d, v = words.row[at], words.col[at]
        np.add.at(log_p, d, words.data[at] * np.log((theta[d] * pi[node[d], :, v]).sum(axis=1)))
    return perplexity(log_p, np.asarray(scored.sum(axis=1)))


def unigram(train: ct.Corpus, test: ct.Corpus) -> float:
    """Perplexity of the held-out documents under the word frequencies of the others."""
    total = np.asarray(train.stored.sum(axis=0)) + 1.0
    n = np.asarray(test.stored.sum(axis=0))
    return float(np.exp(-(n @ np.log(total / total.sum())) / n.sum()))


class Peak:
    """Most memory so far, in GB: resident, and of that the program's own, which no page of a mapped file is part of."""

    def __init__(self) -> None:
        self.own = 0.0
        threading.Thread(target=self._watch, daemon=True).start()

    @property
    def resident(self) -> float:
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9

    def _watch(self) -> None:
        status = Path("/proc/self/status")
        while status.exists():
            lines = status.read_text().splitlines()
            self.own = max(self.own, *(int(line.split()[1]) * 1024 / 1e9 for line in lines if line[:7] == "RssAnon"))
            time.sleep(0.1)

    def __str__(self) -> str:
        return f"{self.resident:.2f} GB resident, mapped pages of the corpus among them, {self.own:.2f} GB its own"


@contextmanager
def timed(what: str, peak: Peak) -> Iterator[list[float]]:
    """Print what was done, the seconds it took, also of all cores, and the memory so far; the list gets the seconds."""
    took: list[float] = []
    start, busy = time.perf_counter(), time.process_time()
    yield took
    took.append(time.perf_counter() - start)
    busy = time.process_time() - busy
    print(f"{what}: {took[0]:,.1f} s, {busy:,.1f} s of processor time; peak {peak}", flush=True)


def run(given: argparse.Namespace, folder: Path, peak: Peak) -> dict[str, Any]:
    """Draw, train for so many passes, evaluate; returns the figures that are printed."""
    if not (folder / "corpus").exists():
        with timed("Drawn and written", peak):
            build(given, folder)
    corpus = ct.open_corpus(folder / "corpus")
    size = sum(file.stat().st_size for file in (folder / "corpus").iterdir()) / 1e9
    print(f"{corpus}, {size:.2f} GB on disk", flush=True)
    day = np.unique(corpus.times, return_inverse=True)[1]
    held_out = day % HELD_OUT == HELD_OUT // 2
    train, test = corpus[~held_out], corpus[held_out]
    model = ct.DynamicTopicModel(
        given.topics, n_inducing=given.nodes, batch_size=given.batch, max_epochs=given.epochs, seed=given.seed
    )
    with timed(f"Trained on {len(train):,} documents, passes: {given.epochs}", peak) as took:
        model.fit(train)
    speed = given.epochs * len(train) / took[0]
    print(f"{speed:,.0f} documents per second, start included", flush=True)
    with timed(f"Evaluated on {len(test):,} documents of {test.n_times} days never seen", peak):
        found = model.perplexity(test)
    truth, plain = floor(test, np.load(folder / "topics.npy")), unigram(train, test)
    print(f"Perplexity {found:,.1f}; of the topics drawn {truth:,.1f}; of word frequencies {plain:,.1f}", flush=True)
    return {"resident": peak.resident, "perplexity": found, "truth": truth, "unigram": plain, "speed": speed}


def main(argv: Sequence[str] | None = None) -> dict[str, Any]:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="20,000 short documents: only a trial")
    parser.add_argument("--folder", type=Path, help="for the corpus, about 1.3 GB; a temporary one by default")
    for name, value in FULL.items():
        parser.add_argument(f"--{name}", type=int, help=f"{value:,} by default, {QUICK[name]:,} for a trial")
    parser.add_argument("--nodes", type=int, help="of the time grid; by default what the kernel needs")
    parser.add_argument("--epochs", type=int, default=1, help="passes over the corpus")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(argv)
    for name, value in (QUICK if given.quick else FULL).items():
        setattr(given, name, getattr(given, name) or value)
    peak = Peak()
    try:
        with timed("All", peak):
            if given.folder:
                given.folder.mkdir(parents=True, exist_ok=True)
                return run(given, given.folder, peak)
            with tempfile.TemporaryDirectory(prefix="chronotope-") as folder:
                return run(given, Path(folder), peak)
    except (ValueError, OSError, MemoryError) as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
