"""Nonstationary kernels, whose prior variance grows with the distance from an origin.

Unset parameters (None) are set by `Kernel.resolve`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from chronotope._typing import Floats
from chronotope.kernels.base import Kernel, Leaf
from chronotope.kernels.defaults import walk_values
from chronotope.kernels.parameters import Parameter, finite, not_negative, positive
from chronotope.kernels.statespace import LinearSpace, StateSpace, WienerSpace

# ruff: noqa: RUF009 (a Parameter is a descriptor, meant to be shared by all kernels of a class)


@dataclass(frozen=True)
class Wiener(Leaf):
    """Wiener process (Brownian motion) on both sides of an origin, the prior of the first dynamic topic models.

        κ = σ₀² + σ² min(|τ − o|, |τ' − o|)  on the same side of the origin o,  κ = σ₀²  across it

    variance : float > 0, default None (set at fit); σ², the growth of the prior variance per unit of time
    initial_variance : float ≥ 0, default None (set at fit); σ₀², the prior variance at the origin
    origin : float, default None for the first time of the corpus; o, where the process starts. Never learned

    Markov. Called Brownian in GPy; not in scikit-learn or GPflow.
    """

    name: ClassVar[str] = "wiener"

    variance: Parameter[float] = Parameter(positive)
    initial_variance: Parameter[float] = Parameter(not_negative)
    origin: Parameter[float] = Parameter(finite)

    def _beside_level(self, first: float, last: float) -> Kernel:
        defaults = walk_values(first, last)
        return replace(self, **{name: defaults[name] for name in defaults if getattr(self, name) is None})

    def _walk(self, x: Floats, y: Floats) -> Floats:
        """Part of the path from the origin that both times share: min(|τ − o|, |τ' − o|) on one side, else 0."""
        x, y = x - self._numbers()[2], y - self._numbers()[2]
        return np.maximum(np.minimum(x, y), 0.0) + np.maximum(np.minimum(-x, -y), 0.0)

    def _value(self, x: Floats, y: Floats) -> Floats:
        variance, initial, _ = self._numbers()
        return initial + variance * self._walk(x, y)

    def state_space(self) -> StateSpace:
        """State f;  A and Q as in `WienerSpace`, also for steps across the origin."""
        return WienerSpace(*self._numbers())


@dataclass(frozen=True)
class Linear(Leaf):
    """Linear kernel, κ = σ² (τ − o)(τ' − o): straight lines through zero at the origin o.

    variance : float > 0, default None (set at fit); σ², the prior variance of the slope
    origin : float, default None for the middle of the corpus; o, where every line is zero. Never learned

    Markov. DotProduct(sigma_0=0) of τ − o in scikit-learn; Linear of τ − o in GPflow.
    """

    name: ClassVar[str] = "linear"

    variance: Parameter[float] = Parameter(positive)
    origin: Parameter[float] = Parameter(finite)

    def _value(self, x: Floats, y: Floats) -> Floats:
        variance, origin = self._numbers()
        return variance * (x - origin) * (y - origin)

    def state_space(self) -> StateSpace:
        """State f and its slope;  Q = 0."""
        return LinearSpace(*self._numbers())
