"""Many groups by a structured approximation: how far it is from the exact posterior, and what of it is exact."""

from __future__ import annotations

import numpy as np
import pytest
from reference import mild_sites, posterior

from chronotope.gp import DenseStructure, Tracks, choose_structure
from chronotope.gp.group_chains import GroupChains
from chronotope.gp.shared import one_group
from chronotope.gp.track_chain import TrackChain
from chronotope.gp.track_parts import TrackParts
from chronotope.kernels import own_kernel, parse_kernel, shared_kernel

NODES = np.linspace(0.0, 20.0, 12)
GROUPS = Tracks(tuple("abcde"))
POINTS = np.array([[3.0, 0], [-4.0, 1], [20.0, 2], [7.5, -1], [7.5, 0], [7.5, 4], [11.0, 3], [0.0, -1], [29.0, 1]])
OU = "constant(2) + ou(1, 8) + by(ou(0.5, 20))"
KERNELS = {
    "own OU": OU,
    "own level": "constant(2) + ou(1, 8) + by(constant(0.4))",
    "slow own OU": "ou(3, 8) + by(ou(0.5, 60))",
    "Matern": "constant(1) + matern32(2, 5) + by(matern32(0.5, 15))",
    "sums of both": "constant(2) + ou(1, 8) + by(constant(0.3) + ou(0.5, 20))",
    "not Markov": "constant(2) + cauchy(1, 8) + by(cauchy(0.5, 20))",
}


def structure(kind: type[TrackParts], text: str, nodes: np.ndarray = NODES, tracks: Tracks = GROUPS) -> TrackParts:
    kernel = parse_kernel(text)
    shared, own = shared_kernel(kernel), own_kernel(kernel)
    assert shared is not None
    assert own is not None
    alone = choose_structure(shared, nodes), choose_structure(own, nodes), one_group(kernel, nodes)
    return kind(kernel, nodes, tracks, *alone)


def few_documents(rng, n, K=2, V=30):
    """Sites of words from rare to frequent, some nodes of a group without any."""
    g, b = mild_sites(rng, n, K, V)
    size = np.geomspace(0.03, 3.0, V) * (rng.random((n, 1, 1)) < 0.7)
    return g * size, b * size


CASES = [(TrackParts, name) for name in KERNELS] + [(GroupChains, "own OU"), (GroupChains, "own level")]


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0].__name__}, {case[1]}")
def case(request):
    return request.param


@pytest.fixture
def parts(case):
    return structure(case[0], KERNELS[case[1]])


def check(case, found, exact):
    """Means near the exact ones, variances larger rather than smaller: those of a process that is not Markov vary."""
    m, (exact_m, exact_s), ratio = found[0], exact, found[1] / exact[1]
    assert (np.abs(m - exact_m) / np.sqrt(exact_s)).max() < (0.04 if case[1] == "own OU" else 0.1)
    if case[1] == "not Markov":
        assert ratio.min() > 0.5
        assert 0.8 < ratio.mean() < 1.1
    else:
        assert ratio.min() > 0.999
        assert ratio.max() < (1.9 if case[1] == "own OU" else 5.5)
        assert ratio.mean() < (1.15 if case[1] == "own OU" else 1.4)


def test_means_are_near_the_exact_ones_and_variances_are_not_too_small(case, parts, rng):
    g, b = few_documents(rng, len(parts.nodes))
    exact = posterior(parts.kernel, parts.nodes, parts.nodes, g, b)
    found = parts.condition(g, b)
    check(case, found[:2], exact[:2])
    np.testing.assert_allclose(found.kl, exact[2], rtol=0.15, atol=0)


def test_so_they_are_at_points_without_sites_and_for_what_all_groups_share(case, parts, rng):
    g, b = few_documents(rng, len(parts.nodes))
    check(case, parts.predict(POINTS, g, b), posterior(parts.kernel, parts.nodes, POINTS, g, b)[:2])


@pytest.mark.parametrize("name", ["own OU", "sums of both"])
def test_the_means_of_rare_words_are_within_a_fiftieth_of_a_standard_deviation(name, rng):
    parts = structure(TrackParts, KERNELS[name])
    g, b = few_documents(rng, len(parts.nodes))
    g, b = g[:, :, :20], b[:, :, :20]  # up to half a token at a node
    exact_m, exact_s, _ = posterior(parts.kernel, parts.nodes, parts.nodes, g, b)
    m, s, _ = parts.condition(g, b)
    assert (np.abs(m - exact_m) / np.sqrt(exact_s)).max() < 0.02
    assert (s / exact_s).max() < 1.35


@pytest.mark.parametrize("kind", [TrackParts, GroupChains])
def test_where_what_is_shared_is_constant_in_time_means_are_exact(kind, rng):
    parts = structure(kind, "constant(2) + by(ou(0.5, 20))")
    g, b = few_documents(rng, len(parts.nodes))
    m, s, kl = parts.condition(g, b)
    exact_m, exact_s, exact_kl = posterior(parts.kernel, parts.nodes, parts.nodes, g, b)
    np.testing.assert_allclose(m, exact_m, rtol=0, atol=1e-6)
    np.testing.assert_allclose(s, exact_s, rtol=1e-6 if kind is TrackParts else 0.05, atol=0)
    np.testing.assert_allclose(kl, exact_kl, rtol=0.05, atol=0)


