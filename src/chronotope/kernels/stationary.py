"""Kernels of the lag |τ − τ'| alone: a shift of all times changes nothing."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from chronotope._typing import Floats
from chronotope.kernels.base import Kernel, Leaf, leaf_text
from chronotope.kernels.defaults import change_values
from chronotope.kernels.parameters import Parameter, duration, half_integer, positive
from chronotope.kernels.statespace import ConstantSpace, MaternSpace, StateSpace, WhiteSpace

# ruff: noqa: RUF009 (a Parameter is a descriptor, meant to be shared by all kernels of a class)


@dataclass(frozen=True)
class Stationary(Leaf):
    """κ(τ, τ) = σ² at every time."""

    variance: Parameter[float] = Parameter(positive)

    def _at_unit_variance(self) -> Kernel:
        return replace(self, variance=1.0) if self.variance is None else self


@dataclass(frozen=True)
class Scaled(Stationary):
    """κ = σ² g(r),  r = |τ − τ'| / l."""

    length_scale: Parameter[float | str] = Parameter(duration)

    def _beside_level(self, first: float, last: float) -> Kernel:
        defaults = change_values(first, last)
        return replace(self, **{name: defaults[name] for name in defaults if getattr(self, name) is None})

    @abstractmethod
    def _profile(self, r: Floats) -> Floats:
        """g(r)."""

    def _lag(self, x: Floats, y: Floats) -> Floats:
        return np.abs(x - y) / self._numbers()[1]

    def _value(self, x: Floats, y: Floats) -> Floats:
        return self._numbers()[0] * self._profile(self._lag(x, y))


@dataclass(frozen=True)
class OrnsteinUhlenbeck(Scaled):
    """κ = σ² exp(−|τ − τ'| / l): continuous, rough, returns to its mean."""

    name: ClassVar[str] = "ou"
    length_fraction: ClassVar[float] = 3.0

    def _profile(self, r: Floats) -> Floats:
        return np.exp(-r)

    def state_space(self) -> StateSpace:
        """State f:  A = exp(−dt/l),  Q = σ² (1 − A²)."""
        variance, length = self._numbers()
        return MaternSpace(variance, length, size=1)


@dataclass(frozen=True)
class SquaredExponential(Scaled):
    """κ = σ² exp(−(τ − τ')² / 2l²): infinitely smooth."""

    name: ClassVar[str] = "se"
    length_fraction: ClassVar[float] = 0.2

    def _profile(self, r: Floats) -> Floats:
        return np.exp(-0.5 * r**2)


@dataclass(frozen=True)
class Cauchy(Scaled):
    """κ = σ² / (1 + (τ − τ')² / l²): smooth, with a long memory."""

    name: ClassVar[str] = "cauchy"
    length_fraction: ClassVar[float] = 0.2

    def _profile(self, r: Floats) -> Floats:
        return 1.0 / (1.0 + r**2)


@dataclass(frozen=True)
class RationalQuadratic(Scaled):
    """κ = σ² (1 + (τ − τ')² / 2al²)^−a, a the shape: squared exponentials of many length scales."""

    name: ClassVar[str] = "rq"
    length_fraction: ClassVar[float] = 0.2

    shape: Parameter[float] = Parameter(positive, default=1.0)

    def _profile(self, r: Floats) -> Floats:
        shape = self._numbers()[2]
        return np.exp(-shape * np.log1p(r**2 / (2.0 * shape)))


@dataclass(frozen=True)
class Matern(Scaled):
    """κ = σ² e^−s p(s), s = √(2ν) |τ − τ'| / l, with p = 1, 1 + s, 1 + s + s²/3 for ν = 0.5, 1.5, 2.5."""

    length_fraction: ClassVar[float] = 0.5

    nu: Parameter[float] = Parameter(half_integer, default=1.5)

    @property
    def name(self) -> str:
        """Text name, such as matern32."""
        return f"matern{2 * self._order - 1}2"

    @property
    def _order(self) -> int:
        return round((self.nu or 0.0) + 0.5)

    @property
    def text(self) -> str:
        """Text form, which `parse_kernel` reads back."""
        return leaf_text(self.name, {key: value for key, value in self.parameters.items() if key != "nu"})

    def _profile(self, r: Floats) -> Floats:
        s = math.sqrt(2 * self._order - 1) * r
        return np.exp(-s) * (1.0, 1.0 + s, 1.0 + s + s**2 / 3.0)[self._order - 1]

    def state_space(self) -> StateSpace:
        """State f and its first ν − ½ derivatives, scaled."""
        variance, length, _ = self._numbers()
        return MaternSpace(variance, length, size=self._order)


@dataclass(frozen=True)
class Periodic(Stationary):
    """κ = σ² exp(−2 sin²(π (τ − τ') / p) / l²): repeats after a period p; l has no unit."""

    name: ClassVar[str] = "periodic"

    length_scale: Parameter[float] = Parameter(positive)
    period: Parameter[float | str] = Parameter(duration)

    def _value(self, x: Floats, y: Floats) -> Floats:
        variance, length, period = self._numbers()
        return variance * np.exp(-2.0 * (np.sin(math.pi * (x - y) / period) / length) ** 2)


@dataclass(frozen=True)
class Constant(Stationary):
    """κ = σ²: one unknown level for all times."""

    name: ClassVar[str] = "constant"

    def _value(self, x: Floats, y: Floats) -> Floats:
        return np.full(np.broadcast_shapes(x.shape, y.shape), self._numbers()[0])

    def state_space(self) -> StateSpace:
        """State f:  A = 1,  Q = 0."""
        return ConstantSpace(self._numbers()[0])


@dataclass(frozen=True)
class White(Stationary):
    """κ = σ² 1[τ = τ']: independent at every time."""

    name: ClassVar[str] = "white"

    def _value(self, x: Floats, y: Floats) -> Floats:
        return self._numbers()[0] * np.equal(x, y).astype(np.float64)

    def state_space(self) -> StateSpace:
        """State f:  A = 0,  Q = σ² between different times."""
        return WhiteSpace(self._numbers()[0])
