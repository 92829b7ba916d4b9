"""The estimator: scikit-learn's contract, and the same answer however the same thing is asked."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from planted import plant
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from chronotope import Cauchy, DynamicTopicModel, OrnsteinUhlenbeck, load, parse_kernel
from chronotope.evaluate import completion_scores
from chronotope.inference.growth import ROUNDS
from chronotope.loops import available_threads

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

KERNEL = OrnsteinUhlenbeck(3, 40)
PLANTED = plant(KERNEL, np.arange(10.0), n_topics=3, n_words=20, documents=12, length=60, alpha=0.1, seed=2)
CORPUS = PLANTED.corpus
COUNTS, TIMES = CORPUS.counts, CORPUS.times
K, V, D = 3, 20, 120


def quick(**given: Any) -> DynamicTopicModel:
    return DynamicTopicModel(
        **({"n_topics": K, "kernel": KERNEL, "shared": 0.5, "alpha": 0.2, "max_epochs": 8} | given)
    )


def assert_same(one: DynamicTopicModel, other: DynamicTopicModel) -> None:
    """Bitwise the same posterior."""
    sites, others = (topics.posterior.arrays() for topics in (one.topics_, other.topics_))
    for name in ("g", "b", "common_g", "common_b"):
        np.testing.assert_array_equal(sites[name], others[name])
    np.testing.assert_array_equal(one.topics_.mass, other.topics_.mass)
    np.testing.assert_array_equal(one.alpha_, other.alpha_)
    np.testing.assert_array_equal(one.bounds_, other.bounds_)


@pytest.fixture(scope="module")
def model() -> DynamicTopicModel:
    return quick().fit(CORPUS)


@pytest.fixture(scope="module")
def converged() -> DynamicTopicModel:
    return quick(max_epochs=60, init="lda").fit(CORPUS)


# scikit-learn's contract


def not_applicable(estimator: BaseEstimator) -> dict[str, str]:
    return {
        "check_positive_only_tag_during_fit": (
            "negative counts are refused, with a message that names the entry instead of scikit-learn's wording"
        ),
    }


@pytest.mark.filterwarnings("ignore:no times were given:UserWarning")
@parametrize_with_checks(
    [DynamicTopicModel(n_topics=2, max_epochs=3)],
    expected_failed_checks=not_applicable,
)
def test_the_estimator_keeps_scikit_learns_contract(estimator: BaseEstimator, check: Any) -> None:
    check(estimator)


def test_parameters_are_read_set_and_cloned() -> None:
    model = quick(alpha=np.array([0.1, 0.2, 0.3]), seed=9)
    params = model.get_params()
    assert set(params) == set(inspect.signature(DynamicTopicModel).parameters)
    assert params["kernel"] == KERNEL
    copy = clone(model)
    assert copy is not model
    assert copy.kernel == KERNEL
    np.testing.assert_array_equal(copy.alpha, model.alpha)
    assert copy.set_params(n_topics=7, kernel="wiener") is copy
    assert (copy.n_topics, copy.kernel, model.n_topics) == (7, "wiener", 3)


def test_fit_changes_no_parameter_and_returns_self(model: DynamicTopicModel) -> None:
    fresh = quick(kernel="ou", learn_kernel=False)
    before = fresh.get_params()
    assert fresh.fit(CORPUS) is fresh
    assert fresh.get_params() == before
    assert fresh.partial_fit(CORPUS) is fresh
    assert fresh.kernel_ == parse_kernel("ou").resolve(*CORPUS.main_span)


def test_names_of_the_columns_are_topics(model: DynamicTopicModel) -> None:
    assert model.get_feature_names_out().tolist() == ["topic0", "topic1", "topic2"]
    assert model.n_features_in_ == V
    assert model.n_features_out_ == K
    with sklearn.config_context(transform_output="pandas"):
        assert list(model.transform(COUNTS, times=TIMES).columns) == ["topic0", "topic1", "topic2"]


@pytest.mark.slow
def test_times_are_routed_through_cross_validation() -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        asked = quick(max_epochs=3).set_fit_request(times=True).set_score_request(times=True)
        scores = cross_val_score(asked, COUNTS, params={"times": TIMES}, cv=3)
        search = GridSearchCV(asked, {"kernel": ["ou(3, 40)", "constant(3)"]}, cv=2).fit(COUNTS, times=TIMES)
        with pytest.raises(UnsetMetadataPassedError, match="times"):
            cross_val_score(quick(max_epochs=3), COUNTS, params={"times": TIMES}, cv=3, error_score="raise")
    assert np.isfinite(scores).all()
    assert len(np.unique(search.best_estimator_.topics_.times)) == 10


def test_times_and_weights_are_routed_through_a_pipeline() -> None:
    texts = [" ".join(f"w{v:02d}" for v in row.indices for _ in range(2)) for row in (COUNTS[[d]] for d in range(D))]
    weight = np.linspace(0.1, 2, D)
    with sklearn.config_context(enable_metadata_routing=True):
        last = quick(max_epochs=3).set_fit_request(times=True).set_transform_request(times=True)
        last.set_score_request(times=True, sample_weight=True)
        pipe = make_pipeline(CountVectorizer(), last).fit(texts, times=TIMES)
        shares = pipe.transform(texts, times=TIMES)
        again = pipe.fit_transform(texts, times=TIMES)
        score = pipe.score(texts, times=TIMES, sample_weight=weight)
    counts = pipe[0].transform(texts)
    direct = quick(max_epochs=3).fit(counts, times=TIMES)
    np.testing.assert_array_equal(shares, direct.transform(counts, times=TIMES))
    np.testing.assert_array_equal(again, shares)
    assert score == direct.score(counts, times=TIMES, sample_weight=weight)


def test_weights_of_the_score_matter_as_the_formula_says(model: DynamicTopicModel) -> None:
    weight = np.random.default_rng(0).random(D)
    log_p, tokens = completion_scores(model, CORPUS, model.seed)
    expected = (weight @ log_p) / (weight @ tokens)
    assert model.score(CORPUS, sample_weight=weight) == pytest.approx(expected, rel=1e-9)
    assert model.score(CORPUS, sample_weight=weight) != model.score(CORPUS)
    assert model.score(CORPUS, sample_weight=np.full(D, 3.0)) == pytest.approx(model.score(CORPUS), rel=1e-12)


def test_score_is_minus_log_perplexity(model: DynamicTopicModel) -> None:
    assert model.score(CORPUS) == pytest.approx(-np.log(model.perplexity(CORPUS)), rel=1e-12)
    assert model.score(COUNTS, None, TIMES) == model.score(CORPUS)


# the same thing asked in other ways


@pytest.mark.parametrize(
    "form", [sp.csr_matrix, sp.csc_array, lambda x: x.toarray(), lambda x: x.toarray().astype(float)]
)
def test_counts_with_times_are_the_same_as_a_corpus(model: DynamicTopicModel, form: Any) -> None:
    other = quick().fit(form(COUNTS), times=TIMES)
    assert_same(model, other)
    np.testing.assert_array_equal(model.transform(CORPUS), other.transform(form(COUNTS), times=list(TIMES)))


def test_fit_transform_is_fit_then_transform(model: DynamicTopicModel) -> None:
    np.testing.assert_array_equal(quick().fit_transform(CORPUS), model.transform(CORPUS))
    np.testing.assert_array_equal(quick().fit_transform(COUNTS, times=TIMES), model.transform(CORPUS))


@pytest.mark.parametrize("batch_size", [None, 25])
@pytest.mark.parametrize("kernel", [KERNEL, Cauchy(3, 20)])
def test_the_seed_decides_and_the_number_of_threads_does_not(kernel: Any, batch_size: int | None) -> None:
    given = {"kernel": kernel, "batch_size": batch_size, "max_epochs": 3}
    one = quick(n_threads=1, **given).fit(CORPUS)
    assert_same(one, quick(n_threads=2, **given).fit(CORPUS))
    assert_same(one, quick(n_threads=None, **given).fit(CORPUS))
    other = quick(seed=1, **given).fit(CORPUS)
    assert np.abs(one.topics_.posterior.own.g - other.topics_.posterior.own.g).max() > 0.1


def test_threads_are_given_back(model: DynamicTopicModel) -> None:
    before = available_threads()
    model.set_params(n_threads=1).transform(CORPUS)
    model.set_params(n_threads=None)
    assert available_threads() == before


@pytest.mark.parametrize("init", ["samples", "documents", "lda"])
@pytest.mark.parametrize("batch_size", [None, 25])
def test_order_of_documents_is_irrelevant_where_each_has_its_own_time(init: str, batch_size: int | None) -> None:
    """The start draws documents by their place in time, so with distinct times it does not see the order given."""
    times = TIMES + np.tile(np.arange(12) / 12, 10)
    order = np.random.default_rng(3).permutation(D)
    given = {"init": init, "batch_size": batch_size, "max_epochs": 3}
    assert_same(
        quick(**given).fit(COUNTS, times=times),
        quick(**given).fit(COUNTS[order], times=times[order]),
    )


def test_order_of_documents_at_the_same_time_is_irrelevant_up_to_the_start() -> None:
    """Documents of one time are drawn in the order given; with one topic every start has the same end."""
    order = np.random.default_rng(3).permutation(D)
    given = {"n_topics": 1, "tol": 1e-8, "max_epochs": 60, "dtype": "float64"}
    one, other = (quick(**given).fit(COUNTS[rows], times=TIMES[rows]) for rows in (np.arange(D), order))
    np.testing.assert_allclose(one.topics_.probabilities(TIMES), other.topics_.probabilities(TIMES), rtol=2e-3)


def test_interleaving_times_is_irrelevant(model: DynamicTopicModel) -> None:
    order = np.argsort(np.tile(np.arange(12), 10), kind="stable")
    assert_same(model, quick().fit(COUNTS[order], times=TIMES[order]))


def test_a_shift_in_time_is_irrelevant_for_a_stationary_kernel(model: DynamicTopicModel) -> None:
    shifted = quick().fit(COUNTS, times=TIMES + 64)
    np.testing.assert_allclose(
        shifted.topics_.probabilities([64, 68.5, 80]), model.topics_.probabilities([0, 4.5, 16]), rtol=1e-3
    )


# shares of documents


def test_shares_are_distributions_and_an_empty_document_gets_the_prior_mean() -> None:
    model = quick(alpha=np.array([0.1, 0.2, 0.7])).fit(CORPUS)
    with_empty = sp.vstack([COUNTS, sp.csr_array((1, V), dtype=COUNTS.dtype)]).tocsr()
    shares = model.transform(with_empty, times=np.append(TIMES, 3.3))
    assert shares.shape == (D + 1, K)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(shares[-1], [0.1, 0.2, 0.7], rtol=1e-12)


def test_planted_shares_are_found_again(converged: DynamicTopicModel) -> None:
    found = converged.transform(CORPUS)
    match = np.argmax(np.corrcoef(PLANTED.shares.T, found.T)[:K, K:], axis=1)
    assert sorted(match) == [0, 1, 2]
    assert np.abs(found[:, match] - PLANTED.shares).mean() < 0.05


def test_a_document_does_not_depend_on_the_others(model: DynamicTopicModel) -> None:
    np.testing.assert_allclose(model.transform(CORPUS[[7, 100]]), model.transform(CORPUS)[[7, 100]], rtol=1e-5)


def test_learning_helps_to_predict(converged: DynamicTopicModel) -> None:
    shares = np.asarray(COUNTS.sum(axis=0)) / COUNTS.sum()
    unigram = np.exp(-(shares * np.log(shares)).sum())
    assert converged.perplexity(CORPUS) < 0.8 * unigram < V


# ways of fitting


def test_the_bound_never_falls_in_batch_mode_with_a_mean_field() -> None:
    model = quick(max_epochs=60, init="lda", local="mean-field").fit(CORPUS)
    assert np.min(np.diff(model.bounds_)) > -1e-6 * abs(model.bounds_[-1])
    assert model.converged_
    assert model.n_steps_ == len(model.bounds_) + 1


def test_a_sampled_fit_ends_by_itself_near_the_bound_of_the_mean_field() -> None:
    sampled, exact = (
        quick(max_epochs=200, init="lda", local=local, tol=1e-4).fit(CORPUS) for local in ("sampled", "mean-field")
    )
    assert sampled.converged_
    assert sampled.bounds_[-1] == pytest.approx(exact.bounds_[-1], rel=0.01)


def test_minibatches_come_near_the_batch_fit(converged: DynamicTopicModel) -> None:
    stochastic = quick(batch_size=30, max_epochs=20, init="lda").fit(CORPUS)
    assert stochastic.perplexity(CORPUS) < 1.03 * converged.perplexity(CORPUS)
    assert stochastic.n_steps_ <= 20 * 4


@pytest.mark.parametrize("batch_size", [1, 10, 100])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_batch_size_stays_finite(batch_size: int, dtype: str) -> None:
    model = quick(batch_size=batch_size, max_epochs=2, dtype=dtype, alpha="learn").fit(CORPUS)
    assert np.isfinite(model.bounds_).all()
    assert np.isfinite(model.topics_.probabilities(TIMES)).all()
    assert np.isfinite(model.alpha_).all()
    assert model.perplexity(CORPUS) < V


def test_partial_fit_learns_from_several_calls() -> None:
    model, parts = quick(), np.array_split(np.random.default_rng(0).permutation(D), 4)
    first = None
    for _ in range(3):
        for rows in parts:
            model.partial_fit(CORPUS[np.sort(rows)])
            first = first or model.perplexity(CORPUS)
    assert model.n_steps_ == 12 * ROUNDS
    assert len(model.bounds_) == len(model.documents_seen_) == model.n_steps_ - 1
    assert model.perplexity(CORPUS) < first


def test_partial_fit_goes_on_from_a_fit() -> None:
    model = quick().fit(CORPUS)
    before = model.perplexity(CORPUS)
    steps = model.n_steps_
    model.partial_fit(CORPUS)
    assert model.n_steps_ == steps + ROUNDS
    assert model.perplexity(CORPUS) == pytest.approx(before, rel=0.02)


def test_partial_fit_from_a_file_is_partial_fit_in_memory(tmp_path: Any) -> None:
    model = quick().fit(CORPUS)
    model.save(tmp_path / "m")
    loaded = load(tmp_path / "m")
    for other in (model, loaded):
        other.partial_fit(CORPUS[:40]).partial_fit(CORPUS[40:])
    assert_same(model, loaded)
    np.testing.assert_array_equal(model.transform(CORPUS), loaded.transform(CORPUS))


def test_fit_after_partial_fit_starts_afresh(model: DynamicTopicModel) -> None:
    assert_same(quick().partial_fit(CORPUS).fit(CORPUS), model)


def test_alpha_is_kept_or_learned() -> None:
    np.testing.assert_array_equal(quick(alpha=0.7, max_epochs=2).fit(CORPUS).alpha_, [0.7] * K)
    np.testing.assert_array_equal(quick(alpha=[0.1, 0.2, 0.3], max_epochs=2).fit(CORPUS).alpha_, [0.1, 0.2, 0.3])
    learned = quick(alpha="learn", max_epochs=40, init="lda").fit(CORPUS).alpha_
    assert learned.shape == (K,)
    np.testing.assert_allclose(learned, 0.1, atol=0.1, rtol=0)  # what was planted
    assert len(np.unique(learned)) == K


def test_learned_alpha_raises_the_bound() -> None:
    given = {"init": "lda", "max_epochs": 40}
    assert quick(alpha="learn", **given).fit(CORPUS).bounds_[-1] > quick(alpha=2.0, **given).fit(CORPUS).bounds_[-1]


@pytest.mark.parametrize("init", ["samples", "documents", "lda"])
@pytest.mark.parametrize("batch_size", [None, 40])
def test_every_start_leads_to_topics_that_predict(init: str, batch_size: int | None) -> None:
    model = quick(init=init, batch_size=batch_size, max_epochs=10).fit(CORPUS)
    assert model.perplexity(CORPUS) < 0.95 * V
    np.testing.assert_allclose(model.topics_.probabilities([0.0, 33.3]).sum(axis=2), 1.0, rtol=1e-6)


def test_single_precision_agrees_with_double() -> None:
    single, double = (quick(dtype=dtype, init="lda", max_epochs=15).fit(CORPUS) for dtype in ("float32", "float64"))
    assert single.topics_.posterior.own.g.dtype == np.float32
    assert double.topics_.posterior.own.g.dtype == np.float64
    np.testing.assert_allclose(single.bounds_[-1], double.bounds_[-1], rtol=1e-4)
    np.testing.assert_allclose(
        single.topics_.probabilities(TIMES), double.topics_.probabilities(TIMES), atol=5e-3, rtol=0
    )


@pytest.mark.parametrize("grid", ["even", "quantile"])
@pytest.mark.parametrize(("n_inducing", "nodes"), [(2, 2), (5, 5), (10, 10), (1000, 10)])
@pytest.mark.parametrize("kernel", [KERNEL, Cauchy(3, 20)])
def test_grids_have_the_nodes_asked_for_and_cover_all_times(
    kernel: Any, n_inducing: int, nodes: int, grid: str
) -> None:
    model = quick(kernel=kernel, n_inducing=n_inducing, grid=grid, max_epochs=5).fit(CORPUS)
    assert len(model.topics_.times) == nodes
    assert model.topics_.span == (0.0, 9.0)
    assert np.isfinite(model.bounds_).all()
    assert model.perplexity(CORPUS) < V


def test_a_node_at_every_time_is_the_same_as_the_whole_grid(model: DynamicTopicModel) -> None:
    assert_same(model, quick(n_inducing=10).fit(CORPUS))


def test_a_coarser_grid_never_has_a_better_bound_and_a_finer_one_comes_near() -> None:
    given = {"init": "lda", "dtype": "float64", "max_epochs": 60, "tol": 1e-6}
    exact, fine, coarse = (quick(n_inducing=n, **given).fit(CORPUS) for n in (None, 7, 2))
    assert exact.bounds_[-1] > fine.bounds_[-1]
    assert fine.perplexity(CORPUS) < 1.05 * exact.perplexity(CORPUS)
    assert coarse.perplexity(CORPUS) < 1.2 * exact.perplexity(CORPUS)


def test_verbose_shows_progress_on_the_error_stream_only(capsys: pytest.CaptureFixture[str]) -> None:
    quick(verbose=True, max_epochs=2, init="lda").fit(CORPUS)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "initialising with static topics: 100%" in shown.err
    assert "fitting" in shown.err
    assert "bound" in shown.err
    for verbose in (False, None):
        quick(verbose=verbose, max_epochs=2).fit(CORPUS)
        assert capsys.readouterr() == ("", "")
