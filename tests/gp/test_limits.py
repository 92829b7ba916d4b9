"""Priors that a model file may ask for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import chronotope as ct
from chronotope.gp.limits import DENSE_NODES, check_prior
from chronotope.kernels import parse_kernel

NODES = np.arange(5.0)
TEXTS = [
    "ou(1, 1)",
    "constant(1) + ou(1, 1)",
    "matern(1, 1, 2.5) * matern(1, 1, 1.5) + constant(2)",
    "se(1, 1)",
    "ou(1, 1) * se(1, 1)",
    " * ".join(["matern(1, 1, 2.5)"] * 40),  # too many states for a Markov process: a low-rank basis
]


@pytest.mark.parametrize("text", TEXTS)
def test_what_a_fit_can_have_is_taken(text: str) -> None:
    check_prior(parse_kernel(text), NODES)


def test_a_product_that_is_fitted_in_a_basis_is_saved_and_loaded(tmp_path: Path) -> None:
    counts = np.random.default_rng(0).poisson(0.5, (30, 10))
    kernel = " * ".join(["matern52(1, 3)"] * 6)
    model = ct.DynamicTopicModel(2, kernel, max_epochs=2, verbose=False).fit(ct.Corpus(counts, np.repeat(NODES, 6)))
    model.save(tmp_path / "m")
    assert ct.load(tmp_path / "m").kernel_ == model.kernel_


@pytest.mark.parametrize(
    ("text", "nodes", "said"),
    [
        (" + ".join(["matern(1, 1, 2.5)"] * 86), NODES, r"has 258 states; the limit is 256"),
        ("se(1, 1)", np.arange(DENSE_NODES + 1.0), "is not Markov, and there are 8,193 nodes"),
        ("ou(1e70, 1)", NODES, r"prior variance 1e\+70 at the time 0; expected at most 1e\+06"),
        ("wiener(1, 1, -1e300)", NODES, r"prior variance 1e\+300 at the time 0"),
        ("linear(1, 1990) + ou(1, 1)", NODES + 10.0, r"prior variance 3.92e\+06 at the time 10;"),
    ],
)
def test_what_takes_too_long_or_overflows_is_refused(text: str, nodes: np.ndarray, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        check_prior(parse_kernel(text), nodes)
