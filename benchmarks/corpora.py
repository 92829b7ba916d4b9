"""Which corpus is used, and how it is parted into what is learned from and what is scored."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import scipy.sparse as sp

from benchmarks.documents import Documents
from chronotope import Corpus, Preprocessing, datasets, read_corpus

ARXIV = Path(__file__).resolve().parents[2] / "shared" / "data" / "arxiv_abstracts" / "docs.jsonl.gz"
HELD_OUT, SPLIT_SEED = 0.15, 1  # share of the distinct times, and the seed they are drawn with


def choose_corpus(path: str | None, words: int) -> tuple[str, Corpus]:
    """A name to print and the corpus: the file given, else arXiv abstracts, else the State of the Union.

    path : a file, or "sotu" for the State of the Union
    """
    options = Preprocessing.paper(max_vocabulary=words)
    if path == "sotu":
        return "State of the Union", datasets.state_of_the_union(options)
    if path is not None:
        return Path(path).name, read_corpus(path, options, keep_texts=False)
    if ARXIV.is_file():
        return "arXiv abstracts", read_corpus(ARXIV, options, text="text", time="time", metadata=[], keep_texts=False)
    print(
        f"No {ARXIV.parent.name} beside the project: the State of the Union instead; its ratios are not the targets'."
    )
    return "State of the Union (no arXiv abstracts at hand)", datasets.state_of_the_union(options)


def in_order(corpus: Corpus) -> Documents:
    """The documents of a corpus in order of time."""
    order = np.argsort(corpus.times, kind="stable")
    return Documents(sp.csr_matrix(corpus.counts[order]), corpus.times[order], corpus.vocabulary)


def part(corpus: Corpus, most: int) -> tuple[Documents, Documents]:
    """Training and test documents, of these at most so many: whole times are held out."""
    train, test = corpus.split_times(HELD_OUT, SPLIT_SEED)
    return in_order(train), in_order(test).sample(most)


def describe(name: str, train: Documents, test: Documents) -> str:
    """One line on what is learned from and what is scored."""
    T, V = len(np.unique(train.times)), train.counts.shape[1]
    tokens = int(train.counts.sum())
    return f"{name}: {len(train):,} documents, {tokens:,} tokens, {T:,} times, {V:,} words; {len(test):,} scored"
