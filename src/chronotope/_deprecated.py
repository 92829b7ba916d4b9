"""Names of version 0.1 that have moved: they work for one version more, with a warning that names the new place."""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

REMOVED_IN = "0.3"
MODULES = {  # modules of 0.1, and the module that has their content now
    "answers": "analysis",
    "answers.bursts": "analysis.bursts",
    "answers.candidates": "analysis.candidates",
    "answers.draws": "analysis.questions",
    "answers.groups": "analysis.prevalence",
    "answers.periods": "dates.periods",
    "answers.questions": "analysis.questions",
    "answers.rolling": "analysis.forecast",
    "answers.shares": "analysis.prevalence",
    "answers.words": "analysis.words",
    "answers.writing": "analysis.export",
    "building": "corpus.build",
    "checkpoints": "storage.checkpoint",
    "checks": "model.params",
    "counts": "corpus.counts",
    "datasets.nitf": "datasets.newspaper",
    "demo": "cli.demo",
    "describe": "display.describe",
    "evaluate.completion": "model.completion",
    "evaluate.processes": "evaluate.runner",
    "evaluate.results": "evaluate.runs",
    "evaluate.sample": "evaluate.change",
    "files": "storage.atomic",
    "filters": "text.build",
    "fingerprints": "storage.digest",
    "folders": "corpus.disk",
    "growing": "corpus.arrays",
    "inference.arithmetic": "inference.simd",
    "inference.collapsed": "inference.cvb0",
    "inference.learn": "inference.hyper",
    "inference.local": "inference.meanfield",
    "inference.schedule": "inference.loop",
    "inference.sites": "inference.natural_gradient",
    "inference.start": "inference.init",
    "io": "model.persistence",
    "kernels.markov": "kernels.statespace",
    "kernels.questions": "kernels.presets",
    "kernels.text": "kernels.parse",
    "languages": "text.languages",
    "later": "model.update",
    "lemmas": "text.languages",
    "lexicon": "text.build",
    "markup": "text.tokenize",
    "memory": "model.memory",
    "months": "dates.months",
    "notebook": "display.notebook",
    "phrases": "text.phrases",
    "plots.bound": "plots.comparison",
    "plots.labels": "plots.axes",
    "prepared": "corpus.align",
    "progress": "display.progress",
    "readers.archives": "readers.open",
    "readers.choose": "readers.dispatch",
    "readers.clock": "dates.columns",
    "readers.counts": "readers.matrix",
    "readers.date_parts": "readers.columns",
    "readers.delimited": "readers.tables",
    "readers.file_dates": "readers.folder",
    "readers.file_table": "readers.folder",
    "readers.frames": "readers.tables",
    "readers.json_lines": "readers.json",
    "readers.mail": "readers.mbox",
    "readers.opening": "readers.open",
    "readers.parquet": "readers.tables",
    "readers.reading": "readers.records",
    "removed": "text.report",
    "report.excerpts": "report.documents",
    "report.happened": "report.collect",
    "report.look": "report.survey",
    "report.pack": "report.encode",
    "reread": "text.replay",
    "scopes": "model.runtime",
    "stopwords": "text.languages",
    "structure": "gp",
    "structure.base": "gp.base",
    "structure.dense": "gp.dense",
    "structure.dense_solve": "gp.dense_solve",
    "structure.grid": "gp.grid",
    "structure.growth": "gp.grid",
    "structure.markov": "gp.markov",
    "structure.markov_states": "gp.kalman_state",
    "structure.markov_sweep": "gp.markov",
    "structure.markov_values": "gp.kalman_scalar",
    "tables": "display.tables",
    "tensors": "storage.tensors",
    "themes": "analysis.keywords",
    "times": "dates.decimal",
    "token_store": "text.store",
    "tokens": "text.tokenize",
    "vocabulary": "corpus.align",
    "written": "dates.parse",
}
ALSO = {  # further modules that have part of the content
    "building": ("corpus.corpus",),
    "fingerprints": ("model.params", "corpus.corpus"),
    "folders": ("corpus.corpus",),
    "io": ("storage.model_file",),
    "prepared": ("text.options",),
    "tokens": ("text.build",),
}
NAMES = {  # names of 0.1, by module, that are others now
    "answers": {
        "events": "find_events",
        "forecast": "forecast_words",
        "top_words": "top_words_table",
        "trajectories": "trajectory_table",
    },
    "answers.bursts": {"Run": "Burst", "runs_of": "bursts_of"},
    "answers.words": {
        "learned": "topics_of",
        "top_words": "top_words_table",
        "trajectories": "trajectory_table",
    },
    "inference.local": {"local_step": "meanfield_step"},
    "inference.sites": {"step_sites": "natural_gradient_step"},
    "io": {"save_model": "write_model", "read_file": "read_model"},
    "kernels.questions": {"Question": "Preset", "QUESTIONS": "PRESETS", "find_question": "find_preset"},
    "prepared": {"stored": "options_to_json", "restored": "options_from_json"},
    "structure": {"Reading": "NodeWeights", "read_nodes": "node_weights"},
}
TEXT = {  # names that chronotope.text had when it was a module
    "CountedWords": "corpus.build",
    "TextStream": "corpus.build",
    "check_texts": "corpus.build",
    "count_texts": "corpus.build",
    "count_words": "corpus.build",
    "global_score": "text.build",
}


def warn(old: str, new: str, level: int = 3) -> None:
    """Say where a name has gone."""
    sentence = f"chronotope.{old} is now chronotope.{new}; the old name will be removed in {REMOVED_IN}."
    warnings.warn(sentence, DeprecationWarning, stacklevel=level)


def renamed(old: str, new: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function under its old name."""

    def call(*given: Any, **named: Any) -> Any:
        warn(old, new)
        return function(*given, **named)

    call.__doc__ = f"Deprecated: use chronotope.{new}."
    return call


def moved_text(name: str) -> Any:
    """What chronotope.text had under this name."""
    if name not in TEXT:
        raise AttributeError(f"module 'chronotope.text' has no attribute {name!r}")
    warn(f"text.{name}", f"{TEXT[name]}.{name}")
    return getattr(importlib.import_module(f"chronotope.{TEXT[name]}"), name)


class MovedModules(MetaPathFinder, Loader):
    """Finds the modules of 0.1; each forwards its names."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """A module that forwards, if this is one of 0.1."""
        old = fullname.removeprefix("chronotope.")
        if not fullname.startswith("chronotope.") or old not in MODULES:
            return None
        return ModuleSpec(fullname, self, is_package=any(other.startswith(f"{old}.") for other in MODULES))

    def create_module(self, spec: ModuleSpec) -> None:
        """An ordinary module."""

    def exec_module(self, module: ModuleType) -> None:
        """Forward the names of the module."""
        old = module.__name__.removeprefix("chronotope.")
        homes, names = (MODULES[old], *ALSO.get(old, ())), NAMES.get(old, {})

        def forward(name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            for home in homes:
                content = importlib.import_module(f"chronotope.{home}")
                if hasattr(content, now := names.get(name, name)):
                    warn(f"{old}.{name}", f"{home}.{now}")
                    return getattr(content, now)
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")

        module.__dict__["__getattr__"] = forward


def install() -> None:
    """Make the modules of 0.1 importable."""
    if not any(isinstance(finder, MovedModules) for finder in sys.meta_path):
        sys.meta_path.append(MovedModules())
