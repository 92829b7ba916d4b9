"""Custom kernels, defined by a function of the user."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from chronotope._typing import Floats
from chronotope.kernels.base import Kernel
from chronotope.kernels.parameters import as_number
from chronotope.kernels.registry import BUILT_IN

N_PROBES = 6  # times at which symmetry is checked
BLOCK = 128  # pairs of times evaluated together


@dataclass(frozen=True, init=False, repr=False)
class FunctionKernel(Kernel):
    """A custom kernel, κ(τ, τ') = function(x, y, **parameters).

    function : callable of x (n, 1), y (1, m) and the parameters by name that returns the covariances (n, m)
    name : str, default "custom"; name in the text form: one word, not that of a built-in kernel
    parameters : float, as keyword arguments; all have to be given. Those above 0 are learnable, others are constant
    """

    function: Callable[..., Any]
    name: str
    values: tuple[tuple[str, float], ...]

    def __init__(self, /, function: Callable[..., Any], name: str = "custom", **parameters: float) -> None:
        if not callable(function):
            raise ValueError(f"function is {function!r}; pass a function of x : (n, 1) and y : (1, m).")
        if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or name.lower() in BUILT_IN:
            raise ValueError(f"name is {name!r}; pass one word that is not the name of a built-in kernel.")
        values = tuple((key, _finite_given(key, value)) for key, value in parameters.items())
        for field, value in (("function", function), ("name", name), ("values", values)):
            object.__setattr__(self, field, value)

    def __repr__(self) -> str:
        given = "".join(f", {key}={value!r}" for key, value in self.values)
        return f"FunctionKernel({getattr(self.function, '__name__', self.function)}, name={self.name!r}{given})"

    @property
    def text(self) -> str:
        """Text form, which `parse_kernel` reads back with functions={name: function}."""
        given = ", ".join(f"{key}={value!r}".removesuffix(".0") for key, value in self.values)
        return f"{self.name}({given})"

    @property
    def parameters(self) -> dict[str, float | None]:
        """Parameters by name, in the order they were given."""
        return dict(self.values)

    @property
    def theta_names(self) -> tuple[str, ...]:
        """Names of the learnable parameters: those above 0."""
        return tuple(key for key, value in self.values if value > 0)

    def _matrix(self, x: Floats, y: Floats) -> Floats:
        self._check_symmetry(np.concatenate([x, y]))
        return self._evaluate(x, y)

    def _pairs(self, x: Floats, y: Floats) -> Floats:
        blocks = [slice(i, i + BLOCK) for i in range(0, len(x), BLOCK)]
        return np.concatenate([np.diagonal(self._evaluate(x[block], y[block])) for block in blocks] or [x])

    def _with_values(self, values: Floats) -> Kernel:
        learned = dict(zip(self.theta_names, values.tolist(), strict=True))
        return FunctionKernel(self.function, self.name, **(dict(self.values) | learned))

    def _resolved(self, first: float, last: float) -> Kernel:
        return self

    def _evaluate(self, x: Floats, y: Floats) -> Floats:
        given = np.asarray(self.function(x[:, None], y[None, :], **dict(self.values)))
        if given.shape != (len(x), len(y)):
            raise ValueError(
                f"kernel {self.name} returned shape {given.shape} for {len(x)} and {len(y)} times; "
                f"return one covariance for each pair, shape {(len(x), len(y))}."
            )
        if given.dtype.kind not in "fiu" or not np.isfinite(given).all():
            raise ValueError(f"kernel {self.name} returned values that are not finite real numbers; check its formula.")
        return given.astype(np.float64)

    def _check_symmetry(self, times: Floats) -> None:
        """κ(τ, τ') = κ(τ', τ) at a few of the times."""
        probes = times[:: max(1, len(times) // N_PROBES)]
        values = self._evaluate(probes, probes)
        if not np.allclose(values, values.T, rtol=1e-8, atol=1e-10 * np.abs(values).max(initial=0.0)):
            raise ValueError(
                f"kernel {self.name} is not symmetric; function(x, y) must equal function(y, x) transposed."
            )


def _finite_given(name: str, value: float) -> float:
    """A finite number: there are no default values for the parameters of a custom kernel."""
    if not math.isfinite(as_number(value)):
        raise ValueError(f"{name} is {value!r}; give each parameter of a custom kernel a finite number.")
    return float(value)
