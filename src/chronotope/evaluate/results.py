"""Finished runs in a folder, a small JSON file each, so that an interrupted comparison goes on where it stopped."""

from __future__ import annotations

import hashlib
import json
import re
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from chronotope._version import __version__
from chronotope.evaluate.runs import STATIC, Run, Task
from chronotope.files import replacing
from chronotope.fingerprints import as_json, mattering

FORMAT = 1


@dataclass(frozen=True)
class Results:
    """Finished runs on one corpus and one split.

    folder : where the files are;  corpus : its fingerprint;  span : its first and last time
    test_size, split_seed : the share of held-out time stamps, and the seed they were drawn with
    """

    folder: Path
    corpus: str
    span: tuple[float, float]
    test_size: float
    split_seed: int

    def path(self, task: Task) -> Path:
        """The file of a run: its kernel, its seed, and a digest of all that its result depends on."""
        kernel = STATIC if task.kernel is None else task.kernel.text
        readable = re.sub(r"[^A-Za-z0-9.]+", "-", kernel).strip("-")[:40]
        return self.folder / f"{readable}-seed{task.seed}-{_digest(self.settings(task))[:12]}.json"

    def settings(self, task: Task) -> dict[str, Any]:
        """All that a result depends on, as JSON has it."""
        shared = {"format": FORMAT, "version": __version__, "corpus": self.corpus}
        shared |= {"test_size": self.test_size, "split_seed": self.split_seed}
        if task.kernel is None:
            own = {"kernel": STATIC, "n_topics": task.n_topics, "seed": task.seed, "passes": task.static_passes}
        else:
            own = mattering(task.model().get_params(deep=False), self.span)
        return as_json(shared | own)

    def read(self, task: Task) -> Run | None:
        """The stored run; None where there is none, or one that is not to be trusted, which a warning says."""
        path = self.path(task)
        if not path.exists():
            return None
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            if content["settings"] != self.settings(task):
                raise ValueError("it is of another corpus or other settings")
            if content["digest"] != _digest([content["settings"], content["run"]]):
                raise ValueError("it was changed after it was written")
            return Run(**(content["run"] | {"name": task.name}))
        except (ValueError, KeyError, TypeError, OSError, RecursionError) as error:
            why = error if type(error) is ValueError else "it cannot be read as one"
            warnings.warn(f"{path} is not used as a result: {why}. The run is done again.", UserWarning, stacklevel=2)
            return None

    def write(self, task: Task, run: Run) -> None:
        """Store a finished run; the file appears whole or not at all."""
        settings, values = self.settings(task), asdict(run)
        content = {"settings": settings, "run": values, "digest": _digest([settings, values])}
        with replacing(self.path(task)) as path:
            path.write_text(json.dumps(content, indent=1), encoding="utf-8")


def _digest(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
