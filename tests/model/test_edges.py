"""Edges: every odd input has a defined answer or an error that says what was given and what to do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

from chronotope import Cauchy, Corpus, DynamicTopicModel, OrnsteinUhlenbeck, load
from chronotope.analysis import rise
from chronotope.gp import node_weights
from chronotope.model.params import ALPHAS, sampler_seed

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

D, V = 12, 5
COUNTS = np.random.default_rng(0).poisson(2.0, (D, V))
TIMES = np.arange(D) / 2
KERNELS = (
    "ou",
    "wiener",
    "matern",
    "matern52",
    "constant",
    "linear + constant",
    "ou * ou + white",
    "cauchy",
    "se",
    "rq",
)


def quick(n_topics: int = 2, **given: Any) -> DynamicTopicModel:
    return DynamicTopicModel(n_topics, **({"max_epochs": 4} | given))


@pytest.fixture(scope="module")
def model() -> DynamicTopicModel:
    return quick().fit(COUNTS, times=TIMES)


def assert_healthy(model: DynamicTopicModel, counts: Any = COUNTS, times: Any = TIMES) -> None:
    """Finite bounds, distributions everywhere, and every token is accounted for where the fit saw all at once."""
    assert np.isfinite(model.bounds_).all()
    p = model.topics_.probabilities([times[0], times[-1], times[-1] + 100.0])
    assert np.isfinite(p).all()
    np.testing.assert_allclose(p.sum(axis=2), 1.0, rtol=1e-6)
    shares = model.transform(counts, times=times)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-9)
    assert (shares > 0).all()
    if model.batch_size is None and len(model.topics_.times) == len(np.unique(times)):
        np.testing.assert_allclose(model.topics_.mass.sum(), np.sum(counts), rtol=1e-5)


# what cannot be a corpus


@pytest.mark.parametrize(
    ("counts", "times", "message"),
    [
        (np.zeros((0, V)), [], "0 sample|at least one"),
        (np.zeros((3, 0)), [1, 2, 3], "0 feature|at least one"),
        (np.zeros((3, V)), [1, 2, 3], "all 3 documents are empty; pass documents with words"),
        (COUNTS, TIMES[:3], "times has 3 entries but counts has 12 rows; pass one time per document"),
        (COUNTS, 3.0, "times is 3.0; pass a list with one time per document"),
        (COUNTS, np.zeros((D, 2)), r"times has shape \(12, 2\); pass one time per document"),
        (COUNTS, [np.nan, *TIMES[1:]], r"1 of 12 .* could not be read \(first: row 0, nan\)"),
        (COUNTS, [*TIMES[:-1], np.inf], r"1 of 12 .* could not be read \(first: row 11, inf\)"),
        (COUNTS, ["n/a"] * D, r"12 of 12 .* could not be read \(first: row 0, 'n/a'\)"),
        (COUNTS - 5, TIMES, r"counts\[0, 0\] is -\d; expected at least 0; pass raw word counts"),
        (COUNTS + 0.5, TIMES, r"counts\[0, 0\] is .*5; expected a whole number; round them or pass raw counts"),
        (COUNTS * 1e10, TIMES, "expected at most 2,147,483,647"),
        (np.where(COUNTS > 3, np.nan, COUNTS), TIMES, "NaN"),
        (np.ones(4), [1] * 4, "1D array|2 dimensions"),
        ([["a", "b"]], [1], "dtype|could not convert"),
    ],
)
def test_what_is_not_a_corpus_is_refused(counts: Any, times: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        quick().fit(counts, times=times)


def test_a_vocabulary_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(ValueError, match="vocabulary has 2 words but counts has 5 columns; pass one word per column"):
        Corpus(COUNTS, TIMES, ["a", "b"])


def test_a_corpus_with_times_beside_it_is_refused() -> None:
    for call in (quick().fit, quick().partial_fit, quick().fit_transform):
        with pytest.raises(
            ValueError, match="times was given along with a Corpus, which has its own; pass one of them"
        ):
            call(Corpus(COUNTS, TIMES), times=TIMES)


# parameters


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("n_topics", 0, "n_topics is 0; expected a whole number of at least 1"),
        ("n_topics", 2.5, "n_topics is 2.5; expected a whole number"),
        ("n_topics", "2", "n_topics is '2'; expected a whole number"),
        ("n_topics", True, "n_topics is True; expected a whole number"),
        ("n_topics", None, "n_topics is None; expected a whole number"),
        ("n_topics", 65_536, "n_topics is 65536; expected at most 65,535"),
        ("shared", 1.0, "shared is 1.0; expected a number from 0 to below 1"),
        ("shared", -0.1, "shared is -0.1; expected a number from 0 to below 1"),
        ("shared", np.nan, "shared is nan; expected a number from 0 to below 1"),
        ("shared", True, "shared is True; expected a number"),
        ("shared", "all", "shared is 'all'; expected a number"),
        ("kernel", "nope", "unknown kernel 'nope' at position 0; expected one of wiener, ou"),
        ("kernel", "ou(", "position 3"),
        ("kernel", "ou(-1, 3)", "-1"),
        ("kernel", 3, "kernel is 3; pass a kernel such as"),
        ("alpha", -1, "alpha is -1; expected positive finite numbers"),
        ("alpha", 0.0, "alpha is 0.0; expected positive finite numbers"),
        ("alpha", float("nan"), "alpha is nan; expected positive finite numbers"),
        ("alpha", float("inf"), "alpha is inf; expected positive finite numbers"),
        ("alpha", 1e39, r"alpha is 1e\+39; expected numbers from 0.0001 to 1e\+14, or .learn"),
        ("alpha", 1e-300, "alpha is 1e-300; expected numbers from 0.0001"),
        ("alpha", 1e-5, "alpha is 1e-05; expected numbers from 0.0001"),
        ("alpha", [1.0, 2.0, 3.0], 'alpha is .*; expected a number, one for each of 2 topics, or "learn"'),
        ("alpha", [1.0, -2.0], "alpha is .*; expected positive finite numbers"),
        ("alpha", "auto", "alpha is 'auto'; expected a number, one for each of 2 topics"),
        ("alpha", {}, "alpha is {}; expected"),
        ("init", "x", "init is 'x'; expected one of samples, documents, lda"),
        ("n_inducing", 0, "n_inducing is 0; expected a whole number of at least 1"),
        ("grid", "odd", "grid is 'odd'; expected one of adaptive, even, quantile"),
        ("batch_size", -3, "batch_size is -3; expected a whole number of at least 1"),
        ("max_epochs", 0, "max_epochs is 0; expected a whole number of at least 1"),
        ("tol", -1e-3, "tol is -0.001; expected a number from 0 to 1"),
        ("tol", "small", "tol is 'small'; expected a number from 0 to 1"),
        ("tol", float("nan"), "tol is nan; expected a number from 0 to 1"),
        ("learning_offset", 0.5, "learning_offset is 0.5; expected a number from 1"),
        ("learning_decay", 0.3, "learning_decay is 0.3; expected a number from 0.5 to 1"),
        ("learning_decay", 1.5, "learning_decay is 1.5; expected a number from 0.5 to 1"),
        ("n_threads", 0, "n_threads is 0; expected a whole number of at least 1"),
        ("dtype", "float16", "dtype is 'float16'; expected one of float32, float64"),
        ("seed", -1, "seed is -1; expected"),
        ("seed", "x", "seed is 'x'; expected"),
        ("seed", 1.5, "seed is 1.5; expected"),
    ],
)
def test_a_parameter_that_cannot_work_is_named_when_fitting(name: str, value: Any, message: str) -> None:
    model = quick().set_params(**{name: value})
    for call in (model.fit, model.partial_fit):
        with pytest.raises((ValueError, TypeError), match=message):
            call(COUNTS, times=TIMES)
    assert not hasattr(model, "topics_")


# before and after fitting


@pytest.mark.parametrize("call", ["transform", "perplexity", "score"])
def test_nothing_is_answered_before_fit(call: str) -> None:
    with pytest.raises(NotFittedError, match="not fitted"):
        getattr(quick(), call)(COUNTS, times=TIMES)
    with pytest.raises(NotFittedError, match="not fitted"):
        quick().get_feature_names_out()


def test_fit_without_times_says_what_that_means() -> None:
    with pytest.warns(UserWarning, match="no times were given: all documents share one time.*pass times="):
        model = quick().fit(COUNTS)
    with pytest.warns(UserWarning, match="no times were given"):
        assert model.transform(COUNTS).shape == (D, 2)


def test_transform_without_times_is_refused_where_topics_change(model: DynamicTopicModel) -> None:
    for call in (model.transform, model.perplexity, model.score, model.partial_fit):
        with pytest.raises(
            ValueError, match=r"no times were given, but .* with times, 0 to 5.5; pass times=\.\.\., one"
        ):
            call(COUNTS)


@pytest.mark.parametrize(("times", "options"), [(np.full(D, 1905.0), {}), (TIMES, {"n_inducing": 1})])
def test_transform_without_times_is_refused_also_where_the_grid_has_one_node(times: Any, options: Any) -> None:
    model = quick(kernel="ou(3, 40)", **options).fit(COUNTS, times=times)
    assert len(model.topics_.times) == 1
    with pytest.raises(ValueError, match=r"with times, (1905|0 to 5\.5); pass times="):
        model.transform(COUNTS)


def test_a_saved_model_without_times_goes_on_without(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="no times were given"):
        model = quick().fit(COUNTS)
    model.save(tmp_path / "model.ct")
    with pytest.warns(UserWarning, match="no times were given"):
        np.testing.assert_array_equal(load(tmp_path / "model.ct").transform(COUNTS), model.transform(COUNTS))


@pytest.mark.parametrize("call", ["transform", "perplexity"])
def test_other_words_are_refused(model: DynamicTopicModel, call: str) -> None:
    with pytest.raises(ValueError, match="has 3 words but the model was fitted on 5; count its words with the model's"):
        getattr(model, call)(Corpus(COUNTS[:, :3], TIMES))
    with pytest.raises(ValueError, match="has other words than the model; count its words with the model's vocabulary"):
        getattr(model, call)(Corpus(COUNTS, TIMES, list("abcde")))
    with pytest.raises(ValueError, match="3 features, but DynamicTopicModel is expecting 5"):
        getattr(model, call)(COUNTS[:, :3], times=TIMES)


def test_a_new_fit_forgets_the_words_of_the_last_one() -> None:
    model = quick().fit(pd.DataFrame(COUNTS, columns=list("abcde")), times=TIMES)
    model.fit(Corpus(COUNTS, TIMES, list("vwxyz")))
    assert model.transform(pd.DataFrame(COUNTS, columns=list("vwxyz")), times=TIMES).shape == (D, 2)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.ones(3), "3.*12"),
        (np.ones((D, 2)), r"\(12, 2\)"),
        (np.full(D, np.nan), "nan|NaN|finite"),
        (np.array([-1.0] + [1.0] * (D - 1)), "-1|negative"),
        (np.zeros(D), "no tokens are left to score"),
    ],
)
def test_weights_that_make_no_sense_are_refused(model: DynamicTopicModel, weight: np.ndarray, message: str) -> None:
    with pytest.raises(ValueError, match=message) as raised:
        model.score(COUNTS, times=TIMES, sample_weight=weight)
    assert "matmul" not in str(raised.value)


def test_scoring_documents_without_words_is_refused(model: DynamicTopicModel) -> None:
    with pytest.raises(ValueError, match="no tokens are left to score; pass documents with words"):
        model.perplexity(np.zeros((2, V)), times=[0, 1])


# odd corpora that have an answer


def test_empty_documents_among_others_change_nothing_but_get_the_prior_mean() -> None:
    alpha = np.array([0.2, 0.6])
    counts = np.vstack([COUNTS, np.zeros((2, V), int)])
    times = np.append(TIMES, [1.0, 3.0])
    model = quick(alpha=alpha).fit(counts, times=times)
    assert_healthy(model, counts, times)
    np.testing.assert_allclose(model.transform(counts, times=times)[-2:], [[0.25, 0.75]] * 2, rtol=1e-12)


def test_an_empty_document_alone_at_its_time_is_no_obstacle() -> None:
    counts = COUNTS.copy()
    counts[[0, 5, -1]] = 0
    for init in ("samples", "documents", "lda"):
        assert_healthy(quick(init=init).fit(counts, times=TIMES), counts)


@pytest.mark.parametrize("kernel", KERNELS)
def test_documents_that_all_have_the_same_time_give_static_topics(kernel: str) -> None:
    times = np.full(D, 7.0)
    model = quick(kernel=kernel).fit(COUNTS, times=times)
    assert_healthy(model, COUNTS, times)
    assert model.topics_.shares()["tokens"].iloc[0] == pytest.approx(COUNTS.sum(), rel=1e-5)
    assert model.perplexity(COUNTS, times=times) < 0.999 * V


@pytest.mark.parametrize("init", ["samples", "documents", "lda"])
@pytest.mark.parametrize("batch_size", [None, 5])
def test_a_single_time_is_no_obstacle_to_any_way_of_fitting(init: str, batch_size: int | None) -> None:
    times = np.full(D, -3.5)
    model = quick(init=init, batch_size=batch_size, dtype="float64").fit(COUNTS, times=times)
    assert_healthy(model, COUNTS, times)
    model.partial_fit(COUNTS, times=times)
    assert np.isfinite(model.bounds_).all()


@pytest.mark.parametrize("kernel", ["ou", "cauchy"])
def test_a_single_node_serves_times_on_both_of_its_sides(kernel: str) -> None:
    model = quick(kernel=kernel, n_inducing=1).fit(COUNTS, times=TIMES)
    assert len(model.topics_.times) == 1
    assert_healthy(model)
    assert 0 < model.topics_.mass.sum() <= COUNTS.sum() * (1 + 1e-6)


def test_a_single_node_reads_every_time_from_itself() -> None:
    """With one node there is no second to read: all weight is on the first."""

    reading = node_weights(OrnsteinUhlenbeck(2, 10), np.array([3.0]), np.array([1.0, 3.0, 5.0]))
    np.testing.assert_array_equal(reading.left, 0)
    np.testing.assert_allclose(reading.weight, [[np.exp(-0.2), 0], [1, 0], [np.exp(-0.2), 0]], rtol=1e-12)


def test_words_never_seen_in_training_get_a_small_probability() -> None:
    counts = COUNTS.copy()
    counts[:, 3] = 0
    model = quick().fit(counts, times=TIMES)
    assert_healthy(model, counts)
    p = model.topics_.probabilities(TIMES)
    assert (p[:, :, 3] > 0).all()
    assert p[:, :, 3].mean() < p.mean() / 2
    assert np.isfinite(model.perplexity(COUNTS, times=TIMES))


@pytest.mark.parametrize("init", ["samples", "documents", "lda"])
def test_more_topics_than_documents_is_no_obstacle(init: str) -> None:
    model = quick(n_topics=20, init=init).fit(COUNTS[:3], times=TIMES[:3])
    assert_healthy(model, COUNTS[:3], TIMES[:3])
    assert model.transform(COUNTS[:3], times=TIMES[:3]).shape == (3, 20)


@pytest.mark.parametrize("init", ["samples", "documents", "lda"])
def test_one_document_is_a_corpus(init: str) -> None:
    assert_healthy(quick(init=init).fit(COUNTS[:1], times=[1800]), COUNTS[:1], [1800])


@pytest.mark.parametrize("kernel", ["ou", "cauchy", "matern"])
def test_one_word_has_probability_one(kernel: str) -> None:
    model = quick(kernel=kernel).fit(COUNTS[:, :1] + 1, times=TIMES)
    np.testing.assert_allclose(model.topics_.probabilities([0, 3.3, 50]), 1.0, rtol=1e-12)
    np.testing.assert_allclose(model.topics_.trajectory(0, 0, [0, 50])[["mean", "low", "high"]], 1.0, rtol=1e-5)
    assert model.perplexity(COUNTS[:, :1] + 1, times=TIMES) == pytest.approx(1.0, rel=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kernel", ["ou", "matern", "cauchy"])
def test_huge_counts_keep_everything_finite(kernel: str, dtype: str) -> None:
    counts = COUNTS * 1_000_000
    model = quick(kernel=kernel, dtype=dtype, max_epochs=15).fit(counts, times=TIMES)
    assert_healthy(model, counts)
    assert np.isfinite(model.perplexity(counts, times=TIMES))


def test_one_huge_count_among_small_ones_keeps_everything_finite() -> None:
    counts = COUNTS.copy()
    counts[4, 2] = 1_000_000
    for batch_size in (None, 1, 4):
        assert_healthy(quick(batch_size=batch_size, max_epochs=10).fit(counts, times=TIMES), counts)


def test_very_many_documents_at_one_time_are_no_obstacle() -> None:
    counts = sp.random_array((20_000, V), density=0.4, random_state=0, dtype=np.float64)
    counts = sp.csr_array(
        (np.ceil(counts.tocsr().data * 3), counts.tocsr().indices, counts.tocsr().indptr), counts.shape
    )
    times = np.where(np.arange(20_000) < 19_990, 5.0, 6.0)
    model = quick(max_epochs=2, batch_size=20_000).fit(counts, times=times)
    assert np.isfinite(model.bounds_).all()
    np.testing.assert_allclose(model.topics_.mass.sum(), counts.sum(), rtol=1e-4)


@pytest.mark.parametrize("gap", [1e-9, 1e-3, 1e6])
def test_times_very_close_together_or_far_apart_are_no_obstacle(gap: float) -> None:
    for kernel in ("ou(3, 5)", "wiener(0.1, 2)", "matern(3, 5)", "cauchy(3, 5)"):
        assert_healthy(quick(kernel=kernel).fit(COUNTS, times=TIMES * gap), COUNTS, TIMES * gap)


@pytest.mark.parametrize("offset", [-1e5, 1e9])
def test_times_far_from_zero_are_no_obstacle(offset: float) -> None:
    for kernel in KERNELS:
        assert_healthy(quick(kernel=kernel).fit(COUNTS, times=TIMES + offset), COUNTS, TIMES + offset)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_times_far_outside_give_distributions(kernel: str, dtype: str) -> None:
    model = quick(kernel=kernel, dtype=dtype).fit(COUNTS, times=TIMES)
    p = model.topics_.probabilities([-1e6, -100, 100, 1e6])
    assert np.isfinite(p).all()
    np.testing.assert_allclose(p.sum(axis=2), 1.0, rtol=1e-6)
    table = model.topics_.trajectory(0, 0, [-1e6, -100, 100, 1e6])
    assert np.isfinite(table.to_numpy()).all()
    assert (table["low"] <= table["high"]).all()
    shares = model.transform(COUNTS[:2], times=[-1e6, 1e6])
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-9)
    assert np.isfinite(model.perplexity(COUNTS[:2], times=[-1e6, 1e6]))


@pytest.mark.parametrize("kernel", [OrnsteinUhlenbeck(2, 4), Cauchy(2, 4)])
def test_stationary_topics_revert_to_the_prior_far_away(kernel: Any) -> None:
    """Far from the data every word is as likely as any other, in a band as wide as the prior's."""
    topics = quick(kernel=kernel, prior_mean="zero", dtype="float64").fit(COUNTS, times=TIMES).topics_
    np.testing.assert_allclose(topics.probabilities([1e7]), 1 / V, rtol=1e-3)
    for _, (m, s, _) in topics.logits([1e7]):
        np.testing.assert_allclose(m, 0.0, atol=1e-3, rtol=0)
        np.testing.assert_allclose(s, 2.0, rtol=1e-3)
    near, far = topics.trajectory(0, 0, [2.0, 1e7]).to_numpy()
    assert far[3] - far[2] > near[3] - near[2]


