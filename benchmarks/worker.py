"""One system in a process of its own:  python -m benchmarks.worker JOB.json  prints a line of JSON at every report."""

from __future__ import annotations

import importlib
import json
import os
import resource
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.documents import Documents

SYSTEMS = {
    "chronotope": "benchmarks.ours",
    "first_fit": "benchmarks.ours",
    "sklearn_lda": "benchmarks.peers",
    "tomotopy_lda": "benchmarks.peers",
    "tomotopy_dtm": "benchmarks.peers",
    "topica_lda": "benchmarks.peers",
    "gensim_dtm": "benchmarks.peers",
}


def main(path: str) -> None:
    """Carry out a job: {"system", "train": file, "test": file or null, "options": {...}}."""
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    job = json.loads(Path(path).read_text(encoding="utf-8"))
    system = getattr(importlib.import_module(SYSTEMS[job["system"]]), job["system"])
    test = Documents.load(job["test"]) if job["test"] else None
    memory: list[float] = []

    def report(label: str, seconds: float, topics_at: Callable[[np.ndarray], np.ndarray]) -> None:
        memory.append(peak_memory())
        if test is not None:
            say(label=label, seconds=seconds, perplexity=_score(test, topics_at))

    facts = system(Documents.load(job["train"]), report, **job["options"])
    scored = test is not None and bool(memory)
    say(facts=facts, peak=memory[0] if scored else peak_memory())


def _end_with(parent: int) -> None:
    """End soon after the process that waits: a killed benchmark leaves nothing behind that computes."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


def _score(test: Documents, topics_at: Callable[[np.ndarray], np.ndarray]) -> float:
    """Imported here, so that what a peer needs has been measured before."""
    from benchmarks.evaluator import held_out_perplexity

    return held_out_perplexity(test, topics_at)


def peak_memory() -> float:
    """The most memory this process has held so far, in GB.

    Linux counts what the parent held at the fork in ru_maxrss; VmHWM begins with the process' own program.
    """
    status = Path("/proc/self/status")
    if status.is_file():
        line = next((line for line in status.read_text().splitlines() if line.startswith("VmHWM")), None)
        if line is not None:
            return int(line.split()[1]) / 2**20
    unit = 2**30 if sys.platform == "darwin" else 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def say(**what: Any) -> None:
    """A line for the process that waits."""
    print(json.dumps(what), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
