"""Limits of a prior that a model file may ask for: those of time and memory, and of numbers that do not overflow."""

from __future__ import annotations

import numpy as np

from chronotope._typing import Floats
from chronotope.kernels import Kernel, Product, Sum

STATES = 256  # of a Markov process; the work of a step grows with their third power
DENSE_NODES = 8192  # of a process that is not Markov; so does the work with the nodes
VARIANCE = 1e15  # at a node


def check_prior(kernel: Kernel, nodes: Floats) -> None:
    """Refuse a kernel whose prior would take too long or overflow.   nodes : (J,) times."""
    states = count_states(kernel)
    if states is None and len(nodes) > DENSE_NODES:
        raise ValueError(
            f"the kernel is not Markov, and there are {len(nodes):,} nodes; at most {DENSE_NODES:,} are read"
        )
    if states is not None and states > STATES:
        raise ValueError(f"the kernel has {states:,} states; the limit is {STATES}")
    with np.errstate(all="ignore"):
        variance = np.asarray(kernel.diag(nodes), dtype=np.float64)
    if not (variance.min() >= 0.0 and variance.max() <= VARIANCE):
        raise ValueError("the variance of the kernel is too large or not finite")


def count_states(kernel: Kernel) -> int | None:
    """States of the Markov process with this kernel, counted without making its matrices; None if it is not Markov."""
    if isinstance(kernel, Sum | Product):
        counts = [count_states(part) for part in kernel.parts]
        known = [count for count in counts if count is not None]
        if len(known) < len(counts):
            return None
        return sum(known) if isinstance(kernel, Sum) else int(np.prod(known, dtype=object))
    space = kernel.state_space()
    return None if space is None else len(space.H)
