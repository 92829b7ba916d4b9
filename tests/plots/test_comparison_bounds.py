"""Pictures of the bound: what is on the axes."""

import matplotlib
import numpy as np
import pytest

import chronotope as ct
from chronotope.plots import plot_bounds


@pytest.fixture(scope="module")
def model():
    counts = np.random.default_rng(0).poisson(2.0, (20, 5))
    return ct.DynamicTopicModel(2, "ou(2, 10)", max_epochs=5, verbose=False).fit(ct.Corpus(counts, np.arange(20.0)))


def test_lines_are_the_bounds_of_models_and_of_pairs(model):
    lines = plot_bounds({"fitted": model, "given": ([10, 20, 30], [-5.0, -4.0, -3.5])}).get_lines()
    np.testing.assert_array_equal(lines[0].get_xdata(), model.documents_seen_)
    np.testing.assert_array_equal(lines[0].get_ydata(), model.bounds_)
    np.testing.assert_array_equal(lines[1].get_ydata(), [-5.0, -4.0, -3.5])


def test_the_legend_has_the_highest_bound_first_and_no_formulas():
    ax = plot_bounds({"low": ([1, 2], [-3.0, -2.0]), "$high$": ([1, 2], [-4.0, -1.0])})
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [r"\$high\$", "low"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("documents seen", "bound (ELBO)")


def test_lines_differ_in_colour_and_dash():
    lines = plot_bounds({str(i): ([1, 2], [0.0, i]) for i in range(20)}).get_lines()
    assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == 20


def test_given_axes_are_used(model):
    ax = matplotlib.figure.Figure().subplots()
    assert plot_bounds({"model": model}, ax=ax) is ax


def test_refusals_are_sentences():
    with pytest.raises(ValueError, match="no models were given"):
        plot_bounds({})
    with pytest.raises(ValueError, match="mine has 2 numbers of documents but 3 bounds"):
        plot_bounds({"mine": ([1, 2], [1.0, 2.0, 3.0])})
    with pytest.raises(ValueError, match="mine has no bounds yet"):
        plot_bounds({"mine": ([], [])})
    with pytest.raises(ValueError, match="mine is 3; pass a fitted model"):
        plot_bounds({"mine": 3})
