"""What the text of a period says about prevalence: its shares, and how many documents they are worth."""

from __future__ import annotations

import numpy as np
import pytest

from chronotope.analysis.share_counts import dispersion, observe

MIDDLES = np.arange(5) + 0.5


def documents(rng: np.random.Generator, n: int, concentration: float, length: float = 50.0) -> np.ndarray:
    """Tokens of n documents with Dirichlet shares; their dispersion is 1 / (1 + concentration)."""
    return length * rng.dirichlet(concentration * np.array([0.2, 0.3, 0.5]), n)


def test_shares_are_those_of_all_tokens_of_a_period_and_empty_periods_are_left_out() -> None:
    tokens = np.array([[3.0, 1.0], [0.0, 4.0], [2.0, 2.0], [0.0, 0.0], [9.0, 9.0]])
    seen = observe(tokens, np.array([0, 0, 3, 2, -1]), MIDDLES)
    np.testing.assert_array_equal(seen.times, [0.5, 3.5])
    np.testing.assert_allclose(seen.share, [[3 / 8, 5 / 8], [0.5, 0.5]], rtol=1e-12)
    np.testing.assert_array_equal(seen.documents, [2, 1])
    np.testing.assert_allclose(seen.effective, [2.0, 1.0], rtol=1e-12)
    np.testing.assert_allclose(seen.weight, seen.effective[:, None] / seen.dispersion, rtol=1e-12)


def test_long_documents_count_for_fewer_than_they_are() -> None:
    tokens = np.array([[90.0, 0.0], [0.0, 5.0], [5.0, 0.0]])
    assert 1.0 < observe(tokens, np.zeros(3, np.int64), MIDDLES).effective[0] < 1.3


@pytest.mark.parametrize("per_period", [1, 2, 10])
@pytest.mark.parametrize("concentration", [0.5, 4.0])
def test_dispersion_is_that_of_the_documents(per_period: int, concentration: float) -> None:
    rng = np.random.default_rng(0)
    tokens = documents(rng, 9_000, concentration) * rng.gamma(3.0, 1.0, (9_000, 1))  # of different lengths
    row = np.arange(len(tokens)) // per_period
    np.testing.assert_allclose(dispersion(tokens, row), 1 / (1 + concentration), rtol=0.1)


def test_documents_of_one_topic_each_have_dispersion_one_and_equal_ones_the_least() -> None:
    alone = np.eye(3)[np.random.default_rng(0).integers(3, size=400)]
    np.testing.assert_allclose(dispersion(alone, np.arange(400) // 8), 1.0, rtol=1e-9)
    equal = np.full((20, 3), 2.0)
    np.testing.assert_allclose(dispersion(equal, np.arange(20) // 4), 1e-3, rtol=1e-9)


def test_the_variance_of_shares_is_that_of_the_docstring() -> None:
    rng = np.random.default_rng(1)
    tokens = documents(rng, 40_000, 2.0) * rng.gamma(2.0, 0.5, (40_000, 1))
    seen = observe(tokens, np.arange(40_000) // 20, np.arange(2_000.0))
    pi = np.array([0.2, 0.3, 0.5])
    expected = seen.dispersion * pi * (1 - pi) * np.mean(1 / seen.effective)
    np.testing.assert_allclose(seen.share.var(axis=0), expected, rtol=0.1)


def test_a_topic_without_text_has_the_dispersion_of_the_others() -> None:
    tokens = np.column_stack([documents(np.random.default_rng(2), 300, 1.0), np.zeros(300)])
    phi = dispersion(tokens, np.arange(300) // 5)
    assert phi[:3].min() <= phi[3] <= phi[:3].max()


def test_without_text_nothing_is_observed() -> None:
    seen = observe(np.zeros((3, 2)), np.array([0, 1, 2]), MIDDLES)
    assert seen.share.shape == (0, 2)
    assert len(seen.times) == 0