def test_partial_fit_takes_times_past_the_ends_of_the_grid() -> None:
    model = quick().fit(COUNTS, times=TIMES)
    for times in (TIMES + 100, TIMES - 1e4, TIMES):
        model.partial_fit(COUNTS, times=times)
        assert np.isfinite(model.bounds_).all()
        assert np.isfinite(model.topics_.probabilities(times)).all()


def test_partial_fit_takes_empty_documents() -> None:
    model = quick().fit(COUNTS, times=TIMES)
    model.partial_fit(np.zeros((2, V)), times=[0, 1])
    assert np.isfinite(model.topics_.probabilities(TIMES)).all()


def test_a_dated_model_stays_dated_when_numbers_follow() -> None:
    dates = [f"{1950 + year}-01-01" for year in range(D)]
    model = quick().fit(Corpus(COUNTS, dates))
    model.partial_fit(COUNTS, times=1950.0 + np.arange(D))
    assert model.topics_.calendar


def test_a_document_twice_weighs_as_doubled_counts() -> None:
    given = {"dtype": "float64", "max_epochs": 7, "learn_kernel": False}  # before either could end by itself
    twice = quick(1, **given).fit(np.tile(COUNTS, (2, 1)), times=np.tile(TIMES, 2))
    double = quick(1, **given).fit(2 * COUNTS, times=TIMES)
    np.testing.assert_allclose(twice.topics_.probabilities(TIMES), double.topics_.probabilities(TIMES), rtol=1e-4)


