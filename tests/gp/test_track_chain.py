"""Tracks as one chain over time: exact, against dense matrices over the points of all tracks."""

from __future__ import annotations

import numpy as np
import pytest
from reference import mild_sites, posterior, posterior_of_word, random_sites

from chronotope.gp import DenseStructure, Tracks
from chronotope.gp.track_chain import TrackChain, components, square_root
from chronotope.gp.tracks import TrackCovariance
from chronotope.kernels import parse_kernel

NODES = np.array([-1.25, -0.4, 0.2, 0.5, 1.7, 3.0])
GROUPS = Tracks(("a", "b", "c"))
PLACES = Tracks(("Austin", "Dallas", "Berlin"), np.array([[30.3, -97.7], [32.8, -96.8], [52.5, 13.4]]))
# unsorted, before and after, at nodes, between them, twice; on every track, and −1 for what all of them share
POINTS = np.array(
    [[3.0, 0], [-4.0, 1], [0.2, 2], [0.31, -1], [0.31, 0], [0.31, 0], [1.1, 2], [0.2, -1], [9.0, 1], [0.2, 0]]
)
KERNELS = {
    "own OU": ("constant(2) + ou(1, 2) + by(ou(0.5, 4))", GROUPS),
    "own level": ("ou(3, 2) + by(constant(0.4))", GROUPS),
    "nothing shared": ("by(ou(2, 1.5))", GROUPS),
    "nothing own": ("constant(1) + ou(2, 1.5)", GROUPS),
    "Matern": ("constant(1) + matern32(2, 1.5) + by(matern52(0.5, 3))", GROUPS),
    "sums of both": ("constant(2) + wiener(0.3, 1, 0) + white(0.2) + by(constant(0.3) + ou(0.5, 1))", GROUPS),
    "space": ("constant(2) + ou(1, 2) + space(1, 300 km)", PLACES),
    "space over time": ("ou(1, 2) * space(0.7, 2000 km)", PLACES),
    "space alone": ("space(1, 500 km)", PLACES),
    "smooth space": ("constant(1) + space(1, 800 km, nu=0)", PLACES),
}


def structure(text: str, tracks: Tracks, nodes: np.ndarray = NODES) -> TrackChain:
    kernel = parse_kernel(text)
    state = components(kernel, tracks)
    assert state is not None
    return TrackChain(TrackCovariance(kernel, tracks), tracks.points(nodes), state)


def close(actual, expected, atol=1e-8):
    np.testing.assert_allclose(actual, expected, rtol=1e-6, atol=atol)


@pytest.fixture(params=KERNELS)
def chain(request):
    return structure(*KERNELS[request.param])


def test_posterior_at_the_nodes_is_the_dense_one(chain, rng):
    g, b = random_sites(rng, len(chain.nodes), 2, 4)
    m, s, kl = chain.condition(g, b)
    dense_m, dense_s, dense_kl = posterior(chain.kernel, chain.nodes, chain.nodes, g, b)
    close(m, dense_m)
    close(s, dense_s)
    close(kl, dense_kl)


def test_posterior_at_any_points_is_the_dense_one_also_of_what_all_tracks_share(chain, rng):
    g, b = random_sites(rng, len(chain.nodes), 2, 4)
    m, s = chain.predict(POINTS, g, b)
    dense_m, dense_s, _ = posterior(chain.kernel, chain.nodes, POINTS, g, b)
    close(m, dense_m)
    close(s, dense_s)


def test_without_sites_the_posterior_is_the_prior_and_its_kl_is_zero(chain):
    none = np.zeros((len(chain.nodes), 2, 3))
    m, s, kl = chain.condition(none, none)
    np.testing.assert_array_equal(m, none)
    close(s, np.broadcast_to(chain.kernel.diag(chain.nodes)[:, None, None], s.shape), atol=1e-12)
    np.testing.assert_allclose(kl, 0.0, rtol=0, atol=1e-12)
    m, s = chain.predict(POINTS, none, none)
    np.testing.assert_array_equal(m, 0.0)
    close(s, np.broadcast_to(chain.kernel.diag(POINTS)[:, None, None], s.shape), atol=1e-12)


def test_a_dense_basis_of_all_points_is_the_same(chain, rng):
    g, b = mild_sites(rng, len(chain.nodes), 2, 3)
    basis = DenseStructure(chain.kernel, chain.nodes, tolerance=1e-13)
    for one, other in zip(chain.condition(g, b), basis.condition(g, b), strict=True):
        close(one, other, atol=1e-7)
    for one, other in zip(chain.predict(POINTS, g, b), basis.predict(POINTS, g, b), strict=True):
        close(one, other, atol=1e-7)


