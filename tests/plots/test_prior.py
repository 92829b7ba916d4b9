"""Pictures of a prior: the curves are draws of the kernel."""

import numpy as np
import pytest

import chronotope as ct
from chronotope.plots import plot_prior
from chronotope.plots.prior import draw_curves

TIMES = np.array([0.0, 1.0, 3.0, 10.0])


@pytest.mark.parametrize(
    "text", ["wiener(1, 4)", "ou(6, 5)", "cauchy(6, 5)", "se(6, 5)", "constant(4) + ou(2, 3)", "periodic(6, 1, 4)"]
)
def test_draws_have_the_covariance_of_the_kernel(text):
    kernel, n = ct.parse_kernel(text).resolve(0, 10), 40_000
    curves = draw_curves(kernel, TIMES, n, seed=0)
    K = kernel(TIMES)
    error = 4.5 * np.sqrt((np.outer(np.diag(K), np.diag(K)) + K**2) / n)  # standard errors of a covariance
    assert (np.abs(curves.T @ curves / n - K) < error).all()


def test_lines_are_the_odds_of_the_draws_in_the_order_of_time():
    ax = plot_prior("ou(6, 5)", TIMES[::-1], draws=3, seed=7)
    curves = np.exp(draw_curves(ct.OrnsteinUhlenbeck(6, 5), TIMES, 3, seed=7))
    for line, curve in zip(ax.get_lines(), curves, strict=False):
        np.testing.assert_array_equal(line.get_xdata(), TIMES)
        np.testing.assert_array_equal(line.get_ydata(), curve)
    assert len(ax.get_lines()) == 3 + 1  # and the level of the corpus
    assert ax.get_yscale() == "log"


def test_parameters_left_out_are_set_for_the_span_and_dates_are_years():
    ax = plot_prior("slow drift", ["1900-01-01", "1950-01-01", "2000-01-01"], ax=plot_prior("ou(1, 1)", TIMES).twiny())
    curves = np.exp(
        draw_curves(ct.parse_kernel("slow drift").resolve(1900, 2000), np.array([1900.0, 1950, 2000]), 5, 0)
    )
    np.testing.assert_allclose(ax.get_lines()[0].get_ydata(), curves[0], rtol=1e-12)
    assert ax.get_xlabel() == "year"


@pytest.mark.parametrize(("times", "draws", "message"), [([1.0, 1.0], 5, "1 distinct"), (TIMES, 0, "draws is 0")])
def test_what_cannot_be_drawn_is_refused(times, draws, message):
    with pytest.raises(ValueError, match=message):
        plot_prior("ou(6, 5)", times, draws)
