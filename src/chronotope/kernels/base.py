"""Base classes of kernels: covariance matrices, parameters, text form."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from chronotope._typing import Floats
from chronotope.kernels.defaults import default_values
from chronotope.kernels.statespace import StateSpace

Operator: TypeAlias = "Callable[[Kernel, object], Kernel]"

NEVER_LEARNED = ("origin", "nu")
FORGOTTEN = ("variance", "initial_variance", "length_scale")
SPANS = (1e-100, 1e100)  # spans of a corpus whose squares and their inverses are numbers


class Kernel(ABC):
    """A covariance function of time, κ(τ, τ'). Immutable, hashable, equal by value.

    Kernels are added with `+`, multiplied with `*`, and scaled by a positive number, as in scikit-learn and GPflow.
    """

    __array_ufunc__ = None  # NumPy then leaves scalar * kernel to __rmul__
    modulates: ClassVar[bool] = False  # in a product, whether it has no variance of its own

    # bound in compose.py, where sums and products are defined
    __add__: ClassVar[Operator]
    __mul__: ClassVar[Operator]
    __rmul__: ClassVar[Operator]

    def __call__(self, x: npt.ArrayLike, y: npt.ArrayLike | None = None) -> Floats:
        """Covariance matrix, K[i, j] = κ(x_i, y_j).  Returns (n, m).

        x : (n,) times
        y : (m,) times, default None for x
        """
        self._require_resolved()
        x = as_times(x)
        return self._matrix(x, x if y is None else as_times(y))

    def diag(self, x: npt.ArrayLike) -> Floats:
        """Prior variances κ(x_i, x_i);  x : (n,) times.  Returns (n,)."""
        return self.pairs(x, x)

    def pairs(self, x: npt.ArrayLike, y: npt.ArrayLike) -> Floats:
        """Covariances of pairs of times, κ(x_i, y_i);  x, y : (n,) times.  Returns (n,)."""
        self._require_resolved()
        x, y = as_times(x), as_times(y)
        if x.shape != y.shape:
            raise ValueError(f"x has {len(x)} times but y has {len(y)}; pass pairs of times.")
        return self._pairs(x, y)

    @property
    def theta(self) -> Floats:
        """Logarithms of the learnable parameters, in the order of `theta_names`: (P,)."""
        self._require_resolved()
        return np.log(self.learnable)

    @property
    def learnable(self) -> Floats:
        """The learnable parameters of a resolved kernel, in the order of `theta_names`: (P,)."""
        parameters = self.parameters
        return np.array([parameters[name] for name in self.theta_names], dtype=np.float64)

    def with_theta(self, theta: npt.ArrayLike) -> Kernel:
        """The same kernel with learnable parameters exp(theta);  theta : (P,), in the order of `theta_names`."""
        self._require_resolved()
        theta = self._one_for_each("theta", theta)
        with np.errstate(over="ignore"):
            values = np.exp(theta)
        if not np.all((values > 0) & np.isfinite(values)):
            raise ValueError(f"theta is {theta.tolist()}; pass logarithms whose exponentials are positive and finite.")
        return self._with_values(values)

    def with_values(self, values: npt.ArrayLike) -> Kernel:
        """The same kernel with other learnable parameters;  values : (P,), in the order of `theta_names`."""
        return self._with_values(self._one_for_each("values", values))

    @property
    def is_resolved(self) -> bool:
        """Whether every parameter has a value."""
        return None not in self.parameters.values()

    def resolve(self, first: float, last: float) -> Kernel:
        """The same kernel with every unset parameter set for a corpus; others keep their values.

        first, last : float, first and last time of the corpus

        Alone, a kernel gets a prior variance of a few units and a length scale proportional to the span; in a sum with
        a constant, the smaller values of `kernels.defaults.change_values`, also within products.
        """
        return self._resolved(*check_span(first, last))

    def forget(self) -> Kernel:
        """The same kernel with variances and length scales unset, so that `resolve` sets them from the corpus."""
        return self

    def state_space(self) -> StateSpace | None:
        """State-space form of a Markov kernel, for inference in linear time; None if the kernel is not Markov."""
        return None

    def __str__(self) -> str:
        return self.text

    def _one_for_each(self, name: str, given: npt.ArrayLike) -> Floats:
        """The numbers given for the learnable parameters as an array, refused if there is not one for each: (P,)."""
        numbers = np.asarray(given, dtype=np.float64)
        if numbers.shape != (len(self.theta_names),):
            expected = ", ".join(self.theta_names) or "nothing"
            raise ValueError(f"{name} has shape {numbers.shape}; pass a list with one number for each of: {expected}.")
        return numbers

    def _require_resolved(self) -> None:
        if not self.is_resolved:
            missing = [name for name, value in self.parameters.items() if value is None]
            raise ValueError(
                f"kernel {self.text} has no value for {', '.join(missing)}; pass them, or call resolve(first, last)."
            )

    @property
    @abstractmethod
    def text(self) -> str:
        """Text form, which `parse_kernel` reads back."""

    @property
    @abstractmethod
    def parameters(self) -> dict[str, float | None]:
        """Parameters by name, in constructor order; None if unset."""

    @property
    @abstractmethod
    def theta_names(self) -> tuple[str, ...]:
        """Names of the learnable parameters, all of them positive."""

    @abstractmethod
    def _matrix(self, x: Floats, y: Floats) -> Floats: ...

    @abstractmethod
    def _pairs(self, x: Floats, y: Floats) -> Floats: ...

    @abstractmethod
    def _with_values(self, values: Floats) -> Kernel: ...

    @abstractmethod
    def _resolved(self, first: float, last: float) -> Kernel: ...

    def _at_unit_variance(self) -> Kernel:
        """The kernel with variance 1 if its variance is unset."""
        return self

    def _beside_level(self, first: float, last: float) -> Kernel:
        """The kernel with unset parameters set for the change alone: in this sum, a constant models the level."""
        return self

    def _scaled_within(self, factor: float) -> Kernel | None:
        """factor · κ, of a kernel that is made of another one; None for others, see `scaled`."""
        return None


@dataclass(frozen=True)
class Leaf(Kernel):
    """A kernel with an elementwise formula; its dataclass fields are its parameters."""

    length_fraction: ClassVar[float] = 1.0  # default length scale, as a fraction of the corpus' span

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in the text form."""

    @abstractmethod
    def _value(self, x: Floats, y: Floats) -> Floats:
        """κ(x, y) for arrays that broadcast."""

    @property
    def text(self) -> str:
        """Text form, which `parse_kernel` reads back."""
        return leaf_text(self.name, self.parameters)

    @property
    def parameters(self) -> dict[str, float | None]:
        """Parameters by name, in constructor order; None if unset."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def theta_names(self) -> tuple[str, ...]:
        """Names of the learnable parameters, all of them positive."""
        return tuple(name for name, value in self.parameters.items() if name not in NEVER_LEARNED and value != 0)

    def forget(self) -> Kernel:
        """The same kernel with variances and length scales unset, so that `resolve` sets them from the corpus."""
        return replace(self, **dict.fromkeys(set(self.theta_names) & set(FORGOTTEN), None))

    def _numbers(self) -> tuple[float, ...]:
        self._require_resolved()
        return tuple(value for value in self.parameters.values() if value is not None)

    def _matrix(self, x: Floats, y: Floats) -> Floats:
        return self._value(x[:, None], y[None, :])

    def _pairs(self, x: Floats, y: Floats) -> Floats:
        return self._value(x, y)

    def _with_values(self, values: Floats) -> Kernel:
        return replace(self, **dict(zip(self.theta_names, values.tolist(), strict=True)))

    def _resolved(self, first: float, last: float) -> Kernel:
        defaults = default_values(self.name, self.length_fraction, first, last)
        return replace(self, **{name: defaults[name] for name, value in self.parameters.items() if value is None})


def check_span(first: float, last: float) -> tuple[float, float]:
    """First and last time of a corpus as floats, refused if they are not finite, in the wrong order or absurd."""
    if not -math.inf < first <= last < math.inf:
        raise ValueError(f"the corpus runs from {first!r} to {last!r}; pass its first and last time, both finite.")
    span = float(last) - float(first)
    if span > 0 and not SPANS[0] <= span <= SPANS[1]:
        raise ValueError(
            f"the corpus runs from {first!r} to {last!r}, a span of {span:g}; expected one from {SPANS[0]:g} to "
            f"{SPANS[1]:g}: drop times that are wrong, or give them in another unit."
        )
    return float(first), float(last)


def as_times(values: npt.ArrayLike) -> Floats:
    """Times as a one-dimensional array of finite float64 numbers."""
    times = np.atleast_1d(np.asarray(values, dtype=np.float64))
    if times.ndim != 1:
        raise ValueError(f"times have shape {times.shape}; pass a one-dimensional array.")
    if not np.isfinite(times).all():
        raise ValueError(f"{np.sum(~np.isfinite(times))} of {len(times)} times are not finite; drop them first.")
    return times


def leaf_text(name: str, parameters: dict[str, float | None]) -> str:
    """Text form `name(1, 2, c=3)`: positional up to the first unset parameter, then by name."""
    shown, named = [], False
    for key, value in parameters.items():
        if value is None:
            named = True
        else:
            number = repr(value).removesuffix(".0")
            shown.append(f"{key}={number}" if named else number)
    return f"{name}({', '.join(shown)})"
