"""The text form of kernels: what is read, what is refused, and what comes back."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
    as_kernel,
    parse_kernel,
)
from chronotope.kernels.parameters import RANGE

OU = OrnsteinUhlenbeck

UNRESOLVED = [
    Wiener(),
    Wiener(None, 0.0),
    Wiener(1.0, origin=-3.5),
    OU(length_scale=1 / 3),
    RationalQuadratic(shape=0.1),
    Matern(nu=2.5),
    Periodic(period=0.25),
    Linear(origin=-1e-300),
    White(),
    0.1 * OU() + Constant(),
]

FLOATS = st.none() | st.floats(*RANGE)


def test_text_round_trip(kernel, functions):
    assert parse_kernel(str(kernel), functions) == kernel
    assert hash(parse_kernel(kernel.text, functions)) == hash(kernel)


@pytest.mark.parametrize("unresolved", UNRESOLVED, ids=str)
def test_text_round_trip_keeps_parameters_unset(unresolved):
    assert parse_kernel(str(unresolved)) == unresolved


@given(FLOATS, FLOATS, st.floats(allow_nan=False, allow_infinity=False))
def test_text_round_trip_keeps_every_bit(variance, length, origin):
    for kernel in (
        Wiener(length, variance, origin),
        RationalQuadratic(variance, length),
        Periodic(variance, None, length),
    ):
        assert parse_kernel(str(kernel)) == kernel


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ou(6, 50) + constant(2)", OU(6, 50) + Constant(2)),
        ("OU", OU()),
        ("ou()", OU()),
        ("ornstein_uhlenbeck(6)", OU(6)),
        ("Ou(LENGTH_SCALE = 50, variance=6)", OU(6, 50)),
        ("se(1,2)", SquaredExponential(1, 2)),
        ("rbf(1,2)", SquaredExponential(1, 2)),
        ("squared_exponential(1,2)", SquaredExponential(1, 2)),
        ("rq(1, 2, 3)", RationalQuadratic(1, 2, 3)),
        ("rational_quadratic(1, 2)", RationalQuadratic(1, 2, 1)),
        ("matern12(6, 50)", Matern(6, 50, 0.5)),
        ("matern32", Matern()),
        ("matern(6, 50, 2.5)", Matern(6, 50, 2.5)),
        ("wiener(1, 0, -3)", Wiener(1, 0, -3)),
        ("0.5 * ou(6, 50)", 0.5 * OU(6, 50)),
        ("ou(6, 50) * 2", 2 * OU(6, 50)),
        ("2 * 3 * ou(1, 1)", 6 * OU(1, 1)),
        ("ou + se * white", OU() + SquaredExponential() * White()),
        ("(ou + se) * white", (OU() + SquaredExponential()) * White()),
        ("((ou)) + (cauchy + white)", OU() + Cauchy() + White()),
        (" 1e-3*ou( .5 , 2. ) ", 1e-3 * OU(0.5, 2)),
    ],
)
def test_text_is_read_with_the_usual_precedence(text, expected):
    assert parse_kernel(text) == expected


@pytest.mark.parametrize("text", ["ou(6, 30 days)", "ou(6, '30 days')", 'ou(length_scale="30 days", variance=6)'])
def test_durations_are_read_with_and_without_quotes(text):
    assert parse_kernel(text) == OU(6, "30 days")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("gauss", "unknown kernel 'gauss' at position 0; expected one of wiener, ou"),
        ("ou + gauss(1)", "unknown kernel 'gauss' at position 5"),
        ("", "found the end at position 0; expected a kernel"),
        ("ou +", "found the end at position 4; expected a kernel"),
        ("ou(6, 50", r"found the end at position 8; expected '\)'"),
        ("ou)", r"found '\)' at position 2"),
        ("ou(6 50)", "found '50' at position 5"),
        ("ou(6,)", "at position 5; expected a number or a duration"),
        ("ou $", "cannot read '\\$' at position 3"),
        ("2", "a number alone at position 0 is not a kernel"),
        ("0 * ou", "scale at position 0 is 0; use a positive"),
        ("ou * 1e999", "scale at position 5"),
        ("-2 * ou", "found '-' at position 0"),
        ("se + ou(-1)", "in 'ou' at position 5: variance is -1.0; pass a positive"),
        ("ou(1, 2, 3)", "it takes at most 2: variance, length_scale"),
        ("ou(width=2)", "unknown argument 'width'; expected one of variance, length_scale"),
        ("ou(1, variance=2)", "variance is given twice"),
        ("ou(variance=1, 2, 3)", "at most 2"),
        ("matern32(1, nu=0.5)", "unknown argument 'nu'"),
        ("matern(1, 2, 3)", "nu is 3.0; pass 0.5, 1.5 or 2.5"),
        ("ou(6 days)", "variance is '6 days'; pass a positive"),
        ("periodic(1, 2 days)", "length_scale is '2 days'; pass a positive"),
        ("ou(6, 3 bananas)", "bananas"),
        ("(" * 300, "nested parentheses at position 51"),
        ("ou+" * 2000 + "ou", "6,002 characters"),
    ],
)
def test_errors_say_what_is_wrong_and_where(text, sentence):
    with pytest.raises(ValueError, match=sentence):
        parse_kernel(text)


def test_the_longest_sums_and_products_are_read():
    for operator in "+*":
        assert len(parse_kernel(operator.join(["ou"] * 1000)).parts) == 1000


PIECES = st.sampled_from(
    ["ou", "se(", "matern32", "(", ")", "+", "*", ",", "=", "-", "1e999", "2", "'", "30 days", "nu", " "]
)


@settings(max_examples=400, deadline=None)
@given(st.text(max_size=30) | st.lists(PIECES, max_size=15).map("".join))
def test_any_other_text_ends_in_a_sentence(text):
    try:
        kernel = parse_kernel(text)
    except ValueError:
        return
    assert parse_kernel(str(kernel)) == kernel


def test_as_kernel_takes_a_kernel_or_its_text():
    assert as_kernel("ou(6, 50)") == as_kernel(OU(6, 50)) == OU(6, 50)
    for wrong in (None, 3.0, OU):
        with pytest.raises(TypeError, match="pass a kernel such as"):
            as_kernel(wrong)
    with pytest.raises(TypeError, match="pass text such as"):
        parse_kernel(OU())


def test_custom_kernels_come_back_with_their_function(functions):
    kernel = parse_kernel("Warped(scale=2, rate=0.5, offset=-1) + ou(1, 2)", functions)
    assert kernel == FunctionKernel(functions["warped"], "warped", scale=2, rate=0.5, offset=-1) + OU(1, 2)


@pytest.mark.parametrize("text", ["warped(1)", "warped(scale=1, scale=2)", "warped(name=1)", "warped(scale=2 days)"])
def test_custom_kernels_with_unclear_arguments_are_refused(text, functions):
    with pytest.raises(ValueError, match="of a custom kernel"):
        parse_kernel(text, functions)
