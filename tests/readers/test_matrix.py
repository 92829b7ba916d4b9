"""Ready counts: files of the C++ dynamic topic model and Matrix Market files become the same corpus."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from chronotope.readers import read, read_corpus, read_counts

COUNTS = np.array([[2, 0, 1], [0, 0, 0], [0, 3, 1]])
tables = hnp.arrays(np.int64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=6), elements=st.integers(0, 9))


def mult(counts: np.ndarray) -> str:
    """The lines of a -mult.dat file, as the original program wants them."""
    rows = ([f"{word}:{n}" for word, n in enumerate(row) if n] for row in counts)
    return "".join(" ".join([str(len(row)), *row]) + "\n" for row in rows)


@pytest.fixture
def dtm(write: Any) -> Path:
    write("old-seq.dat", "2\n1\n2\n")
    write("old-vocab.dat", "war\npeace\nand\n\n")
    return write("old-mult.dat", mult(COUNTS))  # type: ignore[no-any-return]


@given(tables)
def test_counts_written_as_the_original_wants_them_are_read_back(tmp_path_factory: Any, counts: np.ndarray) -> None:
    folder = tmp_path_factory.mktemp("dtm")
    D, V = counts.shape
    (folder / "a-mult.dat").write_text(mult(counts))
    (folder / "a-seq.dat").write_text(f"{D}\n" + "1\n" * D)
    corpus = read_counts(folder / "a-mult.dat", vocabulary=[f"w{v}" for v in range(V)])
    np.testing.assert_array_equal(corpus.counts.toarray(), counts)
    assert corpus.times.tolist() == list(range(D))


def test_slices_and_words_belong_to_the_documents(dtm: Path) -> None:
    corpus = read_corpus(dtm)
    np.testing.assert_array_equal(corpus.counts.toarray(), COUNTS)
    assert corpus.times.tolist() == [0, 1, 1]
    assert corpus.vocabulary.tolist() == ["war", "peace", "and"]


def test_times_of_slices_are_given_or_found(dtm: Path, write: Any) -> None:
    assert read_corpus(dtm, times=["1990", "1995-07"]).times.tolist() == [1990, 1995 + 181 / 365, 1995 + 181 / 365]
    write("old-times.txt", "1990\n1991\n")
    corpus = read_corpus(dtm)
    assert corpus.times.tolist() == [1990, 1991, 1991]
    assert corpus.calendar
    packed = write("old-mult.dat.gz", gzip.compress(dtm.read_bytes()))
    assert read_corpus(packed).times.tolist() == [1990, 1991, 1991]


def test_words_without_names_are_numbered(dtm: Path) -> None:
    dtm.with_name("old-vocab.dat").unlink()
    assert read_corpus(dtm).vocabulary.tolist() == ["word0", "word1", "word2"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("old-seq.dat", "3\n1\n2\n", "old-seq.dat announces 3 slices but lists 2"),
        ("old-seq.dat", "", "old-seq.dat announces 0 slices but lists 0"),
        ("old-seq.dat", "1\n2\n", "old-mult.dat has 3 documents but the slices of old-seq.dat hold 2"),
        ("old-mult.dat", "2 0:1\n", "line 1 of old-mult.dat announces 2 words but has 1"),
        ("old-mult.dat", "1 0:x\n", "line 1 of old-mult.dat has 'x'; expected a whole number"),
        ("old-mult.dat", "1 0\n", "line 1 of old-mult.dat has ''; expected a whole number"),
        ("old-mult.dat", "1 -1:2\n", "line 1 of old-mult.dat has '-1'"),
        ("old-mult.dat", "1 999999999:2\n", "has the word 999,999,999 but the vocabulary has only 3 words"),
        ("old-times.txt", "1990\n", "there are 1 times for 2 slices; pass one time per slice"),
    ],
)
def test_files_that_do_not_fit_are_refused(dtm: Path, write: Any, name: str, content: str, message: str) -> None:
    write(name, content)
    with pytest.raises(ValueError, match=message):
        read_corpus(dtm)


def test_a_vast_vocabulary_needs_names(dtm: Path, write: Any) -> None:
    dtm.with_name("old-vocab.dat").unlink()
    write("old-mult.dat", "1 999999999:2\n1 0:1\n0\n")
    with pytest.raises(ValueError, match=r"vocabulary is not given; put it in .+-vocab.txt, or pass it as vocabulary="):
        read_corpus(dtm)


def test_a_missing_sequence_is_an_error(dtm: Path) -> None:
    dtm.with_name("old-seq.dat").unlink()
    with pytest.raises(FileNotFoundError, match=r"old-seq.dat is missing; it says how many documents each time slice"):
        read_corpus(dtm)


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("ending", ["", ".gz"])
def test_a_matrix_market_file_is_read_either_way_round(tmp_path: Path, transposed: bool, ending: str) -> None:
    counts = COUNTS[:2]
    scipy.io.mmwrite(tmp_path / "a.mtx", sp.coo_array(counts.T if transposed else counts))
    path = tmp_path / f"a.mtx{ending}"
    if ending:
        path.write_bytes(gzip.compress((tmp_path / "a.mtx").read_bytes()))
    (tmp_path / "vocab.txt").write_text("war\npeace\nand\n")
    (tmp_path / "times.txt").write_text("1990-01-01\n1991-01-01\n")
    corpus = read_corpus(path)
    np.testing.assert_array_equal(corpus.counts.toarray(), counts)
    assert corpus.times.tolist() == [1990, 1991]


def test_a_matrix_that_does_not_fit_is_refused(tmp_path: Path, write: Any) -> None:
    scipy.io.mmwrite(tmp_path / "a.mtx", sp.coo_array(COUNTS))
    with pytest.raises(
        FileNotFoundError, match=r"no file of the vocabulary was found beside a.mtx; put .* a-vocab.txt"
    ):
        read_corpus(tmp_path / "a.mtx")
    with pytest.raises(ValueError, match=r"a.mtx is 3 × 3 with 4 entries, but there are 2 times and 3 words"):
        read_corpus(tmp_path / "a.mtx", vocabulary=list("abc"), times=[1, 2])
    huge = write("b.mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 999999999999\n1 1 1\n")
    with pytest.raises(ValueError, match=r"b.mtx is 2 × 2 with 999,999,999,999 entries"):
        read_corpus(huge, vocabulary=list("ab"), times=[1, 2])
    with pytest.raises(ValueError, match=r"c.mtx cannot be read as a Matrix Market file"):
        read_corpus(write("c.mtx", "nonsense"), vocabulary=["a"], times=[1])


def test_counts_are_no_texts(dtm: Path) -> None:
    with pytest.raises(ValueError, match=r"old-mult.dat holds ready counts, not texts; read it with read_corpus\(\)"):
        read(dtm)
    with pytest.raises(ValueError, match=r"old-mult.dat holds ready counts; pass no preprocessing and no options"):
        read_corpus(dtm, text="body")


def test_a_long_line_after_the_sizes_is_refused(write: Any) -> None:
    write("vocab.txt", "war\n")
    write("times.txt", "1861\n")
    head = "%%MatrixMarket matrix coordinate integer general\n1 1 1\n"
    path = write("a.mtx", f"{head}1 1 {'9' * 5000}\n")
    with pytest.raises(ValueError, match=r"a.mtx cannot be read as a Matrix Market file: .*out of range"):
        read_counts(path)
    assert read_counts(write("a.mtx", head.replace("\n1", "\n%" + "x" * 9000 + "\n\n1") + "1 1 3\n")).n_tokens == 3
