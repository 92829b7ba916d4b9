"""Covariance functions of time: how topics are allowed to change."""

from chronotope.kernels.base import Kernel
from chronotope.kernels.change import changing_parameters
from chronotope.kernels.compose import Product, Sum, has_level, scaled, with_levels
from chronotope.kernels.function import FunctionKernel
from chronotope.kernels.nonstationary import Linear, Wiener
from chronotope.kernels.parse import as_kernel, parse_kernel
from chronotope.kernels.presets import Preset, Recipe
from chronotope.kernels.statespace import StateSpace
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

__all__ = [
    "Cauchy",
    "Constant",
    "FunctionKernel",
    "Kernel",
    "Linear",
    "Matern",
    "OrnsteinUhlenbeck",
    "Periodic",
    "Preset",
    "Product",
    "RationalQuadratic",
    "Recipe",
    "SquaredExponential",
    "StateSpace",
    "Sum",
    "White",
    "Wiener",
    "as_kernel",
    "changing_parameters",
    "has_level",
    "parse_kernel",
    "scaled",
    "with_levels",
]
