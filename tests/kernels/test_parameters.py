"""Parameters: which values are accepted, how unset ones are resolved, and that kernels are immutable."""

import copy
import math
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from chronotope.kernels import (
    Cauchy,
    Constant,
    Linear,
    Matern,
    OrnsteinUhlenbeck,
    Periodic,
    Product,
    RationalQuadratic,
    SquaredExponential,
    Sum,
    White,
    Wiener,
    parse_kernel,
)
from chronotope.kernels.defaults import change_values

OU = OrnsteinUhlenbeck
ALL = [Wiener, OU, SquaredExponential, Cauchy, RationalQuadratic, Matern, Periodic, Constant, Linear, White]


@pytest.mark.parametrize("value", [0, -1.0, math.nan, math.inf, -math.inf, True, "6", [6.0], 1j, 10**400, np.ones(1)])
@pytest.mark.parametrize("kind", ALL)
def test_variances_that_are_not_positive_finite_numbers_are_refused(kind, value):
    with pytest.raises(ValueError, match=r"^variance is .*; pass a positive finite number, or leave it unset"):
        kind(value)


@pytest.mark.parametrize("value", [0, -1.0, math.nan, False])
@pytest.mark.parametrize(
    ("kind", "name"),
    [(OU, "length_scale"), (RationalQuadratic, "shape"), (Periodic, "length_scale"), (Periodic, "period")],
)
def test_scales_that_are_not_positive_finite_numbers_are_refused(kind, name, value):
    with pytest.raises(ValueError, match=f"^{name} is .*; pass a positive finite number"):
        kind(**{name: value})


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Wiener(1, -0.1), "initial_variance is -0.1; pass 0 or a positive"),
        (lambda: Wiener(1, 1, math.nan), "origin is nan; pass a finite number"),
        (lambda: Linear(1, "1990"), "origin is '1990'; pass a finite number"),
        (lambda: Matern(1, 1, 2), "nu is 2; pass 0.5, 1.5 or 2.5"),
        (lambda: OU(1, "-3 days"), "length_scale is"),
        (lambda: OU(1, "soon"), "soon"),
        (lambda: 0 * OU(1, 1), "multiplied by 0; use a positive finite number"),
        (lambda: OU(1, 1) * math.nan, "multiplied by nan"),
        (lambda: True * OU(1, 1), "multiplied by True"),
        (lambda: Sum(), "pass two or more kernels"),
        (lambda: Product(OU(), 3.0), "pass two or more kernels"),
        (lambda: OU().resolve(2, 1), "runs from 2 to 1"),
        (lambda: OU().resolve(0, math.inf), "runs from 0 to inf"),
    ],
)
def test_other_mistakes_end_in_a_sentence(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()


@pytest.mark.parametrize("join", [lambda k: k + 1, lambda k: 1 + k, lambda k: k * "2", lambda k: k + "ou"])
def test_kernels_join_only_with_kernels_and_numbers(join):
    with pytest.raises(TypeError):
        join(OU(1, 1))


def test_numbers_of_every_kind_become_floats():
    assert OU(6, np.float32(0.5)) == OU(np.int64(6), 0.5) == OU(6.0, 0.5)
    assert np.float64(2.0) * OU(1, 1) == 2 * OU(1, 1) == OU(1, 1) * np.int32(2) == Constant(2) * OU(1, 1)
    assert all(type(value) is float for value in OU(6, np.float32(0.5)).parameters.values())


def test_durations_become_years():
    assert OU(6, "2 years").length_scale == pytest.approx(2.0, rel=1e-12)
    assert Periodic(1, 1, "1 year").period == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize(("first", "last"), [(1790.0, 2020.0), (-3.0, -1.0), (5.0, 5.0)])
def test_kernels_resolve_against_any_corpus(kind, first, last):
    kernel = kind()
    assert not kernel.is_resolved
    resolved = kernel.resolve(first, last)
    assert resolved.is_resolved
    assert resolved.resolve(0, 1) == resolved
    x = np.linspace(first, last, 5)
    assert resolved.diag(x).min() >= 0
    assert resolved.diag(x).max() <= 12.0 + 1e-9


def test_defaults_follow_the_span_of_the_corpus():
    assert OU().resolve(1900, 2000) == OU(6, 100 * OU.length_fraction)
    assert Cauchy(variance=2).resolve(0, 10) == Cauchy(2, 10 * Cauchy.length_fraction)
    assert Wiener().resolve(1900, 2000) == Wiener(0.04, 6, 1900)
    assert Linear().resolve(0, 10) == Linear(0.04, 5)
    assert Periodic().resolve(0, 10) == Periodic(6, 1, 1)
    assert (OU() + White()).resolve(3, 3) == OU(6, OU.length_fraction) + White(0.1)


@pytest.mark.parametrize("other", ["ou", "matern52", "cauchy", "periodic(length_scale=1)", "ou * periodic", "wiener"])
@pytest.mark.parametrize(("first", "last"), [(0.0, 10.0), (1900.0, 2000.0), (5.0, 5.0)])
def test_beside_a_constant_every_kernel_has_the_smaller_values_of_the_change(other, first, last):
    expected, span = change_values(first, last), last - first or 1.0
    constant, change = parse_kernel(f"constant + {other}").resolve(first, last).parts
    assert constant == Constant(6)
    np.testing.assert_allclose(change.diag(np.linspace(first, first + span, 101)).mean(), expected["variance"])
    lengths = [value for name, value in change.parameters.items() if name.endswith("length_scale")]
    assert lengths[:1] in ([], [1.0], [expected["length_scale"]])
    assert parse_kernel(f"{other} + constant").resolve(first, last).parts == (change, constant)


def test_beside_a_constant_a_product_has_one_variance_and_given_values_stay():
    kernel = parse_kernel("constant + periodic(period=7) * ou").resolve(0, 10)
    assert kernel == Constant(6) + Periodic(0.5, 1, 7) * OU(1, 3)
    assert parse_kernel("constant + wiener(2, 3)").resolve(0, 10) == Constant(6) + Wiener(2, 3, 0)
    assert parse_kernel("constant + ou * (periodic(1, 1, 1) + white)").resolve(0, 10).parts[1].parts[0] == OU(0.5, 3)


def test_only_one_factor_of_a_product_takes_the_default_variance():
    resolved = (OU() * Periodic() * Constant()).resolve(0, 10)
    np.testing.assert_allclose(resolved.diag([0.0, 3.0]), 6.0, rtol=1e-15, atol=0)
    np.testing.assert_allclose((0.5 * OU()).resolve(0, 10).diag([0.0]), 3.0, rtol=1e-15, atol=0)


@pytest.mark.parametrize("use", [lambda k: k([0.0]), lambda k: k.diag([0.0]), lambda k: k.theta])
def test_unresolved_kernels_say_what_is_missing(use):
    with pytest.raises(ValueError, match=r"no value for 0.length_scale, 1.variance; pass them, or call resolve"):
        use(OU(6) + Constant())


def test_parameters_are_listed_in_constructor_order_and_prefixed_in_composites():
    assert Wiener(1, 0, 3).parameters == {"variance": 1.0, "initial_variance": 0.0, "origin": 3.0}
    nested = (OU(1, 2) + White()) * Constant(3)
    assert list(nested.parameters) == ["0.0.variance", "0.0.length_scale", "0.1.variance", "1.variance"]
    assert nested.parameters["0.1.variance"] is None


def test_origin_smoothness_and_an_initial_variance_of_zero_are_not_learned():
    assert Wiener(1, 2, 3).theta_names == ("variance", "initial_variance")
    assert Wiener(1, 0, 3).theta_names == Linear(1, 2).theta_names == ("variance",)
    assert Matern(1, 2, 2.5).theta_names == ("variance", "length_scale")


def test_kernels_are_equal_by_value_and_survive_copies(kernel):
    assert copy.deepcopy(kernel) == kernel
    assert hash(copy.deepcopy(kernel)) == hash(kernel)
    assert kernel != kernel.with_theta(kernel.theta + 0.1)


def test_markov_kernels_survive_pickling(markov):
    assert pickle.loads(pickle.dumps(markov)) == markov


def test_kernels_cannot_be_changed():
    kernel = OU(1, 2)
    with pytest.raises(FrozenInstanceError):
        kernel.variance = 3.0
    with pytest.raises(FrozenInstanceError):
        (kernel + kernel).parts = ()


def test_repr_is_a_constructor_call(kernel):
    names = {kind.__name__: kind for kind in [*ALL, Sum, Product]}
    if "FunctionKernel" not in repr(kernel):
        assert eval(repr(kernel), names) == kernel