@pytest.mark.parametrize("kernel", ["constant + ou", "events", "se"])
def test_a_document_of_the_year_1000_changes_neither_the_kernel_nor_the_nodes_of_the_others(kernel: str) -> None:
    times = np.linspace(1900.0, 2000.0, 401)
    counts = np.random.default_rng(0).poisson(3.0, (401, V))
    plain = quick(kernel=kernel).plan(Corpus(counts, times))
    other = quick(kernel=kernel).plan(Corpus(np.vstack([counts, counts[:1]]), np.append(times, 1000.0)))
    assert other.kernel == plain.kernel
    assert other.nodes[0] == 1000.0
    assert np.diff(other.nodes[1:]).max() < 1.25 * np.diff(plain.nodes).max()
    assert abs(len(other.nodes) - len(plain.nodes)) <= 3


def test_a_failed_fit_leaves_a_fitted_model_as_it_was(model: DynamicTopicModel) -> None:
    kept = quick().fit(COUNTS, times=TIMES)
    with pytest.raises(ValueError, match="all 2 documents are empty"):
        kept.fit(np.zeros((2, 3)), times=[0, 1])
    np.testing.assert_array_equal(kept.transform(COUNTS, times=TIMES), model.transform(COUNTS, times=TIMES))


# absurd values that are valid


