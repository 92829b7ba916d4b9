"""The nodes of the time grid, and interpolation between neighbouring nodes."""

import numpy as np
import pytest
from kernels.conftest import MARKOV, NOT_MARKOV

from chronotope.gp import choose_nodes, node_weights
from chronotope.gp.grid import MAX_EXACT, MAX_NODES, MIN_NODES, adaptive_nodes, spread_nodes
from chronotope.kernels import Cauchy, Linear, Matern, OrnsteinUhlenbeck, SquaredExponential, Wiener, parse_kernel

NODES = np.array([-1.25, -0.4, 0.2, 0.5, 1.7, 3.0])
INSIDE = np.array([-1.0, -0.4001, 0.0, 0.35, 0.35, 1.0, 2.9])
STATE_OF_ONE = [
    OrnsteinUhlenbeck(6.0, 1.5),
    Wiener(0.7, 2.0, 0.3),
    Wiener(0.7, 0.0, -1.25),
    Wiener(0.7, 0.0, 0.2),
    Matern(2.0, 0.8, 0.5),
]
MANY = np.sort(np.random.default_rng(0).gamma(2.0, 10.0, 2000))

every = pytest.mark.parametrize("kernel", [*MARKOV, *NOT_MARKOV], ids=str)
grids = pytest.mark.parametrize("grid", ["adaptive", "even", "quantile"])


def loss(kernel, pair, t, weights):
    """Residual variance κ(τ, τ) − 2 k·w + w·K₂w of each row of weights, (n,)."""
    k = kernel(pair, [t])[:, 0]
    return kernel.diag([t])[0] - 2 * weights @ k + np.einsum("ni,ij,nj->n", weights, kernel(pair), weights)


