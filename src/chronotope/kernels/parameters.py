"""Kernel parameters: a descriptor, and the checks of their values."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real
from typing import Generic, TypeVar, overload

from chronotope.dates.decimal import parse_duration

Given = TypeVar("Given")

RANGE = 1e-75, 1e75  # of positive parameters
UNSET = "or leave it unset to derive it from the corpus"


class Parameter(Generic[Given]):
    """A field of a frozen kernel dataclass, checked and converted to float when it is set; None is unset.

    check : function of the parameter's name and value that returns the float or raises ValueError
    default : float or None, the value of a parameter that is not given; None is set by `Kernel.resolve`
    """

    def __init__(self, check: Callable[[str, Given], float], default: float | None = None) -> None:
        self.check = check
        self.default = default

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, kernel: None, owner: type) -> float | None: ...
    @overload
    def __get__(self, kernel: object, owner: type) -> float | None: ...
    def __get__(self, kernel: object | None, owner: type) -> float | None:
        value: float | None = self.default if kernel is None else kernel.__dict__[self.name]
        return value

    def __set__(self, kernel: object, value: Given | None) -> None:
        checked = self.default if value is None else self.check(self.name, value)
        kernel.__dict__[self.name] = checked


def finite(name: str, value: float) -> float:
    """Any finite number."""
    number = as_number(value)
    if not math.isfinite(number):
        raise ValueError(f"{name} is {value!r}; pass a finite number, {UNSET}.")
    return number


def positive(name: str, value: float) -> float:
    """A positive number whose square, also that of its ratio to another one, does not overflow."""
    number = as_number(value)
    if not 0 < number < math.inf:
        raise ValueError(f"{name} is {value!r}; pass a positive finite number, {UNSET}.")
    if not RANGE[0] <= number <= RANGE[1]:
        raise ValueError(f"{name} is {value!r}; pass a number from {RANGE[0]:g} to {RANGE[1]:g}, {UNSET}.")
    return number


def not_negative(name: str, value: float) -> float:
    """A finite number, 0 allowed."""
    number = as_number(value)
    if not 0 <= number < math.inf:
        raise ValueError(f"{name} is {value!r}; pass 0 or a positive finite number, {UNSET}.")
    return number


def duration(name: str, value: float | str) -> float:
    """A positive number in the unit of the times, or text such as "30 days", which is converted to years."""
    return positive(name, parse_duration(value) if isinstance(value, str) else value)


def half_integer(name: str, value: float) -> float:
    """The smoothness of a Matérn kernel: 1/2, 3/2 or 5/2."""
    if as_number(value) not in (0.5, 1.5, 2.5):
        raise ValueError(f"{name} is {value!r}; pass 0.5, 1.5 or 2.5, or use SquaredExponential for a smoother kernel.")
    return float(value)


def as_number(value: object) -> float:
    """Value as a float; NaN if it is not a number, so that every range check refuses it."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf
