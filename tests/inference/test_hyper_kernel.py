"""Learning the kernel by the bound: its objective against a dense reference, and what it finds."""

import numpy as np
import pytest
from planted import plant
from priors import independent
from reference import kl_of_word, mild_sites, posterior_of_word

import chronotope as ct
from chronotope.gp import DenseStructure, MarkovStructure
from chronotope.inference.hyper import evidence
from chronotope.kernels import Constant, OrnsteinUhlenbeck, SquaredExponential

NODES = np.array([0.0, 0.7, 1.0, 2.5, 3.0])
KERNEL = Constant(1.5) + OrnsteinUhlenbeck(3.0, 2.0)
SMOOTH = SquaredExponential(3.0, 0.9)
NONE = np.empty((2, len(NODES), 1, 0))  # sites of a common part
STRUCTURES = [MarkovStructure(KERNEL, NODES), DenseStructure(SMOOTH, NODES, 1e-13)]

structures = pytest.mark.parametrize("structure", STRUCTURES, ids=["markov", "dense"])


@structures
def test_the_evidence_is_that_of_the_sites(structure, rng):
    g, b = mild_sites(rng, len(NODES), 2, 4)
    expected = 0.0
    for k in range(2):
        for v in range(4):
            m, cov = posterior_of_word(structure.kernel, NODES, NODES, g[:, k, v], b[:, k, v])
            sites = g[:, k, v] @ m - 0.5 * b[:, k, v] @ (m**2 + np.diag(cov))
            expected += sites - kl_of_word(structure.kernel, NODES, g[:, k, v], b[:, k, v])
    np.testing.assert_allclose(evidence(independent(structure), (g, b), NONE), expected, rtol=1e-8, atol=0)


@pytest.fixture(scope="module")
def drifting():
    """A corpus whose topics' words have variance 4 and change within 3 of 20 years."""
    return plant(OrnsteinUhlenbeck(4.0, 3.0), np.arange(20.0), n_topics=2, n_words=60, documents=25, length=150, seed=3)


@pytest.mark.parametrize("given", ["ou(0.4, 30)", "ou(40, 0.3)"])
@pytest.mark.slow
def test_learning_comes_near_the_kernel_a_corpus_was_drawn_from(drifting, given):
    model = ct.DynamicTopicModel(2, given, learn_kernel="bound", prior_mean="zero", seed=1, verbose=False)
    learned = model.fit(drifting.corpus).kernel_.parameters
    assert 2.0 < learned["variance"] < 8.0
    assert 1.0 < learned["length_scale"] < 9.0


@pytest.mark.slow
def test_without_learning_the_kernel_is_the_one_given(drifting):
    model = ct.DynamicTopicModel(2, "ou(0.4, 30)", max_epochs=3, seed=1, verbose=False).fit(drifting.corpus)
    assert model.kernel_.text == "ou(0.4, 30)"


@pytest.mark.slow
def test_a_period_is_never_learned(drifting):
    model = ct.DynamicTopicModel(2, "periodic(period=7)", learn_kernel="bound", max_epochs=4, seed=1, verbose=False)
    assert model.fit(drifting.corpus).kernel_.parameters["period"] == pytest.approx(7.0, rel=1e-12)


@pytest.mark.slow
def test_minibatches_learn_too(drifting):
    model = ct.DynamicTopicModel(2, "ou(40, 0.3)", learn_kernel="bound", batch_size=100, seed=1, verbose=False)
    assert 0.5 < model.fit(drifting.corpus).kernel_.parameters["length_scale"] < 30.0


def test_an_unknown_way_of_learning_is_refused(drifting):
    with pytest.raises(ValueError, match="learn_kernel is 'all'; expected None, True, False or \"bound\""):
        ct.DynamicTopicModel(2, learn_kernel="all").fit(drifting.corpus)
