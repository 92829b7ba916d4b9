"""Model files: one safetensors file, arrays and a JSON header. Nothing in it is ever executed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from chronotope._typing import PathLike
from chronotope.storage.tensors import Arrays, Header, Kind, damaged, read_header, read_tensors, write_tensors

# 2: topics share nothing; 3: no coverage; before 5, topics share the same part of levels as of the change; before 6
# there is no digest; before 7 no prevalence, before 8 no dating, before 9 no groups or places of words
MODEL = Kind("model", "chronotope", 9, "model.save()", also=(2, 3, 4, 5, 6, 7, 8), sealed=6)
ARRAYS = ("g", "b", "nodes", "mean", "mass", "alpha", "bounds", "seen")
COMMON = ("common_g", "common_b")  # if topics share a part
COVERED = {"covered_times", "covered_documents"}  # not before format 4
PLACES = "places"  # of tracks that are places
MOST_TRACKS = 100_000
SITES = ("g", "b", *COMMON)
POSITIVE = ("b", "common_b", "mass", "alpha", "seen", "covered_documents")
TIMES = ("nodes", "covered_times")
SHARES = "shares_"  # before the names of arrays of prevalence
DATING = "dating_"  # and of dating
LARGEST, LATEST = 1e15, 1e100  # numbers and times that a model can have: more could overflow
COUNTED = ("steps", "documents")
SAID = ("calendar", "converged", "named_columns")
LONGEST_KERNEL = 10_000  # characters


def write_model(path: PathLike, header: Mapping[str, Any], arrays: Arrays) -> None:
    """Write a model file atomically; what `read_model` would refuse is not written."""
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"there is no folder {folder!r} to save in; make it first.")
    try:
        check_content(header, arrays)
    except ValueError as error:
        raise ValueError(f"the model cannot be saved: {error}; fit it again.") from None
    write_tensors(path, MODEL, header, arrays)


def read_model(path: PathLike) -> tuple[Header, Arrays]:
    """Header and arrays of a model file, checked."""
    header, arrays = read_tensors(path, MODEL)
    try:
        check_content(header, arrays)
    except (KeyError, TypeError, ValueError) as error:
        raise damaged(path, MODEL, f"{type(error).__name__}: {error}") from None
    return header, arrays


def file_version(path: PathLike) -> str:
    """The version of Chronotope that wrote a model file."""
    return str(read_header(path, MODEL).get("version"))


def check_content(header: Mapping[str, Any], arrays: Arrays) -> None:
    """Refuse a header and arrays that no model has: the same when a model is saved and when it is loaded."""
    tracks = _check_tracks(arrays.get(PLACES), header.get("tracks"))
    own = {name: x for name, x in arrays.items() if not name.startswith((SHARES, DATING)) and name != PLACES}
    check_arrays(own, header["vocabulary"], tracks)
    _check_shares({name: x for name, x in arrays.items() if name.startswith(SHARES)}, header.get("shares"))
    _check_dating({name: x for name, x in arrays.items() if name.startswith(DATING)}, header.get("dating"))
    for name in COUNTED:
        if type(header[name]) is not int or not 1 <= header[name] <= LARGEST:
            raise ValueError(f"{name} is {header[name]!r:.40}, not a whole number of at least 1")
    for name in SAID:
        if type(header[name]) is not bool:
            raise ValueError(f"{name} is {header[name]!r:.40}, neither true nor false")
    for kernel in (header["kernel"], header["settings"]["kernel"]):
        if not isinstance(kernel, str) or len(kernel) > LONGEST_KERNEL:
            raise ValueError(f"the kernel {kernel!r:.40} is not a text of at most {LONGEST_KERNEL:,} characters")
    spans = [header[name] for name in ("kernel_span", "main_span") if header.get(name) is not None]
    if not all(abs(time) <= LATEST for span in spans for time in span):
        raise ValueError(f"the times {spans!r:.80} are not finite")


def _check_tracks(places: Any, header: Any) -> int:
    """Refuse what are no tracks; returns their number, 1 without any.   places : (S, 2) or None"""
    if header is None and places is None:
        return 1
    names = header["names"]
    if not isinstance(names, list) or not 1 < len(names) <= MOST_TRACKS or not all(type(x) is str for x in names):
        raise ValueError(f"the tracks {str(names)!r:.40} are no list of names")
    columns = header["columns"]
    if len(set(names)) < len(names) or not isinstance(columns, list) or not all(type(x) is str for x in columns):
        raise ValueError("the names of tracks or their columns are not different texts")
    if len(columns) != (1 if places is None else 2):
        raise ValueError(f"the tracks are of {len(columns)} columns")
    if places is not None:
        known = places[~np.isnan(places).any(axis=1)] if places.shape == (len(names), 2) else np.full((1, 2), np.inf)
        if places.dtype.name != "float64" or not len(known) or np.any(np.abs(known) > (90.0, 180.0)):
            raise ValueError("the places are not latitudes and longitudes")
    return len(names)


def _check_shares(arrays: Arrays, header: Any) -> None:
    """Refuse what is not prevalence: its sizes are checked by what reads it."""
    if bool(arrays) != isinstance(header, dict):
        raise ValueError(f"it holds {len(arrays)} arrays of prevalence, and {'no' * (header is None)} description")
    for name, array in arrays.items():
        limit = LATEST if name.endswith(("nodes", "kernel")) else LARGEST  # length scales are as long as times
        if array.dtype.name != "float64" or not np.all(np.abs(array) <= limit):  # NaN is not
            raise ValueError(f"{name} has numbers that are too large or not finite")
    if arrays and np.any(np.diff(arrays[f"{SHARES}nodes"]) <= 0):
        raise ValueError("the times of the nodes of prevalence do not increase")


def _check_dating(arrays: Arrays, header: Any) -> None:
    """Refuse what is not dating: its sizes are checked by what reads it."""
    if bool(arrays) != isinstance(header, dict):
        raise ValueError(f"it holds {len(arrays)} arrays of dating, and {'no' * (header is None)} description")
    for name, array in arrays.items():
        limit = LATEST if name.endswith(("times", "edges", "bins", "line")) else LARGEST
        if array.dtype.name not in ("float32", "float64") or not np.all(np.abs(array) <= limit):  # NaN is not
            raise ValueError(f"{name} has numbers that are too large or not finite")


def check_arrays(arrays: Arrays, vocabulary: Any, tracks: int = 1) -> None:
    """Refuse shapes that do not fit together and values out of range.   tracks : S, each with all nodes"""
    if arrays.keys() - COVERED not in (set(ARRAYS), {*ARRAYS, *COMMON}) or len(arrays.keys() & COVERED) == 1:
        raise ValueError(f"it holds {', '.join(sorted(arrays))}")
    if arrays["g"].ndim != 3 or len(arrays["g"]) % tracks:
        raise ValueError(f"g has shape {arrays['g'].shape}{f' for {tracks} tracks' if tracks > 1 else ''}")
    J, K, V = arrays["g"].shape
    shapes = {"b": (J, K, V), "nodes": (J // tracks,), "mean": (V,), "mass": (J, K), "alpha": (K,)}
    shapes["bounds"] = shapes["seen"] = (arrays["bounds"].size,)
    shapes |= {name: (J, 1, V) for name in COMMON if name in arrays}
    shapes |= {name: (arrays["covered_times"].size,) for name in arrays.keys() & COVERED}
    for name, shape in shapes.items():
        if arrays[name].shape != shape:
            raise ValueError(f"{name} has shape {arrays[name].shape}, not {shape}")
    for name, array in arrays.items():
        wanted = ("float32", "float64") if name == "g" else (arrays["g"].dtype.name,) if name in SITES else ("float64",)
        if array.dtype.name not in wanted:
            raise ValueError(f"{name} has numbers of type {array.dtype}")
        least, most = float(array.min(initial=0.0)), float(array.max(initial=0.0))  # NaN if there is any
        limit = LATEST if name in TIMES else np.inf if name == "bounds" else LARGEST
        if not (-limit <= least and most <= limit and np.isfinite([least, most]).all()):
            raise ValueError(f"{name} has numbers that are too large or not finite")
        if name in POSITIVE and least < 0:
            raise ValueError(f"{name} has numbers that are negative")
    covered = arrays.get("covered_times", arrays["nodes"])
    if not covered.size or np.any(np.diff(covered) <= 0):
        raise ValueError("the times of the documents do not increase")
    if np.any(np.diff(arrays["nodes"]) <= 0) or arrays["alpha"].min() <= 0:
        raise ValueError("the times of the nodes do not increase, or alpha is not positive")
    words = vocabulary if isinstance(vocabulary, list) and all(isinstance(word, str) for word in vocabulary) else []
    if len(set(words)) != V or len(words) != V:
        raise ValueError(f"the vocabulary is not a list of {V} different words")
