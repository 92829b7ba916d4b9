"""What a corpus is made of: counts become canonical, and bad input is named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from chronotope.corpus.corpus import Corpus

COUNTS = np.array([[1, 0, 2], [0, 0, 0], [3, 1, 0], [0, 4, 0]])
TIMES = ["1790-01-08", "1790-12-08", "1800", "1846-05-13"]
count_tables = hnp.arrays(np.int64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=8), elements=st.integers(0, 9))


@settings(max_examples=40)
@given(count_tables)
def test_every_form_of_the_counts_gives_the_same_canonical_matrix(counts: np.ndarray) -> None:
    forms: list[Any] = [counts, counts.tolist(), counts.astype(float), counts.astype(np.int8), pd.DataFrame(counts)]
    forms += [
        sp.csr_matrix(counts),
        sp.csc_array(counts),
        sp.coo_array(counts),
        sp.csr_array(counts.astype(np.float32)),
    ]
    for form in forms:
        corpus = Corpus(form, np.arange(len(counts)))
        np.testing.assert_array_equal(corpus.counts.toarray(), counts)
        assert corpus.counts.has_canonical_format
        assert corpus.counts.nnz == np.count_nonzero(counts)
        arrays = (corpus.counts.data, corpus.counts.indices, corpus.counts.indptr)
        assert all(array.dtype == np.int32 for array in arrays)


def test_duplicates_are_summed_indices_sorted_and_zeros_dropped() -> None:
    raw = sp.csr_array((np.array([2, 1, 3, 0]), np.array([2, 0, 2, 1]), np.array([0, 4])), shape=(1, 3))
    corpus = Corpus(raw, [0])
    assert corpus.counts.indices.tolist() == [0, 2]
    assert corpus.counts.data.tolist() == [1, 5]
    assert raw.data.tolist() == [2, 1, 3, 0]


def test_small_integer_types_do_not_overflow_when_duplicates_are_summed() -> None:
    raw = sp.coo_array((np.array([100, 100], np.int8), (np.array([0, 0]), np.array([0, 0]))), shape=(1, 1))
    assert Corpus(raw, [0]).n_tokens == 200


def test_a_mapping_of_columns_orders_the_vocabulary() -> None:
    assert Corpus(COUNTS, TIMES, {"c": 2, "a": 0, "b": 1}).vocabulary.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
def test_an_empty_corpus_is_refused(shape: tuple[int, int]) -> None:
    for counts in (np.zeros(shape, int), sp.csr_array(shape, dtype=int)):
        with pytest.raises(ValueError, match=r"counts has \d documents and \d words; pass at least one of each"):
            Corpus(counts, np.zeros(shape[0]))


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (-1, r"counts\[2, 1\] is -1; expected at least 0"),
        (0.5, r"counts\[2, 1\] is 0.5; expected a whole number; round them or pass raw counts"),
        (np.nan, r"counts\[2, 1\] is nan; expected a finite number"),
        (np.inf, r"counts\[2, 1\] is inf; expected a finite number"),
        (2.0**31, r"counts\[2, 1\] is 2.14748e\+09; expected at most"),
    ],
)
def test_a_bad_count_is_named_by_row_and_column(bad: float, message: str) -> None:
    counts = COUNTS.astype(float)
    counts[2, 1] = bad
    for form in (counts, sp.csr_matrix(counts), sp.coo_array(counts)):
        with pytest.raises(ValueError, match=message):
            Corpus(form, TIMES)


@pytest.mark.parametrize("bad", [np.arange(3), np.zeros((1, 2, 3)), 5], ids=["1-D", "3-D", "number"])
def test_counts_without_two_dimensions_are_refused(bad: Any) -> None:
    with pytest.raises(ValueError, match=r"counts has shape .*documents × words"):
        Corpus(bad, [0, 1, 2])


@pytest.mark.parametrize("dtype", [object, complex, str])
def test_counts_that_are_no_numbers_are_refused(dtype: Any) -> None:
    with pytest.raises(ValueError, match="counts has dtype"):
        Corpus(COUNTS.astype(dtype), TIMES)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (["a", "b"], "vocabulary has 2 words but counts has 3 columns; pass one word per column"),
        (["a", "b", "a"], "vocabulary has 'a' in columns 0 and 2"),
        (["a", 7, "c"], r"vocabulary\[1\] is 7; expected a string"),
        ({"a", "b", "c"}, "vocabulary is a set"),
        ("abc", "vocabulary is a str"),
    ],
)
def test_a_wrong_vocabulary_is_refused(bad: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Corpus(COUNTS, TIMES, bad)


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ({"ids": [1, 2]}, "ids has 2 entries but counts has 4 rows; pass one id per document"),
        ({"ids": [[1, 2]] * 4}, "ids has shape"),
        ({"texts": ["a"]}, "texts has 1 entries but counts has 4 rows; pass one text per document"),
        ({"metadata": {"x": [1, 2]}}, r"metadata\['x'\] has 2 entries but counts has 4 rows"),
        ({"metadata": pd.DataFrame({"x": [1, 2]})}, "metadata has 2 entries but counts has 4 rows"),
        ({"metadata": [1, 2, 3, 4]}, "metadata is a list"),
    ],
)
def test_misaligned_extras_are_refused(extra: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Corpus(COUNTS, TIMES, **extra)


def test_metadata_is_aligned_by_position_not_by_index() -> None:
    shuffled = pd.Series(list("abcd"), index=[3, 1, 0, 2])
    for metadata in ({"x": shuffled, "y": [1, 2, 3, 4]}, pd.DataFrame({"x": shuffled})):
        table = Corpus(COUNTS, TIMES, metadata=metadata).metadata
        assert table is not None
        assert table["x"].tolist() == list("abcd")
        assert table.index.tolist() == [0, 1, 2, 3]
