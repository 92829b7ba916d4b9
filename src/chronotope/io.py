"""Models in files: one safetensors file, arrays and a JSON header. Nothing in it is ever executed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file
from sklearn.utils.validation import check_is_fitted

from chronotope._version import __version__
from chronotope.files import replacing
from chronotope.kernels import FunctionKernel, Kernel, parse_kernel
from chronotope.model import DynamicTopicModel
from chronotope.structure import choose_structure
from chronotope.topics import Topics

FORMAT = 2
ARRAYS = ("g", "b", "nodes", "mean", "mass", "alpha", "bounds", "seen")

Functions = Mapping[str, Callable[..., Any]]


def save_model(model: DynamicTopicModel, path: str | os.PathLike[str]) -> None:
    """Write a fitted model; the file appears whole or not at all."""
    check_is_fitted(model)
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"there is no folder {folder!r} to save in; make it first.")
    topics = model.topics_
    header = {
        "format": FORMAT,
        "version": __version__,
        "settings": {name: _plain(value) for name, value in model.get_params(deep=False).items()},
        "kernel": model.kernel_.text,
        "vocabulary": topics.vocabulary.tolist(),
        "calendar": topics.calendar,
        "steps": model.n_steps_,
        "documents": model._documents_seen,
        "converged": model.converged_,
        "named_columns": hasattr(model, "feature_names_in_"),
    }
    of_topics = topics.g, topics.b, topics.structure.nodes, topics.mean, topics.mass
    arrays = (*of_topics, model.alpha_, model.bounds_, model.documents_seen_)
    tensors = {name: np.ascontiguousarray(array) for name, array in zip(ARRAYS, arrays, strict=True)}
    metadata = {"chronotope": json.dumps(header, ensure_ascii=False)}
    with replacing(path) as temporary:
        save_file(tensors, temporary, metadata=metadata)


def load(path: str | os.PathLike[str], kernels: Functions | None = None) -> DynamicTopicModel:
    """The model saved at `path`; `kernels` holds the functions of your own kernels by name."""
    header, arrays = read_file(path)
    try:
        _check_arrays(arrays, header["vocabulary"])
        return _rebuild(header, arrays, kernels)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        hint = " Pass the functions of your own kernels as kernels=..." if "unknown kernel" in str(error) else ""
        raise _damaged(path, f"{type(error).__name__}: {error}{hint}") from None


def read_file(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Header and arrays of a model file."""
    name = os.fspath(path)
    if not os.path.exists(name):
        raise FileNotFoundError(f"there is no file {name!r}; check the path.")
    try:
        with safe_open(name, framework="numpy") as file:
            text = (file.metadata() or {}).get("chronotope")
            if text is None:
                raise ValueError(f"{name!r} is not a Chronotope model; pass a file written by model.save().")
            header = _header(text, name)
            return header, {key: file.get_tensor(key) for key in ARRAYS}
    except (SafetensorError, OSError, KeyError) as error:
        raise _damaged(path, str(error)) from None


def _header(text: str, name: str) -> dict[str, Any]:
    try:
        header = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise _damaged(name, f"its header is not JSON, {type(error).__name__}") from None
    if not isinstance(header, dict):
        raise _damaged(name, "its header is not a table")
    if header.get("format") != FORMAT:
        raise ValueError(
            f"{name!r} has format {header.get('format')!r} of Chronotope {header.get('version')}; "
            f"this is {__version__}, which reads format {FORMAT}. Install that version to read it."
        )
    return header


def _damaged(path: str | os.PathLike[str], why: str) -> ValueError:
    return ValueError(f"{os.fspath(path)!r} cannot be read as a model ({why}); the file is damaged or of another kind.")


def _check_arrays(arrays: dict[str, np.ndarray], vocabulary: Any) -> None:
    """Shapes fit together and no value is out of range."""
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


def _rebuild(header: dict[str, Any], arrays: dict[str, np.ndarray], kernels: Functions | None) -> DynamicTopicModel:
    settings = dict(header["settings"])
    given = parse_kernel(settings["kernel"], kernels)
    if kernels or isinstance(given, FunctionKernel):
        settings["kernel"] = given
    model = DynamicTopicModel(**settings)
    model._check_parameters()
    kernel = parse_kernel(header["kernel"], kernels)
    structure = choose_structure(kernel, arrays["nodes"])
    words = np.array(header["vocabulary"], dtype=np.str_)
    g, b, mean, mass = (arrays[name] for name in ("g", "b", "mean", "mass"))
    model.topics_ = Topics(structure, g, b, mean, mass, words, bool(header["calendar"]))
    model.kernel_, model.alpha_, model.bounds_ = kernel, arrays["alpha"], arrays["bounds"]
    model.documents_seen_ = arrays["seen"]
    model.converged_, model.n_steps_ = bool(header["converged"]), int(header["steps"])
    model._documents_seen, model.n_features_in_ = int(header["documents"]), len(words)
    if header["named_columns"]:
        model.feature_names_in_ = words.astype(object)
    if model._documents_seen < 1 or model.n_steps_ < 1 or model.n_topics != len(model.alpha_):
        raise ValueError("the numbers of documents, steps or topics do not fit")
    return model


def _plain(value: Any) -> Any:
    """A parameter as JSON has it; a kernel as its text."""
    if isinstance(value, Kernel):
        return value.text
    if hasattr(value, "tolist"):
        return value.tolist()
    return [_plain(entry) for entry in value] if isinstance(value, list | tuple) else value
