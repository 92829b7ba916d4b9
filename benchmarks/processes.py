"""Systems started in processes of their own, and what they report."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
LIMITED = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Entry(NamedTuple):
    """A system under the name it has in tables, with its options."""

    name: str
    system: str
    options: Mapping[str, Any]


@dataclass
class Run:
    """What came of an entry.

    points : label, seconds and perplexity along the way;  facts : what the system says of itself;  peak : memory, GB
    failure : why there is nothing, else None
    """

    points: list[dict[str, Any]] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    peak: float | None = None
    failure: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)


def carry_out(entry: Entry, train: Path, test: Path | None, threads: int, **environment: str) -> Run:
    """Run a system in a fresh process; a failure is part of the result, not the end of the others."""
    options = {**entry.options, "threads": threads}
    job = {"system": entry.system, "train": str(train), "test": str(test) if test else None, "options": options}
    run = Run()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder, (Path(folder) / "stderr").open("w+") as errors:
        file = Path(folder) / "job.json"
        file.write_text(json.dumps(job), encoding="utf-8")
        command = [sys.executable, "-m", "benchmarks.worker", str(file)]
        pipe = {"stdout": subprocess.PIPE, "stderr": errors, "text": True}
        with subprocess.Popen(command, cwd=ROOT, env=_environment(threads, environment), **pipe) as process:
            try:
                _listen(process, entry.name, run)
            except BaseException:
                process.kill()
                raise
        if process.returncode or run.peak is None:
            errors.seek(0)
            run.failure = _reason(errors.read(), process.returncode)
            print(f"  {entry.name}: {run.failure}", flush=True)
    return run


def _environment(threads: int, more: Mapping[str, str]) -> dict[str, str]:
    path = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path, **dict.fromkeys(LIMITED, str(threads)), **more}


def _listen(process: subprocess.Popen[str], name: str, run: Run) -> None:
    """Take in the lines of a worker as they come."""
    assert process.stdout is not None
    for line in process.stdout:
        if not line.startswith("{"):  # some systems talk
            continue
        said = json.loads(line)
        if "facts" in said:
            run.facts, run.peak = said["facts"], said["peak"]
        else:
            run.points.append(said)
            print(f"  {name}, {said['label']}: {said['perplexity']:,.1f} in {said['seconds']:.2f} s", flush=True)


def _reason(errors: str, code: int) -> str:
    """Why a process ended: the last line it wrote, or the signal that ended it."""
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    if code < 0:
        return f"ended by signal {-code}"
    last = lines[-1] if lines else f"ended with code {code}"
    return last.replace("ModuleNotFoundError: No module named", "not installed:")
