"""The local step against explicit loops that form φ."""

import numpy as np
import pytest
import scipy.sparse as sp
from inner_loops import from_python
from planted import place_documents
from priors import topics_at
from reference import (
    best_lam,
    best_phi,
    central,
    dense_texts,
    document_bound,
    documents_bound,
    log_zeta,
    mild_sites,
    statistics,
)
from reference import posterior as dense_posterior
from scipy.special import digamma as scipy_digamma

from chronotope.gp import DenseStructure, MarkovStructure
from chronotope.inference import documents
from chronotope.inference.documents import TASKS, Documents, cut_tasks, uniform_lambda
from chronotope.inference.meanfield import digamma, infer_shares, meanfield_step
from chronotope.inference.natural_gradient import natural_gradient_step
from chronotope.kernels import OrnsteinUhlenbeck, SquaredExponential
from chronotope.loops import threads

TO_THE_END = (5000, 1e-14)
FEW_ROUNDS = (2, 1e-14)


def run(docs, posterior, alpha, limits=TO_THE_END, lam=None):
    lam = uniform_lambda(docs, alpha) if lam is None else lam
    return lam, meanfield_step(docs, posterior.m, posterior.log_zeta, alpha, lam, limits)


def explicit(docs, posterior, alpha, rounds):
    """λ and φ by `rounds` rounds of coordinate ascent with φ formed."""
    J, _, V = posterior.m.shape
    texts, lam = dense_texts(docs, J, V), uniform_lambda(docs, alpha)
    for _ in range(rounds):
        lam = best_lam(texts, best_phi(texts, posterior.m, posterior.log_zeta, lam), alpha)
    return texts, lam, best_phi(texts, posterior.m, posterior.log_zeta, lam)


@pytest.mark.parametrize(("limits", "rounds"), [(FEW_ROUNDS, 2), (TO_THE_END, 300)], ids=["two rounds", "converged"])
def test_shares_statistics_and_bound_are_those_of_explicit_loops(docs, posterior, alpha, limits, rounds):
    texts, lam, phi = explicit(docs, posterior, alpha, rounds)
    actual, stats = run(docs, posterior, alpha, limits)
    n, N = statistics(texts, phi)
    np.testing.assert_allclose(actual, lam, rtol=1e-9, atol=0)
    np.testing.assert_allclose(stats.n, n, rtol=1e-8, atol=1e-13)
    np.testing.assert_allclose(stats.N, N, rtol=1e-8, atol=1e-13)
    bound = documents_bound(texts, posterior.m, posterior.log_zeta, phi, lam, alpha)
    np.testing.assert_allclose(stats.bound, bound, rtol=1e-9, atol=0)


