"""What a user waits for before anything is learned: the import, the help, and loops compiled by the first fit."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.corpora import in_order
from benchmarks.processes import ROOT, Entry, carry_out
from chronotope import Corpus

REPEATS = 3
DOCUMENTS, WORDS, TOPICS = 200, 500, 5
COMMANDS = {
    "python -c pass": "pass",
    "import chronotope": "import chronotope",
    "chronotope --help": "import sys; sys.argv = ['chronotope', '--help']; from chronotope.cli import main; main()",
}


def measure_startup(corpus: Corpus, threads: int, folder: Path) -> dict[str, Any]:
    """Seconds of each command, the best of a few, and of a first and a second fit with an empty cache."""
    result: dict[str, Any] = {name: _best(code) for name, code in COMMANDS.items()}
    few = in_order(corpus).sample(DOCUMENTS).frequent(WORDS).save(folder / "few.npz")
    entry = Entry("first fit", "first_fit", {"n_topics": TOPICS})
    with tempfile.TemporaryDirectory(prefix="numba-") as cache:
        for name in ("first fit, nothing compiled yet", "second fit, in a new process"):
            result[name] = carry_out(entry, few, None, threads, NUMBA_CACHE_DIR=cache).facts.get("seconds")
    for name, seconds in result.items():
        print(f"  {name}: {seconds} s" if seconds is None else f"  {name}: {seconds:.2f} s", flush=True)
    return result


def _best(code: str) -> float:
    path = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))
    seconds = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, check=True, **quiet)
        seconds.append(time.perf_counter() - began)
    return min(seconds)
