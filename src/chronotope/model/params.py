"""Parameters of the model: refused with a sentence where they cannot work, and what they mean to a fit."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any, Literal, get_args

import numpy as np

from chronotope._typing import Floats
from chronotope.gp import Grid
from chronotope.inference.init import Init
from chronotope.inference.loop import Local, Settings

PriorMean = Literal["frequencies", "zero"]
LearnKernel = bool | Literal["bound"]

WHOLE = {"n_topics": 1, "n_inducing": 1, "batch_size": 1, "max_epochs": 1, "n_threads": 1, "seed": 0}  # and the least
NEEDED = ("n_topics", "seed")  # the others may be None
NUMBERS = {"tol": (0, 1), "learning_offset": (1, np.inf), "learning_decay": (0.5, 1), "checkpoint_every": (0, np.inf)}
CHOICES: dict[str, Any] = {
    "local": Local,
    "grid": Grid,
    "init": Init,
    "prior_mean": PriorMean,
    "dtype": Literal["float32", "float64"],
}
ALPHA_START = 0.1  # where learning it starts
ALL = 10_000  # up to so many documents every step sees all of them
BATCH = 4_000
EPOCHS_ALL, EPOCHS_BATCH = 70, 10


def check_parameters(given: Mapping[str, Any]) -> Floats:
    """Refuse what cannot work; returns the starting alpha, (K,)."""
    for name, least in WHOLE.items():
        value = given[name]
        optional = name not in NEEDED and value is None
        if not optional and (isinstance(value, bool) or not isinstance(value, Integral) or value < least):
            raise ValueError(f"{name} is {value!r}; expected a whole number of at least {least}.")
    for name, (low, high) in NUMBERS.items():
        value = given[name]
        if isinstance(value, bool) or not isinstance(value, Real) or not low <= float(value) <= high:
            raise ValueError(f"{name} is {value!r}; expected a number from {low} to {high}.")
    for name, known in CHOICES.items():
        if given[name] not in get_args(known):
            raise ValueError(f"{name} is {given[name]!r}; expected one of {', '.join(get_args(known))}.")
    if not (isinstance(given["learn_kernel"], bool) or given["learn_kernel"] == "bound"):
        raise ValueError(f'learn_kernel is {given["learn_kernel"]!r}; expected True, False or "bound".')
    if not (given["checkpoint"] is None or isinstance(given["checkpoint"], str | os.PathLike)):
        raise ValueError(f"checkpoint is {given['checkpoint']!r}; expected the path of a file, or None.")
    check_seed_words(given["seed_words"], int(given["n_topics"]), given["init"])
    return starting_alpha(given["alpha"], int(given["n_topics"]))


def check_seed_words(given: Any, K: int, init: str) -> None:
    """Lists of words, at most one for each topic."""
    if given is None:
        return
    lists = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [None]
    good = all(isinstance(words, list | tuple) and words and all(isinstance(w, str) for w in words) for words in lists)
    if not good or len(lists) > K:
        raise ValueError(
            f'seed_words is {given!r}; expected at most {K} lists of words, as [["war", "army"], ["tax"]].'
        )
    if init == "documents":
        raise ValueError('seed_words need init="lda" or init="samples"; with "documents" every time has its own start.')


def starting_alpha(given: Any, K: int) -> Floats:
    """One positive number for each topic."""
    value = ALPHA_START if isinstance(given, str) and given == "learn" else given
    try:
        alpha = np.broadcast_to(np.asarray(value, dtype=np.float64), (K,)).copy()
    except (TypeError, ValueError):
        raise ValueError(f'alpha is {given!r}; expected a number, one for each of {K} topics, or "learn".') from None
    if not np.all((alpha > 0) & np.isfinite(alpha)):
        raise ValueError(f"alpha is {given!r}; expected positive finite numbers.")
    return alpha


def choose_settings(given: Mapping[str, Any], D: int) -> Settings:
    """How to go about a corpus of D documents."""
    batch = given["batch_size"] or (D if D <= ALL else BATCH)
    return Settings(
        local=given["local"],
        seed=int(given["seed"]),
        epochs=given["max_epochs"] or (EPOCHS_ALL if batch >= D else EPOCHS_BATCH),
        tolerance=given["tol"],
        learn_alpha=isinstance(given["alpha"], str),
        batch_size=batch,
        offset=given["learning_offset"],
        decay=given["learning_decay"],
    )