def test_shares_alone_are_those_of_the_local_step_with_a_bound_for_each_document(docs, posterior, alpha):
    lam, stats = run(docs, posterior, alpha)
    alone = uniform_lambda(docs, alpha)
    bounds = infer_shares(docs, posterior.m, posterior.log_zeta, alpha, alone, TO_THE_END)
    np.testing.assert_array_equal(alone, lam)
    texts = dense_texts(docs, *posterior.m.shape[::2])
    phi = best_phi(texts, posterior.m, posterior.log_zeta, lam)
    each = [document_bound(texts, d, posterior.m, posterior.log_zeta, phi, lam, alpha) for d in range(len(lam))]
    np.testing.assert_allclose(bounds, each, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(bounds.sum(), stats.bound, rtol=1e-12, atol=0)


def test_the_gradient_of_the_bound_in_lam_vanishes_at_the_result(docs, posterior, alpha):
    lam, _ = run(docs, posterior, alpha)
    texts = dense_texts(docs, *posterior.m.shape[::2])
    phi = best_phi(texts, posterior.m, posterior.log_zeta, lam)

    def bound(lam):
        return documents_bound(texts, posterior.m, posterior.log_zeta, phi, lam, alpha)

    np.testing.assert_allclose(central(bound, lam, 1e-5), 0.0, rtol=0, atol=1e-6)
    assert np.abs(central(bound, lam * 1.1, 1e-5)).max() > 1e-2


def test_the_gradient_of_the_bound_in_phi_vanishes_at_the_result(docs, posterior, alpha):
    lam, _ = run(docs, posterior, alpha)
    texts = dense_texts(docs, *posterior.m.shape[::2])
    logits = np.log(best_phi(texts, posterior.m, posterior.log_zeta, lam))

    def bound(logits):
        phi = np.exp(logits) / np.exp(logits).sum(axis=2, keepdims=True)
        return documents_bound(texts, posterior.m, posterior.log_zeta, phi, lam, alpha)

    some = logits[:1].copy()  # one document is enough, and quick

    def of_first(part):
        return bound(np.concatenate([part, logits[1:]]))

    np.testing.assert_allclose(central(of_first, some, 1e-5), 0.0, rtol=0, atol=1e-6)
    assert np.abs(central(of_first, some * 1.2, 1e-5)).max() > 1e-3


def test_bound_less_kl_is_the_literal_elbo(docs, structure, rng, alpha):
    J, K, V = len(structure.nodes), 3, 7
    g, b = mild_sites(rng, J, K, V)
    posterior = topics_at(structure, g, b, np.zeros(g.shape[2]))
    lam, stats = run(docs, posterior, alpha)
    if isinstance(structure, DenseStructure):
        structure = DenseStructure(structure.kernel, structure.nodes, 1e-13)
        posterior = topics_at(structure, g, b, np.zeros(g.shape[2]))
        lam, stats = run(docs, posterior, alpha)
    m, s, kl = dense_posterior(structure.kernel, structure.nodes, structure.nodes, g, b)
    texts, lz = dense_texts(docs, J, V), log_zeta(m, s)
    literal = documents_bound(texts, m, lz, best_phi(texts, m, lz, lam), lam, alpha) - kl.sum()
    np.testing.assert_allclose(stats.bound - posterior.kl.sum(), literal, rtol=1e-7, atol=0)


def test_a_corpus_twice_has_twice_the_statistics_and_bound(counts, times, structure, posterior, alpha):
    once = place_documents(counts, times, structure.kernel, structure.nodes, np.zeros(7))
    twice = place_documents(
        sp.vstack([counts, counts], "csr"), np.tile(times, 2), structure.kernel, structure.nodes, np.zeros(7)
    )
    (_, one), (_, two) = (run(docs, posterior, alpha) for docs in (once, twice))
    np.testing.assert_allclose(two.n, 2 * one.n, rtol=1e-12, atol=0)
    np.testing.assert_allclose(two.N, 2 * one.N, rtol=1e-12, atol=0)
    np.testing.assert_allclose(two.bound, 2 * one.bound, rtol=1e-12, atol=0)


def test_the_order_of_documents_is_irrelevant(counts, times, structure, posterior, alpha, rng):
    order = rng.permutation(len(times))
    first = place_documents(counts, times, structure.kernel, structure.nodes, np.zeros(7))
    second = place_documents(counts[order], times[order], structure.kernel, structure.nodes, np.zeros(7))
    (_, one), (_, two) = (run(docs, posterior, alpha) for docs in (first, second))
    np.testing.assert_allclose(two.n, one.n, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(two.N, one.N, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(two.bound, one.bound, rtol=1e-12, atol=0)


def test_all_tokens_are_counted_once_at_the_nodes(docs, posterior, alpha):
    _, stats = run(docs, posterior, alpha)
    tokens = docs.lengths @ docs.weight.sum(axis=1)
    np.testing.assert_allclose(stats.n.sum(), tokens, rtol=1e-12, atol=0)
    np.testing.assert_allclose(stats.N, stats.n.sum(axis=2), rtol=1e-12, atol=1e-15)
    texts = dense_texts(docs, *posterior.m.shape[::2])
    np.testing.assert_allclose(stats.n.sum(axis=1), texts.W.T @ texts.counts, rtol=1e-12, atol=1e-15)


def test_an_empty_document_has_the_prior_for_shares_and_adds_nothing(structure, posterior, alpha):
    empty = place_documents(
        sp.csr_array((4, 7)), np.array([0.0, 0.3, 3.0, 9.0]), structure.kernel, structure.nodes, np.zeros(7)
    )
    lam, stats = run(empty, posterior, alpha)
    np.testing.assert_allclose(lam, np.tile(alpha, (4, 1)), rtol=1e-15, atol=0)
    assert not stats.n.any()
    assert not stats.N.any()
    np.testing.assert_allclose(stats.bound, 0.0, rtol=0, atol=1e-12)


def test_a_document_alone_touches_only_the_nodes_around_it(structure, posterior, alpha):
    words = sp.csr_array(np.array([[2.0, 0, 1, 0, 0, 0, 3]]))
    for time, touched in ((1.4, [2, 3]), (1.0, [2]), (3.0, [4]), (0.0, [0]), (7.0, [4])):
        docs = place_documents(words, np.array([time]), structure.kernel, structure.nodes, np.zeros(7))
        _, stats = run(docs, posterior, alpha)
        np.testing.assert_array_equal(np.flatnonzero(stats.N.any(axis=1)), touched)


def test_documents_all_at_one_time_make_one_sum(counts, structure, posterior, alpha):
    together = place_documents(counts, np.full(6, 1.0), structure.kernel, structure.nodes, np.zeros(7))
    _, stats = run(together, posterior, alpha)
    parts = [
        run(place_documents(counts[[d]], np.ones(1), structure.kernel, structure.nodes, np.zeros(7)), posterior, alpha)[
            1
        ]
        for d in range(6)
    ]
    np.testing.assert_allclose(stats.n, sum(part.n for part in parts), rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(stats.bound, sum(part.bound for part in parts), rtol=1e-10, atol=0)


@pytest.mark.parametrize(("dtype", "rarer"), [("float32", 150.0), ("float64", 1000.0)])
def test_words_that_are_next_to_impossible_under_all_topics_are_shared_out_as_others_are(
    docs, posterior, alpha, dtype, rarer
):
    m = posterior.m.astype(dtype)
    results = []
    for shift in (0.0, rarer):
        lam = uniform_lambda(docs, alpha)
        results.append((lam, meanfield_step(docs, m, posterior.log_zeta + shift, alpha, lam, TO_THE_END)))
    (lam, stats), (far_lam, far) = results
    tolerance = {"rtol": 1e-5 if dtype == "float32" else 1e-9, "atol": 1e-6 if dtype == "float32" else 1e-12}
    np.testing.assert_allclose(far_lam, lam, **tolerance)
    np.testing.assert_allclose(far.n, stats.n, **tolerance)
    np.testing.assert_allclose(far.N.sum(), docs.lengths @ docs.weight.sum(axis=1), rtol=1e-6, atol=0)
    paid = rarer * docs.lengths @ docs.weight.sum(axis=1)
    np.testing.assert_allclose(far.bound, stats.bound - paid, rtol=1e-9, atol=0)


def test_more_rounds_never_lower_a_documents_bound(docs, posterior, alpha):
    lam, before = uniform_lambda(docs, alpha), -np.inf
    for _ in range(15):
        bounds = infer_shares(docs, posterior.m, posterior.log_zeta, alpha, lam, (1, 0.0))
        assert np.all(bounds >= before - 1e-10)
        before = bounds


@pytest.fixture
def crowd(rng):
    """Documents enough for every task, on a grid, some empty, many at the same times."""
    counts = sp.csr_array(rng.poisson(0.5, (400, 30)) * (rng.random((400, 1)) > 0.1)).astype(float)
    times = np.concatenate([rng.uniform(-1, 21, 250), rng.integers(0, 20, 150)])
    return counts, times, np.linspace(0, 20, 33)


@pytest.mark.parametrize(
    "make",
    [
        lambda z: MarkovStructure(OrnsteinUhlenbeck(3.0, 5.0), z),
        lambda z: DenseStructure(SquaredExponential(3.0, 5.0), z),
    ],
)
def test_one_thread_and_two_give_the_same_bits(crowd, rng, make, monkeypatch):
    monkeypatch.setattr(documents, "LEAST_WORK", 1)
    counts, times, nodes = crowd
    structure, alpha = make(nodes), np.full(4, 0.3)
    docs = place_documents(counts, times, structure.kernel, nodes, np.zeros(30))
    assert len(cut_tasks(docs).lowest) == TASKS
    sites = mild_sites(rng, len(nodes), 4, 30)

    def a_step():
        g, b = (x.copy() for x in sites)
        posterior = topics_at(structure, g, b, np.zeros(g.shape[2]))
        lam, stats = run(docs, posterior, alpha, (20, 1e-3))
        natural_gradient_step(
            (stats.n, stats.N),
            (posterior.m, posterior.s, posterior.log_zeta),
            posterior.own_mean(),
            0.5,
            np.full(4, 0.5),
            g,
            b,
        )
        marginals = structure.condition(g, b)
        return [lam, *stats, posterior.bounds(stats), g, b, *marginals, *structure.predict(times, g, b)]

    results = []
    for n in (1, 2):
        with threads(n):
            results.append(a_step())
    for one, two in zip(*results, strict=True):
        np.testing.assert_array_equal(one, two)


def test_tasks_cover_every_document_once_and_many_tasks_make_the_sums_of_one(crowd, rng):
    counts, times, nodes = crowd
    structure, alpha = MarkovStructure(OrnsteinUhlenbeck(3.0, 5.0), nodes), np.full(4, 0.3)
    posterior = topics_at(structure, *mild_sites(rng, len(nodes), 4, 30), np.zeros(30))
    docs = place_documents(counts, times, structure.kernel, nodes, np.zeros(30))
    starts, rows, _ = cut_tasks(docs)
    assert starts[0] == 0
    assert starts[-1] == len(times)
    assert np.all(np.diff(starts) > 0)
    assert np.all(np.diff(rows) >= 2)
    lam, stats = run(docs, posterior, alpha)
    texts = dense_texts(docs, len(nodes), 30)
    phi = np.exp(
        scipy_digamma(lam)[:, None, :]
        + np.einsum("dj,jkv->dvk", texts.W, posterior.m)
        - (texts.W @ posterior.log_zeta)[:, None, :]
    )
    phi /= phi.sum(axis=2, keepdims=True)
    np.testing.assert_allclose(stats.n, np.einsum("dj,dv,dvk->jkv", texts.W, texts.counts, phi), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(lam, best_lam(texts, phi, alpha), rtol=1e-8, atol=0)


def test_digamma_is_scipys():
    x = np.concatenate([np.logspace(-8, 6, 400), np.linspace(0.5, 8, 200)])
    call = from_python(digamma)
    np.testing.assert_allclose([call(v) for v in x], scipy_digamma(x), rtol=1e-11, atol=2e-11)


def test_documents_are_placed_in_order_of_time(counts, times, structure):
    docs = place_documents(counts, times, structure.kernel, structure.nodes, np.zeros(7))
    order = np.argsort(times, kind="stable")
    assert np.all(np.diff(docs.left) >= 0)
    texts = dense_texts(docs, len(structure.nodes), 7)
    np.testing.assert_array_equal(texts.counts, counts.toarray()[order])


def test_lengths_are_the_tokens_of_each_document(rng):
    for empty in ([], [0], [9], [0, 1, 4, 8, 9], list(range(9))):
        dense = rng.poisson(1.0, (10, 7)).astype(float)
        dense[:, 0] += 1
        dense[empty] = 0
        docs = place_documents(
            sp.csr_array(dense), np.zeros(10), OrnsteinUhlenbeck(1.0, 1.0), np.arange(2.0), np.zeros(7)
        )
        np.testing.assert_array_equal(docs.lengths, dense.sum(axis=1))


def test_taken_documents_are_the_rows_asked_for(docs, posterior, alpha):
    rows = np.array([0, 2, 3, 5])
    part, whole = docs.take(rows), dense_texts(docs, 5, 7)
    taken = dense_texts(part, 5, 7)
    assert isinstance(part, Documents)
    for x, y in zip(taken, whole, strict=True):
        np.testing.assert_array_equal(x, y[rows])
    np.testing.assert_array_equal(part.lengths, docs.lengths[rows])
    lam, _ = run(docs, posterior, alpha)
    np.testing.assert_allclose(run(part, posterior, alpha)[0], lam[rows], rtol=1e-12, atol=0)


def test_taking_only_empty_documents_is_allowed(docs):
    empty = np.flatnonzero(docs.lengths == 0)
    np.testing.assert_array_equal(docs.take(empty).lengths, np.zeros(len(empty)))


def test_single_precision_topics_give_the_double_precision_shares(docs, posterior, alpha):
    lam, stats = run(docs, posterior, alpha)
    single = uniform_lambda(docs, alpha)
    rough = meanfield_step(docs, posterior.m.astype(np.float32), posterior.log_zeta, alpha, single, TO_THE_END)
    np.testing.assert_allclose(single, lam, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(rough.n, stats.n, rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(rough.bound, stats.bound, rtol=1e-5, atol=0)
