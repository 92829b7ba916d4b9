"""How much memory a fit will need, and how much there is."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from chronotope._typing import PathLike
from chronotope.corpus.corpus import Corpus
from chronotope.corpus.counts import BLOCK
from chronotope.gp import DenseStructure, Structure
from chronotope.inference.documents import TASKS
from chronotope.inference.init import LDA_MOST
from chronotope.inference.state import Settings

ALIVE = 9  # arrays of the topics' size at once: m, s before and after a step, g, b, statistics, their mean and sum
ALIVE_LEARNING = 10  # and what the other times predict, while a kernel is learned
PER_DOCUMENT = 120  # bytes: times, places on the grid, order
PER_ENTRY = 32  # bytes of a word of a document that is being looked at: its number and count, as read and as used
PROGRAM = 200_000_000  # bytes: compiled code and the room it works in


class Need(NamedTuple):
    """Bytes a fit needs at its peak, beside the corpus: for topics on the time grid, and for documents."""

    topics: float
    documents: float

    @property
    def total(self) -> float:
        """Both, and the program's own."""
        return self.topics + self.documents + PROGRAM


def memory_needed(structure: Structure, n_topics: int, corpus: Corpus, dtype: str, settings: Settings) -> Need:
    """What a fit will need at its peak.

    topics : so many arrays (nodes, topics, words), the tasks' rows of statistics and, for a kernel that is not Markov,
        the covariance of r weights, (r (r + 1) / 2, topics, words)
    documents : a few numbers for each, and all counts of those looked at in one step or by the start
    """
    D, V = len(corpus), corpus.n_words
    plane = float(n_topics * V * np.dtype(dtype).itemsize)
    alive = ALIVE_LEARNING if settings.learning else ALIVE
    planes = alive * len(structure.nodes) + 2 * TASKS
    if isinstance(structure, DenseStructure):
        planes += structure.rank * (structure.rank + 3) // 2
    share = min(settings.batch_size / D, 1.0)
    entries = float(corpus.stored.sizes.sum())
    looked_at = entries * max(share, min(LDA_MOST / D, 1.0), min(BLOCK / max(entries, 1.0), 1.0))
    shares = 24.0 * share * D * n_topics
    return Need(planes * plane, PER_DOCUMENT * D + PER_ENTRY * looked_at + shares)


def check_memory(need: Need, available: float | None, verbose: bool | None) -> None:
    """Say how much a fit needs, and refuse it where that is more than there is."""
    there = "" if available is None else f"; {_gigabytes(available)} are available"
    sentence = f"this fit needs about {_gigabytes(need.total)} of memory{there}"
    if available is not None and need.total > available:
        raise MemoryError(f"{sentence}. {_advice(need)}")
    if sys.stderr.isatty() if verbose is None else verbose:
        print(f"{sentence}.", file=sys.stderr)


def available_memory(root: PathLike = "/") -> int | None:
    """Bytes this process may still use: what the machine has left, or less if a control group limits it.

    None where nobody can tell.  root : where /proc and /sys are
    """
    found = [*_machine(Path(root) / "proc" / "meminfo"), *_control_groups(Path(root))]
    return max(0, min(found)) if found else _elsewhere()


def _machine(path: Path) -> Iterator[int]:
    """What Linux says is available."""
    for line in _lines(path):
        name, _, value = line.partition(":")
        if name == "MemAvailable":
            yield int(value.split()[0]) * 1024


def _control_groups(root: Path) -> Iterator[int]:
    """What the limits of this process' control group, and of those it is in, leave; memory of files counts as free."""
    for line in _lines(root / "proc" / "self" / "cgroup"):
        _, controllers, path = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        top = root / "sys/fs/cgroup" / ("memory" if controllers else "")
        limit, used, cached = (
            ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
            if controllers
            else ("memory.max", "memory.current", "inactive_file")
        )
        group = top / path.strip("/")
        for folder in (group, *group.parents):
            if not folder.is_relative_to(top):
                break
            most, now = (" ".join(_lines(folder / name)) for name in (limit, used))
            if most.isdigit() and now.isdigit():
                files = [line.split()[1] for line in _lines(folder / "memory.stat") if line.split()[0] == cached]
                yield int(most) - int(now) + sum(int(size) for size in files)


def _elsewhere() -> int | None:
    """All memory of a machine without /proc."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _lines(path: Path) -> list[str]:
    """The lines of a small file, none if there is no such file."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def _advice(need: Need) -> str:
    topics = (
        "Fewer topics (n_topics), fewer words (Preprocessing(max_vocabulary=...)), fewer nodes of the time grid "
        '(n_inducing) or dtype="float32" need less'
    )
    documents = (
        "A smaller batch_size needs less, and a corpus on disk (corpus.save(folder), then ct.open_corpus(folder)) "
        "leaves more"
    )
    return f"{topics}." if need.topics >= need.documents else f"{documents}."


def _gigabytes(size: float) -> str:
    return f"{size / 1e9:,.1f} GB"
