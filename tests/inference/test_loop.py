"""In batch mode the bound never falls."""

import numpy as np
import pytest
import scipy.sparse as sp
from kernels.conftest import MARKOV, NOT_MARKOV
from planted import place_documents

from chronotope.gp import Posterior, Sites, topic_prior
from chronotope.inference.init import starting_point
from chronotope.inference.loop import (
    PACE,
    PATIENCE,
    RESTART,
    count_idle,
    fit_minibatches,
    fit_whole,
    further_sweeps,
    mean_gain,
    recent_gain,
    shuffled,
)
from chronotope.inference.pace import Pace
from chronotope.inference.posterior import TopicPosterior
from chronotope.inference.state import Progress, Settings, State
from chronotope.inference.statistics import Statistics
from chronotope.kernels import Matern, OrnsteinUhlenbeck, SquaredExponential

D, V, K = 40, 12, 3
ALPHA = np.full(K, 0.4)


def corpus(seed=0):
    """Documents of drifting topics, long enough to bend the posterior, at eight irregular times."""
    rng = np.random.default_rng(seed)
    stamps = np.sort(rng.uniform(-2, 3, 8))
    stamp = rng.integers(0, 8, D)
    start, drift = rng.normal(0, 2, (K, V)), rng.normal(0, 0.8, (K, V))
    logits = start + stamps[stamp][:, None, None] * drift
    words = np.exp(logits) / np.exp(logits).sum(axis=2, keepdims=True)
    shares = rng.dirichlet(ALPHA, D)
    counts = [rng.multinomial(60, share @ topics) for share, topics in zip(shares, words, strict=True)]
    return sp.csr_array(np.array(counts, dtype=float)), stamps[stamp]


def fit(kernel, nodes=None, learn=False, epochs=25, init="samples"):
    counts, times = corpus()
    prior = topic_prior(kernel, np.unique(times) if nodes is None else nodes)
    docs = place_documents(counts, times, kernel, prior.nodes, np.zeros(V))
    topics = starting_point(init, docs, V, len(prior.nodes), ALPHA, False, np.random.default_rng(0)).topics
    posterior, progress = (
        TopicPosterior(prior, topics, np.zeros(topics.shape[-1]), "float64"),
        Progress(ALPHA.copy()),
    )
    fit_whole(
        docs,
        State(posterior, progress, np.random.default_rng(0)),
        Settings("mean-field", epochs, 0.0, learn, D, 1.0, 0.6),
        lambda progress: None,
    )
    return posterior, progress


def smallest_increase(bounds):
    return np.diff(bounds).min() / np.abs(bounds[-1])


@pytest.mark.parametrize("learn", [False, True], ids=["alpha given", "alpha learned"])
@pytest.mark.parametrize("kernel", [*MARKOV, *NOT_MARKOV], ids=str)
def test_the_bound_never_falls(kernel, learn):
    _, progress = fit(kernel, learn=learn)
    assert smallest_increase(progress.bounds) >= -1e-10
    assert progress.bounds[-1] > progress.bounds[0] + 1.0
    assert np.any(progress.alpha != ALPHA) == learn


@pytest.mark.parametrize("init", ["samples", "documents", "lda"])
@pytest.mark.parametrize("kernel", [OrnsteinUhlenbeck(6.0, 2.0), Matern(6.0, 2.0, 1.5), SquaredExponential(6.0, 2.0)])
def test_the_bound_never_falls_on_a_grid(kernel, init):
    _, progress = fit(kernel, nodes=np.linspace(-1.5, 2.5, 5), init=init)
    assert smallest_increase(progress.bounds) >= -1e-10


