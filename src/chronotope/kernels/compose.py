"""Sums and products of kernels, and the operators + and * of every kernel."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from itertools import accumulate
from numbers import Real
from typing import Any

import numpy as np

from chronotope._typing import Floats
from chronotope.kernels.base import Kernel, Leaf
from chronotope.kernels.parameters import as_number
from chronotope.kernels.statespace import ProductSpace, StateSpace, SumSpace
from chronotope.kernels.stationary import Constant

MOST_STATES = 32  # largest state of a product: its cost grows with the cube, and a low-rank basis is cheaper


@dataclass(frozen=True, init=False, repr=False)
class Composite(Kernel):
    """Kernels joined by one operation. Composites of the same kind are flattened: (a + b) + c has three parts."""

    parts: tuple[Kernel, ...]

    def __init__(self, *parts: Kernel) -> None:
        flat = [inner for part in parts for inner in (part.parts if isinstance(part, type(self)) else (part,))]
        if len(flat) < 2 or not all(isinstance(part, Kernel) for part in flat):
            raise ValueError(f"{type(self).__name__} was given {parts!r}; pass two or more kernels.")
        object.__setattr__(self, "parts", tuple(flat))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self.parts))})"

    @property
    def parameters(self) -> dict[str, float | None]:
        """Parameters of every part, prefixed with its index: "0.variance"."""
        return {f"{i}.{name}": value for i, part in enumerate(self.parts) for name, value in part.parameters.items()}

    @property
    def theta_names(self) -> tuple[str, ...]:
        """Names of the learnable parameters, prefixed in the same way."""
        return tuple(f"{i}.{name}" for i, part in enumerate(self.parts) for name in part.theta_names)

    def forget(self) -> Kernel:
        """The same kernel with variances and length scales unset, so that `resolve` sets them from the corpus."""
        return type(self)(*(part.forget() for part in self.parts))

    @staticmethod
    @abstractmethod
    def _join(values: list[Floats]) -> Floats: ...

    def _matrix(self, x: Floats, y: Floats) -> Floats:
        return self._join([part._matrix(x, y) for part in self.parts])

    def _pairs(self, x: Floats, y: Floats) -> Floats:
        return self._join([part._pairs(x, y) for part in self.parts])

    def _with_values(self, values: Floats) -> Kernel:
        cuts = list(accumulate(len(part.theta_names) for part in self.parts))
        pieces = np.split(values, cuts[:-1])
        return type(self)(*(part._with_values(piece) for part, piece in zip(self.parts, pieces, strict=True)))

    def _spaces(self) -> list[StateSpace]:
        """State-space forms of the parts; empty unless every part is Markov."""
        spaces = [space for part in self.parts if (space := part.state_space()) is not None]
        return spaces if len(spaces) == len(self.parts) else []


class Sum(Composite):
    """Sum of kernels, κ = Σ κ_i: the covariance of a sum of independent functions. Usually written k1 + k2.

    parts : Kernel, two or more, as positional arguments
    """

    @property
    def text(self) -> str:
        """Text form, which `parse_kernel` reads back."""
        return " + ".join(part.text for part in self.parts)

    def state_space(self) -> StateSpace | None:
        """The parts' states stacked; None unless every part is Markov."""
        spaces = self._spaces()
        return SumSpace(spaces) if spaces else None

    @staticmethod
    def _join(values: list[Floats]) -> Floats:
        total: Floats = np.sum(values, axis=0)
        return total

    def _resolved(self, first: float, last: float) -> Kernel:
        """With a constant, which models the level, the other parts only model the change."""
        level = any(isinstance(part, Constant) for part in self.parts)
        parts = [part._beside_level(first, last) for part in self.parts] if level else self.parts
        return Sum(*(part._resolved(first, last) for part in parts))

    def _beside_level(self, first: float, last: float) -> Kernel:
        return Sum(*(part._beside_level(first, last) for part in self.parts))


