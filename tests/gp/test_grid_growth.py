"""Extending the grid: its old nodes stay, and it covers every new time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope import Cauchy, OrnsteinUhlenbeck, parse_kernel
from chronotope.gp.grid import MAX_NODES, MIN_NODES, PER_PERIOD, Growth, grow_nodes, residual_is_small

OU = OrnsteinUhlenbeck(3, 400)
FEW, MANY = np.arange(12.0), np.arange(100.0)


def grow(nodes: Any, times: Any, n_inducing: int | None = None) -> Growth:
    nodes = np.asarray(nodes, dtype=np.float64)
    growth = grow_nodes(OU, nodes, np.asarray(times, dtype=np.float64), n_inducing, "even")
    np.testing.assert_array_equal(growth.nodes[growth.before : len(growth.nodes) - growth.after], nodes)
    assert np.all(np.diff(growth.nodes) > 0)
    return growth


def test_every_new_time_is_a_node_of_a_small_grid() -> None:
    growth = grow(FEW, [11.2, 15, -3, 11.2, 4.5, 3])
    np.testing.assert_array_equal(growth.nodes, [-3, *FEW, 11.2, 15])
    assert (growth.before, growth.after) == (1, 2)


@pytest.mark.parametrize("times", [[0.0], [3.3, 99.0], [50.5, 50.6]])
def test_times_between_the_nodes_leave_the_grid_as_it_is(times: list[float]) -> None:
    growth = grow(MANY, times)
    assert (growth.before, growth.after) == (0, 0)
    np.testing.assert_array_equal(growth.nodes, MANY)


def test_a_large_grid_goes_on_at_its_own_spacing_where_times_are_dense() -> None:
    growth = grow(MANY, np.arange(99, 104, 0.1))
    np.testing.assert_allclose(growth.nodes[100:], [100, 101, 102, 103, 104], rtol=1e-12)
    growth = grow(MANY, [-0.2, -0.1, -1.9])
    np.testing.assert_allclose(growth.nodes[:2], [-1.9, -1], rtol=1e-12)


def test_a_large_grid_has_a_node_at_each_new_time_where_these_are_no_denser() -> None:
    months = 99 + np.cumsum([31, 28, 31, 30, 31]) / 30.4
    np.testing.assert_array_equal(grow(MANY, months).nodes[100:], months)
    np.testing.assert_array_equal(grow(MANY, [150, 250, 251]).nodes[100:], [150, 250, 251])


def test_days_given_one_by_one_make_the_grid_that_they_make_together() -> None:
    nodes = MANY
    for day in np.arange(99, 109, 0.25):
        nodes = grow(nodes, [day]).nodes
    np.testing.assert_allclose(nodes, np.arange(len(nodes)), rtol=1e-12)
    assert 108 <= nodes[-1] <= 110


def test_a_call_never_adds_more_nodes_than_the_largest_grid_has() -> None:
    growth = grow(np.arange(100) / 100, np.arange(5000.0))
    assert growth.after <= MAX_NODES + 1
    assert growth.nodes[-1] >= 4999


def test_past_many_nodes_a_grid_grows_no_finer_than_the_kernel_needs() -> None:
    days = np.arange(300.0)
    gaps = np.diff(grow(days, np.arange(299.0, 340)).nodes[299:])
    assert 2 <= gaps.min() <= 300 / (MIN_NODES - 1)
    assert residual_is_small(OU, 299 + np.array([0, gaps.min()]))
    rough = grow_nodes(OrnsteinUhlenbeck(3, 2), days, np.arange(299.0, 340), None, "even").nodes
    np.testing.assert_array_equal(rough, np.arange(340.0))
    np.testing.assert_array_equal(grow(days, np.arange(299.0, 340), n_inducing=300).nodes, np.arange(340.0))


def test_one_node_becomes_a_grid_unless_n_inducing_is_one() -> None:
    np.testing.assert_array_equal(grow([3.0], [3, 4, 5, 1]).nodes, [1, 3, 4, 5])
    np.testing.assert_array_equal(grow([3.0], [3, 4, 5, 1], n_inducing=1).nodes, [3])
    growth = grow([3.0], np.linspace(0, 10, 1000))
    assert MIN_NODES <= len(growth.nodes) <= MAX_NODES + 1
    assert (growth.nodes[0], growth.nodes[-1]) == (0, 10)
    assert len(grow([3.0], np.linspace(0, 10, 1000), n_inducing=20).nodes) in (20, 21)


def test_n_inducing_sets_the_spacing() -> None:
    growth = grow(np.linspace(0, 10, 5), [10.1, 11, 18], n_inducing=5)
    np.testing.assert_allclose(growth.nodes[5:], [12.5, 18], rtol=1e-12)


@given(
    st.lists(st.floats(-1e4, 1e4), min_size=1, max_size=80, unique=True),
    st.lists(st.floats(-1e5, 1e5), min_size=1, max_size=60),
    st.sampled_from([None, 2, 7]),
)
@settings(max_examples=200, deadline=None)
@pytest.mark.slow
def test_all_times_lie_on_the_grown_grid(nodes: list[float], times: list[float], n_inducing: int | None) -> None:
    growth = grow(np.sort(nodes), times, n_inducing)
    assert growth.nodes[0] <= min(times)
    assert growth.nodes[-1] >= max(times)
    again = grow(growth.nodes, times, n_inducing)
    assert (again.before, again.after) == (0, 0)


def test_other_kernels_grow_alike() -> None:
    nodes = grow_nodes(Cauchy(3, 40), FEW, np.array([12.0, 13.5]), None, "even").nodes
    np.testing.assert_array_equal(nodes, [*FEW, 12, 13.5])


def test_a_grid_that_grows_sees_every_period() -> None:
    seasonal = parse_kernel("constant(6) + periodic(0.01, 1, 12)")
    nodes = grow_nodes(seasonal, np.arange(300.0), np.arange(299.0, 340), None, "even").nodes
    assert np.diff(nodes[299:]).max() <= 12 / PER_PERIOD * 1.5
