"""Where documents with rough dates may be, and where they are drawn to be."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from interrupted import assert_same

import chronotope as ct
from chronotope.dates.candidates import Candidates
from chronotope.dates.rough import UNKNOWN, RoughDates
from chronotope.inference.chains import Chains
from chronotope.inference.documents import documents_at_nodes
from chronotope.inference.relocate import mean_shares, rows_with_dates, without_waiting
from chronotope.inference.store import arrange_documents
from chronotope.inference.tables import TopicTables
from chronotope.inference.weigh import node_likelihoods
from chronotope.inference.whereabouts import between_nodes, chances, draw_times
from chronotope.kernels import OrnsteinUhlenbeck

YEARS = np.arange(1900.0, 1960.0)


def interval(first, last):
    return [(first, first, last, last)]


def test_likelihoods_at_nodes_are_those_of_a_dense_reference(rng):
    J, K, V, D = 5, 3, 11, 7
    logits, zeta = rng.normal(size=(J, K, V)).astype(np.float32), rng.normal(3.0, 0.1, (J, K))
    counts, theta = sp.csr_array(rng.poisson(0.7, (D, V)).astype(float)), rng.dirichlet(np.ones(K), D)
    span = np.sort(rng.integers(0, J, (D, 2)), axis=1)
    topics = TopicTables(logits, np.zeros_like(logits), zeta)
    found = node_likelihoods(documents_at_nodes(counts, np.zeros(D, int)), span, topics, theta)
    mixture = np.einsum("dk,jkv->djv", theta, np.exp(logits - zeta[:, :, None]))
    dense = np.einsum("dv,djv->dj", counts.toarray(), np.log(mixture))
    asked = (np.arange(J) >= span[:, :1]) & (np.arange(J) <= span[:, 1:])
    np.testing.assert_allclose(found, np.where(asked, dense, 0.0), rtol=1e-5, atol=1e-6)


def test_between_two_nodes_times_have_a_place_and_beyond_the_ends_that_of_the_end():
    left, right, part = between_nodes(np.array([-1.0, 0.0, 0.5, 1.0, 2.5, 9.0]), np.array([0.0, 1.0, 3.0]))
    np.testing.assert_allclose(left + part, [0, 0, 0.5, 1, 1.75, 2], rtol=0, atol=1e-12)
    np.testing.assert_array_equal(right, left + 1)
    assert between_nodes(np.array([1.0]), np.array([5.0]))[2] == 0.0


def test_draws_have_the_frequencies_of_prior_times_likelihood(rng):
    where = Candidates.of(np.append(YEARS, 1905.0), RoughDates.of([(60, [(1900, 1905, 1905, 1910)])]))
    nodes, R = np.array([1900.0, 1910.0, 1959.0]), 40_000
    found = np.tile([0.0, -1.3, 40.0], (R, 1))  # the last node is out of the question
    drawn = draw_times(where, nodes, found, np.zeros(R, int), rng)
    expected = chances(where, nodes, found[:1], np.zeros(1, int))[0]
    slope = np.exp(-1.3 * (where.times - 1900.0) / 10.0)
    np.testing.assert_allclose(expected, where.mass[0] * slope / (where.mass[0] @ slope), rtol=1e-9, atol=1e-12)
    frequency = np.array([np.mean(drawn == time) for time in where.times])
    np.testing.assert_allclose(frequency, expected, rtol=0, atol=5 * np.sqrt(0.25 / R))


def test_documents_that_move_are_the_last_ones_and_keep_their_words(rng):
    times = np.array([1935.0, 1950.0, 1905.0, 1910.0, 1935.0])
    counts = sp.csr_array(np.diag(np.arange(1, 6)))
    rough = RoughDates.of([(0, interval(1930, 1960)), (4, interval(1900, 1920))])
    where, kernel, nodes = Candidates.of(times, rough), OrnsteinUhlenbeck(3.0, 20.0), np.array([1900.0, 1930.0, 1960.0])
    store = arrange_documents(ct.Corpus(counts, times).stored, times, kernel, nodes, np.zeros(5), where=where)
    assert store.where is not None
    np.testing.assert_array_equal(store.where.document, [3, 4])
    np.testing.assert_array_equal(store.batch().matrix(5).toarray().argmax(axis=1), [2, 3, 1, 0, 4])
    for date, (first, last) in zip(store.where.date, ((1930, 1960), (1900, 1920)), strict=True):
        some = store.where.times[store.where.mass[date] > 0]
        assert first - 10 < some.min() <= some.max() < last
    moved = store.moved(store.where.document, store.where.times[[1, 2]])
    np.testing.assert_array_equal(moved.times[3:], store.where.times[[1, 2]])
    np.testing.assert_array_equal(moved.times[:3], store.times[:3])
    again = moved.again(store.batch())
    for name in ("left", "weight", "slack", "times"):
        np.testing.assert_array_equal(getattr(again, name), getattr(moved.batch(), name))


def test_shares_are_those_of_the_tokens_topics(rng):
    docs = documents_at_nodes(sp.csr_array(rng.poisson(2.0, (4, 6))), np.zeros(4, int))
    chains, alpha = Chains.of(docs), np.array([0.5, 1.0, 1.5])
    np.testing.assert_allclose(mean_shares(chains, alpha, np.arange(4)), np.tile(alpha / 3, (4, 1)), rtol=1e-12, atol=0)
    chains.topic[:], chains.started[:] = rng.integers(0, 3, len(chains.topic)), True
    dense = np.array([np.bincount(chains.take(slice(d, d + 1)).tokens(), minlength=3) for d in (1, 3)]) + alpha
    np.testing.assert_allclose(
        mean_shares(chains, alpha, np.array([1, 3])), dense / dense.sum(axis=1, keepdims=True), rtol=1e-12, atol=0
    )


def drifting(D=240, V=40, seed=0):
    """Documents of words that come and go, by the year."""
    rng = np.random.default_rng(seed)
    times = np.sort(rng.choice(YEARS, D))
    peaks = rng.uniform(1900, 1960, V)
    rate = 2.0 * np.exp(-0.5 * ((times[:, None] - peaks) / 6.0) ** 2) + 0.05
    return ct.Corpus(sp.csr_array(rng.poisson(rate)), times, calendar=True)


MODEL = {"n_topics": 2, "max_epochs": 6, "verbose": False}


def test_a_rough_date_that_is_the_year_gives_the_same_model_as_the_exact_one():
    exact, rough = drifting(), drifting()
    rough.rough = RoughDates.of([(d, interval(rough.times[d], rough.times[d] + 1.0)) for d in range(0, 240, 3)])
    rough.times[::3] += 0.5
    assert_same(ct.DynamicTopicModel(**MODEL).fit(rough), ct.DynamicTopicModel(**MODEL).fit(exact))


def with_rough_dates(D=240):
    """Documents of which a quarter has no date, and a quarter a decade; and their true dates."""
    corpus = drifting(D)
    true, decade = corpus.times.copy(), np.floor(corpus.times / 10) * 10
    unknown, rough = np.arange(0, D, 4), np.arange(1, D, 4)
    dates = {int(d): [UNKNOWN] for d in unknown} | {int(d): interval(decade[d], decade[d] + 10) for d in rough}
    corpus.rough = RoughDates.of(sorted(dates.items()))
    corpus.times[unknown], corpus.times[rough] = 1930.0, decade[rough] + 5
    return corpus, true


@pytest.mark.parametrize(
    "options",
    [{"max_epochs": 10}, {"batch_size": 60}, {"prevalence": "constant + ou"}, {"local": "mean-field"}],
    ids=str,
)
def test_topics_are_nearer_to_those_of_known_dates_than_without_the_documents(options):
    corpus, true = with_rough_dates()
    given = MODEL | options

    def usage(documents):
        return ct.DynamicTopicModel(**given).fit(documents).topics_.probabilities(YEARS).mean(axis=1)

    known, found, fewer = usage(drifting()), usage(corpus), usage(corpus[corpus.exact])
    assert np.abs(found - known).sum() < 1.1 * np.abs(fewer - known).sum()
    assert (true != corpus.times).mean() > 0.3


@pytest.mark.parametrize("options", [{}, {"batch_size": 60}], ids=str)
def test_threads_and_an_interruption_change_nothing(options, tmp_path, monkeypatch):
    corpus, _ = with_rough_dates()
    given = MODEL | options | {"tol": 0, "max_epochs": 9}
    whole = ct.DynamicTopicModel(**given, n_threads=1).fit(corpus)
    path = tmp_path / "fit.checkpoint"
    half = ct.DynamicTopicModel(**given | {"max_epochs": 4}, checkpoint=path, checkpoint_every=0).fit(corpus)
    assert half.n_steps_ < whole.n_steps_
    resumed = ct.DynamicTopicModel(**given, checkpoint=path, checkpoint_every=0, n_threads=2).fit(corpus, resume=True)
    assert_same(resumed, whole)


def test_documents_of_whose_dates_little_is_known_wait():
    corpus, _ = with_rough_dates()
    where, mean = Candidates.of(corpus.times, corpus.rough), np.zeros(40)
    store = arrange_documents(corpus.stored, corpus.times, OrnsteinUhlenbeck(3.0, 20.0), YEARS[::6], mean, where=where)
    dated = rows_with_dates(store)
    assert dated is not None
    assert len(dated) == 180
    np.testing.assert_array_equal(without_waiting(np.arange(100, 240), store), dated[dated >= 100])
    nearly_all = RoughDates.of([(d, [UNKNOWN]) for d in range(230)])
    few = Candidates.of(corpus.times, nearly_all)
    assert rows_with_dates(replace(store, where=few)) is None
