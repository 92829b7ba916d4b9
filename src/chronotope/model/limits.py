"""Limits of a prior that a model file may ask for: those of time and memory, and of numbers that do not overflow."""

from __future__ import annotations

import numpy as np

from chronotope._typing import Floats
from chronotope.kernels import Kernel

STATES = 256  # of a Markov process; the work of a step grows with their third power
DENSE_NODES = 8192  # of a process that is not Markov; so does the work with the nodes
VARIANCE = 1e15  # at a node


def check_prior(kernel: Kernel, nodes: Floats) -> None:
    """Refuse a kernel whose prior would take too long or overflow.   nodes : (J,) times."""
    space = kernel.state_space()
    if space is None and len(nodes) > DENSE_NODES:
        raise ValueError(
            f"the kernel {kernel} is not Markov, and there are {len(nodes):,} nodes; with more than {DENSE_NODES:,} it "
            "would take too long. Use another kernel, or n_inducing."
        )
    if space is not None and space.size > STATES:
        raise ValueError(f"the kernel has {space.size:,} states; the limit is {STATES}; use fewer terms.")
    with np.errstate(all="ignore"):
        variance = np.asarray(kernel.diag(nodes), dtype=np.float64)
    if not (variance.min() >= 0.0 and variance.max() <= VARIANCE):
        raise ValueError(
            f"the variance of the kernel is too large or not finite here: {str(kernel)[:80]}; expected at most "
            f"{VARIANCE:g}."
        )
