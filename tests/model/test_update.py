"""Corpora that grow: months one by one, new words, dates on either side; topics stay who they are."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from planted import match_topics, plant, total_variation

from chronotope import Corpus, DynamicTopicModel, OrnsteinUhlenbeck, load
from chronotope.corpus.align import with_vocabulary

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

KERNEL = OrnsteinUhlenbeck(3, 40)
MONTHS = np.arange(24.0)
PLANTED = plant(KERNEL, MONTHS, n_topics=3, n_words=40, documents=14, length=60, alpha=0.1, seed=4)
FULL = PLANTED.corpus
HELD = np.arange(len(FULL)) % 7 == 3
TRAIN, TEST = FULL[~HELD], FULL[HELD]
K, V = 3, 40


def fresh(**given: Any) -> DynamicTopicModel:
    defaults = {"n_topics": K, "kernel": KERNEL, "shared": 0.5, "alpha": 0.1, "max_epochs": 15, "seed": 0}
    return DynamicTopicModel(**(defaults | given))


def months(first: float, last: float) -> Corpus:
    return TRAIN[(TRAIN.times >= first) & (TRAIN.times <= last)]


def add_months(model: DynamicTopicModel, at: Any) -> DynamicTopicModel:
    for month in at:
        model.partial_fit(months(month, month))
    return model


def assert_same(one: DynamicTopicModel, other: DynamicTopicModel) -> None:
    sites, others = (topics.posterior.arrays() for topics in (one.topics_, other.topics_))
    for name in ("g", "b", "common_g", "common_b"):
        np.testing.assert_array_equal(sites[name], others[name])
    for name in ("mass", "mean", "vocabulary"):
        np.testing.assert_array_equal(getattr(one.topics_, name), getattr(other.topics_, name))
    np.testing.assert_array_equal(one.topics_.times, other.topics_.times)
    np.testing.assert_array_equal(one.bounds_, other.bounds_)


@pytest.fixture(scope="module")
def whole() -> DynamicTopicModel:
    return fresh().fit(TRAIN)


@pytest.fixture(scope="module")
def early() -> DynamicTopicModel:
    return fresh().fit(months(0, 5))


@pytest.fixture
def six(early: DynamicTopicModel, tmp_path: Path) -> DynamicTopicModel:
    """A copy of the model of the first six months."""
    early.save(tmp_path / "early")
    return load(tmp_path / "early")


# near a fit on the whole


@pytest.mark.parametrize("start", [1, 6])
def test_months_one_by_one_end_near_a_fit_on_the_whole(whole: DynamicTopicModel, start: int) -> None:
    grown = add_months(fresh().fit(months(0, start - 1)), MONTHS[start:])
    np.testing.assert_array_equal(grown.topics_.times, MONTHS)
    assert grown.perplexity(TEST) < 1.03 * whole.perplexity(TEST)
    assert grown.topics_.mass.sum() == pytest.approx(TRAIN.n_tokens, rel=1e-5)
    np.testing.assert_allclose(grown.topics_.mean, whole.topics_.mean, rtol=0, atol=1e-4)


def test_topics_are_those_of_the_whole_fit_at_every_month(whole: DynamicTopicModel, six: DynamicTopicModel) -> None:
    p, q = (model.topics_.probabilities(MONTHS) for model in (add_months(six, MONTHS[6:]), whole))
    order = match_topics(p, q)
    for month in range(len(MONTHS)):
        np.testing.assert_array_equal(match_topics(p[[month]], q[[month]]), order)
    assert total_variation(p[:, order], q).mean() < 0.12


def test_topics_keep_their_numbers_as_months_are_added(six: DynamicTopicModel) -> None:
    first = six.topics_.probabilities(MONTHS[:6])
    for month in MONTHS[6:]:
        add_months(six, [month])
        now = six.topics_.probabilities(MONTHS[:6])
        np.testing.assert_array_equal(match_topics(now, first), np.arange(K))
    assert total_variation(now, first).mean() < 0.1


def test_what_was_known_of_early_months_is_not_forgotten(six: DynamicTopicModel) -> None:
    before = six.topics_.mass.copy()
    add_months(six, MONTHS[6:12])
    np.testing.assert_allclose(six.topics_.mass[:6], before, rtol=1e-12)


def test_a_call_without_documents_at_a_month_leaves_it_as_it_was(six: DynamicTopicModel) -> None:
    before = six.topics_.probabilities([0.0, 1.0])
    for _ in range(10):
        six.partial_fit(Corpus(np.zeros((1, V), int), [5.0]))
    moved = total_variation(six.topics_.probabilities([0.0, 1.0]), before)
    assert moved.max() < 1e-2  # an update is without the doubt about tokens, and rare words are read a little otherwise


# the grid


def test_the_grid_grows_at_its_end_and_the_kernel_stays(six: DynamicTopicModel) -> None:
    add_months(six, [6.0, 7.0])
    np.testing.assert_array_equal(six.topics_.times, np.arange(8.0))
    assert six.topics_.span == (0.0, 7.0)
    assert six.kernel_ == KERNEL
    assert six.topics_.mass[6:].sum() == pytest.approx(months(6, 7).n_tokens, rel=1e-5)


def test_empty_months_between_are_bridged(whole: DynamicTopicModel, six: DynamicTopicModel) -> None:
    add_months(six, [14.0, 22.0, 23.0])
    np.testing.assert_array_equal(six.topics_.times, [*range(6), 14, 22, 23])
    late = TEST[TEST.times >= 14]
    assert six.perplexity(late) < 1.1 * whole.perplexity(late)


def test_dates_before_the_start_and_between_the_nodes_are_taken_in(whole: DynamicTopicModel) -> None:
    model = fresh().fit(months(12, 17))
    add_months(model, MONTHS[11::-1])
    np.testing.assert_array_equal(model.topics_.times, np.arange(18.0))
    model.partial_fit(TRAIN.counts[:5], times=np.full(5, 3.5))
    np.testing.assert_array_equal(model.topics_.times, np.arange(18.0))
    seen = TEST[TEST.times < 18]
    assert model.perplexity(seen) < 1.05 * whole.perplexity(seen)


@pytest.mark.parametrize("kernel", ["wiener(0.1, 3)", "constant(2) + matern32(1, 10)", "cauchy(3, 20)", "linear(0.1)"])
def test_every_kind_of_kernel_grows_on_both_sides(kernel: str) -> None:
    model = fresh(kernel=kernel).fit(months(4, 8))
    add_months(model, [9.0, 3.0, 10.0, 2.0])
    assert model.perplexity(TEST[(TEST.times >= 2) & (TEST.times <= 10)]) < 0.9 * V
    assert np.isfinite(model.topics_.probabilities([-5.0, 2.0, 10.0, 40.0])).all()


def test_a_grid_of_one_node_that_was_asked_for_stays_one() -> None:
    model = fresh(n_inducing=1).fit(months(0, 5))
    nodes = model.topics_.times
    np.testing.assert_array_equal(add_months(model, [6.0]).topics_.times, nodes)


def test_a_kernel_left_to_the_corpus_stays_and_says_once_when_it_is_outgrown() -> None:
    model = fresh(kernel="ou").fit(months(0, 2))
    kernel = model.kernel_
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        add_months(model, [5.0, 7.0, 9.0, 12.0, 20.0])
    assert model.kernel_ == kernel
    assert len(said) == 1
    assert "span far more time than those the kernel ou(6, " in str(said[0].message)


def test_a_learned_kernel_stays_too_and_says_once_when_it_is_outgrown() -> None:
    model = fresh(kernel="constant + ou").fit(months(0, 11))
    kernel = model.kernel_
    assert kernel != model.plan(months(0, 11)).kernel
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for month in (20.0, 40.0, 50.0, 80.0):
            model.partial_fit(TRAIN.counts[:5], times=np.full(5, month))
    assert model.kernel_ == kernel
    assert ["span far more time" in str(warning.message) for warning in said] == [True]


def test_a_kernel_with_numbers_is_never_outgrown() -> None:
    model = fresh().fit(months(0, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.partial_fit(TRAIN.counts[:5], times=np.full(5, 500.0))


# small and many calls


@pytest.mark.slow
def test_documents_one_at_a_time_stay_finite_and_learn(whole: DynamicTopicModel) -> None:
    model = fresh()
    some = TRAIN[::2]
    for row in range(len(some)):
        model.partial_fit(some[[row]])
    assert np.isfinite(model.bounds_).all()
    for values in (
        model.topics_.posterior.own.g,
        model.topics_.posterior.own.b,
        model.topics_.probabilities(MONTHS),
        model.alpha_,
    ):
        assert np.isfinite(values).all()
    assert model.topics_.mass.sum() == pytest.approx(some.n_tokens, rel=1e-5)
    assert model.perplexity(TEST) < 1.2 * whole.perplexity(TEST)


def test_learned_shares_and_the_mean_field_step_stream_as_well(whole: DynamicTopicModel) -> None:
    model = add_months(fresh(alpha="learn", local="mean-field", dtype="float64"), MONTHS[:10])
    assert np.isfinite(model.alpha_).all()
    early = TEST[TEST.times < 10]
    assert model.perplexity(early) < 1.15 * whole.perplexity(early)


def test_the_same_calls_give_the_same_model_whatever_the_threads(early: DynamicTopicModel, tmp_path: Path) -> None:
    early.save(tmp_path / "m")
    one, two = (add_months(load(tmp_path / "m").set_params(n_threads=n), MONTHS[6:9]) for n in (1, 2))
    assert_same(one, two)


def test_a_model_from_a_file_goes_on_as_if_it_had_stayed(six: DynamicTopicModel, tmp_path: Path) -> None:
    add_months(six, [6.0, 3.0]).save(tmp_path / "m")
    other = load(tmp_path / "m")
    for model in (six, other):
        add_months(model, [7.0, 9.0]).partial_fit(renamed(months(10, 10), "new"))
    assert_same(six, other)
    np.testing.assert_array_equal(six.transform(renamed(months(10, 10), "new", True)), other.transform(with_all(other)))


def test_a_call_that_fails_leaves_the_model_as_it_was(six: DynamicTopicModel) -> None:
    nodes, words = six.topics_.times, six.topics_.vocabulary
    with pytest.raises(ValueError, match="times was given along with a Corpus"):
        six.partial_fit(renamed(months(7, 7), "new"), times=[1.0])
    np.testing.assert_array_equal(six.topics_.times, nodes)
    assert six.n_features_in_ == len(words) == V


# words


def renamed(corpus: Corpus, prefix: str, known: bool = False) -> Corpus:
    """The corpus with its last five words written otherwise; known : on all words, those of the model first."""
    words = [*corpus.vocabulary[: V - 5], *(f"{prefix}{i}" for i in range(5))]
    other = Corpus(corpus.counts, corpus.times, words)
    return with_vocabulary(other, [*corpus.vocabulary, *words[V - 5 :]]) if known else other


def with_all(model: DynamicTopicModel) -> Corpus:
    return with_vocabulary(renamed(months(10, 10), "new"), model.topics_.vocabulary)


def test_new_words_are_added_at_the_end_and_found_in_their_months(six: DynamicTopicModel) -> None:
    words = list(six.topics_.vocabulary)
    for month in MONTHS[6:12]:
        six.partial_fit(renamed(months(month, month), "new"))
    assert list(six.topics_.vocabulary) == [*words, *(f"new{i}" for i in range(5))]
    assert six.n_features_in_ == V + 5
    then, now = six.topics_.probabilities([1.0, 11.0])
    tokens = months(6, 11).counts[:, V - 5 :].sum() / months(6, 11).n_tokens
    share = six.topics_.mass[-1] / six.topics_.mass[-1].sum()
    assert share @ now[:, V:].sum(axis=1) == pytest.approx(tokens, rel=0.5)
    assert then[:, V:].sum(axis=1).max() < 0.25 * tokens
    six.transform(renamed(months(7, 7), "new", known=True))
    with pytest.raises(ValueError, match="has 40 words but the model was fitted on 45"):
        six.transform(months(7, 7))


def test_words_in_another_order_or_fewer_of_them_are_the_same_words(early: DynamicTopicModel, tmp_path: Path) -> None:
    early.save(tmp_path / "m")
    one, two = (load(tmp_path / "m") for _ in range(2))
    month = months(6, 6)
    used = np.flatnonzero(month.counts.sum(axis=0))[::-1]
    one.partial_fit(month)
    two.partial_fit(Corpus(month.counts[:, used], month.times, month.vocabulary[used]))
    assert_same(one, two)


def test_new_words_that_are_ignored_are_counted_and_said(early: DynamicTopicModel, tmp_path: Path) -> None:
    early.save(tmp_path / "m")
    model, month = load(tmp_path / "m"), months(6, 6)
    lost = int(month.counts[:, V - 5 :].sum())
    with pytest.warns(UserWarning, match=f"5 words, {lost} of {month.n_tokens} tokens, are not in the model"):
        model.partial_fit(renamed(month, "new"), new_words="ignore")
    np.testing.assert_array_equal(model.topics_.vocabulary, early.topics_.vocabulary)
    assert model.topics_.mass[6].sum() == pytest.approx(month.n_tokens - lost, rel=1e-5)


def test_words_none_of_which_is_known_are_doubted(six: DynamicTopicModel) -> None:
    month = months(6, 6)
    strange = Corpus(month.counts, month.times, [f"x{v}" for v in range(V)])
    with pytest.raises(ValueError, match="none of the corpus' 40 words is among the 40 given"):
        six.partial_fit(strange, new_words="ignore")
    with pytest.warns(UserWarning, match="none of the corpus' 40 words was known before"):
        six.partial_fit(strange)
    assert six.n_features_in_ == 2 * V


def test_counts_keep_their_columns_and_their_names(six: DynamicTopicModel) -> None:
    with pytest.raises(ValueError, match="39 features, but DynamicTopicModel is expecting 40"):
        six.partial_fit(TRAIN.counts[:, :-1], times=TRAIN.times)
    with pytest.raises(ValueError, match="new_words is 'keep'; expected one of add, ignore"):
        six.partial_fit(TRAIN, new_words="keep")
    frame = pd.DataFrame(months(0, 5).counts.toarray(), columns=list(TRAIN.vocabulary))
    named = fresh().fit(frame, times=months(0, 5).times)
    named.partial_fit(renamed(months(6, 6), "new"))
    assert list(named.feature_names_in_) == list(named.topics_.vocabulary)


def test_a_model_around_zero_logits_gives_new_words_the_same_mean() -> None:
    model = fresh(prior_mean="zero").fit(months(0, 3))
    model.partial_fit(renamed(months(4, 4), "new"))
    np.testing.assert_array_equal(model.topics_.mean, np.zeros(V + 5))
