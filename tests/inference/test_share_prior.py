"""Prevalence: tables and their gradient, what is learned of planted curves, groups and numbers, and its bands."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from scipy.special import gammaln, softmax

from chronotope._typing import Floats
from chronotope.gp import JointPosterior
from chronotope.inference.share_prior import SharePrior, group_prior
from chronotope.inference.share_tables import Covariates, learn_concentration
from chronotope.kernels import Kernel, as_kernel

NODES = np.array([0.0, 2.0, 5.0, 6.0])
KERNEL = "constant(0.5) + ou(0.5, 8)"


def kernel_of(text: str = KERNEL) -> Kernel:
    kernel = as_kernel(text)
    assert isinstance(kernel, Kernel)
    return kernel


def new(alpha: Floats, G: int = 1, P: int = 0, nodes: Floats = NODES, free: bool = False) -> SharePrior:
    kernel = kernel_of()
    return SharePrior.new(kernel, np.full(len(kernel.theta), free), nodes, G, P, alpha)


def covariates(times: Floats, group: np.ndarray | int = 0, numbers: Floats | None = None) -> Covariates:
    groups = np.broadcast_to(np.asarray(group), times.shape).astype(np.int64)
    return Covariates(times, groups, np.zeros((len(times), 0)) if numbers is None else numbers)


def log_likelihood(tokens: Floats, alpha: Floats) -> float:
    """log p of the topics of tokens, θ integrated out; without what does not depend on α."""
    lengths, total = tokens.sum(axis=1), alpha.sum(axis=1)
    own = (gammaln(alpha + tokens) - gammaln(alpha)).sum(axis=1)
    return float((own + gammaln(total) - gammaln(total + lengths)).sum())


class Planted(NamedTuple):
    """Documents with planted prevalence.   pi : (T, G, K) shares at the times (T,);  tokens : (D, K)."""

    times: Floats
    pi: Floats
    at: Covariates
    tokens: Floats


def plant(K: int, G: int, seed: int, docs: int = 20, length: int = 60, A: float = 1.0) -> Planted:
    """Curves drawn from the prior at thirty times, hardly any documents at five of them."""
    rng, times = np.random.default_rng(seed), np.arange(30.0)
    root = np.linalg.cholesky(kernel_of()(times) + 1e-9 * np.eye(30))
    common, own = (np.einsum("ts,sgk->tgk", root, rng.normal(size=(30, n, K))) for n in (1, G))
    shared = 0.8 if G > 1 else 1.0
    pi = softmax(rng.normal(0, 0.7, K) + np.sqrt(shared) * common + np.sqrt(1 - shared) * own, axis=2)
    time, group = np.repeat(times, docs * G), np.tile(np.repeat(np.arange(G), docs), 30)
    kept = rng.random(len(time)) < np.where((time > 10) & (time < 16), 0.02, 1.0)
    time, group = time[kept], group[kept]
    theta = [rng.dirichlet(np.maximum(A * pi[int(t), g], 1e-6)) for t, g in zip(time, group, strict=True)]
    tokens = np.array([rng.multinomial(length, shares) for shares in theta], dtype=np.float64)
    return Planted(times, pi, covariates(time, group), tokens)


def learned(planted: Planted, free: bool = True, updates: int = 40) -> SharePrior:
    G, K = planted.pi.shape[1:]
    prior = new(np.full(K, 1.0 / K), G, nodes=np.unique(planted.at.times), free=free)
    for _ in range(updates):
        alpha = prior.alpha(planted.at)
        prior.update(planted.at, planted.tokens + alpha, alpha, len(planted.tokens), 1.0)
    prior.add_doubt()
    return prior


def learned_in_doubt(planted: Planted, alike: float, rng: np.random.Generator, updates: int = 60) -> SharePrior:
    """What is learned if only words are known: of each topic's tokens, this part is spread over the words of all."""
    K = planted.tokens.shape[1]
    words = (1.0 - alike) * np.eye(K) + alike / K  # (K, V), V = K
    seen = sum(rng.multinomial(planted.tokens[:, k].astype(int), words[k]) for k in range(K))  # (D, V)
    prior, n = new(np.full(K, 1.0 / K), nodes=np.unique(planted.at.times), free=True), np.asarray(seen, dtype=float)
    for _ in range(updates):
        alpha = prior.alpha(planted.at)
        theta = rng.standard_gamma(alpha + n) + 1e-300
        topic = theta[:, None] * words.T  # (D, V, K)
        n = rng.multinomial(seen, topic / topic.sum(axis=2, keepdims=True)).sum(axis=1).astype(float)
        prior.update(planted.at, n + alpha, alpha, len(n), 1.0)
    return prior


