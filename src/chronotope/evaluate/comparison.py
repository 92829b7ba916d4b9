"""What a comparison of kernels found, as a table like the paper's."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chronotope.evaluate.runs import Failure, Run
from chronotope.files import replacing
from chronotope.tables import markdown_table, number, text_table

Floats = NDArray[np.float64]

SET = ("origin", "nu")  # parameters that belong to a kernel's definition rather than to its values


@dataclass(frozen=True)
class Comparison:
    """Runs of several kernels on one corpus and one split.

    names : of the kernels, in the order given;  baseline : the one that ratios are to
    runs, failures : what finished, and what failed with which sentence;  about : the corpus and the split in words
    """

    names: tuple[str, ...]
    baseline: str
    runs: tuple[Run, ...]
    failures: tuple[Failure, ...]
    about: str

    @property
    def best(self) -> str:
        """The kernel of lowest mean perplexity."""
        if not self.runs:
            raise ValueError(f"none of the runs finished, so no kernel is best; the first: {self.failures[0].sentence}")
        return min((name for name in self.names if self.of(name)), key=lambda name: self.perplexities(name).mean())

    def of(self, name: str) -> list[Run]:
        """The finished runs of a kernel, in the order of the seeds given."""
        return [run for run in self.runs if run.name == name]

    def perplexities(self, name: str) -> Floats:
        """Held-out perplexities of a kernel, one for each finished seed."""
        return np.array([run.perplexity for run in self.of(name)])

    def bounds(self) -> dict[str, tuple[list[float], list[float]]]:
        """Documents seen and bounds of each kernel's first finished run, for `plot_bounds`."""
        first = {name: self.of(name)[0] for name in self.names if self.of(name)}
        return {name: (run.documents_seen, run.bounds) for name, run in first.items() if run.bounds}

    def table(self) -> pd.DataFrame:
        """A row for each kernel, numbers as they are.

        perplexity, sd : mean and spread over seeds;  standard_error : over documents, the mean of the runs'
        ratio : of mean perplexities, to the baseline's, over the seeds that both finished;  seconds : mean of a run
        runs : how many finished;  hyperparameters : as fitted;  failed : the sentences of those that failed
        """
        return pd.DataFrame([self._row(name) for name in self.names])

    def to_text(self) -> str:
        """The table for the screen, with what it is about and what the columns are."""
        return "\n".join([self.about, "", text_table(self._shown()), "", *self._notes()])

    def to_markdown(self) -> str:
        """The same in Markdown."""
        notes = "\n".join(f"- {note}" for note in self._notes())
        return "\n".join([self.about, "", markdown_table(self._shown()), "", notes])

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the numbers of the table."""
        with replacing(path) as temporary:
            self.table().to_csv(temporary, index=False)

    def _row(self, name: str) -> dict[str, object]:
        runs, values = self.of(name), self.perplexities(name)
        return {
            "kernel": name,
            "perplexity": _mean(values),
            "sd": float(values.std(ddof=1)) if len(values) > 1 else float("nan"),
            "standard_error": _mean(run.standard_error for run in runs),
            "ratio": self._ratio(name),
            "seconds": _mean(run.seconds for run in runs),
            "runs": len(runs),
            "hyperparameters": _hyperparameters(runs),
            "failed": "; ".join(f"seed {fail.seed}: {fail.sentence}" for fail in self.failures if fail.name == name),
        }

    def _ratio(self, name: str) -> float:
        own, base = ({run.seed: run.perplexity for run in self.of(each)} for each in (name, self.baseline))
        shared = own.keys() & base.keys()
        return _mean(own[seed] for seed in shared) / _mean(base[seed] for seed in shared)

    def _shown(self) -> pd.DataFrame:
        """The table in strings."""
        table = self.table()
        shown = {
            "kernel": table["kernel"],
            "perplexity": table["perplexity"].map(lambda value: number(value, 5)).replace("", "failed"),
            "sd": table["sd"].map(lambda value: number(value, 2)),
            "standard error": table["standard_error"].map(lambda value: number(value, 2)),
            "ratio": table["ratio"].map("{:.3f}".format).replace("nan", ""),
            "seconds": table["seconds"].map(lambda value: number(value, 2)),
            "hyperparameters": table["hyperparameters"],
        }
        return pd.DataFrame(shown)

    def _notes(self) -> list[str]:
        legend = "perplexity: mean over seeds, lower is better; sd: over seeds; standard error: over held-out documents"
        failed = [f"failed: {fail.name}, seed {fail.seed}: {fail.sentence}" for fail in self.failures]
        return [legend, f"ratio: to {self.baseline}", *failed]


def _mean(values: Iterable[float]) -> float:
    """The mean; NaN of nothing."""
    known = list(values)
    return float(np.mean(known)) if known else float("nan")


def _hyperparameters(runs: list[Run]) -> str:
    """Parameters as fitted, a range where the seeds do not agree; of topics that never change, alpha."""
    names = [name for name in (runs[0].parameters if runs else ()) if name.rpartition(".")[2] not in SET]
    found = {name: [run.parameters[name] for run in runs] for name in names}
    if runs and not runs[0].parameters:
        found = {"alpha": [run.alpha["mean"] for run in runs]}
    return ", ".join(f"{name} {_range(values)}" for name, values in found.items())


def _range(values: list[float]) -> str:
    low, high = f"{min(values):.4g}", f"{max(values):.4g}"
    return low if low == high else f"{low} to {high}"
