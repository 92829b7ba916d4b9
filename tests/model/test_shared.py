"""Models whose topics share a part of their change, and models whose topics do not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from interrupted import assert_same
from planted import draw_functions, plant, softmax

import chronotope as ct
from chronotope.gp import topic_prior

KERNEL = ct.OrnsteinUhlenbeck(2, 10)
CORPUS = plant(KERNEL, np.arange(8.0), n_topics=2, n_words=12, documents=6, length=40).corpus
EARLY, LATE = CORPUS[CORPUS.times < 6], CORPUS[CORPUS.times >= 6]

shared = pytest.mark.parametrize("share", [0.0, 1 / 3, 0.9])
local = pytest.mark.parametrize("local", ["sampled", "mean-field"])


def model(share: float, **given: Any) -> ct.DynamicTopicModel:
    return ct.DynamicTopicModel(
        **({"n_topics": 2, "kernel": KERNEL, "shared": share, "max_epochs": 6, "n_threads": 1} | given)
    )


@shared
def test_a_fit_has_the_prior_that_was_asked_for(share: float) -> None:
    posterior = model(share).fit(CORPUS).topics_.posterior
    assert posterior.prior.share == share
    assert (posterior.common is None) == (share == 0.0)
    assert list(posterior.arrays()) == ["g", "b", *(["common_g", "common_b"] if share else [])]
    assert posterior.prior.kernel == topic_prior(KERNEL, posterior.prior.nodes, share).kernel


def test_a_topic_alone_shares_nothing(tmp_path: Path) -> None:
    """With a common part beside it, a single topic's variance would be counted twice."""
    one, other = (model(share, n_topics=1).fit(EARLY) for share in (0.5, 0.0))
    assert one.topics_.posterior.common is None
    assert_same(one, other)
    one.save(tmp_path / "m")
    assert_same(ct.load(tmp_path / "m").partial_fit(LATE), other.partial_fit(LATE))


@pytest.mark.parametrize(
    ("kernel", "learned", "part"),
    [
        ("constant + ou", None, 0.5),
        ("ou", None, 0.5),
        ("events", None, 0.5),
        ("constant(6) + ou(2, 10)", None, 0.5),
        ("ou(2, 10)", None, 0.0),
        ("ou(2, 10) * se(1, 20) + white(0.1)", None, 0.0),
        ("ou(2, 10)", True, 0.5),
    ],
)
def test_half_of_the_change_is_shared_unless_a_kernel_is_given_in_full_without_a_level(
    kernel: str, learned: bool | None, part: float
) -> None:
    given = ct.DynamicTopicModel(3, kernel, learn_kernel=learned)
    assert given.shared is None
    assert given.plan(CORPUS).prior.share == part


@shared
def test_a_model_from_a_file_is_the_same_and_goes_on_the_same(share: float, tmp_path: Path) -> None:
    one = model(share).fit(EARLY)
    one.save(tmp_path / "m")
    other = ct.load(tmp_path / "m")
    assert other.shared == share
    assert_same(one, other)
    at = [-1.0, 2.5, 9.0]
    np.testing.assert_array_equal(one.topics_.probabilities(at), other.topics_.probabilities(at))
    np.testing.assert_array_equal(one.topics_.draws(1, at, n=3), other.topics_.draws(1, at, n=3))
    assert_same(one.partial_fit(LATE), other.partial_fit(LATE))


@shared
@local
def test_documents_added_later_end_near_a_fit_on_all(share: float, local: str) -> None:
    whole, grown = model(share, local=local).fit(CORPUS), model(share, local=local).fit(EARLY).partial_fit(LATE)
    np.testing.assert_array_equal(grown.topics_.times, whole.topics_.times)
    assert grown.perplexity(CORPUS) < 1.1 * whole.perplexity(CORPUS)


@shared
@pytest.mark.parametrize("how", [True, "bound"])
@pytest.mark.parametrize("batch_size", [None, 16])
def test_the_kernel_is_learned_and_the_share_stays(share: float, how: Any, batch_size: int | None) -> None:
    given = {"kernel": "ou(40, 0.3)", "learn_kernel": how, "batch_size": batch_size}
    fitted = model(share, **given).fit(CORPUS)
    assert fitted.kernel_.parameters["length_scale"] > 0.6
    prior = fitted.topics_.posterior.prior
    assert prior.share == share
    at = np.array([0.0, 3.0])
    np.testing.assert_allclose(prior.own.kernel(at), (1 - share) * fitted.kernel_(at), rtol=1e-12, atol=0)


@shared
@pytest.mark.parametrize("batch_size", [None, 16])
def test_a_fit_goes_on_from_a_checkpoint_to_the_same_bits(share: float, batch_size: int | None, tmp_path: Path) -> None:
    given = {"checkpoint": tmp_path / "fit", "checkpoint_every": 0, "batch_size": batch_size, "tol": 0.0}
    model(share, **given | {"max_epochs": 3}).fit(CORPUS)
    resumed = model(share, **given).fit(CORPUS, resume=True)
    assert_same(resumed, model(share, batch_size=batch_size, tol=0.0).fit(CORPUS))


def test_another_share_is_another_fit(tmp_path: Path) -> None:
    given = {"checkpoint": tmp_path / "fit", "checkpoint_every": 0, "tol": 0.0}
    model(0.5, **given | {"max_epochs": 3}).fit(CORPUS)
    with pytest.raises(ValueError, match="is of a fit with"):
        model(0.25, **given).fit(CORPUS, resume=True)


def test_the_bound_of_a_mean_field_never_falls() -> None:
    bounds = model(0.5, local="mean-field", dtype="float64", alpha=0.3, max_epochs=25, tol=0.0).fit(CORPUS).bounds_
    assert np.diff(bounds).min() / abs(bounds[-1]) >= -1e-10
    assert bounds[-1] > bounds[0] + 1.0


def rising_together(seed: int) -> ct.Corpus:
    """Topics that stay as they are but for words that all of them take up, or drop, at the same times."""
    rng, times, (K, V) = np.random.default_rng(seed), np.arange(24.0), (4, 60)
    common = draw_functions(ct.OrnsteinUhlenbeck(3, 6), times, (1, V), rng)
    probabilities = softmax(rng.normal(0, 1, (K, V)) + common)
    mixed = np.einsum("tdk,tkv->tdv", rng.dirichlet(np.full(K, 0.2), (len(times), 6)), probabilities)
    return ct.Corpus(sp.csr_array(rng.multinomial(40, mixed).reshape(-1, V)), np.repeat(times, 6))


@pytest.mark.parametrize("seed", range(3))
def test_words_that_rise_in_all_topics_alike_are_predicted_better_if_topics_share_a_part(seed: int) -> None:
    train, test = rising_together(seed).split_times(0.25, seed=0)
    given = {"kernel": "constant + ou(2, 6)", "alpha": 0.2, "max_epochs": 30, "seed": seed}
    apart, together = (ct.DynamicTopicModel(4, shared=x, **given).fit(train).perplexity(test) for x in (0.0, 1 / 3))
    assert together < 0.99 * apart