@pytest.mark.parametrize("kernel", [OrnsteinUhlenbeck(6.0, 2.0), SquaredExponential(6.0, 2.0)], ids=str)
@pytest.mark.parametrize("tokens", [10.0, 1e3, 1e6])
def test_ascending_lowers_no_topics_bound_and_does_raise_it(kernel, tokens):
    rng = np.random.default_rng(1)
    prior = topic_prior(kernel, np.linspace(0, 5, 6))
    n = tokens * rng.dirichlet(np.full(V, 0.05), (6, K))  # a few words have nearly everything: steps overshoot
    stats = Statistics(n, n.sum(axis=2), 0.0)
    posterior = TopicPosterior(prior, np.full((K, V), 1 / V), np.zeros(V), "float64")
    with posterior.no_descent(stats):
        posterior.step(stats, posterior.step_size, 1.0)
    first = before = posterior.bounds(stats)
    for epoch in range(40):
        with posterior.no_descent(stats):
            posterior.step(stats, posterior.step_size, 0.5**epoch if epoch < 10 else 0.0)
        after = posterior.bounds(stats)
        assert np.all(after >= before)
        before = after
    assert np.all(before > first)


def test_a_refused_step_leaves_the_topic_as_it_was_and_halves_its_next():
    rng = np.random.default_rng(1)
    prior = topic_prior(OrnsteinUhlenbeck(6.0, 2.0), np.linspace(0, 5, 6))
    n = rng.gamma(0.3, 30.0, (6, K, V))
    stats = Statistics(n, n.sum(axis=2), 0.0)
    posterior = TopicPosterior.from_sites(Posterior(prior, Sites(*np.zeros((2, 6, K, V))), None), np.zeros(V))
    for _ in range(100):
        posterior.step(stats, 0.5, 0.0)  # at the top: every further step is lower, or the same to rounding
    posterior.bounds = lambda stats: (
        np.array([0.0, -np.inf, np.nan]) + (posterior.step_calls == 0) * np.array([0, 1, 1])
    )
    posterior.step_calls = 0
    kept = {name: getattr(posterior, name).copy() for name in ("g", "b", "m", "s", "kl", "log_zeta")}
    step = posterior.step

    def counted(*args):
        posterior.step_calls += 1
        step(Statistics(2 * n, 2 * n.sum(axis=2), 0.0), *args[1:])

    posterior.step = counted
    sizes = posterior.step_size.copy()
    with posterior.no_descent(stats):
        posterior.step(stats, posterior.step_size, 0.0)
    for name, value in kept.items():
        axis = 0 if name == "kl" else 1
        now = getattr(posterior, name)
        assert np.any(now.take(0, axis) != value.take(0, axis))
        np.testing.assert_array_equal(now.take([2], axis), value.take([2], axis))
    np.testing.assert_array_equal(posterior.step_size[[0, 2]], [sizes[0], 0.5 * sizes[2]])


def test_a_fit_ends_by_itself_when_the_bound_no_longer_rises():
    counts, times = corpus()
    prior = topic_prior(OrnsteinUhlenbeck(6.0, 2.0), np.unique(times))
    docs = place_documents(counts, times, prior.kernel, prior.nodes, np.zeros(V))
    topics = starting_point("samples", docs, V, 8, ALPHA, False, np.random.default_rng(0)).topics
    posterior, progress = TopicPosterior(prior, topics, np.zeros(topics.shape[-1]), "float64"), Progress(ALPHA)
    settings = Settings("mean-field", 500, 1e-4, False, D, 1.0, 0.6)
    fit_whole(docs, State(posterior, progress, np.random.default_rng(0)), settings, lambda progress: None)
    assert progress.converged
    assert progress.steps < 500
    assert progress.documents == progress.steps * D
    assert recent_gain(progress, settings) < 1e-4
    np.testing.assert_allclose(progress.mass.sum(), counts.sum(), rtol=1e-9, atol=0)


def test_minibatches_come_near_the_bound_of_the_whole():
    posterior, whole = fit(OrnsteinUhlenbeck(6.0, 2.0), epochs=60)
    counts, times = corpus()
    docs = place_documents(counts, times, posterior.prior.kernel, posterior.prior.nodes, np.zeros(V))
    topics = starting_point("samples", docs, V, 8, ALPHA, False, np.random.default_rng(0)).topics
    stochastic, progress = (
        TopicPosterior(posterior.prior, topics, np.zeros(topics.shape[-1]), "float64"),
        Progress(ALPHA),
    )
    settings = Settings("mean-field", 60, 0.0, False, 10, 1.0, 0.6)
    fit_minibatches(docs, State(stochastic, progress, np.random.default_rng(0)), settings, lambda progress: None)
    late = np.mean(progress.bounds[-8:])
    assert abs(late - whole.bounds[-1]) < 0.03 * abs(whole.bounds[-1])
    assert progress.steps * 10 == progress.documents


