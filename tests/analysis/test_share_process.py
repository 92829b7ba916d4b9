"""The process of prevalence: its posterior, its evidence, and what is learned of its kernel."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit

from chronotope import parse_kernel
from chronotope.analysis.share_counts import PeriodShares
from chronotope.analysis.share_process import condition, learn_process


def observed(share: np.ndarray, effective: float, dispersion: float = 0.5) -> PeriodShares:
    P, K = share.shape
    return PeriodShares(np.arange(float(P)), share, np.full(P, effective), np.full(P, 9), np.full(K, dispersion))


def test_the_mode_is_where_likelihood_and_prior_pull_equally() -> None:
    rng = np.random.default_rng(0)
    seen = observed(rng.dirichlet(np.ones(4), 12), 10.0)
    kernel = parse_kernel("wiener(0.1, 2) + white(0.2)").resolve(0, 11)
    process = condition(seen, kernel)
    f, _ = process.predict(seen.times)
    pull = seen.weight * (seen.share - expit(f))
    np.testing.assert_allclose(kernel(seen.times) @ pull, f - process.centre, rtol=0, atol=1e-3)


def test_the_evidence_is_the_integral_over_the_logit() -> None:
    seen = observed(np.array([[0.3, 0.7]]), 40.0)
    process = condition(seen, parse_kernel("constant(0.5)"))
    total = 0.0
    for k, c in enumerate(process.centre):
        w, y = seen.weight[0, k], seen.share[0, k]

        def density(x: float, c: float = c, w: float = w, y: float = y) -> float:
            return np.exp(w * (y * (c + x) - np.logaddexp(0, c + x)) - x * x) / np.sqrt(np.pi)  # N(0, 1/2)

        total += np.log(quad(density, -5, 5, points=[0.0])[0])
    np.testing.assert_allclose(process.evidence, total, rtol=0, atol=0.02)


def test_many_documents_leave_no_doubt_and_a_gap_leaves_more() -> None:
    share = np.tile([0.25, 0.75], (8, 1))
    seen = observed(share, 1e5)
    kept = np.array([0, 1, 2, 6, 7])
    gap = PeriodShares(seen.times[kept], share[kept], seen.effective[kept], seen.documents[kept], seen.dispersion)
    kernel = parse_kernel("wiener(0.1, 2)").resolve(0, 7)
    mean, variance = condition(gap, kernel).predict(seen.times)
    np.testing.assert_allclose(expit(mean[kept]), share[kept], rtol=1e-3)
    assert variance[4].min() > 100 * variance[1].max()


def test_unset_parameters_are_learned_and_numbers_stay() -> None:
    rng = np.random.default_rng(3)
    f = np.cumsum(rng.normal(0, 0.3, (60, 12)), axis=0) - 2.5
    seen = observed(expit(f), 5_000.0)
    found = learn_process(seen, parse_kernel("wiener(initial_variance=3) + white")).structure.kernel.parameters
    assert found["0.initial_variance"] == 3
    np.testing.assert_allclose(found["0.variance"], 0.09, rtol=0.25)
    assert found["1.variance"] < 0.02  # type: ignore[operator]
    fixed = learn_process(seen, parse_kernel("wiener(0.2, 3, 0) + white(0.3)")).structure.kernel
    assert fixed == parse_kernel("wiener(0.2, 3, 0) + white(0.3)")


@pytest.mark.slow
def test_a_season_is_repeated_and_its_period_is_not_learned() -> None:
    season = 0.8 * np.sin(2 * np.pi * np.arange(48) / 12)  # months in years
    seen = observed(expit(np.column_stack([season, -season])), 200.0)._replace(times=np.arange(48) / 12)
    process = learn_process(seen, parse_kernel("wiener + periodic"))
    assert process.structure.kernel.parameters["1.period"] == 1
    mean, _ = process.predict(np.arange(48, 60) / 12)
    np.testing.assert_allclose(mean[:, 0], season[:12], rtol=0, atol=0.15)
