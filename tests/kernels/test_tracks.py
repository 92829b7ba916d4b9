"""Kernels over time and track: what they are on one track, between tracks, as text, and before they are learned."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.gp import Tracks
from chronotope.gp.tracks import TrackCovariance
from chronotope.kernels import (
    By,
    OrnsteinUhlenbeck,
    Space,
    SquaredExponential,
    of_one_track,
    own_kernel,
    parse_kernel,
    scaled,
    shared_kernel,
    straight_distances,
    terms_of,
    with_distances,
    with_levels,
)
from chronotope.kernels.tracks import OF_A_SPAN

TIMES = np.array([1900.0, 1903.5, 1950.0, 1999.0])
GROUPS = Tracks(("a", "b"))
PLACES = Tracks(("Austin", "Dallas", "Berlin"), np.array([[30.27, -97.74], [32.78, -96.80], [52.52, 13.40]]))
TEXTS = [
    "constant(6) + ou(1, 5) + by(ou(0.5, 20))",
    "constant(6) + ou(1, 5) + by(constant(0.3) + ou(0.5, 20) * periodic(1, 1, 1), party)",
    "by(wiener(0.1, 1, 1900), 'home state')",
    "constant(6) + space(1, 300, 1.5)",
    "ou(1, 5) * space(0.5, 300, 2.5)",
    "constant(6) + ou(1, 5) * space(1, 300, 0) + space(1, 2000, 0.5)",
]


@pytest.mark.parametrize("text", TEXTS)
def test_the_text_of_a_kernel_is_read_back(text: str) -> None:
    kernel = parse_kernel(text)
    assert parse_kernel(kernel.text) == kernel
    assert kernel.text == text


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("BY(ou(0.5, 20 years), party)", "by(ou(0.5, 20), party)"),
        ("space(300 km)", "space(distance=300)"),
        ("space(0.5, 100 miles)", "space(0.5, 160.9344)"),
        ("space(100 mi, variance=0.5)", "space(0.5, 160.9344)"),
        ('by(ou, "party")', "by(ou, party)"),
        ("ou(1, 5) * space(300 km)", "ou(1, 5) * space(distance=300 km, nu=1.5)"),
    ],
)
def test_several_texts_are_the_same_kernel(text: str, same: str) -> None:
    assert parse_kernel(text) == parse_kernel(same)


@pytest.mark.parametrize("text", TEXTS)
def test_on_one_track_a_kernel_is_the_sum_of_its_terms_over_time(text: str) -> None:
    kernel = parse_kernel(text)
    total = np.sum([term.time(TIMES) for term in terms_of(kernel)], axis=0)
    np.testing.assert_allclose(kernel(TIMES), total, rtol=1e-12, atol=0)
    np.testing.assert_allclose(kernel.diag(TIMES), np.diag(total), rtol=1e-12, atol=0)
    np.testing.assert_allclose(kernel.pairs(TIMES, TIMES[::-1]), total[np.arange(4), np.arange(4)[::-1]], rtol=1e-12)


@pytest.mark.parametrize("text", TEXTS)
def test_covariances_are_the_formula_of_the_docstring(text: str) -> None:
    kernel, tracks = parse_kernel(text), PLACES if "space" in text else GROUPS
    points, distances, expected = tracks.points(TIMES), tracks.distances(), 0.0
    for term in terms_of(kernel):
        C = np.array([[1.0 * (not term.own or i == j) for j in range(tracks.size)] for i in range(tracks.size)])
        for space in term.spaces:
            assert distances is not None
            C = C * space.similarity(distances)
        expected = expected + np.kron(C, term.time(TIMES))
    covariance = TrackCovariance(kernel, tracks)
    np.testing.assert_allclose(covariance(points), expected, rtol=1e-12, atol=0)
    np.testing.assert_allclose(covariance.diag(points), np.diag(np.asarray(expected)), rtol=1e-12, atol=0)
    np.testing.assert_allclose(covariance(points[:2], points), np.asarray(expected)[:2], rtol=1e-12, atol=0)
    unknown = np.column_stack([TIMES, np.full(4, -1.0)])
    shared = shared_kernel(kernel)
    between = np.zeros((4, 4)) if shared is None else shared(TIMES)
    np.testing.assert_allclose(covariance(unknown, points[:4]), between, rtol=1e-12, atol=0)
    np.testing.assert_allclose(covariance(unknown), between, rtol=1e-12, atol=0)


@pytest.mark.parametrize("text", TEXTS)
def test_parameters_are_changed_through_their_logarithms(text: str) -> None:
    kernel = parse_kernel(text)
    assert kernel.with_values(kernel.learnable) == kernel
    assert not any(name.endswith("nu") for name in kernel.theta_names)
    moved = kernel.with_theta(kernel.theta + 0.1)
    assert moved != kernel
    assert moved.theta_names == kernel.theta_names
    np.testing.assert_allclose(moved.theta, kernel.theta + 0.1, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("text", TEXTS)
def test_a_scaled_kernel_is_scaled_on_every_track_and_keeps_its_terms(text: str) -> None:
    kernel, tracks = parse_kernel(text), PLACES if "space" in text else GROUPS
    points, three = tracks.points(TIMES), scaled(parse_kernel(text), 3.0)
    np.testing.assert_allclose(
        TrackCovariance(three, tracks)(points), 3.0 * TrackCovariance(kernel, tracks)(points), rtol=1e-12, atol=0
    )
    assert [term.own for term in terms_of(three)] == [term.own for term in terms_of(kernel)]


def test_what_tracks_differ_by_counts_as_change_not_as_level() -> None:
    groups, places = (parse_kernel(f"constant(6) + {part}") for part in ("by(constant(0.4))", "space(1, 300)"))
    assert with_levels(groups, 1.0, 0.5) == parse_kernel("constant(6) + by(constant(0.2))")
    assert with_levels(places, 1.0, 0.5) == parse_kernel("constant(6) + space(0.5, 300)")


# before it is learned


@pytest.mark.parametrize(
    "part",
    ["ou", "matern32", "se", "cauchy", "constant", "white", "wiener", "linear", "constant + ou", "ou * periodic", "rq"],
)
def test_groups_differ_less_than_topics_before_it_is_learned(part: str) -> None:
    kernel = parse_kernel(f"constant + ou + by({part})").resolve(1900.0, 2000.0)
    own = own_kernel(kernel)
    assert own is not None
    middle = own.diag([1900.0, 1950.0, 2000.0])
    assert 0.0 <= middle.min() <= middle.max() < 0.6
    assert own.diag([1900.0])[0] == pytest.approx(0.25, rel=1e-9)


def test_differences_last_for_the_span() -> None:
    assert parse_kernel("by(ou)").resolve(1900.0, 2000.0) == By(OrnsteinUhlenbeck(0.25, 100.0))
    assert parse_kernel("by(ou)").resolve(7.0, 7.0) == By(OrnsteinUhlenbeck(0.25, 1.0))
    periodic = parse_kernel("by(periodic)").resolve(1900.0, 2000.0).parameters
    assert (periodic["length_scale"], periodic["period"]) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("by(ou(0.7))", {"variance": 0.7}),
        ("by(ou(length_scale=3))", {"length_scale": 3.0}),
        ("by(wiener(0.7))", {"variance": 0.7}),
        ("by(ou(0.7) + periodic)", {"0.variance": 0.7}),
        ("space(0.7)", {"variance": 0.7}),
        ("ou(0.7, 3) * space(300 km)", {"0.variance": 0.7, "0.length_scale": 3.0, "1.distance": 300.0}),
    ],
)
def test_values_that_are_given_stay(text: str, kept: dict[str, float]) -> None:
    found = parse_kernel(text).resolve(1900.0, 2000.0).parameters
    assert {name: found[name] for name in kept} == kept


def test_in_a_product_with_space_the_variance_is_that_of_the_other_factor() -> None:
    alone = parse_kernel("constant + ou").resolve(1900.0, 2000.0)
    both = with_distances(parse_kernel("constant + ou * space").resolve(1900.0, 2000.0), 1000.0)
    np.testing.assert_allclose(both(TIMES), alone(TIMES), rtol=1e-12, atol=0)


def test_unset_distances_follow_from_the_places() -> None:
    kernel = parse_kernel("ou(1, 2) * space(1) + space(1, 50 km)")
    distance = 1000.0 * OF_A_SPAN
    assert with_distances(kernel, 1000.0) == parse_kernel(f"ou(1, 2) * space(1, {distance}) + space(1, 50 km)")


def test_a_preset_within_a_sum_is_what_it_is_alone() -> None:
    kernel = parse_kernel("seasonal + by(seasonal)").resolve(1900.0, 2000.0)
    shared, own = shared_kernel(kernel), own_kernel(kernel)
    seasonal = parse_kernel("seasonal").resolve(1900.0, 2000.0)
    assert shared is not None
    assert own is not None
    np.testing.assert_allclose(shared(TIMES), seasonal(TIMES), rtol=1e-12, atol=0)
    np.testing.assert_allclose(own(TIMES), seasonal(TIMES) * 0.25 / seasonal.diag([1900.0])[0], rtol=1e-12, atol=0)
    assert parse_kernel(parse_kernel("ou + by(seasonal(4))").text) == parse_kernel("ou + by(seasonal(4))")


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("constant + ou + by(ou, party)", "constant + ou"),
        ("by(ou(1, 3)) + ou", "ou"),
        ("by(ou(1, 3))", "ou(1, 3)"),
        ("by(ou) + by(constant)", "ou + constant"),
        ("ou(1, 3) * space + constant", "constant"),
        ("ou(1, 3) * space", "ou(1, 3)"),
        ("space(2, 300 km)", "constant(2)"),
        ("ou", "ou"),
    ],
)
def test_of_one_track_what_is_shared_is_left(text: str, alone: str) -> None:
    assert of_one_track(parse_kernel(text)) == parse_kernel(alone)


# places


def test_distances_are_straight_lines_through_the_earth() -> None:
    places = np.array([[0.0, 0.0], [0.0, 180.0], [90.0, 20.0], [90.0, -70.0], [0.0, 179.99], [0.0, -179.99]])
    d = straight_distances(places)
    R = 6371.0088
    assert d[0, 1] == pytest.approx(2 * R)
    assert d[0, 2] == pytest.approx(math.sqrt(2) * R)
    assert d[2, 3] == pytest.approx(0.0, abs=1e-6)
    assert d[4, 5] == pytest.approx(R * math.radians(0.02), rel=1e-6)
    austin, dallas = straight_distances(PLACES.places)[0, 1], 293.0  # kilometres on the map
    assert austin == pytest.approx(dallas, rel=0.02)


def test_correlations_are_the_known_functions_of_distance() -> None:
    r = np.array([0.0, 100.0, 300.0, 1000.0])
    for nu, kernel in ((0.5, OrnsteinUhlenbeck(1.0, 300.0)), (0.0, SquaredExponential(1.0, 300.0))):
        np.testing.assert_allclose(Space(1, 300, nu).similarity(r), kernel(np.zeros(1), r)[0], rtol=1e-12, atol=0)
    for nu, name in ((1.5, "matern32"), (2.5, "matern52")):
        kernel = parse_kernel(f"{name}(1, 300)")
        np.testing.assert_allclose(Space(1, 300, nu).similarity(r), kernel(np.zeros(1), r)[0], rtol=1e-12, atol=0)


@given(
    st.lists(st.tuples(st.floats(-90, 90), st.floats(-180, 180)), min_size=2, max_size=12),
    st.sampled_from([0.0, 0.5, 1.5, 2.5]),
    st.floats(1.0, 20_000.0),
)
def test_covariances_of_any_places_are_positive(places: list[tuple[float, float]], nu: float, distance: float) -> None:
    C = Space(1, distance, nu).similarity(straight_distances(np.array(places)))
    np.testing.assert_allclose(np.diag(C), 1.0, rtol=1e-6, atol=0)
    assert np.linalg.eigvalsh(C).min() > -1e-6
