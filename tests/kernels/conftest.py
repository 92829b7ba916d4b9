"""The one list of kernels that every property of kernels is tested on."""

import numpy as np
import pytest

from chronotope.kernels import (
    Cauchy,
    Constant,
    FunctionKernel,
    Linear,
    Matern,
    OrnsteinUhlenbeck,
    Periodic,
    RationalQuadratic,
    SquaredExponential,
    White,
    Wiener,
)


def warped(x, y, scale, rate, offset):
    """Squared exponential of warped time; the offset is negative and so never learned."""
    return scale * np.exp(-rate * (np.arctan(x + offset) - np.arctan(y + offset)) ** 2)


MARKOV_LEAVES = [
    Wiener(0.7, 2.0, 0.5),
    Wiener(0.7, 0.0, -1.25),
    OrnsteinUhlenbeck(6.0, 1.5),
    Matern(2.0, 0.8, 0.5),
    Matern(2.0, 0.8, 1.5),
    Matern(2.0, 0.8, 2.5),
    Constant(2.5),
    Linear(0.4, 0.3),
    White(0.1),
]

MARKOV = [
    *MARKOV_LEAVES,
    OrnsteinUhlenbeck(6.0, 50.0) + Constant(2.0),
    Wiener(0.3, 1.0, 0.0) + Matern(1.0, 2.0, 2.5) + White(0.2),
    2.5 * OrnsteinUhlenbeck(1.0, 3.0),
    Linear(0.5, 0.0) * Matern(1.5, 2.0, 1.5),
    OrnsteinUhlenbeck(1.0, 3.0) * Wiener(0.3, 1.0, 0.2) * Matern(0.5, 0.7, 1.5),
    (OrnsteinUhlenbeck(1.0, 3.0) + White(0.3)) * (Constant(0.5) + Linear(0.2, 1.0)) + Matern(1.0, 4.0, 2.5),
]

SMOOTH = [
    SquaredExponential(3.0, 0.9),
    Cauchy(4.0, 1.1),
    RationalQuadratic(2.0, 0.6, 0.7),
    Periodic(1.5, 0.8, 2.3),
]

NOT_MARKOV = [
    *SMOOTH,
    FunctionKernel(warped, "warped", scale=2.0, rate=0.6, offset=-0.5),
    SquaredExponential(1.0, 2.0) + OrnsteinUhlenbeck(1.0, 0.5),
    SquaredExponential(1.0, 2.0) * Periodic(1.0, 1.0, 1.0),
    0.5 * (Cauchy(1.0, 2.0) + Wiener(0.1, 1.0, 0.0)) * RationalQuadratic(1.0, 1.0, 2.0) + White(0.05),
    FunctionKernel(warped, "warped", scale=2.0, rate=0.6, offset=-0.5) * OrnsteinUhlenbeck(1.0, 2.0) + Constant(1.0),
]

STATIONARY = [
    *SMOOTH,
    *MARKOV_LEAVES[2:7],
    White(0.1),
    SquaredExponential(1.0, 2.0) * Periodic(1.0, 1.0, 1.0) + White(1),
]

LISTS = {
    "kernel": [*MARKOV, *NOT_MARKOV],
    "markov": MARKOV,
    "not_markov": NOT_MARKOV,
    "stationary": STATIONARY,
}


def pytest_generate_tests(metafunc):
    for name, kernels in LISTS.items():
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, kernels, ids=str)


@pytest.fixture
def functions():
    """Functions of the custom kernels in the list, as `parse_kernel` takes them."""
    return {"warped": warped}