@every
def test_inside_the_grid_interpolation_is_the_best_weighted_mean_of_two_nodes(kernel):
    """Of all means of the neighbouring nodes and zero; kriging without limits is the same where it is such a mean."""
    left, weight, residual = node_weights(kernel, NODES, INSIDE)
    assert weight.min() >= 0
    assert weight.sum(axis=1).max() <= 1 + 1e-12
    first, second = np.meshgrid(*[np.linspace(0, 1, 101)] * 2)
    means = np.stack([first.ravel(), second.ravel()], axis=1)
    means = means[means.sum(axis=1) <= 1]
    for i, t in enumerate(INSIDE):
        pair = NODES[left[i] : left[i] + 2]
        assert pair[0] <= t <= pair[1]
        prior = kernel.diag([t])[0]
        np.testing.assert_allclose(residual[i], loss(kernel, pair, t, weight[i : i + 1])[0], rtol=1e-7, atol=1e-9)
        assert residual[i] <= loss(kernel, pair, t, means).min() + 1e-9 * prior
        k, free = kernel(pair, [t])[:, 0], np.linalg.lstsq(kernel(pair), kernel(pair, [t])[:, 0], rcond=1e-9)[0]
        if free.min() >= 0 and free.sum() <= 1:
            np.testing.assert_allclose(kernel(pair) @ weight[i], k, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("kernel", STATE_OF_ONE, ids=str)
def test_with_state_size_one_two_neighbours_predict_as_well_as_all_nodes(kernel, rng):
    left, weight, residual = node_weights(kernel, NODES, INSIDE)
    free = kernel.diag(NODES) > 0
    values = rng.normal(size=len(NODES)) * free
    W = kernel(INSIDE, NODES[free]) @ np.linalg.inv(kernel(NODES[free]))
    interpolated = weight[:, 0] * values[left] + weight[:, 1] * values[left + 1]
    np.testing.assert_allclose(interpolated, W @ values[free], rtol=1e-9, atol=1e-10)
    exact = kernel.diag(INSIDE) - np.sum(W * kernel(INSIDE, NODES[free]), axis=1)
    np.testing.assert_allclose(residual, exact, rtol=1e-9, atol=1e-10)


@every
def test_at_a_node_the_weight_is_on_that_node(kernel):
    left, weight, residual = node_weights(kernel, NODES, NODES)
    J = len(NODES)
    np.testing.assert_array_equal(left, [*range(J - 1), J - 2])
    np.testing.assert_array_equal(weight, [*[(1.0, 0.0)] * (J - 1), (0.0, 1.0)])
    np.testing.assert_allclose(residual, 0.0, rtol=0, atol=1e-12)


@every
def test_outside_the_grid_the_weight_is_on_the_nearest_node(kernel):
    times = np.array([-3.0, 4.5])
    left, weight, residual = node_weights(kernel, NODES, times)
    np.testing.assert_array_equal(left, [0, len(NODES) - 2])
    assert weight[0, 1] == weight[1, 0] == 0.0
    for t, node, w, rest in (
        (-3.0, NODES[0], weight[0, 0], residual[0]),
        (4.5, NODES[-1], weight[1, 1], residual[1]),
    ):
        own, cross, prior = kernel.diag([node])[0], kernel([node], [t])[0, 0], kernel.diag([t])[0]
        if own > 0:
            np.testing.assert_allclose(w, np.clip(cross / own, 0, 1), rtol=1e-12, atol=0)
            np.testing.assert_allclose(rest, prior - 2 * w * cross + w**2 * own, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("time", [1.0, 2.0, 3.0])
def test_a_single_node_is_the_left_one_for_every_time(time):
    left, weight, residual = node_weights(OrnsteinUhlenbeck(2.0, 3.0), np.array([2.0]), np.array([time]))
    shrunk = np.exp(-abs(time - 2.0) / 3.0)
    np.testing.assert_array_equal(left, [0])
    np.testing.assert_allclose(weight, [[shrunk, 0.0]], rtol=1e-12, atol=0)
    np.testing.assert_allclose(residual, [2.0 * (1 - shrunk**2)], rtol=1e-12, atol=1e-15)


def test_interpolated_and_residual_variance_add_up_to_the_prior_variance():
    for kernel in (OrnsteinUhlenbeck(6.0, 1.5), parse_kernel("constant(6) + ou(2, 1)")):
        left, weight, residual = node_weights(kernel, NODES, INSIDE)
        pairs = [kernel(NODES[i : i + 2]) for i in left]
        interpolated = np.array([w @ K @ w for w, K in zip(weight, pairs, strict=True)])
        np.testing.assert_allclose(interpolated + residual, kernel.diag(INSIDE), rtol=1e-9, atol=0)


def test_a_markov_kernel_has_a_node_at_every_time_up_to_the_limit():
    times = np.repeat(np.linspace(0, 1, MAX_EXACT), 2)[::-1]
    np.testing.assert_array_equal(choose_nodes(OrnsteinUhlenbeck(1.0, 1.0), times, None, "even"), np.unique(times))
    more = np.linspace(0, 1, MAX_EXACT + 1)
    assert len(choose_nodes(OrnsteinUhlenbeck(1.0, 100.0), more, None, "even")) < len(more)


def test_a_dense_kernel_has_a_node_at_every_time_only_where_these_are_few():
    times = np.linspace(0, 1, MIN_NODES)
    np.testing.assert_array_equal(choose_nodes(Cauchy(1.0, 1.0), times, None, "even"), times)
    assert len(choose_nodes(Cauchy(1.0, 1.0), np.linspace(0, 1, MIN_NODES + 50), None, "even")) == MIN_NODES


@grids
@pytest.mark.parametrize("n_inducing", [None, 1, 2, 7, 40, 2000, 10_000])
@pytest.mark.parametrize("stamps", [1, 2, 30, 300])
def test_nodes_are_sorted_distinct_inside_the_span_and_no_more_than_the_times(grid, n_inducing, stamps):
    times = np.random.default_rng(1).choice(MANY[:stamps], 500)
    for kernel in (OrnsteinUhlenbeck(1.0, 0.1), SquaredExponential(1.0, 5.0)):
        nodes = choose_nodes(kernel, times, n_inducing, grid)
        assert np.all(np.diff(nodes) > 0)
        assert 1 <= len(nodes) <= len(np.unique(times))
        assert n_inducing is None or len(nodes) <= n_inducing
        assert times.min() <= nodes[0] <= nodes[-1] <= times.max()
        if len(nodes) > 1:
            assert (nodes[0], nodes[-1]) == (times.min(), times.max())


def test_an_even_grid_is_even_and_a_quantile_grid_holds_equal_numbers_of_documents():
    np.testing.assert_allclose(np.diff(spread_nodes(MANY, 11, "even")), np.ptp(MANY) / 10, rtol=1e-9, atol=0)
    counts, _ = np.histogram(MANY, spread_nodes(MANY, 11, "quantile"))
    np.testing.assert_allclose(counts, len(MANY) / 10, rtol=0, atol=1)


@grids
@pytest.mark.parametrize("family", [OrnsteinUhlenbeck, SquaredExponential, Cauchy])
def test_a_rougher_kernel_gets_at_least_as_many_nodes(grid, family):
    times = np.sqrt(np.linspace(0.0, 3600.0, 2000))
    sizes = [len(choose_nodes(family(1.0, scale), times, None, grid)) for scale in (1e4, 300.0, 30.0, 3.0, 0.3)]
    assert sizes == sorted(sizes)
    assert MIN_NODES == sizes[0] < sizes[-1] <= MAX_NODES


def test_the_residual_variance_between_the_nodes_chosen_is_small():
    kernel = OrnsteinUhlenbeck(3.0, 1500.0)
    nodes = choose_nodes(kernel, MANY, None, "even")
    assert MIN_NODES <= len(nodes) < MAX_NODES
    middle = 0.5 * (nodes[1:] + nodes[:-1])
    assert np.mean(node_weights(kernel, nodes, middle).residual) <= 0.01 * 3.0


def test_a_prior_without_variance_half_way_between_two_nodes_is_no_reason_for_more_nodes():
    times = np.linspace(-1.0, 1.0, 1001)
    kernel = Linear(1.0, 0.0) * OrnsteinUhlenbeck(1.0, 1e4)
    with np.errstate(invalid="raise"):
        assert len(choose_nodes(kernel, times, None, "even")) == MIN_NODES


def test_empty_decades_take_no_nodes_from_the_times_that_there_are():
    kernel = OrnsteinUhlenbeck(1.0, 1e5)
    full = np.linspace(0.0, 24.0, 1000)
    apart = np.concatenate([full[full <= 6.0], full[full >= 18.0]])  # half of the span is empty
    for times, n in ((full, MIN_NODES), (apart, 2 * MIN_NODES)):
        nodes = choose_nodes(kernel, times, None, "even")
        assert len(nodes) == n
        assert np.sum(nodes <= 6.0) + np.sum(nodes >= 18.0) >= 0.5 * MIN_NODES
    assert len(choose_nodes(kernel, apart, None, "quantile")) == MIN_NODES
    assert (
        len(choose_nodes(kernel, np.append(full / 1e4, 24.0), None, "even")) == 256
    )  # one time far away from all others


# adaptive grids

UNEVEN = {
    "gamma": MANY,
    "a gap": np.concatenate([np.linspace(0.0, 10.0, 500), np.linspace(90.0, 100.0, 500)]),
    "a crowd": np.concatenate([np.linspace(0.0, 100.0, 400), np.full(5000, 50.0)]),
    "years": np.repeat(np.arange(1700.0, 2000.0), 4),
}
uneven = pytest.mark.parametrize("times", UNEVEN.values(), ids=list(UNEVEN))


@uneven
@pytest.mark.parametrize("n", [2, 7, 40, 96])
def test_adaptive_nodes_are_times_of_documents_from_the_first_to_the_last(times, n):
    nodes = adaptive_nodes(times, n)
    assert set(nodes) <= set(times)
    assert (nodes[0], nodes[-1]) == (times.min(), times.max())
    assert np.all(np.diff(nodes) > 0)
    assert n / 2 <= len(nodes) <= n


def test_adaptive_nodes_are_even_where_documents_are():
    np.testing.assert_allclose(np.diff(adaptive_nodes(np.linspace(0.0, 100.0, 5001), 41)), 2.5, rtol=0, atol=0.05)


def test_half_of_the_adaptive_nodes_go_where_most_documents_are():
    times = np.concatenate([np.linspace(0.0, 90.0, 1000), np.linspace(90.0, 100.0, 9000)])
    late = (adaptive_nodes(times, 100) >= 90.0).mean()
    assert late == pytest.approx(0.5 * (0.1 + 0.9), abs=0.03)


def test_a_gap_without_documents_costs_few_nodes():
    nodes = adaptive_nodes(UNEVEN["a gap"], 40)
    assert np.sum(np.diff(nodes) > 50.0) == 1  # across the gap
    assert len(nodes) >= 36


@pytest.mark.parametrize("grid", ["adaptive", "quantile"])
@pytest.mark.parametrize("outlying", [[1000.0], [9999.0], [1000.0, 9999.0], list(np.linspace(900.0, 1000.0, 100))])
def test_outlying_times_have_nodes_of_their_own_and_the_others_stay(outlying, grid):
    times, kernel = np.linspace(1900.0, 2000.0, 3001), OrnsteinUhlenbeck(1.0, 30.0)
    both = np.append(times, outlying)
    for n, wanted in ((None, 48), (None, 10), (60, 0)):
        after = choose_nodes(kernel, both, n, grid, wanted)
        far = np.isin(after, outlying)
        assert len({x > 1900.0 for x in outlying}) <= far.sum() <= max(2, (n or wanted) // 8)
        before = choose_nodes(kernel, times, None if n is None else n - far.sum(), grid, wanted)
        np.testing.assert_array_equal(after[~far], before)
    assert len(choose_nodes(kernel, both, 1, grid)) == 1


@pytest.mark.parametrize("outlying", [-1e6, 1000.0, 9999.0])
def test_an_outlying_time_changes_only_a_few_nodes(outlying):
    times = np.linspace(1900.0, 2000.0, 3001)
    before, after = adaptive_nodes(times, 60), adaptive_nodes(np.append(times, outlying), 60)
    assert outlying in after
    inside = after[after != outlying]
    assert len(before) - 3 <= len(inside) <= len(before)
    assert np.diff(inside).max() < 1.1 * np.diff(before).max()
