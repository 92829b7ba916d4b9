"""Counts and times of documents as every system is given them, and the file they travel in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp


@dataclass(frozen=True)
class Documents:
    """Documents in order of time: counts (D, V) CSR of int32, times (D,) and vocabulary (V,).

    It knows nothing of Chronotope, so that a peer's memory is its own.
    """

    counts: Any
    times: np.ndarray
    vocabulary: np.ndarray

    def __len__(self) -> int:
        return int(self.counts.shape[0])

    def take(self, rows: np.ndarray | slice) -> Documents:
        """The documents of these rows."""
        return Documents(self.counts[rows], self.times[rows], self.vocabulary)

    def sample(self, n: int, seed: int = 0) -> Documents:
        """At most n documents, drawn at random and left in order."""
        rows = np.random.default_rng(seed).permutation(len(self))[:n]
        return self.take(np.sort(rows))

    def frequent(self, n: int) -> Documents:
        """The n most frequent words alone."""
        totals = np.asarray(self.counts.sum(axis=0)).ravel()
        keep = np.argsort(-totals, kind="stable")[:n]
        return self.with_words(self.vocabulary[np.sort(keep)])

    def with_words(self, words: np.ndarray) -> Documents:
        """These words alone, and the documents that have any of them."""
        column = {word: i for i, word in enumerate(self.vocabulary)}
        counts = self.counts[:, [column[word] for word in words]]
        some = np.asarray(counts.sum(axis=1)).ravel() > 0
        return Documents(counts[some], self.times[some], words)

    def rounded(self, n: int) -> Documents:
        """The same documents at n distinct times at most, evenly spaced."""
        first, last = self.times.min(), self.times.max()
        step = max((last - first) / max(n - 1, 1), np.finfo(float).tiny)
        return replace(self, times=first + step * np.round((self.times - first) / step))

    def save(self, path: Path) -> Path:
        """Write to a file that `load` reads."""
        c = sp.csr_matrix(self.counts)
        arrays = {"data": c.data, "indices": c.indices, "indptr": c.indptr, "shape": c.shape}
        np.savez(path, times=self.times, vocabulary=self.vocabulary, **arrays)
        return path

    @classmethod
    def load(cls, path: str | Path) -> Documents:
        """Read what `save` wrote."""
        with np.load(path) as a:
            counts = sp.csr_matrix((a["data"], a["indices"], a["indptr"]), shape=tuple(a["shape"]))
            return cls(counts, a["times"], a["vocabulary"])
