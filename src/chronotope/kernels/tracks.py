"""Kernels over time and track: what groups and places have of their own, beside what all of them share.

A document has a time τ and a track s, a group or a place. Covariances are sums of products,

    κ((τ, s), (τ', s')) = Σ_i κ_i(τ, τ') C_i(s, s')

with C = 1 for what all tracks share, C = 1[s = s'] within `by`, and a function of the distance between places within
`space`. On one track a kernel is its function of time alone, Σ_i κ_i, which is what these kernels are when they are
called with times.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np

from chronotope._typing import Floats
from chronotope.kernels.base import Kernel, Leaf
from chronotope.kernels.compose import Product, Sum, scaled
from chronotope.kernels.parameters import Parameter, as_number, positive
from chronotope.kernels.statespace import ConstantSpace, StateSpace
from chronotope.kernels.stationary import Constant

# ruff: noqa: RUF009 (a Parameter is a descriptor, meant to be shared by all kernels of a class)

EARTH = 6371.0088  # kilometres, its mean radius
MILE = 1.609344  # kilometres
OWN_VARIANCE = 0.25  # of what a group has of its own, before it is learned
PLACE_VARIANCE = 0.1
FAR = 1e4  # distances at which there is no correlation, also where one is infinite
LENGTH = re.compile(r"\s*([0-9.eE+-]+)\s*(km|kilometres?|kilometers?|mi|miles?)\s*")
OF_A_SPAN = 0.5  # default distance, as a fraction of the mean distance between places


def kilometres(name: str, value: float | str) -> float:
    """A positive number of kilometres, or text such as "300 km" or "200 miles"."""
    if not isinstance(value, str):
        return positive(name, value)
    found = LENGTH.fullmatch(value)
    if found is None:
        raise ValueError(f'{name} is {value!r}; pass a number of kilometres, or text such as "300 km" or "200 miles".')
    return positive(name, float(found[1]) * (MILE if found[2].startswith("mi") else 1.0))


def smoothness_of(name: str, value: float) -> float:
    """ν of a Matérn function, or 0 for a squared exponential."""
    number = as_number(value)
    if number not in (0.0, 0.5, 1.5, 2.5):
        raise ValueError(f"{name} is {value!r}; pass 0.5, 1.5 or 2.5, or 0 for a squared exponential.")
    return number


@dataclass(frozen=True)
class By(Kernel):
    """What every group has of its own: an independent function of time for each, with the same kernel.

    part : Kernel; of the groups' deviations from what they share
    column : str, default None; the column of the metadata that holds the groups; None for the model's `groups`
    """

    part: Kernel
    column: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.part, Kernel) or has_tracks(self.part):
            given = self.part.text if isinstance(self.part, Kernel) else repr(self.part)
            raise ValueError(f"by was given {given}; pass a kernel over time, such as by(ou(0.5, 20 years)).")

    @property
    def text(self) -> str:
        """Text form, which `parse_kernel` reads back."""
        return f"by({self.part.text}{'' if self.column is None else f', {quoted(self.column)}'})"

    @property
    def parameters(self) -> dict[str, float | None]:
        """Parameters of the part."""
        return self.part.parameters

    @property
    def theta_names(self) -> tuple[str, ...]:
        """Names of the learnable parameters of the part."""
        return self.part.theta_names

    @property
    def is_resolved(self) -> bool:
        """Whether every parameter of the part has a value."""
        return self.part.is_resolved

    def forget(self) -> Kernel:
        """The same kernel with variances and length scales unset."""
        return replace(self, part=self.part.forget())

    def state_space(self) -> StateSpace | None:
        """That of the part."""
        return self.part.state_space()

    def _matrix(self, x: Floats, y: Floats) -> Floats:
        return self.part._matrix(x, y)

    def _pairs(self, x: Floats, y: Floats) -> Floats:
        return self.part._pairs(x, y)

    def _with_values(self, values: Floats) -> Kernel:
        return replace(self, part=self.part._with_values(values))

    def _resolved(self, first: float, last: float) -> Kernel:
        """Groups differ less than topics: unset variances are smaller, and differences last for the whole span."""
        given, part = self.part.parameters, self.part._resolved(first, last)
        if isinstance(self.part, Leaf) and set(given) <= {"variance", "length_scale", "nu"}:
            defaults = {"variance": OWN_VARIANCE, "length_scale": max(last - first, 1e-9) if last > first else 1.0}
            unset = {name: value for name, value in defaults.items() if name in given and given[name] is None}
            return replace(self, part=replace(self.part, **unset)._resolved(first, last))
        if any(value is not None for name, value in given.items() if name.endswith("variance")):
            return replace(self, part=part)
        return replace(self, part=scaled(part, OWN_VARIANCE / max(float(part.diag([first])[0]), OWN_VARIANCE)))

    def _beside_level(self, first: float, last: float) -> Kernel:
        return self

    def _scaled_within(self, factor: float) -> Kernel:
        return replace(self, part=scaled(self.part, factor))


@dataclass(frozen=True)
class Space(Leaf):
    """Covariance of places, a Matérn function of the distance between them, the same at all times.

        κ = σ² M_ν(r / l),   r = 2 R sin(d / 2R),   d : great-circle distance, R : radius of the earth

    variance : float > 0, default None (set at fit); σ², the prior variance at every place
    distance : float > 0 in kilometres, or text such as "300 km", default None (set at fit); l
    nu : float, default 1.5; smoothness, 0.5, 1.5 or 2.5; 0 for a squared exponential. Never learned

    r is the length of the straight line through the earth, which is d for near places; unlike d it gives covariances
    for every smoothness.
    """

    name: ClassVar[str] = "space"
    modulates: ClassVar[bool] = True

    variance: Parameter[float] = Parameter(positive)
    distance: Parameter[float | str] = Parameter(kilometres)
    nu: Parameter[float] = Parameter(smoothness_of, 1.5)

    def similarity(self, distances: Floats) -> Floats:
        """Correlations of places, M_ν(r / l).   distances : r in kilometres, any shape."""
        x = np.minimum(distances / float(self.distance or 1.0), FAR)
        if self.nu == 0.0:
            return np.exp(-0.5 * x**2)
        x = x * math.sqrt(2.0 * float(self.nu or 1.5))
        factor = {0.5: 1.0, 1.5: 1.0 + x, 2.5: 1.0 + x + x**2 / 3.0}[float(self.nu or 1.5)]
        found: Floats = factor * np.exp(-x)
        return found

    def near(self, span: float) -> Space:
        """The same kernel with its distance set, if it is unset.   span : mean distance between places."""
        return self if self.distance is not None else replace(self, distance=max(OF_A_SPAN * span, 1e-3))

    def state_space(self) -> StateSpace:
        """Of one place: f, A = 1, Q = 0."""
        return ConstantSpace(float(self.variance or 1.0))

    def forget(self) -> Kernel:
        """The same kernel with its variance unset."""
        return replace(self, variance=None)

    def _at_unit_variance(self) -> Kernel:
        return replace(self, variance=1.0) if self.variance is None else self

    def _resolved(self, first: float, last: float) -> Kernel:
        return replace(self, variance=PLACE_VARIANCE) if self.variance is None else self

    def _value(self, x: Floats, y: Floats) -> Floats:
        return np.full(np.broadcast_shapes(x.shape, y.shape), float(self.variance or 1.0))


class Term(NamedTuple):
    """A term κ_i(τ, τ') C_i(s, s') of a kernel over time and track.

    time : κ_i;  own : whether C is 1[s = s'];  spaces : whose correlations C is the product of, none for C = 1
    """

    time: Kernel
    own: bool
    spaces: tuple[Space, ...]

    def correlation(self, distances: Floats | None, S: int) -> Floats:
        """C, (S, S).   distances : (S, S) of places; None for groups."""
        if self.own:
            return np.eye(S)
        found = np.ones((S, S))
        for space in self.spaces:
            found *= np.eye(S) if distances is None else space.similarity(distances)
        return found


def terms_of(kernel: Kernel) -> tuple[Term, ...]:
    """The terms of a kernel."""
    if isinstance(kernel, Sum):
        return tuple(term for part in kernel.parts for term in terms_of(part))
    if isinstance(kernel, By):
        return (Term(kernel.part, True, ()),)
    if isinstance(kernel, Space):
        return (Term(Constant(kernel.variance), False, (kernel,)),)
    if isinstance(kernel, Product) and any(isinstance(part, Space) for part in kernel.parts):
        spaces = tuple(part for part in kernel.parts if isinstance(part, Space))
        others = [part for part in kernel.parts if not isinstance(part, Space)]
        factor = math.prod(float(space.variance or 1.0) for space in spaces)
        time = others[0] if len(others) == 1 else Product(*others) if others else Constant(factor)
        return (Term(scaled(time, factor) if others and factor != 1.0 else time, False, spaces),)
    return (Term(kernel, False, ()),)


def has_tracks(kernel: Kernel) -> bool:
    """Whether a kernel has terms that differ between tracks."""
    if isinstance(kernel, By | Space):
        return True
    return isinstance(kernel, Sum | Product) and any(has_tracks(part) for part in kernel.parts)


def sum_of(kernels: list[Kernel]) -> Kernel | None:
    """The sum of kernels; None of none."""
    return None if not kernels else kernels[0] if len(kernels) == 1 else Sum(*kernels)


def shared_kernel(kernel: Kernel) -> Kernel | None:
    """What of a kernel all tracks share; None for nothing."""
    return sum_of([term.time for term in terms_of(kernel) if not term.own and not term.spaces])


def own_kernel(kernel: Kernel) -> Kernel | None:
    """What of a kernel every group has of its own; None for nothing."""
    return sum_of([term.time for term in terms_of(kernel) if term.own])


def of_one_track(kernel: Kernel) -> Kernel:
    """The kernel where there is one track alone: what tracks share, or if that is nothing, what each has of its own."""
    parts = kernel.parts if isinstance(kernel, Sum) else (kernel,)
    shared = [part for part in parts if not has_tracks(part)] or [term.time for term in terms_of(kernel)]
    return sum_of(shared) or kernel


def check_tracks(kernel: Kernel) -> None:
    """Refuse terms over tracks where they cannot be: groups within products, groups beside places."""
    parts = kernel.parts if isinstance(kernel, Sum) else (kernel,)
    for part in parts:
        if isinstance(part, Product) and any(has_by(factor) for factor in part.parts):
            raise ValueError(f"{part.text!r} multiplies by(...); write the product within it, as by(ou * periodic).")
        if isinstance(part, Product) and any(has_tracks(x) for x in part.parts if not isinstance(x, Space)):
            raise ValueError(f"{part.text!r} has space(...) within a sum; write the products one by one.")
    columns = {part.column for part in parts if isinstance(part, By) and part.column is not None}
    if len(columns) > 1:
        raise ValueError(
            f"the kernel {kernel.text!r} has groups of {len(columns)} columns; join these into one column."
        )
    if has_by(kernel) and has_space(kernel):
        raise ValueError(f"the kernel {kernel.text!r} has by(...) and space(...); fit one of them at a time.")


def has_by(kernel: Kernel) -> bool:
    """Whether a kernel has groups."""
    inside = kernel.parts if isinstance(kernel, Sum | Product) else ()
    return isinstance(kernel, By) or any(has_by(part) for part in inside)


def has_space(kernel: Kernel) -> bool:
    """Whether a kernel has places."""
    inside = kernel.parts if isinstance(kernel, Sum | Product) else ()
    return isinstance(kernel, Space) or any(has_space(part) for part in inside)


def column_of_groups(kernel: Kernel) -> str | None:
    """The column that a kernel names for its groups; None if it names none."""
    parts = kernel.parts if isinstance(kernel, Sum) else (kernel,)
    return next((part.column for part in parts if isinstance(part, By) and part.column is not None), None)


def with_distances(kernel: Kernel, span: float) -> Kernel:
    """The kernel with unset distances set.   span : mean distance between places, in kilometres."""
    if isinstance(kernel, Sum | Product):
        return type(kernel)(*(with_distances(part, span) for part in kernel.parts))
    return kernel.near(span) if isinstance(kernel, Space) else kernel


def quoted(column: str) -> str:
    """The name of a column as it is written in a text."""
    return column if re.fullmatch(r"[^\W\d]\w*", column) else f"'{column}'" if "'" not in column else f'"{column}"'


def on_sphere(places: Floats) -> Floats:
    """Points on the unit sphere, (D, 3).   places : (D, 2) latitude and longitude in degrees."""
    lat, lon = np.radians(places).T
    found: Floats = np.column_stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])
    return found


def straight_distances(places: Floats) -> Floats:
    """Lengths of the straight lines between places, 2 R sin(d / 2R), in kilometres.   places : (S, 2) lat, lon."""
    xyz = on_sphere(places)
    squares = ((xyz[:, None] - xyz[None]) ** 2).sum(axis=2)
    found: Floats = EARTH * np.sqrt(squares)
    return found


__all__ = [
    "By",
    "Space",
    "Term",
    "check_tracks",
    "column_of_groups",
    "has_by",
    "has_space",
    "has_tracks",
    "of_one_track",
    "on_sphere",
    "own_kernel",
    "shared_kernel",
    "straight_distances",
    "terms_of",
    "with_distances",
]
