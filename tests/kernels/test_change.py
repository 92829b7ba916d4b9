"""Which parameters say how words change, by the text of a kernel."""

import pytest

from chronotope.kernels import changing_parameters, parse_kernel

KERNELS = {
    "constant + ou": ({"1.variance"}, {"1.length_scale"}),
    "ou": (set(), {"length_scale"}),
    "wiener": ({"variance"}, set()),
    "constant + periodic * ou": ({"1.0.variance"}, {"1.1.length_scale"}),
    "constant + ou + white": ({"1.variance"}, {"1.length_scale"}),
    "linear + constant": ({"0.variance"}, set()),
    "constant": (set(), set()),
}


@pytest.mark.parametrize("text", KERNELS)
def test_the_change_is_told_from_level_noise_and_season(text):
    kernel = parse_kernel(text).resolve(1900.0, 2000.0)
    found = changing_parameters(kernel)
    assert found == (*KERNELS[text], set())
    assert found.variances | found.lengths <= set(kernel.theta_names)


@pytest.mark.parametrize(
    ("text", "differences"),
    [
        ("constant + ou + by(ou)", {"2.variance"}),
        ("constant + ou + by(constant + ou)", {"2.0.variance", "2.1.variance"}),
        ("constant + ou + space(1, 300 km)", set()),
        ("constant + ou + ou * space(1, 300 km)", set()),
        ("by(wiener)", {"variance", "initial_variance"}),
    ],
)
def test_variances_of_what_tracks_differ_in_are_told_from_the_change(text, differences):
    kernel = parse_kernel(text).resolve(1900.0, 2000.0)
    found = changing_parameters(kernel)
    assert found.differences == differences
    assert not found.differences & (found.variances | found.lengths)


@pytest.mark.parametrize("text", KERNELS)
def test_values_do_not_matter(text):
    kernel = parse_kernel(text).resolve(0.0, 1.0)
    assert changing_parameters(kernel.with_theta(kernel.theta + 1.0)) == changing_parameters(kernel)
