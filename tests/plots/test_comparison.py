"""Pictures of comparisons: what is on the axes."""

import matplotlib
import numpy as np
import pytest

from chronotope.evaluate import Comparison
from chronotope.evaluate.runs import Failure, Run
from chronotope.plots import plot_comparison


def run(name, seed, perplexity):
    return Run(name, seed, perplexity, 1.0, 1.0, 1, 1, True, name, {}, {}, [-1.0], [1.0])


@pytest.fixture
def comparison():
    runs = (run("wiener", 0, 10.0), run("wiener", 1, 12.0), run("$ou$", 0, 9.0))
    return Comparison(("wiener", "$ou$", "se"), "wiener", runs, (Failure("se", 0, "no."),), "")


def points(ax):
    return [line for line in ax.get_lines() if line.get_marker() == "o"]


def test_every_seed_is_a_point_in_the_row_of_its_kernel(comparison):
    ax = plot_comparison(comparison)
    np.testing.assert_array_equal(points(ax)[0].get_xdata(), [10.0, 12.0])
    np.testing.assert_array_equal(points(ax)[0].get_ydata(), [0, 0])
    np.testing.assert_array_equal(points(ax)[1].get_xdata(), [9.0])
    assert len(points(ax)) == 2


def test_the_bar_is_one_standard_deviation_either_side(comparison):
    bar = next(line for line in plot_comparison(comparison).get_lines() if line.get_linewidth() == 7)
    np.testing.assert_allclose(bar.get_xdata(), [11 - 2**0.5, 11 + 2**0.5], rtol=1e-12)


def test_names_are_no_formulas_and_a_failed_kernel_is_named(comparison, tmp_path):
    ax = plot_comparison(comparison)
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels == ["wiener", r"\$ou\$", "se"]
    assert [text.get_text() for text in ax.texts] == ["failed"]
    assert "dashed: wiener" in ax.get_xlabel()
    ax.figure.savefig(tmp_path / "comparison.png")


def test_given_axes_are_used(comparison):
    ax = matplotlib.figure.Figure().subplots()
    assert plot_comparison(comparison, ax=ax) is ax