@pytest.mark.parametrize("case", ["own OU", "Matern", "space over time"])
@pytest.mark.parametrize("kind", ["chain", "basis"])
def test_draws_have_the_mean_and_covariance_of_the_posterior_over_times_and_tracks(case, kind, rng):
    chain, n = structure(*KERNELS[case]), 6000
    g, b = (np.repeat(x, n, axis=2) for x in mild_sites(rng, len(chain.nodes), 1, 1))
    points = POINTS[[0, 1, 3, 4, 6]]
    drawing = chain if kind == "chain" else DenseStructure(chain.kernel, chain.nodes)
    draws = drawing.draw(points, g, b, rng)[:, 0]
    mean, cov = posterior_of_word(chain.kernel, chain.nodes, points, g[:, 0, 0], b[:, 0, 0])
    sd = np.sqrt(np.diag(cov))
    np.testing.assert_allclose(draws.mean(axis=1), mean, rtol=0, atol=5 * sd.max() / np.sqrt(n))
    np.testing.assert_allclose(np.cov(draws), cov, rtol=0, atol=8 * sd.max() ** 2 / np.sqrt(n))


def test_equal_points_have_equal_draws(rng):
    chain = structure(*KERNELS["own OU"])
    g, b = mild_sites(rng, len(chain.nodes), 2, 3)
    drawn = chain.draw(POINTS, g, b, rng)
    np.testing.assert_allclose(drawn[4], drawn[5], rtol=0, atol=1e-6)


@pytest.mark.parametrize("case", ["own OU", "Matern", "space"])
def test_single_precision_sites_give_the_double_precision_posterior(case, rng):
    chain = structure(*KERNELS[case])
    g, b = (x.astype(np.float32) for x in mild_sites(rng, len(chain.nodes), 2, 3))
    single, double = chain.condition(g, b), chain.condition(g.astype(float), b.astype(float))
    assert single.m.dtype == single.s.dtype == np.float32
    for x, y in zip(single, double, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("case", ["own OU", "Matern", "space", "space alone"])
def test_a_single_time_has_the_dense_posterior(case, rng):
    chain = structure(*KERNELS[case], nodes=np.array([1.5]))
    g, b = random_sites(rng, len(chain.nodes), 2, 3)
    for one, other in zip(chain.condition(g, b), posterior(chain.kernel, chain.nodes, chain.nodes, g, b), strict=True):
        close(one, other)


def test_many_observations_and_blocks_of_words_have_the_dense_posterior(rng):
    nodes = np.sort(rng.uniform(0, 30, 15))  # 45 observations: over two chunks of logarithms
    chain = structure(*KERNELS["own OU"], nodes=nodes)
    g, b = mild_sites(rng, len(chain.nodes), 2, 130)  # three blocks of words, the last one short
    words = [0, 63, 64, 127, 128, 129]
    m, s, kl = chain.condition(g, b)
    dense_m, dense_s, _ = posterior(chain.kernel, chain.nodes, chain.nodes, g[:, :, words], b[:, :, words])
    close(m[:, :, words], dense_m)
    close(s[:, :, words], dense_s)
    close(kl, posterior(chain.kernel, chain.nodes, chain.nodes, g, b)[2])


def test_a_place_that_is_not_known_has_nothing_of_the_others_but_what_all_share(rng):
    tracks = Tracks(("here", "there", "nowhere"), np.array([[30.0, 0.0], [31.0, 0.0], [np.nan, np.nan]]))
    chain = structure("constant(2) + space(1, 300 km)", tracks)
    C = chain.kernel(np.array([[0.0, 0], [0.0, 1], [0.0, 2], [0.0, -1]]))
    np.testing.assert_allclose(np.diag(C), [3.0, 3.0, 3.0, 2.0], rtol=1e-12, atol=0)
    np.testing.assert_allclose(C[2, [0, 1, 3]], 2.0, rtol=1e-12, atol=0)
    assert C[0, 1] > 2.5
    g, b = mild_sites(rng, len(chain.nodes), 1, 3)
    close(chain.condition(g, b).m, posterior(chain.kernel, chain.nodes, chain.nodes, g, b)[0])


def test_a_square_root_leaves_out_next_to_nothing(rng):
    places = np.column_stack([rng.uniform(30, 31, 30), rng.uniform(-1, 0, 30)])
    tracks = Tracks(tuple(map(str, range(30))), places)
    C = parse_kernel("space(1, 3000 km, nu=2.5)").similarity(tracks.distances())  # type: ignore[union-attr]
    root = square_root(C)
    assert root.shape[1] < 6
    np.testing.assert_allclose(root @ root.T, C, rtol=0, atol=3e-3)
    np.testing.assert_array_equal(square_root(np.eye(4)), np.eye(4))
