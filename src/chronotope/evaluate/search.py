"""Grid search for the hyperparameters of a kernel that predict held-out time stamps best, as in the paper."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from chronotope.corpus.corpus import Corpus
from chronotope.evaluate.comparison import Comparison, Kernels, compare, name_kernels
from chronotope.evaluate.runs import SKLEARN
from chronotope.kernels import Kernel, Recipe, as_kernel
from chronotope.kernels.parameters import duration
from chronotope.model.plan import kernel_span

Grid = Mapping[str, Iterable[float | str]]


@dataclass(frozen=True)
class Search:
    """Result of `grid_search`.

    best : Kernel, the one with the lowest perplexity
    comparison : Comparison of all kernels of the grid
    points : dict of dicts, the parameters of every kernel by its name in the comparison
    """

    best: Kernel
    comparison: Comparison
    points: dict[str, dict[str, float]]

    def table(self) -> pd.DataFrame:
        """A row per point of the grid, best first: parameters, columns of `Comparison.table`, ratio to the best."""
        scores = self.comparison.table().drop(columns=["ratio", "hyperparameters"]).set_index("kernel")
        scores.insert(3, "ratio", scores["perplexity"] / scores["perplexity"].min())
        points = pd.DataFrame(list(self.points.values()), index=list(self.points))
        return points.join(scores).sort_values("perplexity", kind="stable", ignore_index=True)


def grid_search(
    corpus: Corpus, kernel: Recipe | str, grid: Grid, seeds: Iterable[int] = (0,), **options: Any
) -> Search:
    """Fit a kernel with all combinations of hyperparameters, and score each on held-out time stamps of the corpus.

    corpus : Corpus, the training part: what is chosen by a score must be evaluated on other documents
    kernel : Kernel or str; unset parameters that are not in the grid follow from the span of the corpus
    grid : dict of lists, by the name of the parameter as in `kernel.theta_names`; numbers, durations such as "5 years",
        or multiples of the parameter's value such as "x2"
    seeds : list of int, default (0,)
    options : parameters of `compare`; test_size is the fraction of time stamps used for validation

    Returns a Search.   [hyperparameters]
    """
    given = as_kernel(kernel)
    kernels = grid_kernels(given.resolve(*kernel_span(given, corpus)), grid)
    comparison = compare(corpus, {text: made for text, (made, _) in kernels.items()}, seeds, **options)
    best = kernels[comparison.best][0]
    return Search(best, comparison, {text: point for text, (_, point) in kernels.items()})


def tune(
    corpus: Corpus, kernels: Kernels, grid: Grid, seeds: Iterable[int] = (0,), **options: Any
) -> dict[str, Recipe | str]:
    """Grid search for several kernels, each over the parameters of the grid that it has.

    corpus : Corpus, the training part
    kernels : list of Kernel or str, or dict of them by name, as in `compare`
    grid : dict of lists, as in `grid_search`; multiples such as "x2" suit kernels of different kinds, because the
        variance of a Wiener process is per unit of time
    seeds : list of int, default (0,)
    options : parameters of `compare`

    Returns a dict of the kernels by name, each with the best parameters; for `compare`.
    """
    chosen = name_kernels(kernels)
    known = {
        name: () if kernel is None else kernel.resolve(*kernel_span(kernel, corpus)).theta_names
        for name, kernel in chosen.items()
    }
    for name in grid:
        if not any(name in names for names in known.values()):
            raise ValueError(f"the grid has {name!r}, which none of the kernels {', '.join(chosen)} has; remove it.")
    tuned: dict[str, Recipe | str] = {}
    for name, kernel in chosen.items():
        own = {key: grid[key] for key in grid if key in known[name]}
        tuned[name] = SKLEARN if kernel is None else kernel
        if kernel is not None and own:
            tuned[name] = grid_search(corpus, kernel, own, seeds, **options).best
    return tuned


def grid_kernels(kernel: Kernel, grid: Grid) -> dict[str, tuple[Kernel, dict[str, float]]]:
    """The kernel at every point of a grid, and the point, by the text of the kernel."""
    own = {name: value for name, value in kernel.parameters.items() if name in kernel.theta_names and value is not None}
    axes = {name: _values(name, grid[name], own, kernel) for name in grid}
    if not axes:
        raise ValueError(f"the grid is empty; pass values for some of {', '.join(own)}.")
    points = [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]
    kernels = [kernel.with_values(np.array(list((own | point).values()))) for point in points]
    return {made.text: (made, point) for made, point in zip(kernels, points, strict=True)}


def _values(name: str, given: Iterable[float | str], own: Mapping[str, float], kernel: Kernel) -> list[float]:
    """Distinct values of a parameter, in the order given.   own : the kernel's own values by name."""
    if name not in own:
        raise ValueError(
            f"the grid has {name!r}, which is not a parameter of {kernel}; expected some of {', '.join(own)}."
        )
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ValueError(f"the grid has {given!r} for {name}; pass a list of values.")
    values = list(dict.fromkeys(_value(name, value, own[name]) for value in given))
    if not values:
        raise ValueError(f"the grid has no values for {name}; pass at least one.")
    return values


def _value(name: str, given: float | str, own: float) -> float:
    """A number, a duration, or a multiple of the parameter's own value, as a number."""
    if not (isinstance(given, str) and given.strip().lower().startswith("x")):
        return duration(name, given)
    try:
        factor = float(given.strip()[1:])
    except ValueError:
        factor = math.nan
    if not 0 < factor < math.inf:
        raise ValueError(f'the grid has {given!r} for {name}; pass a multiple such as "x0.5" or "x2".')
    return factor * own
