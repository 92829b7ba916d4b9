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
FIRST, SECOND = "first small fit, nothing compiled yet", "second small fit, in a new process"
AGAIN = "second small fit, in the same process"
COMMANDS = {
    "python -c pass": "pass",
    "import chronotope": "import chronotope",
    "chronotope --help": "import sys; sys.argv = ['chronotope', '--help']; from chronotope.cli import main; main()",
}


def measure_startup(corpus: Corpus, threads: int, folder: Path) -> dict[str, Any]:
    """Seconds of each command, the best of a few; seconds and CPU seconds of a first and a second small fit.

    Those of a new process are the whole process, from its start to the fitted model.
    """
    result: dict[str, Any] = {name: {"seconds": _best(code), "cpu": None} for name, code in COMMANDS.items()}
    few = in_order(corpus).sample(DOCUMENTS).frequent(WORDS).save(folder / "few.npz")
    entry = Entry("first fit", "first_fit", {"n_topics": TOPICS})
    with tempfile.TemporaryDirectory(prefix="numba-") as cache:
        for name in (FIRST, SECOND):
            facts = carry_out(entry, few, None, threads, NUMBA_CACHE_DIR=cache, BEGAN=str(time.time())).facts
            result[name] = facts.get("first")
    result[AGAIN] = facts.get("again")
    for name, spent in result.items():
        print(f"  {name}: {'failed' if spent is None else in_words(spent)}", flush=True)
    if times := multiple(result):
        print(f"  the first small fit takes {times:.1f} times as long as the second in a new process", flush=True)
    return result


def multiple(startup: dict[str, Any]) -> float | None:
    """Seconds of the first small fit, compiling included, relative to the second in a new process."""
    first, second = startup.get(FIRST), startup.get(SECOND)
    return first["seconds"] / second["seconds"] if first and second else None


def in_words(spent: dict[str, Any]) -> str:
    """Seconds, and CPU seconds if they are known."""
    return f"{spent['seconds']:.2f} s" + ("" if spent["cpu"] is None else f", {spent['cpu']:.2f} CPU s")


def _best(code: str) -> float:
    path = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))
    seconds = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, check=True, **quiet)
        seconds.append(time.perf_counter() - began)
    return min(seconds)