def test_predictions_at_the_nodes_are_the_marginals_there(parts, rng):
    g, b = few_documents(rng, len(parts.nodes))
    marginals, (m, s) = parts.condition(g, b), parts.predict(parts.nodes, g, b)
    np.testing.assert_allclose(m, marginals.m, rtol=0, atol=1e-8)
    np.testing.assert_allclose(s, marginals.s, rtol=1e-6, atol=1e-10)


def test_without_sites_the_posterior_is_the_prior_and_its_kl_is_zero(parts):
    none = np.zeros((len(parts.nodes), 2, 3))
    m, s, kl = parts.condition(none, none)
    np.testing.assert_array_equal(m, none)
    np.testing.assert_allclose(s, np.broadcast_to(parts.kernel.diag(parts.nodes)[:, None, None], s.shape), rtol=1e-4)
    np.testing.assert_allclose(kl, 0.0, rtol=0, atol=1e-9)
    m, s = parts.predict(POINTS, none, none)
    np.testing.assert_array_equal(m, 0.0)
    np.testing.assert_allclose(s, np.broadcast_to(parts.kernel.diag(POINTS)[:, None, None], s.shape), rtol=1e-4)


@pytest.mark.parametrize("kind", [TrackParts, GroupChains])
def test_draws_are_joint_over_times_and_groups(kind, rng):
    parts, n = structure(kind, OU, NODES[::3]), 4000
    g, b = (np.repeat(x, n, axis=2) for x in mild_sites(rng, len(parts.nodes), 1, 1))
    points = POINTS[[0, 2, 3, 4, 5]]
    draws = parts.draw(points, g, b, rng)[:, 0]
    exact = DenseStructure(parts.kernel, parts.nodes, tolerance=1e-13).draw(points, g, b, rng)[:, 0]
    mean, cov = exact.mean(axis=1), np.cov(exact)
    sd = np.sqrt(np.diag(cov))
    np.testing.assert_allclose(draws.mean(axis=1), mean, rtol=0, atol=0.1 * sd.max())
    np.testing.assert_allclose(np.cov(draws) / np.outer(sd, sd), cov / np.outer(sd, sd), rtol=0, atol=0.2)


def test_single_precision_sites_give_the_double_precision_posterior(parts, rng):
    g, b = (x.astype(np.float32) for x in few_documents(rng, len(parts.nodes)))
    single, double = parts.condition(g, b), parts.condition(g.astype(float), b.astype(float))
    assert single.m.dtype == single.s.dtype == np.float32
    assert (np.abs(single.m - double.m) / np.sqrt(double.s)).max() < 2e-3
    np.testing.assert_allclose(single.s, double.s, rtol=2e-3, atol=1e-5)


@pytest.mark.parametrize("kind", [TrackParts, GroupChains])
def test_a_single_time_is_exact(kind, rng):
    parts = structure(kind, OU, np.array([3.0]))
    g, b = few_documents(rng, len(parts.nodes))
    m, s, _ = parts.condition(g, b)
    exact_m, exact_s, _ = posterior(parts.kernel, parts.nodes, parts.nodes, g, b)
    np.testing.assert_allclose(m, exact_m, rtol=0, atol=1e-6)
    np.testing.assert_allclose(s, exact_s, rtol=1e-6, atol=0)


@pytest.mark.parametrize("kind", [TrackParts, GroupChains])
def test_a_group_without_any_sites_is_read_from_what_all_share(kind, rng):
    parts = structure(kind, OU)
    g, b = few_documents(rng, len(parts.nodes))
    silent = np.arange(len(parts.nodes)) // len(NODES) == 2
    g[silent], b[silent] = 0.0, 0.0
    m, s = parts.predict(np.column_stack([NODES, np.full(12, 2.0)]), g, b)
    shared_m, shared_s = parts.predict(np.column_stack([NODES, np.full(12, -1.0)]), g, b)
    np.testing.assert_allclose(m, shared_m, rtol=0, atol=1e-6)
    np.testing.assert_allclose(s, shared_s + 0.5, rtol=0.02, atol=0)


@pytest.mark.parametrize(
    ("text", "size", "kind"),
    [
        (OU, 2, TrackChain),
        (OU, 9, TrackChain),
        (OU, 12, GroupChains),
        (KERNELS["Matern"], 12, TrackParts),
        (KERNELS["not Markov"], 3, DenseStructure),
        (KERNELS["not Markov"], 12, TrackParts),
        ("by(ou(1, 3))", 20, DenseStructure),
        ("ou(1, 3)", 20, TrackChain),
    ],
)
def test_kernel_and_number_of_groups_decide_the_structure(text, size, kind):
    chosen = choose_structure(parse_kernel(text), NODES, Tracks(tuple(map(str, range(size)))))
    assert type(chosen) is kind
