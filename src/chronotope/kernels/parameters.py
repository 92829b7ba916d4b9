"""Kernel parameters: checked when a kernel is made, and the values they take when left out."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real
from typing import Generic, TypeVar, overload

Given = TypeVar("Given")

LEAVE_OUT = "or leave it out and it is taken from the corpus at fit"


class Parameter(Generic[Given]):
    """A field of a frozen kernel dataclass, checked and made a float as it is set; None waits for `resolve`."""

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
        raise ValueError(f"{name} is {value!r}; pass a finite number, {LEAVE_OUT}.")
    return number


def positive(name: str, value: float) -> float:
    """A finite number above 0."""
    number = as_number(value)
    if not 0 < number < math.inf:
        raise ValueError(f"{name} is {value!r}; pass a positive finite number, {LEAVE_OUT}.")
    return number


def not_negative(name: str, value: float) -> float:
    """A finite number, 0 allowed."""
    number = as_number(value)
    if not 0 <= number < math.inf:
        raise ValueError(f"{name} is {value!r}; pass 0 or a positive finite number, {LEAVE_OUT}.")
    return number


def duration(name: str, value: float | str) -> float:
    """A positive number in the unit of the times, or text such as "30 days", which becomes years."""
    if not isinstance(value, str):
        return positive(name, value)
    from chronotope.dates.decimal import parse_duration

    return positive(name, parse_duration(value))


def half_integer(name: str, value: float) -> float:
    """The smoothness of a Matérn kernel: 1/2, 3/2 or 5/2."""
    if as_number(value) not in (0.5, 1.5, 2.5):
        raise ValueError(f"{name} is {value!r}; pass 0.5, 1.5 or 2.5, or use SquaredExponential for a smoother kernel.")
    return float(value)


def as_number(value: object) -> float:
    """Value as a float; NaN if it isn't a number, so that every range check refuses it."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf


def default_values(kernel: str, length_fraction: float, first: float, last: float) -> dict[str, float]:
    """What parameters left out become, for a corpus from `first` to `last`: a few units of variance over its span."""
    span = last - first if last > first else 1.0
    common = {"variance": 6.0, "length_scale": length_fraction * span}
    special = {
        "wiener": {"variance": 4.0 / span, "initial_variance": 6.0, "origin": first},
        "se": {"variance": 3.0},
        "cauchy": {"variance": 3.0},
        "rq": {"variance": 3.0},
        "linear": {"variance": 4.0 / span**2, "origin": 0.5 * (first + last)},
        "periodic": {"length_scale": 1.0, "period": 1.0},
        "white": {"variance": 0.1},
    }
    return common | special.get(kernel, {})


def change_values(first: float, last: float) -> dict[str, float]:
    """What variance and length scale become beside a constant, which holds the level: those of what changes.

    In years the words of topics move at much the same pace in many corpora, and so a longer span sees more change.
    """
    span = last - first if last > first else 1.0
    length = 0.3 * span
    variance = min(max(0.15, 0.03 * length), 2.0) if in_years(first, last) else 0.5
    return {"variance": variance, "length_scale": length}


def in_years(first: float, last: float) -> bool:
    """Whether times from `first` to `last` are taken for years: all lie between 1500 and 2100."""
    return first >= 1500.0 and last <= 2100.0
