"""Parameters of the model: validation, form as JSON, and which of them a result depends on."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any, Literal, get_args

import numpy as np

from chronotope._typing import Floats
from chronotope.cluster.workers import check_client
from chronotope.gp import Grid
from chronotope.inference.init import Init
from chronotope.inference.state import Local
from chronotope.kernels import Kernel, as_kernel, has_level
from chronotope.model.covariates import share_terms
from chronotope.model.tracks import check_tracks_given
from chronotope.storage.digest import as_json

PriorMean = Literal["frequencies", "zero"]
LearnKernel = bool | Literal["bound"] | None

# minima
WHOLE = dict.fromkeys(("n_topics", "n_inducing", "batch_size", "max_epochs", "n_threads", "n_cells"), 1) | {"seed": 0}
NEEDED = ("n_topics", "seed")  # the other integers may be None
NUMBERS = {"tol": (0, 1), "learning_offset": (1, np.inf), "learning_decay": (0.5, 1), "checkpoint_every": (0, np.inf)}
CHOICES: dict[str, Any] = {
    "local": Local,
    "grid": Grid,
    "init": Init,
    "prior_mean": PriorMean,
    "dtype": Literal["float32", "float64"],
}
MOST_TOPICS = 65_535  # topics of tokens are stored in two bytes
SHARED = 0.5  # part of the change that topics share unless another is given
ALPHA_START = 0.1  # initial value of a learned alpha
ALPHAS = (1e-4, 1e14)  # below, the sampler's single precision loses tokens; values above cannot be saved
SEEDS = 2**43  # seeds from here on are condensed: the sampler's streams have so many


def check_parameters(given: Mapping[str, Any]) -> Floats:
    """Raise an error for invalid parameters.  Returns the initial alpha, (K,).   given : by name."""
    for name, least in WHOLE.items():
        value = given[name]
        optional = name not in NEEDED and value is None
        if not optional and (isinstance(value, bool) or not isinstance(value, Integral) or value < least):
            raise ValueError(f"{name} is {value!r}; expected a whole number of at least {least}.")
    for name, (low, high) in NUMBERS.items():
        value = given[name]
        if isinstance(value, bool) or not isinstance(value, Real) or not low <= float(value) <= high:
            raise ValueError(f"{name} is {value!r}; expected a number from {low} to {high}.")
    if given["n_topics"] > MOST_TOPICS:
        raise ValueError(f"n_topics is {given['n_topics']!r}; expected at most {MOST_TOPICS:,}.")
    shared = given["shared"]
    number = isinstance(shared, Real) and not isinstance(shared, bool)
    if not (shared is None or (number and 0 <= float(shared) < 1)):
        raise ValueError(f"shared is {shared!r}; expected a number from 0 to below 1, or None.")
    for name, known in CHOICES.items():
        if given[name] not in get_args(known):
            raise ValueError(f"{name} is {given[name]!r}; expected one of {', '.join(get_args(known))}.")
    if not (given["learn_kernel"] in (None, "bound") or isinstance(given["learn_kernel"], bool)):
        raise ValueError(f'learn_kernel is {given["learn_kernel"]!r}; expected None, True, False or "bound".')
    if not (given["checkpoint"] is None or isinstance(given["checkpoint"], str | os.PathLike)):
        raise ValueError(f"checkpoint is {given['checkpoint']!r}; expected the path of a file, or None.")
    if given["engine"] is not None:
        check_client(given["engine"])
    check_seed_words(given["seed_words"], int(given["n_topics"]), given["init"])
    share_terms(given)
    check_tracks_given(given)
    return starting_alpha(given["alpha"], int(given["n_topics"]))


def shared_part(given: Mapping[str, Any]) -> float:
    """η, the part of the change that topics share; none of it if there is only one.   given : parameters by name.

    If it is not given: none with a kernel that is given in full and has no constant, since such a kernel says all there
    is to say of each topic, and its level and its change are one; a half else.
    """
    if given["n_topics"] == 1:
        return 0.0
    if given["shared"] is not None:
        return float(given["shared"])
    kernel = as_kernel(given["kernel"])
    if not isinstance(kernel, Kernel) or None in kernel.parameters.values() or given["learn_kernel"]:
        return SHARED
    return SHARED if has_level(kernel) else 0.0


def check_seed_words(given: Any, K: int, init: str) -> None:
    """Raise an error unless seed_words are lists of words, at most one per topic, and fit to `init`."""
    if given is None:
        return
    lists = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [None]
    good = all(isinstance(words, list | tuple) and words and all(isinstance(w, str) for w in words) for words in lists)
    if not good or len(lists) > K:
        raise ValueError(
            f'seed_words is {given!r}; expected at most {K} lists of words, as [["war", "army"], ["tax"]].'
        )
    if init == "documents":
        raise ValueError('seed_words need init="lda" or init="samples"; with "documents" topics differ between times.')


def starting_alpha(given: Any, K: int) -> Floats:
    """Initial alpha, (K,): one positive number per topic.   given : float, K floats or "learn"."""
    value = ALPHA_START if isinstance(given, str) and given == "learn" else given
    try:
        alpha = np.broadcast_to(np.asarray(value, dtype=np.float64), (K,)).copy()
    except (TypeError, ValueError):
        raise ValueError(f'alpha is {given!r}; expected a number, one for each of {K} topics, or "learn".') from None
    if not np.all((alpha > 0) & np.isfinite(alpha)):
        raise ValueError(f"alpha is {given!r}; expected positive finite numbers.")
    if not np.all((alpha >= ALPHAS[0]) & (alpha <= ALPHAS[1])):
        raise ValueError(
            f'alpha is {given!r}; expected numbers from {ALPHAS[0]:g} to {ALPHAS[1]:g}, or "learn". Usual values are '
            "from 0.01, few topics per document, to 1."
        )
    return alpha


def sampler_seed(seed: int) -> int:
    """The seed of the sampled local step, below 2⁴³: a smaller one as it is, a larger one condensed by NumPy."""
    if seed < SEEDS:
        return int(seed)
    return int(np.random.SeedSequence(int(seed)).generate_state(1, np.uint64)[0]) % SEEDS


NO_MATTER = ("verbose", "n_threads", "checkpoint", "checkpoint_every", "engine")  # they do not change results
PROBES = 4  # times at which kernels are evaluated, to distinguish them


def result_parameters(parameters: Mapping[str, Any], span: tuple[float, float]) -> dict[str, Any]:
    """The parameters that a result depends on, as JSON values;  span : see `Corpus.main_span`."""
    matter = {name: value for name, value in parameters.items() if name not in NO_MATTER}
    return as_json(matter | {"covariance": _probe(as_kernel(parameters["kernel"]), span)}, json_value)


def json_value(value: Any) -> Any:
    """A kernel as its text, an array as a list."""
    return str(value) if hasattr(value, "resolve") else np.asarray(value).tolist()


def _probe(kernel: Any, span: tuple[float, float]) -> list[str] | None:
    """Covariances at a few times: the text of a user-defined kernel does not show changes of its function."""
    try:
        values = kernel.resolve(*span)(np.linspace(*span, PROBES))
    except ValueError:  # the fit will raise the same error
        return None
    return [f"{value:.6g}" for value in values[np.triu_indices(PROBES)]]
