"""Dynamic topic models with Gaussian process priors: how did what people write about change over time?"""

from __future__ import annotations

import importlib
import logging
from typing import TYPE_CHECKING, Any

from chronotope import _deprecated
from chronotope._version import __version__

if TYPE_CHECKING:
    from chronotope import analysis as analysis
    from chronotope import cluster as cluster
    from chronotope import datasets as datasets
    from chronotope import evaluate as evaluate
    from chronotope import kernels as kernels
    from chronotope import plots as plots
    from chronotope import readers as readers
    from chronotope.corpus import Corpus as Corpus
    from chronotope.corpus import CorpusWriter as CorpusWriter
    from chronotope.corpus import open_corpus as open_corpus
    from chronotope.dates.rough import RoughDates as RoughDates
    from chronotope.kernels import Cauchy as Cauchy
    from chronotope.kernels import Constant as Constant
    from chronotope.kernels import FunctionKernel as FunctionKernel
    from chronotope.kernels import Linear as Linear
    from chronotope.kernels import Matern as Matern
    from chronotope.kernels import OrnsteinUhlenbeck as OrnsteinUhlenbeck
    from chronotope.kernels import Periodic as Periodic
    from chronotope.kernels import RationalQuadratic as RationalQuadratic
    from chronotope.kernels import SquaredExponential as SquaredExponential
    from chronotope.kernels import White as White
    from chronotope.kernels import Wiener as Wiener
    from chronotope.kernels import parse_kernel as parse_kernel
    from chronotope.model import DynamicTopicModel as DynamicTopicModel
    from chronotope.model import load as load
    from chronotope.readers import read_corpus as read_corpus
    from chronotope.report import write_report as write_report
    from chronotope.text import Phrases as Phrases
    from chronotope.text import Preprocessing as Preprocessing
    from chronotope.text.languages import stop_words as stop_words
    from chronotope.topics import Topics as Topics


_KERNELS = (
    "Cauchy",
    "Constant",
    "FunctionKernel",
    "Linear",
    "Matern",
    "OrnsteinUhlenbeck",
    "Periodic",
    "RationalQuadratic",
    "SquaredExponential",
    "White",
    "Wiener",
    "parse_kernel",
)
_HOMES = dict.fromkeys(_KERNELS, "kernels") | {
    "Corpus": "corpus",
    "CorpusWriter": "corpus",
    "DynamicTopicModel": "model",
    "Phrases": "text",
    "Preprocessing": "text",
    "RoughDates": "dates.rough",
    "Topics": "topics",
    "load": "model",
    "open_corpus": "corpus",
    "read_corpus": "readers",
    "stop_words": "text.languages",
    "write_report": "report",
}
_MODULES = ("analysis", "cluster", "datasets", "evaluate", "kernels", "plots", "readers")

__all__ = ["__version__", *_MODULES, *sorted(_HOMES)]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for, so that `import chronotope` stays quick."""
    if name in _MODULES or name in _deprecated.MODULES:
        return importlib.import_module(f"chronotope.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'chronotope' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"chronotope.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


_deprecated.install()
logging.getLogger("chronotope").addHandler(logging.NullHandler())
