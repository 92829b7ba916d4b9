"""Model files: one safetensors file, arrays and a JSON header. Nothing in it is ever executed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from chronotope._typing import PathLike
from chronotope.storage.tensors import Arrays, Header, Kind, read_header, read_tensors, write_tensors

MODEL = Kind("model", "chronotope", 2, "model.save()")
ARRAYS = ("g", "b", "nodes", "mean", "mass", "alpha", "bounds", "seen")


def write_model(path: PathLike, header: Mapping[str, Any], arrays: Arrays) -> None:
    """Write a model file atomically."""
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"there is no folder {folder!r} to save in; make it first.")
    write_tensors(path, MODEL, header, {name: arrays[name] for name in ARRAYS})


def read_model(path: PathLike) -> tuple[Header, Arrays]:
    """Header and arrays of a model file."""
    return read_tensors(path, MODEL, ARRAYS)


def file_version(path: PathLike) -> str:
    """The version of Chronotope that wrote a model file."""
    return str(read_header(path, MODEL).get("version"))


def check_arrays(arrays: Arrays, vocabulary: Any) -> None:
    """Refuse shapes that do not fit together and values out of range."""
    if arrays["g"].ndim != 3:
        raise ValueError(f"g has shape {arrays['g'].shape}")
    J, K, V = arrays["g"].shape
    shapes = {"b": (J, K, V), "nodes": (J,), "mean": (V,), "mass": (J, K), "alpha": (K,)}
    shapes["bounds"] = shapes["seen"] = (arrays["bounds"].size,)
    for name, shape in shapes.items():
        if arrays[name].shape != shape:
            raise ValueError(f"{name} has shape {arrays[name].shape}, not {shape}")
    for name, array in arrays.items():
        wanted = ("float32", "float64") if name in ("g", "b") else ("float64",)
        if array.dtype.name not in wanted or array.dtype != (arrays["g"].dtype if name == "b" else array.dtype):
            raise ValueError(f"{name} has numbers of type {array.dtype}")
        if not np.isfinite(array).all() or (name in ("b", "mass", "alpha") and array.min() < 0):
            raise ValueError(f"{name} has numbers that are negative or not finite")
    if np.any(np.diff(arrays["nodes"]) <= 0) or arrays["alpha"].min() <= 0:
        raise ValueError("the times of the nodes do not increase, or alpha is not positive")
    words = vocabulary if isinstance(vocabulary, list) and all(isinstance(word, str) for word in vocabulary) else []
    if len(set(words)) != V or len(words) != V:
        raise ValueError(f"the vocabulary is not a list of {V} different words")