@pytest.mark.parametrize("seed", [2**43, 2**63, 2**200, np.uint64(2**63), np.int32(7)])
def test_a_seed_may_be_of_any_size(seed: Any) -> None:
    assert_healthy(quick(seed=seed).fit(COUNTS, times=TIMES))


def test_large_seeds_differ() -> None:
    seeds = [0, 2**43 - 1, 2**43, 2**43 + 1, 2**44, 2**86]
    assert sampler_seed(seeds[0]) == 0
    assert sampler_seed(seeds[1]) == seeds[1]
    assert len({sampler_seed(seed) for seed in seeds}) == len(seeds)


@pytest.mark.parametrize("local", ["sampled", "mean-field"])
@pytest.mark.parametrize("alpha", [1e-4, 1e14, [1e-4, 1e14]])
def test_the_least_and_the_largest_alpha_work(alpha: Any, local: Any, tmp_path: Path) -> None:
    model = quick(alpha=alpha, local=local).fit(COUNTS, times=TIMES)
    model.save(tmp_path / "model.ct")
    assert np.isfinite(model.bounds_).all()
    assert np.isfinite(model.topics_.probabilities(TIMES)).all()


@pytest.mark.parametrize("seed", range(4))
def test_the_least_alpha_keeps_the_tokens_of_documents_with_one_each(seed: int) -> None:
    words = np.eye(V, dtype=int)[np.random.default_rng(seed).integers(0, V, 20)]
    model = quick(3, kernel="ou(2, 10)", alpha=ALPHAS[0], seed=seed).fit(words, times=np.arange(20))
    np.testing.assert_allclose(model.topics_.mass.sum(), 20.0, rtol=1e-3, atol=0)


