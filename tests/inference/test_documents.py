"""Between two nodes log ζ is interpolated: the bound stays a bound, and a finer grid is a better one."""

import numpy as np
import pytest
import scipy.sparse as sp
from planted import place_documents
from priors import topics_at
from reference import log_zeta, mild_sites
from reference import posterior as dense_posterior

from chronotope.gp import MarkovStructure, node_weights
from chronotope.inference.documents import Documents, uniform_lambda
from chronotope.inference.meanfield import meanfield_step
from chronotope.kernels import OrnsteinUhlenbeck, Wiener

V, K = 7, 3
ALPHA = np.array([0.3, 0.8, 1.4])
COARSE = np.array([0.0, 1.0, 4.0])
TIMES = np.array([-1.0, 0.0, 0.2, 0.5, 0.9, 1.3, 2.0, 2.5, 3.8, 4.0, 5.5])
KERNELS = [OrnsteinUhlenbeck(3.0, 2.0), OrnsteinUhlenbeck(0.5, 50.0), Wiener(0.7, 1.0, 0.0), Wiener(0.7, 1.0, 2.0)]

kernels = pytest.mark.parametrize("kernel", KERNELS, ids=str)


def refined(nodes, g, b):
    """A node half-way between all others, without sites: the same posterior on a finer grid."""
    finer = np.empty(2 * len(nodes) - 1)
    finer[::2], finer[1::2] = nodes, 0.5 * (nodes[1:] + nodes[:-1])
    sites = [np.zeros((len(finer), *g.shape[1:])) for _ in range(2)]
    sites[0][::2], sites[1][::2] = g, b
    return finer, *sites


def some_sites(kernel, seed):
    """Sites on the coarse grid whose means share no shift, as inference leaves them."""
    g, b = mild_sites(np.random.default_rng(seed), len(COARSE), K, V)
    posterior = topics_at(MarkovStructure(kernel, COARSE), g, b, np.zeros(V))
    return posterior.g, posterior.b


def on_grid(kernel, nodes, g, b, times):
    """log ζ as a document at each time pays it, (n, K)."""
    posterior = topics_at(MarkovStructure(kernel, nodes), g, b, np.zeros(V))
    docs = place_documents(sp.csr_array(np.ones((len(times), V))), times, kernel, nodes, np.zeros(V))
    right = np.minimum(docs.left + 1, len(nodes) - 1)
    read = docs.weight[:, :1] * posterior.log_zeta[docs.left] + docs.weight[:, 1:] * posterior.log_zeta[right]
    return read + docs.slack[:, None]


@kernels
@pytest.mark.parametrize("seed", range(5))
def test_the_normaliser_on_the_grid_is_never_below_the_exact_one(kernel, seed):
    g, b = some_sites(kernel, seed)
    m, s, _ = dense_posterior(kernel, COARSE, TIMES, g, b)
    gap = on_grid(kernel, COARSE, g, b, TIMES) - log_zeta(m, s)
    assert gap.min() > -1e-10
    assert gap.max() > 1e-3
    np.testing.assert_allclose(gap[np.isin(TIMES, COARSE)], 0.0, rtol=0, atol=1e-10)


@kernels
def test_logits_between_nodes_are_the_exact_posterior_means(kernel, rng):
    g, b = mild_sites(rng, len(COARSE), K, V)
    nodes_m, _, _ = dense_posterior(kernel, COARSE, COARSE, g, b)
    m, _, _ = dense_posterior(kernel, COARSE, TIMES, g, b)
    left, weight, _ = node_weights(kernel, COARSE, TIMES)
    read = weight[:, 0, None, None] * nodes_m[left] + weight[:, 1, None, None] * nodes_m[left + 1]
    np.testing.assert_allclose(read, m, rtol=1e-9, atol=1e-10)


@kernels
def test_the_gap_closes_as_nodes_are_added(kernel):
    nodes, (g, b) = COARSE, some_sites(kernel, 0)
    inside = np.linspace(0.05, 3.95, 23)
    m, s, _ = dense_posterior(kernel, COARSE, inside, g, b)
    gaps = []
    for _ in range(6):
        nodes, g, b = refined(nodes, g, b)
        gaps.append((on_grid(kernel, nodes, g, b, inside) - log_zeta(m, s)).mean())
    assert np.all(np.diff(gaps) < 0)
    assert gaps[-1] < 0.06 * gaps[0]


@kernels
def test_the_bound_of_documents_on_the_grid_is_below_the_exact_one(kernel, rng):
    g, b = some_sites(kernel, 0)
    counts = sp.csr_array(rng.poisson(1.5, (len(TIMES), V)).astype(float))
    m, s, _ = dense_posterior(kernel, COARSE, TIMES, g, b)
    n = len(TIMES)
    own = Documents(
        counts.indptr,
        counts.indices,
        counts.data,
        np.arange(n),
        np.tile([1.0, 0.0], (n, 1)),
        *np.zeros((3, n)),
        np.arange(n),
        np.zeros(n, np.int32),
    )
    posterior = topics_at(MarkovStructure(kernel, COARSE), g, b, np.zeros(V))
    grid = place_documents(counts, TIMES, kernel, COARSE, np.zeros(V))
    exact = meanfield_step(own, np.concatenate([m, m[-1:]]), log_zeta(*(np.concatenate([x, x[-1:]]) for x in (m, s))),
                       ALPHA, uniform_lambda(own, ALPHA), (5000, 1e-13))  # fmt: skip
    rough = meanfield_step(grid, posterior.m, posterior.log_zeta, ALPHA, uniform_lambda(grid, ALPHA), (5000, 1e-13))
    assert rough.bound < exact.bound
