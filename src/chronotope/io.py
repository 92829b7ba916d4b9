"""Models in files: one safetensors file, arrays and a JSON header. Nothing in it is ever executed."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from chronotope._version import __version__
from chronotope.kernels import Kernel, parse_kernel
from chronotope.model import DynamicTopicModel
from chronotope.structure import choose_structure
from chronotope.topics import Topics

FORMAT = 1
ARRAYS = ("g", "b", "nodes", "mass", "alpha", "bounds")


def save_model(model: DynamicTopicModel, path: str | os.PathLike[str]) -> None:
    """Write a fitted model; the file appears whole or not at all."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model)
    topics = model.topics_
    arrays = (topics.g, topics.b, topics.structure.nodes, topics.mass, model.alpha_, model.bounds_)
    header = {
        "format": FORMAT,
        "version": __version__,
        "settings": _settings(model),
        "kernel": model.kernel_.text,
        "vocabulary": topics.vocabulary.tolist(),
        "calendar": topics.calendar,
        "steps": model.n_steps_,
        "documents": model._documents_seen,
        "converged": model.converged_,
    }
    tensors = {name: np.ascontiguousarray(array) for name, array in zip(ARRAYS, arrays, strict=True)}
    _write_whole(tensors, {"chronotope": json.dumps(header, ensure_ascii=False)}, os.fspath(path))


def load(
    path: str | os.PathLike[str], kernels: Mapping[str, Callable[..., Any]] | None = None
) -> DynamicTopicModel:
    """The model saved at `path`; `kernels` holds the functions of your own kernels by name."""
    name = os.fspath(path)
    if not os.path.exists(name):
        raise FileNotFoundError(f"there is no file {name!r}; check the path.")
    try:
        with safe_open(name, framework="numpy") as file:
            text = (file.metadata() or {}).get("chronotope")
            if text is None:
                raise ValueError(f"{name!r} is not a Chronotope model; pass a file written by model.save().")
            header = json.loads(text)
            if header.get("format") != FORMAT:
                raise ValueError(
                    f"{name!r} has format {header.get('format')!r} of Chronotope {header.get('version')}; "
                    f"this is {__version__}, which reads format {FORMAT}. Install that version to read it."
                )
            arrays = {key: file.get_tensor(key) for key in ARRAYS}
        return _rebuild(header, arrays, kernels)
    except (SafetensorError, KeyError, TypeError, json.JSONDecodeError, OSError) as error:
        raise ValueError(f"{name!r} cannot be read as a model ({error}); the file is damaged or of another kind.") from None


def _settings(model: DynamicTopicModel) -> dict[str, Any]:
    """The estimator's parameters as JSON; a kernel as its text."""
    values = model.get_params(deep=False)
    return {key: _plain(value) for key, value in values.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Kernel):
        return value.text
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return list(value) if isinstance(value, tuple) else value


def _rebuild(
    header: dict[str, Any], arrays: dict[str, np.ndarray], kernels: Mapping[str, Callable[..., Any]] | None
) -> DynamicTopicModel:
    g, b, nodes, mass, alpha, bounds = (arrays[name] for name in ARRAYS)
    vocabulary = np.array(header["vocabulary"], dtype=np.str_)
    J, K, V = g.shape
    expected = {"b": (J, K, V), "nodes": (J,), "mass": (J, K), "alpha": (K,)}
    wrong = [key for key, shape in expected.items() if arrays[key].shape != shape]
    if wrong or len(vocabulary) != V:
        raise TypeError(f"the sizes of {', '.join(wrong) or 'the vocabulary'} do not fit")
    model = DynamicTopicModel(**header["settings"])
    kernel = parse_kernel(header["kernel"], kernels)
    structure = choose_structure(kernel, nodes)
    model.topics_ = Topics(structure, g, b, mass, vocabulary, bool(header["calendar"]))
    model.kernel_, model.alpha_, model.bounds_ = kernel, alpha, bounds
    model.converged_, model.n_steps_ = bool(header["converged"]), int(header["steps"])
    model._documents_seen, model.n_features_in_ = int(header["documents"]), V
    return model


def _write_whole(tensors: dict[str, np.ndarray], metadata: dict[str, str], path: str) -> None:
    """Write beside the target, then move into place: what was there survives anything that goes wrong."""
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"there is no folder {folder!r} to save in; make it first.")
    handle, temporary = tempfile.mkstemp(prefix=".chronotope-", dir=folder)
    os.close(handle)
    try:
        save_file(tensors, temporary, metadata=metadata)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