def test_a_mean_field_learns_with_a_large_prior_variance() -> None:
    model = quick(shared=0.98, local="mean-field").fit(COUNTS, times=TIMES)
    assert_healthy(model)
    assert np.ptp(model.topics_.probabilities([0.0])) > 0.01


def test_a_kernel_without_variance_at_the_only_time_gives_topics() -> None:
    model = quick(kernel="linear(1, 0) * cauchy(1, 1)").fit(COUNTS, times=np.zeros(D))
    assert_healthy(model)
    np.testing.assert_allclose(model.topics_.probabilities([0.0]).sum(axis=2), 1.0, rtol=1e-5)


def test_a_kernel_that_no_file_could_hold_is_refused_before_the_fit() -> None:
    with pytest.raises(ValueError, match=r"has the prior variance 1e\+70 at the time"):
        quick(kernel="ou(1e70, 1)").fit(COUNTS, times=TIMES)


def test_few_documents_without_words_are_fitted() -> None:
    """Some of them may hold no words where the kernel is learned by leaving times out."""
    counts = np.zeros((16, V), dtype=int)
    counts[3, :2] = 1
    assert_healthy(quick(kernel="constant + ou + linear", batch_size=1, max_epochs=2).fit(counts, times=range(16)))


def test_a_ratio_beyond_all_numbers_is_a_number_still() -> None:
    model = quick(kernel="constant + linear(1, 0)").fit(COUNTS, times=TIMES)
    assert np.isfinite(rise(model, 0, ["word0", "word1"], 0.0, 1e5)[["ratio", "low", "high"]]).all(axis=None)


