"""Models in files: one safetensors file, arrays and a JSON header. Nothing in it is ever executed."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from chronotope._typing import PathLike
from chronotope.gp import choose_structure
from chronotope.kernels import FunctionKernel, parse_kernel
from chronotope.model.estimator import DynamicTopicModel
from chronotope.storage.tensors import Kind, damaged, read_tensors, write_tensors
from chronotope.text.options import options_from_json, options_to_json
from chronotope.topics import Topics

MODEL = Kind("model", "chronotope", 2, "model.save()")
ARRAYS = ("g", "b", "nodes", "mean", "mass", "alpha", "bounds", "seen")

Functions = Mapping[str, Callable[..., Any]]


def save_model(model: DynamicTopicModel, path: PathLike) -> None:
    """Write a fitted model; the file appears whole or not at all."""
    check_is_fitted(model)
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"there is no folder {folder!r} to save in; make it first.")
    topics = model.topics_
    header = {
        "settings": model.get_params(deep=False) | {"checkpoint": None},  # that was the fit's, not the model's
        "kernel": model.kernel_.text,
        "vocabulary": topics.vocabulary.tolist(),
        "calendar": topics.calendar,
        "steps": model.n_steps_,
        "documents": model._documents_seen,
        "converged": model.converged_,
        "preprocessing": options_to_json(model.preprocessing_),
        "named_columns": hasattr(model, "feature_names_in_"),
    }
    of_topics = topics.g, topics.b, topics.structure.nodes, topics.mean, topics.mass
    arrays = (*of_topics, model.alpha_, model.bounds_, model.documents_seen_)
    write_tensors(path, MODEL, header, dict(zip(ARRAYS, arrays, strict=True)))


def load(path: PathLike, kernels: Functions | None = None) -> DynamicTopicModel:
    """The model saved at `path`; `kernels` holds the functions of your own kernels by name."""
    header, arrays = read_file(path)
    try:
        _check_arrays(arrays, header["vocabulary"])
        return _rebuild(header, arrays, kernels)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        hint = " Pass the functions of your own kernels as kernels=..." if "unknown kernel" in str(error) else ""
        raise damaged(path, MODEL, f"{type(error).__name__}: {error}{hint}") from None


def read_file(path: PathLike) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Header and arrays of a model file."""
    return read_tensors(path, MODEL, ARRAYS)


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
    model.preprocessing_ = options_from_json(header.get("preprocessing"))
    model._documents_seen, model.n_features_in_ = int(header["documents"]), len(words)
    if header["named_columns"]:
        model.feature_names_in_ = words.astype(object)
    if model._documents_seen < 1 or model.n_steps_ < 1 or model.n_topics != len(model.alpha_):
        raise ValueError("the numbers of documents, steps or topics do not fit")
    return model
