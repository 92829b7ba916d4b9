"""Priors that a model file may ask for."""

from __future__ import annotations

import numpy as np
import pytest

from chronotope.kernels import parse_kernel
from chronotope.model.limits import DENSE_NODES, check_prior, count_states

NODES = np.arange(5.0)
TEXTS = [
    "ou(1, 1)",
    "constant(1) + ou(1, 1)",
    "matern(1, 1, 2.5) * matern(1, 1, 1.5) + constant(2)",
    "se(1, 1)",
    "ou(1, 1) * se(1, 1)",
]


@pytest.mark.parametrize("text", TEXTS)
def test_states_are_counted_as_the_process_has_them(text: str) -> None:
    kernel = parse_kernel(text)
    space = kernel.state_space()
    assert count_states(kernel) == (None if space is None else len(space.H))
    check_prior(kernel, NODES)


@pytest.mark.parametrize(
    ("text", "nodes", "said"),
    [
        (" * ".join(["matern(1, 1, 2.5)"] * 40), NODES, r"has 12,157,665,459,056,928,801 states; the limit is 256"),
        ("se(1, 1)", np.arange(DENSE_NODES + 1.0), "is not Markov, and there are 8,193 nodes"),
        ("ou(1e300, 1)", NODES, "variance of the kernel is too large"),
        ("wiener(1, 1, -1e300)", NODES, "variance of the kernel is too large"),
    ],
)
def test_what_takes_too_long_or_overflows_is_refused(text: str, nodes: np.ndarray, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        check_prior(parse_kernel(text), nodes)
