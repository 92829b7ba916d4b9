"""Kernels with an origin: the prior variance grows with the distance from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from chronotope._typing import Floats
from chronotope.kernels.base import Leaf
from chronotope.kernels.parameters import Parameter, finite, not_negative, positive
from chronotope.kernels.statespace import LinearSpace, StateSpace, WienerSpace

# ruff: noqa: RUF009 (a Parameter is a descriptor, meant to be shared by all kernels of a class)


@dataclass(frozen=True)
class Wiener(Leaf):
    """κ = σ₀² + σ² min(|τ − o|, |τ' − o|) on the same side of the origin o, σ₀² across it: a two-sided random walk."""

    name: ClassVar[str] = "wiener"

    variance: Parameter[float] = Parameter(positive)
    initial_variance: Parameter[float] = Parameter(not_negative)
    origin: Parameter[float] = Parameter(finite)

    def _walk(self, x: Floats, y: Floats) -> Floats:
        """Distance from the origin that both times have walked together."""
        x, y = x - self._numbers()[2], y - self._numbers()[2]
        return np.maximum(np.minimum(x, y), 0.0) + np.maximum(np.minimum(-x, -y), 0.0)

    def _value(self, x: Floats, y: Floats) -> Floats:
        variance, initial, _ = self._numbers()
        return initial + variance * self._walk(x, y)

    def state_space(self) -> StateSpace:
        """State f; Markov on both sides of the origin and across it."""
        return WienerSpace(*self._numbers())


@dataclass(frozen=True)
class Linear(Leaf):
    """κ = σ² (τ − o)(τ' − o): a straight line through the origin o."""

    name: ClassVar[str] = "linear"

    variance: Parameter[float] = Parameter(positive)
    origin: Parameter[float] = Parameter(finite)

    def _value(self, x: Floats, y: Floats) -> Floats:
        variance, origin = self._numbers()
        return variance * (x - origin) * (y - origin)

    def state_space(self) -> StateSpace:
        """State value and slope, without noise."""
        return LinearSpace(*self._numbers())
