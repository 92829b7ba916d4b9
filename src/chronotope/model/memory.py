"""Memory that a fit needs, and memory that is available."""

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
from chronotope.display.progress import is_shown
from chronotope.gp import DenseStructure, Structure
from chronotope.inference.documents import TASKS
from chronotope.inference.init import static_part
from chronotope.inference.pace import NODES, Pace
from chronotope.inference.state import Settings

# arrays (J, K, V) in memory at once: a posterior and its last good state, and in the rounds of drawing after the fit
# another one, a draw and what it is made of, statistics, sums
ALIVE = 24
ALIVE_BETWEEN = 8  # of these, between two steps, where the kernel is learned from left-out times
TRIED = 12  # arrays of the trial of kernels, on its nodes: topics, statistics, a posterior, some tables by word
PER_DOCUMENT = 120  # bytes: time, node, weights, order
PER_ENTRY = 32  # bytes per count of a document in use: column and count, as read and as processed
LIMITED = {"Max address space": "VmSize:", "Max data size": "VmData:"}  # limits of a process, and what they count
PROGRAM = 200_000_000  # bytes: compiled code and its scratch arrays


class Need(NamedTuple):
    """Peak memory of a fit in bytes, without the corpus.

    topics : on the time grid;  documents : of a step;  tracks : number of groups or places, each with a time grid
    """

    topics: float
    documents: float
    tracks: int = 1

    @property
    def total(self) -> float:
        """All of it, with the program."""
        return self.topics + self.documents + PROGRAM


def memory_needed(
    structure: Structure, n_topics: int, corpus: Corpus, dtype: str, settings: Settings, tracks: int = 1
) -> Need:
    """Peak memory of a fit.   tracks : S, groups or places; J here are the nodes of all of them

    topics : arrays (J, K, V), those of the trial of kernels, the rows of statistics of the tasks and, for a kernel
        that is not Markov, the covariance of r weights, (r (r + 1) / 2, K, V)
    documents : a few numbers per document, and the counts of those processed in one step or by the initialisation
    """
    D, V = len(corpus), corpus.n_words
    plane = float(n_topics * V * np.dtype(dtype).itemsize)
    J = len(structure.nodes)
    trial = ALIVE_BETWEEN * J + TRIED * min(J, NODES * tracks) if isinstance(settings.learning, Pace) else 0
    planes = max(ALIVE * J, trial) + 2 * TASKS
    if isinstance(structure, DenseStructure):
        planes += structure.rank * (structure.rank + 3) // 2
    share = min(settings.batch_size / D, 1.0)
    entries = float(corpus.stored.sizes.sum())
    in_use = entries * max(share, static_part(D, corpus.n_tokens), min(BLOCK / max(entries, 1.0), 1.0))
    shares = 24.0 * share * D * n_topics
    return Need(planes * plane, PER_DOCUMENT * D + PER_ENTRY * in_use + shares, tracks)


def check_memory(need: Need, available: float | None, verbose: bool | None) -> None:
    """Show how much memory a fit needs; raises MemoryError if that is more than available.

    available : in bytes, None if unknown;  verbose : None shows it if stderr is a terminal
    """
    there = "" if available is None else f"; {_gigabytes(available)} are available"
    sentence = f"this fit needs about {_gigabytes(need.total)} of memory{there}"
    if available is not None and need.total > available:
        raise MemoryError(f"{sentence}. {_advice(need)}")
    if is_shown(verbose):
        print(f"{sentence}.", file=sys.stderr)


def available_memory(root: PathLike = "/") -> int | None:
    """Bytes that this process can still use: those free on the machine, or fewer if it is limited.

    Limits are those of its control groups, as of a container, and its own, as by `ulimit -v`.
    root : folder of /proc and /sys.  Returns None if unknown.
    """
    found = [*_machine(Path(root) / "proc" / "meminfo"), *_control_groups(Path(root)), *_own_limits(Path(root))]
    return max(0, min(found)) if found else _elsewhere()


def _machine(path: Path) -> Iterator[int]:
    """Available memory according to Linux."""
    for line in _lines(path):
        name, _, value = line.partition(":")
        if name == "MemAvailable":
            yield int(value.split()[0]) * 1024


def _own_limits(root: Path) -> Iterator[int]:
    """Free address space and data of this process, as far as they are limited."""
    lines = [line.split() for line in _lines(root / "proc" / "self" / "status")]
    used = {line[0]: int(line[1]) * 1024 for line in lines if line and line[0] in LIMITED.values()}
    for line in _lines(root / "proc" / "self" / "limits"):
        for name, counter in LIMITED.items():
            soft = line.removeprefix(name).split()[:1] if line.startswith(name) else []
            if soft and soft[0].isdigit() and counter in used:
                yield int(soft[0]) - used[counter]


def _control_groups(root: Path) -> Iterator[int]:
    """Free memory within the limits of this process' control groups; cached files count as free."""
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
    """Total memory of a machine without /proc."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _lines(path: Path) -> list[str]:
    """The lines of a small file; none if it does not exist."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def _advice(need: Need) -> str:
    fewer = "Fewer" if need.tracks == 1 else "Fewer groups (join those of few documents) or cells (n_cells), fewer"
    topics = (
        f"{fewer} topics (n_topics), fewer words (Preprocessing(max_vocabulary=...)), fewer nodes of the time grid "
        '(n_inducing) or dtype="float32" need less'
    )
    documents = (
        "A smaller batch_size needs less, and a corpus on disk (corpus.save(folder), then ct.open_corpus(folder)) "
        "leaves more"
    )
    return f"{topics}." if need.topics >= need.documents else f"{documents}."


def _gigabytes(size: float) -> str:
    return f"{size / 1e9:,.1f} GB"
