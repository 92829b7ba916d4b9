"""Pictures of two groups in a topic: words on the sides of those who use them, and the curve with its parting."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest
from two_groups import fitted, planted_groups

from chronotope import Topics
from chronotope.analysis import contrast, divergence, partings
from chronotope.plots import plot_divergence, plot_word_contrast


@pytest.fixture(scope="module")
def topics() -> Topics:
    return fitted(planted_groups("parting", 3, calendar=True)).topics_


def test_words_of_the_first_group_are_on_top_and_right_of_one(topics: Topics) -> None:
    k = int(partings(topics)["topic"][0])
    ax = plot_word_contrast(topics, k, "a", "b", 1909, n=5)
    table = contrast(topics, k, "a", "b", 1909, 5)
    labels = [text.get_text() for text in ax.get_yticklabels()]
    of_a = table["word"][table["ratio"] > 1].tolist()
    assert labels[: len(of_a)] == of_a
    assert labels[len(of_a) :] == table["word"][table["ratio"] <= 1].tolist()[::-1]
    marks = [line.get_xdata()[0] for line in ax.get_lines() if line.get_marker() == "o"]
    assert all(x > 1 for x in marks[: len(of_a)])
    assert all(x < 1 for x in marks[len(of_a) :])
    bottom, top = ax.get_ylim()
    assert bottom > top
    assert ax.get_xscale() == "log"
    assert "more in b" in ax.get_xlabel()
    assert ax.get_title(loc="left").endswith(", 1909-01-01")
    ax.figure.draw_without_rendering()


def test_the_curve_is_that_of_the_table_and_the_parting_is_marked(topics: Topics) -> None:
    k = int(partings(topics)["topic"][0])
    ax = plot_divergence(topics, k, "a", "b")
    table = divergence(topics, k, "a", "b")
    np.testing.assert_allclose(ax.get_lines()[0].get_xydata().T, table[["time", "divergence"]].T)
    assert ax.texts[0].get_text().startswith("parted 1905")
    assert ax.get_title(loc="left").endswith("a and b")
    ax.figure.draw_without_rendering()


def test_no_parting_is_marked_where_there_is_none(topics: Topics) -> None:
    k = int(partings(topics)["topic"][1])
    ax = plot_divergence(topics, k, "a", "b")
    assert not ax.texts
    assert len(ax.get_lines()) == 1


def test_given_axes_are_drawn_on(topics: Topics) -> None:
    figure = matplotlib.figure.Figure()
    one, two = figure.subplots(1, 2)
    assert plot_word_contrast(topics, 0, 0, 1, ax=one) is one
    assert plot_divergence(topics, 0, 0, 1, ax=two) is two