def draws(prior: SharePrior, times: Floats, n: int = 200) -> Floats:
    """Shares drawn from the posterior, (n, T, G, K)."""
    rng, sites = np.random.default_rng(1), prior.eta.sites()
    if sites.common is None:
        return np.stack([softmax(sites.draw(times, rng) + prior.eta.mean, axis=2) for _ in range(n)])
    drawn = JointPosterior(sites).draws(times, range(prior.eta.m.shape[1]), n, rng)
    return softmax(drawn + prior.eta.mean, axis=3)


# tables and their gradient


def test_expected_tables_and_their_variance_are_those_of_a_chinese_restaurant(rng):
    """A token sits alone with probability α/(α + tokens before it)."""
    prior, alpha = new(np.array([0.7, 1.6])), np.array([[0.7, 1.6]])
    tokens = np.array([[9.0, 4.0]])
    found = prior.tables_of(covariates(np.array([2.0])), alpha + tokens, alpha)
    for k in range(2):
        alone = alpha[0, k] / (alpha[0, k] + np.arange(tokens[0, k]))
        assert found.n[1, 0, k] == pytest.approx(alone.sum(), rel=1e-12)
        assert found.missing[k] == pytest.approx((alone * (1 - alone)).sum(), rel=1e-9)


def test_tables_less_those_expected_are_the_gradient_of_the_likelihood(rng):
    """With respect to η at the nodes, of documents at nodes and between them, and with respect to β."""
    G, K, D = 2, 3, 40
    prior = new(rng.gamma(1.0, 1.0, K) + 0.1, G, P=1)
    prior.eta.m, prior.eta.s = rng.normal(size=(len(NODES), G, K)), np.zeros((len(NODES), G, K))
    prior.beta = rng.normal(size=(1, K))
    at = covariates(rng.uniform(0, 6, D), rng.integers(0, G, D), rng.normal(size=(D, 1)))
    tokens = rng.poisson(3.0, (D, K)).astype(np.float64)
    alpha = prior.alpha(at)
    found = prior.tables_of(at, tokens + alpha, alpha)
    for values, gradient in ((prior.eta.m, found.n - found.expected), (prior.beta, found.gradient)):
        numerical = np.empty_like(values)
        for place in np.ndindex(values.shape):
            kept, sides = values[place], []
            for step in (-1e-5, 1e-5):
                values[place] = kept + step
                sides.append(log_likelihood(tokens, prior.alpha(at)))
            values[place] = kept
            numerical[place] = (sides[1] - sides[0]) / 2e-5
        np.testing.assert_allclose(gradient, numerical, rtol=1e-5, atol=1e-6)


def test_updates_end_where_the_gradient_is_the_pull_of_the_prior(rng):
    planted = plant(3, 1, seed=0)
    prior = learned(planted, free=False, updates=200)
    alpha = prior.alpha(planted.at)
    found = prior.tables_of(planted.at, planted.tokens + alpha, alpha)
    e = prior.eta.m - prior.eta.own_mean()[:, None]
    pull = np.linalg.solve(kernel_of()(prior.eta.prior.nodes), e[:, 0])
    np.testing.assert_allclose((found.n - found.expected)[:, 0], pull, atol=0.02 * np.abs(pull).max())


def test_the_concentration_is_found(rng):
    pi = rng.dirichlet(np.ones(5), 2000)
    tokens = np.array([rng.multinomial(80, rng.dirichlet(2.5 * row + 1e-9)) for row in pi], dtype=np.float64)
    assert learn_concentration(0.3, tokens, pi, rounds=200) == pytest.approx(2.5, rel=0.1)
    assert learn_concentration(0.3, 0 * tokens, pi) == 0.3  # without tokens nothing is learned


# what is learned


def test_planted_prevalence_is_recovered_also_in_a_gap():
    planted = plant(5, 1, seed=1)
    found = draws(learned(planted), planted.times).mean(axis=0)
    error, spread = np.abs(found - planted.pi).mean(), np.abs(planted.pi - planted.pi.mean(axis=0)).mean()
    assert error < 0.6 * spread


def test_prevalence_varies_as_much_where_the_topics_of_tokens_are_in_doubt(rng):
    """What doubt there is follows from the changes between passes; it is no noise, and not information either."""
    errors = []
    for seed in (8, 9):
        planted = plant(5, 1, seed=seed, length=20)
        known, doubted = learned(planted), learned_in_doubt(planted, 0.4, rng)
        part = [prior.tables.between.sum() / prior.tables.n.sum() for prior in (known, doubted)]
        assert part[0] < 1e-3 < 0.04 < part[1] < 0.2
        errors.append(doubted.eta.prior.kernel.theta[1] - known.eta.prior.kernel.theta[1])  # log variance of the OU
    assert np.mean(np.abs(errors)) < 0.35


