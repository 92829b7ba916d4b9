"""Which parameters of a kernel say how quickly and how far words change."""

from __future__ import annotations

from typing import NamedTuple

from chronotope.kernels.base import Kernel
from chronotope.kernels.compose import Sum, scaled
from chronotope.kernels.stationary import Constant, White
from chronotope.kernels.tracks import has_space, has_tracks


class Changing(NamedTuple):
    """Names of parameters of a kernel.

    variances, lengths : of the change;  differences : variances of what tracks differ in
    """

    variances: frozenset[str]
    lengths: frozenset[str]
    differences: frozenset[str]


def changing_parameters(kernel: Kernel) -> Changing:
    """The parameters of a kernel that say how words change.

    Not among them: the variance of a constant, which is that of the levels; the variance of a stationary kernel
    without a constant beside it, which is both; noise; the length scale within a period; the variance of places, of
    which left-out times say little: their documents are at places that others are at.
    """
    parts = kernel.parts if isinstance(kernel, Sum) else (kernel,)
    level = any(isinstance(part, Constant) for part in parts)
    variances: set[str] = set()
    lengths: set[str] = set()
    differences: set[str] = set()
    for i, part in enumerate(parts):
        if isinstance(part, Constant | White):
            continue
        names, prefix = part.theta_names, f"{i}." if len(parts) > 1 else ""
        if has_tracks(part):
            if part.is_resolved and not has_space(part):
                changed = scaled(part, 2.0).learnable != part.learnable
                differences |= {prefix + name for name, own in zip(names, changed, strict=True) if own}
            continue
        apart = level or any(name.endswith("initial_variance") for name in names)
        sizes = [name for name in names if name.endswith("variance") and not name.endswith("initial_variance")]
        variances |= {prefix + name for name in sizes[:1] if apart}
        ends = [name for name in names if name.endswith("length_scale")]
        lengths |= {prefix + name for name in ends if name.removesuffix("length_scale") + "period" not in names}
    return Changing(frozenset(variances), frozenset(lengths), frozenset(differences))
