"""Counts on disk answer as counts in memory do, and only what is asked for is read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from chronotope.corpus.arrays import GrowingArray, spill
from chronotope.corpus.counts import Counts, HeldCounts, Reordered, blocks

D, V = 40, 9


@pytest.fixture
def dense() -> np.ndarray:
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.7, (D, V))
    counts[[0, 7, 39]] = 0
    return counts


@pytest.fixture(params=["held", "mapped"])
def counts(request: pytest.FixtureRequest, dense: np.ndarray, tmp_path: Path) -> Counts:
    matrix = sp.csr_array(dense.astype(np.int32))
    if request.param == "held":
        return HeldCounts(matrix)
    return spill([matrix[:13], matrix[13:13], matrix[13:]], V, tmp_path)


@pytest.mark.parametrize(
    "rows",
    [slice(None), slice(3, 9), np.array([5]), np.array([7]), np.array([1, 2, 3]), np.array([30, 2, 2, 0, 7])],
    ids=str,
)
def test_rows_are_those_of_the_dense_matrix(counts: Counts, dense: np.ndarray, rows: slice | np.ndarray) -> None:
    taken = counts[rows]
    np.testing.assert_array_equal(taken.toarray(), dense[rows])
    assert (taken.data.dtype, taken.indices.dtype, taken.indptr.dtype) == (np.int32, np.int32, np.int32)


def test_sums_and_sizes_are_those_of_the_dense_matrix(counts: Counts, dense: np.ndarray) -> None:
    assert counts.shape == (D, V)
    assert counts.sum() == dense.sum()
    np.testing.assert_array_equal(counts.sum(axis=0), dense.sum(axis=0))
    np.testing.assert_array_equal(counts.sum(axis=1), dense.sum(axis=1))
    np.testing.assert_array_equal(counts.sizes, (dense > 0).sum(axis=1))
    np.testing.assert_array_equal(counts.whole().toarray(), dense)


def test_selections_of_selections_and_of_words(counts: Counts, dense: np.ndarray) -> None:
    first, second = np.array([9, 4, 4, 0, 31]), np.array([3, 0, 1])
    part = counts.select(first).select(second)
    np.testing.assert_array_equal(part.whole().toarray(), dense[first][second])
    used = dense[first].sum(axis=0) > 0
    assert not used.all()
    words = counts.select(first).with_words(used)
    np.testing.assert_array_equal(words.whole().toarray(), dense[first][:, used])
    np.testing.assert_array_equal(words.sum(axis=0), dense[first][:, used].sum(axis=0))


def test_no_rows_are_no_counts(counts: Counts) -> None:
    none = counts.select(np.empty(0, np.int64))
    assert none.shape == (0, V)
    np.testing.assert_array_equal(none.sum(axis=0), np.zeros(V))
    assert none.sum() == 0


def test_another_order_reads_the_same_rows(counts: Counts, dense: np.ndarray) -> None:
    order = np.random.default_rng(1).permutation(D)
    turned = Reordered(counts, order)
    np.testing.assert_array_equal(turned[np.array([3, 8])].toarray(), dense[order][[3, 8]])
    np.testing.assert_array_equal(turned.sum(axis=1), dense[order].sum(axis=1))
    np.testing.assert_array_equal(turned.sum(axis=0), dense.sum(axis=0))


@pytest.mark.parametrize("size", [1, 7, 30, 10**6])
def test_blocks_hold_every_document_once_and_little_more_than_asked_for(
    counts: Counts, dense: np.ndarray, size: int
) -> None:
    rows, parts = zip(*blocks(counts, size), strict=True)
    assert [part.shape[0] for part in parts] == [at.stop - at.start for at in rows]
    np.testing.assert_array_equal(sp.vstack(parts).toarray(), dense)
    assert all(part.nnz <= size or part.shape[0] == 1 for part in parts)


@pytest.mark.parametrize("place", ["indices", "data"])
def test_what_is_out_of_range_on_disk_is_never_handed_on(dense: np.ndarray, tmp_path: Path, place: str) -> None:
    counts = spill([sp.csr_array(dense.astype(np.int32))], V, tmp_path)
    stored = np.load(tmp_path / f"{place}.npy", mmap_mode="r+")
    stored[5] = V if place == "indices" else 0
    stored.flush()
    row = np.flatnonzero(np.cumsum(counts.sizes) > 5)[0]
    with pytest.raises(ValueError, match=r"are damaged: a word or a count is out of range; build it anew"):
        counts[[row]]
    np.testing.assert_array_equal(counts[row + 1 :].toarray(), dense[row + 1 :])


def test_numbers_get_as_many_bytes_as_they_need(tmp_path: Path) -> None:
    given = [[1, 255], [], [256], [3, 65_535], [65_536], [7, 2**31 - 1]]
    types = ["uint8", "uint8", "uint16", "uint16", "int32", "int32"]
    with GrowingArray(tmp_path / "x.npy", np.uint8) as growing:
        for values, expected in zip(given, types, strict=True):
            growing.append(np.array(values, dtype=np.int64))
            assert growing.dtype.name == expected
    stored = np.load(tmp_path / "x.npy", allow_pickle=False)
    assert stored.dtype == np.int32
    np.testing.assert_array_equal(stored, np.concatenate(given))
    assert [path.name for path in tmp_path.iterdir()] == ["x.npy"]