@pytest.mark.parametrize("local", ["sampled", "mean-field"])
def test_one_topic_with_a_learned_alpha_works(local: Any) -> None:
    model = quick(1, alpha="learn", local=local).fit(COUNTS, times=TIMES)
    assert_healthy(model)
    assert np.isfinite(model.alpha_).all()


@pytest.mark.parametrize("kernel", ["constant + ou", "events", "wiener", "linear", "ou(1, 1)"])
@pytest.mark.parametrize("times", [[0.0] * (D - 1) + [1e300], np.arange(D) * 5e-324])
def test_absurd_spans_are_refused(times: Any, kernel: str) -> None:
    with pytest.raises(
        ValueError, match=r"the corpus runs from 0.0 to .*; expected one from 1e-100 to .* another unit"
    ):
        quick(kernel=kernel).fit(COUNTS, times=times)


def test_one_outlying_time_however_far_does_not_spoil_a_fit() -> None:
    model = quick().fit(COUNTS, times=[*TIMES[:-1], 1e300])
    assert model.kernel_span_ == (TIMES[0], TIMES[-2])
    assert np.isfinite(model.bounds_).all()


def test_a_product_of_many_kernels_works() -> None:
    assert_healthy(quick(kernel=" * ".join(["matern52"] * 6)).fit(COUNTS, times=TIMES))
