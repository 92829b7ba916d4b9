"""Names of the built-in kernels in the text form."""

from __future__ import annotations

from chronotope.kernels.base import Leaf
from chronotope.kernels.nonstationary import Linear, Wiener
from chronotope.kernels.stationary import (
    Cauchy,
    Constant,
    Matern,
    OrnsteinUhlenbeck,
    Periodic,
    RationalQuadratic,
    SquaredExponential,
    White,
)

# name: the kernel, and the parameters that the name fixes
BUILT_IN: dict[str, tuple[type[Leaf], dict[str, float]]] = {
    "wiener": (Wiener, {}),
    "ou": (OrnsteinUhlenbeck, {}),
    "ornstein_uhlenbeck": (OrnsteinUhlenbeck, {}),
    "se": (SquaredExponential, {}),
    "squared_exponential": (SquaredExponential, {}),
    "rbf": (SquaredExponential, {}),
    "cauchy": (Cauchy, {}),
    "rq": (RationalQuadratic, {}),
    "rational_quadratic": (RationalQuadratic, {}),
    "matern": (Matern, {}),
    "matern12": (Matern, {"nu": 0.5}),
    "matern32": (Matern, {"nu": 1.5}),
    "matern52": (Matern, {"nu": 2.5}),
    "periodic": (Periodic, {}),
    "constant": (Constant, {}),
    "linear": (Linear, {}),
    "white": (White, {}),
}
