"""One small corpus on a grid, and a posterior of its topics, for every structure."""

import numpy as np
import pytest
import scipy.sparse as sp
from planted import place_documents
from priors import topics_at
from reference import mild_sites

from chronotope.gp import DenseStructure, MarkovStructure
from chronotope.kernels import Matern, OrnsteinUhlenbeck, SquaredExponential

NODES = np.array([0.0, 0.7, 1.0, 2.5, 3.0])
D, V, K = 6, 7, 3

STRUCTURES = {
    "values": MarkovStructure(OrnsteinUhlenbeck(3.0, 2.0), NODES),
    "states": MarkovStructure(Matern(3.0, 1.5, 1.5), NODES),
    "basis": DenseStructure(SquaredExponential(3.0, 1.5), NODES, tolerance=0.02),
}


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture(params=STRUCTURES, ids=str)
def structure(request):
    """A structure of each kind: the values of a chain, its states, a truncated basis."""
    return STRUCTURES[request.param]


@pytest.fixture
def counts(rng):
    """Counts (D, V): repeated words, one empty document, one word nobody uses."""
    dense = rng.poisson(1.2, (D, V)).astype(float)
    dense[2] = 0.0
    dense[:, 4] = 0.0
    return sp.csr_array(dense)


@pytest.fixture(params=["at nodes", "between nodes"])
def times(request):
    """Times (D,), unsorted: two documents at one time, one time alone; on the grid, or also off it."""
    return {
        "at nodes": np.array([3.0, 0.0, 0.7, 2.5, 0.7, 3.0]),
        "between nodes": np.array([2.9, 0.3, 0.7, 2.1, 0.3, -0.5]),
    }[request.param]


@pytest.fixture
def docs(counts, times, structure):
    return place_documents(counts, times, structure.kernel, structure.nodes, np.zeros(V))


@pytest.fixture
def alpha():
    return np.array([0.3, 0.8, 1.4])


@pytest.fixture
def posterior(structure, rng):
    """Topics as some sites make them; not at any optimum."""
    return topics_at(structure, *mild_sites(rng, len(NODES), K, V), rng.normal(size=V))


@pytest.fixture(autouse=True)
def _quick(one_thread):
    """Arrays are small here."""
