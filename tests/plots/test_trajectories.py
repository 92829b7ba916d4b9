"""Pictures: what is on the axes, not how it looks."""

import matplotlib
import numpy as np
import pytest

import chronotope as ct
from chronotope.plots import compare_trajectories, plot_trajectories
from chronotope.plots.axes import plain

WORDS = ["war", "$tax$", "peace", "wheat_x^2"]


@pytest.fixture(scope="module")
def topics():
    rng = np.random.default_rng(0)
    counts = rng.multinomial(20, [0.4, 0.3, 0.2, 0.1], size=24)
    corpus = ct.Corpus(counts, np.repeat(np.arange(1900, 1912), 2), WORDS, calendar=True)
    return ct.DynamicTopicModel(2, "ou(2, 10)", max_epochs=3, verbose=False).fit(corpus).topics_


def test_a_line_a_band_and_a_label_for_every_word(topics):
    ax = plot_trajectories(topics, 0, ["war", "peace"])
    assert len(ax.get_lines()) == len(ax.collections) == len(ax.texts) == 2
    assert {text.get_text() for text in ax.texts} == {"war", "peace"}
    assert ax.get_xlabel() == "year"


def test_lines_are_the_trajectory(topics):
    times = [1901.0, 1905.5, 1909.0]
    ax = plot_trajectories(topics, 1, ["war"], times=times)
    curve = topics.trajectory(1, "war", times)
    np.testing.assert_allclose(ax.get_lines()[0].get_ydata(), curve["mean"], rtol=1e-12)
    np.testing.assert_allclose(ax.get_lines()[0].get_xdata(), times, rtol=1e-12)


def test_a_higher_level_gives_a_wider_band(topics):
    heights = [
        np.ptp(plot_trajectories(topics, 0, ["war"], level=level).collections[0].get_paths()[0].vertices[:, 1])
        for level in (0.5, 0.99)
    ]
    assert heights[1] > heights[0]


def test_top_words_by_default(topics):
    labels = {line.get_label() for line in plot_trajectories(topics, 0).get_lines()}
    assert labels == {plain(word) for word in WORDS}


def test_words_with_dollar_signs_are_no_formulas(topics, tmp_path):
    ax = plot_trajectories(topics, 0, ["$tax$", "wheat_x^2"])
    assert not any(matplotlib.cbook.is_math_text(text.get_text()) for text in ax.texts)
    ax.figure.savefig(tmp_path / "words.png")
    assert (tmp_path / "words.png").stat().st_size > 1000


def test_labels_do_not_cover_each_other(topics):
    boxes = [text.get_window_extent() for text in plot_trajectories(topics, 0, WORDS).texts]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_percent_and_years_on_the_axes(topics):
    ax = plot_trajectories(topics, 0, ["war"])
    ax.figure.draw_without_rendering()
    assert all(tick.get_text().endswith("%") for tick in ax.get_yticklabels())
    assert all(len(tick.get_text()) == 4 for tick in ax.get_xticklabels())


def test_given_axes_are_used(topics):
    ax = matplotlib.figure.Figure().subplots()
    assert plot_trajectories(topics, 0, ["war"], ax=ax, scale="log") is ax
    assert ax.get_yscale() == "log"


def test_models_side_by_side_share_the_axis_and_the_colours(topics):
    panels = compare_trajectories({"a": topics, "b": topics}, {"a": 0, "b": 1}, ["war", "peace"])
    assert [ax.get_title(loc="left") for ax in panels] == ["a", "b"]
    assert panels[0].get_ylim() == panels[1].get_ylim()
    colours = [[line.get_color() for line in ax.get_lines()] for ax in panels]
    assert colours[0] == colours[1]


def test_refusals_are_sentences(topics):
    with pytest.raises(ValueError, match="not among the model's"):
        plot_trajectories(topics, 0, ["nowhere"])
    with pytest.raises(ValueError, match="no words were given"):
        plot_trajectories(topics, 0, [])
    with pytest.raises(ValueError, match='expected "linear" or "log"'):
        plot_trajectories(topics, 0, ["war"], scale="cubic")
    with pytest.raises(ValueError, match="no number for b"):
        compare_trajectories({"a": topics, "b": topics}, {"a": 0})
    with pytest.raises(ValueError, match="no models"):
        compare_trajectories({}, 0)
