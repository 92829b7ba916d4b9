"""chronotope info"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from chronotope.cli import options
from chronotope.cli.app import sentences
from chronotope.cli.output import answer, size_text

if TYPE_CHECKING:
    from chronotope.model import DynamicTopicModel
    from chronotope.model.curves import Prevalence
    from chronotope.storage.cache import CacheContent

NOTHING = "there is nothing to describe; pass a model file, or --kernels to list the kernels."


def command(
    model: Annotated[Path | None, typer.Argument(help="A model file, as chronotope fit writes it.")] = None,
    kernels: Annotated[
        bool, typer.Option("--kernels", help="List the kernels, and what each of them assumes.")
    ] = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Describe a saved model, or list the kernels."""
    with sentences():
        if model is None and not kernels:
            raise ValueError(NOTHING)
        learned = None if model is None else _loaded(model)
        listed = {} if not kernels else _kernel_facts()
        facts = ({} if learned is None else _described(learned)) | listed
        values = ({} if learned is None else _values(learned)) | listed
    width = max(map(len, facts)) + 2
    answer("\n".join(f"{name:<{width}}{fact}" for name, fact in facts.items()), values, json)


class Loaded(NamedTuple):
    """A model, the version of Chronotope that wrote its file, and what is kept beside it."""

    model: DynamicTopicModel
    version: str
    kept: CacheContent | None


def _loaded(path: Path) -> Loaded:
    from chronotope.model import load
    from chronotope.storage.cache import kept_beside
    from chronotope.storage.model_file import file_version

    return Loaded(load(path), file_version(path), kept_beside(path))


def _described(learned: Loaded) -> dict[str, str]:
    """The model in words."""
    from chronotope.display.describe import describe_model

    described = describe_model(learned.model) | {"written by": f"Chronotope {learned.version}"}
    if "differing" in described:
        sd, low, high = (f"{math.exp(value):.2f}" for value in _differences(learned.model))
        described["differing"] = f"typically by a factor of {sd} ({low} to {high}) from what all share"
    if learned.kept is not None:
        path, names, size = learned.kept
        described["cache"] = f"{path.name}, {size_text(size)}: {', '.join(names)}; safe to delete"
    return described


def _values(learned: Loaded) -> dict[str, Any]:
    """The same as numbers and truth values."""
    from chronotope.dates.decimal import format_time

    model, topics = learned.model, learned.model.topics_
    first, last = (format_time(time, topics.calendar) if topics.calendar else time for time in topics.main_span)
    return {
        "kernel": topics.kernel.text,
        "topics": topics.n_topics,
        "words": len(topics.vocabulary),
        "first": first,
        "last": last,
        "nodes": len(topics.times),
        "resolution": topics.resolution,
        "documents": model.n_documents_,
        "steps": model.n_steps_,
        "converged": model.converged_,
        "seed": model.seed,
        "tracks": _track_values(model),
        "prevalence": _prevalence_values(getattr(model, "prevalence_", None)),
        "version": learned.version,
        "cache": None if learned.kept is None else learned.kept._asdict(),
    }


def _track_values(model: DynamicTopicModel) -> dict[str, Any] | None:
    """Groups or cells between which words differ, and how far they do, on the log scale."""
    from chronotope.display.describe import difference_factor

    topics = model.topics_
    if not topics.groups:
        return None
    tokens = topics.track_mass.sum(axis=(1, 2))
    names = "groups" if topics.places is None else "cells"
    rows = [{"name": name, "tokens": n} for name, n in zip(topics.groups, tokens.tolist(), strict=True)]
    if topics.places is not None:
        rows = [row | {"lat": lat, "lon": lon} for row, (lat, lon) in zip(rows, topics.places.tolist(), strict=True)]
    sd, low, high = _differences(model)
    differing = {"sd": sd, "low": low, "high": high, "prior": math.log(difference_factor(topics.kernel))}
    return {"columns": model.tracks_.columns, names: rows, "differing": differing}


def _differences(model: DynamicTopicModel) -> tuple[float, float, float]:
    """How far groups or places differ in all topics, on the log scale, and its interval."""
    from chronotope.analysis import group_differences

    found = group_differences(model).iloc[-1]
    return float(found["sd"]), float(found["low"]), float(found["high"])


def _prevalence_values(prevalence: Prevalence | None) -> dict[str, Any] | None:
    """What prevalence follows; None if none was learned."""
    if prevalence is None:
        return None
    terms, prior = prevalence.columns.terms, prevalence.prior
    return {
        "terms": terms.text,
        "kernel": prior.eta.prior.kernel.text,
        "by": terms.by,
        "groups": prevalence.groups,
        "concentration": prior.A,
        "effects": terms.linear,
    }


def _kernel_facts() -> dict[str, str]:
    """Kernels by question first, then by name with their parameters."""
    from dataclasses import fields

    from chronotope.display.describe import NAMES, TRACKS
    from chronotope.kernels.presets import PRESETS
    from chronotope.kernels.registry import BUILT_IN

    formulas = {}
    for name, assumed in NAMES.items():
        kind, preset = BUILT_IN[name]
        parameters = ", ".join(field.name for field in fields(kind) if field.name not in preset)
        formulas[f"{name}({parameters})"] = assumed
    formulas |= {"by(kernel, column)": TRACKS["by"], "space(variance, distance)": TRACKS["space"]}
    return {f'"{question}"': meaning for question, meaning in PRESETS.items()} | formulas
