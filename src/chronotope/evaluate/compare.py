"""Kernels and numbers of topics side by side: each with several seeds, scored on time stamps it has not seen."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from operator import index
from typing import Any

from chronotope.corpus import Corpus
from chronotope.evaluate.comparison import Comparison
from chronotope.evaluate.processes import Outcome, Split, carry_out_all
from chronotope.evaluate.results import Results
from chronotope.evaluate.runs import STATIC, Failure, Run, Task
from chronotope.files import writable_folder
from chronotope.fingerprints import fingerprint
from chronotope.kernels import Kernel, Wiener, as_kernel
from chronotope.progress import counting_bar

Kernels = Iterable[Kernel | str] | Mapping[str, Kernel | str]


def compare(
    corpus: Corpus,
    kernels: Kernels,
    seeds: Iterable[int] = (0, 1, 2),
    *,
    n_topics: int | Iterable[int] = 20,
    test_size: float = 0.15,
    split_seed: int = 0,
    out: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    verbose: bool | None = None,
    **model_options: Any,
) -> Comparison:
    """Fit every kernel with every seed on one part of the time stamps, and score it on the others.

    kernels : kernels or their text forms, or a dict of them with names; "static" stands for topics that never change
    n_topics : one number, or several to choose from: then every kernel is fitted with each of them
    test_size, split_seed : share of the time stamps that is held out, and the seed they are drawn with
    out : folder in which every finished run is kept; called again, only what is missing is done
    jobs : processes; None for as many as help.  The results do not depend on it
    verbose : progress on the screen, None to show it there only where somebody is watching
    model_options : other parameters of DynamicTopicModel, the same for all

    A run that fails is a sentence in the table, and the others go on. The baseline is the first Wiener process, as
    in the paper, or else the first kernel, with the first number of topics.   [table 2]
    """
    chosen, sizes = name_kernels(kernels), _sizes(n_topics)
    tasks = _tasks(chosen, [index(seed) for seed in seeds], sizes, model_options)
    split = Split(test_size, split_seed)
    about = _about(corpus, split, sizes)
    results = _results(corpus, split, out)
    stored = [] if results is None else [run for task in tasks if (run := results.read(task)) is not None]
    outcomes: dict[tuple[str, int], Outcome] = {(run.name, run.seed): run for run in stored}
    left = [task for task in tasks if (task.name, task.seed) not in outcomes]
    with counting_bar(len(tasks), len(outcomes), verbose, "comparing kernels") as advance:
        for outcome in carry_out_all(left, corpus, split, results, jobs):
            outcomes[outcome.name, outcome.seed] = outcome
            advance()
    ordered = [outcomes[task.name, task.seed] for task in tasks]
    return Comparison(
        names=tuple(dict.fromkeys(task.name for task in tasks)),
        baseline=_name(_baseline(chosen), sizes[0], sizes),
        runs=tuple(outcome for outcome in ordered if isinstance(outcome, Run)),
        failures=tuple(outcome for outcome in ordered if isinstance(outcome, Failure)),
        about=about,
    )


def name_kernels(kernels: Kernels) -> dict[str, Kernel | None]:
    """Kernels by name, None for topics that never change; without names their text as given."""
    if isinstance(kernels, str | Kernel):
        raise ValueError(f'kernels is {str(kernels)!r}; pass several, such as ["wiener", "ou", "cauchy"].')
    given = list(kernels.items()) if isinstance(kernels, Mapping) else [(str(kernel), kernel) for kernel in kernels]
    if not given:
        raise ValueError('no kernels were given; pass at least one, such as ["wiener", "ou"].')
    chosen: dict[str, Kernel | None] = {}
    for name, kernel in ((str(name).strip(), kernel) for name, kernel in given):
        if name in chosen:
            raise ValueError(f"the kernel {name!r} is given twice; give it once, or other names in a dict.")
        static = isinstance(kernel, str) and kernel.strip().lower() == STATIC
        chosen[name] = None if static else as_kernel(kernel)
    return chosen


def _sizes(n_topics: int | Iterable[int]) -> list[int]:
    """The numbers of topics to try."""
    sizes = list(n_topics) if isinstance(n_topics, Iterable) else [n_topics]
    if not sizes or len(set(sizes)) < len(sizes):
        raise ValueError(f"n_topics is {sizes}; pass at least one number of topics, each once.")
    return sizes


def _name(kernel: str, n_topics: int, sizes: Sequence[int]) -> str:
    """What a row of the table is called."""
    return kernel if len(sizes) == 1 else f"{kernel}, {n_topics} topics"


def _tasks(
    kernels: Mapping[str, Kernel | None], seeds: Sequence[int], sizes: Sequence[int], options: Mapping[str, Any]
) -> list[Task]:
    """Every kernel with every number of topics and every seed; refused now if no model can have these options."""
    if not seeds or len(set(seeds)) < len(seeds):
        raise ValueError(f"seeds is {seeds}; pass at least one, each once.")
    for name, instead in (("seed", "seeds"), ("kernel", "kernels")):
        if name in options:
            raise ValueError(f"{name}={options[name]!r} was given; pass {instead}=..., with several of them.")
    tasks = [
        Task(_name(name, n, sizes), kernel, seed, n, dict(options))
        for (name, kernel), n, seed in product(kernels.items(), sizes, seeds)
    ]
    for task in tasks:
        task.model()._check_parameters()
    return tasks


def _results(corpus: Corpus, split: Split, out: str | os.PathLike[str] | None) -> Results | None:
    if out is None:
        return None
    return Results(writable_folder(out), fingerprint(corpus), corpus.span, split.test_size, split.seed)


def _about(corpus: Corpus, split: Split, sizes: Sequence[int]) -> str:
    """The corpus and its parts in words."""
    train, test = split.part(corpus)
    return (
        f"{' or '.join(map(str, sizes))} topics, {corpus.n_words:,} words; fitted on {len(train):,} documents with "
        f"{train.n_times:,} different times, scored on {len(test):,} with {test.n_times:,} others."
    )


def _baseline(kernels: Mapping[str, Kernel | None]) -> str:
    """The first Wiener process, or else the first kernel."""
    return next((name for name, kernel in kernels.items() if isinstance(kernel, Wiener)), next(iter(kernels)))
