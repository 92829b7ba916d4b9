"""Duplicates among the texts of a corpus: counted and said, dropped if asked, in memory and on disk alike."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import chronotope as ct
from chronotope.corpus.align import every_word, preparation
from chronotope.text import store as token_store
from chronotope.text.duplicates import DUPLICATES

LETTERS = "abcdefghijklmnop"


@pytest.fixture(scope="module")
def texts() -> list[str]:
    """Thirty texts; the 31st is the first again, the 32nd nearly the second, the last two are short and the same."""
    rng = np.random.default_rng(0)
    words = ["w" + a + b + c for a in LETTERS for b in LETTERS for c in LETTERS]
    drawn = [" ".join(rng.choice(words, 80)) for _ in range(30)]
    return [*drawn, drawn[0].upper() + "!", drawn[1] + " and more", "ok thanks", "ok thanks"]


TIMES = [*range(1901, 1931), 1900, 1950, 1960, 1960]
DROP = ct.Preprocessing(duplicates="drop", min_count=1)


def test_duplicates_are_counted_and_kept_by_default(texts: list[str]) -> None:
    report = ct.Corpus.from_texts(texts, TIMES).report
    assert report is not None
    note = (
        "1 of 34 documents repeats another one exactly, 1 more nearly so (first: row 0 repeats row 30): drop them with "
        'duplicates="drop"'
    )
    assert note in report.notes
    assert not report[DUPLICATES].documents
    table = report.duplicates()
    assert table.columns.to_list() == ["id", "repeats", "exact", "similarity"]
    assert table[["id", "repeats", "exact"]].to_numpy().tolist() == [[0, 30, True], [31, 1, False]]
    assert table["similarity"].between(0.9, 1).all()


def test_a_corpus_without_duplicates_is_that_of_the_texts_without_them(texts: list[str]) -> None:
    ids = [f"t{i}" for i in range(len(texts))]
    dropped = ct.Corpus.from_texts(texts, TIMES, ids=ids, preprocessing=DROP)
    rest = [i for i in range(len(texts)) if i not in (0, 31)]
    expected = ct.Corpus.from_texts([texts[i] for i in rest], [TIMES[i] for i in rest], preprocessing=DROP)
    np.testing.assert_array_equal(dropped.counts.toarray(), expected.counts.toarray())
    np.testing.assert_array_equal(dropped.vocabulary, expected.vocabulary)
    assert dropped.ids.tolist() == [ids[i] for i in rest]
    assert dropped.texts is not None
    assert dropped.texts.tolist() == [texts[i] for i in rest]
    report = dropped.report
    assert report is not None
    assert str(report[DUPLICATES]) == "duplicates: 2 documents"
    assert (report.documents, report.duplicates()["id"].to_list()) == (34, ["t0", "t31"])
    assert "kept 32 documents" in str(report)


@pytest.mark.parametrize("phrases", [False, True])
def test_duplicates_are_dropped_on_disk_as_in_memory(
    texts: list[str], phrases: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(token_store, "_IN_MEMORY", 1)
    monkeypatch.setattr(token_store, "_BLOCK", 81)  # a block for each document, and none for those dropped
    options = ct.Preprocessing(duplicates="drop", phrases=phrases, min_count=1)
    held = ct.Corpus.from_texts(texts, TIMES, preprocessing=options)
    on_disk = ct.Corpus.from_texts(iter(texts), TIMES, preprocessing=options, folder=tmp_path / "corpus")
    np.testing.assert_array_equal(on_disk.counts.toarray(), held.counts.toarray())
    np.testing.assert_array_equal(on_disk.times, held.times)
    assert held.report is not None
    assert on_disk.report == held.report
    assert on_disk.report.repeated == held.report.repeated
    assert len(on_disk.report.duplicates()) == 2


def test_rows_are_those_of_the_texts_given_with_undated_ones(texts: list[str]) -> None:
    given = ["undated", *texts]
    corpus = ct.Corpus.from_texts(given, ["n/a", *map(str, TIMES)], on_bad_time="drop")
    assert corpus.report is not None
    assert corpus.report.duplicates()[["id", "repeats"]].to_numpy().tolist() == [[1, 31], [32, 2]]
    assert "(first: row 1 repeats row 31)" in str(corpus.report)


def test_none_looks_for_no_duplicates(texts: list[str]) -> None:
    report = ct.Corpus.from_texts(texts, TIMES, preprocessing=ct.Preprocessing(duplicates=None)).report
    assert report is not None
    assert not report.repeated
    assert "repeat" not in str(report)


def test_documents_for_a_model_are_never_dropped() -> None:
    assert preparation(DROP, ["war"]).duplicates is None
    assert every_word(["war"]).duplicates is None


def test_another_word_for_duplicates_is_refused() -> None:
    with pytest.raises(ValueError, match='duplicates is \'remove\'; expected "keep", "drop" or None'):
        ct.Preprocessing(duplicates="remove")  # type: ignore[arg-type]
