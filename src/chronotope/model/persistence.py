"""Models in files: what of a model is saved, and a model made of what was."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from chronotope._typing import PathLike
from chronotope.dates.coverage import Coverage
from chronotope.gp import Posterior, Sites, check_prior, topic_prior
from chronotope.kernels import (
    FunctionKernel,
    Kernel,
    as_kernel,
    has_space,
    has_tracks,
    of_one_track,
    parse_kernel,
    with_levels,
)
from chronotope.kernels.base import check_span
from chronotope.model.covariates import share_terms
from chronotope.model.curves_file import prevalence_of
from chronotope.model.dating import dating_of
from chronotope.model.estimator import DynamicTopicModel
from chronotope.model.params import shared_part
from chronotope.model.tracks import TrackColumns, tracks_of
from chronotope.storage.model_file import MODEL, read_model
from chronotope.storage.tensors import Arrays, Header, damaged
from chronotope.text.options import options_from_json
from chronotope.topics import Topics

Functions = Mapping[str, Callable[..., Any]]
OWN_LEVELS = 5  # format from which on the constants of a kernel are the variance of a topic's own level


def load(path: PathLike, kernels: Functions | None = None) -> DynamicTopicModel:
    """The model that `DynamicTopicModel.save` wrote. Nothing in the file is ever executed.

    path : str or path, the model file
    kernels : dict or None, default None; the functions of your own kernels by name
    """
    header, arrays = read_model(path)
    try:
        return _rebuild(header, arrays, kernels)
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError, MemoryError) as error:
        hint = " Pass the functions of your own kernels as kernels=..." if "unknown kernel" in str(error) else ""
        raise damaged(path, MODEL, f"{type(error).__name__}: {error}{hint}") from None


def _rebuild(header: Header, arrays: Arrays, kernels: Functions | None) -> DynamicTopicModel:
    settings = {"shared": 0.0} | header["settings"]  # before format 3 topics shared nothing
    settings |= {"checkpoint": None, "engine": None}  # a file does not say where to write, nor on what to work
    given = parse_kernel(settings["kernel"], kernels)
    if kernels or isinstance(given, FunctionKernel):
        settings["kernel"] = given
    model = DynamicTopicModel(**settings)
    model.check_parameters()
    kernel = parse_kernel(header["kernel"], kernels)
    if not isinstance(kernel, Kernel):
        raise ValueError(f"the kernel {kernel} has no parameters")
    check_prior(kernel, arrays["nodes"])
    share = shared_part(_of_fit(model.get_params(deep=False), header))
    if header["format"] < OWN_LEVELS:
        kernel = with_levels(kernel, 1.0 - share, 1.0)
    tracks = _tracks(header, arrays, kernel)
    prior = topic_prior(kernel, arrays["nodes"], share, None if tracks is None else tracks.tracks)
    if (prior.common is None) == ("common_g" in arrays):
        raise ValueError(
            f"shared is {model.shared}, and {'no ' * (prior.common is not None)}sites of a common part are there"
        )
    common = None if prior.common is None else Sites(arrays["common_g"], arrays["common_b"])
    posterior = Posterior(prior, Sites(arrays["g"], arrays["b"]), common)
    words = np.array(header["vocabulary"], dtype=np.str_)
    coverage = None
    if "covered_times" in arrays:  # not in older files
        main_span = check_span(*header["main_span"])
        coverage = Coverage(arrays["covered_times"], arrays["covered_documents"], main_span)
    model.topics_ = Topics(posterior, arrays["mean"], arrays["mass"], words, header["calendar"], coverage)
    if tracks is not None:
        model.tracks_ = tracks
    model.kernel_, model.alpha_, model.bounds_ = kernel, arrays["alpha"], arrays["bounds"]
    model.documents_seen_ = arrays["seen"]
    model.kernel_span_ = check_span(*header.get("kernel_span", model.topics_.span))  # not in older files
    model.converged_, model.n_steps_ = header["converged"], header["steps"]
    model.diverged_ = bool(header.get("diverged", False))  # not in older files
    model.doubt_ = bool(header.get("doubt", False))  # nor this
    model.preprocessing_ = options_from_json(header.get("preprocessing"))
    model.n_documents_, model.n_features_in_ = header["documents"], len(words)
    if header["named_columns"]:
        model.feature_names_in_ = words.astype(object)
    if (share_terms(model.get_params(deep=False)) is None) == ("shares" in header):
        raise ValueError("its settings and its prevalence do not agree")
    if model.n_topics != len(model.alpha_):
        raise ValueError(f"n_topics is {model.n_topics}, and there are {len(model.alpha_)}")
    _add_parts(model, header, arrays)
    return model


def _of_fit(parameters: dict[str, Any], header: Header) -> dict[str, Any]:
    """The parameters that a fit had: of a single group or place, those of a kernel without any."""
    kernel = as_kernel(parameters["kernel"])
    if "tracks" in header or not isinstance(kernel, Kernel) or not has_tracks(kernel):
        return parameters
    return parameters | {"kernel": of_one_track(kernel)}


def _add_parts(model: DynamicTopicModel, header: Header, arrays: Arrays) -> None:
    """Give a model its prevalence and its dating, as far as the file has them."""
    if "shares" in header:
        span = model.topics_.main_span
        model.prevalence_ = prevalence_of(header["shares"], arrays, header["calendar"], span)
        if model.prevalence_.n_topics != len(model.alpha_):
            raise ValueError(f"prevalence is of {model.prevalence_.n_topics} topics")
    if "dating" in header:
        model.dating_ = dating_of(header["dating"], arrays, len(model.topics_.vocabulary))


def _tracks(header: Header, arrays: Arrays, kernel: Kernel) -> TrackColumns | None:
    """The tracks of a file; None if the words of its model do not differ between any."""
    found = tracks_of(header["tracks"], arrays) if "tracks" in header else None
    if (found is None) == has_tracks(kernel) or (
        found is not None and (found.tracks.places is None) == has_space(kernel)
    ):
        raise ValueError(f"the kernel {str(kernel)[:80]} and its groups or places do not agree")
    return found
