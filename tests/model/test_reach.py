"""Documents that the nodes of the time grid say nothing about are not ignored in silence."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import chronotope as ct

COUNTS = np.random.default_rng(0).poisson(2.0, (20, 6))
TIMES = np.arange(20.0) ** 1.1


def fit(kernel: str, n_inducing: int | None, counts: np.ndarray = COUNTS) -> ct.DynamicTopicModel:
    return ct.DynamicTopicModel(2, kernel, n_inducing=n_inducing, grid="even", max_epochs=2).fit(counts, times=TIMES)


def test_a_fit_that_would_hear_no_document_is_refused() -> None:
    said = (
        r"^the kernel white\(2\) says nothing about times between .* no document with words is at a node\. Add a term"
    )
    with pytest.raises(ValueError, match=said):
        fit("white(2)", 1)
    only_between = COUNTS.copy()
    only_between[[0, -1]] = 0
    with pytest.raises(ValueError, match=r"n_inducing of at least 20\."):
        fit("white(2)", 7, only_between)


def test_documents_that_are_not_heard_are_counted() -> None:
    counts = COUNTS.copy()
    counts[5] = 0
    said = r"between the 2 nodes of the time grid; 17 of 20 documents are there and ignored\. Add a term that lasts"
    with pytest.warns(UserWarning, match=said) as caught:
        model = fit("white(2)", 2, counts)
    assert caught[0].filename == __file__
    np.testing.assert_allclose(model.topics_.mass.sum(), counts[[0, -1]].sum(), rtol=1e-4, atol=0)


@pytest.mark.parametrize(("kernel", "n_inducing"), [("white(2)", None), ("constant(1) + white(2)", 2), ("ou(2, 3)", 5)])
def test_nothing_is_said_where_all_documents_are_heard(kernel: str, n_inducing: int | None) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit(kernel, n_inducing)