def test_a_pass_counts_as_idle_only_beside_a_whole_one():
    bounds = [-10.0, -2.0, -9.0, -1.0, -10.0]  # long documents in every second minibatch; the first step has no bound
    assert mean_gain(bounds, 3) == np.inf
    assert mean_gain([-9.0, *bounds], 3) == pytest.approx((7 - 20 / 3) / (20 / 3))


def passes_until_converged(predicted, tolerance, learning=None):
    """After how many of these predictions a sampled fit ends, None if it never does."""
    progress, settings = Progress(ALPHA), Settings("sampled", 99, 0.0, False, D, 1.0, 1.0, learning=learning)
    for i, value in enumerate(predicted):
        progress.predicted.append(value)
        count_idle(progress, recent_gain(progress, settings), tolerance)
        if progress.converged:
            return i + 1
    return None


def test_a_sampled_fit_ends_when_predictions_no_longer_improve_twice_in_a_row():
    rising = [-1000.0 + i for i in range(40)]
    assert passes_until_converged(rising, 1e-5) is None
    assert passes_until_converged([-1000.0] * 40, 1e-5) == 2 * RESTART + PATIENCE - 1
    assert passes_until_converged([*rising, *[rising[-1]] * 20], 1e-5) > 40
    falling = [-1000.0 - i for i in range(40)]
    assert passes_until_converged(falling, 1e-5) == 2 * RESTART + PATIENCE - 1


def test_passes_before_the_pace_is_learned_do_not_count():
    """A quicker kernel may predict the documents it was fitted to less well: that is no end."""
    fall = [-1000.0 + i for i in range(PACE - 1)] + [-1100.0 + i for i in range(20)]
    pace = Pace(np.ones(1, bool), np.ones(1, bool), np.zeros(1, bool))
    assert passes_until_converged(fall, 1e-5) is not None
    assert passes_until_converged(fall, 1e-5, pace) is None
    assert passes_until_converged([-1000.0] * 40, 1e-5, pace) == PACE - 1 + 2 * RESTART + PATIENCE - 1


def test_one_pass_without_gain_is_not_the_end():
    progress = Progress(ALPHA)
    for gain in (0.0, 1.0, 0.0):
        count_idle(progress, gain, 1e-5)
        assert not progress.converged
    count_idle(progress, 0.0, 1e-5)
    assert progress.converged


def test_sampled_statistics_say_what_they_predict_and_a_mean_field_its_bound():
    progress = Progress(ALPHA)
    progress.add(Statistics(np.empty(0), np.empty(0), -10.0, -7.0), 1.0, 2.0)
    progress.add(Statistics(np.empty(0), np.empty(0), -10.0), 1.0, 2.0)
    assert progress.bounds == [-21.0, -21.0]
    assert progress.predicted == [-14.0, -21.0]


def test_more_sweeps_are_made_where_the_global_step_costs_more():
    burn_in = [further_sweeps(cells)[0] for cells in (0.0, 1.0, 10.0, 100.0, 1e6)]
    assert burn_in == sorted(burn_in)
    assert burn_in[0] == 0 < burn_in[2] < burn_in[-1] == burn_in[-2]
    assert {further_sweeps(cells)[1] for cells in (0.0, 10.0, 1e6)} == {2}


def test_outlying_documents_come_last_and_leave_the_order_of_the_others():
    times = np.linspace(1900.0, 2000.0, D)
    counts, kernel, nodes = sp.csr_array(np.ones((D + 2, V))), OrnsteinUhlenbeck(6.0, 20.0), np.array([1900.0, 2000.0])
    alone = place_documents(counts[:D], times, kernel, nodes, np.zeros(V))
    with_them = place_documents(counts, np.concatenate([[1000.0], times, [9999.0]]), kernel, nodes, np.zeros(V))
    before, after = (shuffled(docs, np.random.default_rng(3)) for docs in (alone, with_them))
    np.testing.assert_array_equal(with_them.number[after][:D], alone.number[before])
    np.testing.assert_array_equal(after[D:], [0, D + 1])
