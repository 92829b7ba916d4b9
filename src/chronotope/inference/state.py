"""The state of a fit as plain arrays and numbers, and back to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np

from chronotope.gp import choose_structure
from chronotope.inference.loop import Averages, State
from chronotope.kernels import Kernel

Arrays = dict[str, np.ndarray]

# m is stored too: it is not to the last bit what g and b give, see `centre_sites`
POSTERIOR = {"g": "JKV", "b": "JKV", "m": "JKV", "s": "JKV", "kl": "K", "log_zeta": "JK", "step_size": "K"}
PROGRESS = {"kernel": "P", "alpha": "K", "mass": "JK", "bounds": "B", "seen": "B"}
WHOLE = {"lam": "DK"}  # where every step sees the whole corpus
MINIBATCHES = {"order": "D", "n": "JKV", "N": "JK", "mean_log": "K"}
NUMBERS = ("steps", "documents", "idle")


def pack(state: State) -> tuple[Arrays, dict[str, Any]]:
    """Arrays and numbers of a state after a step or more; `unpack` takes them."""
    posterior, progress, rng = state
    arrays: Arrays = {name: getattr(posterior, name) for name in POSTERIOR}
    arrays |= {"kernel": _values(posterior.structure.kernel), "alpha": progress.alpha}
    arrays |= {"bounds": np.array(progress.bounds), "seen": np.array(progress.seen, dtype=np.int64)}
    arrays["mass"] = np.asarray(progress.mass)
    if progress.lam is not None:
        arrays["lam"] = progress.lam
    if progress.order is not None and (averages := progress.averages) is not None:
        arrays |= {"order": progress.order, "n": averages.n, "N": averages.N, "mean_log": averages.mean_log}
    numbers = {name: getattr(progress, name) for name in (*NUMBERS, "converged")}
    return arrays, numbers | {"random": rng.bit_generator.state}


def unpack(arrays: Arrays, numbers: dict[str, Any], state: State, D: int, whole: bool) -> None:
    """Bring a fresh state of the same fit, to D documents, to where another one was packed; ValueError if it cannot."""
    posterior, progress, rng = state
    start = posterior.structure.kernel
    J, K, V = posterior.g.shape
    sizes = {"J": J, "K": K, "V": V, "D": D, "P": len(_values(start)), "B": arrays["bounds"].size}
    _check(arrays, sizes, posterior.g.dtype.name, POSTERIOR | PROGRESS | (WHOLE if whole else MINIBATCHES))
    for name in POSTERIOR:
        setattr(posterior, name, arrays[name])
    posterior.started = True
    posterior.structure = choose_structure(start._with_values(arrays["kernel"]), posterior.structure.nodes)
    progress.alpha, progress.mass = arrays["alpha"], arrays["mass"]
    progress.bounds, progress.seen = arrays["bounds"].tolist(), arrays["seen"].tolist()
    for name in NUMBERS:
        setattr(progress, name, int(numbers[name]))
    progress.converged = bool(numbers["converged"])
    progress.lam, progress.order = arrays.get("lam"), arrays.get("order")
    progress.averages = None if whole else Averages(arrays["n"], arrays["N"], arrays["mean_log"])
    rng.bit_generator.state = numbers["random"]


def _values(kernel: Kernel) -> np.ndarray:
    """The values that learning changes, (P,)."""
    return np.array([kernel.parameters[name] for name in kernel.theta_names], dtype=np.float64)


def _check(arrays: Arrays, sizes: dict[str, int], dtype: str, axes: dict[str, str]) -> None:
    """Refuse arrays that are not those of the names in `axes`, each of its shape and its type."""
    if arrays.keys() != axes.keys():
        raise ValueError(f"it holds {', '.join(sorted(arrays))}")
    for name, letters in axes.items():
        shape = tuple(sizes[letter] for letter in letters)
        wanted = "int64" if name in ("order", "seen") else dtype if letters == "JKV" else "float64"
        if arrays[name].shape != shape or arrays[name].dtype.name != wanted:
            raise ValueError(f"{name} has shape {arrays[name].shape} and type {arrays[name].dtype}")
