"""Kernels and models in words."""

from __future__ import annotations

import math
from typing import Any, Protocol

from chronotope.dates.decimal import duration_text, format_time
from chronotope.kernels import By, FunctionKernel, Kernel, Product, Sum, terms_of

NAMES = {
    "wiener": "Wiener (a random walk, not mean-reverting)",
    "ou": "Ornstein-Uhlenbeck (rough, mean-reverting)",
    "se": "squared exponential (very smooth)",
    "cauchy": "Cauchy (smooth, with a long memory)",
    "rq": "rational quadratic (smooth, on many scales)",
    "matern12": "Matérn 1/2 (rough, mean-reverting)",
    "matern32": "Matérn 3/2 (smooth, mean-reverting)",
    "matern52": "Matérn 5/2 (smoother, mean-reverting)",
    "periodic": "periodic (repeats itself)",
    "constant": "constant (one level for all times)",
    "linear": "linear (a straight trend)",
    "white": "white (independent at every time)",
}
BANDS = {
    True: "with the doubt about the topics of tokens; without that about the kernel, alpha and the number of topics",
    False: "too narrow where topics share words: the topics of tokens are taken as known",
}
TRACKS = {  # what a kernel over time and group or place has beside those over time
    "by": "a part of each group's own, as by(ou(0.25, 20 years), party): groups share the rest",
    "space": "places, alike if they are near (Matérn 3/2), as space(1, 300 km); also ou(1, 5 years) * space(300 km)",
}
NAMED = 8  # groups
IN_TIME = ("length_scale", "period")  # parameters measured in the unit of the times


class FittedModel(Protocol):
    """The attributes of a fitted model that are described."""

    topics_: Any
    n_documents_: int
    n_steps_: int
    converged_: bool
    doubt_: bool
    seed: int


def describe_kernel(kernel: Kernel, calendar: bool = False) -> str:
    """A kernel in words: its name, what it assumes, and its parameters.

    kernel : Kernel, the prior on change
    calendar : bool, default False, whether times are decimal years, so that lengths are in years
    """
    if isinstance(kernel, Sum | Product):
        joint = " plus " if isinstance(kernel, Sum) else " times "
        parts = [describe_kernel(part, calendar) for part in kernel.parts]
        return joint.join(f"[{text}]" if isinstance(kernel, Product) else text for text in parts)
    if isinstance(kernel, By):
        return f"of each group's own [{describe_kernel(kernel.part, calendar)}]"
    name = str(getattr(kernel, "name", type(kernel).__name__))
    known = f"your own kernel {name}" if isinstance(kernel, FunctionKernel) else NAMES.get(name, name)
    known = "places, alike if they are near" if name == "space" else known
    unit = {} if not calendar else {key: " years" for key in IN_TIME if (name, key) != ("periodic", "length_scale")}
    unit["distance"] = " km"
    values = [
        f"{key.replace('_', ' ')} {value:.4g}{unit.get(key, '')}"
        for key, value in kernel.parameters.items()
        if value is not None and key not in ("nu", "origin")
    ]
    return ", ".join([known, *values])


def describe_resolution(resolution: float, calendar: bool) -> str:
    """The resolution of a time grid in words.   resolution : 0 if every time has a node."""
    if resolution <= 0.0:
        return "every date of the documents has a node of its own"
    return f"changes shorter than about {duration_text(resolution, calendar)} are not seen"


def describe_model(model: FittedModel) -> dict[str, str]:
    """A fitted model in words, by name: kernel, topics, words, span, resolution, documents, fit, bands, seed.

    If prevalence was learned, also what it follows.

    model : a fitted DynamicTopicModel
    """
    topics = model.topics_
    first, last = (format_time(time, topics.calendar) for time in topics.main_span)
    steps = "step" if model.n_steps_ == 1 else "steps"
    return {
        "kernel": f"{describe_kernel(topics.kernel, topics.calendar)}: {topics.kernel.text}",
        "topics": f"{topics.n_topics:,}",
        "words": f"{len(topics.vocabulary):,}",
        "span": f"{first} to {last}, {len(topics.times):,} nodes",
        "resolution": describe_resolution(topics.resolution, topics.calendar),
        "documents": f"{model.n_documents_:,}",
        "fit": f"{model.n_steps_:,} {steps}, {'converged' if model.converged_ else 'not converged'}",
        "bands": BANDS[model.doubt_],
        "seed": f"{model.seed}",
        **describe_tracks(getattr(model, "tracks_", None), topics.kernel),
        **describe_prevalence(getattr(model, "prevalence_", None), topics.calendar),
    }


def describe_tracks(tracks: Any, kernel: Kernel) -> dict[str, str]:
    """The groups or cells between which words differ, and by how much they do before documents are read, by name.

    tracks : TrackColumns, or None if words do not differ
    """
    if tracks is None:
        return {}
    places = tracks.tracks.places is not None
    kind, kinds = ("place", "cells") if places else ("group", "groups")
    named = ", ".join(tracks.tracks.names[:NAMED]) + ", ..." * (tracks.tracks.size > NAMED)
    factor = f"{difference_factor(kernel):.2g}"
    return {
        "words by": f"{tracks.tracks.size:,} {kinds} of {', '.join(tracks.columns)}: {named}",
        "differing": f"typically by a factor of {factor} between a {kind} and what all share, says the kernel",
    }


def difference_factor(kernel: Kernel) -> float:
    """exp σ, where σ² is the variance of the logits that a group or place has beside what all share."""
    own = [term.time for term in terms_of(kernel) if term.own or term.spaces]
    return math.exp(math.sqrt(sum(float(time.diag([0.0])[0]) for time in own)))


def describe_prevalence(prevalence: Any, calendar: bool) -> dict[str, str]:
    """What prevalence follows in words, by name: its kernel and terms, groups, concentration, effects.

    prevalence : Prevalence, or None of a model that has learned none
    """
    if prevalence is None:
        return {}
    terms, groups = prevalence.columns.terms, prevalence.groups
    kernel = describe_kernel(prevalence.prior.eta.prior.kernel, calendar)
    named = ", ".join(groups[:NAMED]) + ", ..." * (len(groups) > NAMED)
    found = {"prevalence": f"{kernel}: {terms.text.replace('()', '')}"}
    if groups:
        found["groups"] = f"{len(groups):,} of {terms.by}: {named}"
    found["concentration"] = f"A = {prevalence.prior.A:.3g}; the larger, the closer documents are to prevalence"
    if terms.linear:
        found["effects"] = f"of {', '.join(terms.linear)}"
    return found
