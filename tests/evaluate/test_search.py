"""Grid search: every point is tried, the best is kept, and values may be written in several ways."""

from __future__ import annotations

import numpy as np
import pytest

from chronotope import OrnsteinUhlenbeck, Wiener, parse_kernel
from chronotope.evaluate import compare, grid_search, tune
from chronotope.evaluate.search import grid_kernels


@pytest.mark.slow
def test_the_best_is_the_point_of_lowest_perplexity(small, quick):
    search = grid_search(small, "ou", {"variance": [0.5, 6], "length_scale": [2, 50]}, **quick)
    table = search.table()
    assert len(table) == 4
    assert table["perplexity"].is_monotonic_increasing
    assert search.best == OrnsteinUhlenbeck(table["variance"][0], table["length_scale"][0])
    direct = compare(small, [search.best], [0], **quick)
    assert direct.runs[0].perplexity == table["perplexity"][0]
    assert table["ratio"][0] == 1.0
    assert (table["ratio"][1:] >= 1.0).all()


@pytest.mark.slow
def test_several_seeds_are_averaged(small, quick):
    search = grid_search(small, "ou(6)", {"length_scale": [2, 50]}, seeds=[0, 1], **quick)
    assert search.table()["runs"].tolist() == [2, 2]


def test_a_search_goes_on_where_it_stopped(small, quick, tmp_path, monkeypatch):
    first = grid_search(small, "ou", {"length_scale": [2, 50]}, out=tmp_path, **quick)
    monkeypatch.setattr("chronotope.evaluate.runner.run_task", None)
    assert grid_search(small, "ou", {"length_scale": [2, 50]}, out=tmp_path, **quick).table().equals(first.table())


def test_values_are_numbers_durations_or_multiples():
    kernels = grid_kernels(OrnsteinUhlenbeck(6, 50), {"length_scale": [7, "18 months", "x0.5", "X 2", 25.0]})
    assert [kernel for kernel, _ in kernels.values()] == [OrnsteinUhlenbeck(6, length) for length in (7, 1.5, 25, 100)]


def test_values_are_taken_to_the_last_digit():
    (kernel, point), *_ = grid_kernels(Wiener(0.1, 6, 1790), {"variance": [0.3]}).values()
    assert (kernel.variance, kernel.initial_variance, kernel.origin, point) == (0.3, 6, 1790, {"variance": 0.3})


def test_parts_of_sums_have_their_place_in_the_name():
    kernels = grid_kernels(parse_kernel("constant(4) + ou(2, 10)"), {"1.length_scale": [5], "0.variance": [1, 2]})
    assert list(kernels) == ["constant(1) + ou(2, 5)", "constant(2) + ou(2, 5)"]


def test_each_kernel_is_tuned_in_what_it_has(small, quick):
    grid = {"length_scale": ["x0.1", "x1"], "variance": ["x1"]}
    tuned = tune(small, {"w": "wiener", "ou": "ou", "level": "constant(2)", "theirs": "scikit-learn"}, grid, **quick)
    first, last = small.span
    assert tuned["w"] == Wiener().resolve(first, last)
    assert tuned["ou"].length_scale in (3 * (last - first), 0.1 * 3 * (last - first))
    assert tuned["level"] == parse_kernel("constant(2)")
    assert tuned["theirs"] == "scikit-learn"


@pytest.mark.parametrize(
    ("grid", "sentence"),
    [
        ({}, "the grid is empty; pass values for some of variance, length_scale"),
        (
            {"colour": [1]},
            "the grid has 'colour', which is not a parameter of ou.*; expected some of variance, length_scale",
        ),
        ({"variance": []}, "the grid has no values for variance"),
        ({"variance": "x2"}, "the grid has 'x2' for variance; pass a list of values"),
        ({"variance": 3.0}, "the grid has 3.0 for variance; pass a list"),
        ({"variance": [-1]}, "variance is -1; pass a positive finite number"),
        ({"variance": ["x-1"]}, "the grid has 'x-1' for variance; pass a multiple"),
        ({"variance": ["xx"]}, "the grid has 'xx' for variance; pass a multiple"),
        ({"length_scale": ["soon"]}, "the duration is 'soon'"),
    ],
    ids=str,
)
def test_grids_that_make_no_sense_are_sentences(small, quick, grid, sentence):
    with pytest.raises(ValueError, match=sentence):
        grid_search(small, "ou", grid, **quick)


def test_what_no_kernel_has_is_a_sentence(small, quick):
    with pytest.raises(ValueError, match="'period', which none of the kernels ou, scikit-learn has"):
        tune(small, ["ou", "scikit-learn"], {"period": [1]}, **quick)


def test_a_search_in_which_all_fails_says_why(small, quick, monkeypatch):
    def fail(*arguments):
        raise ValueError("no luck today")

    monkeypatch.setattr("chronotope.evaluate.runner.run_task", fail)
    with pytest.raises(ValueError, match=r"none of the runs finished.*no luck today"):
        grid_search(small, "ou", {"variance": np.array([1.0, 2.0])}, **quick)