def test_the_order_of_the_groups_does_not_matter():
    planted = plant(3, 2, seed=2)
    exchanged = planted._replace(at=planted.at._replace(group=1 - planted.at.group))
    before, after = (learned(given, updates=1) for given in (planted, exchanged))  # before the kernel is learned
    np.testing.assert_allclose(before.eta.m[:, ::-1], after.eta.m, rtol=1e-9, atol=1e-12)
    one, other = (learned(given, updates=12) for given in (planted, exchanged))
    np.testing.assert_allclose(one.eta.m[:, ::-1], other.eta.m, atol=1e-3)  # the search for a kernel is less exact
    assert one.eta.prior.share == pytest.approx(other.eta.prior.share, rel=1e-3)


def test_one_group_alone_is_no_group():
    planted = plant(3, 1, seed=3)
    assert learned(planted, updates=3).eta.prior.common is None


def test_a_group_of_one_document_stays_near_what_all_share():
    planted = plant(4, 2, seed=4)
    chosen = np.flatnonzero((planted.at.group == 0) | (np.arange(len(planted.tokens)) == len(planted.tokens) - 1))
    prior = learned(planted._replace(at=planted.at.take(chosen), tokens=planted.tokens[chosen]))
    times, last = planted.at.times[chosen], planted.tokens[-1] / planted.tokens[-1].sum()
    alone, unknown = (prior.alpha(covariates(times, group)) / prior.A for group in (1, -1))
    assert np.abs(alone - unknown).mean() < 0.05
    assert np.abs(alone - unknown).mean() < 0.2 * np.abs(last - unknown).mean()  # its document's own shares


def test_groups_that_do_not_differ_share_nearly_all():
    planted = plant(4, 1, seed=5, docs=40)
    group = np.arange(len(planted.tokens)) % 2
    alike = planted._replace(at=planted.at._replace(group=group), pi=np.repeat(planted.pi, 2, axis=1))
    assert learned(alike).eta.prior.share > 0.9 > learned(plant(4, 2, seed=5)).eta.prior.share - 0.09


def test_the_effect_of_a_number_is_found_within_its_interval(rng):
    beta, D = np.array([0.8, 0.0, -0.8]), 1500
    x = rng.normal(size=(D, 1))
    theta = [rng.dirichlet(1.5 * row) for row in softmax(x * beta, axis=1)]
    tokens = np.array([rng.multinomial(50, shares) for shares in theta], dtype=np.float64)
    at = covariates(rng.choice(NODES, D), 0, x)
    prior = new(np.full(3, 0.5), P=1)
    for _ in range(40):
        alpha = prior.alpha(at)
        prior.update(at, tokens + alpha, alpha, D, 1.0)
    prior.add_doubt()
    found, sd = prior.beta[0] - prior.beta[0].mean(), 1 / np.sqrt(prior.precision[0])
    assert np.all(np.abs(found - beta) < 3.5 * sd)
    assert np.all(sd < 0.12)


def test_minibatches_find_what_the_whole_corpus_does():
    planted, rng = plant(3, 2, seed=6, docs=30), np.random.default_rng(0)
    whole = learned(planted)
    prior = new(np.full(3, 1 / 3), 2, nodes=np.unique(planted.at.times), free=True)
    D = len(planted.tokens)
    for step in range(80):
        rows = np.sort(rng.choice(D, D // 4, replace=False))
        at = planted.at.take(rows)
        alpha = prior.alpha(at)
        prior.update(at, planted.tokens[rows] + alpha, alpha, D, (step + 1.0) ** -0.6)
    prior.add_doubt()
    shares = [model.alpha(planted.at) / model.A for model in (whole, prior)]
    assert np.abs(shares[0] - shares[1]).mean() < 0.02
    assert pytest.approx(whole.A, rel=0.1) == prior.A


def test_a_prior_without_a_common_part_has_the_whole_kernel():
    kernel = kernel_of()
    alone, shared = (group_prior(kernel, NODES, share) for share in (0.0, 0.25))
    assert alone.own.kernel == kernel
    assert shared.common is not None
    np.testing.assert_allclose(shared.own.kernel(NODES) + shared.common.kernel(NODES), kernel(NODES), rtol=1e-12)


# what its bands hold


@pytest.mark.slow
@pytest.mark.parametrize("K", [2, 5, 20])
@pytest.mark.parametrize("G", [1, 3])
def test_bands_of_90_percent_hold_the_truth_as_often(K: int, G: int):
    held, apart = [], []
    for seed in range(2):
        planted = plant(K, G, seed)
        drawn = draws(learned(planted), planted.times, 100)
        held.append(within(drawn, planted.pi))
        apart.append(within(drawn - drawn[:, :, :1], planted.pi - planted.pi[:, :1]) if G > 1 else 0.9)
    assert 0.83 < np.mean(held) < 0.97
    assert 0.8 < np.mean(apart) < 0.97


def within(drawn: Floats, truth: Floats) -> float:
    """How often bands of draws hold the truth."""
    low, high = np.quantile(drawn, [0.05, 0.95], axis=0)
    varies = low < high  # not the difference of a group and itself
    return float(((low <= truth) & (truth <= high))[varies].mean())