class Product(Composite):
    """Product of kernels, κ = Π κ_i: each factor modulates the others. Usually written k1 * k2, or 2.0 * k.

    parts : Kernel, two or more, as positional arguments
    """

    @property
    def text(self) -> str:
        """Text form, which `parse_kernel` reads back."""
        return " * ".join(f"({part.text})" if isinstance(part, Sum) else part.text for part in self.parts)

    def state_space(self) -> StateSpace | None:
        """Kronecker product of the parts' states; None unless every part is Markov and its size is at most 32."""
        spaces = self._spaces()
        return ProductSpace(spaces) if spaces and math.prod(space.size for space in spaces) <= MOST_STATES else None

    @staticmethod
    def _join(values: list[Floats]) -> Floats:
        product: Floats = np.prod(values, axis=0)
        return product

    def _resolved(self, first: float, last: float) -> Kernel:
        return Product(*(part._resolved(first, last) for part in self._one_variance()))

    def _beside_level(self, first: float, last: float) -> Kernel:
        return Product(*(part._beside_level(first, last) for part in self._one_variance()))

    def _one_variance(self) -> list[Kernel]:
        """The parts: variances multiply, so only the first factor with unset parameters gets the default variance."""
        later = [i for i, part in enumerate(self.parts) if not part.is_resolved and not part.modulates][1:]
        alone = all(part.modulates for part in self.parts)
        return [
            part._at_unit_variance() if i in later or (part.modulates and not alone) else part
            for i, part in enumerate(self.parts)
        ]


def scaled(kernel: Kernel, factor: float) -> Kernel:
    """factor · κ, with the factor in the variances of the kernel itself; its kind stays, and so does its structure."""
    if isinstance(kernel, Sum):
        return Sum(*(scaled(part, factor) for part in kernel.parts))
    if isinstance(kernel, Product):
        return Product(scaled(kernel.parts[0], factor), *kernel.parts[1:])
    if (within := kernel._scaled_within(factor)) is not None:
        return within
    names = [name for name in kernel.theta_names if name.endswith("variance")] if isinstance(kernel, Leaf) else []
    if not names:
        return Product(Constant(factor), kernel)
    values = np.array([kernel.parameters[name] for name in kernel.theta_names], dtype=np.float64)
    values[[name in names for name in kernel.theta_names]] *= factor
    return kernel.with_values(values)


def with_levels(kernel: Kernel, level: float, change: float) -> Kernel:
    """The kernel with its constants, which model the level, times one factor, and all other terms times another."""
    if isinstance(kernel, Sum):
        return Sum(*(with_levels(part, level, change) for part in kernel.parts))
    factor = level if isinstance(kernel, Constant) else change
    return kernel if factor == 1.0 else scaled(kernel, factor)


def has_level(kernel: Kernel) -> bool:
    """Whether a kernel has a constant beside its change: the variance of a level."""
    return isinstance(kernel, Constant) or (isinstance(kernel, Sum) and any(has_level(part) for part in kernel.parts))


def _add(kernel: Kernel, other: object) -> Any:
    """kernel + other; NotImplemented, which Python turns into a TypeError, unless other is a kernel."""
    return Sum(kernel, other) if isinstance(other, Kernel) else NotImplemented


def _multiply(kernel: Kernel, other: object) -> Any:
    """kernel * other, a kernel or a number."""
    return Product(kernel, other) if isinstance(other, Kernel) else _scale(kernel, other)


def _scale(kernel: Kernel, factor: object) -> Any:
    """factor * kernel, as a product with a constant."""
    if not isinstance(factor, Real):
        return NotImplemented
    value = as_number(factor)
    if not 0 < value < math.inf:
        raise ValueError(f"a kernel was multiplied by {factor!r}; use a positive finite number.")
    return Product(Constant(value), kernel)


Kernel.__add__, Kernel.__mul__, Kernel.__rmul__ = _add, _multiply, _scale
