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
from chronotope.kernels.tracks import (
    By,
    Space,
    Term,
    check_tracks,
    column_of_groups,
    has_by,
    has_space,
    has_tracks,
    of_one_track,
    on_sphere,
    own_kernel,
    shared_kernel,
    straight_distances,
    terms_of,
    with_distances,
)

__all__ = [
    "By",
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
    "Space",
    "SquaredExponential",
    "StateSpace",
    "Sum",
    "Term",
    "White",
    "Wiener",
    "as_kernel",
    "changing_parameters",
    "check_tracks",
    "column_of_groups",
    "has_by",
    "has_level",
    "has_space",
    "has_tracks",
    "of_one_track",
    "on_sphere",
    "own_kernel",
    "parse_kernel",
    "scaled",
    "shared_kernel",
    "straight_distances",
    "terms_of",
    "with_distances",
    "with_levels",
]
