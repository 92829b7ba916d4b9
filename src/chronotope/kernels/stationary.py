"""Stationary kernels: functions of the lag |τ − τ'| alone. Unset parameters (None) are set by `Kernel.resolve`."""

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


FARTHEST = 1e150  # length scales; the square of a longer lag overflows, and nothing is left of the covariance


@dataclass(frozen=True)
class Stationary(Leaf):
    """A kernel with the same prior variance at all times, κ(τ, τ) = σ²."""

    variance: Parameter[float] = Parameter(positive)

    def _at_unit_variance(self) -> Kernel:
        return replace(self, variance=1.0) if self.variance is None else self


@dataclass(frozen=True)
class Scaled(Stationary):
    """A stationary kernel with a length scale, κ = σ² g(r),  r = |τ − τ'| / l."""

    length_scale: Parameter[float | str] = Parameter(duration)

    def _beside_level(self, first: float, last: float) -> Kernel:
        defaults = change_values(first, last)
        return replace(self, **{name: defaults[name] for name in defaults if getattr(self, name) is None})

    @abstractmethod
    def _profile(self, r: Floats) -> Floats:
        """g(r)."""

    def _lag(self, x: Floats, y: Floats) -> Floats:
        with np.errstate(over="ignore"):
            lag: Floats = np.minimum(np.abs(x - y) / self._numbers()[1], FARTHEST)
        return lag

    def _value(self, x: Floats, y: Floats) -> Floats:
        return self._numbers()[0] * self._profile(self._lag(x, y))


@dataclass(frozen=True)
class OrnsteinUhlenbeck(Scaled):
    """Ornstein-Uhlenbeck process, κ = σ² exp(−|τ − τ'| / l): continuous, rough, mean-reverting.

    variance : float > 0, default None (set at fit); σ², the prior variance at every time
    length_scale : float > 0, or a duration such as "18 months", default None (set at fit); l, the lag at which the
        correlation is 1/e, in the unit of the times

    Markov. Called Matern(nu=0.5) in scikit-learn, Matern12 in GPflow.
    """

    name: ClassVar[str] = "ou"
    length_fraction: ClassVar[float] = 3.0

    def _profile(self, r: Floats) -> Floats:
        return np.exp(-r)

    def state_space(self) -> StateSpace:
        """State f:  A = exp(−Δt/l),  Q = σ² (1 − A²)."""
        variance, length = self._numbers()
        return MaternSpace(variance, length, size=1)


@dataclass(frozen=True)
class SquaredExponential(Scaled):
    """Squared exponential, κ = σ² exp(−(τ − τ')² / 2l²): infinitely differentiable.

    variance : float > 0, default None (set at fit); σ², the prior variance at every time
    length_scale : float > 0, or a duration such as "18 months", default None (set at fit); l, in the unit of the times

    Called RBF in scikit-learn, SquaredExponential or RBF in GPflow.
    """

    name: ClassVar[str] = "se"
    length_fraction: ClassVar[float] = 0.2

    def _profile(self, r: Floats) -> Floats:
        return np.exp(-0.5 * r**2)


@dataclass(frozen=True)
class Cauchy(Scaled):
    """Cauchy kernel, κ = σ² / (1 + (τ − τ')² / l²): smooth, with a correlation that decays slowly.

    variance : float > 0, default None (set at fit); σ², the prior variance at every time
    length_scale : float > 0, or a duration such as "18 months", default None (set at fit); l, the lag at which the
        correlation is 1/2, in the unit of the times

    In scikit-learn and GPflow a RationalQuadratic with alpha=1 and the length scale l/√2.
    """

    name: ClassVar[str] = "cauchy"
    length_fraction: ClassVar[float] = 0.2

    def _profile(self, r: Floats) -> Floats:
        return 1.0 / (1.0 + r**2)


