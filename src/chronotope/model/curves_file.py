"""Prevalence that was learned, in a model file and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from chronotope._typing import Floats
from chronotope.gp import check_prior
from chronotope.inference.share_prior import SharePrior
from chronotope.kernels import Kernel, parse_kernel
from chronotope.kernels.terms import parse_terms
from chronotope.model.covariates import ShareColumns
from chronotope.model.curves import Prevalence
from chronotope.storage.model_file import SHARES


def prevalence_content(prevalence: Prevalence) -> tuple[dict[str, Any], dict[str, Floats]]:
    """What a model file holds of prevalence: a header, and arrays by name."""
    prior, columns = prevalence.prior, prevalence.columns
    header = {
        "terms": columns.terms.text,
        "groups": list(columns.groups),
        "means": list(columns.means),
        "deviations": list(columns.deviations),
        "kernel": prior.eta.prior.kernel.text,
    }
    nodes = {"nodes": prior.eta.prior.nodes}
    return header, {f"{SHARES}{name}": values for name, values in (prior.arrays() | nodes).items()}


def prevalence_of(
    header: Mapping[str, Any], arrays: Mapping[str, Floats], calendar: bool, span: tuple[float, float]
) -> Prevalence:
    """The prevalence that `prevalence_content` described; ValueError if it is damaged.   arrays : of the whole file."""
    terms, kernel = parse_terms(header["terms"]), parse_kernel(header["kernel"])
    groups, means, deviations = (tuple(header[name]) for name in ("groups", "means", "deviations"))
    if not isinstance(kernel, Kernel) or len(set(groups)) != len(groups) or not all(isinstance(x, str) for x in groups):
        raise ValueError("its groups or its kernel are not those of prevalence")
    if not len(means) == len(deviations) == len(terms.linear) or not all(0 < x < np.inf for x in deviations):
        raise ValueError("its numbers are not those of prevalence")
    own = {name.removeprefix(SHARES): values for name, values in arrays.items() if name.startswith(SHARES)}
    nodes = own.pop("nodes")
    check_prior(kernel, nodes)
    none = np.zeros(len(kernel.theta), dtype=bool)
    prior = SharePrior.new(kernel, none, nodes, len(groups), len(means), np.ones(len(own["mean"])))
    prior.restore(own)
    if not prior.is_sound:
        raise ValueError("its numbers are not finite")
    return Prevalence(prior, ShareColumns(terms, groups, means, deviations), calendar, span)
