"""Limits of a prior that a model file may ask for: those of time and memory, and of numbers that do not overflow."""

from __future__ import annotations

import numpy as np

from chronotope._typing import Floats
from chronotope.kernels import Kernel

STATES = 256  # of a Markov process; the work of a step grows with their third power
DENSE_NODES = 8192  # of a process that is not Markov; so does the work with the nodes
VARIANCE = 1e6  # at a node: of logits with more, a word would be e^1000 times as frequent, or as rare


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
    variance = _variances(kernel, nodes)
    if not _allowed(variance):
        worst = int(np.argmax(np.where(np.isfinite(variance), np.abs(variance), np.inf)))
        raise ValueError(
            f"the kernel {str(kernel)[:80]} has the prior variance {variance[worst]:.3g} at the time "
            f"{nodes[worst]:.10g}; expected at most {VARIANCE:g} at all times of the time grid, where logits of words "
            "differ by thousands. Give it a smaller variance, or an origin within the times."
        )


def is_allowed(kernel: Kernel, nodes: Floats) -> bool:
    """Whether the prior variance is in range at the nodes: a kernel that is learned may leave it."""
    return _allowed(_variances(kernel, nodes))


def _variances(kernel: Kernel, nodes: Floats) -> Floats:
    with np.errstate(all="ignore"):
        variance: Floats = np.asarray(kernel.diag(nodes), dtype=np.float64)
    return variance


def _allowed(variance: Floats) -> bool:
    return bool(variance.min() >= 0.0 and variance.max() <= VARIANCE)  # NaN is not