@dataclass(frozen=True)
class RationalQuadratic(Scaled):
    """Rational quadratic, κ = σ² (1 + (τ − τ')² / 2al²)^−a: a scale mixture of squared exponentials.

    variance : float > 0, default None (set at fit); σ², the prior variance at every time
    length_scale : float > 0, or a duration such as "18 months", default None (set at fit); l, in the unit of the times
    shape : float > 0, default 1; a, the smaller, the wider the mixture. Called alpha in scikit-learn and GPflow

    Called RationalQuadratic in scikit-learn and GPflow.
    """

    name: ClassVar[str] = "rq"
    length_fraction: ClassVar[float] = 0.2

    shape: Parameter[float] = Parameter(positive, default=1.0)

    def _profile(self, r: Floats) -> Floats:
        shape = self._numbers()[2]
        return np.exp(-shape * np.log1p(r**2 / (2.0 * shape)))


@dataclass(frozen=True)
class Matern(Scaled):
    """Matérn kernel, κ = σ² e^−s p(s), s = √(2ν) |τ − τ'| / l, with p = 1, 1 + s, 1 + s + s²/3 for ν = 0.5, 1.5, 2.5.

    variance : float > 0, default None (set at fit); σ², the prior variance at every time
    length_scale : float > 0, or a duration such as "18 months", default None (set at fit); l, in the unit of the times
    nu : 0.5, 1.5 or 2.5, default 1.5; ν, the smoothness: the process is ν − ½ times differentiable. Never learned

    Markov. Called Matern in scikit-learn; Matern12, Matern32 and Matern52 in GPflow.
    """

    length_fraction: ClassVar[float] = 0.5

    nu: Parameter[float] = Parameter(half_integer, default=1.5)

    @property
    def name(self) -> str:
        """Name in the text form, such as matern32."""
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
    """Periodic kernel, κ = σ² exp(−2 sin²(π (τ − τ') / p) / l²): functions that repeat after a period p.

    variance : float > 0, default None (set at fit); σ², the prior variance at every time
    length_scale : float > 0, default None (set at fit); l, the smoothness within a period, without unit
    period : float > 0, or a duration such as "1 week", default None (set at fit); p, in the unit of the times. Called
        periodicity in scikit-learn

    Called ExpSineSquared in scikit-learn; in GPflow Periodic of a squared exponential, with the length scale l/2.
    """

    name: ClassVar[str] = "periodic"

    length_scale: Parameter[float] = Parameter(positive)
    period: Parameter[float | str] = Parameter(duration)

    def _beside_level(self, first: float, last: float) -> Kernel:
        return replace(self, variance=change_values(first, last)["variance"]) if self.variance is None else self

    def _value(self, x: Floats, y: Floats) -> Floats:
        variance, length, period = self._numbers()
        return variance * np.exp(-2.0 * (np.sin(math.pi * (x - y) / period) / length) ** 2)


@dataclass(frozen=True)
class Constant(Stationary):
    """Constant kernel, κ = σ²: one unknown level for all times.

    variance : float > 0, default None (set at fit); σ², the prior variance of the level. Called constant_value in
        scikit-learn

    Markov. Called ConstantKernel in scikit-learn, Constant in GPflow.
    """

    name: ClassVar[str] = "constant"

    def _value(self, x: Floats, y: Floats) -> Floats:
        return np.full(np.broadcast_shapes(x.shape, y.shape), self._numbers()[0])

    def state_space(self) -> StateSpace:
        """State f:  A = 1,  Q = 0."""
        return ConstantSpace(self._numbers()[0])


@dataclass(frozen=True)
class White(Stationary):
    """White noise, κ = σ² 1[τ = τ']: independent values at different times.

    variance : float > 0, default None (set at fit); σ², the prior variance at every time. Called noise_level in
        scikit-learn

    Markov. Called WhiteKernel in scikit-learn, White in GPflow.
    """

    name: ClassVar[str] = "white"

    def _value(self, x: Floats, y: Floats) -> Floats:
        return self._numbers()[0] * np.equal(x, y).astype(np.float64)

    def state_space(self) -> StateSpace:
        """State f:  A = 0,  Q = σ² between different times."""
        return WhiteSpace(self._numbers()[0])
