"""The two-state automaton against every sequence of states there is, and windows against plain loops."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import poisson

from chronotope.analysis.bursts import Burst, Windows, bursts_of, find_bursts, rate_gain


@pytest.mark.parametrize("cost", [0.0, 0.7, 3.0])
def test_bursts_have_the_highest_gain_of_all_sequences(cost: float) -> None:
    J, C = 8, 20
    gain = np.random.default_rng(0).normal(size=(J, C))
    found = find_bursts(gain, cost)
    states = np.array(list(product([0, 1], repeat=J)))  # (2^J, J)
    entries = (np.diff(np.pad(states, ((0, 0), (1, 0))), axis=1) == 1).sum(axis=1)
    best = (states @ gain - cost * entries[:, None]).max(axis=0)
    own = (found * gain).sum(axis=0) - cost * (np.diff(np.pad(found.astype(int), ((1, 0), (0, 0))), axis=0) == 1).sum(0)
    np.testing.assert_allclose(own, best, rtol=1e-12)


@pytest.mark.parametrize(("n", "factor"), [(4, 2.0), (7, 7 / 3), (90, 16.0)])
def test_gain_is_the_likelihood_ratio_of_poisson_counts_at_the_best_factor(n: int, factor: float) -> None:
    """From the least factor, 2, to 16; the usual count is 3."""
    N, y, u = np.array([[100.0]]), np.array([[n / 100]]), np.array([[0.03]])
    ratio = poisson.logpmf(n, 3.0 * factor) - poisson.logpmf(n, 3.0)
    np.testing.assert_allclose(rate_gain(N, y, u, 2.0), ratio, rtol=1e-12)


def test_runs_are_maximal() -> None:
    state = np.array([[1, 0], [1, 0], [0, 1], [1, 0], [1, 1]], dtype=bool)
    assert bursts_of(state) == [Burst(0, 0, 1), Burst(0, 3, 4), Burst(1, 2, 2), Burst(1, 4, 4)]
    assert bursts_of(np.zeros((3, 2), dtype=bool)) == []


def test_windows_are_moved_inwards_at_the_ends() -> None:
    nodes = np.array([0.0, 1.0, 2.0, 5.0, 6.0, 9.0, 10.0])
    windows = Windows(nodes, 4.0)
    values, weight = np.random.default_rng(1).random(size=(7, 3)), np.arange(7.0)
    mean = windows.mean_of_others(values, weight)
    for j, time in enumerate(nodes):
        middle = np.clip(time, 2.0, 8.0)
        here = (np.abs(nodes - middle) <= 2.0) & (np.arange(7) != j)
        np.testing.assert_allclose(mean[j], weight[here] @ values[here] / max(weight[here].sum(), 1e-300), rtol=1e-9)
    assert nodes[windows.around(3, 4)].tolist() == [5.0, 6.0]
    assert nodes[windows.around(1, 5)].tolist() == nodes.tolist()  # a long run is seen in twice its length


def test_a_ratio_is_the_rate_inside_over_the_rate_around() -> None:
    nodes, N = np.arange(10.0), np.arange(1.0, 11.0)
    y = np.random.default_rng(0).random((3, 10))
    inside, around = [4, 5], [2, 3, 6, 7]
    expected = [(r[inside] @ N[inside] / N[inside].sum()) / (r[around] @ N[around] / N[around].sum()) for r in y]
    np.testing.assert_allclose(Windows(nodes, 5.0).ratio(y, N, 4, 5), expected, rtol=1e-12)
    np.testing.assert_array_equal(Windows(nodes, 1.0).ratio(y, N, 0, 9), 0.0)


def test_one_node_is_its_own_window() -> None:
    windows = Windows(np.array([3.0]), 0.0)
    assert windows.around(0, 0) == slice(0, 1)
