"""Kernels and models in words."""

import numpy as np
import pytest

import chronotope as ct
from chronotope.display.describe import BANDS, describe_kernel, describe_model, describe_resolution


def test_kernels_in_words():
    assert describe_kernel(ct.parse_kernel("constant(2) + cauchy(1, 5)"), calendar=True) == (
        "constant (one level for all times), variance 2 plus "
        "Cauchy (smooth, with a long memory), variance 1, length scale 5 years"
    )
    assert "your own kernel mine, a 2" in describe_kernel(
        ct.FunctionKernel(lambda x, y, a: a + 0 * (x - y), "mine", a=2.0)
    )


def test_a_model_in_words():
    corpus = ct.Corpus(np.random.default_rng(0).poisson(2.0, (12, 5)), np.arange(1900, 1912), calendar=True)
    model = ct.DynamicTopicModel(2, "ou(6, 50)", max_epochs=1, seed=3, n_threads=1, verbose=False).fit(corpus)
    assert describe_model(model) == {
        "kernel": "Ornstein-Uhlenbeck (rough, mean-reverting), variance 6, length scale 50 years: ou(6, 50)",
        "topics": "2",
        "words": "5",
        "span": "1900-01-01 to 1911-01-01, 12 nodes",
        "resolution": "every date of the documents has a node of its own",
        "documents": "12",
        "fit": "1 step, not converged",
        "bands": BANDS[True],
        "seed": "3",
    }


def test_prevalence_in_words():
    side = [f"s{i}" for i in range(10)] * 4
    corpus = ct.Corpus(np.random.default_rng(0).poisson(2.0, (40, 5)), np.arange(40), metadata={"side": side})
    model = ct.DynamicTopicModel(2, "ou(6, 50)", prevalence="ou(1, 5) + by(side)", max_epochs=1).fit(corpus)
    described = describe_model(model)
    assert described["prevalence"] == (
        "Ornstein-Uhlenbeck (rough, mean-reverting), variance 1, length scale 5: ou(1, 5) + by(side)"
    )
    assert described["groups"] == "10 of side: s0, s1, s2, s3, s4, s5, s6, s7, ..."
    assert described["concentration"].startswith(f"A = {model.prevalence_.prior.A:.3g};")
    assert "effects" not in described


@pytest.mark.parametrize(
    ("years", "words"), [(4.12, "4.1 years"), (0.5, "6 months"), (0.01, "3.7 days"), (0.0005, "4.4 hours")]
)
def test_a_resolution_in_words(years, words):
    assert describe_resolution(years, calendar=True) == f"changes shorter than about {words} are not seen"
