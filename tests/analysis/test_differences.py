"""The model of differences: against dense Gaussians, on differences drawn from it, and on what is no parting."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from chronotope.analysis.differences import (
    BACKGROUNDS,
    CHANGES,
    PRIOR,
    RESTLESS,
    SOME,
    Observed,
    Setting,
    background,
    draw,
    shapes_of,
    shortest_interval,
    weigh,
)

J, W = 14, 60
TIMES = np.arange(J) * 0.5 + 1900


def observed(d: np.ndarray, seed: int, noise: float = 0.3) -> Observed:
    """Differences with noise of different variances.   d : (J, W)"""
    rng = np.random.default_rng(seed)
    variance = noise * rng.gamma(4.0, 0.25, d.shape) + 0.01
    return Observed(TIMES, d + np.sqrt(variance) * rng.standard_normal(d.shape), variance, np.full(J, 0.01))


def first_times(n: int) -> Observed:
    """A word at the first times only."""
    seen = observed(np.random.default_rng(1).standard_normal((J, 1)), 0)
    return Observed(TIMES[:n], seen.value[:n], seen.noise[:n], seen.thin[:n])


def test_weights_are_those_of_dense_evidence() -> None:
    seen = first_times(4)
    weights, shapes = weigh(seen), shapes_of(seen)
    at_time = {middle: (shapes.middle == middle).sum() for middle in shapes.middle}

    def log_density(setting: Setting, form: np.ndarray, size: float = 0.0) -> float:
        C = background(setting, seen.times, seen.times, seen.span) + size * np.outer(form, form)
        return float(multivariate_normal.logpdf(seen.value[:, 0], None, C + np.diag(seen.variance(setting)[0])))

    none, change = np.empty(weights.none.shape), np.empty(weights.change.shape)
    for i, setting in enumerate(BACKGROUNDS):
        kinds, nothing = [(1 - SOME, setting), (SOME, RESTLESS)], np.zeros(4)
        none[i] = np.log(PRIOR[0] / len(BACKGROUNDS)) + logsumexp(
            [np.log(c) + log_density(x, nothing) for c, x in kinds]
        )
        for h, shape in enumerate(shapes.values):
            prior = 1.0 / (at_time[shapes.middle[h]] * len(at_time) * len(BACKGROUNDS) * len(CHANGES))
            for j, (size, part) in enumerate(CHANGES):
                for side, form in enumerate((shape, 1 - shape)):
                    all_of = [np.log(c * part) + log_density(x, form, size) for c, x in kinds]
                    all_of += [np.log(c * (1 - part)) + log_density(x, nothing) for c, x in kinds]
                    change[side, i, j, h] = np.log(prior * PRIOR[1 + side]) + logsumexp(all_of)
    total = logsumexp(np.concatenate([none, change.ravel()]))
    np.testing.assert_allclose(weights.none, np.exp(none - total), rtol=1e-6)
    np.testing.assert_allclose(weights.change, np.exp(change - total), rtol=1e-6)


def test_probabilities_sum_to_one() -> None:
    weights = weigh(observed(np.zeros((J, W)), 0))
    np.testing.assert_allclose(weights.none.sum() + weights.change.sum(), 1.0, rtol=1e-9)
    times, chance = weights.when()
    np.testing.assert_allclose(chance.sum(), 1.0, rtol=1e-9)
    np.testing.assert_allclose(times, 0.5 * (TIMES[2:-1] + TIMES[1:-2]), rtol=0, atol=1e-9)  # a tenth of the text aside


def test_differences_that_begin_are_a_parting_at_that_time() -> None:
    rng = np.random.default_rng(2)
    for when in (4, 9):
        weights = weigh(observed((np.arange(J) >= when)[:, None] * rng.standard_normal(W), when))
        times, chance = weights.when()
        assert weights.parted > 0.99
        assert times[chance.argmax()] == 0.5 * (TIMES[when - 1] + TIMES[when])
        low, high = shortest_interval(times, chance, 0.95)
        assert low <= 0.5 * (TIMES[when - 1] + TIMES[when]) <= high


def test_differences_that_grow_are_a_long_parting() -> None:
    grown = np.clip(np.linspace(-0.3, 1.3, J), 0, 1)
    weights = weigh(observed(grown[:, None] * 1.5 * np.random.default_rng(3).standard_normal(W), 4, noise=0.1))
    assert weights.parted > 0.99
    assert weights.length() > 0


def test_constant_differences_and_drawing_nearer_are_no_parting() -> None:
    rng = np.random.default_rng(4)
    c = rng.standard_normal(W)
    for seed, shape in enumerate((np.ones(J), np.zeros(J), (np.arange(J) < 6).astype(float))):
        assert weigh(observed(shape[:, None] * c, seed)).parted < 0.5


def test_no_more_than_one_in_twenty_is_said_to_part_if_none_does() -> None:
    """Equal words, constant differences, and words that wander, each 20 times."""
    rng, sure = np.random.default_rng(5), 0
    root = np.linalg.cholesky(np.exp(-np.abs(TIMES[:, None] - TIMES) / 3.0) + 1e-9 * np.eye(J))
    for seed in range(20):
        constant = np.ones((J, 1)) * 0.5 * rng.standard_normal(W)
        for d in (np.zeros((J, W)), constant, constant + 0.4 * root @ rng.standard_normal((J, W))):
            sure += weigh(observed(d, seed)).parted >= 0.95
    assert sure <= 3


def test_draws_have_the_moments_of_dense_conditioning() -> None:
    """Of one word, whose posterior is a mixture of Gaussians over all settings."""
    seen, at = first_times(5), np.array([1900.2, 1901.7, 1903.0])
    weights = weigh(seen)
    both = np.concatenate([seen.times, at])
    mean, square = np.zeros(3), np.zeros(3)
    y = seen.value[:, 0]

    def moments(setting: Setting, form: np.ndarray, size: float) -> tuple[np.ndarray, np.ndarray, float]:
        K = background(setting, both, both, seen.span) + size * np.outer(form, form)
        noise = np.diag(seen.variance(setting)[0])
        gain = np.linalg.solve(K[:5, :5] + noise, K[:5, 5:]).T
        m = gain @ y
        return m, m**2 + np.diag(K[5:, 5:] - gain @ K[:5, 5:]), multivariate_normal.logpdf(y, None, K[:5, :5] + noise)

    def add(total: float, kinds: list[tuple[float, Setting, np.ndarray, float]]) -> None:
        each = [moments(*which) for _, *which in kinds]
        odds = np.array([chance for chance, *_ in kinds]) * np.exp([log for *_, log in each])
        for chance, (m, s, _) in zip(total * odds / odds.sum(), each, strict=True):
            mean[:] += chance * m
            square[:] += chance * s

    for i, setting in enumerate(BACKGROUNDS):
        nothing, kinds = np.zeros(len(both)), [(1 - SOME, setting), (SOME, RESTLESS)]
        add(weights.none[i], [(c, x, nothing, 0.0) for c, x in kinds])
        for side in (0, 1):
            for h in range(len(weights.shapes.middle)):
                form = weights.shapes.at(h, both) if side == 0 else 1 - weights.shapes.at(h, both)
                for j, (size, part) in enumerate(CHANGES):
                    with_change = [(c * part, x, form, size) for c, x in kinds]
                    without = [(c * (1 - part), x, nothing, 0.0) for c, x in kinds]
                    add(weights.change[side, i, j, h], with_change + without)
    rng = np.random.default_rng(0)
    drawn = np.concatenate([draw(seen, weights, at, 200, rng)[:, :, 0] for _ in range(30)])
    spread = np.sqrt(square - mean**2)
    np.testing.assert_allclose(drawn.mean(axis=0), mean, rtol=0, atol=0.1 * spread.max())
    np.testing.assert_allclose(drawn.std(axis=0), spread, rtol=0.1)


def test_the_shortest_interval_holds_what_it_must() -> None:
    times, chance = np.arange(6.0), np.array([0.05, 0.1, 0.6, 0.2, 0.03, 0.02])
    assert shortest_interval(times, chance, 0.5) == (2.0, 2.0)
    assert shortest_interval(times, chance, 0.8) == (2.0, 3.0)
    assert shortest_interval(times, chance, 0.9) == (1.0, 3.0)
    assert shortest_interval(times, chance, 1.0) == (0.0, 5.0)


@pytest.mark.parametrize("n", [1, 7, 90])
def test_as_many_draws_as_asked(n: int) -> None:
    seen = observed(np.zeros((J, 5)), 0)
    assert draw(seen, weigh(seen), TIMES[:3] + 0.1, n, np.random.default_rng(0)).shape == (n, 3, 5)
